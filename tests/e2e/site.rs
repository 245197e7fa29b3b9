//! The end-to-end tests of the built site. A module lists its tests; one that is not listed does not compile.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed expectation is a failed test"
)]

mod app;
mod keyboard;
mod landing;
mod links;
mod padded;
mod watched;

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::runner::run(&[landing::TESTS, padded::TESTS, keyboard::TESTS, links::TESTS, watched::TESTS])
}
