//! The results of parsing.

use crate::module::Module;
use xla_messages::diagnostic::{Diagnostic, Severity};

/// Maximum number of errors, at which parsing stops, and of warnings; more would be noise.
pub(super) const MAX_DIAGNOSTICS: usize = 200;

/// The result of parsing.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The module, as far as it could be parsed. If there are errors, it can be inspected and printed, but not run.
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

/// The result of one pass over the text, whose builder forms are not lowered yet.
pub(super) struct Pass {
    pub parsed: Parsed,
    /// One note per builder form, with the edits that lower it.
    pub notes: Vec<Diagnostic>,
}
