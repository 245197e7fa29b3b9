//! The tests of the JavaScript package in Node.js, with TypeScript and bundlers: on the built package, as a user has it.
//!
//! Type checker and bundlers are npm packages that a lock file pins. Without a registry, and if they are not installed, their tests
//! are left out, and the output says so.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::Process;
use crate::project::TOOLS;
use crate::{Result, npm};

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

/// Builds the package for tests and runs them; returns the number of passed tests.
pub fn run() -> Result<u64> {
    let package = npm::build_for_tests()?;
    let tools = match install() {
        Ok(()) => std::path::absolute(folder())?,
        Err(error) => {
            println!(
                "WARNING: tests of types and bundlers are LEFT OUT, since their packages cannot be installed: {error}"
            );
            PathBuf::new()
        }
    };
    let node = Process::new("node")?.args("--test --test-reporter=tap").env("XLA_PACKAGE", package);
    let node = node.env("XLA_PACKAGE_TOOLS", tools);
    let mut files: Vec<PathBuf> =
        fs::read_dir(TESTS)?.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| file.to_string_lossy().ends_with(".test.js"));
    files.sort();
    files.iter().fold(node, Process::arg).run_tests()
}
