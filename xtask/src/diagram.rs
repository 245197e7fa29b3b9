//! The layers in ARCHITECTURE.md: a drawing of the crates from the highest, and a table of their dependencies.

use std::collections::{BTreeMap, BTreeSet};

/// The prefix of each crate's name.
const PREFIX: &str = "xla-";

/// The crates of a document.
#[derive(Debug)]
pub struct Diagram<'a> {
    /// The crates of the first drawing, from the highest.
    drawn: Vec<&'a str>,
    /// The table rows that start with a folder: the crates in the second column, without their prefix.
    used: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Diagram<'a> {
    /// Parses a document.
    pub fn read(text: &'a str) -> Self {
        let mut drawn = Vec::new();
        let drawing = text.split("```").nth(1).unwrap_or_default();
        for name in drawing.split_whitespace().filter(|word| word.starts_with(PREFIX)) {
            let name = name.trim_end_matches(',');
            if !drawn.contains(&name) {
                drawn.push(name);
            }
        }
        let mut used = BTreeMap::new();
        for row in text.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            if let [folder, crates, ..] = cells[..] {
                let names = crates.split(',').map(str::trim).filter(|name| !matches!(*name, "" | "–"));
                used.insert(folder.trim_matches('`'), names.collect());
            }
        }
        Self { drawn, used }
    }

    /// The differences between the document and the layers, which are listed from the lowest.
    pub fn problems(&self, layers: &[(&str, &[&str])]) -> Vec<String> {
        let mut problems = Vec::new();
        let expected: Vec<&str> = layers.iter().rev().map(|(name, _)| *name).collect();
        if self.drawn != expected {
            problems.push(format!("the drawing shows {:?}, the layers are {expected:?}", self.drawn));
        }
        for (name, below) in layers {
            let folder = folder(name);
            let expected: BTreeSet<&str> = below.iter().map(|name| short_name(name)).collect();
            match self.used.get(folder.as_str()) {
                Some(found) if *found == expected => {}
                Some(found) => {
                    problems.push(format!("{folder} uses {expected:?}, the table lists {found:?}"));
                }
                None => problems.push(format!("the table has no row for {folder}")),
            }
        }
        problems
    }
}

/// A crate's name in the table.
fn short_name(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// A crate's folder in the table.
fn folder(name: &str) -> String {
    if name == "xla-playground" { "src".to_owned() } else { format!("crates/{}", short_name(name)) }
}
