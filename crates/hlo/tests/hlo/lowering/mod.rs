//! Builder forms in HLO text: in XLA 2017, each is lowered like by the builder; in current XLA, it is an error whose fix
//! has the same edits.

use xla_array::Edition::{Current, V2017};
use xla_array::{Edition, Literal};
use xla_hlo::builder::{Op, Padding};
use xla_hlo::parser::parse_edition;
use xla_hlo::{ComputationBuilder, Evaluator, Module, lower};
use xla_messages::diagnostic::Severity;
use xla_ops::OpError;

mod dimensions;
mod nested;
mod rejected;

type Built = Result<Op, OpError>;

/// A module of computations, entry parameters with these shapes named `a`, `b`, …, and instructions.
fn program(computations: &str, parameters: &[&str], instructions: &str) -> String {
    let names = ["a", "b", "c"];
    let parameters = parameters.iter().zip(names).enumerate();
    let lines: Vec<String> =
        parameters.map(|(i, (shape, name))| format!("  {name} = {shape} parameter({i})\n")).collect();
    let parameters = lines.concat();
    format!("HloModule m\n\n{computations}\n\nENTRY e {{\n{parameters}  ROOT r = {instructions}\n}}\n")
}

const ADD: &str = "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}";
const GE: &str = "ge {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = pred[] compare(x, y), direction=GE\n}";

/// The operation, attributes and shape of every instruction, with operands by position: equal for modules that differ only in
/// names.
fn structure(module: &Module) -> Vec<String> {
    let mut out = Vec::new();
    for (i, computation) in module.computations.iter().enumerate() {
        for instruction in &computation.instructions {
            let operands: Vec<usize> = instruction.operands.iter().map(|id| id.index()).collect();
            let mut attrs: Vec<String> = instruction
                .attrs
                .iter()
                .filter(|(name, _)| !["to_apply", "condition", "body", "select", "scatter"].contains(name))
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            attrs.sort();
            let shape = instruction.shape.human_string();
            out.push(format!("{i}: {shape} {}{operands:?} {attrs:?}", instruction.opcode));
        }
    }
    out
}

fn module_of(text: &str, edition: Edition) -> Module {
    let parsed = parse_edition(text, edition);
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    parsed.module
}

/// Checks that a form is lowered like by the builder: in XLA 2017 by the parser, in current XLA by its fixes. Returns the lowered
/// text.
fn assert_lowered(rule: &str, text: &str, body: impl FnOnce(&ComputationBuilder, &[Op]) -> Built) -> String {
    let lowered = lower(text, V2017);
    assert!(lowered.notes.iter().any(|note| note.rule == rule), "{:?}\n{text}", lowered.notes);
    assert!(lowered.notes.iter().all(|note| note.severity == Severity::Note));
    let parsed = parse_edition(&lowered.text, V2017);
    assert!(parsed.diagnostics.is_empty(), "{:?}\n{}", parsed.diagnostics, lowered.text);

    let b = ComputationBuilder::with_edition("e", V2017);
    let entry = parsed.module.entry_computation().unwrap();
    let parameters = entry.parameters.iter().map(|id| entry.get(*id).unwrap());
    let operands: Vec<Op> =
        (0..).zip(parameters).map(|(i, p)| b.parameter(i, &p.shape, &p.name).unwrap()).collect();
    body(&b, &operands).unwrap();
    let built = b.build().unwrap();
    let of_entry = |module: &Module| {
        let only =
            Module { computations: vec![module.entry_computation().unwrap().clone()], ..Module::default() };
        structure(&only)
    };
    assert_eq!(of_entry(&parsed.module), of_entry(&built), "{}", lowered.text);

    // Parsing the original text gives the same module, with spans of that text.
    let direct = module_of(text, V2017);
    assert_eq!(structure(&direct), structure(&parsed.module));
    let root = direct.entry_computation().unwrap().root_instruction().unwrap();
    assert!(text[root.spans.whole.range()].starts_with("ROOT r = "), "{text}");
    assert!(text[root.spans.opcode.range()].starts_with(|c: char| c.is_ascii_lowercase()));

    // In current XLA, it is an error whose fixes give the same module.
    let mut fixed = text.to_owned();
    for _ in 0..8 {
        let parsed = parse_edition(&fixed, Current);
        let Some(error) = parsed.error() else { break };
        fixed = error.hints.first().and_then(|hint| hint.apply(&fixed)).unwrap_or_else(|| {
            panic!("{error:?} has no fix\n{fixed}");
        });
    }
    assert!(parse_edition(text, Current).error().is_some(), "{text}");
    assert_eq!(structure(&module_of(&fixed, Current)), structure(&parsed.module), "{fixed}");
    lowered.text
}

fn run(text: &str, edition: Edition, arguments: &[&str]) -> String {
    let arguments: Vec<Literal> = arguments.iter().map(|text| text.parse().unwrap()).collect();
    let module = module_of(text, edition);
    Evaluator::new(&module).edition(edition).run(&arguments).unwrap().to_string()
}

const V: &str = "f32[4,2,3] {{{10,11,12},{15,16,17}},{{20,21,22},{25,26,27}},
                             {{30,31,32},{35,36,37}},{{40,41,42},{45,46,47}}}";

#[test]
fn element_wise_binary_arithmetic_one_operand_a_scalar() {
    let text = program("", &["f32[2]", "f32[]"], "f32[2] add(a, b)");
    let lowered = assert_lowered("builder-broadcasting", &text, |b, x| b.add(x[0], x[1], &[]));
    assert!(
        lowered.contains(
            "  broadcast.1 = f32[2] broadcast(b), dimensions={}\n  ROOT r = f32[2] add(a, broadcast.1)\n"
        ),
        "{lowered}"
    );
    assert_eq!(run(&text, V2017, &["f32[2] {1, 2}", "f32[] 0.5"]), "{1.5, 2.5}");
    let text = program("", &["s32[]", "s32[2,2]"], "maximum(a, b)");
    assert_lowered("builder-broadcasting", &text, |b, x| b.max(x[0], x[1], &[]));
}

#[test]
fn element_wise_binary_arithmetic_shapes_similar_or_compatible() {
    let text = program("", &["f32[2,1]", "f32[1,2]"], "f32[2,2] multiply(a, b), metadata={op_name=\"m\"}");
    let lowered = assert_lowered("builder-broadcasting", &text, |b, x| b.mul(x[0], x[1], &[]));
    assert!(lowered.contains(", metadata={op_name=\"m\"}"), "{lowered}");
    assert_eq!(
        run(&text, V2017, &["f32[2,1] {{2}, {3}}", "f32[1,2] {{5, 7}}"]),
        "{ { 10, 14 }, { 15, 21 } }"
    );
    // Incompatible shapes are reported by the op, in both editions.
    for edition in [Current, V2017] {
        let parsed = parse_edition(&program("", &["f32[2]", "f32[3]"], "add(a, b)"), edition);
        assert_eq!(parsed.error().unwrap().rule, "elementwise-same-sizes");
    }
}

#[test]
fn element_wise_binary_arithmetic_broadcast_dimensions() {
    let text = program("", &["f32[2,3]", "f32[3]"], "add(a, b), broadcast_dimensions={1}");
    assert_lowered("builder-broadcasting", &text, |b, x| b.add(x[0], x[1], &[1]));
    assert_eq!(
        run(&text, V2017, &["f32[2,3] {{1,2,3},{4,5,6}}", "f32[3] {10,20,30}"]),
        "{ { 11, 22, 33 }, { 14, 25, 36 } }"
    );
    let text = program("", &["f32[3]", "f32[2,3]"], "subtract(a, b), broadcast_dimensions={x}");
    assert_lowered("builder-broadcasting", &text, |b, x| b.sub(x[0], x[1], &[1]));
    let wrong = program("", &["f32[2,3]", "f32[3]"], "add(a, b), broadcast_dimensions={0}");
    for edition in [Current, V2017] {
        assert_eq!(parse_edition(&wrong, edition).error().unwrap().rule, "broadcasting-7");
    }
}

#[test]
fn element_wise_operands_of_different_ranks_have_a_fix() {
    let text = program("", &["f32[3]", "f32[2,3]"], "f32[2,3] add(a, b)");
    let fixed = |edition: Edition| {
        let parsed = parse_edition(&text, edition);
        let error = parsed.error().unwrap();
        (error.rule, error.hints.first().and_then(|hint| hint.apply(&text)).unwrap())
    };
    // HLO says which dimension repeats, so that the fix has to guess: as `broadcast_dimensions={1}`.
    let (rule, inserted) = fixed(Current);
    assert_eq!(rule, "elementwise-same-sizes");
    assert!(inserted.contains("broadcast.1 = f32[2,3] broadcast(a), dimensions={1}"), "{inserted}");
    let arguments = ["f32[3] {10,20,30}", "f32[2,3] {{1,2,3},{4,5,6}}"];
    assert_eq!(run(&inserted, Current, &arguments), "{ { 11, 22, 33 }, { 14, 25, 36 } }");
    // In XLA 2017 the text may say it.
    let (rule, said) = fixed(V2017);
    assert_eq!(rule, "broadcasting-3");
    assert!(said.contains("add(a, b), broadcast_dimensions={1}"), "{said}");
    // Nothing to guess.
    let parsed = parse_edition(&program("", &["f32[4]", "f32[2,3]"], "add(a, b)"), Current);
    assert_eq!(parsed.error().unwrap().rule, "elementwise-same-sizes");
    let repaired = parsed
        .error()
        .unwrap()
        .hints
        .iter()
        .any(|hint| hint.edits.iter().any(|e| e.text.contains("broadcast")));
    assert!(!repaired);
}

#[test]
fn element_wise_comparison_broadcast_dimensions() {
    let text = program(
        "",
        &["f32[2,3]", "f32[2]"],
        "pred[2,3] compare(a, b), direction=GE, broadcast_dimensions={0}",
    );
    assert_lowered("builder-broadcasting", &text, |b, x| b.ge(x[0], x[1], &[0]));
}

#[test]
fn broadcast_broadcast_sizes() {
    let text = program("", &["f32[3]"], "broadcast(a), broadcast_sizes={2}");
    let lowered = assert_lowered("builder-broadcast-sizes", &text, |b, x| b.broadcast(x[0], &[2]));
    assert!(lowered.contains("ROOT r = f32[2,3] broadcast(a), dimensions={1}"), "{lowered}");
    assert_eq!(run(&text, V2017, &["f32[3] {1,2,3}"]), "{ { 1, 2, 3 }, { 1, 2, 3 } }");
}

#[test]
fn collapse_in_text() {
    let text = program("", &["f32[4,2,3]"], "collapse(a), dimensions={0,1}");
    let lowered = assert_lowered("builder-collapse", &text, |b, x| b.collapse(x[0], &[0, 1]));
    assert!(lowered.contains("ROOT r = f32[8,3] reshape(a)"), "{lowered}");
    for (dimensions, rule) in [("{0,2}", "collapse-2"), ("{3}", "collapse-1")] {
        let text = program("", &["f32[4,2,3]"], &format!("collapse(a), dimensions={dimensions}"));
        for edition in [Current, V2017] {
            assert_eq!(parse_edition(&text, edition).error().unwrap().rule, rule);
        }
    }
    let text = program("", &["f32[4,2,3]"], "collapse(a)");
    assert_eq!(parse_edition(&text, V2017).error().unwrap().rule, "attribute-missing");
}

#[test]
fn reshape_dimensions_transpose_first() {
    let text = program("", &["f32[4,2,3]"], "f32[24] reshape(a), dimensions={1,2,0}");
    let lowered = assert_lowered("builder-reshape-order", &text, |b, x| {
        b.reshape_with_dimensions(x[0], &[1, 2, 0], &[24])
    });
    assert!(lowered.contains("transpose.1 = f32[2,3,4] transpose(a), dimensions={1,2,0}\n"), "{lowered}");
    let result = run(&text, V2017, &[V]);
    assert!(result.starts_with("{10, 20, 30, 40, 11, 21"), "{result}");
    // In order, nothing is transposed.
    let text = program("", &["f32[4,2,3]"], "f32[8,3] reshape(a), dimensions={0,1,2}");
    assert_lowered("builder-reshape-order", &text, |b, x| b.reshape(x[0], &[8, 3]));
    let wrong = program("", &["f32[4,2,3]"], "f32[24] reshape(a), dimensions={1,1,0}");
    assert_eq!(parse_edition(&wrong, V2017).error().unwrap().rule, "transpose-1");
}

#[test]
fn conv_padding_same_and_valid() {
    let parameters = ["f32[1,1,4,4]", "f32[1,1,2,3]"];
    for (words, padding) in
        [("padding=SAME", Padding::Same), ("padding=kValid", Padding::Valid), ("padding=same", Padding::Same)]
    {
        let text =
            program("", &parameters, &format!("convolution(a, b), dim_labels=bf01_oi01->bf01, {words}"));
        assert_lowered("builder-padding", &text, |b, x| b.conv(x[0], x[1], &[1, 1], padding));
    }
    let text = program(
        "",
        &parameters,
        "convolution(a, b), window={size=2x3 stride=3x3 pad=same}, dim_labels=bf01_oi01->bf01",
    );
    let lowered = assert_lowered("builder-padding", &text, |b, x| b.conv(x[0], x[1], &[3, 3], Padding::Same));
    assert!(lowered.contains("window={size=2x3 stride=3x3 pad=0_1x1_1}"), "{lowered}");
}

#[test]
fn reduce_window_padding_ksame_and_kvalid() {
    let add = |b: &ComputationBuilder| {
        let add = ComputationBuilder::with_edition("add", b.edition());
        let scalar = "f32[]".parse().unwrap();
        let (x, y) = (add.parameter(0, &scalar, "x").unwrap(), add.parameter(1, &scalar, "y").unwrap());
        add.add(x, y, &[]).unwrap();
        add.build().unwrap()
    };
    for (words, padding) in [
        ("window={size=3 stride=2 pad=kSame}", Padding::Same),
        ("window={size=3 stride=2 pad=VALID}", Padding::Valid),
        ("window={size=3 stride=2}, padding=kSame", Padding::Same),
        ("padding=kSame, window={size=3 stride=2}", Padding::Same),
    ] {
        let text = program(ADD, &["f32[6]", "f32[]"], &format!("reduce-window(a, b), {words}, to_apply=add"));
        assert_lowered("builder-padding", &text, |b, x| {
            b.reduce_window(x[0], x[1], &add(b), &[3], &[2], padding)
        });
    }
    let text = program(
        ADD,
        &["f32[6]", "f32[]"],
        "reduce-window(a, b), window={size=3 rhs_dilate=2 pad=same}, to_apply=add",
    );
    assert_eq!(parse_edition(&text, Current).error().unwrap().rule, "hlo-attribute-value");
}

#[test]
fn select_and_scatter_padding_ksame_and_kvalid() {
    let text = program(
        &format!("{GE}\n\n{ADD}"),
        &["f32[4]", "f32[4]", "f32[]"],
        "f32[4] select-and-scatter(a, b, c), window={size=2 pad=kSame}, select=ge, scatter=add",
    );
    let lowered = lower(&text, V2017);
    assert!(lowered.text.contains("window={size=2 pad=0_1}"), "{}", lowered.text);
    assert_eq!(lowered.notes[0].rule, "builder-padding");
    let result = run(&text, V2017, &["f32[4] {1,7,5,5}", "f32[4] {10,20,30,40}", "f32[] 0"]);
    assert_eq!(result, "{0, 30, 30, 40}");
}

#[test]
fn rng_bernoulli_as_an_op_in_text() {
    let text = program("", &["f32[]"], "u32[4] rng(a), distribution=rng_bernoulli");
    let shape = "u32[4]".parse().unwrap();
    assert_lowered("builder-bernoulli", &text, |b, x| b.rng_bernoulli(x[0], &shape));
    assert_eq!(run(&text, V2017, &["f32[] 1"]), "{1, 1, 1, 1}");
    let wrong = program("", &["f32[]"], "f32[4] rng(a), distribution=rng_bernoulli");
    assert_eq!(parse_edition(&wrong, V2017).error().unwrap().rule, "rng-bernoulli-2");
}
