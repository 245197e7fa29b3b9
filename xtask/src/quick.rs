//! `cargo xtask test --quick`: formatting, clippy, native tests and examples of the packages that a change affects.
//!
//! When a check of a package passes, its stamp is written: a file with the hash of everything that the check depends on. While
//! the hash is the same, the check is skipped. Tests depend on the package's files, those of the packages it uses, the test data,
//! the locked versions and the compiler. Clippy and examples run only for packages whose own files have changed. The full
//! `cargo xtask test` reads no stamp.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use sha2::{Digest, Sha256};

use crate::Result;
use crate::packages::{self, Package};
use crate::process::Process;
use crate::steps::Steps;

/// The folder of stamps: a folder for each check, with a file for each package.
const STAMP_FOLDER: &str = "target/xtask/stamps";

/// Files and folders that every package depends on.
const SHARED_INPUTS: [&str; 4] = ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "tests/data"];

/// Packages whose dependencies, including those of their tests, enable every feature that any package enables. They are
/// tested with any other, since cargo would recompile dependencies for another set of features.
const WITH_ALL_FEATURES: [&str; 3] = ["e2e", "xla-messages", "xla-playground"];

/// The numbers of mutated inputs, a tenth of those of the full tests, which take half a minute.
const QUICK_MUTATIONS: [(&str, &str); 4] = [
    ("MUTATED_TEXTS", "10000"),
    ("MUTATED_STABLEHLO", "400"),
    ("MUTATED_FILES", "500"),
    ("MUTATED_LINKS", "400"),
];

struct HashedPackage {
    package: Package,
    /// The hash of everything that its tests depend on.
    test_hash: String,
    /// The hash of its own files and the shared inputs.
    own_hash: String,
}

/// Runs the checks of the packages without a valid stamp.
pub fn run(steps: &mut Steps) -> Result<()> {
    let packages = hashed_packages()?;
    let names = |packages: &[&HashedPackage]| -> Vec<String> {
        packages.iter().map(|hashed| hashed.package.name.clone()).collect()
    };
    let edited: Vec<&HashedPackage> = packages
        .iter()
        .filter(|hashed| !has_stamp("clippy", &hashed.package.name, &hashed.own_hash))
        .collect();
    let affected: Vec<&HashedPackage> = packages
        .iter()
        .filter(|hashed| !has_stamp("tests", &hashed.package.name, &hashed.test_hash))
        .collect();
    steps.step("formatting", || Process::cargo()?.args("fmt --all --check").run())?;
    if !edited.is_empty() {
        let clippy = cargo_for("clippy", &names(&edited))?.args("--all-targets -- -D warnings");
        steps.step("clippy of edited packages", || clippy.run())?;
        write_stamps("clippy", edited.iter().map(|hashed| (&hashed.package.name, &hashed.own_hash)))?;
    }
    if !affected.is_empty() {
        let tests = cargo_for("test", &with_all_features(names(&affected)))?.arg("--tests");
        let tests = QUICK_MUTATIONS.iter().fold(tests, |tests, (variable, count)| tests.env(variable, count));
        steps.tests("native tests", || tests.run_tests())?;
    }
    if !edited.is_empty() {
        let tests = cargo_for("test", &with_all_features(names(&edited)))?.arg("--doc");
        steps.step("documentation tests", || tests.run())?;
    }
    write_stamps("tests", affected.iter().map(|hashed| (&hashed.package.name, &hashed.test_hash)))
}

/// Writes the stamps of all checks and packages; all checks have passed.
pub fn stamp_all() -> Result<()> {
    let packages = hashed_packages()?;
    write_stamps("clippy", packages.iter().map(|hashed| (&hashed.package.name, &hashed.own_hash)))?;
    write_stamps("tests", packages.iter().map(|hashed| (&hashed.package.name, &hashed.test_hash)))
}

fn cargo_for(command: &str, names: &[String]) -> Result<Process> {
    Ok(names.iter().fold(Process::cargo()?.arg(command), |cargo, name| cargo.arg("--package").arg(name)))
}

/// These packages and those of [`WITH_ALL_FEATURES`].
fn with_all_features(mut names: Vec<String>) -> Vec<String> {
    names.extend(WITH_ALL_FEATURES.map(str::to_owned));
    names.sort();
    names.dedup();
    names
}

fn has_stamp(check: &str, package: &str, hash: &str) -> bool {
    fs::read_to_string(stamp_path(check, package)).is_ok_and(|stamp| stamp == hash)
}

fn write_stamps<'a>(check: &str, hashes: impl Iterator<Item = (&'a String, &'a String)>) -> Result<()> {
    for (package, hash) in hashes {
        let path = stamp_path(check, package);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        fs::write(path, hash)?;
    }
    Ok(())
}

fn stamp_path(check: &str, package: &str) -> PathBuf {
    Path::new(STAMP_FOLDER).join(check).join(package)
}

fn hashed_packages() -> Result<Vec<HashedPackage>> {
    let packages = packages::all()?;
    let listed = Process::new("git")?.args("ls-files --cached --others --exclude-standard").output()?;
    let files: Vec<&str> = listed.lines().collect();
    let mut shared = Sha256::new();
    shared.update(Process::new("rustc")?.arg("-vV").output()?);
    shared.update(env::consts::OS);
    add_files(
        &mut shared,
        files.iter().filter(|file| SHARED_INPUTS.iter().any(|input| Path::new(file).starts_with(input))),
    )?;
    let shared = format!("{:x?}", shared.finalize());
    let own_hashes: BTreeMap<&str, String> = packages
        .iter()
        .map(|package| {
            let mut hash = Sha256::new();
            add_files(&mut hash, files.iter().filter(|file| owner(&packages, file) == Some(&package.name)))?;
            Ok((package.name.as_str(), format!("{shared} {:x?}", hash.finalize())))
        })
        .collect::<Result<_>>()?;
    let test_hash = |package: &Package| {
        let mut hash = Sha256::new();
        for name in with_dependencies(&packages, package) {
            hash.update(own_hashes.get(name).map(String::as_str).unwrap_or_default());
        }
        format!("{:x?}", hash.finalize())
    };
    Ok(packages
        .iter()
        .map(|package| {
            let own_hash = own_hashes.get(package.name.as_str()).cloned().unwrap_or_default();
            // Only the harness of the end-to-end tests is tested here, and it depends on no other package.
            let test_hash = if package.name == "e2e" { own_hash.clone() } else { test_hash(package) };
            HashedPackage { package: package.clone(), test_hash, own_hash }
        })
        .collect())
}

/// Adds the names and contents of files to a hash.
fn add_files<'a>(hash: &mut Sha256, files: impl Iterator<Item = &'a &'a str>) -> Result<()> {
    for file in files {
        // git lists files that were deleted but not committed.
        let content = if Path::new(file).is_file() { fs::read(file)? } else { Vec::new() };
        hash.update(file);
        hash.update(u64::try_from(content.len())?.to_le_bytes());
        hash.update(content);
    }
    Ok(())
}

/// The package of a file: the one with the deepest enclosing folder.
fn owner<'a>(packages: &'a [Package], file: &str) -> Option<&'a String> {
    let depth = |package: &&Package| package.folder.components().count();
    let encloses =
        |package: &&Package| package.folder == Path::new(".") || Path::new(file).starts_with(&package.folder);
    let nested = packages.iter().filter(|package| package.folder != Path::new("."));
    nested
        .filter(encloses)
        .max_by_key(depth)
        .or_else(|| packages.iter().find(encloses))
        .map(|package| &package.name)
}

/// The names of a package and of all packages that its tests are built from.
fn with_dependencies<'a>(packages: &'a [Package], package: &'a Package) -> BTreeSet<&'a str> {
    let find_package = |name: &str| packages.iter().find(|package| package.name == name);
    let mut names = BTreeSet::from([package.name.as_str()]);
    let mut worklist: Vec<&str> = package.test_dependencies.iter().map(String::as_str).collect();
    while let Some(name) = worklist.pop() {
        if names.insert(name) {
            worklist.extend(
                find_package(name).into_iter().flat_map(|found| &found.dependencies).map(String::as_str),
            );
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, folder: &str, dependencies: &[&str], dev_dependencies: &[&str]) -> Package {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        Package {
            name: name.to_owned(),
            folder: folder.into(),
            dependencies: set(dependencies),
            test_dependencies: set(&[dependencies, dev_dependencies].concat()),
        }
    }

    #[test]
    fn a_change_affects_all_dependents() {
        let packages = [
            package("array", "crates/array", &[], &["support"]),
            package("ops", "crates/ops", &["array"], &[]),
            package("support", "tests/support", &[], &[]),
            package("view", "crates/view", &["ops"], &[]),
        ];
        let inputs = |number: usize| with_dependencies(&packages, &packages[number]);
        assert_eq!(inputs(3), ["array", "ops", "view"].into());
        assert_eq!(inputs(0), ["array", "support"].into());
    }

    #[test]
    fn a_file_belongs_to_the_innermost_package() {
        let packages = [package("root", ".", &[], &[]), package("ops", "crates/ops", &[], &[])];
        let owner = |file| owner(&packages, file).map(String::as_str);
        assert_eq!(owner("crates/ops/src/dot.rs"), Some("ops"));
        assert_eq!(owner("src/lib.rs"), Some("root"));
    }
}
