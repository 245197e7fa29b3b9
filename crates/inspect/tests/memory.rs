//! Live memory compared with the allocations of XLA (JAX 0.10.2, CPU) for compiled programs.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic, reason = "tests may panic")]

use serde_json::Value;
use xla_hlo::Module;
use xla_inspect::performance::memory::{Memory, memory};
use xla_inspect::performance::roles::ComputationRoles;

fn memory_of(text: &str) -> (Module, Memory) {
    let module = xla_hlo::parse(text).into_module().expect("a program");
    let memory = memory(&module, &ComputationRoles::of(&module));
    (module, memory)
}

#[test]
fn peaks_are_close_to_the_allocations_of_xla() {
    let mut failures = Vec::new();
    for line in include_str!("data/memory.jsonl").lines() {
        let program: Value = serde_json::from_str(line).expect("a JSON object");
        let (_, memory) = memory_of(program["text"].as_str().expect("a text"));
        let bytes = |key: &str| program[key].as_u64().expect("bytes");
        let xla = bytes("arguments") + bytes("outputs") + bytes("temporaries") - bytes("aliased");
        let ours = memory.peak.bytes;
        // What is live is at most what is allocated; XLA allocates the results for the whole run.
        if ours > xla + xla / 1000 || ours * 100 < xla * 92 {
            failures.push(format!("{}: {ours} of {xla} {:?}", program["name"], memory.peak));
        }
        let sum: u64 = memory.peak.values.iter().map(|value| value.bytes).sum();
        assert_eq!(sum, ours, "{}", program["name"]);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The peak of a program whose entry computation has these lines.
fn peak_of(before: &str, lines: &str) -> u64 {
    memory_of(&format!("HloModule m, is_scheduled=true\n{before}\nENTRY e {{ {lines} }}")).1.peak.bytes
}

#[test]
fn values_are_live_until_their_last_use() {
    // x and the result of 1,024 bytes, and one temporary: element-wise ops reuse their operand.
    let chain = "x = f32[256] parameter(0) a = f32[256] negate(x) b = f32[256] tanh(a) ROOT c = f32[256] exponential(b)";
    assert_eq!(peak_of("", chain), 2 * 1024);
    // x is read again: a cannot be overwritten while it is needed.
    let kept =
        "x = f32[256] parameter(0) a = f32[256] negate(x) b = f32[256] tanh(a) ROOT c = f32[256] add(a, b)";
    assert_eq!(peak_of("", kept), 3 * 1024);
    // A reversal does not overwrite its operand.
    let reversed =
        "x = f32[256] parameter(0) a = f32[256] negate(x) ROOT b = f32[256] reverse(a), dimensions={0}";
    assert_eq!(peak_of("", reversed), 3 * 1024);
    // Views have no memory.
    let views = "x = f32[256] parameter(0) t = (f32[256]) tuple(x) y = f32[256] get-tuple-element(t), index=0 ROOT z = f32[16,16] bitcast(y)";
    assert_eq!(peak_of("", views), 1024);
}

#[test]
fn calls_return_their_parameters_without_a_copy() {
    let function = "f { p = (f32[256], f32[256]) parameter(0) a = f32[256] get-tuple-element(p), index=0
        b = f32[256] get-tuple-element(p), index=1 c = f32[256] reverse(b), dimensions={0}
        ROOT t = (f32[256], f32[256]) tuple(a, c) }";
    let lines = "x = f32[256] parameter(0) y = f32[256] parameter(1) t = (f32[256], f32[256]) tuple(x, y)
        ROOT r = (f32[256], f32[256]) call(t), to_apply=f";
    assert_eq!(peak_of(function, lines), 3 * 1024);
}

#[test]
fn branches_count_the_largest_of_them() {
    let branches = "small { x = f32[256] parameter(0) ROOT y = f32[256] negate(x) }
        large { x = f32[256] parameter(0) w = f32[1024] concatenate(x, x, x, x), dimensions={0}
                s = f32[256] slice(w), slice={[0:256]} ROOT y = f32[256] add(s, x) }";
    let lines = "p = pred[] parameter(0) x = f32[256] parameter(1)
        ROOT r = f32[256] conditional(p, x, x), true_computation=small, false_computation=large";
    // The parameters, the result, and in the large branch the concatenation with the slice of it.
    assert_eq!(peak_of(branches, lines), 1 + 1024 + 1024 + 4096 + 1024);
}
