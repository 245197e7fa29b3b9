//! Foreign text in every language the playground writes: comments and string literals of programs, SVG, TeX, Markdown,
//! HLO, and the lines of a terminal.
//!
//! Foreign text is supplied by a link, a file or a user: names, attributes, function bodies. Invariant: escaped text
//! cannot end the line, comment, literal or element it is written into, and contains no character that changes how
//! surrounding text is displayed (bidirectional controls, invisible characters). Exports write foreign text only
//! through this module. [`c`] has the escapes of HLO strings, [`base64`] the encoding of bytes in links and data URLs.

pub mod base64;
pub mod c;

use std::fmt::Write;

/// Whether a character must be escaped in an export: control characters, line and paragraph separators, bidirectional
/// controls, and characters without a glyph.
pub fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Whether a character is whitespace in HLO text.
fn is_whitespace(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// Writes text on one line, by `write` for each character: a line break and the whitespace after it become one space, a tab
/// becomes a space.
fn on_one_line(text: &str, mut write: impl FnMut(&mut String, char)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\r' => {
                while chars.next_if(|c| is_whitespace(*c)).is_some() {}
                out.push(' ');
            }
            '\t' => out.push(' '),
            c => write(&mut out, c),
        }
    }
    out
}

/// Text for a line comment of any language: line ends and tabs become spaces, hostile characters escapes such as
/// `\u{202e}`.
///
/// ```
/// assert_eq!(xla_messages::escape::comment("a\r  import os\u{2028}b"), r"a import os\u{2028}b");
/// ```
pub fn comment(text: &str) -> String {
    on_one_line(text, |out, c| {
        if is_hostile(c) {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    })
}

/// A Python string literal, with its quotation marks, that evaluates to exactly this text.
///
/// ```
/// assert_eq!(xla_messages::escape::python_string("a\r\"\u{202e}"), r#""a\r\"\u202e""#);
/// ```
pub fn python_string(text: &str) -> String {
    quoted(text, |out, code| match code {
        ..=0xff => write!(out, "\\x{code:02x}"),
        0x100..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    })
}

/// A Rust string literal, with its quotation marks, that evaluates to exactly this text.
///
/// ```
/// assert_eq!(xla_messages::escape::rust_string("a\r\"\u{202e}"), r#""a\r\"\u{202e}""#);
/// ```
pub fn rust_string(text: &str) -> String {
    quoted(text, |out, code| write!(out, "\\u{{{code:x}}}"))
}

fn quoted(text: &str, escaped: impl Fn(&mut String, u32) -> std::fmt::Result) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Writing to a `String` cannot fail.
            c if is_hostile(c) => drop(escaped(&mut out, u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A Rust byte string literal, `b"…"`.
pub fn byte_literal(bytes: &[u8]) -> String {
    format!("b\"{}\"", bytes.escape_ascii())
}

/// XML or HTML content, or the value of an attribute in either kind of quotation marks. Hostile characters become
/// U+FFFD: XML has no notation for most control characters.
pub fn xml(text: &str) -> String {
    on_one_line(text, |out, c| match c {
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '&' => out.push_str("&amp;"),
        '"' => out.push_str("&quot;"),
        '\'' => out.push_str("&#39;"),
        c if is_hostile(c) => out.push(char::REPLACEMENT_CHARACTER),
        c => out.push(c),
    })
}

/// One cell of a Markdown table or one run of inline text.
pub fn markdown(text: &str) -> String {
    let escaped = on_one_line(text, |out, c| match c {
        '\\' | '`' | '*' | '|' | '<' | '>' | '~' | '&' => {
            out.push('\\');
            out.push(c);
        }
        c if is_hostile(c) => out.push(char::REPLACEMENT_CHARACTER),
        c => out.push(c),
    });
    // Brackets alone are not a link, and shapes stay readable.
    escaped.replace("](", "\\](").replace("][", "\\][")
}

/// TeX source that prints this text.
pub fn tex(text: &str) -> String {
    on_one_line(text, |out, c| match c {
        '\\' => out.push_str("\\textbackslash{}"),
        '{' | '}' | '$' | '&' | '#' | '_' | '%' => {
            out.push('\\');
            out.push(c);
        }
        '~' => out.push_str("\\textasciitilde{}"),
        '^' => out.push_str("\\textasciicircum{}"),
        '<' | '>' | '|' => {
            out.push('$');
            out.push(c);
            out.push('$');
        }
        c => match tex_symbol(c) {
            Some(symbol) => out.push_str(symbol),
            None if is_hostile(c) => out.push('?'),
            None => out.push(c),
        },
    })
}

/// The TeX command for a symbol that occurs in derivations.
fn tex_symbol(c: char) -> Option<&'static str> {
    Some(match c {
        '…' => "\\dots{}",
        '·' => "$\\cdot$",
        'Σ' => "$\\Sigma$",
        '√' => "$\\surd$",
        '≤' => "$\\le$",
        '≥' => "$\\ge$",
        '¬' => "$\\neg$",
        '∧' => "$\\wedge$",
        '∨' => "$\\vee$",
        '⊕' => "$\\oplus$",
        '⌈' => "$\\lceil$",
        '⌉' => "$\\rceil$",
        '⌊' => "$\\lfloor$",
        '⌋' => "$\\rfloor$",
        '∛' => "$\\sqrt[3]{}$",
        '×' => "$\\times$",
        '→' => "$\\to$",
        _ => return None,
    })
}

/// A character for display in a terminal or a page: U+FFFD for a hostile one, so that columns stay aligned; tabs stay.
pub fn displayable(c: char) -> char {
    if c != '\t' && is_hostile(c) { char::REPLACEMENT_CHARACTER } else { c }
}

/// Maximum number of characters of an argument of a message, so that a message has a few lines at most.
const MAX_ARGUMENT_CHARS: usize = 600;

/// Text as an argument of a message: on one line, without hostile characters, and with the middle of a long text
/// elided.
pub fn argument(text: &str) -> String {
    let is_displayed_as_is = |c: char| c == ' ' || !is_hostile(c);
    if text.len() <= MAX_ARGUMENT_CHARS {
        if text.chars().all(is_displayed_as_is) {
            return text.to_owned();
        }
        return on_one_line(text, |out, c| out.push(displayable(c)));
    }
    let half = MAX_ARGUMENT_CHARS / 2;
    // The limit is in bytes, the halves are in characters: head and tail may overlap.
    let head = text.char_indices().nth(half).map_or(text.len(), |(offset, _)| offset);
    let tail = text.char_indices().rev().nth(half - 1).map_or(0, |(offset, _)| offset);
    if tail <= head {
        return on_one_line(text, |out, c| out.push(displayable(c)));
    }
    let half = |text: &str| on_one_line(text, |out, c| out.push(displayable(c)));
    format!("{}…{}", half(&text[..head]), half(&text[tail..]))
}

/// Maximum number of names in a list.
const MAX_NAMES: usize = 8;

/// Names as an argument of a message, the middle ones of many left out: `arg0, arg1, …, arg102 (103)`.
pub fn name_list(names: &[String]) -> String {
    match names {
        [first @ .., last] if names.len() > MAX_NAMES => {
            format!("{}, …, {last} ({})", first[..MAX_NAMES - 1].join(", "), names.len())
        }
        _ => names.join(", "),
    }
}

#[cfg(test)]
mod tests;
