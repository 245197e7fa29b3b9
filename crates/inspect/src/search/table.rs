//! The distinct texts of a field, in one string.

use std::collections::HashMap;

use crate::calls::index32;

/// How well a term matches a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Match {
    #[default]
    None,
    Inside,
    WordStart,
    Start,
    Whole,
}

/// Distinct lower-cased texts without line breaks, each followed by one.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    text: String,
    /// The start of each text.
    starts: Vec<u32>,
}

/// Collects the texts of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct TableBuilder {
    table: Table,
    numbers: HashMap<String, u32>,
}

impl TableBuilder {
    /// The number of a text, which is added if it is new.
    pub fn number(&mut self, text: &str) -> u32 {
        let mut text = text.to_ascii_lowercase();
        if text.contains(['\n', '\r']) {
            text = text.replace(['\n', '\r'], " ");
        }
        let table = &mut self.table;
        *self.numbers.entry(text).or_insert_with_key(|text| {
            let number = index32(table.starts.len());
            table.starts.push(index32(table.text.len()));
            table.text.push_str(text);
            table.text.push('\n');
            number
        })
    }

    pub fn finish(self) -> Table {
        self.table
    }
}

impl Table {
    /// How well each text matches a term.
    pub fn matches(&self, term: &str) -> Vec<Match> {
        let mut matches = vec![Match::None; self.starts.len()];
        let mut at = 0;
        for (offset, _) in self.text.match_indices(term) {
            let offset = index32(offset);
            while self.starts.get(at + 1).is_some_and(|next| *next <= offset) {
                at += 1;
            }
            let start = self.starts.get(at).copied().unwrap_or(0);
            matches[at] = matches[at].max(self.classify(term, start as usize, offset as usize));
        }
        matches
    }

    fn classify(&self, term: &str, start: usize, offset: usize) -> Match {
        let bytes = self.text.as_bytes();
        let is_end = bytes.get(offset + term.len()) == Some(&b'\n');
        if offset == start {
            return if is_end { Match::Whole } else { Match::Start };
        }
        let before = bytes.get(offset - 1).copied().unwrap_or(b' ');
        if before.is_ascii_alphanumeric() { Match::Inside } else { Match::WordStart }
    }
}
