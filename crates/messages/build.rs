//! Compiles the catalogues in `src/i18n`, a folder per language with a file per part of the product, into Rust tables.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

#[path = "src/i18n/compiled.rs"]
mod compiled;
#[path = "build/patterns.rs"]
mod patterns;

use patterns::Sentences;

/// The language that comes first and whose keys and arguments the others must have.
const ENGLISH: &str = "en";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("src/i18n");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=build");
    let mut languages = names(&folder, Path::is_dir)?;
    languages.sort_by_key(|tag| (tag != ENGLISH, tag.clone()));
    let mut parts = names(&folder.join(ENGLISH), |path| path.extension().is_some_and(|e| e == "ftl"))?;
    parts.sort();
    let mut table = String::new();
    for part in &parts {
        let read = |tag: &String| -> Result<(String, Sentences), Box<dyn Error>> {
            let file = folder.join(tag).join(part);
            let place = file.display();
            let source = fs::read_to_string(&file).map_err(|error| format!("{place}: {error}"))?;
            Ok((tag.clone(), patterns::compile(&source).map_err(|error| format!("{place}: {error}"))?))
        };
        let languages = languages.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        write_catalogue(&mut table, part.trim_end_matches(".ftl"), &languages)?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("catalogues.rs"), table)?;
    Ok(())
}

/// The names of the entries of a folder that are chosen.
fn names(folder: &Path, is_chosen: impl Fn(&Path) -> bool) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_chosen(&entry.path()) {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

/// Writes the static of one part. Errors: a language has no plural rule, or other keys or arguments than English.
fn write_catalogue(
    table: &mut String,
    part: &str,
    languages: &[(String, Sentences)],
) -> Result<(), Box<dyn Error>> {
    let [(_, english), ..] = languages else {
        return Err("there is no language".into());
    };
    let mut texts = String::new();
    for (tag, own) in languages {
        if compiled::plural_rule(tag).is_none() {
            return Err(format!("src/i18n/compiled.rs has no plural rule for {tag}").into());
        }
        for key in english.keys().chain(own.keys()) {
            match (english.get(key), own.get(key)) {
                (Some(english), Some(own)) if english.arguments == own.arguments => {}
                (Some(_), Some(_)) => return Err(format!("{tag}/{part}.ftl: arguments of {key}").into()),
                (None, _) => return Err(format!("{tag}/{part}.ftl: {key} is not in English").into()),
                (_, None) => return Err(format!("{tag}/{part}.ftl: {key} is missing").into()),
            }
        }
        let patterns: Vec<&str> = own.values().map(|sentence| sentence.pattern.as_str()).collect();
        writeln!(texts, "    Text::new({tag:?}, {:?}),", joined(&patterns))?;
    }
    let keys: Vec<&str> = english.keys().map(String::as_str).collect();
    let name = part.to_uppercase();
    writeln!(table, "static {name}_TEXTS: [Text; {}] = [\n{texts}];", languages.len())?;
    writeln!(
        table,
        "pub(super) static {name}: Catalogue = Catalogue::new({part:?}, {:?}, &{name}_TEXTS);",
        joined(&keys)
    )?;
    Ok(())
}

fn joined(parts: &[&str]) -> String {
    parts.join(&compiled::SEPARATOR.to_string())
}
