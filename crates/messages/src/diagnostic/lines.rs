//! The lines of a text: their numbers, columns, and the part of a line that is shown.
//!
//! A line ends with LF, CR LF or CR; nothing else ends one. A byte order mark at the start of the text belongs to no
//! line. Invariant: an excerpt is at most some [`BEFORE`] + [`BEHIND`] characters long, whatever the line's length, and
//! contains no control character. Everything that numbers lines or shows one does it here.

use std::cell::{Cell, OnceCell};

use super::span::{Edit, Span};
use crate::escape;

/// Characters that an excerpt shows before a position.
const BEFORE: usize = 80;
/// Characters that it shows from the position on.
const BEHIND: usize = 120;

/// A byte order mark, which editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The length of the byte order mark at the start of a text; 0 where there is none.
pub fn byte_order_mark(text: &str) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 }
}

/// A text whose lines are asked for. Questions in ascending order take linear time in total.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    source: &'a str,
    /// Where the line of the last question starts, and its number from 1.
    last: Cell<(usize, usize)>,
    /// A byte whose column was asked for, and the column from 0.
    column: Cell<(usize, usize)>,
    is_one: OnceCell<bool>,
}

/// The part of a line around a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text, with `…` where the line was cut.
    pub text: String,
    /// Characters of it before the span.
    pub before: usize,
    /// Characters of it in the span, at least 1.
    pub width: usize,
}

impl Excerpt {
    /// The line of carets under the span; tabs stay, so that the carets stand under the text.
    pub fn carets(&self) -> String {
        let before = self.text.chars().take(self.before).map(|c| if c == '\t' { c } else { ' ' });
        before.chain(std::iter::repeat_n('^', self.width)).collect()
    }
}

impl<'a> Lines<'a> {
    /// The lines of a text.
    pub fn new(source: &'a str) -> Self {
        let start = byte_order_mark(source);
        Self { source, last: Cell::new((start, 1)), column: Cell::new((start, 0)), is_one: OnceCell::new() }
    }

    /// The text.
    pub fn source(&self) -> &'a str {
        self.source
    }

    /// Whether the text is one line, apart from blank lines at its end.
    pub fn is_one(&self) -> bool {
        *self.is_one.get_or_init(|| !self.source.trim_end().contains(['\n', '\r']))
    }

    /// The line that contains byte `at`: where it starts, and its number from 1.
    fn line_at(&self, at: usize) -> (usize, usize) {
        let bytes = self.source.as_bytes();
        let (mut start, mut number) = self.last.get();
        if at < start {
            (start, number) = (byte_order_mark(self.source), 1);
        }
        let mut place = start;
        while let Some(length) = bytes.get(place..at).and_then(|b| b.iter().position(|b| is_end(*b))) {
            place += length + 1;
            // The LF after a CR belongs to the same line end.
            if bytes[place - 1] == b'\r' && bytes.get(place) == Some(&b'\n') {
                if place >= at {
                    break;
                }
                place += 1;
            }
            (start, number) = (place, number + 1);
        }
        self.last.set((start, number));
        (start, number)
    }

    /// Line and column of a byte, both from 1; columns count characters.
    pub fn position(&self, at: usize) -> (usize, usize) {
        let at = self.floor(at);
        let (start, number) = self.line_at(at);
        let (known, column) =
            Some(self.column.get()).filter(|(k, _)| (start..=at).contains(k)).unwrap_or((start, 0));
        let column = column + self.source.get(known..at).map_or(0, |before| before.chars().count());
        self.column.set((at, column));
        (number, column + 1)
    }

    /// The part of the line around the start of a span.
    pub fn excerpt(&self, span: Span) -> Excerpt {
        let at = self.floor(span.start);
        let (start, _) = self.line_at(at);
        let before = self.before(start, at);
        let behind = self.behind(at);
        let end = self.floor(span.end).clamp(at, at + behind.len());
        let mark = self.source.get(at..end).unwrap_or_default();
        let is_cut = (start + before.len() < at, at + behind.len() < self.line_end(at));
        let mut text = String::new();
        text.extend(is_cut.0.then_some('…'));
        text.extend(before.chars().map(escape::displayed));
        text.extend(behind.chars().map(escape::displayed));
        text.extend(is_cut.1.then_some('…'));
        let count = before.chars().count() + usize::from(is_cut.0);
        Excerpt { text, before: count, width: mark.chars().count().max(1) }
    }

    /// The part of the line around `edits` as they leave it; `None` where they begin or end on different lines or
    /// insert a line.
    pub(super) fn edited(&self, edits: &[Edit]) -> Option<String> {
        let (first, last) = (edits.first()?.span.start, edits.last()?.span.end);
        let has_end = |text: &str| text.contains(['\n', '\r']);
        if has_end(self.source.get(first..last)?) || edits.iter().any(|edit| has_end(&edit.text)) {
            return None;
        }
        let (start, _) = self.line_at(first);
        let before = self.before(start, first);
        let mut text = String::new();
        text.extend((start + before.len() < first).then_some('…'));
        text.push_str(before);
        let mut done = first;
        for edit in edits {
            text.push_str(self.source.get(done..edit.span.start)?);
            text.push_str(&edit.text);
            done = edit.span.end;
        }
        let behind = self.behind(done);
        text.push_str(behind);
        text.extend((done + behind.len() < self.line_end(done)).then_some('…'));
        let cut = text.char_indices().nth(2 * (BEFORE + BEHIND)).map(|(at, _)| at);
        let shown = cut.map_or(&text[..], |at| &text[..at]);
        Some(shown.chars().map(escape::displayed).chain(cut.map(|_| '…')).collect())
    }

    /// The last [`BEFORE`] characters before a byte of the line that starts at `start`.
    fn before(&self, start: usize, at: usize) -> &'a str {
        let line = self.source.get(start..at).unwrap_or_default();
        line.char_indices().rev().nth(BEFORE - 1).map_or(line, |(cut, _)| &line[cut..])
    }

    /// The first [`BEHIND`] characters of the line from a byte on.
    fn behind(&self, at: usize) -> &'a str {
        let rest = self.source.get(at..).unwrap_or_default();
        let end =
            rest.char_indices().take(BEHIND).find(|(_, c)| matches!(c, '\n' | '\r')).map(|(end, _)| end);
        let end = end.or_else(|| rest.char_indices().nth(BEHIND).map(|(end, _)| end)).unwrap_or(rest.len());
        &rest[..end]
    }

    /// Where the line of a byte ends, if that is near: [`Self::behind`] ends there or one character before.
    fn line_end(&self, at: usize) -> usize {
        let shown = at + self.behind(at).len();
        let next = self.source.get(shown..).and_then(|rest| rest.chars().next());
        shown + next.filter(|c| !matches!(c, '\n' | '\r')).map_or(0, char::len_utf8)
    }

    /// The start of the character at a byte, or the end of the text.
    fn floor(&self, at: usize) -> usize {
        self.source.floor_char_boundary(at)
    }
}

fn is_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_counts_once() {
        for end in ["\n", "\r\n", "\r"] {
            let text = format!("ab{end}{end}é c{end}d");
            let lines = Lines::new(&text);
            let of = |part: &str| lines.position(text.find(part).unwrap());
            assert_eq!([of("b"), of("c"), of("d"), of("a")], [(1, 2), (3, 3), (4, 1), (1, 1)], "{end:?}");
            assert_eq!(lines.position(text.len() + 9), (4, 2));
            assert_eq!(lines.position(2), (1, 3));
        }
        let mixed = Lines::new("\u{feff}a\n\rb\r\nc");
        assert_eq!([mixed.position(3), mixed.position(6), mixed.position(9)], [(1, 1), (3, 1), (4, 1)]);
        // Between CR and LF is the end of the line that they end.
        assert_eq!(mixed.position(8), (3, 3));
        // Any order of questions gives the same answers.
        let text = "a\r\nb\rc\nd\n\n";
        let lines = Lines::new(text);
        for at in (0..=text.len()).rev().chain(0..=text.len()) {
            assert_eq!(lines.position(at), Lines::new(text).position(at), "{at}");
        }
    }

    #[test]
    fn an_excerpt_is_short_and_its_carets_stand_under_the_span() {
        let long = format!("x\r{}é\tbad\u{1b}{}\ry", "a".repeat(1 << 20), "b".repeat(1 << 20));
        let at = long.find("bad").unwrap();
        let excerpt = Lines::new(&long).excerpt(Span::new(at, at + 3));
        assert!(excerpt.text.chars().count() <= BEFORE + BEHIND + 2, "{}", excerpt.text);
        assert!(excerpt.text.starts_with("…a") && excerpt.text.ends_with("b…"), "{}", excerpt.text);
        assert!(excerpt.text.contains("\tbad\u{fffd}b"));
        let marked: String = excerpt.text.chars().skip(excerpt.before).take(excerpt.width).collect();
        assert_eq!(marked, "bad");
        assert!(excerpt.carets().ends_with("\t^^^"));
        let short = Lines::new("ab\ncd").excerpt(Span::new(1, 4));
        assert_eq!((short.text.as_str(), short.before, short.width), ("ab", 1, 1));
        assert_eq!(Lines::new("ab").excerpt(Span::at(2)).carets(), "  ^");
        assert_eq!(Lines::new("").excerpt(Span::new(4, 9)).carets(), "^");
    }

    #[test]
    fn an_edited_line_is_short_too() {
        let text = format!("x\n{}q{}\ny", "a".repeat(1000), "b".repeat(1000));
        let edit = |start, end, text: &str| Edit { span: Span::new(start, end), text: text.to_owned() };
        let fixed = Lines::new(&text).edited(&[edit(1002, 1003, "QQ")]).unwrap();
        assert_eq!(fixed, format!("…{}QQ{}…", "a".repeat(BEFORE), "b".repeat(BEHIND)));
        assert_eq!(Lines::new("ab\rcd").edited(&[edit(3, 4, "x"), edit(5, 5, "!")]).as_deref(), Some("xd!"));
        assert_eq!(Lines::new("ab\rcd").edited(&[edit(1, 4, "x")]), None);
        assert_eq!(Lines::new("ab").edited(&[edit(1, 1, "\r")]), None);
        let inserted = Lines::new("ab").edited(&[edit(1, 1, &"x".repeat(9999))]).unwrap();
        assert!(inserted.chars().count() < 500);
    }
}
