//! The tests of the JavaScript package in Node.js, with TypeScript and bundlers: on the built package, as a user has it.
//!
//! Type checker and bundlers are npm packages that a lock file pins. Without access to a registry, and if they are not installed, their
//! tests are skipped with a warning.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::Process;
use crate::project::TOOLS;
use crate::{Result, npm, npm_pages};

const TESTS: &str = "crates/javascript/tests";
const LOCK: &str = "package-lock.json";
/// The copy of the lock file that is written after the packages are installed.
const INSTALLED: &str = "installed-lock.json";

fn folder() -> PathBuf {
    Path::new(TOOLS).join("javascript")
}

/// Whether the packages of this lock file are installed.
fn is_installed() -> Result<bool> {
    let lock = fs::read_to_string(Path::new(TESTS).join(LOCK))?;
    Ok(fs::read_to_string(folder().join(INSTALLED)).is_ok_and(|installed| installed == lock))
}

/// Installs type checker and bundlers, unless they are installed.
fn install() -> Result<()> {
    if is_installed()? {
        return Ok(());
    }
    println!("installing the type checker and the bundlers of the JavaScript tests");
    fs::create_dir_all(folder())?;
    for file in ["package.json", LOCK] {
        fs::copy(Path::new(TESTS).join(file), folder().join(file))?;
    }
    // Their install scripts are not needed, and not run.
    let options = "ci --no-audit --no-fund --ignore-scripts --loglevel=error --prefix";
    Process::new("npm")?.args(options).arg(folder()).run()?;
    fs::copy(Path::new(TESTS).join(LOCK), folder().join(INSTALLED))?;
    Ok(())
}

/// The folder of type checker and bundlers; `None`, with a warning, if they cannot be installed.
pub fn tools() -> Option<PathBuf> {
    match install().and_then(|()| Ok(std::path::absolute(folder())?)) {
        Ok(folder) => Some(folder),
        Err(error) => {
            println!(
                "WARNING: TypeScript and Vite tests SKIPPED: npm cannot install their packages: {error}"
            );
            None
        }
    }
}

/// Builds the package for tests, and the pages of the end-to-end tests.
pub fn prepare() -> Result<PathBuf> {
    let package = npm::build_for_tests()?;
    npm_pages::write(&package)?;
    Ok(package)
}

/// Builds the package for tests and runs those in Node.js; returns the number of passed tests.
pub fn run() -> Result<u64> {
    let package = prepare()?;
    let tools = tools().unwrap_or_default();
    let node = Process::new("node")?.args("--test --test-reporter=tap").env("XLA_PACKAGE", package);
    let node = node.env("XLA_PACKAGE_TOOLS", tools);
    let mut files: Vec<PathBuf> =
        fs::read_dir(TESTS)?.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| file.to_string_lossy().ends_with(".test.js"));
    files.sort();
    files.iter().fold(node, Process::arg).run_tests()
}
