//! Any text, read as a literal: the checks of `tests/mutations`.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "each target calls one of the checks")]
#[path = "../../tests/mutations/targets.rs"]
mod targets;

fuzz_target!(|text: &str| {
    targets::literal(text);
});
