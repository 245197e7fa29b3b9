//! The limits and the errors of the readers of files.

use std::io;

use crate::i18n::Message;

/// Why a file cannot be used as an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum FileError {
    /// It is invalid, or exceeds a limit.
    Rejected {
        /// The identifier of the diagnostic.
        rule: &'static str,
        /// The text for the user.
        message: Message,
    },
    /// Reading was cancelled.
    Cancelled,
}

/// The error of a rule, with a message that names the file.
pub(super) fn rejected(rule: &'static str, file: &str, key: &'static str) -> FileError {
    FileError::Rejected { rule, message: Message::files(key).with("file", file) }
}

/// The error of a malformed file.
pub(super) fn malformed(file: &str, key: &'static str) -> FileError {
    rejected("array-file", file, key)
}

/// The error of a file that cannot be read.
pub fn unreadable(file: &str, error: &io::Error) -> FileError {
    let message = Message::files("file-unreadable").with("file", file).with("error", error.to_string());
    FileError::Rejected { rule: "file", message }
}

/// Reads the arguments of one run from files, within its limits.
pub struct ArgumentReader<'a> {
    /// The limit on the bytes of all arguments in memory.
    pub(super) max_bytes: u64,
    pub(super) remaining_bytes: u64,
    pub(super) is_cancelled: &'a dyn Fn() -> bool,
}

impl<'a> ArgumentReader<'a> {
    /// A reader for arguments of at most `max_bytes` in memory together. Reading is cancelled once `is_cancelled` returns true.
    pub fn new(max_bytes: u64, is_cancelled: &'a dyn Fn() -> bool) -> Self {
        Self { max_bytes, remaining_bytes: max_bytes, is_cancelled }
    }
}
