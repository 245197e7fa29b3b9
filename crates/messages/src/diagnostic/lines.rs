//! Line and column numbers of a source text, and excerpts of its lines.
//!
//! A line ends with LF, CR LF or CR, and nothing else. A byte order mark at the start of the source is not part of a
//! line. Invariant: regardless of the line's length, an excerpt has at most [`MAX_CHARS_BEFORE`] + [`MAX_CHARS_AFTER`] characters
//! of the source, an excerpt with edits at most [`MAX_EDITED_CHARS`], each plus an `…` for each omitted part; neither
//! has control characters other than tabs. All line numbers and excerpts are computed here.

use std::cell::{Cell, OnceCell};

use super::span::{Edit, Span};
use crate::bug::OrBug as _;
use crate::escape;

/// Maximum number of characters of an excerpt before the position.
const MAX_CHARS_BEFORE: usize = 80;
/// Maximum number of characters of an excerpt from the position on.
const MAX_CHARS_AFTER: usize = 120;
/// Maximum number of characters of an excerpt with edits, whose inserted text can be of any length.
const MAX_EDITED_CHARS: usize = 2 * (MAX_CHARS_BEFORE + MAX_CHARS_AFTER);

/// The byte order mark, with which some editors begin a file.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The length in bytes of the byte order mark at the start of a source; 0 if there is none.
pub fn byte_order_mark_len(text: &str) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 }
}

/// The lines of a source. Queries in ascending order take linear time in total.
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    source: &'a str,
    /// The start of the line of the last query, and its 1-based number.
    last_line: Cell<(usize, usize)>,
    /// The byte offset and the 0-based column of the last column query.
    last_column: Cell<(usize, usize)>,
    is_single_line: OnceCell<bool>,
}

/// The part of a line around a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text, with `…` in place of omitted parts of the line.
    pub text: String,
    /// The number of characters before the span.
    pub before: usize,
    /// The number of characters in the span, at least 1.
    pub width: usize,
}

impl Excerpt {
    /// The line of carets under the span; it has the tabs of the text, so that carets and text line up.
    pub fn carets(&self) -> String {
        let before = self.text.chars().take(self.before).map(|c| if c == '\t' { c } else { ' ' });
        before.chain(std::iter::repeat_n('^', self.width)).collect()
    }
}

impl<'a> LineIndex<'a> {
    /// The index of a source; its lines are found lazily, by the queries.
    pub fn new(source: &'a str) -> Self {
        let start = byte_order_mark_len(source);
        Self {
            source,
            last_line: Cell::new((start, 1)),
            last_column: Cell::new((start, 0)),
            is_single_line: OnceCell::new(),
        }
    }

    /// The whole source text.
    pub fn source(&self) -> &'a str {
        self.source
    }

    /// Whether the source is a single line, not counting trailing blank lines.
    pub fn is_single_line(&self) -> bool {
        *self.is_single_line.get_or_init(|| !self.source.trim_end().contains(['\n', '\r']))
    }

    /// The start of the line that contains byte `offset`, and its 1-based number.
    fn line_at(&self, offset: usize) -> (usize, usize) {
        let bytes = self.source.as_bytes();
        let (mut start, mut number) = self.last_line.get();
        if offset < start {
            (start, number) = (byte_order_mark_len(self.source), 1);
        }
        let mut next = start;
        while let Some(length) = bytes.get(next..offset).and_then(|b| b.iter().position(|b| is_line_end(*b)))
        {
            next += length + 1;
            // The LF after a CR belongs to the same line end.
            if bytes[next - 1] == b'\r' && bytes.get(next) == Some(&b'\n') {
                if next >= offset {
                    break;
                }
                next += 1;
            }
            (start, number) = (next, number + 1);
        }
        self.last_line.set((start, number));
        (start, number)
    }

    /// 1-based line and column of a byte; columns count Unicode scalar values.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let offset = self.floor_char_boundary(offset);
        let (start, number) = self.line_at(offset);
        // Counts from the last query if that is on the same line, else from the start of the line.
        let (known, column) =
            Some(self.last_column.get()).filter(|(k, _)| (start..=offset).contains(k)).unwrap_or((start, 0));
        let column = column + self.slice(known, offset).chars().count();
        self.last_column.set((offset, column));
        (number, column + 1)
    }

    /// The part of the line around the start of a span.
    pub fn excerpt(&self, span: Span) -> Excerpt {
        let offset = self.floor_char_boundary(span.start);
        let (start, _) = self.line_at(offset);
        let before = self.text_before(start, offset);
        let after = self.text_after(offset);
        let end = self.floor_char_boundary(span.end).clamp(offset, offset + after.len());
        let highlighted = self.slice(offset, end);
        let is_cut_before = start + before.len() < offset;
        let mut text = String::new();
        text.extend(is_cut_before.then_some('…'));
        text.extend(before.chars().map(escape::displayable));
        text.extend(after.chars().map(escape::displayable));
        text.extend(self.is_cut_at(offset + after.len()).then_some('…'));
        let count = before.chars().count() + usize::from(is_cut_before);
        Excerpt { text, before: count, width: highlighted.chars().count().max(1) }
    }

    /// An excerpt of the line with `edits` applied; `None` if they span several lines or insert one.
    pub(super) fn excerpt_with_edits(&self, edits: &[Edit]) -> Option<String> {
        let (first, last) = (edits.first()?.span.start, edits.last()?.span.end);
        let has_line_end = |text: &str| text.contains(['\n', '\r']);
        if has_line_end(self.source.get(first..last)?) || edits.iter().any(|edit| has_line_end(&edit.text)) {
            return None;
        }
        let (start, _) = self.line_at(first);
        let before = self.text_before(start, first);
        let mut text = String::new();
        text.extend((start + before.len() < first).then_some('…'));
        text.push_str(before);
        let mut copied_to = first;
        for edit in edits {
            text.push_str(self.source.get(copied_to..edit.span.start)?);
            text.push_str(&edit.text);
            copied_to = edit.span.end;
        }
        let after = self.text_after(copied_to);
        text.push_str(after);
        text.extend(self.is_cut_at(copied_to + after.len()).then_some('…'));
        let cut = text.char_indices().nth(MAX_EDITED_CHARS).map(|(end, _)| end);
        let excerpt = cut.map_or(&text[..], |end| &text[..end]);
        Some(excerpt.chars().map(escape::displayable).chain(cut.map(|_| '…')).collect())
    }

    /// The last [`MAX_CHARS_BEFORE`] characters before byte `offset` of the line that starts at `start`.
    fn text_before(&self, start: usize, offset: usize) -> &'a str {
        let line = self.slice(start, offset);
        line.char_indices().rev().nth(MAX_CHARS_BEFORE - 1).map_or(line, |(cut, _)| &line[cut..])
    }

    /// The first [`MAX_CHARS_AFTER`] characters of the line from byte `offset` on.
    fn text_after(&self, offset: usize) -> &'a str {
        let rest = self.slice(offset, self.source.len());
        let end = rest
            .char_indices()
            .take(MAX_CHARS_AFTER)
            .find(|(_, c)| matches!(c, '\n' | '\r'))
            .map(|(end, _)| end);
        let end = end
            .or_else(|| rest.char_indices().nth(MAX_CHARS_AFTER).map(|(end, _)| end))
            .unwrap_or(rest.len());
        &rest[..end]
    }

    /// Whether an excerpt that ends at byte `end` omits the rest of its line.
    fn is_cut_at(&self, end: usize) -> bool {
        self.source.get(end..).and_then(|rest| rest.chars().next()).is_some_and(|c| !matches!(c, '\n' | '\r'))
    }

    /// The start of the character at a byte, or the end of the source.
    fn floor_char_boundary(&self, offset: usize) -> usize {
        self.source.floor_char_boundary(offset)
    }

    /// The source between two character boundaries; empty if `end` precedes `start` (inside the byte order mark).
    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.source.get(start..end.max(start)).or_bug("", "an offset is inside a character")
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lf_cr_and_cr_lf_each_end_one_line() {
        for end in ["\n", "\r\n", "\r"] {
            let text = format!("ab{end}{end}é c{end}d");
            let index = LineIndex::new(&text);
            let position = |part: &str| index.position(text.find(part).unwrap());
            assert_eq!(
                [position("b"), position("c"), position("d"), position("a")],
                [(1, 2), (3, 3), (4, 1), (1, 1)],
                "{end:?}"
            );
            assert_eq!(index.position(text.len() + 9), (4, 2));
            assert_eq!(index.position(2), (1, 3));
        }
        let mixed = LineIndex::new("\u{feff}a\n\rb\r\nc");
        assert_eq!([mixed.position(3), mixed.position(6), mixed.position(9)], [(1, 1), (3, 1), (4, 1)]);
        // An offset between CR and LF belongs to the line that they end.
        assert_eq!(mixed.position(8), (3, 3));
        // Results do not depend on the order of queries.
        let text = "a\r\nb\rc\nd\n\n";
        let index = LineIndex::new(text);
        for at in (0..=text.len()).rev().chain(0..=text.len()) {
            assert_eq!(index.position(at), LineIndex::new(text).position(at), "{at}");
        }
    }

    #[test]
    fn excerpts_are_short_and_carets_line_up_with_the_span() {
        let long = format!("x\r{}é\tbad\u{1b}{}\ry", "a".repeat(1 << 20), "b".repeat(1 << 20));
        let at = long.find("bad").unwrap();
        let excerpt = LineIndex::new(&long).excerpt(Span::new(at, at + 3));
        assert!(excerpt.text.chars().count() <= MAX_CHARS_BEFORE + MAX_CHARS_AFTER + 2, "{}", excerpt.text);
        assert!(excerpt.text.starts_with("…a") && excerpt.text.ends_with("b…"), "{}", excerpt.text);
        assert!(excerpt.text.contains("\tbad\u{fffd}b"));
        let marked: String = excerpt.text.chars().skip(excerpt.before).take(excerpt.width).collect();
        assert_eq!(marked, "bad");
        assert!(excerpt.carets().ends_with("\t^^^"));
        let short = LineIndex::new("ab\ncd").excerpt(Span::new(1, 4));
        assert_eq!((short.text.as_str(), short.before, short.width), ("ab", 1, 1));
        assert_eq!(LineIndex::new("ab").excerpt(Span::at(2)).carets(), "  ^");
        assert_eq!(LineIndex::new("").excerpt(Span::new(4, 9)).carets(), "^");
    }

    #[test]
    fn excerpts_of_edited_lines_are_short() {
        let text = format!("x\n{}q{}\ny", "a".repeat(1000), "b".repeat(1000));
        let edit = |start, end, text: &str| Edit { span: Span::new(start, end), text: text.to_owned() };
        let fixed = LineIndex::new(&text).excerpt_with_edits(&[edit(1002, 1003, "QQ")]).unwrap();
        assert_eq!(fixed, format!("…{}QQ{}…", "a".repeat(MAX_CHARS_BEFORE), "b".repeat(MAX_CHARS_AFTER)));
        assert_eq!(
            LineIndex::new("ab\rcd").excerpt_with_edits(&[edit(3, 4, "x"), edit(5, 5, "!")]).as_deref(),
            Some("xd!")
        );
        assert_eq!(LineIndex::new("ab\rcd").excerpt_with_edits(&[edit(1, 4, "x")]), None);
        assert_eq!(LineIndex::new("ab").excerpt_with_edits(&[edit(1, 1, "\r")]), None);
        let inserted = LineIndex::new("ab").excerpt_with_edits(&[edit(1, 1, &"x".repeat(9999))]).unwrap();
        assert!(inserted.chars().count() <= MAX_EDITED_CHARS + 1);
    }
}
