//! What a command answers: a line of JSON, or why there is no answer.

use std::io::{self, Write};

use serde::Serialize;

use crate::diagnostic::Diagnostic;

/// Why a command has no answer.
pub(super) enum Failure {
    /// An input is wrong.
    Input {
        diagnostic: Box<Diagnostic>,
        /// The input it speaks of.
        source: String,
        /// The shape as far as it was understood.
        shape: Option<String>,
    },
    /// What is wrong was said already.
    Told,
    /// Ctrl+C ended it, and that was said.
    Interrupted,
    /// The answer could not be written.
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

/// Says something on standard error. Without a reader nobody misses it.
pub(super) fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes `value` as one line of JSON.
pub(super) fn json_line(out: &mut impl Write, value: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}
