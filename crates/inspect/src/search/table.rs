//! The texts of a field, in one string.

use std::collections::HashMap;

use crate::calls::index32;

/// How well a term matches a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Match {
    #[default]
    None,
    Inside,
    WordStart,
    Start,
    Whole,
}

/// Lower-cased texts without line breaks, each followed by one.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    text: String,
    /// The start of each text.
    starts: Vec<u32>,
}

/// Collects the texts of a table. The first is empty.
#[derive(Clone, Debug)]
pub(super) struct TableBuilder {
    table: Table,
    numbers: HashMap<String, u32>,
}

impl TableBuilder {
    pub fn new() -> Self {
        Self { table: Table { text: "\n".to_owned(), starts: vec![0] }, numbers: HashMap::new() }
    }

    /// The index of a string, which is added if it is new.
    pub fn number(&mut self, text: &str) -> u32 {
        if text.is_empty() {
            return 0;
        }
        let table = &mut self.table;
        *self.numbers.entry(lower_case(text)).or_insert_with_key(|text| table.push(text))
    }

    /// The index of a string that is probably new, and added even if it is not.
    pub fn number_of_new(&mut self, text: &str) -> u32 {
        self.table.push(&lower_case(text))
    }

    pub fn finish(self) -> Table {
        self.table
    }
}

/// A string as it is stored.
fn lower_case(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ") } else { text }
}

impl Table {
    fn push(&mut self, text: &str) -> u32 {
        let number = index32(self.starts.len());
        self.starts.push(index32(self.text.len()));
        self.text.push_str(text);
        self.text.push('\n');
        number
    }

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
