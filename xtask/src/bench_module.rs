//! `cargo xtask bench-module`: the kernels as ES modules for a benchmark page, in `target/bench-web/`. `index.mjs`
//! runs the strict kernels, `fast.mjs` the fast ones; each exports `init`, `run` and `prepare`, which take the names
//! and parameters of common tensor benchmarks and build the same tasks as the app. `program(hloText, weights)` runs a whole
//! program by a module with the plan, the weights and the kernels in one memory.

mod numbers;

use std::env;
use std::fs;
use std::path::Path;

use crate::arguments::Arguments;
use crate::process::Process;
use crate::setup::Need;
use crate::{Result, kernels, setup};

const OUT: &str = "target/bench-web";
const API: &str = include_str!("bench_module/api.mjs");
const TASKS: &str = include_str!("bench_module/tasks.mjs");

/// Builds the folder.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    setup::ensure(&[Need::WasmTarget, Need::WasmBindgen])?;
    let modules = kernels::build()?;
    fs::create_dir_all(OUT)?;
    for ((name, _), path) in kernels::MODULES.iter().zip(modules) {
        fs::copy(path, Path::new(OUT).join(format!("{name}.wasm")))?;
        let file = if *name == "strict" { "index.mjs".to_owned() } else { format!("{name}.mjs") };
        fs::write(Path::new(OUT).join(file), API.replace("MODULE", name))?;
        if *name != "scalar" {
            program(name)?;
        }
    }
    fs::write(Path::new(OUT).join("tasks.mjs"), TASKS)?;
    fs::write(Path::new(OUT).join("numbers.mjs"), numbers::module(Path::new(numbers::SOURCES))?)?;
    println!("{OUT}: index.mjs (strict), fast.mjs, scalar.mjs");
    Ok(())
}

/// Builds the module of whole programs with the kernels of this name, and its script.
fn program(name: &str) -> Result<()> {
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    // Separate folders, or each build would invalidate the other's artifacts.
    let target = Path::new(&target).join("programs").join(name);
    Process::cargo()?
        .args("build --quiet --profile program --target wasm32-unknown-unknown --package xla-program")
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTFLAGS", kernels::program_flags(name))
        .run()?;
    Process::new("wasm-bindgen")?
        .arg(target.join("wasm32-unknown-unknown/program/xla_program.wasm"))
        .args("--target web --no-typescript --out-name")
        .arg(format!("program-{name}"))
        .arg("--out-dir")
        .arg(OUT)
        .run()
}
