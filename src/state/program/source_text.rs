//! The text of a program with the starts of its lines, shared by reference.

use std::rc::Rc;

/// The text and its lines, compared by identity.
#[derive(Clone, Debug)]
pub struct SourceText(Rc<Indexed>);

#[derive(Debug)]
struct Indexed {
    text: Rc<str>,
    /// The offset at which each line starts; the first is 0.
    starts: Vec<u32>,
    /// The bytes of the longest line.
    max_line_bytes: usize,
    /// An FNV-1a hash of the text, which names it in links.
    hash: u64,
}

impl PartialEq for SourceText {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Default for SourceText {
    fn default() -> Self {
        Self::new("")
    }
}

impl SourceText {
    /// Indexes text.
    pub fn new(text: impl Into<Rc<str>>) -> Self {
        let text: Rc<str> = text.into();
        let mut starts = vec![0];
        let (mut max_line_bytes, mut start, mut hash) = (0, 0, 0xCBF2_9CE4_8422_2325_u64);
        for (offset, byte) in text.bytes().enumerate() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
            if byte == b'\n' {
                max_line_bytes = max_line_bytes.max(offset - start);
                start = offset + 1;
                // Text that is longer is rejected before it is shown.
                starts.push(u32::try_from(start).unwrap_or(u32::MAX));
            }
        }
        max_line_bytes = max_line_bytes.max(text.len() - start);
        Self(Rc::new(Indexed { text, starts, max_line_bytes, hash }))
    }

    /// The text.
    pub fn text(&self) -> &Rc<str> {
        &self.0.text
    }

    /// Whether there is nothing but whitespace.
    pub fn is_blank(&self) -> bool {
        self.0.text.trim().is_empty()
    }

    /// The name of the text in links.
    pub fn key(&self) -> String {
        format!("{:016x}", self.0.hash)
    }

    /// The number of lines.
    pub fn line_count(&self) -> usize {
        self.0.starts.len()
    }

    /// The bytes of the longest line.
    pub fn max_line_bytes(&self) -> usize {
        self.0.max_line_bytes
    }

    /// The byte at which a line starts; lines count from 0.
    pub fn line_start(&self, line: usize) -> usize {
        self.0.starts.get(line).map_or(self.0.text.len(), |start| *start as usize)
    }

    /// A line without its end; empty beyond the last one.
    pub fn line(&self, line: usize) -> &str {
        if line >= self.line_count() {
            return "";
        }
        let text = &self.0.text[self.line_start(line)..self.line_start(line + 1)];
        text.trim_end_matches(['\n', '\r'])
    }

    /// The line of an offset, from 0.
    pub fn line_of(&self, offset: usize) -> usize {
        self.0.starts.partition_point(|start| *start as usize <= offset).saturating_sub(1)
    }

    /// Where what is at an offset is in the edited text. Of what was replaced, the start of the replacement.
    pub fn offset_after_edit(&self, edited: &Self, offset: usize) -> usize {
        let (before, after) = (self.0.text.as_bytes(), edited.0.text.as_bytes());
        let start = before.iter().zip(after).take_while(|(old, new)| old == new).count();
        if offset <= start {
            return offset;
        }
        let (old_rest, new_rest) = (&before[start..], &after[start..]);
        let end =
            old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
        let from_end = before.len().saturating_sub(offset);
        if from_end <= end { after.len() - from_end } else { start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_number_and_by_byte() {
        let text = SourceText::new("a\r\n\nβγ\n");
        assert_eq!(text.line_count(), 4);
        assert_eq!((0..5).map(|line| text.line(line)).collect::<Vec<_>>(), ["a", "", "βγ", "", ""]);
        for line in 0..4 {
            assert_eq!(text.line_of(text.line_start(line)), line);
        }
        assert_eq!(text.line_of(usize::MAX), 3);
        assert_eq!(text.max_line_bytes(), 4);
    }

    #[test]
    fn an_offset_moves_with_the_text_around_an_edit() {
        let text = SourceText::new("one two three");
        let after = |edited: &str, offset| text.offset_after_edit(&SourceText::new(edited), offset);
        assert_eq!(after("one two three four", 8), 8);
        assert_eq!(after("zero one two three", 8), 13);
        assert_eq!(after("one 2 three", 8), 6);
        assert_eq!(after("one 2 three", 13), 11);
        assert_eq!(after("one four three", 5), 4);
        assert_eq!(after("", 8), 0);
        assert_eq!(after("one two three", 99), 13);
    }

    #[test]
    fn the_key_is_that_of_the_content() {
        assert_eq!(SourceText::new("").key(), "cbf29ce484222325");
        assert_eq!(SourceText::new("a").key(), SourceText::new(String::from("a")).key());
        assert_ne!(SourceText::new("a").key(), SourceText::new("b").key());
    }
}
