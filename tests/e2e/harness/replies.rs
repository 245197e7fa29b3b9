//! Replies of a site in place of its files: the failures of real networks and hosts.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A reply in place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// This status, without a file.
    Status(u16),
    /// The connection is closed without a reply.
    CloseConnection,
    /// No reply ever arrives.
    Hang,
    /// The file arrives, but only once this reply is replaced or the site is reset.
    Hold,
    /// Half of the file arrives, then nothing.
    Stall,
    /// Half of the file arrives, then the connection is closed.
    Cut,
    /// Content that replaces the site's own.
    Content(Vec<u8>),
}

/// The replies of a site, which can be changed at any time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replies(Arc<(Mutex<Rules>, Condvar)>);

/// Names of files, each with its reply.
type Rules = Vec<(String, Reply)>;

impl Replies {
    /// Replaces a file by a reply, until this is changed. The name has no hash.
    pub(crate) fn set(&self, name: &str, reply: Reply) {
        let mut rules = self.rules();
        rules.retain(|(file, _)| file != name);
        rules.push((name.to_owned(), reply));
        self.0.1.notify_all();
    }

    /// Serves every file as it is from now on.
    pub(crate) fn clear(&self) {
        self.rules().clear();
        self.0.1.notify_all();
    }

    /// The reply in place of a file, if one is set, after waiting while it is [`Reply::Hold`].
    pub(crate) fn of(&self, path: &Path) -> Option<Reply> {
        let is_held = |rules: &mut Rules| find(rules, path) == Some(&Reply::Hold);
        let rules = self.0.1.wait_while(self.rules(), is_held).unwrap_or_else(PoisonError::into_inner);
        find(&rules, path).cloned()
    }

    fn rules(&self) -> MutexGuard<'_, Rules> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of a rule for every file.
pub(crate) const EVERY_FILE: &str = "*";

fn find<'a>(rules: &'a [(String, Reply)], path: &Path) -> Option<&'a Reply> {
    rules.iter().find(|(name, _)| name == EVERY_FILE || is_named(path, name)).map(|(_, reply)| reply)
}

/// Whether a path is the file of this name, with or without a hash before its extension.
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
        let (replies, path) = (Replies::default(), Path::new("a.js"));
        assert_eq!(replies.of(path), None);
        replies.set("a.js", Reply::Hang);
        replies.set("a.js", Reply::Status(404));
        assert_eq!(replies.of(path), Some(Reply::Status(404)));
        assert_eq!(replies.of(Path::new("b.js")), None);
        replies.set(EVERY_FILE, Reply::CloseConnection);
        assert_eq!(replies.of(Path::new("b.js")), Some(Reply::CloseConnection));
        replies.clear();
        assert_eq!(replies.of(path), None);
    }

    #[test]
    fn a_held_reply_waits_for_the_next_rule() {
        let replies = Replies::default();
        replies.set("a.js", Reply::Hold);
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| sender.send(replies.of(Path::new("a.js"))));
            assert_eq!(replies.of(Path::new("b.js")), None);
            assert!(receiver.try_recv().is_err());
            replies.set("a.js", Reply::Cut);
            assert_eq!(receiver.recv(), Ok(Some(Reply::Cut)));
        });
    }
}
