//! The text form of shapes: XLA's own, and a suffix for the padding of 2017.
//!
//! ```text
//! shape   := array | "(" [shape {"," shape}] ")" | "token[]" | "opaque[]" | "b(" array ")"
//! array   := type "[" [dim {"," dim}] "]" [layout] [padding]
//! dim     := INT | "<=" INT | "?"
//! layout  := "{" [INT {"," INT}] [":" props] "}"          read only if an integer or ":" follows the brace
//! props   := [D(…)] [T tile {tile}] [L(n)] [#(type)] [*(type)] [E(n)] [S(n)] [SC split {split}] [P(shape)] [M(n)]
//! padding := "padded" "[" [INT {"," INT}] "]" ["=" word]  word: zero one lowest highest unknown invalid, ZERO_PAD …
//! ```
//!
//! Everything but `padding` is the syntax of XLA's HLO parser and printer, including the mistakes that XLA's parser tolerates
//! (an unclosed property before the closing brace is a warning). `padding` extends it, as in
//! `f32[2,3]{0,1} padded[3,5]=zero`; no XLA text continues in that way.
//!
//! Parsing never fails ([`parse`]): it recovers, fills in the default layout, and checks the rules of [`super::validate`];
//! every error has a hint, nearly always with an edit. Modules: `lexer`, `cursor` (look-ahead and errors), `parse` (shapes),
//! `list` (comma-separated numbers), `braces` and `property` (layouts), `suffix` (padding), `outside`
//! (layouts in other notations), `words` (the nearest known word),
//! `fix` (violations → diagnostics), `print`, `spans`, `note` (collected diagnostics), `proto` (layouts in
//! protobuf's text format).

mod braces;
mod cursor;
mod diagnostics;
mod fix;
mod lexer;
mod list;
mod outside;
mod parse;
mod print;
mod property;
mod proto;
mod spans;
mod suffix;
mod words;

use std::str::FromStr;

use super::{Shape, Violation, validate};
use xla_messages::diagnostic::{Diagnostic, Hint, Severity, Span};
use xla_messages::i18n::Message;

pub use parse::MAX_NESTING;
pub use proto::{ParsedLayout, parse_layout_proto, parse_spec};
pub use spans::{ArraySpans, Property, SpanMap};

/// The longest text of one shape that [`parse`] reads, in bytes.
pub const MAX_TEXT_BYTES: usize = 64 * 1024;

/// The longest text of one shape that [`parse_printed`] reads, in bytes: printed with layouts and `/*index=5*/` comments, a shape
/// takes little more than twice the bytes of its source.
pub const MAX_PRINTED_BYTES: usize = 4 * MAX_TEXT_BYTES;

/// The longest text of a shape within a larger text, in bytes: a tuple of the maximum number of leaves fits.
pub const MAX_EMBEDDED_BYTES: usize = 4 << 20;

/// The result of parsing text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The shape as far as it could be read, every array with a layout; `None` if nothing resembles a shape.
    pub shape: Option<Shape>,
    /// Errors and warnings, in the order of their spans.
    pub diagnostics: Vec<Diagnostic>,
    /// The spans of the shape's parts.
    pub spans: SpanMap,
}

impl Parsed {
    /// The first error; `None` if the shape can be used as it is.
    pub fn error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|d| d.severity == Severity::Error)
    }

    /// The diagnostic of a rule that the shape read from `text` violates, as [`super::MemoryMap::new`] finds it.
    pub fn diagnose(&self, text: &str, violation: Violation) -> Diagnostic {
        let nothing = Shape::tuple([]);
        fix::diagnostic(text, self.shape.as_ref().unwrap_or(&nothing), &self.spans, violation)
    }

    /// The shape, if there is no error (warnings are allowed).
    pub fn valid(&self) -> Option<&Shape> {
        self.shape.as_ref().filter(|_| self.error().is_none())
    }
}

/// Parses a shape. Never fails: text that cannot be read is skipped or repaired, and reported by a diagnostic.
///
/// ```
/// let parsed = xla_array::text::parse("f32[2,3]{0,1} padded[3,5]=zero");
/// assert_eq!(parsed.shape.map(|s| s.xla_text()).as_deref(), Some("f32[2,3]{0,1}"));
/// ```
pub fn parse(text: &str) -> Parsed {
    parse_up_to(text, MAX_TEXT_BYTES)
}

/// Like [`parse`], for the printed text of a shape that was parsed before: up to [`MAX_PRINTED_BYTES`] bytes.
pub fn parse_printed(text: &str) -> Parsed {
    parse_up_to(text, MAX_PRINTED_BYTES)
}

/// Like [`parse`], for a shape that is a part of a larger text: up to [`MAX_EMBEDDED_BYTES`] bytes.
pub fn parse_embedded(text: &str) -> Parsed {
    parse_up_to(text, MAX_EMBEDDED_BYTES)
}

fn parse_up_to(text: &str, limit: usize) -> Parsed {
    if text.len() > limit {
        let message = Message::new("text-too-long").with("bytes", text.len()).with("limit", limit);
        let advice = Hint::advice(Message::new("text-hint-shorter"));
        let diagnostic =
            Diagnostic::error(Span::new(0, text.len()), "text-too-long", message).with_hint(advice);
        return Parsed { diagnostics: vec![diagnostic], ..Parsed::default() };
    }
    let (shape, mut diagnostics, spans) = parse::shape(text);
    if let Some(shape) = &shape
        && let Err(violation) = validate::shape(shape)
    {
        diagnostics.push(fix::diagnostic(text, shape, &spans, violation));
    }
    let mut parsed = Parsed { shape, diagnostics, spans };
    for diagnostic in &mut parsed.diagnostics {
        // Every error offers a fix: where no edit is known, it is the shape as it was understood.
        if diagnostic.severity == Severity::Error && diagnostic.hints.is_empty() {
            let all = Span::new(0, text.len());
            let printed = parsed.shape.as_ref().map_or_else(|| "f32[2,3]".to_owned(), Shape::to_string);
            diagnostic.hints.push(Hint::replace(diagnostics::write_message(&printed), all, printed));
        }
    }
    parsed
}

impl FromStr for Shape {
    type Err = Box<Diagnostic>;

    /// The shape, or the first error.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = parse(text);
        match parsed.error() {
            Some(error) => Err(Box::new(error.clone())),
            None => parsed.shape.ok_or_else(|| Box::new(no_shape())),
        }
    }
}

fn no_shape() -> Diagnostic {
    Diagnostic::error(Span::default(), "text-empty", Message::new("text-empty"))
}
