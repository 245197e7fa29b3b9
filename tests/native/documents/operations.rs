//! "Operation Semantics" as a whole: what 2017 had, and what came later (rows 242 to 244).

use std::collections::BTreeMap;

use super::{Current, V2017, both, fixed, gives, is, rejected};
use xla_playground::array::{Literal, Shape};
use xla_playground::documents;
use xla_playground::hlo::{ComputationBuilder, Evaluator, parse};
use xla_playground::i18n::{Language, Message};
use xla_playground::ops::{self, ExampleOutcome, OpDef};

/// What its `ComputationBuilder` had without a heading: inputs and constants, `Clamp`, `Pow` and `Cos`.
const WITHOUT_HEADING: &[&str] = &["clamp", "constant", "cosine", "parameter", "power"];

#[test]
fn the_ops_of_2017_are_those_of_the_headings() {
    let mut described: Vec<&str> = documents::entries().map(|entry| entry.opcode).collect();
    described.extend(WITHOUT_HEADING);
    described.sort_unstable();
    described.dedup();
    let first = ops::all().map(OpDef::meta).filter(|meta| meta.history.since == V2017);
    let mut found: Vec<&str> = first.map(|meta| meta.opcode).collect();
    found.sort_unstable();
    assert_eq!(found, described);
}

#[test]
fn every_op_that_came_later_is_rejected_with_what_to_use_instead() {
    let mut with_advice = 0;
    for meta in ops::all().map(OpDef::meta).filter(|meta| meta.history.since == Current) {
        for example in meta.examples {
            let errors = xla_playground::hlo::parser::parse_edition(&super::module(example.hlo), V2017);
            let later = errors.diagnostics.iter().find(|d| {
                d.rule == "edition-op"
                    && d.message.localize(Language::ENGLISH).starts_with(&format!("{} is", meta.opcode))
            });
            // What follows another error is not reported.
            assert!(!errors.diagnostics.is_empty(), "{}", meta.opcode);
            let Some(later) = later else { continue };
            let said = later.message.localize(Language::ENGLISH);
            assert!(said.ends_with("is not available in XLA 2017"), "{said}");
            if let Some(key) = meta.history.replacement_hint {
                assert!(later.hints.iter().any(|hint| hint.message == Message::ops(key)), "{}", meta.opcode);
                with_advice += 1;
            }
        }
    }
    assert!(with_advice > 25, "{with_advice}");
}

#[test]
fn later_ops_are_rewritten_where_text_can_be() {
    let x = "x = f32[2] constant({4, 16}) ROOT r = ";
    for (instruction, result) in [
        ("sqrt(x)", "f32[2] {2, 4}"),
        ("f32[2] rsqrt(x)", "f32[2] {0.5, 0.25}"),
        ("log-plus-one(x)", "f32[2] {1.60943794, 2.83321333}"),
        ("logistic(x)", "f32[2] {0.982013762, 0.999999881}"),
        ("round-nearest-afz(x)", "f32[2] {4, 16}"),
        ("copy(x)", "f32[2] {4, 16}"),
        ("f32[2,3] iota(), iota_dimension=1", "f32[2,3] { { 0, 1, 2 }, { 0, 1, 2 } }"),
        ("f32[2,3] iota(), iota_dimension=0", "f32[2,3] { { 0, 0, 0 }, { 1, 1, 1 } }"),
        ("xor(p, q)", "pred[2] {1, 0}"),
    ] {
        let more = "p = pred[2] constant({1, 0}) q = pred[2] constant({0, 0}) ";
        assert_eq!(fixed(&format!("{more}{x}{instruction}")), is(result), "{instruction}");
    }
}

#[test]
fn types_and_layouts_that_came_later_are_rejected_with_those_there_were() {
    for (shape, rule, fix) in [
        ("bf16[2]", "edition-type", Some("f32[2]{0}")),
        ("f8e5m2[2]", "edition-type", Some("f32[2]{0}")),
        ("s4[2]", "edition-type", Some("s8[2]{0}")),
        ("c64[2]", "edition-type", None),
        ("f32[<=2]", "edition-shape", Some("f32[2]{0}")),
        ("f32[2]{0:T(2)}", "edition-shape", Some("f32[2]{0}")),
        ("f32[2]{0:S(1)}", "edition-shape", Some("f32[2]{0}")),
        ("token[]", "edition-shape", None),
    ] {
        let text = format!("x = {shape} parameter(0) ROOT r = tuple(x)");
        let error = rejected(&text);
        assert_eq!(error.rule, rule, "{shape}");
        assert!(error.message.localize(Language::ENGLISH).contains("not available in XLA 2017"));
        let written = error.hints.iter().find_map(|hint| hint.edits.first()).map(|edit| edit.text.as_str());
        assert_eq!(written, fix, "{shape}");
        // Said once, where it begins.
        let all = xla_playground::hlo::parser::parse_edition(&super::module(&text), V2017).diagnostics;
        assert_eq!(all.len(), 1, "{all:?}");
    }
}

#[test]
fn attributes_and_operands_that_came_later_are_rejected() {
    let add = "to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }";
    let x = "x = f32[2] constant({1, 2}) z = f32[] constant(0)";
    let total = format!("{x} ROOT r = compare(x, x), direction=GE, type=TOTALORDER");
    assert_eq!(rejected(&total).rule, "edition-attribute");
    assert_eq!(fixed(&total), is("pred[2] {1, 1}"));
    let groups = format!("{x} ROOT r = f32[2] all-reduce(x), replica_groups={{{{0}}}}, {add}");
    assert_eq!(rejected(&groups).rule, "edition-attribute");
    assert_eq!(fixed(&groups), is("f32[2] {1, 2}"));
    let pairs = format!(
        "{x} ROOT r = reduce(x, x, z, z), dimensions={{0}}, to_apply={{ a = f32[] parameter(0) b = f32[] parameter(1)
         c = f32[] parameter(2) d = f32[] parameter(3) e = add(a, c) f = add(b, d) ROOT t = tuple(e, f) }}"
    );
    assert_eq!(rejected(&pairs).rule, "edition-operands");
    assert_eq!(gives(Current, &pairs), is("(f32[], f32[]) ( 3, 3 )"));
}

#[test]
fn a_module_of_current_xla_does_not_run_in_2017() {
    let module = parse(&super::module("ROOT r = s32[2] iota(), iota_dimension=0")).into_module().unwrap();
    assert_eq!(Evaluator::new(&module).edition(V2017).run(&[]).unwrap_err().error.rule, "edition-op");
    let b = ComputationBuilder::with_edition("e", V2017);
    let bf16: Shape = "bf16[2]".parse().unwrap();
    assert_eq!(b.parameter(0, &bf16, "x").unwrap_err().rule, "edition-type");
}

#[test]
fn every_difference_has_an_example_that_shows_it() {
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    for meta in ops::all().map(OpDef::meta) {
        let Some(change) = meta.history.change else { continue };
        let example = &change.example;
        let [now, then] = both(example.hlo);
        assert_ne!(now, then, "{}", meta.opcode);
        for (found, expected) in [(now, example.current), (then, example.v2017)] {
            let expected = match expected {
                ExampleOutcome::Error(rule) => Err(rule),
                ExampleOutcome::Value(text) => {
                    let literal: Literal = text.parse().unwrap();
                    let words = literal.to_string();
                    let shape = literal.shape().human_string();
                    Ok(format!("{shape} {}", words.split_whitespace().collect::<Vec<_>>().join(" ")))
                }
            };
            assert_eq!(found, expected, "{}", meta.opcode);
        }
        *outcomes.entry(example.title).or_default() += 1;
    }
    assert!(outcomes.len() > 12, "{outcomes:?}");
}

#[test]
fn the_terminal_rejects_what_came_later() {
    let (code, _, said) = crate::cli_hlo::run(
        &["check", "-", "--edition", "2017"],
        &super::module("ROOT r = s32[2] iota(), iota_dimension=0"),
    );
    assert_eq!(code, 2, "{said}");
    let (code, ..) =
        crate::cli_hlo::run(&["check", "-"], &super::module("ROOT r = s32[2] iota(), iota_dimension=0"));
    assert_eq!(code, 0);
}
