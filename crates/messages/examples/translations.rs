//! Writes the file of each text domain in each language but English into a folder, as the site has them.
//!
//! `cargo run --package xla-messages --example translations -- FOLDER`

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use xla_messages::i18n::{Domain, Language};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::args_os().nth(1).ok_or("the folder is missing")?);
    for language in Language::all().filter(|language| *language != Language::ENGLISH) {
        for domain in Domain::OF_THE_SITE {
            let file = domain.file(language);
            let text = domain.text(language).ok_or_else(|| format!("{file} is not compiled"))?;
            fs::write(folder.join(file), text)?;
        }
    }
    Ok(())
}
