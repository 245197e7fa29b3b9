//! What went wrong between the harness and the browser, as one sentence.
//!
//! Setting up returns [`Result`]; on a [`crate::Page`] a failed expectation is the test's failure and panics.

use std::fmt;

/// A sentence that says what failed, where and, where known, what to do.
#[derive(Debug)]
pub struct Error(String);

/// A result of the harness.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error that says `message`.
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

/// Adds what was being done to an error of another crate.
pub(crate) trait Context<T> {
    fn context(self, doing: impl fmt::Display) -> Result<T>;
}

impl<T, E: fmt::Display> Context<T> for std::result::Result<T, E> {
    fn context(self, doing: impl fmt::Display) -> Result<T> {
        self.map_err(|error| Error(format!("{doing}: {error}")))
    }
}

/// Ends the test with `message`, at the place of the test that asked.
#[track_caller]
#[allow(clippy::panic, reason = "a failed expectation on a page is a failed test, and the runner catches it")]
pub(crate) fn fail(message: impl fmt::Display) -> ! {
    panic!("{message}")
}

/// The value, or the end of the test if the browser did not do as it was told.
#[track_caller]
pub(crate) fn sure<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => fail(error),
    }
}
