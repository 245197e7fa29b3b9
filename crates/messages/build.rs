//! Lists the catalogues in `src/i18n`: a folder per language, in it a file per part of the product.

use std::{collections::BTreeMap, env, error::Error, fmt::Write as _, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("src/i18n");
    println!("cargo::rerun-if-changed={}", folder.display());
    // Part → language tag → file.
    let mut parts: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for language in fs::read_dir(&folder)? {
        let language = language?;
        if !language.file_type()?.is_dir() {
            continue;
        }
        for file in fs::read_dir(language.path())? {
            let path = file?.path();
            if path.extension().is_some_and(|e| e == "ftl")
                && let Some(part) = path.file_stem().and_then(|s| s.to_str())
            {
                let tag = language.file_name().to_string_lossy().into_owned();
                parts.entry(part.to_owned()).or_default().push((tag, path.display().to_string()));
            }
        }
    }
    let mut table = String::new();
    for (part, files) in &mut parts {
        // English first: it is the language every other one falls back to.
        files.sort_by_key(|(tag, _)| (tag != "en", tag.clone()));
        writeln!(table, "static {}: Catalogue = Catalogue::new({part:?}, &[", part.to_uppercase())?;
        for (tag, file) in files {
            writeln!(table, "    ({tag:?}, include_str!({file:?})),")?;
        }
        writeln!(table, "]);")?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("catalogues.rs"), table)?;
    Ok(())
}
