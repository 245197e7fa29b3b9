//! `cargo xtask miri`: the kernels' tests under Miri, which finds undefined behaviour of their `unsafe` code.
//!
//! Miri is a part of the nightly toolchain, and interprets code some thousand times slower than the machine runs it: the
//! examples of tasks, and the constants that decide which path a kernel takes, are smaller there (`cfg!(miri)`). The comparisons
//! with definitions are left out: they run random sizes by the hundred through the paths that the examples reach once.

use crate::Result;
use crate::arguments::Arguments;
use crate::process::Process;
use crate::setup::{self, Need};

/// `cargo xtask miri [FILTER..]`: the tests whose names contain a filter; without one, all but the comparisons with definitions.
pub fn run(arguments: Arguments) -> Result<()> {
    let filters = arguments.rest();
    setup::ensure(&[Need::Miri])?;
    // The cargo of the pinned toolchain does not know another: rustup chooses by the argument.
    let miri = Process::new("rustup")?
        .line("run nightly cargo miri test --package xla-kernels --lib --target-dir target/miri")
        .without_env("CARGO")
        .without_env("RUSTUP_TOOLCHAIN")
        .env("MIRIFLAGS", "-Zmiri-disable-isolation")
        .line("-- --skip against_definition");
    filters.iter().fold(miri, Process::arg).run()
}
