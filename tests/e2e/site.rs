//! The end-to-end tests of the built site. A module lists its tests; one that is not listed does not compile.

mod landing;
mod watched;

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::runner::run(&[landing::TESTS, watched::TESTS])
}
