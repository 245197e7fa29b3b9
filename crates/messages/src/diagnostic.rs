//! What is wrong with a text: where, by which rule, and what to write instead.
//!
//! Parsers of this crate never fail: they return what could be read and a list of [`Diagnostic`]s. Each has a
//! [`Span`] into the text, the label of the rule it breaks, and hints whose edits can be applied as they are.

mod lines;
mod span;

use std::fmt;

pub use lines::{Excerpt, Lines, byte_order_mark};
pub use span::{Edit, Span, sort_by_span};

use crate::i18n::{Language, Message};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The text cannot be used.
    Error,
    /// The text can be used, and probably does not say what was meant.
    Warning,
}

/// A fix: in words, and as edits where it can be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// What to do.
    pub message: Message,
    /// The edits, ascending and disjoint; empty where there is only advice.
    pub edits: Vec<Edit>,
}

impl Hint {
    /// Advice without an edit.
    pub fn advice(message: Message) -> Self {
        Self { message, edits: Vec::new() }
    }

    /// Replace `span` by `text`.
    pub fn replace(message: Message, span: Span, text: impl Into<String>) -> Self {
        Self { message, edits: vec![Edit { span, text: text.into() }] }
    }

    /// `source` with the edits applied, or `None` where there are none or they do not fit the text.
    pub fn apply(&self, source: &str) -> Option<String> {
        if self.edits.is_empty() {
            return None;
        }
        let mut out = String::new();
        let mut done = 0;
        for edit in &self.edits {
            out.push_str(source.get(done..edit.span.start)?);
            out.push_str(&edit.text);
            done = edit.span.end;
        }
        out.push_str(source.get(done..)?);
        Some(out)
    }
}

/// One thing that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where in the text.
    pub span: Span,
    /// The label of the rule, as `layout-2`; the specification's numbering where it has one.
    pub rule: &'static str,
    /// What is wrong.
    pub message: Message,
    /// Fixes, the likeliest first.
    pub hints: Vec<Hint>,
}

impl Diagnostic {
    /// An error without hints.
    pub fn error(span: Span, rule: &'static str, message: Message) -> Self {
        Self { severity: Severity::Error, span, rule, message, hints: Vec::new() }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: Hint) -> Self {
        self.hints.push(hint);
        self
    }

    /// Line and column of its start, both from 1; columns count characters. For many diagnostics of one text see
    /// [`Lines`].
    pub fn position(&self, source: &str) -> (usize, usize) {
        Lines::new(source).position(self.span.start)
    }

    /// The diagnostic as a terminal shows it: the message, the part of the line around the span, carets under the
    /// span, the hints. In a text of several lines it begins with the position, and hints show the line they fix.
    pub fn render(&self, source: &str, language: Language) -> String {
        self.render_in(&Lines::new(source), language)
    }

    /// [`Self::render`] of one of several diagnostics of the same text.
    pub fn render_in(&self, lines: &Lines, language: Language) -> String {
        let (line, column) = lines.position(self.span.start);
        let excerpt = lines.excerpt(self.span);
        let label = match self.severity {
            Severity::Error => Message::new("diagnostic-error"),
            Severity::Warning => Message::new("diagnostic-warning"),
        };
        let place = if lines.is_one() { String::new() } else { format!("{line}:{column}: ") };
        let mut out = format!(
            "{place}{} [{}]: {}\n  {}\n  {}",
            label.say(language),
            self.rule,
            self.message.say(language),
            excerpt.text,
            excerpt.carets()
        );
        for hint in &self.hints {
            let text = hint.message.say(language);
            out.push('\n');
            out.push_str(&Message::new("diagnostic-hint").with("hint", text).say(language));
            if let Some(fixed) = lines.edited(&hint.edits) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_applied_and_the_caret_stands_under_the_span() {
        let d = Diagnostic::error(Span::new(4, 6), "x-1", Message::new("language-name")).hint(Hint::replace(
            Message::new("language-name"),
            Span::new(4, 6),
            "cd",
        ));
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
}
