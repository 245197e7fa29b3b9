//! The bundle of the Program screen's editor: `static/editor/` with the npm packages of its lock file, in one module.
//!
//! The packages are pinned by version and hash. The lock file names no registry, so that npm uses the configured one.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::process::Process;
use crate::project::TOOLS;

/// The sources, with the list of packages and their lock file.
const SOURCES: &str = "static/editor";
/// The notice that the packages' license requires.
const LICENSE: &str =
    "/*! CodeMirror and Lezer, MIT License, Copyright (C) 2018 by Marijn Haverbeke and others */";
/// The name of the bundle in the site.
const BUNDLE: &str = "editor.js";
const LOCK: &str = "package-lock.json";
/// The copy of the lock file that is written after the packages are installed.
const INSTALLED: &str = "installed-lock.json";

/// The folder of the installed packages.
fn folder() -> PathBuf {
    Path::new(TOOLS).join("editor")
}

/// Installs the packages, unless those of this lock file are installed.
pub fn install() -> Result<()> {
    let folder = folder();
    let lock = fs::read_to_string(Path::new(SOURCES).join(LOCK))?;
    if fs::read_to_string(folder.join(INSTALLED)).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    println!("installing the packages of the editor");
    fs::create_dir_all(&folder)?;
    for file in ["package.json", LOCK] {
        fs::copy(Path::new(SOURCES).join(file), folder.join(file))?;
    }
    // Their install scripts are not needed, and not run.
    let options = "ci --no-audit --no-fund --ignore-scripts --loglevel=error --prefix";
    Process::new("npm")?.args(options).arg(&folder).run()?;
    fs::write(folder.join(INSTALLED), lock)?;
    Ok(())
}

/// Writes the minified bundle into a site.
pub fn bundle_into(site: &Path) -> Result<()> {
    let packages = std::path::absolute(folder().join("node_modules"))?;
    let bundle = Process::new("esbuild")?
        .env("NODE_PATH", &packages)
        .args("--bundle --minify --format=esm --target=es2022 --legal-comments=none --log-level=warning")
        .arg(format!("--banner:js={LICENSE}"))
        .arg(Path::new(SOURCES).join(BUNDLE))
        .arg(format!("--outfile={}", site.join(BUNDLE).display()));
    bundle.run()
}
