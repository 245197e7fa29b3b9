//! Positions as editors count them: a line, and UTF-16 code units within it.
//!
//! The crates address text by bytes; a browser counts UTF-16 units, and editors count every line break as one. A line and
//! a column within it need neither a count of the units before it nor a common idea of line breaks.

use xla_messages::diagnostic::Span;

/// A position in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPosition {
    /// The line, from 0.
    pub line: usize,
    /// UTF-16 code units before the position in its line.
    pub column: usize,
}

/// A span as positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextRange {
    /// Its start.
    pub start: TextPosition,
    /// Its end.
    pub end: TextPosition,
}

/// The lines of the text. A line ends with LF, CR LF or CR.
#[derive(Clone, Debug)]
pub struct Lines<'t> {
    text: &'t str,
    /// The byte at which each line starts.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Finds the lines of the text.
    pub fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes
            .iter()
            .enumerate()
            .filter(|(at, byte)| **byte == b'\n' || **byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// The number of lines, at least 1.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line that contains a byte, from 0.
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The text of a line without its line break; empty if there is no such line.
    pub fn line(&self, line: usize) -> &'t str {
        let Some(start) = self.starts.get(line) else { return "" };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        self.text.get(*start..end).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// The position of a byte.
    pub fn position(&self, offset: usize) -> TextPosition {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.line_of(offset);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let before = self.text.get(start..offset).unwrap_or_default().trim_end_matches(['\n', '\r']);
        TextPosition { line, column: before.encode_utf16().count() }
    }

    /// The byte at a position; beyond the end of a line or of the text, that end.
    pub fn offset(&self, position: TextPosition) -> usize {
        let Some(start) = self.starts.get(position.line) else { return self.text.len() };
        let mut units = 0;
        for (at, c) in self.line(position.line).char_indices() {
            if units >= position.column {
                return start + at;
            }
            units += c.len_utf16();
        }
        start + self.line(position.line).len()
    }

    /// The positions of a span.
    pub fn range(&self, span: Span) -> TextRange {
        TextRange { start: self.position(span.start), end: self.position(span.end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_bytes_convert_both_ways() {
        let text = "a\r\né𝄞b\rc\n";
        let lines = Lines::new(text);
        assert_eq!((lines.count(), lines.line(1), lines.line(3), lines.line(9)), (4, "é𝄞b", "", ""));
        for (at, _) in text.char_indices().filter(|(_, c)| !matches!(c, '\n' | '\r')) {
            assert_eq!(lines.offset(lines.position(at)), at);
        }
        let b = text.find('b').unwrap();
        assert_eq!(lines.position(b), TextPosition { line: 1, column: 3 });
        assert_eq!(lines.offset(TextPosition { line: 1, column: 99 }), b + 1);
        assert_eq!(lines.offset(TextPosition { line: 9, column: 0 }), text.len());
        assert_eq!(lines.range(Span::new(0, 1)).end, TextPosition { line: 0, column: 1 });
    }
}
