//! Records the fingerprint of the kernels' sources, which the worker compares with that of each kernel module it loads.

use std::{env, error::Error, path::Path};

#[path = "xtask/src/fingerprint.rs"]
mod fingerprint;

fn main() -> Result<(), Box<dyn Error>> {
    let kernels = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("crates/kernels/src");
    println!("cargo::rerun-if-changed={}", kernels.display());
    println!("cargo::rerun-if-changed=xtask/src/fingerprint.rs");
    println!("cargo::rustc-env=KERNEL_SOURCES={}", fingerprint::fingerprint(&kernels)?);
    Ok(())
}
