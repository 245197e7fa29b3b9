//! Errors, warnings and notes as JavaScript gets them: `{code, message, op, rule, severity, span, hints}`.
//!
//! Positions are UTF-16 code units of the text, as JavaScript counts, so that `text.slice(span.start, span.end)` is the
//! invalid part and the edits of a hint can be applied.

use serde::Serialize;

use xla_hlo::eval::values::RUN;
use xla_hlo::{EvalError, Module};
use xla_messages::diagnostic::{Diagnostic, LineIndex, Severity, Span};
use xla_messages::i18n::{Language, Message};
use xla_ops::OpError;

/// The kind of an error, by which a program decides what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorKind {
    /// The text of a shape, a literal or a module is invalid.
    Text,
    /// An argument of the call is invalid.
    Argument,
    /// An op failed while the program ran.
    Run,
    /// A limit of size, steps or memory was exceeded.
    Limit,
    /// The run was cancelled.
    Cancelled,
    /// The operation does not support this input.
    Unsupported,
}

/// A range of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextSpan {
    /// Its start, in UTF-16 code units.
    pub start: usize,
    /// Its end, exclusive.
    pub end: usize,
    /// The line of its start, from 1.
    pub line: usize,
    /// The column of its start in characters, from 1.
    pub column: usize,
}

/// A replacement of a range of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextEdit {
    /// The start of the replaced range, in UTF-16 code units.
    pub start: usize,
    /// Its end, exclusive.
    pub end: usize,
    /// The replacement.
    pub text: String,
}

/// A suggestion of how to fix an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HintRecord {
    /// What to do.
    pub message: String,
    /// The edits that do it, ascending and disjoint; empty if it is only advice.
    pub edits: Vec<TextEdit>,
}

/// An error, a warning or a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiagnosticRecord {
    /// Its kind, `code` in JavaScript. Warnings and notes have the kind of an error in the text.
    #[serde(rename = "code")]
    pub kind: ErrorKind,
    /// The text for the user, in English.
    pub message: String,
    /// The opcode of the instruction; null if it belongs to none.
    pub op: Option<String>,
    /// The identifier of the rule.
    pub rule: &'static str,
    /// `"error"`, `"warning"` or `"note"`.
    pub severity: &'static str,
    /// The range of the text that it is about; null if there is none.
    pub span: Option<TextSpan>,
    /// Suggestions, the likeliest first.
    pub hints: Vec<HintRecord>,
}

/// Bytes of the text between two entries of the index from bytes to UTF-16 code units.
const INDEX_INTERVAL_BYTES: usize = 1 << 12;

/// Converts positions in the text between bytes and the UTF-16 code units that JavaScript counts.
#[derive(Debug)]
pub struct TextPositions<'t> {
    lines: LineIndex<'t>,
    /// The index: UTF-16 code units before every [`INDEX_INTERVAL_BYTES`]th byte. Empty for ASCII text, where both are equal.
    index: Vec<usize>,
}

impl<'t> TextPositions<'t> {
    /// Indexes text.
    pub fn new(text: &'t str) -> Self {
        let mut index = Vec::new();
        if !text.is_ascii() {
            let mut count = 0;
            for (byte, c) in text.char_indices() {
                while index.len() * INDEX_INTERVAL_BYTES <= byte {
                    index.push(count);
                }
                count += c.len_utf16();
            }
        }
        Self { lines: LineIndex::new(text), index }
    }

    /// The text.
    pub fn text(&self) -> &'t str {
        self.lines.source()
    }

    /// UTF-16 code units before a byte, which is clamped to the length of the text.
    pub fn utf16(&self, byte: usize) -> usize {
        let text = self.text();
        let byte = text.floor_char_boundary(byte);
        let Some(indexed) = self.index.get(byte / INDEX_INTERVAL_BYTES) else { return byte };
        // An entry counts the units before the first character at its byte or after it.
        let from = text.ceil_char_boundary(byte / INDEX_INTERVAL_BYTES * INDEX_INTERVAL_BYTES);
        indexed + text.get(from..byte).map_or(0, |part| part.encode_utf16().count())
    }

    /// The byte after this many UTF-16 code units; beyond the end, the length of the text.
    pub fn byte(&self, utf16: usize) -> usize {
        let text = self.text();
        if self.index.is_empty() {
            return utf16.min(text.len());
        }
        let block = self.index.partition_point(|units| *units <= utf16).saturating_sub(1);
        let from = text.ceil_char_boundary(block * INDEX_INTERVAL_BYTES);
        let mut units = self.index.get(block).copied().unwrap_or_default();
        for (offset, c) in text.get(from..).unwrap_or_default().char_indices() {
            if units >= utf16 {
                return from + offset;
            }
            units += c.len_utf16();
        }
        text.len()
    }

    /// A span as JavaScript counts.
    pub fn span(&self, span: Span) -> TextSpan {
        let (line, column) = self.lines.position(span.start);
        TextSpan { start: self.utf16(span.start), end: self.utf16(span.end), line, column }
    }
}

/// The kind of an error by its rule, if it is not about the text.
fn kind_of_rule(rule: &str) -> ErrorKind {
    match rule {
        "arguments" | "replicas" | "literal-count" | "literal-bytes" => ErrorKind::Argument,
        "cancelled" => ErrorKind::Cancelled,
        "literal-size" | "literal-memory" | "trace-limit" => ErrorKind::Limit,
        _ if rule.starts_with("budget-") || rule.starts_with("limit-") => ErrorKind::Limit,
        _ if rule.starts_with("trace-") => ErrorKind::Argument,
        _ => ErrorKind::Run,
    }
}

impl DiagnosticRecord {
    /// An error that is not about the text.
    pub fn new(kind: ErrorKind, rule: &'static str, message: &Message) -> Self {
        let message = message.localize(Language::ENGLISH);
        Self { kind, message, op: None, rule, severity: "error", span: None, hints: Vec::new() }
    }

    /// An error of a value, of the kind of its rule.
    pub fn of_value(rule: &'static str, message: &Message) -> Self {
        Self::new(kind_of_rule(rule), rule, message)
    }

    /// A diagnostic of the text; `op` is the opcode of the instruction that it is about.
    pub fn of_text(diagnostic: &Diagnostic, positions: &TextPositions<'_>, op: Option<String>) -> Self {
        let edit = |edit: &xla_messages::diagnostic::Edit| TextEdit {
            start: positions.utf16(edit.span.start),
            end: positions.utf16(edit.span.end),
            text: edit.text.clone(),
        };
        let hints = diagnostic.hints.iter().map(|hint| HintRecord {
            message: hint.message.localize(Language::ENGLISH),
            edits: hint.edits.iter().map(edit).collect(),
        });
        Self {
            op,
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            span: Some(positions.span(diagnostic.span)),
            hints: hints.collect(),
            ..Self::new(ErrorKind::Text, diagnostic.rule, &diagnostic.message)
        }
    }

    /// An error of a run, at the instruction that failed.
    pub fn of_run(error: &EvalError, module: &Module, positions: &TextPositions<'_>) -> Self {
        let OpError { op, rule, .. } = *error.error;
        let record = Self::of_text(&error.diagnostic(module), positions, None);
        Self {
            kind: kind_of_rule(rule),
            op: Some(op).filter(|op| *op != RUN).map(str::to_owned),
            span: record.span.filter(|_| error.at.is_some()),
            ..record
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_javascript() {
        let text = format!("é𝄞x{}𝄞\ny", "ü𝄞a".repeat(3_000));
        let positions = TextPositions::new(&text);
        for (byte, _) in text.char_indices().step_by(7).chain([(text.len(), ' ')]) {
            let units = text[..byte].encode_utf16().count();
            assert_eq!((positions.utf16(byte), positions.byte(units)), (units, byte));
        }
        let ascii = TextPositions::new("ab");
        assert_eq!((ascii.utf16(1), ascii.utf16(9), ascii.byte(1), ascii.byte(9)), (1, 2, 1, 2));
    }

    #[test]
    fn an_error_of_a_run_has_its_op_and_its_kind() {
        let text = "HloModule m ENTRY e { x = f32[2] parameter(0) ROOT y = negate(x) }";
        let module = xla_hlo::parse(text).into_module().unwrap();
        let error = xla_hlo::Evaluator::new(&module).run(&[]).unwrap_err();
        let record = DiagnosticRecord::of_run(&error, &module, &TextPositions::new(text));
        assert_eq!((record.kind, record.rule, record.span), (ErrorKind::Argument, "arguments", None));
        let text = "HloModule m ENTRY e { ROOT y = custom-call(), custom_call_target=\"f\" }";
        let text = text.replace("y =", "y = f32[]");
        let module = xla_hlo::parse(&text).into_module().unwrap();
        let error = xla_hlo::Evaluator::new(&module).run(&[]).unwrap_err();
        let record = DiagnosticRecord::of_run(&error, &module, &TextPositions::new(&text));
        assert_eq!((record.kind, record.op.as_deref()), (ErrorKind::Run, Some("custom-call")));
        assert!(record.span.is_some_and(|span| text[span.start..].starts_with("ROOT y")));
    }
}
