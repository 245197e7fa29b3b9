//! The layers of the workspace: a crate uses only the lower crates that ARCHITECTURE.md lists, and modules have no import
//! cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::arguments::Arguments;
use crate::diagram::Diagram;
use crate::modules::{self, Graph};
use crate::packages::{self, Package};
use crate::{Result, dist};

/// Each crate with the crates of the workspace that it uses, from the lowest to the highest, as in ARCHITECTURE.md.
const LAYERS: [(&str, &[&str]); 15] = [
    ("xla-messages", &[]),
    ("xla-array", &["xla-messages"]),
    ("xla-kernels", &[]),
    ("xla-ops", &["xla-array", "xla-kernels", "xla-messages"]),
    ("xla-hlo", &["xla-array", "xla-kernels", "xla-messages", "xla-ops"]),
    ("xla-plan", &["xla-array", "xla-hlo", "xla-kernels", "xla-messages", "xla-ops"]),
    ("xla-program", &["xla-array", "xla-hlo", "xla-ops", "xla-plan"]),
    ("xla-stablehlo", &["xla-array", "xla-hlo", "xla-messages", "xla-ops"]),
    ("xla-inspect", &["xla-array", "xla-hlo", "xla-messages", "xla-ops"]),
    ("xla-experiment", &["xla-array", "xla-hlo", "xla-messages", "xla-ops"]),
    ("xla-documents", &["xla-array", "xla-experiment", "xla-hlo", "xla-messages", "xla-ops"]),
    ("xla-view", &["xla-array", "xla-experiment", "xla-hlo", "xla-inspect", "xla-messages", "xla-ops"]),
    ("xla-wire", &["xla-array", "xla-hlo", "xla-inspect", "xla-messages", "xla-ops"]),
    (
        "xla-javascript",
        &[
            "xla-array",
            "xla-hlo",
            "xla-inspect",
            "xla-messages",
            "xla-ops",
            "xla-plan",
            "xla-stablehlo",
            "xla-view",
            "xla-wire",
        ],
    ),
    (
        "xla-playground",
        &[
            "xla-array",
            "xla-documents",
            "xla-experiment",
            "xla-hlo",
            "xla-inspect",
            "xla-kernels",
            "xla-messages",
            "xla-ops",
            "xla-plan",
            "xla-stablehlo",
            "xla-view",
            "xla-wire",
        ],
    ),
];

/// The document that shows the layers.
const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// `cargo xtask layers`: both checks, in a second.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    check_crates()?;
    check_modules()
}

/// Checks that [`LAYERS`], the manifests, the sources and ARCHITECTURE.md agree on which crate uses which.
pub fn check_crates() -> Result<()> {
    let packages = packages::all()?;
    let mut problems = problems(&packages);
    problems.extend(unused_dependencies(&packages)?);
    problems.extend(Diagram::read(&fs::read_to_string(ARCHITECTURE)?).problems(&LAYERS));
    if problems.is_empty() {
        println!("{} crates", LAYERS.len());
        return Ok(());
    }
    Err(problems.join("\n").into())
}

/// The packages that are layers: all but the test harness and xtask.
fn layers_of(packages: &[Package]) -> impl Iterator<Item = &Package> {
    packages.iter().filter(|package| package.name.starts_with("xla-"))
}

fn problems(packages: &[Package]) -> Vec<String> {
    let layers: BTreeMap<&str, &[&str]> = LAYERS.into_iter().collect();
    let mut problems = Vec::new();
    for package in layers_of(packages) {
        let Some(listed) = layers.get(package.name.as_str()) else {
            problems.push(format!("{} has no layer: add it to ARCHITECTURE.md and to LAYERS", package.name));
            continue;
        };
        let used: BTreeSet<&str> = package.dependencies.iter().map(String::as_str).collect();
        let listed: BTreeSet<&str> = listed.iter().copied().collect();
        for dependency in used.difference(&listed) {
            problems.push(format!("{} uses {dependency}, which is not below it", package.name));
        }
        for dependency in listed.difference(&used) {
            problems.push(format!("{} does not use {dependency}: remove it from LAYERS", package.name));
        }
    }
    problems
}

/// The dependencies on crates of the workspace that no source of a package uses.
fn unused_dependencies(packages: &[Package]) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for package in layers_of(packages) {
        let mut unused = package.dependencies.clone();
        for file in dist::files_below(&package.folder.join("src"))? {
            if file.extension().is_some_and(|end| end == "rs") {
                let text = modules::without_comments(&fs::read_to_string(&file)?);
                unused.retain(|name| !text.contains(&name.replace('-', "_")));
            }
        }
        problems.extend(
            unused.iter().map(|name| format!("{} depends on {name}, but does not use it", package.name)),
        );
    }
    Ok(problems)
}

/// Checks that the modules of a crate have no import cycles.
pub fn check_modules() -> Result<()> {
    let mut problems = Vec::new();
    for package in layers_of(&packages::all()?) {
        let source = package.folder.join("src");
        let graph = Graph::read(&source, &dist::files_below(&source)?)?;
        let cycles = graph.cycles();
        let found: usize = cycles.iter().map(Vec::len).sum();
        println!("{:<16} {:>4} modules, {found} in cycles", package.name, graph.len());
        for cycle in cycles {
            println!("    {}", cycle.join(", "));
            problems.push(format!("{}: modules import each other: {}", package.name, graph.example(&cycle)));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            folder: name.into(),
            dependencies: dependencies.iter().map(|name| (*name).to_owned()).collect(),
            test_dependencies: [].into(),
        }
    }

    #[test]
    fn a_dependency_on_a_higher_crate_and_an_unused_one_are_problems() {
        assert!(problems(&[package("xla-array", &["xla-messages"]), package("xla-kernels", &[])]).is_empty());
        assert_eq!(problems(&[package("xla-array", &["xla-messages", "xla-ops"])]).len(), 1);
        assert_eq!(problems(&[package("xla-array", &[])]).len(), 1);
        assert_eq!(problems(&[package("xla-unknown", &[])]).len(), 1);
    }

    #[test]
    fn architecture_diagram_matches_layers() {
        let text = include_str!("../../ARCHITECTURE.md");
        assert_eq!(Diagram::read(text).problems(&LAYERS), [""; 0]);
        for (from, to) in [
            ("| `crates/array` | messages |", "| `crates/array` | messages, ops |"),
            ("| `crates/hlo` |", "| `crates/other` |"),
            ("\n   xla-view ", "\n   xla-views "),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            assert!(!Diagram::read(&changed).problems(&LAYERS).is_empty(), "{to}");
        }
    }

    #[test]
    fn the_layers_are_listed_from_the_lowest() {
        for (i, (name, below)) in LAYERS.iter().enumerate() {
            let is_below = |other: &&str| LAYERS[..i].iter().any(|(name, _)| name == other);
            assert!(below.iter().all(is_below), "{name}");
        }
    }
}
