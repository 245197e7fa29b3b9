//! HLO text for export: the source, with invisible and control characters escaped.

use std::fmt::Write;

use super::super::lexer::{Lexer, TokenKind};
use super::super::quoted::{JsonTracker, json_text};
use xla_messages::diagnostic::byte_order_mark_len;
use xla_messages::escape;

/// Whether a character has to be escaped; line breaks are already LF.
fn is_hostile(c: char) -> bool {
    !matches!(c, '\n' | '\t') && escape::is_hostile(c)
}

/// The source with LF line breaks and hostile characters escaped: in strings so that they read back, in comments
/// visibly. It parses to the same module.
pub fn hlo_text(source: &str) -> String {
    let source = source[byte_order_mark_len(source)..].replace("\r\n", "\n").replace('\r', "\n");
    if !source.contains(is_hostile) {
        return source;
    }
    let mut out = String::with_capacity(source.len());
    let (mut lexer, mut json, mut end) = (Lexer::starting_at(&source, 0), JsonTracker::default(), 0);
    loop {
        let token = lexer.next();
        // Between tokens are whitespace and comments.
        for c in source.get(end..token.span.start).unwrap_or_default().chars() {
            if is_hostile(c) {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            } else {
                out.push(c);
            }
        }
        end = lexer.offset;
        if token.kind == TokenKind::End {
            return out;
        }
        json.advance(token, &lexer);
        let written = source.get(token.span.start..end).unwrap_or_default();
        match token.kind {
            TokenKind::String if json.is_in_json() => out.push_str(&json_text(written)),
            TokenKind::String if written.contains(is_hostile) => {
                for c in written.chars() {
                    if is_hostile(c) {
                        out.push_str(&escape::c::escape(c.encode_utf8(&mut [0; 4]).as_bytes()));
                    } else {
                        out.push(c);
                    }
                }
            }
            _ => out.extend(written.chars().map(|c| if c == '\n' { c } else { escape::displayable(c) })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::parse;
    use super::*;

    #[test]
    fn exported_text_has_no_hostile_characters_and_parses_to_the_same_module() {
        let hostile = "\u{0}\u{1b}\u{202e}\u{2028}é";
        let text = format!(
            "\u{feff}HloModule m // {hostile}\r\nENTRY e {{\r  x = f32[] parameter(0), metadata={{op_name=\"a{hostile}\"}}\n  \
             /* {hostile} */ ROOT r = f32[] custom-call(x), custom_call_target=\"{hostile}\", \
             backend_config={{\"k\": \"{hostile}\"}}\n}}\n"
        );
        let written = hlo_text(&text);
        assert!(!written.contains(is_hostile), "{written:?}");
        assert!(written.contains("// \\u{0}\\u{1b}\\u{202e}\\u{2028}é\nENTRY"), "{written}");
        assert!(written.contains("\"k\": \"\\u0000\\u001b\\u202e\\u2028é\""), "{written}");
        let [original, exported] = [&text, &written].map(|text| parse(text).into_module().unwrap());
        let long = super::super::super::PrintOptions::LONG;
        assert_eq!(original.text(long), exported.text(long));
        assert_eq!(hlo_text(&written), written);
        let plain = "HloModule m\nENTRY e {\n\tx = f32[] parameter(0) // é\n}\n";
        assert_eq!(hlo_text(plain), plain);
    }
}
