//! `cargo xtask bench-module`: the kernels as ES modules for a benchmark page, in `target/bench-web/`. `index.mjs`
//! runs the strict kernels, `fast.mjs` the fast ones; each exports `init`, `run` and `prepare`, which take the names
//! and parameters of common tensor benchmarks and build the same tasks as the app. `program(hloText, weights)` runs a whole
//! program by the module of plans, with the weights and the kernels in one memory; `{workers: 2}` as a third argument, or
//! `index.mjs?workers=2` as the module's address, divides it between two workers.

mod numbers;

use std::fs;
use std::path::Path;

use crate::arguments::Arguments;
use crate::setup::Need;
use crate::{Result, kernels, plans, setup};

const OUT: &str = "target/bench-web";
const API: &str = include_str!("bench_module/api.mjs");
const TASKS: &str = include_str!("bench_module/tasks.mjs");
/// The files that do not depend on the kernels.
const FILES: [(&str, &str); 3] = [
    ("tasks.mjs", TASKS),
    ("program.mjs", include_str!("bench_module/program.mjs")),
    ("program-worker.mjs", include_str!("bench_module/program-worker.mjs")),
];

/// Builds the folder.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    setup::ensure(&[Need::WasmTarget])?;
    let modules = kernels::build()?;
    fs::create_dir_all(OUT)?;
    for ((name, _), path) in kernels::MODULES.iter().zip(modules) {
        fs::copy(path, Path::new(OUT).join(format!("{name}.wasm")))?;
        let file = if *name == "strict" { "index.mjs".to_owned() } else { format!("{name}.mjs") };
        fs::write(Path::new(OUT).join(file), API.replace("MODULE", name))?;
        if *name != "scalar" {
            fs::copy(plans::build(name, plans::RELEASE)?, Path::new(OUT).join(format!("plans-{name}.wasm")))?;
        }
    }
    for (file, text) in FILES {
        fs::write(Path::new(OUT).join(file), text)?;
    }
    fs::write(Path::new(OUT).join("numbers.mjs"), numbers::module(Path::new(numbers::SOURCES))?)?;
    println!("{OUT}: index.mjs (strict), fast.mjs, scalar.mjs");
    Ok(())
}
