//! A line of the program with its parts in colours: names, shapes, attributes, strings and comments. What does not affect
//! values, `metadata` and `backend_config`, is folded.
//!
//! Highlighting does not parse: the parser is in the query worker. A line that is not HLO is drawn without colours.

use yew::prelude::*;

/// Attributes that are folded.
const FOLDED: [&str; 3] = ["metadata=", "backend_config=", "frontend_attributes="];

/// Maximum characters of a line that are drawn.
const MAX_CHARS: usize = 2_000;

/// A part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Plain,
    Name,
    Shape,
    Opcode,
    Attribute,
    Text,
    Comment,
    Folded,
}

impl Part {
    fn class(self) -> Option<&'static str> {
        Some(match self {
            Self::Plain => return None,
            Self::Name => "t-name",
            Self::Shape => "t-shape",
            Self::Opcode => "t-op",
            Self::Attribute => "t-attr",
            Self::Text => "t-text",
            Self::Comment => "t-note",
            Self::Folded => "t-fold",
        })
    }
}

/// Whether a byte belongs to a word.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'%' | b'@') || byte >= 0x80
}

/// The end of a string that starts at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'"' => return at + 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// The end of a group in braces or brackets, or of a string or word, that starts at `start`.
fn end_of_value(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = end_of_string(bytes, at);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            b',' | b' ' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Whether a word is the element type of a shape.
fn is_element_type(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let letters = &word[..word.len() - digits.len()];
    word == "pred"
        || word == "token"
        || (matches!(letters, "f" | "s" | "u" | "c" | "bf")
            && digits.starts_with(|c: char| c.is_ascii_digit()))
}

/// The parts of a line, ascending: each with its end.
fn parts(line: &str) -> Vec<(Part, usize)> {
    let bytes = line.as_bytes();
    let mut parts: Vec<(Part, usize)> = Vec::new();
    let mut push = |part: Part, end: usize| match parts.last_mut() {
        Some((last, last_end)) if *last == part && part != Part::Folded => *last_end = end,
        _ => parts.push((part, end)),
    };
    let mut at = 0;
    while at < bytes.len() {
        let rest = &line[at..];
        if rest.starts_with("//") {
            push(Part::Comment, bytes.len());
            break;
        }
        if let Some(folded) = FOLDED.iter().find(|name| rest.starts_with(**name)) {
            at = end_of_value(bytes, at + folded.len());
            push(Part::Folded, at);
        } else if bytes[at] == b'"' {
            at = end_of_string(bytes, at);
            push(Part::Text, at);
        } else if is_word(bytes[at]) {
            let length = bytes[at..].iter().position(|byte| !is_word(*byte)).unwrap_or(bytes.len() - at);
            let word = &line[at..at + length];
            at += length;
            let next = bytes.get(at).copied();
            if is_element_type(word) && next == Some(b'[') {
                let sizes =
                    bytes[at..].iter().position(|byte| *byte == b']').map_or(bytes.len(), |end| at + end + 1);
                at = if bytes.get(sizes) == Some(&b'{') { end_of_value(bytes, sizes) } else { sizes };
                push(Part::Shape, at);
            } else if word.starts_with('%') || word.starts_with('@') {
                push(Part::Name, at);
            } else if matches!(word, "ENTRY" | "ROOT" | "HloModule" | "func.func" | "module" | "return") {
                push(Part::Attribute, at);
            } else if next == Some(b'(') && word.starts_with(|c: char| c.is_ascii_lowercase()) {
                push(Part::Opcode, at);
            } else if next == Some(b'=') {
                push(Part::Attribute, at);
            } else {
                push(Part::Plain, at);
            }
        } else {
            at += 1;
            push(Part::Plain, at);
        }
    }
    parts
}

/// A line; `folded` is the text in place of a folded part.
pub fn code_line(line: &str, folded: &AttrValue) -> Html {
    let cut = line.char_indices().nth(MAX_CHARS).map(|(end, _)| end);
    let line = &line[..cut.unwrap_or(line.len())];
    let mut start = 0;
    let drawn = parts(line).into_iter().map(|(part, end)| {
        let text = line.get(start..end).unwrap_or_default().to_owned();
        start = end;
        match part.class() {
            None => html! { {text} },
            Some(class) if part == Part::Folded => {
                let name = text.split('=').next().unwrap_or_default().to_owned();
                html! { <span {class} title={text}>{name}{folded}</span> }
            }
            Some(class) => html! { <span {class}>{text}</span> },
        }
    });
    html! { <>{for drawn}if cut.is_some() { <span class="t-note">{"…"}</span> }</> }
}
