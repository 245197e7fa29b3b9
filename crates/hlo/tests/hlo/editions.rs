//! The differences between the editions, op by op.

use xla_array::Edition::{Current, V2017};
use xla_hlo::parser::parse_edition;
use xla_hlo::{Evaluator, InstructionId, parse};
use xla_ops::CellAt;

#[test]
fn editions_accept_different_types() {
    for (text, now, then) in [
        ("x = s32[2] parameter(0) ROOT r = and(x, x)", true, false),
        ("x = s32[2] parameter(0) ROOT r = not(x)", true, false),
        ("x = c64[2] parameter(0) ROOT r = exponential(x)", true, false),
        ("x = u32[2] parameter(0) ROOT r = abs(x)", false, true),
        ("x = u32[2] parameter(0) ROOT r = sign(x)", false, true),
        ("x = c64[2] parameter(0) ROOT r = sign(x)", true, false),
        ("x = pred[2] parameter(0) ROOT r = and(x, x)", true, true),
    ] {
        let text = format!("HloModule m ENTRY e {{ {text} }}");
        for (edition, is_accepted) in [(Current, now), (V2017, then)] {
            let parsed = parse_edition(&text, edition);
            assert_eq!(parsed.diagnostics.is_empty(), is_accepted, "{text}");
            let is_type_rule = |rule| matches!(rule, "elementwise-type" | "edition-type");
            assert!(parsed.diagnostics.iter().all(|d| is_type_rule(d.rule)), "{text}");
        }
    }
}

#[test]
fn the_sign_of_nan_was_zero_in_2017() {
    let text = "HloModule m ENTRY e { x = f32[3] constant({nan, -0.0, -2}) ROOT r = sign(x) }";
    let module = parse_edition(text, Current).into_module().unwrap();
    let of = |edition| Evaluator::new(&module).edition(edition).run(&[]).unwrap().to_string();
    assert_eq!([of(Current), of(V2017)], ["{nan, -0, -1}", "{0, 0, -1}"]);
    let text = "HloModule m ENTRY e { x = u8[2] constant({0, 9}) ROOT r = sign(x) }";
    let module = parse_edition(text, V2017).into_module().unwrap();
    assert_eq!(Evaluator::new(&module).edition(V2017).run(&[]).unwrap().to_string(), "{0, 1}");
}

#[test]
fn integers_widen_by_the_signedness_of_the_new_type_in_2017() {
    for (of, to, now, then) in [
        ("u8[1] constant({200})", "s32", "{200}", "{-56}"),
        ("s8[1] constant({-1})", "u32", "{4294967295}", "{255}"),
    ] {
        let text = format!("HloModule m ENTRY e {{ x = {of} ROOT r = {to}[1] convert(x) }}");
        let module = parse(&text).into_module().unwrap();
        let of = |edition| Evaluator::new(&module).edition(edition).run(&[]).unwrap().to_string();
        assert_eq!([of(Current), of(V2017)], [now, then]);
    }
}

/// The results in current XLA and in XLA 2017.
fn results(instructions: &str) -> [String; 2] {
    let module = parse(&format!("HloModule m ENTRY e {{ {instructions} }}")).into_module().unwrap();
    assert_eq!(parse(&module.to_string()).module.to_string(), module.to_string());
    [Current, V2017].map(|edition| Evaluator::new(&module).edition(edition).run(&[]).unwrap().to_string())
}

#[test]
fn start_indices_out_of_range_are_clamped_and_wrap_or_drop_in_2017() {
    // 4294967295 mod 8 is 7.
    for (start, now, then) in [("6", "{4, 5, 6, 7}", "{6, 7, 0, 1}"), ("-1", "{0, 1, 2, 3}", "{7, 0, 1, 2}")]
    {
        let found = results(&format!(
            "a = s32[8] constant({{0,1,2,3,4,5,6,7}}) s = s32[1] constant({{{start}}})
             ROOT r = s32[4] dynamic-slice(a, s), dynamic_slice_sizes={{4}}"
        ));
        assert_eq!(found, [now, then]);
    }
    for (start, now, then) in
        [("3", "{0, 1, 7, 8, 9}", "{0, 1, 2, 7, 8}"), ("-1", "{7, 8, 9, 3, 4}", "{0, 1, 2, 3, 4}")]
    {
        let found = results(&format!(
            "a = s32[5] constant({{0,1,2,3,4}}) u = s32[3] constant({{7,8,9}}) s = s32[1] constant({{{start}}})
             ROOT r = s32[5] dynamic-update-slice(a, u, s)"
        ));
        assert_eq!(found, [now, then]);
    }
}

#[test]
fn start_indices_are_one_vector_or_a_scalar_per_dimension() {
    for (starts, rule) in
        [("s32[1]", "dynamic-slice-1"), ("s32[2,1]", "dynamic-slice-2"), ("f32[2]", "dynamic-slice-2")]
    {
        let text = format!(
            "HloModule m ENTRY e {{ a = f32[2,3] parameter(0) s = {starts} parameter(1)
            ROOT r = f32[1,1] dynamic-slice(a, s), dynamic_slice_sizes={{1,1}} }}"
        );
        assert_eq!(parse(&text).diagnostics[0].rule, rule, "{starts}");
    }
}

#[test]
fn a_duplicate_dimension_counts_once_in_2017() {
    let text = "HloModule m add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }
        ENTRY e { x = s32[2,2] constant({{1,2},{3,4}}) i = s32[] constant(0)
                  ROOT r = reduce(x, i), dimensions={1,1}, to_apply=add }";
    assert_eq!(parse_edition(text, Current).diagnostics[0].rule, "reduce-4");
    let module = parse_edition(text, V2017).into_module().unwrap();
    let result = Evaluator::new(&module).edition(V2017).run(&[]).unwrap();
    assert_eq!(result.to_string(), "{3, 7}");
    let text = text.replace("{1,1}", "{1,2}");
    assert_eq!(parse_edition(&text, V2017).diagnostics[0].rule, "reduce-3");
}

const SELECT_OF_TUPLES: &str = "HloModule m ENTRY e { p = pred[] constant(false) x = s32[2] constant({1, 2})
    y = s32[2] constant({3, 4}) t = tuple(x, y) u = tuple(y, x) ROOT r = select(p, t, u) }";

#[test]
fn only_the_select_of_2017_supports_tuples() {
    assert_eq!(parse_edition(SELECT_OF_TUPLES, Current).diagnostics[0].rule, "operand-array");
    let module = parse_edition(SELECT_OF_TUPLES, V2017).into_module().unwrap();
    let mut evaluator = Evaluator::new(&module).edition(V2017);
    assert_eq!(evaluator.run(&[]).unwrap().to_string(), "( {3, 4}, {1, 2} )");
    let outcome = evaluator.run_with_values(&[]).unwrap();
    let mut tracer = evaluator.tracer(&outcome);
    let sources = tracer.sources(InstructionId(5), &CellAt::array(&[1]).in_tuple(0)).unwrap();
    assert_eq!(sources.iter().map(|s| s.operand).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(sources[1].cell, CellAt::array(&[1]).in_tuple(0));
    let vector = SELECT_OF_TUPLES.replace("p = pred[] constant(false)", "p = pred[2] constant({0, 1})");
    assert_eq!(parse_edition(&vector, V2017).diagnostics[0].rule, "select-3");
}
