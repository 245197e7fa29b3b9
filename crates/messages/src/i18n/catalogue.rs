//! The compiled catalogues: which pattern a key has in a language.

use std::fmt;
use std::sync::OnceLock;

use super::compiled::SEPARATOR;

include!(concat!(env!("OUT_DIR"), "/catalogues.rs"));

/// The sentences of one part of the product, in every language.
pub(super) struct Catalogue {
    name: &'static str,
    keys: Lines,
    /// English first.
    texts: &'static [Text],
}

/// One language of a catalogue.
struct Text {
    tag: &'static str,
    patterns: Lines,
}

/// Entries of one text, split when the first of them is read.
struct Lines {
    text: &'static str,
    entries: OnceLock<Vec<&'static str>>,
}

impl Lines {
    const fn new(text: &'static str) -> Self {
        Self { text, entries: OnceLock::new() }
    }

    fn entries(&self) -> &[&'static str] {
        self.entries.get_or_init(|| self.text.split(SEPARATOR).collect())
    }
}

impl Text {
    const fn new(tag: &'static str, patterns: &'static str) -> Self {
        Self { tag, patterns: Lines::new(patterns) }
    }
}

impl Catalogue {
    const fn new(name: &'static str, keys: &'static str, texts: &'static [Text]) -> Self {
        Self { name, keys: Lines::new(keys), texts }
    }

    /// The tags of its languages, English first.
    pub(super) fn tags(&self) -> impl ExactSizeIterator<Item = &'static str> {
        self.texts.iter().map(|text| text.tag)
    }

    /// Its keys, in ascending order.
    #[cfg(test)]
    pub(super) fn keys(&self) -> &[&'static str] {
        self.keys.entries()
    }

    /// The key that is spelt so, if there is one.
    pub(super) fn key(&self, key: &str) -> Option<&'static str> {
        let keys = self.keys.entries();
        keys.binary_search(&key).ok().and_then(|index| keys.get(index)).copied()
    }

    /// The pattern of a key in the language of this number, or `None` where this part has no such key.
    pub(super) fn pattern(&self, key: &str, language: usize) -> Option<&'static str> {
        let index = self.keys.entries().binary_search(&key).ok()?;
        self.texts.get(language)?.patterns.entries().get(index).copied()
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Catalogue {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Catalogue {}
