//! The rules of HLO text: accepted text, rejected text with rule and position, and the effect of suggested edits.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use xla_hlo::{Evaluator, PrintOptions, parse};
use xla_messages::diagnostic::Severity;

fn body(instructions: &str) -> String {
    format!("HloModule m\nENTRY e {{\n{instructions}\n}}\n")
}

/// The rule and line of each diagnostic.
fn rules_and_lines(text: &str) -> Vec<(&'static str, usize)> {
    parse(text).diagnostics.iter().map(|d| (d.rule, d.position(text).0)).collect()
}

#[test]
fn text_that_xla_accepts_has_no_diagnostics() {
    let negate = "x = f32[2] parameter(0)\nROOT r = negate(x)";
    for text in [
        body(negate),
        body("x = f32[2] parameter(0) ROOT r = negate(x)"),
        body("x = f32[2] parameter(0) // a /* comment\r\n /* another /* one */ ROOT r = negate(/*index=0*/x)"),
        body("%x=f32[2] parameter(0)\nROOT %r=f32[2] negate(%x)"),
        body("%f32 = f32[2] parameter(0)\nROOT %ROOT = f32[2] negate(%f32)"),
        body("add = f32[2] parameter(0)\nROOT negate = negate(add)"),
        body("x = f32[2] parameter(0)\nROOT r = add(x, x,)"),
        body("x = f32[2] parameter(0)\nROOT r = negate(f32[2]{0} x), metadata={op_name=\"a\\\"b\" source_line=3}"),
        body("x = f32[2] parameter(0)\nr = negate(x)"),
        body("x = f32[2] parameter(0)\nROOT r = negate(x)\nlast = abs(x)"),
        body("y = f32[3] parameter(1)\nx = f32[2] parameter(0)\nROOT r = tuple(x, y)"),
        body("x = f32[2] parameter(0)\nROOT r = add(negate(x), f32[2] constant({1, 2}))"),
        body("x = f32[2] parameter(0), sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}\nROOT r = negate(x), sharding={{replicated},{maximal device=0}}, frontend_attributes={k=\"v\",j={\"a\":1}}, backend_config={\"a\":{\"b\":\"}\"}}, control-predecessors={x}"),
        body("x = f32[2] parameter(0), parameter_replication={true}, statistics={visualizing_index=0,a=1.5}\nROOT r = negate(x), origin={{\"x\"}}, result_accuracy={mode=highest}"),
        body("c = f32[3] constant({nan(0x7fffff), -nan, -inf})\nROOT r = negate(c)"),
        body("c = f32[2,2] constant({ { 1 2 } { 3, 4, } })\nROOT r = negate(c)"),
        "HloModule m, is_scheduled=true, replica_count=2, input_output_alias={ {0}: (0, {}, may-alias) }, buffer_donor={ (0, {}) }, allow_spmd_sharding_propagation_to_output={true}, entry_computation_layout={(f32[2]{0})->f32[2]{0}}, frontend_attributes={a=\"b\"}\n\nFileNames\n1 \"a.py\"\n\nFunctionNames\n1 'f'\n\nFileLocations\n1 {file_name_id=1 function_name_id=1 line=1 end_line=1 column=1 end_column=2}\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\nENTRY %e (x: f32[2]) -> f32[2] {\n  %x = f32[2]{0} parameter(0)\n  ROOT %r = f32[2]{0} negate(%x), metadata={op_name=\"a\" stack_frame_id=1}\n}, execution_thread=\"main\"\n".to_owned(),
        "HloModule m\ncall { x = f32[] parameter(0) ROOT call = negate(x) }\nENTRY e { x = f32[] parameter(0) ROOT call = call(x), to_apply=call }".to_owned(),
        "HloModule m\nf { ROOT x = f32[] parameter(0) }\nlast { x = f32[] parameter(0) ROOT r = call(x), to_apply=%f }".to_owned(),
    ] {
        assert_eq!(rules_and_lines(&text), [], "{text}");
    }
}

#[test]
fn text_that_xla_rejects_is_reported_once_with_rule_and_line() {
    let x = "x = f32[2] parameter(0)\n";
    for (text, expected) in [
        (body(&format!("{x}ROOT r= negate(x)")), ("hlo-syntax", 4)),
        (body(&format!("{x}ROOT f32 = negate(x)")), ("hlo-name", 4)),
        (body(&format!("{x}ROOT true = negate(x)")), ("hlo-name", 4)),
        (body(&format!("{x}x = negate(x)")), ("hlo-name", 4)),
        (body(&format!("{x}ROOT a = negate(x)\nROOT b = negate(x)")), ("hlo-root", 5)),
        (body(&format!("{x}ROOT r = negate(y)\ny = negate(x)")), ("hlo-operand", 4)),
        (body(&format!("{x}ROOT r = negate(r)")), ("hlo-operand", 4)),
        (body(&format!("{x}ROOT r = add(x x)")), ("hlo-syntax", 4)),
        (body(&format!("{x}ROOT r = negate(x), , metadata={{}}")), ("hlo-syntax", 4)),
        (body(&format!("{x}ROOT r = negate(x) metadata={{}}")), ("hlo-syntax", 4)),
        (body(&format!("{x}ROOT r = transpose(x), dimensions = {{0}}")), ("hlo-syntax", 4)),
        (
            body(&format!("{x}ROOT r = transpose(x), dimensions={{0}}, dimensions={{0}}")),
            ("hlo-attribute", 4),
        ),
        (body(&format!("{x}ROOT r = transpose(x), dimension={{0}}")), ("hlo-attribute", 4)),
        (body(&format!("{x}ROOT r = transpose(x)")), ("attribute-missing", 4)),
        (body(&format!("{x}ROOT r = transpose(x), dimensions={{0\ny = abs(x)")), ("hlo-attribute-value", 5)),
        (body(&format!("{x}ROOT r = negate(x), metadata={{op_name=\"a}}")), ("hlo-syntax", 4)),
        (body(&format!("{x}ROOT r = negate(x), metadata={{source_line=1\ny = abs(x)")), ("hlo-syntax", 4)),
        (body(&format!("{x}ROOT r = negate(x), control-predecessors={{zz}}")), ("hlo-operand", 4)),
        (body(&format!("{x}ROOT r = call(x), to_apply=zz")), ("hlo-computation", 4)),
        (body(&format!("{x}ROOT r = negate(f32[3] x)")), ("hlo-operand-shape", 4)),
        (body(&format!("{x}ROOT r = F32[2] negate(x)")), ("text-unknown-type", 4)),
        (body(&format!("{x}ROOT r = \u{a0}negate(x)")), ("hlo-syntax", 4)),
        (body(&format!("{x}ROOT %1 = negate(x)")), ("hlo-syntax", 4)),
        (body("ROOT x = f32[2] parameter(1)"), ("hlo-parameters", 3)),
        (body("x = f32[2] parameter(0)\nROOT y = f32[2] parameter(0)"), ("hlo-parameters", 4)),
        (body("ROOT c = s32[] constant(1.5)"), ("literal-kind", 3)),
        (body("ROOT c = f32[] constant(.5)"), ("literal-number", 3)),
        (body("ROOT c = f16[] constant(65520)"), ("literal-range", 3)),
        (body("ROOT c = f32[2] constant({1})"), ("literal-count", 3)),
        (body("ROOT c = f32[67108864] constant({1})"), ("literal-count", 3)),
        (body("ROOT c = c64[] constant(1)"), ("literal-complex", 3)),
        (body("ROOT x = f32[2]{0,1} parameter(0)"), ("layout-2", 3)),
        (body(""), ("hlo-empty", 2)),
        (format!("{}some words about it", body("ROOT x = f32[] parameter(0)")), ("hlo-syntax", 5)),
        (format!("{}/* never closed", body("ROOT x = f32[] parameter(0)")), ("hlo-syntax", 5)),
        (
            format!("{0}{0}", body("ROOT x = f32[] parameter(0)"))
                .replacen("}\nHloModule m", "}\n", 1)
                .replacen("ENTRY e", "ENTRY d", 1),
            ("hlo-entry", 6),
        ),
        (
            body("ROOT x = f32[] parameter(0)")
                .replace("ENTRY e", "e { ROOT y = s32[] parameter(0) }\nENTRY e"),
            ("hlo-name", 3),
        ),
        (
            body("ROOT x = f32[] parameter(0)").replace("ENTRY e", "ENTRY e (x: f32[]) -> f32[1]"),
            ("hlo-signature", 2),
        ),
        (
            body("ROOT x = f32[] parameter(0)").replace("ENTRY e", "ENTRY e (x f32[]) -> f32[]"),
            ("hlo-syntax", 2),
        ),
        (body("ROOT x = f32[] parameter(0)").replace("ENTRY e", "ENTRY e (x: ) -> f32[]"), ("hlo-syntax", 2)),
        (body("ROOT x = f32[] parameter(0)").replace("ENTRY e", "ENTRY bf16"), ("hlo-name", 2)),
        ("HloModule m".to_owned(), ("hlo-entry", 1)),
        ("e (x: f32[]) -> f32[] { ROOT x = f32[] parameter(0) }".to_owned(), ("hlo-header", 1)),
        (
            body("ROOT x = f32[] parameter(0)").replace("HloModule m", "HloModule m, is_scheduled=maybe"),
            ("hlo-attribute-value", 1),
        ),
        (
            body("ROOT x = f32[] parameter(0)").replace("HloModule m", "HloModule m, is_schedule=true"),
            ("hlo-attribute", 1),
        ),
        (
            body("ROOT x = f32[] parameter(0)")
                .replace("HloModule m", "HloModule m, replica_count=1, replica_count=1"),
            ("hlo-attribute", 1),
        ),
        (
            body("ROOT x = f32[] parameter(0)")
                .replace("HloModule m", "HloModule m, entry_computation_layout={(f32[2])->f32[]}"),
            ("hlo-interface", 3),
        ),
        (
            body("ROOT x = f32[] parameter(0)")
                .replace("HloModule m", "HloModule m, entry_computation_layout={(f32[])-f32[]}"),
            ("hlo-syntax", 1),
        ),
        (body("ROOT x = f32[] parameter(0)").replace("}\n", "}, execution_thread\n"), ("hlo-syntax", 4)),
    ] {
        assert_eq!(rules_and_lines(&text), [expected], "{text}{:?}", parse(&text).diagnostics);
        assert!(parse(&text).error().is_some(), "{text}");
    }
}

#[test]
fn suggested_edits_fix_their_errors() {
    let x = "x = f32[2] parameter(0)\n";
    for text in [
        body(&format!("{x}ROOT r = add(x x)")).replace("add(x x)", "add(x, x"),
        body(&format!("{x}ROOT r = negate(x) metadata={{}}")),
        body(&format!("{x}ROOT r = transpose(x), dimensions = {{0}}")),
        body(&format!("{x}ROOT r = negate(x), metadata={{op_name=\"a\n}}")),
        body(&format!("{x}ROOT r = negate(x), metadata={{op_name=\"a}}")),
        body(&format!("{x}ROOT bf16 = negate(x)")),
        body(&format!("{x}ROOT r = \u{a0}negate(x)")),
        body(&format!("{x}ROOT r = mul(x, x)")),
        body(&format!("{x}ROOT r = Round_Nearest_Even(x)")),
        body(&format!("{x}ROOT r = exp(x)")),
        body("ROOT c = f32[] constant(.5)"),
        format!("{}some words about it", body("ROOT x = f32[] parameter(0)")),
        format!("{}/* never closed", body("ROOT x = f32[] parameter(0)")),
        body("ROOT x = f32[] parameter(0)").replace("ENTRY e", "ENTRY e (x: f32[]) -> f32[1]"),
        body("ROOT x = f32[] parameter(0)").replace("HloModule m", "HloModule m, is_schedule=true"),
        "HloModule m\nfoo {\n  ROOT x = f32[] parameter(0)\nENTRY e {\n  x = f32[] parameter(0)\n  ROOT r = call(x), to_apply=foo\n}\n".to_owned(),
        "HloModule m\nfoo { ROOT x = f32[] parameter(0) }\nENTRY e { x = f32[] parameter(0) ROOT r = call(x), to_apply=%fo }\n".to_owned(),
    ] {
        let parsed = parse(&text);
        assert_eq!(parsed.diagnostics.len(), 1, "{text}{:?}", parsed.diagnostics);
        let fixed = parsed.diagnostics[0].hints[0].apply(&text).unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
        assert_eq!(rules_and_lines(&fixed), [], "{fixed}");
    }
}

#[test]
fn parsing_resumes_after_any_malformed_instruction() {
    let names = |text: &str| -> Vec<String> {
        parse(text).module.entry_computation().unwrap().instructions.iter().map(|i| i.name.clone()).collect()
    };
    for malformed in [
        "y = negate(x",
        "y = negate x)",
        "y = = negate(x)",
        "y negate(x)",
        "y = negate(x), dimensions={0",
        "y = negate(x), what ever",
        "y = f32[ negate(x)",
        "y = frobnicate(3, {1}, [2]), a={b=c}",
        "y = call(x), to_apply={ a = f32[2] parameter(0) ROOT b = neg ate(a) }",
        "y = f32[2] \"",
        "ROOT",
        "=",
    ] {
        for separator in ["\n", " "] {
            if separator == " " && malformed.ends_with('"') {
                continue;
            }
            let text = body(
                &["x = f32[2] parameter(0)", malformed, "z = abs(x)", "ROOT r = add(z, x)"].join(separator),
            );
            let found = names(&text);
            assert!(
                found.ends_with(&["z".to_owned(), "r".to_owned()]) && found[0] == "x",
                "{text}: {found:?}"
            );
            assert!(parse(&text).error().is_some(), "{text}");
        }
    }
}

#[test]
fn an_unclosed_body_ends_before_the_next_computation() {
    let text = "HloModule m\nf {\n  ROOT x = f32[] parameter(0)\n\n%g (y: f32[]) -> f32[] {\n  ROOT %y = f32[] parameter(0)\n}\n\nENTRY e {\n  x = f32[] parameter(0)\n  ROOT r = call(x), to_apply=g\n}\n";
    assert_eq!(rules_and_lines(text), [("hlo-syntax", 2)]);
    assert_eq!(parse(text).module.computations.len(), 3);
}

#[test]
fn an_unknown_opcode_is_reported_once_and_parsing_continues() {
    let text = body(
        "x = f32[2] parameter(0)\ny = frobnicate(7), level={3}\nz = f32[3] negate(x)\nROOT r = tuple(y, z)",
    );
    assert_eq!(rules_and_lines(&text), [("hlo-opcode", 4), ("result-differs", 5)]);
}

#[test]
fn warnings_never_hide_an_error() {
    let many =
        (0..400).map(|i| format!("a{i} = f32[] parameter({i}), newer={{1}}")).collect::<Vec<_>>().join("\n");
    let parsed = parse(&body(&format!("{many}\nROOT r = negat(a0)")));
    assert!(parsed.error().is_some_and(|d| d.rule == "hlo-opcode"));
    assert!(parsed.diagnostics.iter().filter(|d| d.severity == Severity::Warning).count() <= 200);
}

#[test]
fn elided_constants_are_read_but_cannot_be_evaluated() {
    let text = body(
        "c = f32[99999999999] constant({...})\nt = (f32[2], s32[]) constant({...})\nx = f32[] constant(2)\nROOT r = negate(x)",
    );
    let parsed = parse(&text);
    assert!(parsed.error().is_none());
    assert_eq!(rules_and_lines(&text), [("literal-elided", 3), ("literal-elided", 4)]);
    assert_eq!(Evaluator::new(&parsed.module).run(&[]).unwrap().to_string(), "-2");
    assert!(parsed.module.to_string().contains("c = f32[99999999999]{0} constant({...})"));
    for instructions in [
        "c = f32[3] constant({...})\nROOT r = negate(c)",
        "t = (f32[2], s32[]) constant({...})\nROOT r = get-tuple-element(t), index=1",
        "x = f32[4] constant({1, 2, 3, 4})\nz = f32[] constant(0)\nROOT r = reduce(x, z), dimensions={0}, to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) k = f32[] constant({...}) s = add(a, b) ROOT m = multiply(s, k) }",
    ] {
        let module = parse(&body(instructions)).into_module().unwrap();
        assert_eq!(
            Evaluator::new(&module).run(&[]).unwrap_err().error.rule,
            "constant-elided",
            "{instructions}"
        );
    }
}

#[test]
fn reserved_words_as_names_round_trip() {
    let text = "HloModule %ENTRY\n%ROOT { %f32 = f32[] parameter(0) }\nENTRY %true { %nan = f32[] parameter(0) ROOT %pred = f32[] call(%nan), to_apply=%ROOT }";
    let parsed = parse(text);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    for options in [PrintOptions::SHORT, PrintOptions::LONG] {
        let printed = parsed.module.text(options);
        assert_eq!(rules_and_lines(&printed), [], "{printed}");
        assert_eq!(parse(&printed).module.text(options), printed);
    }
}

#[test]
fn shapes_that_cannot_be_inferred_must_be_written() {
    let before = "x = f32[2] parameter(0)\ns = s32[] constant(0)\n";
    for instruction in [
        "parameter(1)",
        "constant(1)",
        "iota(), iota_dimension=0",
        "reshape(x)",
        "convert(x)",
        "bitcast(x)",
        "bitcast-convert(x)",
        "broadcast(x), dimensions={0}",
        "slice(x), slice={[0:1]}",
        "dynamic-slice(x, s), dynamic_slice_sizes={1}",
        "dynamic-update-slice(x, x, s)",
        "rng(s, s), distribution=rng_uniform",
        "all-reduce(x), replica_groups={}, to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        "reduce-precision(x), exponent_bits=5, mantissa_bits=10",
        "custom-call(x), custom_call_target=\"f\"",
        "fusion(x), kind=kLoop, calls={ ROOT y = f32[2] parameter(0) }",
    ] {
        let found = rules_and_lines(&body(&format!("{before}ROOT r = {instruction}")));
        assert_eq!(found, [("result-missing", 5)], "{instruction}");
    }
}

#[test]
fn hostile_texts_are_parsed_in_time() {
    let started = std::time::Instant::now();
    for text in [
        "x {\n".repeat(20_000),
        body(&"x = f(a, b={\n".repeat(20_000)),
        body(&"x = f32[] add(y, z)\n".repeat(10_000)),
        "\\\"\n".repeat(50_000),
        "{".repeat(200_000),
        "ENTRY e {".repeat(20_000),
        format!("HloModule m {}", "/* */ ".repeat(50_000)),
        body(&format!("x = f32[] add({}", "f32[".repeat(50_000))),
        body(&format!("c = f32[9999,9999] constant({{{}", "{1,".repeat(20_000))),
    ] {
        let parsed = parse(&text);
        assert!(parsed.error().is_some() && parsed.diagnostics.len() <= 400);
    }
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
