//! Costs compared with XLA's `HloCostAnalysis` (JAX 0.10.2, CPU), for one program per op and the sample programs.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

use serde_json::Value;
use xla_inspect::performance::cost::{Cost, Costs, Iterations};

/// Programs whose bytes differ by definition, with ours.
const BYTES: &[(&str, u64, &str)] = &[
    ("fusion_tuple_operand", 240, "XLA adds the tuple's table for each element that is not read"),
    ("custom_call", 96, "XLA subtracts 1 from each total"),
    ("sort_topk.compiled", 1280, "XLA subtracts 1 from each total for the custom call of the top k"),
];

fn programs() -> Vec<Value> {
    let text = include_str!("data/costs.jsonl");
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON object")).collect()
}

/// The text of a program, and whether it is one of the samples.
fn text_of(program: &Value) -> String {
    if let Some(text) = program["text"].as_str() {
        return text.to_owned();
    }
    let name = program["name"].as_str().expect("a name");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/hlo-samples");
    std::fs::read_to_string(format!("{folder}/{name}.hlo")).expect("a sample")
}

fn costs_of(text: &str, iterations: Iterations) -> Result<Cost, String> {
    let module = xla_hlo::parse(text)
        .into_module()
        .map_err(|error| error.message.localize(xla_messages::i18n::Language::ENGLISH))?;
    Ok(Costs::of(&module, iterations).total())
}

#[test]
fn costs_equal_those_of_xla() {
    let mut failures = Vec::new();
    let programs = programs();
    for program in &programs {
        let name = program["name"].as_str().expect("a name");
        let cost = match costs_of(&text_of(program), Iterations::One) {
            Ok(cost) => cost,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        let known = |key: &str| program[key].as_i64().expect("a count");
        let bytes = BYTES.iter().find(|(other, ..)| *other == name).map(|entry| entry.1);
        let ours = (cost.flops, cost.transcendentals, cost.bytes());
        // XLA subtracts 1 for a custom call.
        let flops = known("flops") + i64::try_from(cost.unknown).expect("a small count");
        let xla = (
            flops.unsigned_abs(),
            known("transcendentals").unsigned_abs(),
            bytes.unwrap_or(known("bytes").unsigned_abs()),
        );
        if ours != xla {
            failures.push(format!("{name}: {ours:?}, XLA {xla:?}"));
        }
    }
    assert!(failures.is_empty(), "of {}:\n{}", programs.len(), failures.join("\n"));
}

/// A loop of ten iterations over `f32[8]`, whose condition and increment are given.
fn counting(initial: &str, condition: &str, increment: &str, attributes: &str) -> String {
    format!(
        "HloModule loop

cond {{
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  {condition}
}}

body {{
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  {increment}
  v = f32[8] get-tuple-element(s), index=1
  w = f32[8] tanh(v)
  ROOT t = (s32[], f32[8]) tuple(j, w)
}}

ENTRY main {{
  {initial}
  x = f32[8] parameter(0)
  t = (s32[], f32[8]) tuple(z, x)
  ROOT r = (s32[], f32[8]) while(t), condition=cond, body=body{attributes}
}}
"
    )
}

#[test]
fn loops_with_known_bounds_are_multiplied() {
    let zero = "z = s32[] constant(0)";
    let up = "one = s32[] constant(1) j = s32[] add(i, one)";
    let below_ten = "n = s32[] constant(10) ROOT p = pred[] compare(i, n), direction=LT";
    let known = [
        counting(zero, below_ten, up, ""),
        counting(zero, "n = s32[] constant(10) ROOT p = pred[] compare(n, i), direction=GT", up, ""),
        counting(zero, "n = s32[] constant(10) ROOT p = pred[] compare(n, i), direction=NE", up, ""),
        counting(
            "y = s32[] constant(10) z = s32[] copy(y)",
            "n = s32[] constant(0) ROOT p = pred[] compare(i, n), direction=GT",
            "one = s32[] constant(1) j = s32[] subtract(i, one)",
            "",
        ),
        counting(
            "z = s32[] parameter(1)",
            below_ten,
            up,
            ", backend_config={\"known_trip_count\":{\"n\":\"10\"}}",
        ),
    ];
    for text in known {
        let once = costs_of(&text, Iterations::One).expect("a program");
        let all = costs_of(&text, Iterations::Known).expect("a program");
        assert_eq!(once.transcendentals, 8, "{text}");
        // Ten iterations of tanh, an addition each, and eleven comparisons.
        assert_eq!((all.transcendentals, all.flops, all.unknown_loops), (80, 21, 0), "{text}");
    }
    let unknown = [
        counting("z = s32[] parameter(1)", below_ten, up, ""),
        counting(zero, below_ten, "j = s32[] add(i, i)", ""),
        counting(
            zero,
            "n = s32[] constant(10) ROOT p = pred[] compare(i, n), direction=GT",
            "one = s32[] constant(1) m = s32[] multiply(i, one) j = s32[] add(m, m)",
            "",
        ),
    ];
    for text in unknown {
        let all = costs_of(&text, Iterations::Known).expect("a program");
        assert_eq!((all.transcendentals, all.flops >= 2, all.unknown_loops), (8, true, 1), "{text}");
    }
}

#[test]
fn loops_of_compiled_programs_have_trip_counts() {
    // The scan of seven steps, whose counter is incremented in a fusion.
    let text = text_of(&serde_json::json!({ "name": "rnn_scan.compiled" }));
    let (once, all) = (costs_of(&text, Iterations::One), costs_of(&text, Iterations::Known));
    let (once, all) = (once.expect("a program"), all.expect("a program"));
    assert_eq!(all.unknown_loops, 0);
    assert_eq!(all.transcendentals, 7 * once.transcendentals);
}

#[test]
fn tiles_count_their_padding() {
    let text = "HloModule m
        ENTRY e { x = f32[3,5]{1,0:T(8,128)} parameter(0) ROOT y = f32[3,5]{1,0:T(8,128)} negate(x) }";
    let cost = costs_of(text, Iterations::One).expect("a program");
    assert_eq!((cost.flops, cost.bytes_read, cost.bytes_written), (15, 4096, 4096));
    assert!((cost.intensity().expect("bytes") - 15.0 / 8192.0).abs() < 1e-12);
}
