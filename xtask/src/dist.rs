//! `cargo xtask dist`: the site as a folder of static files, for any sub-path of any static host.
//!
//! Trunk builds it; here every page that has none gets its Content-Security-Policy, an absolute address is refused, and the
//! delivered site's sizes are held to their budgets. The end-to-end tests visit a site that is optimized less, in a folder of
//! its own, and a few of them the delivered one.

use std::path::{Path, PathBuf};
use std::{env, fs};

use sha2::{Digest, Sha256};

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

/// The programs of the site: the binaries that are compiled for the web.
const PROGRAMS: [&str; 4] = ["app", "ops", "speed", "worker"];

/// What a site is made from, besides its programs: folders and files.
const SOURCES: [&str; 6] =
    ["Trunk.toml", "crates/kernels/src", "crates/messages/src/i18n", "index.html", "static", "styles"];

/// Where it is noted what each site was made from.
const STAMPS: &str = "target/xtask/stamps/site";

/// Builds the delivered site and prints its sizes.
pub fn build() -> Result<()> {
    build_site("release", DIST, &["--release"])?;
    sizes::check(&files_below(Path::new(DIST))?)
}

/// Builds the site that the end-to-end tests visit, by the profile `e2e` and without wasm-opt.
pub fn build_test_site() -> Result<()> {
    build_site("e2e", TEST_SITE, &["--cargo-profile", "e2e"])
}

/// Builds a site, unless the one that is there was made from the same and nobody touched it: Trunk optimizes every program
/// anew each time, which takes minutes.
fn build_site(profile: &str, site: &str, options: &[&str]) -> Result<()> {
    compile(profile)?;
    let made_from = hash_of_sources(profile)?;
    let stamp = Path::new(STAMPS).join(profile);
    let noted = fs::read_to_string(&stamp).unwrap_or_default();
    if Path::new(site).is_dir()
        && noted == format!("{made_from} {}", hash_of(&files_below(Path::new(site))?)?)
    {
        println!("{site} is up to date");
        return Ok(());
    }
    let trunk = serve::trunk()?.line("build --dist").arg(site);
    options.iter().fold(trunk, Process::arg).run()?;
    let files = seal(site)?;
    fs::create_dir_all(STAMPS)?;
    fs::write(stamp, format!("{made_from} {}", hash_of(&files)?))?;
    Ok(())
}

/// Compiles the programs of the site side by side, which Trunk would do one after the other.
fn compile(profile: &str) -> Result<()> {
    let cargo =
        Process::cargo()?.line("build --locked --target wasm32-unknown-unknown --profile").arg(profile);
    PROGRAMS.iter().fold(cargo, |cargo, program| cargo.arg("--bin").arg(program)).run()
}

/// The hash of all that a site is made from: programs, sources, and this program, which knows the versions of the tools.
fn hash_of_sources(profile: &str) -> Result<String> {
    let compiled = Path::new("target/wasm32-unknown-unknown").join(profile);
    let mut files: Vec<PathBuf> =
        PROGRAMS.iter().map(|name| compiled.join(name).with_extension("wasm")).collect();
    files.push(env::current_exe()?);
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
