//! What parsing returns.

use crate::module::Module;
use xla_messages::diagnostic::{Diagnostic, Severity};

/// Bound on errors, after which parsing stops, and on warnings; more would be noise.
pub(super) const MAX_DIAGNOSTICS: usize = 200;

/// The result of parsing.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The module as far as it could be read. If there are errors, it can be inspected and printed, but not run.
    pub module: Module,
    /// Errors and warnings, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// The first error; `None` if the module can be run.
    pub fn error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|d| d.severity == Severity::Error)
    }

    /// The module if it has no errors (it may have warnings), else the first error.
    pub fn into_module(self) -> Result<Module, Box<Diagnostic>> {
        match self.error() {
            Some(error) => Err(Box::new(error.clone())),
            None => Ok(self.module),
        }
    }
}

/// A text as it is read once, before its forms are lowered.
pub(super) struct Pass {
    pub parsed: Parsed,
    /// The forms of the builder, with the edits that lower them.
    pub notes: Vec<Diagnostic>,
}
