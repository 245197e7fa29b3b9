//! `docs/documents.md` lists every heading, signature, argument and example, each with a test that exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use xla_playground::documents::SECTIONS;

const PAGE: &str = include_str!("../../../docs/documents.md");

/// A row of a table: what it is, its text, and its last column.
fn rows(section: &str) -> impl Iterator<Item = [&str; 3]> {
    let rows = section.lines().filter(|line| line.starts_with("| "));
    rows.filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        <[&str; 3]>::try_from(cells).ok()
    })
}

/// The sections of the page by their headings.
fn sections() -> Vec<(&'static str, &'static str)> {
    PAGE.split("\n## ").skip(1).filter_map(|section| section.split_once('\n')).collect()
}

/// The names and the files of the tests that a row links to.
fn tests(cell: &str) -> Vec<(&str, &str)> {
    let links = cell.split("[`").skip(1);
    links
        .filter_map(|link| link.split_once("`](../"))
        .map(|(name, rest)| (name, rest.split(')').next().unwrap_or_default()))
        .collect()
}

#[test]
fn the_page_lists_every_heading_signature_argument_and_example() {
    let sections = sections();
    let mut missing = Vec::new();
    let mut listed = BTreeSet::new();
    for heading in SECTIONS {
        let Some((_, section)) = sections.iter().find(|(name, _)| *name == heading.name) else {
            missing.push(heading.name.to_owned());
            continue;
        };
        let rows: BTreeSet<(String, String)> =
            rows(section).map(|[kind, text, _]| (kind.to_owned(), text.to_owned())).collect();
        for entry in heading.entries {
            let name = entry.name;
            let signatures = entry.signatures.iter().map(|own| (format!("{name}: signature"), *own));
            let arguments = entry.arguments.iter().map(|own| (format!("{name}: argument"), own.name));
            let examples = entry.examples.iter().enumerate();
            let examples = examples.map(|(i, example)| (format!("`@{name}.{i}`"), example.call));
            for (kind, text) in signatures.chain(arguments).chain(examples) {
                let row = (kind, format!("`{text}`"));
                if !rows.contains(&row) {
                    missing.push(format!("{row:?}"));
                }
                listed.insert(row);
            }
        }
        for (kind, text) in &rows {
            let is_listed = kind == "statement" || listed.contains(&(kind.clone(), text.clone()));
            assert!(is_listed, "{}: the product has no {kind} {text}", heading.name);
        }
    }
    assert!(missing.is_empty(), "not in docs/documents.md: {missing:#?}");
}

#[test]
fn every_row_of_the_page_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut checked = 0;
    for (name, section) in sections() {
        let mut statements = 0;
        for [kind, text, cell] in rows(section).filter(|[_, _, cell]| *cell != "test") {
            let tests = tests(cell);
            assert!(!tests.is_empty(), "{name}: no test holds {kind} {text}");
            for (test, file) in tests {
                let source = fs::read_to_string(root.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
                assert!(source.contains(&format!("fn {test}(")), "{file} has no test {test}");
                checked += 1;
            }
            statements += usize::from(kind == "statement");
        }
        assert!(statements > 0, "{name} has no statement");
    }
    assert!(checked > 400, "{checked}");
}
