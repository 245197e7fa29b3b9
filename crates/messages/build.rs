//! Compiles the catalogues in `src/i18n`, a folder per language with a file per catalogue, into Rust tables.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

#[path = "src/i18n/compiled.rs"]
mod compiled;
#[path = "build/patterns.rs"]
mod patterns;

use patterns::CompiledMessages;

/// The language that comes first and whose keys and arguments the others must have.
const ENGLISH: &str = "en";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("src/i18n");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=build");
    let mut languages = entry_names(&folder, Path::is_dir)?;
    languages.sort_by_key(|tag| (tag != ENGLISH, tag.clone()));
    let mut file_names =
        entry_names(&folder.join(ENGLISH), |path| path.extension().is_some_and(|e| e == "ftl"))?;
    file_names.sort();
    let mut table = String::new();
    writeln!(table, "pub(super) static TAGS: [&str; {}] = {languages:?};", languages.len())?;
    let mut catalogues = Vec::new();
    for file_name in &file_names {
        let read = |tag: &String| -> Result<(String, CompiledMessages), Box<dyn Error>> {
            let file = folder.join(tag).join(file_name);
            let path = file.display();
            let source = fs::read_to_string(&file).map_err(|error| format!("{path}: {error}"))?;
            Ok((tag.clone(), patterns::compile(&source).map_err(|error| format!("{path}: {error}"))?))
        };
        let languages = languages.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let catalogue = file_name.trim_end_matches(".ftl");
        write_catalogue(&mut table, catalogue, &languages)?;
        if let Some(names) = language_names(&languages) {
            writeln!(table, "pub(super) static NAMES: [&str; {}] = {names:?};", names.len())?;
        }
        catalogues.push(catalogue.to_uppercase());
    }
    writeln!(table, "static TRANSLATED: [(&Catalogue, &Translations); {}] = [", catalogues.len())?;
    for name in catalogues {
        writeln!(table, "    (&{name}, &{name}_TRANSLATIONS),")?;
    }
    writeln!(table, "];")?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("catalogues.rs"), table)?;
    Ok(())
}

/// The names of the entries of a folder for which `is_chosen` holds.
fn entry_names(folder: &Path, is_chosen: impl Fn(&Path) -> bool) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_chosen(&entry.path()) {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

/// The key of a language's name in the language itself.
const LANGUAGE_NAME: &str = "language-name";

/// The name of each language in the language itself, if this catalogue has them.
fn language_names(languages: &[(String, CompiledMessages)]) -> Option<Vec<&str>> {
    languages.iter().map(|(_, own)| own.get(LANGUAGE_NAME).map(|name| name.pattern.as_str())).collect()
}

/// Writes the statics of a catalogue: its English messages and its translations. Fails if a language has no plural rule, or other
/// keys or arguments than English.
fn write_catalogue(
    table: &mut String,
    catalogue: &str,
    languages: &[(String, CompiledMessages)],
) -> Result<(), Box<dyn Error>> {
    let [(_, english), ..] = languages else {
        return Err("there is no language".into());
    };
    let mut translations = String::new();
    for (tag, messages) in languages {
        if compiled::plural_rule(tag).is_none() {
            return Err(format!("src/i18n/compiled.rs has no plural rule for {tag}").into());
        }
        for key in english.keys().chain(messages.keys()) {
            match (english.get(key), messages.get(key)) {
                (Some(english), Some(message)) if english.arguments == message.arguments => {}
                (Some(_), Some(_)) => return Err(format!("{tag}/{catalogue}.ftl: arguments of {key}").into()),
                (None, _) => return Err(format!("{tag}/{catalogue}.ftl: {key} is not in English").into()),
                (_, None) => return Err(format!("{tag}/{catalogue}.ftl: {key} is missing").into()),
            }
        }
        if tag != ENGLISH {
            writeln!(translations, "    {:?},", joined(&pattern_texts(messages)))?;
        }
    }
    let keys: Vec<&str> = english.keys().map(String::as_str).collect();
    let name = catalogue.to_uppercase();
    writeln!(table, "static {name}_TRANSLATIONS: Translations = [\n{translations}];")?;
    writeln!(
        table,
        "pub(super) static {name}: Catalogue = Catalogue::new({catalogue:?}, {:?}, {:?});",
        joined(&keys),
        joined(&pattern_texts(english))
    )?;
    Ok(())
}

/// The compiled messages, in the order of their keys.
fn pattern_texts(messages: &CompiledMessages) -> Vec<&str> {
    messages.values().map(|message| message.pattern.as_str()).collect()
}

fn joined(parts: &[&str]) -> String {
    parts.join(&compiled::SEPARATOR.to_string())
}
