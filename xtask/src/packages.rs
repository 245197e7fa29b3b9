//! The packages of the workspace, from their manifests: folders and dependencies.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;

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
