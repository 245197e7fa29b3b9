//! Checks the subjects of commits: at most 72 characters, no final period, no prefix such as `feat:`.

use crate::Result;
use crate::process::Process;

/// The last commit before the rule was introduced; later ones must obey it.
const SINCE: &str = "f4ac2be";
/// Maximum number of characters of a subject.
const MAX_SUBJECT_CHARS: usize = 72;

/// Checks the commits in git's history; a shallow clone may have none to check.
pub fn check() -> Result<()> {
    let git = |line: &str| Process::new("git")?.args(line).output();
    if git(&format!("merge-base --is-ancestor {SINCE} HEAD")).is_err() {
        println!("this clone lacks the history since {SINCE}: nothing to check");
        return Ok(());
    }
    let log = git(&format!("log --no-merges --format=%h%x09%s {SINCE}..HEAD"))?;
    let commits = log.lines().filter_map(|line| line.split_once('\t'));
    let mut problems = Vec::new();
    for (commit, subject) in commits {
        problems.extend(problem(subject).map(|problem| format!("{commit} \"{subject}\": {problem}")));
    }
    if problems.is_empty() {
        println!("{} commits", log.lines().count());
        return Ok(());
    }
    Err(problems.join("\n").into())
}

/// The error of a subject, if any.
fn problem(subject: &str) -> Option<&'static str> {
    let word = subject.split([':', '(', '!']).next().unwrap_or_default();
    let is_prefix = word.len() < subject.len()
        && !word.is_empty()
        && word.chars().all(|c| c.is_ascii_lowercase())
        && subject.contains(": ");
    match () {
        () if subject.chars().count() > MAX_SUBJECT_CHARS => Some("it has more than 72 characters"),
        () if subject.ends_with('.') => Some("it ends with a period"),
        () if is_prefix => Some("it begins with a prefix"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_keeps_the_rules() {
        assert_eq!(problem("Pack the left operand once per block"), None);
        assert_eq!(problem("Name the module `ops::dot`: it holds the definition"), None);
        assert_eq!(problem(&"X".repeat(72)), None);
        assert!(problem(&"X".repeat(73)).is_some());
        assert!(problem("Pack the left operand.").is_some());
        assert!(problem("feat: pack the left operand").is_some());
        assert!(problem("fix(kernels)!: pack the left operand").is_some());
    }
}
