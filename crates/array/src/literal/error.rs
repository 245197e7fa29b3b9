//! Why a literal cannot be made.

use std::fmt;

use crate::Violation;
use xla_messages::i18n::Message;

/// Why a literal cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralError {
    /// The rule's label, as `literal-size`, or that of the shape's rule.
    pub rule: &'static str,
    /// What is wrong.
    pub message: Message,
}

impl LiteralError {
    pub(super) fn new(rule: &'static str, message: Message) -> Self {
        Self { rule, message }
    }

    /// The error of values for which no memory is left.
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
