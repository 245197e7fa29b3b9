//! A literal preceded by its shape, as on the command line: `f32[2]{0} {1, 2}`, `(f32[2]{0}, s32[]) ( {1, 2}, 3 )`.
//!
//! The layout is optional: a group in braces is the layout if something follows it, else it is the literal. XLA has no
//! such text; its shape parser would read `{1, 2}` in `f32[2] {1, 2}` as a layout.

use std::str::FromStr;

use super::Literal;
use super::parse::{Parsed, parse_at};
use crate::text;
use crate::value::text::Exactness;
use xla_messages::diagnostic::{Diagnostic, Severity, Span};
use xla_messages::i18n::Message;

/// Parses a shape and a literal. There is no value if the shape is invalid.
pub fn parse_shaped(source: &str) -> Parsed<Literal> {
    let start = shape_end(source);
    let shape = text::parse_embedded(&source[..start]);
    let Some(valid) = shape.valid() else {
        return Parsed { value: None, elided: false, diagnostics: shape.diagnostics, end: start };
    };
    let mut parsed = parse_at(source, start, valid);
    parsed.check_rest(source);
    let mut diagnostics = shape.diagnostics;
    diagnostics.append(&mut parsed.diagnostics);
    Parsed { diagnostics, ..parsed }
}

impl FromStr for Literal {
    type Err = Box<Diagnostic>;

    /// Like [`parse_shaped`]; the error is the first one. Elided values are an error.
    fn from_str(source: &str) -> Result<Self, Self::Err> {
        let parsed = parse_shaped(source);
        let is_error = |d: &&Diagnostic| d.severity == Severity::Error || d.rule == "literal-elided";
        match (parsed.diagnostics.iter().find(is_error), parsed.value) {
            (None, Some(literal)) => Ok(literal),
            (Some(error), _) => Err(Box::new(error.clone())),
            (None, None) => {
                let message = Message::new("literal-expected").with("expected", "f32[2,3]");
                Err(Box::new(Diagnostic::error(Span::default(), "literal-syntax", message)))
            }
        }
    }
}

impl Literal {
    /// Shape and value, e.g. `f32[2]{0} {1, 2}`: the inverse of [`parse_shaped`].
    pub fn text_with_shape(&self, exactness: Exactness) -> String {
        format!("{} {}", self.shape(), self.text(exactness))
    }
}

/// The end of the shape at the start of a source.
fn shape_end(source: &str) -> usize {
    let start = source.len() - source.trim_start().len();
    let word_end = source[start..].find(['[', '(', '{']).map_or(source.len(), |offset| start + offset);
    let Some(mut end) = group_end(source, word_end) else { return source.len() };
    if source[word_end..].starts_with('(') {
        return end;
    }
    // A group that is not the last is the layout.
    let next = skip_whitespace(source, end);
    if source[next..].starts_with('{')
        && let Some(close) = group_end(source, next)
        && skip_whitespace(source, close) < source.len()
    {
        end = close;
    }
    let next = skip_whitespace(source, end);
    if source[next..].starts_with("padded")
        && let Some(close) = group_end(source, next + "padded".len())
    {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let after = source[close..].strip_prefix('=').map(|value| value.trim_start_matches(is_word));
        end = after.map_or(close, |after| source.len() - after.len());
    }
    end
}

/// The offset of the first character from `start` on that is not whitespace.
fn skip_whitespace(source: &str, start: usize) -> usize {
    source.len() - source[start..].trim_start().len()
}

/// The end of the group that opens at `open`; `None` if there is no opening bracket or it is never closed.
fn group_end(source: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, c) in source.get(open..)?.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (offset > 0).then_some(open + offset + c.len_utf8());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_ends_before_the_literal() {
        for (shape, literal) in [
            ("f32[2]{0}", " {1, 2}"),
            ("f32[2]", " {1, 2}"),
            ("f32[2,2]{0,1}", "{ {1, 2}, {3, 4} }"),
            ("s32[]", " 3"),
            ("f32[]{:S(5)}", " 3"),
            ("f32[4]{0:T(2)}", " {1, 2, 3, 4}"),
            ("f32[2]{0} padded[3]=zero", " {1, 2}"),
            ("f32[2] padded[3]", " {1, 2}"),
            ("(f32[2]{0}, s32[])", " ( {1, 2}, 3 )"),
            ("  ()", " ()"),
            ("token[]", " token"),
            ("f32[0]", " {}"),
            ("f32[", ""),
            ("x", ""),
            ("", ""),
            ("]]", ""),
        ] {
            let text = format!("{shape}{literal}");
            assert_eq!(&text[..shape_end(&text)], shape, "{text}");
        }
    }

    #[test]
    fn a_literal_and_its_shape_read_back() {
        for text in [
            "f32[2]{0} {1, 2}",
            "f32[2,3]{0,1} padded[3,5]=zero { { 1, 2, 3 }, { 4, 5, 6 } }",
            "bf16[3]{0:T(2)} {1, -inf, nan}",
            "s32[] 3",
            "(f32[2]{0}, s32[]) ( {1, 2}, 3 )",
        ] {
            let literal: Literal = text.parse().unwrap();
            assert_eq!(literal.text_with_shape(Exactness::RoundTrip), text);
        }
        let plain: Literal = "f32[2] {1, 2}".parse().unwrap();
        assert_eq!(plain.text_with_shape(Exactness::Xla), "f32[2]{0} {1, 2}");
    }

    #[test]
    fn errors_have_the_spans_of_their_text() {
        for (text, rule, quoted) in [
            ("f32[2]{0} {1, x}", "literal-number", "x"),
            ("f32[2]{0} {1, 2} 3", "literal-syntax", "3"),
            ("f32[2]{0} {...}", "literal-elided", "..."),
            ("s32[]", "literal-syntax", ""),
        ] {
            let error = text.parse::<Literal>().unwrap_err();
            assert_eq!((error.rule, &text[error.span.range()]), (rule, quoted), "{text}");
        }
        for text in ["", "f32[2", "f3[2] {1, 2}", "f32[2]{1} {1, 2}", "opaque[] 1", "(f32[2], 3"] {
            let error = text.parse::<Literal>().unwrap_err();
            assert!(error.span.end <= text.len(), "{text}: {error}");
        }
    }
}
