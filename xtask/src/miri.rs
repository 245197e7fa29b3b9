//! `cargo xtask miri`: the kernels' tests under Miri, which finds undefined behaviour of their `unsafe` code.
//!
//! Miri is part of the nightly toolchain and interprets code a thousand times slower than native, so the example
//! tasks, and the constants that select a kernel's path, are smaller there (`cfg!(miri)`). The comparisons with
//! reference implementations are skipped: they run hundreds of random sizes through the paths that the examples cover
//! once.

use crate::Result;
use crate::arguments::Arguments;
use crate::process::Process;
use crate::setup::{self, Need};

/// `cargo xtask miri [FILTER..]`: the tests whose names contain a filter; by default all except the comparisons with
/// reference implementations.
pub fn run(arguments: Arguments) -> Result<()> {
    let filters = arguments.rest();
    setup::ensure(&[Need::Miri])?;
    // The cargo of the pinned toolchain does not know others: rustup selects it by the argument.
    let miri = Process::new("rustup")?
        .line("run nightly cargo miri test --package xla-kernels --lib --target-dir target/miri")
        .without_env("CARGO")
        .without_env("RUSTUP_TOOLCHAIN")
        .env("MIRIFLAGS", "-Zmiri-disable-isolation")
        .line("-- --skip against_definition");
    filters.iter().fold(miri, Process::arg).run()
}
