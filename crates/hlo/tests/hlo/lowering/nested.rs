//! Forms within others, in called computations and loops.

use super::{module_of, program, run, structure};
use xla_array::Edition::{Current, V2017};
use xla_hlo::parser::parse_edition;
use xla_hlo::{ComputationBuilder, lower};

const PICK: &str = "pick {\n  i = s32[] parameter(0)\n  table = f32[3] parameter(1)\n  v = s32[1] reshape(i)\n  \
    s = f32[1] dynamic-slice(table, v), dynamic_slice_sizes={1}\n  ROOT o = f32[] reshape(s)\n}";

/// The module that the builder builds for a map of `pick`.
fn built_map() -> xla_hlo::Module {
    let pick = module_of(&format!("HloModule m {PICK}"), V2017);
    let b = ComputationBuilder::with_edition("e", V2017);
    let a = b.parameter(0, &"s32[4]".parse().unwrap(), "a").unwrap();
    let table = b.parameter(1, &"f32[3]".parse().unwrap(), "b").unwrap();
    b.map(&[a], &pick, &[table]).unwrap();
    b.build().unwrap()
}

#[test]
fn map_static_operands() {
    for operation in
        ["map(a, b), dimensions={0}, to_apply=pick", "map(a), static_operands={b}, to_apply=pick"]
    {
        let text = program(PICK, &["s32[4]", "f32[3]"], operation);
        let lowered = lower(&text, V2017);
        assert_eq!(lowered.notes[0].rule, "builder-static-operands");
        assert_eq!(lowered.text.matches("pick {").count(), 1, "{}", lowered.text);
        let module = module_of(&lowered.text, V2017);
        // Compare both in the order of XLA's printer.
        let printed = |module: &xla_hlo::Module| structure(&module_of(&module.to_string(), V2017));
        assert_eq!(printed(&module), printed(&built_map()));
        let arguments = ["s32[4] {2, 0, 1, 2}", "f32[3] {10, 20, 30}"];
        assert_eq!(run(&text, V2017, &arguments), "{30, 10, 20, 30}");
        // In current XLA, it is an error whose fix has the same result.
        let parsed = parse_edition(&text, Current);
        let error = parsed.error().unwrap();
        let fixed = error.hints[0].apply(&text).unwrap();
        assert_eq!(run(&fixed, Current, &arguments), "{30, 10, 20, 30}", "{fixed}");
    }
}

#[test]
fn map_static_operands_of_an_inline_computation() {
    let inline = PICK.trim_start_matches("pick ");
    let text = program("", &["s32[4]", "f32[3]"], &format!("map(a, b), to_apply={inline}"));
    assert_eq!(run(&text, V2017, &["s32[4] {2, 0, 1, 2}", "f32[3] {10, 20, 30}"]), "{30, 10, 20, 30}");
    // Scalars are broadcast.
    let scalar =
        "f { x = f32[] parameter(0) k = s32[] parameter(1) c = f32[] convert(k) ROOT o = add(x, c) }";
    let text = program(scalar, &["f32[2]", "s32[]"], "map(a), static_operands={b}, to_apply=f");
    assert_eq!(run(&text, V2017, &["f32[2] {1, 2}", "s32[] 5"]), "{6, 7}");
}

#[test]
fn map_with_static_operands_within_a_while() {
    let text = format!(
        "HloModule m\n\n{PICK}\n\ncondition {{\n  s = (s32[], s32[4]) parameter(0)\n  n = s32[] get-tuple-element(s), index=0\n  \
         ROOT less = pred[] compare(n, s32[] constant(2)), direction=LT\n}}\n\n\
         body {{\n  s = (s32[], s32[4]) parameter(0)\n  n = s32[] get-tuple-element(s), index=0\n  \
         v = s32[4] get-tuple-element(s), index=1\n  t = f32[3] constant({{1, 2, 0}})\n  \
         p = f32[4] map(v, t), to_apply=pick\n  c = s32[4] convert(p)\n  one = s32[] constant(1)\n  \
         m = s32[] add(n, one)\n  ROOT o = tuple(m, c)\n}}\n\n\
         ENTRY e {{\n  z = s32[] constant(0)\n  a = s32[4] parameter(0)\n  i = tuple(z, a)\n  \
         ROOT w = while(i), condition=condition, body=body\n}}\n"
    );
    let text = text.replace("compare(n, s32[] constant(2)), direction=LT", "compare(n, two), direction=LT");
    let text = text.replace("  ROOT less", "  two = s32[] constant(2)\n  ROOT less");
    assert_eq!(run(&text, V2017, &["s32[4] {0, 1, 2, 0}"]), "( 2, {2, 0, 1, 2} )");
    let lowered = lower(&text, V2017).text;
    assert_eq!(run(&lowered, V2017, &["s32[4] {0, 1, 2, 0}"]), "( 2, {2, 0, 1, 2} )", "{lowered}");
    // A loop that is not a lowered map must not be nested.
    let nested = lowered.replace("map_condition", "below");
    assert_eq!(parse_edition(&nested, V2017).error().unwrap().rule, "while-nested");
}

#[test]
fn builder_map_with_static_operands_within_a_while() {
    let state = "s32[4]".parse().unwrap();
    let map = built_map();
    let condition = ComputationBuilder::with_edition("condition", V2017);
    condition.parameter(0, &state, "s").unwrap();
    condition.constant_r0(false).unwrap();
    let body = ComputationBuilder::with_edition("body", V2017);
    let a = body.parameter(0, &state, "s").unwrap();
    let table = body.constant_r1(&[1.0_f32, 2.0, 0.0]).unwrap();
    let picked = body.call(&map, &[a, table]).unwrap();
    body.convert_element_type(picked, xla_array::ElementType::S32).unwrap();
    let b = ComputationBuilder::with_edition("e", V2017);
    let start = b.parameter(0, &state, "a").unwrap();
    b.while_(&condition.build().unwrap(), &body.build().unwrap(), start).unwrap();
    let text = b.build().unwrap().to_string();
    module_of(&text, V2017);
}

#[test]
fn forms_in_operands_are_lowered_too() {
    let text = program("", &["f32[2,2]", "f32[2]", "f32[]"], "f32[2,2] add(a, multiply(add(f32[] c, c), a))");
    assert_eq!(
        run(&text, V2017, &["f32[2,2] {{1,2},{3,4}}", "f32[2] {0, 0}", "f32[] 10"]),
        "{ { 21, 42 }, { 63, 84 } }"
    );
    let text = program("", &["f32[2]", "f32[]"], "add(multiply(a, b), add(b, b))");
    let lowered = lower(&text, V2017);
    assert_eq!(lowered.notes.len(), 2, "{:?}", lowered.notes);
    assert_eq!(run(&text, V2017, &["f32[2] {1, 2}", "f32[] 10"]), "{30, 40}");
    let noted: Vec<&str> = lowered.notes.iter().map(|note| &text[note.span.range()]).collect();
    assert_eq!(noted, ["b", "add(b, b)"]);
}

#[test]
fn forms_in_one_line_and_with_taken_names() {
    let text = "HloModule m ENTRY e { broadcast.1 = f32[2] parameter(0) f = f32[] parameter(1) ROOT r = add(broadcast.1, f) }";
    let lowered = lower(text, V2017).text;
    assert!(
        lowered.contains(
            " broadcast.2 = f32[2] broadcast(f), dimensions={} ROOT r = add(broadcast.1, broadcast.2) }"
        ),
        "{lowered}"
    );
}
