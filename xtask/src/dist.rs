//! `cargo xtask dist`: the site as a folder of static files, for any sub-path of any static host.
//!
//! Trunk builds it; here every page that has none gets its Content-Security-Policy, an absolute address is refused, and the size of
//! what a visitor loads first is held to its budget.

use std::fs;
use std::path::{Path, PathBuf};

use crate::arguments::Arguments;
use crate::project::DIST;
use crate::{Result, policy, serve, setup, sizes};

/// `cargo xtask dist`.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    setup::ensure(setup::DIST)?;
    build()
}

/// Builds the site and prints its sizes.
pub fn build() -> Result<()> {
    serve::trunk()?.line("build --release").run()?;
    let files = files_below(Path::new(DIST))?;
    for page in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "html")) {
        let html = fs::read_to_string(page)?;
        if policy::is_sealed(&html).map_err(|error| format!("{}: {error}", page.display()))? {
            continue;
        }
        let sealed = policy::seal(&html).map_err(|error| format!("{}: {error}", page.display()))?;
        fs::write(page, sealed)?;
    }
    sizes::check(&files)
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
