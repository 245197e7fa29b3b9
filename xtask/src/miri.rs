//! `cargo xtask miri`: the kernels' tests under Miri, which finds undefined behaviour of their `unsafe` code.
//!
//! Miri is a part of the nightly toolchain, and runs code some hundred times slower than the machine: the tests take smaller
//! sizes there (`cfg!(miri)`).

use crate::Result;
use crate::arguments::Arguments;
use crate::process::Process;
use crate::setup::{self, Need};

/// `cargo xtask miri [FILTER..]`: the tests whose names contain a filter; without one, all.
pub fn run(arguments: Arguments) -> Result<()> {
    let filters = arguments.rest();
    setup::ensure(&[Need::Miri])?;
    // The cargo of the pinned toolchain does not know another: rustup chooses by the argument.
    let miri = Process::new("rustup")?
        .line("run nightly cargo miri test --package xla-kernels --target-dir target/miri")
        .without_env("CARGO")
        .without_env("RUSTUP_TOOLCHAIN")
        .env("MIRIFLAGS", "-Zmiri-disable-isolation")
        .arg("--");
    filters.iter().fold(miri, Process::arg).run()
}
