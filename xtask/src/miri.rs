//! `cargo xtask miri`: the kernels' tests under Miri, which finds undefined behaviour of their `unsafe` code.
//!
//! Miri is part of the nightly toolchain and interprets code a thousand times slower than native, so the example
//! tasks, and the constants that select a kernel's path, are smaller there (`cfg!(miri)`).

use crate::Result;
use crate::arguments::Arguments;
use crate::process::Process;
use crate::setup::{self, Need};

/// The tests that reach all `unsafe` code: every example of every task, packed constant operands, and the kernels that
/// only the WebAssembly modules use. The comparisons with reference implementations run hundreds of random sizes through the
/// same code, the other tests none of it.
const TESTS: [&str; 4] = ["soundness", "testing::packed_operands", "conv::winograd", "sort::network"];

/// `cargo xtask miri [FILTER..]`: the tests whose names contain a filter; by default [`TESTS`].
pub fn run(arguments: Arguments) -> Result<()> {
    let mut filters = arguments.rest();
    if filters.is_empty() {
        filters.extend(TESTS.map(str::to_owned));
    }
    setup::ensure(&[Need::Miri])?;
    // The cargo of the pinned toolchain cannot select another one, so rustup does.
    let miri = Process::new("rustup")?
        .args("run nightly cargo miri test --package xla-kernels --lib --target-dir target/miri")
        .without_env("CARGO")
        .without_env("RUSTUP_TOOLCHAIN")
        .env("MIRIFLAGS", "-Zmiri-disable-isolation")
        .arg("--");
    filters.iter().fold(miri, Process::arg).run()
}
