//! Scanning shared by the lexers of literals and of HLO text: whitespace, comments and numbers.
//!
//! Invariant: a length is a prefix in bytes and ends at a character boundary. Source: XLA's `HloLexer`.

use xla_messages::compact;

/// Whitespace and comments (“trivia”) at the start of a source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trivia {
    /// Its length in bytes.
    pub length: usize,
    /// The byte offset of an unclosed comment.
    pub unclosed: Option<usize>,
}

/// Whether a character is whitespace between tokens.
pub fn is_whitespace(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// The trivia at the start of `text`: characters for which `is_whitespace` holds, `/*…*/` (not nested), and `//…` to the
/// end of the line.
pub fn trivia(text: &str, is_whitespace: impl Fn(char) -> bool) -> Trivia {
    // Fast path: most tokens are not preceded by whitespace.
    if text.as_bytes().first().is_some_and(|b| b.is_ascii_graphic() && !matches!(b, b'/' | b';')) {
        return Trivia::default();
    }
    let mut length = 0;
    loop {
        let rest = &text[length..];
        length += rest.len() - rest.trim_start_matches(&is_whitespace).len();
        let rest = &text[length..];
        if rest.starts_with("//") {
            length += rest.find(['\n', '\r']).unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            match compact::find(comment, "*/") {
                Some(end) => length += end + 4,
                None => return Trivia { length: text.len(), unclosed: Some(length) },
            }
        } else {
            return Trivia { length, unclosed: None };
        }
    }
}

/// The notation of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// `-?[0-9]+`.
    Int,
    /// With a point or an exponent.
    Float,
    /// `inf`, `nan`, `nan(0x1)`, optionally with a sign.
    Special,
}

/// The notation and length in bytes of the number at the start of the text.
pub fn number(text: &str) -> Option<(Number, usize)> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let sign = text.len() - unsigned.len();
    let length = special(unsigned);
    if length > 0 {
        return Some((Number::Special, sign + length));
    }
    let bytes = unsigned.as_bytes();
    let digits =
        |offset: usize| bytes[offset.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    let mut kind = Number::Int;
    if bytes.get(end) == Some(&b'.') && end + digits(end + 1) > 0 && (end > 0 || sign > 0) {
        end += 1 + digits(end + 1);
        kind = Number::Float;
    }
    if end == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + signed);
        if exponent > 0 {
            (kind, end) = (Number::Float, end + 1 + signed + exponent);
        }
    }
    Some((kind, sign + end))
}

/// The length of `inf`, `nan` or `nan(0x1)`, unless it begins a longer word; else 0.
fn special(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("inf").or_else(|| text.strip_prefix("nan")) else { return 0 };
    if rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')) {
        return 0;
    }
    let payload = rest.strip_prefix("(0x").filter(|_| text.starts_with("nan")).unwrap_or_default();
    let digits = payload.bytes().take_while(u8::is_ascii_hexdigit).count();
    if payload[digits..].starts_with(')') { 3 + 3 + digits + 1 } else { 3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_trivia() {
        let length = |text| trivia(text, is_whitespace).length;
        assert_eq!(length(" \t\r\n x"), 5);
        assert_eq!(length("/*a/*b*/*/"), 8);
        assert_eq!(length("// a /* b\n  c"), 12);
        assert_eq!(length("// a\rb"), 5);
        assert_eq!(length("/"), 0);
        assert_eq!(length("\u{a0}x"), 0);
        assert_eq!(trivia(" /* é", is_whitespace), Trivia { length: 6, unclosed: Some(1) });
    }

    #[test]
    fn numbers_are_those_of_xla() {
        use Number::{Float, Int, Special};
        for (text, kind, length) in [
            ("12)", Int, 2),
            ("-3,", Int, 2),
            ("1.", Float, 2),
            ("-.5", Float, 3),
            ("1.5e-3x", Float, 6),
            ("1e5", Float, 3),
            ("1e", Int, 1),
            ("1e+", Int, 1),
            ("1..2", Float, 2),
            ("inf)", Special, 3),
            ("-nan", Special, 4),
            ("nan(0x7f)", Special, 9),
            ("nan(0xq)", Special, 3),
            ("nan(x)", Special, 3),
            ("inf(0x1)", Special, 3),
        ] {
            assert_eq!(number(text), Some((kind, length)), "{text}");
        }
        for text in ["", "-", "+1", ".5", ".", "-.", "info", "nan_1", "->", "é"] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
