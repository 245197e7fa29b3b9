//! Any file, read as an array, an archive, elements and JSON: the checks of `tests/mutations`.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "each target calls one of the checks")]
#[path = "../../tests/mutations/targets.rs"]
mod targets;

fuzz_target!(|file: &[u8]| {
    targets::file(file);
});
