//! `cargo xtask dist`: the site as a folder of static files, for any sub-path of any static host.
//!
//! Trunk builds it; then every page without a Content-Security-Policy gets one, absolute URLs are an error ([`policy`]), and
//! the sizes of the release build are checked against their budgets. Most end-to-end tests run on a test build, which
//! is optimized less, in a separate folder, and a few on the release build.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::arguments::Arguments;
use crate::process::Process;
use crate::project::{self, DIST, TEST_SITE};
use crate::{Result, code_splitting, npm, plans, policy, serve, setup, sizes};

/// Runs `cargo xtask dist`: installs the tools that are missing, and builds the site and the JavaScript package.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    setup::ensure(setup::DIST)?;
    build()?;
    npm::build()
}

/// The sources of a site besides its wasm binaries: folders and files.
const SOURCES: [&str; 7] = [
    "Trunk.toml",
    "crates/kernels/src",
    "crates/messages/examples",
    "crates/messages/src/i18n",
    "index.html",
    "static",
    "styles",
];

/// The modules of xtask that determine the content of a site, including the versions of tools. Changes to other
/// modules do not affect it.
const SITE_MODULES: [&str; 18] = [
    "arguments",
    "assets",
    "browsers",
    "dist",
    "code_splitting",
    "editor",
    "fingerprint",
    "import_names",
    "json",
    "kernels",
    "minify",
    "plans",
    "policy",
    "process",
    "project",
    "serve",
    "setup",
    "snapshot_page",
];

/// The stamps of the sites' sources.
const STAMPS: &str = "target/xtask/stamps/site";

/// Builds the release build of the site and prints its sizes.
pub fn build() -> Result<()> {
    build_site("release", DIST, &["--release"])?;
    let files = files_below(Path::new(DIST))?;
    check_paths(&files)?;
    sizes::check(&files)
}

/// Builds the test build of the site for the end-to-end tests, with the profile `e2e` and without wasm-opt.
pub fn build_test_site() -> Result<()> {
    build_site("e2e", TEST_SITE, &["--cargo-profile", "e2e"])
}

/// Builds a site, unless the existing one has the same sources and is unchanged: Trunk optimizes every wasm binary on
/// every build, which takes minutes.
fn build_site(profile: &str, site: &str, options: &[&str]) -> Result<()> {
    compile(profile)?;
    let source_hash = hash_of_sources(profile)?;
    let stamp = Path::new(STAMPS).join(profile);
    let stamped = fs::read_to_string(&stamp).unwrap_or_default();
    if Path::new(site).is_dir()
        && stamped == format!("{source_hash} {}", hash_of(&files_below(Path::new(site))?)?)
    {
        println!("{site} is up to date");
        return Ok(());
    }
    let trunk =
        serve::trunk()?.env(code_splitting::PROFILE_FOLDER_VARIABLE, profile).args("build --dist").arg(site);
    let trunk = with_path_flags(trunk, profile);
    options.iter().fold(trunk, Process::arg).run()?;
    let files = add_policies(site)?;
    fs::create_dir_all(STAMPS)?;
    fs::write(stamp, format!("{source_hash} {}", hash_of(&files)?))?;
    Ok(())
}

/// Compiles the wasm binaries of the site in parallel; Trunk would compile them sequentially.
fn compile(profile: &str) -> Result<()> {
    let cargo = Process::cargo()?
        .args("build --locked --features web --target wasm32-unknown-unknown --profile")
        .arg(profile);
    let cargo = with_path_flags(cargo, profile);
    project::site_programs()?.iter().fold(cargo, |cargo, name| cargo.arg("--bin").arg(name)).run()
}

/// Keeps the paths of this machine out of the release build. Test builds share what the tests in WebAssembly compile, without the
/// flags.
fn with_path_flags(process: Process, profile: &str) -> Process {
    if profile != "release" {
        return process;
    }
    process.env(project::SITE_FLAGS, project::path_flags())
}

/// Fails if a file names a folder of this machine.
fn check_paths(files: &[PathBuf]) -> Result<()> {
    let folders = project::dependency_folders().into_iter().chain([std::env::current_dir()?]);
    // A short one, such as `/src`, could be part of any path.
    let folders = folders.filter(|folder| folder.components().count() > 2);
    let folders: Vec<String> = folders.map(|folder| format!("{}/", folder.display())).collect();
    for file in files {
        let content = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let text = String::from_utf8_lossy(&content);
        if let Some(folder) = folders.iter().find(|folder| text.contains(folder.as_str())) {
            return Err(format!("{} contains the path {folder} of this machine", file.display()).into());
        }
    }
    Ok(())
}

/// The hash of everything that a site is built from: wasm binaries, sources, and the modules of xtask that build it.
fn hash_of_sources(profile: &str) -> Result<String> {
    let compiled = Path::new("target/wasm32-unknown-unknown").join(profile);
    let mut files: Vec<PathBuf> =
        project::site_programs()?.iter().map(|name| compiled.join(name).with_extension("wasm")).collect();
    files.push(plans::build_for_site(profile)?);
    files.extend(SITE_MODULES.iter().map(|module| Path::new("xtask/src").join(module).with_extension("rs")));
    for source in SOURCES {
        let source = Path::new(source);
        if source.is_dir() { files.extend(files_below(source)?) } else { files.push(source.to_owned()) }
    }
    hash_of(&files)
}

/// The hash of the paths and contents of files.
fn hash_of(files: &[PathBuf]) -> Result<String> {
    let mut hash = Sha256::new();
    for path in files {
        let content = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        hash.update(path.as_os_str().as_encoded_bytes());
        hash.update(u64::try_from(content.len())?.to_le_bytes());
        hash.update(content);
    }
    Ok(format!("{:x?}", hash.finalize()))
}

/// Adds the policy to every page of a site; returns the files of the site.
fn add_policies(site: &str) -> Result<Vec<PathBuf>> {
    let files = files_below(Path::new(site))?;
    for page in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "html")) {
        let html = fs::read_to_string(page)?;
        if policy::is_isolated(&html) {
            continue;
        }
        if policy::validate_own_csp(&html).map_err(|error| format!("{}: {error}", page.display()))? {
            continue;
        }
        let html = policy::insert_csp(&html).map_err(|error| format!("{}: {error}", page.display()))?;
        fs::write(page, html)?;
    }
    Ok(files)
}

/// Every file below a folder, sorted.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Modules that the site's modules use without affecting the site: they check it, or dispatch to other modules.
    const WITHOUT_EFFECT: [&str; 3] = ["main", "npm", "sizes"];

    #[test]
    fn the_modules_of_a_site_use_no_others() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let other_modules: Vec<String> = files_below(&sources)
            .unwrap()
            .iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            .filter(|name| !SITE_MODULES.contains(&name.as_str()) && !WITHOUT_EFFECT.contains(&name.as_str()))
            .collect();
        assert!(other_modules.iter().any(|name| name == "quick"));
        for module in SITE_MODULES {
            let source = fs::read_to_string(sources.join(module).with_extension("rs")).unwrap();
            let named = |line: &&str| line.contains("crate::");
            for line in source.lines().filter(named) {
                let words = || line.split(|c: char| !c.is_alphanumeric() && c != '_');
                assert!(
                    !words().any(|word| other_modules.iter().any(|name| name == word)),
                    "{module}: {line}"
                );
            }
        }
    }
}
