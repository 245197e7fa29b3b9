//! `completions` and `man`: shell completions and manual pages of the command line.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::arguments::{Cli, NAME};
use super::output::{Failure, print_error};
use crate::i18n::Message;

/// Prints the completions of a shell.
pub(super) fn completions(out: &mut impl Write, shell: Shell) -> Result<(), Failure> {
    // A failed write would be a panic of the generator.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), NAME, &mut script);
    Ok(out.write_all(&script)?)
}

/// The pages of the program and of its commands, by their names.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut program = Cli::command();
    program.build();
    let page = |name: String, command: Command| {
        let mut page = Vec::new();
        Man::new(command).title(name.clone()).render(&mut page)?;
        Ok((name, page))
    };
    let commands =
        program.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help");
    let of_commands = commands.map(|command| page(format!("{NAME}-{}", command.get_name()), command.clone()));
    [page(NAME.to_owned(), program.clone())].into_iter().chain(of_commands).collect()
}

/// Prints the page of the program, or of one of its commands.
pub(super) fn man(out: &mut impl Write, command: Option<&str>) -> Result<(), Failure> {
    let name = command.map_or_else(|| NAME.to_owned(), |command| format!("{NAME}-{command}"));
    let page = pages()?.into_iter().find_map(|(found, page)| (found == name).then_some(page));
    if let Some(page) = page {
        return Ok(out.write_all(&page)?);
    }
    print_error(&Message::terminal("cli-man-unknown").with("name", command.unwrap_or_default()).to_string());
    Err(Failure::Reported)
}

/// Writes all pages into a folder, and prints their paths.
pub(super) fn write_pages(out: &mut impl Write, folder: &str) -> Result<(), Failure> {
    for (name, page) in pages()? {
        let path = Path::new(folder).join(format!("{name}.1"));
        if let Err(error) = fs::create_dir_all(folder).and_then(|()| fs::write(&path, page)) {
            let message = Message::terminal("cli-man-folder").with("file", path.display().to_string());
            print_error(&message.with("error", error.to_string()).to_string());
            return Err(Failure::Reported);
        }
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}
