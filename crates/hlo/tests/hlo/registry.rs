//! Properties of every op: translated documentation, examples that run, rules with counterexamples, and complete
//! provenance.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "tests may panic")]

use std::collections::BTreeSet;

use xla_array::literal::Equality;
use xla_array::{Edition, Literal, Value};
use xla_hlo::{Evaluator, InstructionId, Module, Parsed, parse};
use xla_messages::i18n::{Language, Message};
use xla_ops::{CellAt, Formula, OpDef, OpMeta};

fn entry(instructions: &str) -> Parsed {
    parse(&format!("HloModule m\nENTRY e {{\n{instructions}\n}}"))
}

fn module(meta: &OpMeta, instructions: &str) -> Module {
    entry(instructions).into_module().unwrap_or_else(|d| panic!("{}: {d} in {instructions}", meta.opcode))
}

#[test]
fn opcodes_are_unique_and_metadata_is_translated() {
    let mut opcodes = BTreeSet::new();
    for op in xla_ops::all() {
        let meta = op.meta();
        assert!(opcodes.insert(meta.opcode), "duplicate opcode {}", meta.opcode);
        assert!(!meta.title.is_empty() && meta.formula != Formula::Symbols(""), "{}", meta.opcode);
        let attrs = meta.attrs.iter().chain(&meta.inline_attr).map(|spec| spec.description);
        let change = meta.history.change.into_iter().flat_map(|change| [change.v2017, change.current]);
        let history = change.chain(meta.history.replacement_hint);
        let rules = meta.rules.iter().map(|rule| rule.description);
        for key in attrs.chain(rules).chain([meta.summary]).chain(history) {
            for language in Language::all() {
                assert_ne!(Message::ops(key).localize(language), key, "{}: {key}", meta.opcode);
            }
        }
    }
}

#[test]
fn formulas_with_words_are_in_the_catalogues() {
    let mut with_words = 0;
    for meta in xla_ops::all().map(OpDef::meta) {
        for formula in [Edition::Current, Edition::V2017].map(|edition| meta.formula_in(edition)) {
            match formula {
                Formula::Symbols(text) => {
                    let words = [
                        " where ", " for ", " or ", " of ", " with ", " all ", " is ", "inside", "outside",
                        " next ",
                    ];
                    assert!(!words.iter().any(|word| text.contains(word)), "{}: {text}", meta.opcode);
                }
                Formula::Words(key) => {
                    for language in Language::all() {
                        assert_ne!(Message::ops(key).localize(language), key, "{}", meta.opcode);
                    }
                    with_words += 1;
                }
            }
        }
    }
    assert!(with_words > 40, "{with_words}");
}

fn is_close(got: &Literal, want: &Literal) -> bool {
    match (got, want) {
        (Literal::Tuple(a), Literal::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_close(a, b))
        }
        (Literal::Array(a), Literal::Array(b)) => {
            let same = |a: Value, b: Value| match (a, b) {
                (Value::Float(x), Value::Float(y)) => a.same(b) || (x - y).abs() <= 1e-6 * y.abs(),
                _ => a.same(b),
            };
            a.shape() == b.shape() && a.values().zip(b.values()).all(|(a, b)| same(a, b))
        }
        _ => got == want,
    }
}

#[test]
fn every_example_of_an_op_has_the_stated_result() {
    for op in xla_ops::all() {
        let meta = op.meta();
        assert!(!meta.examples.is_empty() || meta.opcode == "parameter", "{} has no example", meta.opcode);
        for example in meta.examples {
            let module = module(meta, example.hlo);
            let got = Evaluator::new(&module).run(&[]).unwrap_or_else(|e| panic!("{}: {e}", meta.opcode));
            let want: Literal = example.result.parse().unwrap_or_else(|d| panic!("{}: {d}", meta.opcode));
            assert!(is_close(&got, &want), "{}: {got} instead of {}", meta.opcode, example.result);
            let printed = module.to_string();
            assert_eq!(parse(&printed).module.to_string(), printed, "{}", meta.opcode);
        }
    }
}

#[test]
fn every_rule_is_reported_by_its_counterexamples_only() {
    for op in xla_ops::all() {
        let meta = op.meta();
        for rule in meta.rules {
            let parsed = entry(rule.violated_by);
            let reported: Vec<_> = parsed.diagnostics.iter().map(|d| d.rule).collect();
            if rule.identifier == "elementwise-type"
                && rule.violated_by.contains('(')
                && reported == ["operand-array"]
            {
                // An op on arrays of any element type can only be violated by a tuple.
                continue;
            }
            assert_eq!(
                reported,
                [rule.identifier],
                "{}: {:?} in {}",
                meta.opcode,
                parsed.diagnostics,
                rule.violated_by
            );
        }
    }
}

/// Every opcode in a golden case or a sample program of XLA.
fn golden_opcodes() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let opcodes =
        |module: Module| module.computations.into_iter().flat_map(|c| c.instructions).map(|i| i.opcode);
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/hlo-samples");
    for file in std::fs::read_dir(samples).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|e| e == "hlo") {
            found.extend(opcodes(parse(&std::fs::read_to_string(file).unwrap()).module));
        }
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/goldens");
    for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|e| e != "jsonl") {
            continue;
        }
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            found.extend(opcodes(parse(case["hlo"].as_str().unwrap()).module));
        }
    }
    found
}

/// Ops without golden cases, because XLA's CPU backend does not run them, or not on one device: `host.rs`, `replicas.rs` and
/// `documents/` compare them with oracles.
const NOT_ON_ONE_CPU: &[&str] = &[
    "async-done",
    "async-start",
    "async-update",
    "collective-broadcast",
    "copy-done",
    "copy-start",
    "dynamic-reshape",
    "infeed",
    "outfeed",
    "ragged-all-to-all",
    "recv",
    "recv-done",
    "send",
    "send-done",
];

#[test]
fn every_op_has_golden_cases_of_xla() {
    let golden = golden_opcodes();
    let missing: Vec<&str> = xla_ops::all()
        .map(|op| op.meta().opcode)
        .filter(|opcode| !golden.contains(*opcode) && !NOT_ON_ONE_CPU.contains(opcode))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn results_have_the_layout_of_the_interface_and_arguments_may_have_any() {
    let text = "HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[3,2]{0,1}}
        ENTRY e { x = f32[2,3] parameter(0) n = negate(x) ROOT t = f32[3,2] transpose(n), dimensions={1,0} }";
    let module = parse(text).into_module().unwrap();
    let want: Literal = "f32[3,2]{0,1} { {-1, -4}, {-2, -5}, {-3, -6} }".parse().unwrap();
    for layout in ["{1,0}", "{0,1}", "{0,1:T(2,2)}"] {
        let argument: Literal = format!("f32[2,3]{layout} {{ {{1, 2, 3}}, {{4, 5, 6}} }}").parse().unwrap();
        let got = Evaluator::new(&module).run(&[argument]).unwrap();
        assert_eq!(got, want);
        assert!(got.equals(&want, Equality::Bits));
    }
}

#[test]
fn provenance_crosses_calls() {
    let text = "HloModule m
        f { a = f32[2,2] parameter(0) b = f32[2,2] parameter(1)
            ROOT d = dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
        ENTRY e { x = f32[2,2] parameter(0) y = f32[2,2] parameter(1) t = tuple(y, x)
            g = get-tuple-element(t), index=1
            ROOT c = f32[2,2] call(g, y), to_apply=f }";
    let module = parse(text).into_module().unwrap();
    let square = |text: &str| format!("f32[2,2] {text}").parse::<Literal>().unwrap();
    let arguments = [square("{ {1, 2}, {3, 4} }"), square("{ {5, 6}, {7, 8} }")];
    let mut evaluator = Evaluator::new(&module);
    let outcome = evaluator.run_with_values(&arguments).unwrap();
    let mut tracer = evaluator.tracer(&outcome);
    let cell = CellAt::array(&[0, 1]);
    let found = tracer.origins(InstructionId(4), &cell).unwrap();
    let cells: Vec<(usize, Vec<i64>)> = found.iter().map(|s| (s.operand, s.cell.index.to_vec())).collect();
    assert_eq!(cells, [(0, vec![0, 0]), (0, vec![0, 1]), (1, vec![0, 1]), (1, vec![1, 1])]);
    assert!(tracer.sources(InstructionId(4), &CellAt::array(&[2, 0])).is_err());
}
