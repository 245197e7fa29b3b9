//! Rules for the files in git: the length of Rust files, no unit test where none runs, and no path of a particular machine.

use std::fs;
use std::path::Path;

use crate::Result;
use crate::process::Process;

/// Maximum number of lines of a Rust file.
const MAX_LINES: usize = 500;

/// The folder of code that is compiled only for browsers.
const BROWSER_ONLY: &str = "src/app/";

/// Home and working folders of machines, in two parts, so that this file does not violate the rule.
const MACHINE_FOLDERS: [&str; 4] =
    [concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];

/// Checks the tracked and the untracked files that git does not ignore.
pub fn check() -> Result<()> {
    let files = Process::new("git")?.args("ls-files --cached --others --exclude-standard").output()?;
    let mut violations = Vec::new();
    let mut count = 0;
    // A listed file may be deleted, but not yet committed; binary files have no lines.
    for (path, text) in files.lines().filter_map(|path| Some((path, fs::read_to_string(path).ok()?))) {
        count += 1;
        violations.extend(problems(path, &text));
    }
    if violations.is_empty() {
        println!("{count} files");
        return Ok(());
    }
    Err(violations.join("\n").into())
}

/// The errors of a file.
fn problems(path: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let lines = text.lines().count();
    if Path::new(path).extension().is_some_and(|extension| extension == "rs") && lines > MAX_LINES {
        problems.push(format!("{path}: {lines} lines; split it, at most {MAX_LINES} are allowed"));
    }
    if path.starts_with(BROWSER_ONLY) && text.contains("#[test]") {
        problems.push(format!(
            "{path}: a test that never runs, for {BROWSER_ONLY} is compiled only for browsers"
        ));
    }
    for (index, line) in text.lines().enumerate() {
        if let Some(folder) = machine_folder(line) {
            problems.push(format!("{path}:{}: contains a path of one machine, {folder}", index + 1));
        }
    }
    problems
}

/// The machine's folder at the start of an absolute path in the line, if there is one.
fn machine_folder(line: &str) -> Option<&'static str> {
    MACHINE_FOLDERS.into_iter().find(|folder| {
        let starts_path = |position: usize| {
            let before = line[..position].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '*' | '}'))
        };
        line.match_indices(folder).any(|(position, _)| starts_path(position))
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
    fn a_test_that_never_runs_is_a_problem() {
        assert_eq!(problems("src/app/a.rs", "#[test]").len(), 1);
        assert!(problems("src/app/a.rs", "fn a() {}").is_empty());
        assert!(problems("src/a.rs", "#[test]").is_empty());
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
