//! The WebAssembly modules of the kernels: compiled from `src/kernels` alone, which names nothing outside of itself, by
//! one call of the compiler each. `strict` gives the same bits on every machine, `fast` may fuse multiply and add,
//! `scalar` has no SIMD: the Speed screen measures it beside the others.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::Result;
use crate::arguments::Arguments;
use crate::process::Process;

/// Each module's name, and what the compiler may use.
pub const MODULES: [(&str, &str); 3] =
    [("strict", "+simd128"), ("fast", "+simd128,+relaxed-simd"), ("scalar", "-simd128")];

/// The root of their sources.
const ROOT: &str = "src/kernels/mod.rs";
const OUT: &str = "target/kernels";

/// Builds the modules and answers their paths, in the order of [`MODULES`]. With `optimize`, wasm-opt goes over them.
pub fn build(optimize: bool) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(OUT)?;
    MODULES.iter().map(|(name, features)| module(name, features, optimize)).collect()
}

/// `cargo xtask kernels`: builds the modules; where Trunk calls it, into the site that is being built.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    let is_release = env::var("TRUNK_PROFILE").is_ok_and(|profile| profile == "release");
    let modules = build(is_release)?;
    let Some(site) = env::var_os("TRUNK_STAGING_DIR") else { return Ok(()) };
    for ((name, _), module) in MODULES.iter().zip(modules) {
        fs::copy(module, Path::new(&site).join(format!("kernels-{name}.wasm")))?;
    }
    Ok(())
}

fn module(name: &str, features: &str, optimize: bool) -> Result<PathBuf> {
    let compiled = Path::new(OUT).join(format!("{name}.unoptimized.wasm"));
    Process::new("rustc")?
        .line("--edition 2024 --crate-type cdylib --crate-name kernels --target wasm32-unknown-unknown --cfg kernel_module")
        .line("-C opt-level=3 -C lto=fat -C codegen-units=1 -C panic=abort -C strip=symbols -C link-arg=-zstack-size=262144")
        .arg("-C")
        .arg(format!("target-feature={features}"))
        .arg("-o")
        .arg(&compiled)
        .arg(ROOT)
        .run()?;
    if !optimize {
        return Ok(compiled);
    }
    let optimized = Path::new(OUT).join(format!("{name}.wasm"));
    Process::new("wasm-opt")?
        .line("-O3 --enable-simd --enable-relaxed-simd --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext")
        .line("--enable-mutable-globals --enable-multivalue --enable-reference-types --enable-bulk-memory-opt -o")
        .arg(&optimized)
        .arg(&compiled)
        .run()?;
    Ok(optimized)
}
