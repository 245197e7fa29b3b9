//! Lists the catalogues beside this file, so that adding a language is adding one file.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("src/i18n");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut tags = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "ftl")
            && let Some(tag) = path.file_stem().and_then(|s| s.to_str())
        {
            tags.push(tag.to_owned());
        }
    }
    // English first: it is the language every other one falls back to.
    tags.sort_by_key(|tag| (tag != "en", tag.clone()));
    let mut table = String::from("&[\n");
    for tag in tags {
        let file = folder.join(format!("{tag}.ftl"));
        writeln!(table, "    ({tag:?}, include_str!({:?})),", file.display().to_string())?;
    }
    table.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("catalogues.rs"), table)?;
    Ok(())
}
