//! The layers of the workspace: a crate uses only crates below it, and no module of a crate imports itself over others.

use std::collections::BTreeMap;
use std::path::Path;

use crate::arguments::Arguments;
use crate::modules::Graph;
use crate::packages::{self, Package};
use crate::{Result, dist};

/// Each crate with the crates of the workspace that it may use, from the lowest to the highest, as ARCHITECTURE.md draws them.
const LAYERS: [(&str, &[&str]); 8] = [
    ("xla-kernels", &[]),
    ("xla-messages", &[]),
    ("xla-array", &["xla-messages"]),
    ("xla-ops", &["xla-array", "xla-kernels", "xla-messages"]),
    ("xla-hlo", &["xla-array", "xla-kernels", "xla-messages", "xla-ops"]),
    ("xla-experiment", &["xla-array", "xla-hlo", "xla-kernels", "xla-messages", "xla-ops"]),
    ("xla-view", &["xla-array", "xla-experiment", "xla-hlo", "xla-messages", "xla-ops"]),
    (
        "xla-playground",
        &["xla-array", "xla-experiment", "xla-hlo", "xla-kernels", "xla-messages", "xla-ops", "xla-view"],
    ),
];

/// How many modules of a crate may still be part of a circle of imports. The numbers only become smaller.
const MODULES_IN_CIRCLES: [(&str, usize); 8] = [
    ("xla-kernels", 0),
    ("xla-messages", 4),
    ("xla-array", 10),
    ("xla-ops", 10),
    ("xla-hlo", 2),
    ("xla-experiment", 0),
    ("xla-view", 2),
    ("xla-playground", 4),
];

/// `cargo xtask layers`: both checks, in a second.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    check_crates()?;
    check_modules()
}

/// Checks the dependencies of every crate against [`LAYERS`].
pub fn check_crates() -> Result<()> {
    let problems = problems(&packages::all()?);
    if problems.is_empty() {
        println!("{} crates", LAYERS.len());
        return Ok(());
    }
    Err(problems.join("\n").into())
}

fn problems(packages: &[Package]) -> Vec<String> {
    let layers: BTreeMap<&str, &[&str]> = LAYERS.into_iter().collect();
    let mut problems = Vec::new();
    for package in packages.iter().filter(|package| package.name.starts_with("xla-")) {
        let Some(allowed) = layers.get(package.name.as_str()) else {
            problems.push(format!("{} has no layer: add it to ARCHITECTURE.md and to LAYERS", package.name));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|name| !allowed.contains(&name.as_str())) {
            problems.push(format!("{} uses {dependency}, which is not below it", package.name));
        }
    }
    problems
}

/// Checks that the modules of no crate import each other in a circle, beyond those that are left to resolve.
pub fn check_modules() -> Result<()> {
    let allowed: BTreeMap<&str, usize> = MODULES_IN_CIRCLES.into_iter().collect();
    let mut problems = Vec::new();
    for package in packages::all()?.iter().filter(|package| package.name.starts_with("xla-")) {
        let source = package.folder.join("src");
        let graph = Graph::read(&source, &dist::files_below(&source)?)?;
        let circles = graph.circles();
        let found: usize = circles.iter().map(Vec::len).sum();
        let most = allowed.get(package.name.as_str()).copied().unwrap_or(0);
        println!("{:<16} {:>4} modules, {found} in circles", package.name, graph.len());
        for circle in &circles {
            println!("    {}", circle.join(", "));
        }
        if found > most {
            problems.push(format!(
                "{}: {found} modules import each other in circles, {most} did before: {}",
                Path::new(&package.folder).display(),
                circles.iter().map(|circle| graph.example(circle)).collect::<Vec<_>>().join("; ")
            ));
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
    fn an_arrow_up_is_a_problem() {
        assert!(problems(&[package("xla-array", &["xla-messages"]), package("xla-kernels", &[])]).is_empty());
        assert_eq!(problems(&[package("xla-array", &["xla-ops"])]).len(), 1);
        assert_eq!(problems(&[package("xla-unknown", &[])]).len(), 1);
    }

    #[test]
    fn the_layers_are_listed_from_the_lowest() {
        for (i, (name, below)) in LAYERS.iter().enumerate() {
            let is_below = |other: &&str| LAYERS[..i].iter().any(|(name, _)| name == other);
            assert!(below.iter().all(is_below), "{name}");
        }
    }
}
