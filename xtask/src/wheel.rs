//! `cargo xtask wheel`: the Python package (`python/`) as a wheel in `target/wheel`, and its tests.
//!
//! The wheel is pure Python, with the terminal program as a module of WASI, and the template of exported pages. The tests need an
//! environment of Python with `NumPy` and wasmtime, and for some of them JAX, Jupyter and Chrome; what pip cannot install is left
//! out, and the output says so.

use std::fs;
use std::path::{Path, PathBuf};

use crate::arguments::Arguments;
use crate::browsers::Browser;
use crate::process::Process;
use crate::project::{DIST, TEST_SITE, TOOLS};

use crate::{Result, dist, project, setup, snapshot_page};

/// The folder of the wheel.
const FOLDER: &str = "target/wheel";
const PIP: &str = "-m pip install --quiet --disable-pip-version-check";
/// The packages of the tests' environment, besides the wheel.
const REQUIREMENTS: &str = "numpy wasmtime";
/// JAX, which some of the tests need: the version that the scripts of `export --jax` are written for.
const JAX: &str = "jax==0.10.2";
/// What the tests in notebooks need: frontends, widgets, and the driver of a browser.
const NOTEBOOKS: &str = "jupyterlab anywidget selenium";
/// The target of the terminal program.
const TARGET: &str = "wasm32-wasip1";

/// `cargo xtask wheel [--test]`: builds the site, unless it is up to date, and the wheel; with `--test`, tests it.
pub fn run(mut arguments: Arguments) -> Result<()> {
    let tests = arguments.flag("--test");
    arguments.finish()?;
    setup::ensure(setup::DIST)?;
    // Nothing is done if it is up to date; the frame must be that of these sources.
    dist::build()?;
    let wheel = build("release", DIST)?;
    if tests {
        test_wheel(&wheel)?;
    }
    Ok(())
}

/// Tests a wheel of the test build; returns the number of passed tests, `None` if the environment is missing.
pub fn test() -> Result<Option<u64>> {
    if Process::new("python3").and_then(|python| python.arg("--version").output()).is_err() {
        println!("WARNING: the tests of the Python package are LEFT OUT: there is no python3");
        return Ok(None);
    }
    test_wheel(&build("e2e", TEST_SITE)?)
}

/// Builds the terminal program for WASI, and the wheel.
fn build(profile: &str, site: &str) -> Result<PathBuf> {
    let template = template(site)?;
    let flags = format!("-C target-feature=+simd128 -C strip=symbols {}", project::path_flags());
    let cargo = Process::cargo()?
        .args("build --locked --bin xla-playground --target")
        .arg(TARGET)
        .arg("--profile")
        .arg(profile)
        .env("CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS", flags);
    cargo.run()?;
    let module = Path::new("target").join(TARGET).join(profile).join("xla-playground.wasm");
    let version = project::locked_version("xla-playground")?;
    let script = Process::new("python3")?
        .arg("python/build_wheel.py")
        .arg(&version)
        .arg(module)
        .arg(template)
        .arg(FOLDER);
    script.run()?;
    Ok(Path::new(FOLDER).join(format!("xla_playground-{version}-py3-none-any.whl")))
}

/// The template in a site, whose name has a hash.
fn template(site: &str) -> Result<PathBuf> {
    let (start, end) = snapshot_page::PAGE.split_once('.').unwrap_or((snapshot_page::PAGE, ""));
    let is_template = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(start) && name.ends_with(end)
    };
    let files = fs::read_dir(site).map_err(|error| format!("{site}: {error}"))?;
    let found = files.filter_map(|entry| Some(entry.ok()?.path())).find(is_template);
    found.ok_or_else(|| format!("{site} has no {}: build it again", snapshot_page::PAGE).into())
}

/// Installs a wheel into an environment of its own, and runs the tests.
fn test_wheel(wheel: &Path) -> Result<Option<u64>> {
    let environment = std::path::absolute(Path::new(TOOLS).join("python"))?;
    let python = environment.join("bin/python").display().to_string();
    let prepared = || -> Result<()> {
        if !Path::new(&python).is_file() {
            Process::new("python3")?.args("-m venv").arg(&environment).run()?;
        }
        Process::new(&python)?.args(PIP).args(REQUIREMENTS).run()?;
        Process::new(&python)?.args(PIP).args("--force-reinstall --no-deps").arg(wheel).run()
    };
    if let Err(error) = prepared() {
        println!(
            "WARNING: the tests of the Python package are LEFT OUT, since its environment cannot be installed: {error}"
        );
        return Ok(None);
    }
    for (name, packages) in [("with JAX", JAX), ("in notebooks", NOTEBOOKS)] {
        if let Err(error) = Process::new(&python)?.args(PIP).args(packages).run() {
            println!(
                "WARNING: the tests of the Python package {name} are LEFT OUT, since {packages} cannot be installed: {error}"
            );
        }
    }
    let tests = Process::new(&python)?.arg("python/tests/run.py");
    // Without it, the tests in a browser are left out.
    let driver = Browser::Chrome.driver();
    let tests =
        if let Ok(driver) = driver { tests.env(Browser::Chrome.driver_variable(), driver) } else { tests };
    tests.run_tests().map(Some)
}
