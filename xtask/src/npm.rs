//! `cargo xtask npm`: the JavaScript package (`crates/javascript`), ready for `npm pack`, in `target/npm/package`.
//!
//! The package has the WebAssembly module as a file, and once more within `inline.js`, a module in one file. A test build
//! (`target/npm/test`) is optimized less.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::arguments::Arguments;
use crate::process::Process;
use crate::setup::{self, Need};
use crate::{Result, kernels, npm_tests, project, sizes};

/// The package of the release build.
pub const PACKAGE: &str = "target/npm/package";
/// The package of the test build.
pub const TEST_PACKAGE: &str = "target/npm/test";
/// The public interface, and the guide.
const SOURCES: &str = "crates/javascript/package";
const MEASURE: &str = "crates/javascript/tests/measure.js";
const GUIDE: &str = "docs/javascript.md";
const LICENSES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];
/// The files that wasm-bindgen writes: the module, and the script that is private to the package.
const WASM: &str = "xla_playground_bg.wasm";
const BINDINGS: &str = "bindings.js";
/// A source that exists only to be bundled into [`INLINE`].
const INLINED_WORKER: &str = "worker-inlined.js";
/// The single file.
pub const INLINE: &str = "inline.js";

/// The needs of building the package.
pub const NEEDS: &[Need] = &[Need::WasmTarget, Need::WasmBindgen, Need::Node, Need::Esbuild];

/// `cargo xtask npm [--test] [--measure]`: builds the package; with `--test`, builds the test build and tests it; with
/// `--measure`, prints times of the release build in Node.js.
pub fn run(mut arguments: Arguments) -> Result<()> {
    let (tests, measures) = (arguments.flag("--test"), arguments.flag("--measure"));
    arguments.finish()?;
    setup::ensure(NEEDS)?;
    if tests {
        return npm_tests::run().map(|count| println!("{count} tests passed"));
    }
    build()?;
    if measures {
        let package = env::current_dir()?.join(PACKAGE);
        Process::new("node")?.arg(MEASURE).env("XLA_PACKAGE", package).run()?;
    }
    Ok(())
}

/// Builds the package of the release and prints its sizes.
pub fn build() -> Result<()> {
    let package = write(PACKAGE, "release")?;
    sizes::print(&[package.join(WASM), package.join(INLINE)])?;
    println!("{PACKAGE}: run `npm pack` there");
    Ok(())
}

/// Builds the package for the tests.
pub fn build_for_tests() -> Result<PathBuf> {
    write(TEST_PACKAGE, "e2e")
}

/// Writes a package whose module is compiled by a profile.
fn write(folder: &str, profile: &str) -> Result<PathBuf> {
    let module = compile(profile)?;
    let folder = env::current_dir()?.join(folder);
    if folder.is_dir() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    bind(&module, &folder)?;
    for entry in fs::read_dir(SOURCES)? {
        let entry = entry?;
        fs::copy(entry.path(), folder.join(entry.file_name()))?;
    }
    let version = project::locked_version("xla-javascript")?;
    fs::write(
        folder.join("version.js"),
        format!("/** The version of the package. */\nexport const version = '{version}';\n"),
    )?;
    let manifest = fs::read_to_string(folder.join("package.json"))?;
    let versioned = manifest.replacen("\"version\": \"0.0.0\"", &format!("\"version\": \"{version}\""), 1);
    if versioned == manifest {
        return Err(format!("{SOURCES}/package.json has no version 0.0.0 to replace").into());
    }
    fs::write(folder.join("package.json"), versioned)?;
    fs::copy(GUIDE, folder.join("README.md"))?;
    for license in LICENSES {
        fs::copy(license, folder.join(license))?;
    }
    inline(&folder)?;
    Ok(folder)
}

/// Compiles the module, with the kernels in its memory.
fn compile(profile: &str) -> Result<PathBuf> {
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    // The folder of the plans' module, which has the same flags.
    let target = Path::new(&target).join("programs").join("strict");
    Process::cargo()?
        .args("build --quiet --locked --target wasm32-unknown-unknown --package xla-javascript --profile")
        .arg(profile)
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTFLAGS", kernels::program_flags("strict"))
        .run()?;
    Ok(target.join("wasm32-unknown-unknown").join(profile).join("xla_javascript.wasm"))
}

/// Writes the module and its script.
fn bind(module: &Path, folder: &Path) -> Result<()> {
    let options =
        "--target web --no-typescript --omit-default-module-path --out-name xla_playground --out-dir";
    Process::new("wasm-bindgen")?.arg(module).args(options).arg(folder).run()?;
    fs::rename(folder.join("xla_playground.js"), folder.join(BINDINGS))?;
    Ok(())
}

/// Bundles [`INLINE`]: first its worker, which becomes text in it.
fn inline(folder: &Path) -> Result<()> {
    let bundle = |input: &str, options: &str, output: &Path| {
        Process::new("esbuild")?
            .args("--bundle --minify --target=es2022 --log-level=warning")
            .args(options)
            .arg(folder.join(input))
            .arg(format!("--outfile={}", output.display()))
            .run()
    };
    let worker = folder.join("worker.inlined.txt");
    bundle(INLINED_WORKER, "--format=iife", &worker)?;
    let bundled = folder.join("bundled.js");
    bundle(INLINE, "--format=esm --loader:.wasm=binary --loader:.txt=text", &bundled)?;
    fs::rename(bundled, folder.join(INLINE))?;
    fs::remove_file(worker)?;
    fs::remove_file(folder.join(INLINED_WORKER))?;
    Ok(())
}
