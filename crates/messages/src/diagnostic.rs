//! Diagnostics of a source text: span, rule, message and fixes.
//!
//! The parsers that report them never fail: they return what could be read and a list of [`Diagnostic`]s. Each has a
//! [`Span`] of the source, the identifier of the rule it violates, and hints, whose edits can be applied.

mod lines;
mod span;

use std::fmt;

pub use lines::{Excerpt, LineIndex, byte_order_mark_len};
pub use span::{Edit, Span, sort_by_span};

use crate::i18n::{Language, Message};

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The source cannot be used.
    Error,
    /// The source can be used, but probably does not mean what its author intended.
    Warning,
    /// The source can be used; the note explains how it was read.
    Note,
}

/// A part of a rendered diagnostic that may have a style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The severity label (`error`).
    Severity(Severity),
    /// The carets below the excerpt.
    Carets,
    /// A hint, without its fix.
    Hint,
}

/// A suggestion, with edits if it can be applied as a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// What to do.
    pub message: Message,
    /// Edits, ascending and disjoint; empty for advice.
    pub edits: Vec<Edit>,
}

impl Hint {
    /// A hint without edits.
    pub fn advice(message: Message) -> Self {
        Self { message, edits: Vec::new() }
    }

    /// A hint that replaces `span` by `text`.
    pub fn replace(message: Message, span: Span, text: impl Into<String>) -> Self {
        Self { message, edits: vec![Edit { span, text: text.into() }] }
    }

    /// `source` with the edits applied; `None` without edits, or if one is out of bounds, out of order or not on
    /// character boundaries.
    pub fn apply(&self, source: &str) -> Option<String> {
        if self.edits.is_empty() {
            return None;
        }
        let mut out = String::new();
        let mut copied_to = 0;
        for edit in &self.edits {
            out.push_str(source.get(copied_to..edit.span.start)?);
            out.push_str(&edit.text);
            copied_to = edit.span.end;
        }
        out.push_str(source.get(copied_to..)?);
        Some(out)
    }
}

/// An error, a warning or a note about a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether the source can be used.
    pub severity: Severity,
    /// The part of the source it is about.
    pub span: Span,
    /// The identifier of the rule, e.g. `layout-2`.
    pub rule: &'static str,
    /// The text for the user.
    pub message: Message,
    /// Suggestions, the likeliest first.
    pub hints: Vec<Hint>,
}

impl Diagnostic {
    /// An error without hints.
    pub fn error(span: Span, rule: &'static str, message: Message) -> Self {
        Self { severity: Severity::Error, span, rule, message, hints: Vec::new() }
    }

    /// Adds a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: Hint) -> Self {
        self.hints.push(hint);
        self
    }

    /// 1-based line and column of its start; columns count Unicode scalar values. Use [`LineIndex`] for several
    /// diagnostics of one source.
    pub fn position(&self, source: &str) -> (usize, usize) {
        LineIndex::new(source).position(self.span.start)
    }

    /// The diagnostic formatted for a terminal: message, excerpt of the line, carets under the span, hints with the
    /// fixed line. It begins with the position unless the source is a single line.
    pub fn render(&self, source: &str, language: Language) -> String {
        self.render_with(&LineIndex::new(source), language)
    }

    /// Like [`Self::render`], reusing a line index; for several diagnostics of one source.
    pub fn render_with(&self, lines: &LineIndex, language: Language) -> String {
        self.render_styled(lines, language, |_, text| text.to_owned())
    }

    /// Like [`Self::render_with`], with some parts as `style` returns them, for colours in a terminal.
    pub fn render_styled(
        &self,
        lines: &LineIndex,
        language: Language,
        style: impl Fn(Part, &str) -> String,
    ) -> String {
        let (line, column) = lines.position(self.span.start);
        let excerpt = lines.excerpt(self.span);
        let severity = match self.severity {
            Severity::Error => Message::new("diagnostic-error"),
            Severity::Warning => Message::new("diagnostic-warning"),
            Severity::Note => Message::new("diagnostic-note"),
        };
        let location_prefix =
            if lines.is_single_line() { String::new() } else { format!("{line}:{column}: ") };
        let mut out = format!(
            "{location_prefix}{} [{}]: {}",
            style(Part::Severity(self.severity), &severity.localize(language)),
            self.rule,
            self.message.localize(language),
        );
        // Without a source there is no line to show.
        if !(lines.is_single_line() && excerpt.text.is_empty()) {
            for line in [excerpt.text.as_str(), &style(Part::Carets, &excerpt.carets())] {
                out.push_str("\n  ");
                out.push_str(line);
            }
        }
        for hint in &self.hints {
            let text = hint.message.localize(language);
            out.push('\n');
            let hint_line = Message::new("diagnostic-hint").with("hint", text).localize(language);
            out.push_str(&style(Part::Hint, &hint_line));
            if let Some(fixed) = lines.excerpt_with_edits(&hint.edits) {
                out.push_str("\n  ");
                out.push_str(&fixed);
            }
        }
        out
    }
}

impl fmt::Display for Diagnostic {
    /// The rule and the message, in English.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.message, self.rule)
    }
}

impl std::error::Error for Diagnostic {}

/// Errors with the same sentences, such as those of each row of a literal, become one with all their fixes; with their numbers.
pub fn merge_repeated<'a>(errors: impl Iterator<Item = &'a Diagnostic>) -> Vec<(Diagnostic, usize)> {
    let mut merged: Vec<(Diagnostic, usize)> = Vec::new();
    for error in errors {
        let is_same = |(other, _): &&mut (Diagnostic, usize)| {
            let sentences = other.hints.iter().map(|hint| &hint.message);
            other.message == error.message && sentences.eq(error.hints.iter().map(|hint| &hint.message))
        };
        let Some((first, count)) = merged.iter_mut().find(is_same) else {
            merged.push((error.clone(), 1));
            continue;
        };
        *count += 1;
        for (hint, other) in first.hints.iter_mut().zip(&error.hints) {
            // Errors are in the order of the text, and so are the edits.
            hint.edits.extend(other.edits.iter().cloned());
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_and_carets_line_up_with_the_span() {
        let d = Diagnostic::error(Span::new(4, 6), "x-1", Message::new("language-name"))
            .with_hint(Hint::replace(Message::new("language-name"), Span::new(4, 6), "cd"));
        assert_eq!(d.hints[0].apply("f32[ab]").as_deref(), Some("f32[cd]"));
        assert!(d.render("f32[ab]", Language::ENGLISH).contains("\n  f32[ab]\n      ^^\n"));
        assert_eq!(d.position("f32[ab]"), (1, 5));
        let second = Diagnostic { span: Span::new(5, 7), ..d.clone() };
        let rendered = second.render("x\n\tf:ab\n", Language::ENGLISH);
        assert!(
            rendered.starts_with("2:4: error [x-1]") && rendered.contains("\n  \tf:ab\n  \t  ^^\n"),
            "{rendered}"
        );
        assert_eq!(d.hints[0].apply("f"), None);
    }

    #[test]
    fn the_errors_of_all_rows_become_one_that_fixes_them() {
        let text = "{{1},{2}}";
        let row = |end: usize, message: &'static str| {
            let fill = Hint::replace(Message::new("undo"), Span::at(end), ",0");
            Diagnostic::error(Span::at(end), "literal-count", Message::new(message)).with_hint(fill)
        };
        let errors = [row(3, "copy"), row(3, "close"), row(7, "copy")];
        let merged = merge_repeated(errors.iter());
        assert_eq!(merged.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(merged[0].0.hints[0].apply(text).as_deref(), Some("{{1,0},{2,0}}"));
    }
}
