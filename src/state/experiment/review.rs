//! The code of a link, displayed for review before it runs, with every character visible.
//!
//! Invariant: no two texts are displayed alike. Invisible characters, and those that move or cover others, are
//! displayed as JavaScript escapes.

/// Maximum number of bytes of a function that may come in a link and run: more cannot be reviewed.
pub const MAX_FUNCTION_BYTES: usize = 1 << 16;

/// A part of a displayed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Characters displayed as themselves.
    Plain(String),
    /// A character displayed as an escape.
    Escape(String),
}

/// Ranges beyond ASCII that are displayed as escapes: spaces, format and bidirectional controls, variation selectors
/// and invisible fillers, combining marks (which may cover code), private use, specials and tags.
const HIDDEN: &[(u32, u32)] = &[
    (0x80, 0xA0),
    (0xAD, 0xAD),
    (0x300, 0x36F),
    (0x483, 0x489),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x1AB0, 0x1AFF),
    (0x1DC0, 0x1DFF),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x20D0, 0x20FF),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x302A, 0x302F),
    (0x3164, 0x3164),
    (0xE000, 0xF8FF),
    (0xFDD0, 0xFDEF),
    (0xFE00, 0xFE0F),
    (0xFE20, 0xFE2F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFF),
    (0x13430, 0x13455),
    (0x1BCA0, 0x1BCA3),
    (0x1D165, 0x1D182),
    (0x1FFFE, 0x1FFFF),
    (0xE0000, 0x10_FFFF),
];

fn is_hidden(c: char) -> bool {
    let code = u32::from(c);
    (c.is_control() && c != '\t') || HIDDEN.iter().any(|(first, last)| (*first..=*last).contains(&code))
}

fn escape(c: char) -> String {
    match c {
        '\r' => "\\r".to_owned(),
        c if u32::from(c) <= 0xFF => format!("\\x{:02X}", u32::from(c)),
        c => format!("\\u{{{:04X}}}", u32::from(c)),
    }
}

/// The lines of a program, as JavaScript divides it. A line terminator other than `\n` or `\r\n` is displayed at the
/// end of its line.
pub fn lines(code: &str) -> Vec<Vec<Part>> {
    let code = code.replace("\r\n", "\n");
    let mut lines = vec![Vec::new()];
    let mut line: Vec<Part> = Vec::new();
    let end = |line: &mut Vec<Part>, lines: &mut Vec<Vec<Part>>| {
        if let Some(last) = lines.last_mut() {
            *last = std::mem::take(line);
        }
        lines.push(Vec::new());
    };
    for c in code.chars() {
        match (c, line.last_mut()) {
            ('\n', _) => end(&mut line, &mut lines),
            (c, _) if is_hidden(c) => {
                line.push(Part::Escape(escape(c)));
                if matches!(c, '\r' | '\u{2028}' | '\u{2029}') {
                    end(&mut line, &mut lines);
                }
            }
            (c, Some(Part::Plain(text))) => text.push(c),
            (c, _) => line.push(Part::Plain(c.to_string())),
        }
    }
    if let Some(last) = lines.last_mut() {
        *last = line;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The displayed lines, with escapes in guillemets.
    fn shown(code: &str) -> Vec<String> {
        let text = |part: &Part| match part {
            Part::Plain(text) => text.clone(),
            Part::Escape(text) => format!("«{text}»"),
        };
        lines(code).iter().map(|line| line.iter().map(text).collect()).collect()
    }

    #[test]
    fn code_without_hidden_characters_is_displayed_unchanged() {
        assert_eq!(shown("a\n\tb = '变量 é';\r\n"), ["a", "\tb = '变量 é';", ""]);
        assert_eq!(shown(""), [""]);
    }

    #[test]
    fn javascript_line_terminators_end_lines_and_are_displayed() {
        assert_eq!(shown("// a\rb\u{2028}c\u{2029}d"), ["// a«\\r»", "b«\\u{2028}»", "c«\\u{2029}»", "d"]);
        assert_eq!(shown("a\r\r\nb"), ["a«\\r»", "", "b"]);
    }

    #[test]
    fn hidden_and_combining_characters_are_escaped() {
        let hidden = "\0\u{b}\u{1b}\u{7f}\u{85}\u{a0}\u{ad}\u{34f}\u{301}\u{61c}\u{115f}\u{180e}\u{200b}\u{200d}\u{200f}\u{202e}\
                      \u{2066}\u{2069}\u{2800}\u{3000}\u{3164}\u{e000}\u{fe0f}\u{feff}\u{fff9}\u{e0041}\u{e0100}\u{10ffff}";
        for c in hidden.chars() {
            let shown = shown(&format!("a{c}b"));
            assert!(shown.len() == 1 && shown[0].starts_with("a«\\"), "{c:?}: {shown:?}");
            assert!(!shown[0].contains(c), "{c:?}");
        }
        assert_eq!(shown("a\u{202e}b"), ["a«\\u{202E}»b"]);
        assert_eq!(shown("a\u{1b}b"), ["a«\\x1B»b"]);
    }
}
