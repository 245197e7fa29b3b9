//! Texts of bounded length for rows and labels: the shape of a tuple with a thousand elements is not written in full.

use std::fmt::{Display, Write};

/// Keeps the first characters of what is written to it.
struct Start {
    text: String,
    remaining: usize,
}

impl Write for Start {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let Some((end, _)) = text.char_indices().nth(self.remaining) else {
            self.remaining -= text.chars().count();
            self.text.push_str(text);
            return Ok(());
        };
        self.text.push_str(&text[..end]);
        self.text.push('…');
        // Stops the writer.
        Err(std::fmt::Error)
    }
}

/// The text of `value`, shortened to `max_chars` characters and an ellipsis.
pub(crate) fn shortened(value: impl Display, max_chars: usize) -> String {
    let mut start = Start { text: String::new(), remaining: max_chars };
    // The only error is our own, at the limit.
    let _ = write!(start, "{value}");
    start.text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_end_with_an_ellipsis() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcd", 3), "abc…");
        assert_eq!(shortened(format_args!("{}{}", "äb", "ç"), 2), "äb…");
        assert_eq!(shortened("x", 0), "…");
        assert_eq!(shortened("", 0), "");
    }
}
