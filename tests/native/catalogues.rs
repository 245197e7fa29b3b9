//! The catalogues contain exactly the messages that the code and the page's scripts use.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, iter};

use xla_playground::i18n::{Language, Message};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The arguments of each message of an English catalogue, by key.
fn keys(part: &str) -> BTreeMap<String, BTreeSet<String>> {
    let source = fs::read_to_string(root().join(format!("crates/messages/src/i18n/en/{part}.ftl"))).unwrap();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut key = String::new();
    for line in source.lines().filter(|l| !l.starts_with('#')) {
        if !line.starts_with([' ', '}'])
            && let Some((name, _)) = line.split_once(" =")
        {
            name.clone_into(&mut key);
            found.insert(key.clone(), BTreeSet::new());
        }
        for part in line.split('$').skip(1) {
            let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
            found.entry(key.clone()).or_default().insert(name);
        }
    }
    found
}

fn append_code(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            append_code(&path, text);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("i18n/tests.rs") {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

/// The sources of the root package and of all crates.
fn code() -> String {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let folders: Vec<PathBuf> = crates.chain(iter::once(root().to_owned())).map(|c| c.join("src")).collect();
    let mut code = String::from("\"language-name\"");
    for folder in &folders {
        append_code(folder, &mut code);
    }
    code
}

#[test]
fn every_key_the_code_names_is_in_the_catalogue_and_the_other_way_round() {
    let code = code();
    // Every text between two quotes, hence every literal.
    let texts: Vec<&str> = code.split('"').collect();
    let literals: HashSet<&str> = texts.iter().copied().collect();
    // The entries of the table of unary ops, which starts with the opcode and another literal; keys are derived from it.
    let rows: HashSet<&str> = texts
        .windows(3)
        .filter(|part| part[0].ends_with(' ') && part[2] == " ")
        .map(|part| part[1])
        .collect();
    let shared = keys("core");
    for (part, constructor) in [
        ("core", "new"),
        ("documents", "documents"),
        ("inspect", "inspect"),
        ("ops", "ops"),
        ("speed", "speed"),
        ("stablehlo", "stablehlo"),
        ("terminal", "terminal"),
    ] {
        let own = keys(part);
        let is_row = |key: &str| key.strip_prefix("op-").is_some_and(|opcode| rows.contains(opcode));
        let is_unused = |key: &&String| !literals.contains(key.as_str()) && !is_row(key);
        let unused: Vec<_> = own.keys().filter(is_unused).collect();
        assert!(unused.is_empty(), "keys that no code names: {unused:?}");
        let mut known = own;
        known.extend(shared.clone());
        let mut calls = vec![format!("Message::{constructor}(\"")];
        calls.extend((constructor == "new").then(|| ".text_of_key(\"".to_owned()));
        let named: BTreeSet<&str> = calls
            .iter()
            .flat_map(|call| code.split(call.as_str()).skip(1).filter_map(|rest| rest.split('"').next()))
            .collect();
        // The keys of the documents are all in their tables.
        assert!(named.len() > 10 || part == "documents", "{part}: {named:?}");
        let unknown: Vec<_> = named.iter().filter(|key| !known.contains_key(**key)).collect();
        assert!(unknown.is_empty(), "keys that {part} does not have: {unknown:?}");
    }
}

/// The arguments given at a message's construction: those of the `.with("name", …)` calls after the key.
fn given(code: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = code.strip_prefix(')').unwrap_or_default();
    while let Some(call) = rest.trim_start().strip_prefix(".with(") {
        let mut depth = 1_usize;
        let mut in_text = false;
        let mut previous = ' ';
        let end = call.find(|c| {
            match c {
                '"' if previous != '\\' && previous != '\'' => in_text = !in_text,
                '(' if !in_text => depth += 1,
                ')' if !in_text => depth -= 1,
                _ => {}
            }
            previous = c;
            depth == 0
        });
        names.extend(call.trim_start().strip_prefix('"').and_then(|name| name.split('"').next()));
        rest = end.map_or("", |end| &call[end + 1..]);
    }
    names
}

#[test]
fn messages_have_exactly_the_arguments_of_their_patterns() {
    let code = code();
    let shared = keys("core");
    let mut checked = 0;
    for (part, constructor) in [
        ("core", "new"),
        ("inspect", "inspect"),
        ("ops", "ops"),
        ("speed", "speed"),
        ("terminal", "terminal"),
    ] {
        let own = keys(part);
        for call in code.split(&format!("Message::{constructor}(\"")).skip(1) {
            let (key, rest) = call.split_once('"').unwrap();
            let Some(arguments) = own.get(key).or_else(|| shared.get(key)) else { continue };
            for name in given(rest) {
                assert!(arguments.contains(name), "{key} has no argument {name}");
                checked += 1;
            }
        }
    }
    assert!(checked > 300, "{checked}");
}

#[test]
fn the_scripts_of_the_page_name_the_keys_of_their_catalogue() {
    let scripts = [include_str!("../../static/boot.js"), include_str!("../../static/trouble.js")].concat();
    let own = keys("boot");
    // A script contains a key, or composes it from a prefix and a word elsewhere.
    let is_named = |key: &&String| {
        let made = key.rsplit_once('-').is_some_and(|(start, end)| {
            scripts.contains(&format!("`{start}-${{")) && scripts.contains(&format!("\"{end}\""))
        });
        made || scripts.contains(&format!("\"{key}\""))
    };
    let unused: Vec<_> = own.keys().filter(|key| !is_named(key)).collect();
    assert!(unused.is_empty(), "keys that no script names: {unused:?}");
    for said in scripts.split("say(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(own.contains_key(said) || keys("core").contains_key(said), "{said}");
    }
    let failure = Message::boot("boot-release").with("release", "1");
    assert_eq!(failure.localize(Language::ENGLISH), "Release 1");
}
