//! The WebAssembly module of whole programs (`crates/program`): parser, plans and kernels, compiled for speed. The site has one with
//! the strict kernels, the benchmark module another with the fast ones.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::process::Process;
use crate::{Result, kernels};

/// The profile of the release build, in which the loops are all that counts.
pub const RELEASE: &str = "program";

/// Builds the module with the kernels of this name by a profile; returns its path. Cargo decides whether anything has changed.
pub fn build(kernels: &str, profile: &str) -> Result<PathBuf> {
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    // Separate folders, or each build would invalidate the other's artifacts.
    let target = Path::new(&target).join("programs").join(kernels);
    Process::cargo()?
        .args("build --quiet --locked --target wasm32-unknown-unknown --package xla-program --profile")
        .arg(profile)
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTFLAGS", kernels::program_flags(kernels))
        .run()?;
    Ok(target.join("wasm32-unknown-unknown").join(profile).join("xla_program.wasm"))
}

/// The module of a site that is built by this profile: a test build has it optimized less, which takes a fraction of the time.
pub fn build_for_site(profile: &str) -> Result<PathBuf> {
    build("strict", if profile == "release" { RELEASE } else { "e2e" })
}

/// Writes the module into a site that is built by this profile.
pub fn copy_into(site: &Path, profile: &str) -> Result<()> {
    fs::copy(build_for_site(profile)?, site.join("plans.wasm"))?;
    Ok(())
}
