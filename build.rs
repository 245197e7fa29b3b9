//! Records the fingerprint of the kernels' sources, which the worker compares with that of each kernel module it loads, and has
//! the linker say where the app's program names its functions and data, so that it can be divided.

use std::{env, error::Error, path::Path};

#[path = "xtask/src/fingerprint.rs"]
mod fingerprint;

fn main() -> Result<(), Box<dyn Error>> {
    let kernels = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("crates/kernels/src");
    println!("cargo::rerun-if-changed={}", kernels.display());
    println!("cargo::rerun-if-changed=xtask/src/fingerprint.rs");
    println!("cargo::rustc-env=KERNEL_SOURCES={}", fingerprint::fingerprint(&kernels)?);
    if env::var("CARGO_CFG_TARGET_ARCH")? == "wasm32" {
        println!("cargo::rustc-link-arg-bin=app=--emit-relocs");
    }
    Ok(())
}
