//! C-style string escapes, as HLO text uses them.
//!
//! Source: XLA's lexer and printer call `absl::CUnescape` and `absl::CEscape`. Invariant: `unescape(&escape(b)) == b`
//! for all bytes; what [`escape`] returns is printable ASCII without a quotation mark.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// Bytes escaped for a string in quotation marks.
///
/// ```
/// assert_eq!(xla_messages::escape::c::escape("A\r\"é".as_bytes()), r#"A\r\"\303\251"#);
/// ```
pub fn escape(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'"' => out.push_str("\\\""),
            b'\'' => out.push_str("\\'"),
            b'\\' => out.push_str("\\\\"),
            b' '..=b'~' => out.push(char::from(*byte)),
            // Writing to a `String` cannot fail.
            _ => drop(write!(out, "\\{byte:03o}")),
        }
    }
    out
}

/// The bytes of a string in quotation marks; raw CR and CRLF are normalized to LF.
///
/// # Errors
///
/// The byte range of the first invalid escape.
pub fn unescape(text: &str) -> Result<Cow<'_, [u8]>, Range<usize>> {
    if !text.contains(['\\', '\r']) {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    let mut out = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut offset = 0;
    while let Some(byte) = bytes.get(offset) {
        match byte {
            b'\\' => {
                let length =
                    read_escape(&text[offset..], &mut out).map_err(|length| offset..offset + length)?;
                offset += length;
            }
            b'\r' => {
                out.push(b'\n');
                offset += 1 + usize::from(bytes.get(offset + 1) == Some(&b'\n'));
            }
            byte => {
                out.push(*byte);
                offset += 1;
            }
        }
    }
    Ok(Cow::Owned(out))
}

/// Reads the escape at the start of `text` and appends its bytes; returns its length, as an error if it is invalid.
fn read_escape(text: &str, out: &mut Vec<u8>) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let Some(kind) = bytes.get(1) else { return Err(1) };
    // The number of digits from `start` on, at most `max_length`.
    let digit_count = |start: usize, max_length: usize, is_digit: fn(&u8) -> bool| {
        bytes.iter().skip(start).take(max_length).take_while(|b| is_digit(b)).count()
    };
    let number = |start: usize, length: usize, radix| {
        text.get(start..start + length).and_then(|digits| u32::from_str_radix(digits, radix).ok())
    };
    let (byte, length) = match kind {
        b'a' => (7, 2),
        b'b' => (8, 2),
        b'f' => (12, 2),
        b'n' => (b'\n', 2),
        b'r' => (b'\r', 2),
        b't' => (b'\t', 2),
        b'v' => (11, 2),
        b'\\' | b'?' | b'\'' | b'"' => (*kind, 2),
        b'0'..=b'7' => {
            let length = digit_count(1, 3, |b| matches!(b, b'0'..=b'7'));
            let value = number(1, length, 8).and_then(|value| u8::try_from(value).ok());
            (value.ok_or(1 + length)?, 1 + length)
        }
        b'x' | b'X' => {
            // Any number of digits, as leading zeros are allowed.
            let length = digit_count(2, usize::MAX, u8::is_ascii_hexdigit);
            let digits = text[2..2 + length].trim_start_matches('0');
            let value = if digits.is_empty() { Some(0) } else { u8::from_str_radix(digits, 16).ok() };
            (value.filter(|_| length > 0).ok_or(2 + length)?, 2 + length)
        }
        b'u' | b'U' => {
            let count = if *kind == b'u' { 4 } else { 8 };
            let length = digit_count(2, count, u8::is_ascii_hexdigit);
            let c = number(2, length, 16).filter(|_| length == count).and_then(char::from_u32);
            let c = c.ok_or(2 + length)?;
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return Ok(2 + count);
        }
        _ => return Err(1 + text[1..].chars().next().map_or(0, char::len_utf8)),
    };
    out.push(byte);
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unescapes_like_c() {
        for (text, bytes) in [
            (r"\x41\101\r", &b"AA\r"[..]),
            (r#"\a\b\f\n\r\t\v\\\'\"\?"#, b"\x07\x08\x0c\n\r\t\x0b\\'\"?"),
            (r"\0\1\12\123\1234\377", b"\0\x01\nSS4\xff"),
            (r"\x4G\x000041 \Xff", b"\x04GA \xff"),
            (r"\u00e9\U0001F600", "é😀".as_bytes()),
            ("é\r\n\r\nx\ry", "é\n\nx\ny".as_bytes()),
            ("", b""),
        ] {
            assert_eq!(unescape(text).as_deref(), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn invalid_escapes_are_reported_with_their_range() {
        for (text, range) in [
            (r"ab\q", 2..4),
            (r"\", 0..1),
            (r"a\400", 1..5),
            (r"\x", 0..2),
            (r"\xg", 0..2),
            (r"\x100", 0..5),
            (r"\u12", 0..4),
            (r"\ud800", 0..6),
            (r"\U00110000", 0..10),
            (r"x\é", 1..4),
            ("\\\n", 0..2),
        ] {
            assert_eq!(unescape(text), Err(range), "{text}");
        }
    }

    #[test]
    fn every_byte_round_trips() {
        let all: Vec<u8> = (0..=255).chain("\u{202e}é".bytes()).chain(*b"1\x001").collect();
        let text = escape(&all);
        assert!(text.bytes().all(|b| (b' '..=b'~').contains(&b)), "{text}");
        assert_eq!(unescape(&text).as_deref(), Ok(&all[..]));
        assert_eq!(escape(b"\x001\xff8"), r"\0001\3778");
    }
}
