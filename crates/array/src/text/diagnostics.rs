//! Collects the diagnostics of one text, and builds the messages of their hints.

use xla_messages::diagnostic::{Diagnostic, Hint, Severity, Span, sort_by_span};
use xla_messages::i18n::Message;

/// Maximum number of diagnostics per text.
const MAX_DIAGNOSTICS: usize = 100;

/// Collects the diagnostics of the text, in the order of their discovery.
pub(super) struct DiagnosticSink {
    found: Vec<Diagnostic>,
    /// The number of errors that XLA's parser stops at; it tolerates the others.
    errors: usize,
    length: usize,
}

impl DiagnosticSink {
    pub fn new(text: &str) -> Self {
        Self { found: Vec::new(), errors: 0, length: text.len() }
    }

    /// An error that XLA's parser stops at too.
    pub fn error(&mut self, span: Span, rule: &'static str, message: Message, hints: Vec<Hint>) {
        self.errors += 1;
        self.push(Diagnostic { severity: Severity::Error, span, rule, message, hints });
    }

    /// A mistake that XLA's parser tolerates if the layout has no other error; see [`DiagnosticSink::tolerate`].
    pub fn recoverable(&mut self, span: Span, rule: &'static str, message: Message, hints: Vec<Hint>) {
        self.push(Diagnostic { severity: Severity::Error, span, rule, message, hints });
    }

    /// Text that is accepted, though probably not with the intended meaning.
    pub fn warning(&mut self, span: Span, rule: &'static str, message: Message, hints: Vec<Hint>) {
        self.push(Diagnostic { severity: Severity::Warning, span, rule, message, hints });
    }

    fn push(&mut self, mut diagnostic: Diagnostic) {
        diagnostic.span.end = diagnostic.span.end.min(self.length);
        if self.found.len() < MAX_DIAGNOSTICS {
            self.found.push(diagnostic);
        }
    }

    /// Whether [`MAX_DIAGNOSTICS`] is reached.
    pub fn is_full(&self) -> bool {
        self.found.len() >= MAX_DIAGNOSTICS
    }

    /// The current state, for [`DiagnosticSink::tolerate`] and [`DiagnosticSink::reset`].
    pub fn mark(&self) -> (usize, usize) {
        (self.found.len(), self.errors)
    }

    /// Discards what was found since `mark`.
    pub fn reset(&mut self, mark: (usize, usize)) {
        self.found.truncate(mark.0);
        self.errors = mark.1;
    }

    /// Turns the recoverable mistakes since `mark` into warnings, if there was no other error since.
    pub fn tolerate(&mut self, mark: (usize, usize)) {
        if self.errors == mark.1 {
            for recoverable in &mut self.found[mark.0..] {
                recoverable.severity = Severity::Warning;
            }
        }
    }

    /// The diagnostics, in the order of their spans.
    pub fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        sort_by_span(&mut self.found, |d| Span::at(d.span.start));
        self.found
    }
}

/// The piece of text at `span`, shortened for a message.
pub(super) fn excerpt(text: &str, span: Span) -> String {
    let piece = text.get(span.range()).unwrap_or_default();
    match piece.char_indices().nth(24) {
        Some((cut, _)) => format!("{}…", &piece[..cut]),
        None => piece.to_owned(),
    }
}

/// The message of a hint: "write …".
pub(super) fn write_message(text: &str) -> Message {
    Message::new("text-hint-write").with("text", text)
}

/// The message of a hint: "insert …".
pub(super) fn insert_message(text: &str) -> Message {
    Message::new("text-hint-insert").with("text", text)
}

/// The message of a hint: "remove …".
pub(super) fn remove_message(text: impl Into<String>) -> Message {
    Message::new("text-hint-remove").with("text", text.into())
}
