//! Texts of bounded length for rows and labels: the shape of a tuple with a thousand elements is not written in full.

use std::fmt::{Display, Write};

/// Text that keeps only the first characters written to it. Writing more fails, which stops the writer.
pub(crate) struct BoundedText {
    text: String,
    remaining: usize,
}

impl BoundedText {
    /// An empty text of up to `max_chars` characters.
    pub fn new(max_chars: usize) -> Self {
        Self { text: String::new(), remaining: max_chars }
    }

    /// Whether nothing is written yet.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text; it ends with an ellipsis if more was written.
    pub fn finish(self) -> String {
        self.text
    }
}

impl Write for BoundedText {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let chars = if text.is_ascii() { text.len() } else { text.chars().count() };
        if let Some(remaining) = self.remaining.checked_sub(chars) {
            self.remaining = remaining;
            self.text.push_str(text);
            return Ok(());
        }
        let end = text.char_indices().nth(self.remaining).map_or(text.len(), |(end, _)| end);
        self.remaining = 0;
        self.text.push_str(&text[..end]);
        self.text.push('…');
        Err(std::fmt::Error)
    }
}

/// The text of `value`, shortened to `max_chars` characters and an ellipsis.
pub(crate) fn shortened(value: impl Display, max_chars: usize) -> String {
    let mut text = BoundedText::new(max_chars);
    // The only error is that the text is long enough.
    let _ = write!(text, "{value}");
    text.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_end_with_an_ellipsis() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcd", 3), "abc…");
        assert_eq!(shortened("äöüß", 4), "äöüß");
        assert_eq!(shortened(format_args!("{}{}", "äb", "ç"), 2), "äb…");
        assert_eq!(shortened("x", 0), "…");
        assert_eq!(shortened("", 0), "");
    }
}
