//! The error of constructing or converting a literal.

use std::fmt;

use crate::Violation;
use xla_messages::i18n::Message;

/// The error of constructing or converting a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralError {
    /// The identifier of the rule, e.g. `literal-size`, or of a rule of the shape.
    pub rule: &'static str,
    /// The message for the user.
    pub message: Message,
}

impl LiteralError {
    pub(super) fn new(rule: &'static str, message: Message) -> Self {
        Self { rule, message }
    }

    /// Out of memory for this number of elements.
    pub fn no_memory(cells: usize) -> Self {
        Self::new("literal-memory", Message::new("literal-no-memory").with("cells", cells))
    }
}

impl From<Violation> for LiteralError {
    fn from(violation: Violation) -> Self {
        Self { rule: violation.rule, message: violation.message }
    }
}

impl fmt::Display for LiteralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.message, self.rule)
    }
}

impl std::error::Error for LiteralError {}
