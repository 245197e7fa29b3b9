//! The text below the arrays of a picture: the attributes of the op, the derivation of a cell, and the legend of its roles.

use crate::derivation::{Derivation, Part, index_text};
use crate::pixels::count_px;
use crate::scene::Ink;
use crate::sources::{CellHighlights, role_message, slice_text, stroke};
use xla_messages::i18n::{Language, Message};

/// Width of a character of the text and of the opcode, pixels.
pub(super) const TEXT_CHAR_WIDTH: f64 = 9.1;

/// Text in one style: its colour, and whether it is bold.
type StyledText = (String, Ink, bool);

/// What is written below the arrays.
pub(super) struct Text<'a> {
    /// The attributes.
    pub attributes: &'a str,
    /// The derivation of the selected cell.
    pub derivation: Option<&'a Derivation>,
    /// The highlights of the operands.
    pub operands: Vec<&'a CellHighlights>,
    /// The language of words.
    pub language: Language,
}

impl Text<'_> {
    /// The lines, each at most `width` pixels wide. With `derivation_lines`, the derivation takes exactly that many lines and the
    /// legend one, so that the pictures of all cells have the same height.
    pub fn lines(&self, width: f64, derivation_lines: Option<usize>) -> Vec<Vec<StyledText>> {
        let mut lines = wrap([(self.attributes.to_owned(), Ink::Soft, false)], width);
        let mut derivation = wrap(self.derivation_text(), width);
        let mut legend = wrap(self.legend(), width);
        if let Some(count) = derivation_lines {
            resize(&mut derivation, count);
            resize(&mut legend, 1);
        }
        lines.append(&mut derivation);
        lines.append(&mut legend);
        lines
    }

    fn derivation_text(&self) -> Vec<StyledText> {
        let parts = self.derivation.into_iter().flat_map(|derivation| &derivation.parts);
        let styled = parts.map(|part| match part {
            Part::Plain(text) => (text.clone(), Ink::Strong, false),
            Part::Read { text, role, .. } => (text.clone(), stroke(*role).ink, true),
            Part::Omitted(count) => {
                let message = Message::ops("working-more").with("count", *count);
                (message.localize(self.language), Ink::Soft, false)
            }
            Part::Result(text) => (text.clone(), Ink::Strong, true),
        });
        styled.collect()
    }

    fn legend(&self) -> Vec<StyledText> {
        let mut entries = Vec::new();
        let mut entry = |mark: &str, ink: Ink, message: &Message| {
            // An entry is not wrapped.
            let text = format!("{mark} {}", message.localize(self.language)).replace(' ', "\u{a0}");
            entries.push((format!("{text}  "), ink, false));
        };
        if let Some(derivation) = self.derivation {
            for role in &derivation.roles {
                entry("■", stroke(*role).ink, &role_message(*role, &derivation.update_label));
            }
        }
        for highlights in &self.operands {
            if !highlights.slice.is_empty() {
                entry(
                    "□",
                    Ink::Select,
                    &Message::ops("role-slice").with("ranges", slice_text(&highlights.slice)),
                );
            }
            let mut selected: Vec<String> = highlights.winners.iter().map(|cell| index_text(cell)).collect();
            selected.dedup();
            if !selected.is_empty() {
                entry("✓", Ink::Dimension(2), &Message::ops("winners").with("cells", selected.join(", ")));
            }
        }
        entries
    }
}

pub(super) fn char_count(text: &str) -> f64 {
    count_px(text.chars().count())
}

/// Wraps text at spaces into lines of at most `width` pixels; a longer word is cut.
fn wrap(text: impl IntoIterator<Item = StyledText>, width: f64) -> Vec<Vec<StyledText>> {
    let mut lines: Vec<Vec<StyledText>> = Vec::new();
    let mut x = 0.0;
    let words = text.into_iter().flat_map(|(text, ink, bold)| {
        let words: Vec<String> = text.split_inclusive(' ').map(str::to_owned).collect();
        words.into_iter().map(move |word| (cut(word, width), ink, bold))
    });
    for (word, ink, bold) in words {
        let word_width = char_count(word.trim_end()) * TEXT_CHAR_WIDTH;
        if lines.is_empty() || x + word_width > width {
            lines.push(Vec::new());
            x = 0.0;
        }
        x += char_count(&word) * TEXT_CHAR_WIDTH;
        if let Some(line) = lines.last_mut() {
            match line.last_mut() {
                Some((text, last_ink, last_bold)) if (*last_ink, *last_bold) == (ink, bold) => {
                    text.push_str(&word);
                }
                _ => line.push((word, ink, bold)),
            }
        }
    }
    lines
}

/// A word of at most `width` pixels, with an ellipsis if it was longer.
fn cut(word: String, width: f64) -> String {
    if char_count(word.trim_end()) * TEXT_CHAR_WIDTH <= width {
        return word;
    }
    let fitting = word.chars().enumerate().take_while(|(i, _)| count_px(i + 2) * TEXT_CHAR_WIDTH <= width);
    fitting.map(|(_, c)| c).chain(['…']).collect()
}

/// Makes it `count` lines, with an ellipsis if there were more.
fn resize(lines: &mut Vec<Vec<StyledText>>, count: usize) {
    if lines.len() > count {
        lines.truncate(count);
        if let Some(last) = lines.last_mut() {
            last.push(("…".to_owned(), Ink::Soft, false));
        }
    }
    lines.resize(count, Vec::new());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_derivation_is_wrapped_and_truncated_in_frames() {
        let parts = (0..60).map(|i| Part::Plain(format!("{i} + "))).collect();
        let derivation = Derivation { parts, reads: 60, ..Derivation::default() };
        let text = |derivation| Text {
            attributes: "",
            derivation,
            operands: Vec::new(),
            language: Language::ENGLISH,
        };
        let free = text(Some(&derivation)).lines(200.0, None);
        assert!(free.len() > 4 && free.iter().all(|line| !line.is_empty()));
        let cut = text(Some(&derivation)).lines(200.0, Some(3));
        assert_eq!((cut.len(), cut[2].last().unwrap().0.as_str()), (4, "…"));
        assert_eq!(text(None).lines(200.0, Some(3)).len(), 4);
    }

    #[test]
    fn a_word_that_does_not_fit_is_cut() {
        let word = "x".repeat(60);
        let lines = wrap([(word, Ink::Soft, false)], 200.0);
        let text = &lines[0][0].0;
        assert!(text.ends_with('…') && char_count(text) * TEXT_CHAR_WIDTH <= 200.0, "{text}");
    }
}
