//! Any link, of whatever screen: the checks of `tests/mutations`.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/mutations/links.rs"]
mod links;

fuzz_target!(|link: &str| links::open(link));
