//! The extent of shapes in HLO text; [`xla_array::text`] parses them.

use super::state::Parser;
use crate::lexer::{Lexer, TokenKind};
use xla_array::{ElementType, Shape, text};
use xla_messages::diagnostic::{Diagnostic, Severity, Span};

/// Rules of layouts that XLA's parser does not check (level types of sparse layouts on a dense array, a tile without sizes) are
/// only warnings: a value of such a shape is rejected when it is laid out.
const RULES_NOT_CHECKED_BY_XLA: [&str; 2] = ["layout-8", "layout-9"];

/// The offset of the first byte from `offset` on that is neither whitespace nor comment.
fn skip_trivia(source: &str, offset: usize) -> usize {
    let mut lexer = Lexer::starting_at(source, offset);
    lexer.skip_trivia();
    lexer.offset
}

/// The end of the brackets that begin at `start`; if they are not closed, the end of the sizes.
fn brackets_end(source: &str, start: usize) -> usize {
    let rest = source.get(start + 1..).unwrap_or_default();
    let length =
        rest.find(|c: char| !(c.is_alphanumeric() || " \t,<=?-._".contains(c))).unwrap_or(rest.len());
    if rest[length..].starts_with(']') {
        return start + 1 + length + 1;
    }
    // The bracket is not closed; a name that follows is not a size.
    let sizes = rest[..length].trim_end();
    start + 1 + sizes.rfind([' ', '\t']).unwrap_or(sizes.len())
}

/// The end of the shape that begins at `start`.
fn shape_end(source: &str, start: usize, depth: usize) -> usize {
    let start = skip_trivia(source, start);
    let rest = source.get(start..).unwrap_or_default();
    if rest.starts_with('(') && depth < crate::module::MAX_NESTING_DEPTH {
        let mut offset = start + 1;
        loop {
            offset = skip_trivia(source, offset);
            match source.as_bytes().get(offset) {
                Some(b')') => return offset + 1,
                Some(b',') => offset += 1,
                _ => {
                    let next = shape_end(source, offset, depth + 1);
                    if next == offset {
                        return offset;
                    }
                    offset = next;
                }
            }
        }
    }
    let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let mut offset = start + word;
    match source.as_bytes().get(offset) {
        Some(b'(') if &rest[..word] == "b" && depth < crate::module::MAX_NESTING_DEPTH => {
            let end = skip_trivia(source, shape_end(source, offset + 1, depth + 1));
            return end + usize::from(source.as_bytes().get(end) == Some(&b')'));
        }
        Some(b'[') if word > 0 => offset = brackets_end(source, offset),
        _ => return offset,
    }
    let brace = skip_trivia(source, offset);
    if source.as_bytes().get(brace) == Some(&b'{') {
        let first = source.as_bytes().get(skip_trivia(source, brace + 1)).copied();
        if first.is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b':')) {
            let mut lexer = Lexer::starting_at(source, brace);
            let mut braces = 0_usize;
            loop {
                match lexer.next().kind {
                    TokenKind::Punct('{') => braces += 1,
                    TokenKind::Punct('}') if braces == 1 => break,
                    TokenKind::Punct('}') => braces -= 1,
                    TokenKind::End => break,
                    _ => {}
                }
            }
            offset = lexer.offset;
        }
    }
    let padded = skip_trivia(source, offset);
    if source.get(padded..).is_some_and(|rest| rest.starts_with("padded[")) {
        offset = brackets_end(source, padded + "padded".len());
        if let Some(word) = source.get(offset..).and_then(|rest| rest.strip_prefix('=')) {
            offset += 1 + word.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(word.len());
        }
    }
    offset
}

impl Parser<'_> {
    /// Whether the next token begins a shape.
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

    /// Parses a shape, which begins at the next token.
    pub(super) fn shape(&mut self) -> (Option<Shape>, Span) {
        let start = self.peek().span.start;
        let end = shape_end(self.lexer.source, start, 0).max(start);
        self.lexer.offset = end;
        let span = Span::new(start, end);
        let parsed = text::parse_embedded(self.text(span));
        for mut diagnostic in parsed.diagnostics {
            if RULES_NOT_CHECKED_BY_XLA.contains(&diagnostic.rule) {
                diagnostic.severity = Severity::Warning;
            }
            self.report(shifted(diagnostic, start));
        }
        (parsed.shape, span)
    }
}

/// Converts the spans of a diagnostic of the substring at `offset` to spans of the source.
fn shifted(mut diagnostic: Diagnostic, offset: usize) -> Diagnostic {
    let shift = |span: Span| Span::new(span.start + offset, span.end + offset);
    diagnostic.span = shift(diagnostic.span);
    for edit in diagnostic.hints.iter_mut().flat_map(|hint| &mut hint.edits) {
        edit.span = shift(edit.span);
    }
    diagnostic
}

#[cfg(test)]
mod tests {
    use super::shape_end;

    #[test]
    fn a_shape_ends_before_the_next_token() {
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
            assert_eq!(&text[..shape_end(&text, 0, 0)], shape);
        }
    }
}
