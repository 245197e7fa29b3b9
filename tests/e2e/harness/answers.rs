//! What a site answers in place of some of its files: the failures that real networks and hosts have.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// An answer in place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// This status, and no file.
    Status(u16),
    /// The connection is closed without an answer.
    Nothing,
    /// No answer comes.
    Hang,
    /// Half of the file comes, and no more.
    Stall,
    /// Half of the file comes, then the connection is closed.
    Cut,
    /// Another content.
    Content(Vec<u8>),
}

/// The rules of a site, which can change at any time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answers(Arc<Mutex<Vec<(String, Answer)>>>);

impl Answers {
    /// From now on this is answered in place of a file, which is named without the hash in its name.
    pub(crate) fn set(&self, name: &str, answer: Answer) {
        let mut rules = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rules.retain(|(of, _)| of != name);
        rules.push((name.to_owned(), answer));
    }

    /// From now on every file is served as it is.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The answer in place of a file, if there is one.
    pub(crate) fn of(&self, path: &Path) -> Option<Answer> {
        let rules = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rules.iter().find(|(name, _)| is_named(path, name)).map(|(_, answer)| answer.clone())
    }
}

/// Whether a path is that of the file of this name, or of this name with a hash before its extension.
pub(crate) fn is_named(path: &Path, name: &str) -> bool {
    let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
    let file = path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
    let middle = file.strip_prefix(stem).and_then(|rest| rest.strip_suffix(end)?.strip_suffix('.'));
    let is_hash = |text: &str| text.len() == 12 && text.chars().all(|c| c.is_ascii_hexdigit());
    middle.is_some_and(|middle| middle.is_empty() || middle.strip_prefix('-').is_some_and(is_hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_without_its_hash() {
        let is = |path: &str, name: &str| is_named(Path::new(path), name);
        assert!(is("worker-0123456789ab.js", "worker.js") && is("worker.js", "worker.js"));
        assert!(is("snippets/a/in-0123456789ab.js", "in.js"));
        assert!(!is("worker_loader-0123456789ab.js", "worker.js"));
        assert!(!is("worker-0123456789ab.wasm", "worker.js"));
        assert!(!is("worker-loader.js", "worker.js"));
    }

    #[test]
    fn rules_hold_until_they_are_changed() {
        let (answers, path) = (Answers::default(), Path::new("a.js"));
        assert_eq!(answers.of(path), None);
        answers.set("a.js", Answer::Hang);
        answers.set("a.js", Answer::Status(404));
        assert_eq!(answers.of(path), Some(Answer::Status(404)));
        assert_eq!(answers.of(Path::new("b.js")), None);
        answers.clear();
        assert_eq!(answers.of(path), None);
    }
}
