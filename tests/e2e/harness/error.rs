//! Errors between the harness and the browser, as one message.
//!
//! Set-up functions return [`Result`]; on a [`crate::Page`] a failed expectation is a failed test and panics.

use std::fmt;

/// A message that says what failed, where, and if known, what to do.
#[derive(Debug)]
pub struct Error(String);

/// A result of the harness.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Adds a context to an error of another crate.
pub(crate) trait Context<T> {
    fn context(self, doing: impl fmt::Display) -> Result<T>;
}

impl<T, E: fmt::Display> Context<T> for std::result::Result<T, E> {
    fn context(self, doing: impl fmt::Display) -> Result<T> {
        self.map_err(|error| Error(format!("{doing}: {error}")))
    }
}

/// Fails the test with `message`, at the caller's location.
#[track_caller]
#[allow(clippy::panic, reason = "a failed expectation fails the test, and the runner catches the panic")]
pub(crate) fn fail(message: impl fmt::Display) -> ! {
    panic!("{message}")
}

/// The value; fails the test if the browser failed.
#[track_caller]
pub(crate) fn or_fail<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => fail(error),
    }
}
