//! The languages that have catalogues, and which of them a reader gets.

use super::catalogue::{CORE, Catalogue};

/// A language that has a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language(usize);

impl Language {
    /// The language every catalogue falls back to.
    pub const ENGLISH: Self = Self(0);

    /// All languages, English first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..CORE.tags().len()).map(Self)
    }

    /// The BCP 47 tag, as `zh-Hans`.
    pub fn tag(self) -> &'static str {
        CORE.tags().nth(self.0).unwrap_or("en")
    }

    /// Its name in the language itself.
    pub fn name(self) -> String {
        // A sentence without arguments is its pattern.
        self.pattern(&CORE, "language-name").unwrap_or_default().to_owned()
    }

    /// The pattern of a key in this language, or `None` where the catalogue has no such key.
    pub(super) fn pattern(self, catalogue: &Catalogue, key: &str) -> Option<&'static str> {
        catalogue.pattern(key, self.0)
    }

    /// The language whose catalogue serves a reader who asks for `tag` (`zh-CN` is served by `zh-Hans`).
    pub fn for_tag(tag: &str) -> Option<Self> {
        let exact = Self::all().find(|l| l.tag().eq_ignore_ascii_case(tag));
        let primary = |t: &str| t.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        exact.or_else(|| Self::all().find(|l| primary(l.tag()) == primary(tag)))
    }

    /// The first language of a reader's list of tags that has a catalogue, else English.
    pub fn negotiate<'a>(tags: impl IntoIterator<Item = &'a str>) -> Self {
        tags.into_iter().find_map(Self::for_tag).unwrap_or(Self::ENGLISH)
    }
}
