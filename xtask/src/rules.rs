//! Rules for the files in git: a Rust file is short enough to read at once, and no file names a folder of one machine.

use std::fs;
use std::path::Path;

use crate::Result;
use crate::process::Process;

/// The most lines a Rust file may have.
const MOST_LINES: usize = 500;

/// Folders in which someone's machine keeps its files. Written in two parts, so as not to be found here.
const MACHINE_FOLDERS: [&str; 4] =
    [concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];

/// Checks the files git has and those it would take.
pub fn check() -> Result<()> {
    let files = Process::new("git")?.line("ls-files --cached --others --exclude-standard").output()?;
    let mut broken = Vec::new();
    let mut count = 0;
    // A file that is listed but gone was deleted and not yet committed; one that is not text has no lines.
    for (path, text) in files.lines().filter_map(|path| Some((path, fs::read_to_string(path).ok()?))) {
        count += 1;
        broken.extend(problems(path, &text));
    }
    if broken.is_empty() {
        println!("{count} files");
        return Ok(());
    }
    Err(broken.join("\n").into())
}

/// What is wrong with a file.
fn problems(path: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let lines = text.lines().count();
    if Path::new(path).extension().is_some_and(|extension| extension == "rs") && lines > MOST_LINES {
        problems.push(format!("{path}: {lines} lines; split it, {MOST_LINES} are the most"));
    }
    for (number, line) in text.lines().enumerate() {
        if let Some(folder) = machine_folder(line) {
            problems.push(format!("{path}:{}: names a folder of one machine, {folder}", number + 1));
        }
    }
    problems
}

/// The machine's folder an absolute path in the line starts with, if there is one.
fn machine_folder(line: &str) -> Option<&'static str> {
    MACHINE_FOLDERS.into_iter().find(|folder| {
        let starts_a_path = |place: usize| {
            let before = line[..place].chars().next_back();
            !before.is_some_and(|each| each.is_alphanumeric() || matches!(each, '.' | '_' | '-' | '*' | '}'))
        };
        line.match_indices(folder).any(|(place, _)| starts_a_path(place))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_rust_file_is_a_problem() {
        assert!(problems("a.rs", &"\n".repeat(500)).is_empty());
        assert_eq!(problems("a.rs", &"\n".repeat(501)).len(), 1);
        assert!(problems("a.md", &"\n".repeat(501)).is_empty());
    }

    #[test]
    fn a_path_of_a_machine_is_a_problem_and_a_relative_one_is_not() {
        let named = |before: &str| problems("a.md", &format!("{before}{}x", MACHINE_FOLDERS[0])).len();
        assert_eq!(named(""), 1);
        assert_eq!(named("see `"), 1);
        assert_eq!(named("file://"), 1);
        assert_eq!(named("tree"), 0);
    }
}
