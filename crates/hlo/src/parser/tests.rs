use crate::{PrintOptions, parse};
use xla_messages::i18n::Message;

fn rules(text: &str) -> Vec<&'static str> {
    parse(text).diagnostics.iter().map(|d| d.rule).collect()
}

fn body(instructions: &str) -> String {
    format!("HloModule m\nENTRY e {{\n{instructions}\n}}\n")
}

#[test]
fn parsing_resumes_at_the_next_instruction() {
    let text =
        body("x = f32[2] parameter(0)\ny = f32[2] negate(x\nz = f32[2] abs(q)\nROOT r = f32[2] add(x, x)");
    let parsed = parse(&text);
    let reported: Vec<_> = parsed.diagnostics.iter().map(|d| (d.rule, d.position(&text).0)).collect();
    assert_eq!(reported, [("hlo-syntax", 5), ("hlo-operand", 5)]);
    let names: Vec<_> =
        parsed.module.entry_computation().unwrap().instructions.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["x", "y", "z", "r"]);
}

#[test]
fn one_mistake_is_reported_once() {
    let text = body("x = f32[2] parameter(0)\ny = negat(x)\nz = add(y, y)\nROOT r = tuple(z)");
    assert_eq!(rules(&text), ["hlo-opcode"]);
    let parsed = parse(&text);
    let fixed = parsed.diagnostics[0].hints[0].apply(&text).unwrap();
    assert!(rules(&fixed).is_empty());
}

#[test]
fn a_word_that_stands_alone_is_removed() {
    let right = body("x = f32[2] parameter(0)\nROOT r = f32[2] negate(x)");
    for (before, after) in [
        ("parameter(0)", "parameter(0) y"),
        ("negate(x)", "negate(x) ROOT z"),
        ("parameter(0)", "parameter(0)\ny"),
    ] {
        let text = right.replace(before, after);
        assert_eq!(rules(&text), ["hlo-syntax"], "{text}");
        let error = &parse(&text).diagnostics[0];
        assert_eq!(text[error.span.range()], after[before.len() + 1..]);
        let fixed = error.hints[0].apply(&text).unwrap();
        assert!(rules(&fixed).is_empty(), "{fixed}");
    }
}

#[test]
fn a_number_in_place_of_an_operand_becomes_a_constant() {
    for (number, written) in [("1", "u8[] constant(1)"), ("1.5", "f32[] constant(1.5)")] {
        let text = body(&format!("x = u8[] parameter(0)\nROOT r = tuple(x, {number})"));
        assert_eq!(rules(&text), ["hlo-syntax"]);
        let fixed = parse(&text).diagnostics[0].hints[0].apply(&text).unwrap();
        assert!(fixed.contains(&format!("tuple(x, {written})")), "{fixed}");
        assert!(rules(&fixed).is_empty(), "{fixed}");
    }
}

#[test]
fn operands_of_another_type_are_converted_before_their_instruction() {
    let add = "add {\na = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT c = f32[] add(a, b)\n}\n";
    for (instructions, converted) in [
        ("  x = f32[2] parameter(0)\n  y = s32[2] parameter(1)\n  ROOT r = add(x, y)", "f32[2] convert(y)"),
        (
            "  x = f32[2] parameter(0)\n  ROOT r = add(x, s8[2] constant({1, 2}))",
            "f32[2] convert(s8[2] constant({1, 2}))",
        ),
        ("  x = s32[2] parameter(0)\n  ROOT r = exponential(x)", "f32[2] convert(x)"),
        (
            "  x = f32[2] parameter(0)\n  convert = f32[2] negate(x)\n  z = s32[] constant(0)\n  \
          ROOT r = f32[] reduce(convert, z), dimensions={0}, to_apply=add",
            "f32[] convert(z)",
        ),
        ("  x = pred[4] parameter(0)\n  ROOT r = fft(x), fft_type=FFT, fft_length={4}", "c64[4] convert(x)"),
        ("  x = f32[4] parameter(0) y = s32[4] parameter(1) ROOT r = add(x, y)", "f32[4] convert(y)"),
    ] {
        let text = format!("HloModule m\n{add}ENTRY e {{\n{instructions}\n}}\n");
        let parsed = parse(&text);
        let message = Message::ops("op-hint-convert-to");
        let hints = parsed.diagnostics.iter().flat_map(|d| &d.hints);
        let hint = hints.into_iter().find(|hint| hint.message.key == message.key).expect(&text);
        let fixed = hint.apply(&text).unwrap();
        assert!(fixed.contains(&format!("= {converted}")), "{fixed}");
        assert!(rules(&fixed).is_empty(), "{fixed}: {:?}", rules(&fixed));
    }
}

#[test]
fn a_computation_below_its_caller_is_moved_up() {
    let add = "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}, execution_thread=\"main\"\n";
    let entry = "ENTRY e {\n  x = f32[4] parameter(0)\n  z = f32[] constant(0)\n  \
                 ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=%add\n}\n";
    // Another computation above has a similar name: the one below is still what is meant.
    let other = add.replace("add {", "add2 {").replace("add(a", "subtract(a");
    for (before, between) in [("", ""), (other.as_str(), ""), ("", other.as_str())] {
        let text = format!("HloModule m\n\n{before}\n{entry}\n{between}\n{add}");
        assert_eq!(rules(&text), ["hlo-computation"]);
        let fixed = parse(&text).diagnostics[0].hints[0].apply(&text).unwrap();
        assert!(rules(&fixed).is_empty(), "{fixed}: {:?}", rules(&fixed));
        let module = parse(&fixed).module;
        let name = |c: &crate::Computation| c.name.clone();
        assert_eq!(module.computations.iter().map(name).filter(|name| name == "add").count(), 1);
        assert!(fixed.find("ROOT c = f32[] add").unwrap() < fixed.find("ENTRY").unwrap(), "{fixed}");
    }
    // A computation that calls itself stays an error without that fix.
    let text = "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  ROOT r = f32[] call(x), to_apply=e\n}\n";
    assert!(parse(text).diagnostics[0].hints.iter().all(|hint| hint.message.key != "hlo-hint-move-callee"));
}

#[test]
fn nothing_converts_a_complex_operand_to_a_real_one() {
    let text = body("x = f32[2] parameter(0)\ny = c64[2] parameter(1)\nROOT r = add(x, y)");
    let parsed = parse(&text);
    let hints = &parsed.diagnostics[0].hints;
    assert!(
        hints.iter().any(|hint| hint.message == Message::ops("op-hint-convert") && hint.edits.is_empty())
    );
}

#[test]
fn suggested_fixes_remove_their_errors() {
    for broken in [
        body("x = s32[] parameter(0)\nROOT r = add(x, 1)"),
        body("x = s32[3] parameter(0)\nv = s32[] constant(0)\nROOT r = pad(x, v), padding=1_1x2_2"),
        body("x = s32[3,4] parameter(0)\nv = s32[] constant(0)\nROOT r = pad(x, v), padding=1_1_1"),
        body("x = s32[3,4] parameter(0)\nROOT r = s32[1,4] slice(x), slice={[1:2]}"),
        body("x = s32[3] parameter(0)\nROOT r = s32[1] slice(x), slice={[1:2], [0:4]}"),
        body(
            "x = s32[3,4] parameter(0)\ni = s32[] constant(0)\nROOT r = s32[2,4] dynamic-slice(x, i, i), dynamic_slice_sizes={2}",
        ),
        body("x= f32[2] parameter(0)\nROOT r = negate(x)"),
        body("x = f32[2,3] parameter(0)\nROOT r = transpose(x), dimensions={0}"),
        body("x = f32[2] parameter(0)\nROOT r = f32[3] negate(x)"),
        body("x = f32[2] parameter(0)\nROOT r = compare(x, x), direction=LT, type=SIGNED"),
        body("x = f32[5] parameter(0)\nROOT r = f32[2] slice(x), slice={[4:6]}")
            .replace("f32[2] slice", "f32[1] slice"),
        body("xs = f32[2] parameter(0)\nROOT r = negate(xx)"),
        "e (x: f32[]) -> f32[] { ROOT x = f32[] parameter(0) }".to_owned(),
        "HloModule m ENTRY e { ROOT x = f32[] parameter(0)".to_owned(),
        body("x = f32[2] parameter(0)\ny = dot(x, x), contracting_dims={0}\nROOT z = negate(f32[3] x)")
            .replace("y = dot(x, x), contracting_dims={0}\n", ""),
    ] {
        let parsed = parse(&broken);
        assert_eq!(parsed.diagnostics.len(), 1, "{broken}: {:?}", parsed.diagnostics);
        let fixed = parsed.diagnostics[0].hints[0].apply(&broken).unwrap();
        assert!(parse(&fixed).diagnostics.is_empty(), "{fixed}: {:?}", parse(&fixed).diagnostics);
    }
}

#[test]
fn both_dialects_with_nested_operands_and_bodies_round_trip() {
    let long = "HloModule m\n%f (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n
        ROOT %c = f32[] add(f32[] %a, f32[] %b), metadata={op_name=\"x/y\"}\n}, execution_thread=\"host\"\n
        ENTRY %e {\n  %x = f32[3]{0} parameter(0)\n
        ROOT %r = f32[] reduce(f32[3]{0} %x, f32[] constant(0)), dimensions={0}, to_apply=%f\n}";
    let parsed = parse(long);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let add = parsed.module.computations[0].root_instruction().unwrap();
    assert_eq!(add.op_name().as_deref(), Some("x/y"));
    let short = "HloModule m ENTRY e { x = f32[3] parameter(0) z = f32[] constant(0)
        ROOT r = reduce(x, z), dimensions={0}, to_apply={
        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) } }";
    let inline = parse(short);
    assert!(inline.diagnostics.is_empty(), "{:?}", inline.diagnostics);
    for module in [parsed.module, inline.module] {
        for options in
            [PrintOptions::SHORT, PrintOptions::LONG, PrintOptions { layouts: false, ..PrintOptions::LONG }]
        {
            let printed = module.text(options);
            let reparsed = parse(&printed);
            assert!(reparsed.diagnostics.is_empty(), "{printed}: {:?}", reparsed.diagnostics);
            assert_eq!(reparsed.module.text(options), printed);
        }
    }
}

#[test]
fn quoted_text_is_read_and_printed_as_xla_does() {
    let text = body(
        "x = f32[2] parameter(0), metadata={op_name='a\\x41\\'\\\"'\t// c\r source_line=3}, backend_config={\"k\\/\":\r\n\"\u{202e}\"}\n\
         ROOT r = f32[2] custom-call(x), custom_call_target=\"\\x41\\101\\r\", backend_config=\"a\r\nb\\xff\"",
    );
    let parsed = parse(&text);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let printed = parsed.module.text(PrintOptions::LONG);
    for part in [
        r#"metadata={op_name="aA\'\"" source_line=3}"#,
        r#"backend_config={"k\/": "\u202e"}"#,
        r#"custom_call_target="AA\r""#,
        r#"backend_config="a\nb\377""#,
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert_eq!(parse(&printed).module.text(PrintOptions::LONG), printed);
    let entry = parsed.module.entry_computation().unwrap();
    assert_eq!(entry.instructions[0].op_name().as_deref(), Some("aA'\""));
    let target = entry.instructions[1].attrs.get("custom_call_target");
    assert_eq!(target, Some(&xla_ops::AttrValue::String("AA\r".to_owned())));
}

#[test]
fn an_invalid_escape_is_reported_at_its_span() {
    for (value, found) in [("\"a\\q\"", "\\q"), ("'\\x100'", "\\x100"), ("\"é\\400\"", "\\400")] {
        for attr in ["custom_call_target", "backend_config"] {
            let text = body(&format!("ROOT r = f32[2] custom-call(), {attr}={value}"));
            let parsed = parse(&text);
            let reported: Vec<_> = parsed.diagnostics.iter().filter(|d| d.rule == "hlo-escape").collect();
            assert_eq!(reported.len(), 1, "{text}");
            assert_eq!(&text[reported[0].span.range()], found);
            let fixed = reported[0].hints[0].apply(&text).unwrap();
            assert!(!rules(&fixed).contains(&"hlo-escape"), "{fixed}");
        }
    }
    // JSON has other escapes. Control characters are only allowed in quotation marks.
    assert_eq!(rules(&body("ROOT r = f32[2] parameter(0), backend_config={\"a\":\"\\q\"}")), [""; 0]);
    assert_eq!(rules(&body("ROOT r = f32[2] parameter(0), metadata={\u{1b}}")), ["hlo-control"]);
}

#[test]
fn a_byte_order_mark_and_any_line_end_are_read() {
    let text = body("x = f32[2] parameter(0) // one\nROOT r = negate(q)");
    for end in ["\n", "\r\n", "\r"] {
        let text = format!("\u{feff}{}", text.replace('\n', end));
        let parsed = parse(&text);
        let reported: Vec<_> = parsed.diagnostics.iter().map(|d| (d.rule, d.position(&text))).collect();
        assert_eq!(reported, [("hlo-operand", (4, 17))], "{end:?}");
    }
}

#[test]
fn unknown_attributes_are_skipped_with_a_warning() {
    let text = body(
        "x = f32[2] parameter(0), frobnicate={a=[{(\"}\")}]}\nROOT r = negate(x), sharding={replicated}",
    );
    let parsed = parse(&text);
    assert!(parsed.error().is_none());
    assert_eq!(parsed.diagnostics.len(), 1);
    assert_eq!(parsed.diagnostics[0].rule, "hlo-attribute");
    assert!(parse(&body("x = f32[2] parameter(0)\nROOT r = broadcat(x), foo={1")).error().is_some());
}

#[test]
fn depth_is_limited() {
    let nested = format!("{}x{}", "negate(".repeat(100_000), ")".repeat(100_000));
    let parsed = parse(&body(&format!("x = f32[] parameter(0)\nROOT r = {nested}")));
    assert!(parsed.error().is_none());
    assert_eq!(parsed.module.entry_computation().unwrap().instructions.len(), 100_001);
    let unclosed = format!("{}x", "negate(".repeat(100_000));
    assert!(!rules(&body(&format!("x = f32[] parameter(0)\nROOT r = {unclosed}"))).is_empty());
    let bodies = format!("{}{}", "ROOT r = f32[] call(), to_apply={".repeat(200), "}".repeat(200));
    assert!(rules(&body(&bodies)).contains(&"hlo-depth"));
    let tuples = "(".repeat(100_000);
    assert!(!rules(&body(&format!("x = {tuples}"))).is_empty());
    let callers = (1..100)
        .map(|i| format!("g{i} {{ x = f32[] parameter(0) ROOT y = call(x), to_apply=g{} }}\n", i - 1));
    let chain = format!("HloModule m\ng0 {{ ROOT x = f32[] parameter(0) }}\n{}", callers.collect::<String>());
    // The module can be inspected, but not run.
    assert_eq!(rules(&chain), ["hlo-depth"]);
    assert_eq!(parse(&chain).module.computations.len(), 100);
}

#[test]
fn mutated_text_neither_panics_nor_hangs() {
    let seed = "HloModule m, entry_computation_layout={(f32[2,3]{1,0})->(f32[2]{0}, s32[])}
        f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b), metadata={op_name=\"\\\"\"} }
        ENTRY %e (x: f32[2,3]) -> (f32[2], s32[]) { %x = f32[2,3]{1,0:T(2,2)} parameter(0) z = f32[] constant(0)
        p = pad(x, z), padding=1_-1_0x0_0_2
        r = f32[2] reduce(x, f32[] z), dimensions={1}, to_apply=f
        s = f32[1,2] slice(x), slice={[0:1], [1:3]} k = s32[2]{0} constant({1, 2})
        d = dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}, operand_precision={highest,default}
        ROOT t = tuple(r, s32[] constant(3)) }";
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        "=",
        "\"",
        "%",
        "->",
        "/*",
        "-",
        "9999999999",
        "é",
        "\n",
        "x",
        "{...}",
    ];
    for _ in 0..3000 {
        let mut text = seed.to_owned();
        for _ in 0..=random(4) {
            let boundaries: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
            let at = boundaries[random(boundaries.len())];
            match random(3) {
                0 => text.insert_str(at, pieces[random(pieces.len())]),
                1 => drop(text.remove(at)),
                _ => text.truncate(at.max(1)),
            }
        }
        let parsed = parse(&text);
        let printed = parsed.module.text(PrintOptions::LONG);
        assert!(parsed.error().is_some() || parse(&printed).error().is_none(), "{text}\n{printed}");
        for d in &parsed.diagnostics {
            assert!(text.get(d.span.range()).is_some(), "{d:?} in {text}");
        }
    }
}

#[test]
fn written_tuples_are_bounded_by_the_memory_of_their_leaves() {
    let tuple = format!("({})", vec!["f32[]"; 1_000].join(","));
    let parameters = |count: usize| {
        (0..count).map(|i| format!("t{i} = {tuple} parameter({i})\n")).collect::<Vec<_>>().concat()
    };
    let text = |count: usize| body(&format!("{}ROOT r = f32[] constant(1)", parameters(count)));
    assert!(parse(&text(800)).error().is_none());
    assert_eq!(rules(&text(900)), ["limit-module-leaves"]);
    let layout = |count: usize| {
        let parameters = vec![tuple.as_str(); count].join(", ");
        format!("HloModule m, entry_computation_layout={{({parameters})->{tuple}}}\n")
    };
    let limit = rules(&layout(1_100));
    assert!(limit.contains(&"limit-module-leaves"), "{limit:?}");
}

#[test]
fn a_tuple_of_many_leaves_round_trips() {
    let text = body(&format!("ROOT r = tuple({})", vec!["x"; 9_000].join(", "))).replacen(
        "ENTRY e {",
        "ENTRY e { x = f32[2] parameter(0)",
        1,
    );
    let printed = parse(&text).into_module().unwrap().text(PrintOptions::LONG);
    assert!(printed.len() > 2 * xla_array::text::MAX_TEXT_BYTES);
    assert_eq!(parse(&printed).into_module().unwrap().text(PrintOptions::LONG), printed);
}
