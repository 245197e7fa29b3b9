//! The packages of the workspace, from their manifests: folders and dependencies.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::dist::files_below;

/// A package of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// The name of the package.
    pub name: String,
    /// Its folder; `.` for the root package.
    pub folder: PathBuf,
    /// The packages of the workspace that are its build dependencies.
    pub dependencies: BTreeSet<String>,
    /// Like `dependencies`, including those of its tests.
    pub test_dependencies: BTreeSet<String>,
}

/// Every package of the workspace, by name.
pub fn all() -> Result<Vec<Package>> {
    let mut folders = [".", "tests/e2e", "tests/support", "xtask"].map(PathBuf::from).to_vec();
    for entry in fs::read_dir("crates")? {
        folders.push(entry?.path());
    }
    let mut packages = Vec::new();
    for folder in folders.into_iter().filter(|folder| folder.join("Cargo.toml").is_file()) {
        packages.push(package(&folder, &fs::read_to_string(folder.join("Cargo.toml"))?)?);
    }
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    let names: BTreeSet<String> = packages.iter().map(|package| package.name.clone()).collect();
    for package in &mut packages {
        package.dependencies.retain(|name| names.contains(name));
        package.test_dependencies.retain(|name| names.contains(name));
    }
    Ok(packages)
}

/// The names of the packages with an example in their documentation: rustdoc takes seconds even if there is none.
pub fn with_examples() -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for package in all()? {
        let sources = package.folder.join("src");
        let files = if sources.is_dir() { files_below(&sources)? } else { Vec::new() };
        let texts = files.into_iter().filter(|file| file.extension().is_some_and(|kind| kind == "rs"));
        for file in texts {
            if has_example(&fs::read_to_string(file)?) {
                names.insert(package.name);
                break;
            }
        }
    }
    Ok(names)
}

/// Whether rustdoc may find an example in a source: a fence in a comment of documentation or in a text that becomes one,
/// an indented block, or documentation from another file. In doubt there is one.
fn has_example(source: &str) -> bool {
    source.lines().map(str::trim_start).any(|line| {
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let is_fenced = ["```", "~~~"].iter().any(|fence| line.contains(fence));
        match comment {
            Some(comment) => is_fenced || comment.starts_with("     "),
            None if line.starts_with("//") => false,
            None => is_fenced || line.starts_with("/**") || line.contains("doc = include"),
        }
    })
}

/// A package from its manifest, with all its dependencies.
fn package(folder: &Path, manifest: &str) -> Result<Package> {
    let (mut section, mut name) = (String::new(), None);
    let (mut dependencies, mut test_dependencies) = (BTreeSet::new(), BTreeSet::new());
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            header.clone_into(&mut section);
        } else if let Some((key, value)) = line.split_once('=') {
            let key = key.trim().split('.').next().unwrap_or_default();
            if section == "package" && key == "name" {
                name = Some(value.trim().trim_matches('"').to_owned());
            }
            // The workspace's entries only define versions.
            if section.ends_with("dependencies") && section != "workspace.dependencies" {
                test_dependencies.insert(key.to_owned());
                if !section.ends_with("dev-dependencies") {
                    dependencies.insert(key.to_owned());
                }
            }
        }
    }
    let name = name.ok_or_else(|| format!("{}: the manifest names no package", folder.display()))?;
    Ok(Package { name, folder: folder.to_owned(), dependencies, test_dependencies })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_a_fence_or_indented_or_from_elsewhere() {
        for source in [
            "//! ```\n//! x\n",
            "  /// ```text",
            "/// As:\n///\n///     f(x);",
            "#[doc = include_str!(\"a\")]",
        ] {
            assert!(has_example(source), "{source}");
        }
        for source in ["/// Adds `x`.\nfn f() {}", "// ```", "#[doc = $doc]"] {
            assert!(!has_example(source), "{source}");
        }
    }

    #[test]
    fn a_manifest_states_its_dependencies() {
        let manifest = "[package]\nname = \"xla-ops\"\n\n[dependencies]\nhalf.workspace = true\n\
                        xla-array = { path = \"../array\" }\n\n[target.'cfg(unix)'.dev-dependencies]\nproptest = \"1\"\n\n\
                        [workspace.dependencies]\nserde = \"1\"\n";
        let ops = package(Path::new("crates/ops"), manifest).unwrap();
        assert_eq!(ops.name, "xla-ops");
        assert_eq!(ops.dependencies, ["half", "xla-array"].map(str::to_owned).into());
        assert_eq!(ops.test_dependencies, ["half", "proptest", "xla-array"].map(str::to_owned).into());
        assert!(package(Path::new("."), "[lib]\nname = \"x\"\n").is_err());
    }
}
