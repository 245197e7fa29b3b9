//! The project's folders, relative to its root, where every command runs.

use std::env;
use std::path::{Path, PathBuf};

use crate::Result;

/// The built site.
pub const DIST: &str = "dist";
/// The test build of the site, for the end-to-end tests.
pub const TEST_SITE: &str = "target/site";
/// The tools that [`crate::setup`] installs; ignored by git.
pub const TOOLS: &str = ".tools";
/// The npm packages among the tools.
pub const NODE: &str = ".tools/node";

/// The variable with the compiler flags for the programs of the site.
pub const SITE_FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";

/// Makes the project's root the current folder.
pub fn enter() -> Result<()> {
    let package =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    let root = package.parent().unwrap_or(&package);
    env::set_current_dir(root).map_err(|error| format!("{}: {error}", root.display()).into())
}

/// The search path for programs, the project's own tools first.
pub fn search_path() -> Result<Vec<PathBuf>> {
    let root = env::current_dir()?;
    let own = [root.join(TOOLS).join("bin"), root.join(NODE).join("node_modules/.bin")];
    let inherited = env::var_os("PATH").unwrap_or_default();
    Ok(own.into_iter().chain(env::split_paths(&inherited)).collect())
}

/// The first program with one of these names on the search path.
pub fn find_program(names: &[&str]) -> Option<PathBuf> {
    let folders = search_path().ok()?;
    let candidates = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates.map(|path| path.with_extension(env::consts::EXE_EXTENSION)).find(|path| Path::is_file(path))
}

/// The folders with the sources of dependencies.
pub fn dependency_folders() -> Vec<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    let entries = home.and_then(|home| std::fs::read_dir(home.join("registry").join("src")).ok());
    let mut folders: Vec<PathBuf> =
        entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

/// The compiler flags that keep the paths of this machine out of shipped programs, whose messages of panics name source files.
pub fn path_flags() -> String {
    // Flags are separated by spaces.
    let folders =
        dependency_folders().into_iter().filter_map(|folder| folder.into_os_string().into_string().ok());
    let folders = folders.filter(|folder| !folder.contains(char::is_whitespace));
    folders.map(|folder| format!("--remap-path-prefix={folder}/=")).collect::<Vec<_>>().join(" ")
}

/// The programs of the site: the binaries that `index.html` has built.
pub fn site_programs() -> Result<Vec<String>> {
    let page = std::fs::read_to_string("index.html").map_err(|error| format!("index.html: {error}"))?;
    Ok(programs_in(&page))
}

fn programs_in(page: &str) -> Vec<String> {
    let names = page.split("data-bin=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// The version of a package in the project's Cargo.lock.
pub fn locked_version(package: &str) -> Result<String> {
    let lock = std::fs::read_to_string("Cargo.lock").map_err(|error| format!("Cargo.lock: {error}"))?;
    version_in(&lock, package).ok_or_else(|| format!("Cargo.lock has no package `{package}`").into())
}

fn version_in(lock: &str, package: &str) -> Option<String> {
    let mut lines = lock.lines();
    lines.find(|line| *line == format!("name = \"{package}\""))?;
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"').map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_are_those_that_the_page_names() {
        let page = "<link rel=\"rust\" data-bin=\"app\">\n<link data-bin=\"ops\" data-type=\"worker\">";
        assert_eq!(programs_in(page), ["app", "ops"]);
    }

    #[test]
    fn a_locked_version_is_that_of_the_exact_name() {
        let lock = "[[package]]\nname = \"wasm-bindgen-test\"\nversion = \"0.3.1\"\n\n[[package]]\n\
                    name = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(version_in(lock, "wasm"), None);
    }
}
