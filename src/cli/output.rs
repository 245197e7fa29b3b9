//! The output of a command: a line of JSON, or why the command failed.

use std::io::{self, Write};

use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::diagnostic::Diagnostic;

/// Why a command failed.
pub(super) enum Failure {
    /// An invalid input.
    Input {
        diagnostic: Box<Diagnostic>,
        /// The input text of the diagnostic.
        source: String,
        /// The shape, as far as it was parsed.
        shape: Option<String>,
    },
    /// The error was printed already.
    Reported,
    /// Ctrl+C ended it, and that was printed.
    Interrupted,
    /// The output could not be written.
    Output(io::Error),
}

impl Failure {
    pub fn input(diagnostic: Diagnostic, source: &str) -> Self {
        Self::Input { diagnostic: Box::new(diagnostic), source: source.to_owned(), shape: None }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// The text with spaces after it, `columns` wide in a terminal, where a Chinese character takes two.
pub(super) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// The text with spaces before it, `columns` wide in a terminal.
pub(super) fn padded_start(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(text.width())))
}

/// Prints a line on standard error. A failed write is ignored: there is nowhere to report it.
pub(super) fn print_error(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Prints `value` as one line of JSON.
pub(super) fn json_line(out: &mut impl Write, value: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}
