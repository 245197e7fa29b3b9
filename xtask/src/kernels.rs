//! The WebAssembly modules of the kernels, each compiled from `crates/kernels` alone by one call of rustc. `strict`
//! is bit-identical on every machine, `fast` may fuse multiply and add, `scalar` has no SIMD.

use std::path::{Path, PathBuf};
use std::{fs, thread};

use crate::Result;
use crate::arguments::Arguments;
use crate::fingerprint::fingerprint;
use crate::process::Process;
use crate::project;

/// Each module's name and target features.
pub const MODULES: [(&str, &str); 3] =
    [("strict", "+simd128"), ("fast", "+simd128,+relaxed-simd"), ("scalar", "-simd128")];

/// The root of their sources.
const ROOT: &str = "crates/kernels/src/lib.rs";
const OUT: &str = "target/kernels";

/// The compiler options of all modules.
const OPTIONS: &str = "--edition 2024 --crate-type cdylib --crate-name kernels --target wasm32-unknown-unknown --cfg kernel_module \
    -C opt-level=3 -C codegen-units=1 -C panic=abort -C strip=symbols -C link-arg=-zstack-size=262144";

/// Disables loop strength reduction: with it, each access has an address computation of its own, which a browser
/// recomputes, instead of one pointer with constant offsets, which are part of the instruction. Matrix products would
/// be 10 % slower.
const DISABLE_LSR: &str = "-C llvm-args=-disable-lsr";

/// The compiler flags for a program that links the kernels with the features of this module.
pub fn program_flags(name: &str) -> String {
    let features = MODULES.iter().find(|(other, _)| *other == name).map_or("", |(_, features)| features);
    format!("{DISABLE_LSR} -C strip=symbols -C target-feature={features} {}", project::path_flags())
}

/// Builds the modules in parallel and returns their paths, in the order of [`MODULES`].
///
/// A module whose sources, options and compiler match its stamp is kept. wasm-opt is not used: the benchmarks
/// measured the compiler's output, and optimizing it takes minutes.
pub fn build() -> Result<Vec<PathBuf>> {
    fs::create_dir_all(OUT)?;
    let built = thread::scope(|scope| {
        let build = |(name, features): &'static (&str, &str)| {
            scope.spawn(move || module(name, features).map_err(|error| error.to_string()))
        };
        let threads: Vec<_> = MODULES.iter().map(build).collect();
        let panicked = |_| Err("the compiler's thread panicked".to_owned());
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect::<Vec<_>>()
    });
    built.into_iter().map(|path| path.map_err(Into::into)).collect()
}

/// `cargo xtask kernels`: builds the modules.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    build().map(drop)
}

/// Builds the modules and writes them into a site, each with the fingerprint of its sources, which the worker
/// compares.
pub fn copy_into(site: &Path) -> Result<()> {
    let folder = Path::new(ROOT).parent().ok_or("the kernels have a folder")?;
    let section = custom_section("sources", &fingerprint(folder)?);
    for ((name, _), module) in MODULES.iter().zip(build()?) {
        let mut bytes = fs::read(module)?;
        bytes.extend(&section);
        fs::write(site.join(format!("kernels-{name}.wasm")), bytes)?;
    }
    Ok(())
}

/// A custom section to append to a WebAssembly module. Name and content are shorter than 64 bytes.
fn custom_section(name: &str, content: &str) -> Vec<u8> {
    let length = |bytes: usize| u8::try_from(bytes).unwrap_or(u8::MAX);
    let mut section = vec![0, length(1 + name.len() + content.len()), length(name.len())];
    section.extend(name.bytes().chain(content.bytes()));
    section
}

fn module(name: &str, features: &str) -> Result<PathBuf> {
    let compiled = Path::new(OUT).join(format!("{name}.wasm"));
    let stamp = compiled.with_extension("stamp");
    let folder = Path::new(ROOT).parent().ok_or("the kernels have a folder")?;
    let rustc_version = Process::new("rustc")?.arg("-vV").output()?;
    let inputs = format!("{}\n{OPTIONS} {DISABLE_LSR} {features}\n{rustc_version}", fingerprint(folder)?);
    if compiled.is_file() && fs::read_to_string(&stamp).is_ok_and(|stamp| stamp == inputs) {
        return Ok(compiled);
    }
    Process::new("rustc")?
        .args(OPTIONS)
        .args(DISABLE_LSR)
        .arg("-C")
        .arg(format!("target-feature={features}"))
        .arg("-o")
        .arg(&compiled)
        .arg(ROOT)
        .run()?;
    fs::write(stamp, inputs)?;
    Ok(compiled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_custom_section_has_its_lengths() {
        assert_eq!(custom_section("ab", "xyz"), [0, 6, 2, b'a', b'b', b'x', b'y', b'z']);
    }
}
