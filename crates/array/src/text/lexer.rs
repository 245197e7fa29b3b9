//! The lexer of the text form, after XLA's HLO lexer.
//!
//! Whitespace is space, tab, newline and carriage return only; `/*…*/` and `//…` are comments between tokens. Text that XLA's
//! lexer rejects becomes a token too (with a diagnostic where the fix is obvious), so that the parser sees the whole text.
//! Next: [`super::parse`].

use super::diagnostics::{DiagnosticSink, excerpt};
use crate::decimal;
use xla_messages::diagnostic::{Hint, Span, byte_order_mark_len};
use xla_messages::i18n::Message;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Letters, digits, `_`, `.` and `-`, beginning with a letter or `_`.
    Word,
    /// `-?[0-9]+` that fits an `i64`.
    Int(i64),
    /// `-?[0-9]+` that does not.
    TooBig,
    /// Begins like a number but is not an integer of the grammar, as `1_000`, `2x3`, `+2`, `2.0`.
    BadNumber,
    /// `<=`.
    LessEqual,
    /// Any other character.
    Punct(char),
    /// The end of the text.
    End,
}

/// A token and its span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// The characters of the text; full-width forms are replaced by their ASCII equivalents, which the lexer reports.
struct Reader<'t> {
    /// The characters with their byte offsets in `text`.
    chars: Vec<(usize, char)>,
    char_index: usize,
    text: &'t str,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.char_index + ahead).map(|(_, c)| *c)
    }

    fn offset(&self) -> usize {
        self.chars.get(self.char_index).map_or(self.text.len(), |(i, _)| *i)
    }

    fn skip_while(&mut self, predicate: impl Fn(char) -> bool) {
        while self.peek(0).is_some_and(&predicate) {
            self.char_index += 1;
        }
    }
}

/// The ASCII equivalent of a character that Chinese input methods produce instead.
fn to_ascii(c: char) -> Option<char> {
    match c {
        '、' => Some(','),
        '【' => Some('['),
        '】' => Some(']'),
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0),
        _ => None,
    }
}

/// The tokens of `text`, the last of them [`Kind::End`].
pub(super) fn lex(text: &str, diagnostics: &mut DiagnosticSink) -> Vec<Token> {
    let chars = text.char_indices().map(|(i, c)| (i, to_ascii(c).unwrap_or(c))).collect();
    report_wide(text, diagnostics);
    let mut reader = Reader { chars, char_index: usize::from(byte_order_mark_len(text) > 0), text };
    let mut tokens = Vec::new();
    loop {
        skip_trivia(&mut reader, diagnostics);
        let start = reader.offset();
        let Some(first) = reader.peek(0) else {
            tokens.push(Token { kind: Kind::End, span: Span::at(text.len()) });
            return tokens;
        };
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let kind = if first.is_ascii_alphabetic() || first == '_' {
            reader.skip_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
            Kind::Word
        } else if first.is_ascii_digit() || matches!(first, '-' | '+') && digit(reader.peek(1)) {
            number(&mut reader)
        } else if first == '<' && reader.peek(1) == Some('=') {
            reader.char_index += 2;
            Kind::LessEqual
        } else {
            reader.char_index += 1;
            Kind::Punct(first)
        };
        tokens.push(Token { kind, span: Span::new(start, reader.offset()) });
    }
}

fn report_wide(text: &str, diagnostics: &mut DiagnosticSink) {
    let mut wide = text.char_indices().filter(|(_, c)| to_ascii(*c).is_some()).peekable();
    while let Some((start, c)) = wide.next() {
        let mut end = start + c.len_utf8();
        let mut ascii: String = to_ascii(c).into_iter().collect();
        while let Some((_, c)) = wide.next_if(|(i, _)| *i == end) {
            end += c.len_utf8();
            ascii.extend(to_ascii(c));
        }
        let span = Span::new(start, end);
        let message = Message::new("text-wide").with("text", excerpt(text, span));
        diagnostics.error(
            span,
            "text-wide",
            message,
            vec![Hint::replace(super::diagnostics::write_message(&ascii), span, ascii)],
        );
    }
}

fn skip_trivia(reader: &mut Reader, diagnostics: &mut DiagnosticSink) {
    loop {
        reader.skip_while(|c| matches!(c, ' ' | '\t' | '\n' | '\r'));
        match (reader.peek(0), reader.peek(1)) {
            (Some('/'), Some('/')) => reader.skip_while(|c| !matches!(c, '\n' | '\r')),
            (Some('/'), Some('*')) => {
                let start = reader.offset();
                reader.char_index += 2;
                loop {
                    match (reader.peek(0), reader.peek(1)) {
                        (Some('*'), Some('/')) => break reader.char_index += 2,
                        (None, _) => {
                            let span = Span::new(start, reader.text.len());
                            let close = Hint::replace(
                                super::diagnostics::insert_message("*/"),
                                Span::at(span.end),
                                "*/",
                            );
                            let remove = Hint::replace(
                                super::diagnostics::remove_message(excerpt(reader.text, span)),
                                span,
                                "",
                            );
                            let message = Message::new("text-comment");
                            diagnostics.error(span, "text-comment", message, vec![close, remove]);
                            return;
                        }
                        _ => reader.char_index += 1,
                    }
                }
            }
            _ => return,
        }
    }
}

/// Reads an integer, or a malformed number (float, `2x3`, `1_0`, hexadecimal, leading `+`) as one token, so that one
/// diagnostic covers it.
fn number(reader: &mut Reader) -> Kind {
    let start = reader.char_index;
    let has_sign = matches!(reader.peek(0), Some('-' | '+'));
    let has_plus = reader.peek(0) == Some('+');
    reader.char_index += usize::from(has_sign);
    let hexadecimal = reader.peek(0) == Some('0')
        && matches!(reader.peek(1), Some('x' | 'X'))
        && reader.peek(2).is_some_and(|c| c.is_ascii_hexdigit());
    let mut is_decimal_integer = !has_plus && !hexadecimal;
    if hexadecimal {
        reader.char_index += 2;
        reader.skip_while(|c| c.is_ascii_hexdigit());
    }
    reader.skip_while(|c| c.is_ascii_digit());
    loop {
        let digit_at = |ahead: usize| reader.peek(ahead).is_some_and(|c| c.is_ascii_digit());
        let skip = match reader.peek(0) {
            Some('.') => 1,
            Some('_' | 'x' | 'e' | 'E') if digit_at(1) => 1,
            Some('e' | 'E') if matches!(reader.peek(1), Some('+' | '-')) && digit_at(2) => 2,
            _ => break,
        };
        is_decimal_integer = false;
        reader.char_index += skip;
        reader.skip_while(|c| c.is_ascii_digit());
    }
    if !is_decimal_integer {
        return Kind::BadNumber;
    }
    let digits: String = reader.chars[start..reader.char_index].iter().map(|(_, c)| *c).collect();
    digits.parse().map_or(Kind::TooBig, Kind::Int)
}

/// Bounds the floats that stand for an integer: 2⁵³ rounded down, below which `f64` has every integer.
const MAX_EXACT_INTEGER: f64 = 9e15;

/// The integers a [`Kind::BadNumber`] or [`Kind::TooBig`] most likely means, at least one.
pub(super) fn likely_integers(text: &str) -> Vec<i64> {
    let text: String = text.chars().filter_map(|c| to_ascii(c).or(Some(c))).filter(|c| *c != '_').collect();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    let sign = |n: i64| if negative { -n } else { n };
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        return vec![sign(digits.parse().unwrap_or(i64::MAX))];
    }
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    if let Some(n) = hexadecimal.and_then(|h| i64::from_str_radix(h, 16).ok()) {
        return vec![sign(n)];
    }
    let by_x: Option<Vec<i64>> = digits.split('x').map(|part| part.parse().ok()).collect();
    if let Some(sizes) = by_x {
        return sizes;
    }
    let leading = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
    let whole = decimal::parse(digits).filter(|f| f.fract() == 0.0 && f.abs() < MAX_EXACT_INTEGER);
    #[allow(clippy::cast_possible_truncation, reason = "it is whole and fits")]
    let n = whole.map_or_else(|| digits[..leading(digits)].parse().ok(), |f| Some(f as i64));
    vec![sign(n.unwrap_or(1))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        lex(text, &mut DiagnosticSink::new(text)).into_iter().map(|t| t.kind).collect()
    }

    #[test]
    fn malformed_numbers_are_one_token() {
        assert_eq!(kinds("-0 02"), [Kind::Int(0), Kind::Int(2), Kind::End]);
        for bad in ["1_000", "2x3", "2.0", "2.", "1e3", "0x1F", "+2", "1.5e-3"] {
            assert_eq!(kinds(bad), [Kind::BadNumber, Kind::End], "{bad}");
        }
        assert_eq!(kinds("0E(4")[..2], [Kind::Int(0), Kind::Word]);
        assert_eq!(kinds("9223372036854775808")[0], Kind::TooBig);
        assert_eq!(kinds("<= < =")[..3], [Kind::LessEqual, Kind::Punct('<'), Kind::Punct('=')]);
    }

    #[test]
    fn malformed_numbers_suggest_likely_integers() {
        let cases: [(&str, &[i64]); 9] = [
            ("1_000", &[1000]),
            ("2x3", &[2, 3]),
            ("2.0", &[2]),
            ("1e3", &[1000]),
            ("0x10", &[16]),
            ("+2", &[2]),
            ("2.7", &[2]),
            ("-3.5", &[-3]),
            ("99999999999999999999", &[i64::MAX]),
        ];
        for (text, expected) in cases {
            assert_eq!(likely_integers(text), expected, "{text}");
        }
    }

    #[test]
    fn whitespace_and_comments_separate_tokens_and_full_width_forms_count_as_ascii() {
        assert_eq!(kinds("/*a/*b*/1//c\n2"), [Kind::Int(1), Kind::Int(2), Kind::End]);
        let mut diagnostics = DiagnosticSink::new("f32［２，3]");
        let tokens = lex("f32［２，3]", &mut diagnostics);
        assert_eq!(tokens.len(), 7);
        assert_eq!(tokens[2].kind, Kind::Int(2));
        let found = diagnostics.into_diagnostics();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].hints[0].apply("f32［２，3]").as_deref(), Some("f32[2,3]"));
    }
}
