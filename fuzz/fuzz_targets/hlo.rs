//! Any text, read as a module: the checks of `tests/mutations`, with a run on zeros within a small budget.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xla_playground::hlo::{Limits, PrintOptions};

#[allow(dead_code, reason = "each target calls one of the checks")]
#[path = "../../tests/mutations/targets.rs"]
mod targets;

fuzz_target!(|text: &str| {
    let limits = Limits { steps: 100_000, bytes: 16 << 20 };
    for options in [PrintOptions::SHORT, PrintOptions::LONG] {
        targets::module(text, options, Some(limits));
    }
});
