//! Live memory compared with the allocations of XLA (JAX 0.10.2, CPU) for compiled programs.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

use serde_json::Value;
use xla_hlo::Module;
use xla_inspect::lens::memory::{Memory, memory};
use xla_inspect::lens::roles::Roles;

fn memory_of(text: &str) -> (Module, Memory) {
    let module = xla_hlo::parse(text).into_module().expect("a program");
    let memory = memory(&module, &Roles::of(&module));
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
