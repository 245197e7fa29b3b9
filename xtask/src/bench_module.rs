//! `cargo xtask bench-module`: the kernels as ES modules for a benchmark page, in `target/bench-web/`. `index.mjs`
//! runs the strict kernels, `fast.mjs` the fast ones; each exports `init`, `run` and `prepare`, which take the names
//! and parameters of common tensor benchmarks and build the same tasks as the app.

mod numbers;

use std::fs;
use std::path::Path;

use crate::arguments::Arguments;
use crate::{Result, kernels, setup};

const OUT: &str = "target/bench-web";
const SLOT: &str = include_str!("bench_module/slot.mjs");
const TASKS: &str = include_str!("bench_module/tasks.mjs");

/// Builds the folder.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    setup::ensure(setup::LINT)?;
    let modules = kernels::build()?;
    fs::create_dir_all(OUT)?;
    for ((name, _), path) in kernels::MODULES.iter().zip(modules) {
        fs::copy(path, Path::new(OUT).join(format!("{name}.wasm")))?;
        let file = if *name == "strict" { "index.mjs".to_owned() } else { format!("{name}.mjs") };
        fs::write(Path::new(OUT).join(file), SLOT.replace("MODULE", name))?;
    }
    fs::write(Path::new(OUT).join("tasks.mjs"), TASKS)?;
    fs::write(Path::new(OUT).join("numbers.mjs"), numbers::module(Path::new(numbers::SOURCES))?)?;
    println!("{OUT}: index.mjs (strict), fast.mjs, scalar.mjs");
    Ok(())
}
