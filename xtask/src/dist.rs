//! `cargo xtask dist`: the site as a folder of static files, for any sub-path of any static host.
//!
//! Trunk builds it; here every page that has none gets its Content-Security-Policy, an absolute address is refused, and the
//! delivered site's sizes are held to their budgets. The end-to-end tests visit a site that is optimized less, in a folder of
//! its own, and a few of them the delivered one.

use std::fs;
use std::path::{Path, PathBuf};

use crate::arguments::Arguments;
use crate::process::Process;
use crate::project::{DIST, TEST_SITE};
use crate::{Result, policy, serve, setup, sizes};

/// `cargo xtask dist`.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    setup::ensure(setup::DIST)?;
    build()
}

/// Builds the delivered site and prints its sizes.
pub fn build() -> Result<()> {
    compile("release")?;
    serve::trunk()?.line("build --release").run()?;
    sizes::check(&seal(DIST)?)
}

/// Builds the site that the end-to-end tests visit, by the profile `e2e` and without wasm-opt.
pub fn build_test_site() -> Result<()> {
    compile("e2e")?;
    serve::trunk()?.line("build --cargo-profile e2e --dist").arg(TEST_SITE).run()?;
    seal(TEST_SITE).map(drop)
}

/// Compiles the programs of the site side by side, which Trunk would do one after the other.
fn compile(profile: &str) -> Result<()> {
    Process::cargo()?
        .line("build --locked --target wasm32-unknown-unknown --bin app --bin ops --bin speed --bin worker --profile")
        .arg(profile)
        .run()
}

/// Gives every page of a site its policy; returns the files of the site.
fn seal(site: &str) -> Result<Vec<PathBuf>> {
    let files = files_below(Path::new(site))?;
    for page in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "html")) {
        let html = fs::read_to_string(page)?;
        if policy::is_sealed(&html).map_err(|error| format!("{}: {error}", page.display()))? {
            continue;
        }
        let sealed = policy::seal(&html).map_err(|error| format!("{}: {error}", page.display()))?;
        fs::write(page, sealed)?;
    }
    Ok(files)
}

/// Every file in a folder and its folders, in order.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
