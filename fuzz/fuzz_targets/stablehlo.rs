//! Any text, read as `StableHLO`: the checks of `tests/mutations`, with a run on zeros within a small budget.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xla_playground::hlo::Limits;

#[allow(dead_code, reason = "each target calls one of the checks")]
#[path = "../../tests/mutations/targets.rs"]
mod targets;

fuzz_target!(|text: &str| {
    targets::stablehlo(text, Limits { steps: 100_000, bytes: 16 << 20 });
});
