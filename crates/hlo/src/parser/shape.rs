//! Shapes within HLO text: where they end; what they are is [`xla_array::text`]'s.

use super::Parser;
use crate::lexer::{Lexer, TokenKind};
use xla_array::{ElementType, Shape, text};
use xla_messages::diagnostic::{Diagnostic, Span};

/// The first byte from `at` on that is neither blank nor comment.
fn after_blanks(source: &str, at: usize) -> usize {
    let mut lexer = Lexer::starting_at(source, at);
    lexer.skip_blanks();
    lexer.offset
}

/// Behind the brackets that open at `at`, or before what cannot stand in them.
fn brackets(source: &str, at: usize) -> usize {
    let rest = source.get(at + 1..).unwrap_or_default();
    let inside =
        rest.find(|c: char| !(c.is_alphanumeric() || " \t,<=?-._".contains(c))).unwrap_or(rest.len());
    let end = at + 1 + inside;
    if rest[inside..].starts_with(']') {
        return end + 1;
    }
    // The bracket does not close; a name that follows is not a size.
    let sizes = rest[..inside].trim_end();
    at + 1 + sizes.rfind([' ', '\t']).unwrap_or(sizes.len())
}

/// Where the shape that begins at `at` ends.
fn end(source: &str, at: usize, depth: usize) -> usize {
    let at = after_blanks(source, at);
    let rest = source.get(at..).unwrap_or_default();
    if rest.starts_with('(') && depth < super::MAX_NESTING_DEPTH {
        let mut place = at + 1;
        loop {
            place = after_blanks(source, place);
            match source.as_bytes().get(place) {
                Some(b')') => return place + 1,
                Some(b',') => place += 1,
                _ => {
                    let next = end(source, place, depth + 1);
                    if next == place {
                        return place;
                    }
                    place = next;
                }
            }
        }
    }
    let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let mut place = at + word;
    match source.as_bytes().get(place) {
        Some(b'(') if &rest[..word] == "b" && depth < super::MAX_NESTING_DEPTH => {
            let inner = after_blanks(source, end(source, place + 1, depth + 1));
            return inner + usize::from(source.as_bytes().get(inner) == Some(&b')'));
        }
        Some(b'[') if word > 0 => place = brackets(source, place),
        _ => return place,
    }
    let brace = after_blanks(source, place);
    if source.as_bytes().get(brace) == Some(&b'{') {
        let first = source.as_bytes().get(after_blanks(source, brace + 1)).copied();
        if first.is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b':')) {
            let mut lexer = Lexer::starting_at(source, brace);
            let mut open = 0_usize;
            loop {
                match lexer.next().kind {
                    TokenKind::Punct('{') => open += 1,
                    TokenKind::Punct('}') if open == 1 => break,
                    TokenKind::Punct('}') => open -= 1,
                    TokenKind::End => break,
                    _ => {}
                }
            }
            place = lexer.offset;
        }
    }
    let padded = after_blanks(source, place);
    if source.get(padded..).is_some_and(|rest| rest.starts_with("padded[")) {
        place = brackets(source, padded + "padded".len());
        if let Some(word) = source.get(place..).and_then(|rest| rest.strip_prefix('=')) {
            place += 1 + word.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(word.len());
        }
    }
    place
}

impl Parser<'_> {
    /// Whether a shape comes next.
    pub(super) fn at_shape(&self) -> bool {
        let token = self.peek();
        match token.kind {
            TokenKind::Punct('(') => true,
            TokenKind::Name => {
                let word = self.text(token.span);
                let after = self.lexer.source.as_bytes().get(token.span.end).copied();
                ElementType::from_name(word).is_some()
                    || matches!(word, "token" | "opaque")
                    || after == Some(b'[') && !word.starts_with('%')
                    || word == "b" && after == Some(b'(')
            }
            _ => false,
        }
    }

    /// Reads a shape, which comes next.
    pub(super) fn shape(&mut self) -> (Option<Shape>, Span) {
        let start = self.peek().span.start;
        let end = end(self.lexer.source, start, 0).max(start);
        self.lexer.offset = end;
        let span = Span::new(start, end);
        let parsed = text::parse_within(self.text(span));
        for diagnostic in parsed.diagnostics {
            self.report(moved(diagnostic, start));
        }
        (parsed.shape, span)
    }
}

/// A diagnostic of a part of the text that begins at `by`.
fn moved(mut diagnostic: Diagnostic, by: usize) -> Diagnostic {
    let shift = |span: Span| Span::new(span.start + by, span.end + by);
    diagnostic.span = shift(diagnostic.span);
    for edit in diagnostic.hints.iter_mut().flat_map(|hint| &mut hint.edits) {
        edit.span = shift(edit.span);
    }
    diagnostic
}

#[cfg(test)]
mod tests {
    use super::end;

    #[test]
    fn a_shape_ends_where_the_next_thing_begins() {
        for (shape, rest) in [
            ("f32[2,3]", " add(x)"),
            ("f32[2,3]{1,0}", " add(x)"),
            ("f32[]", " {\n x"),
            ("f32[2]{0:T(8,128)(2,1)S(1)}", " {\n x"),
            ("(f32[2]{0}, (s32[], token[]))", " tuple(x)"),
            ("()", " tuple()"),
            ("b(f32[2]{0})", " x()"),
            ("f32[2,3]{0,1} padded[3,5]=zero", " copy(x)"),
            ("f32[2]", "{x}"),
            ("(f32[2])", "{0} parameter(0)"),
            ("f32[2,3", " reshape(p0)"),
            ("f32[<=3,?]{1,0}", ", s32[]"),
        ] {
            let text = format!("{shape}{rest}");
            assert_eq!(&text[..end(&text, 0, 0)], shape);
        }
    }
}
