//! The languages with catalogues, and negotiation of the user's language.

use std::sync::OnceLock;

use super::catalogue::{Catalogue, NAMES, TAGS};
use crate::bug::OrBug;

/// A language that has a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language(usize);

/// The language of the process's own output, once it is chosen.
static OF_OUTPUT: OnceLock<Language> = OnceLock::new();

impl Language {
    /// The language every catalogue falls back to.
    pub const ENGLISH: Self = Self(0);

    /// All languages, English first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..TAGS.len()).map(Self)
    }

    /// The BCP 47 tag, e.g. `zh-Hans`.
    pub fn tag(self) -> &'static str {
        TAGS.get(self.0).copied().or_bug("en", "a language without a tag")
    }

    /// Its name in the language itself, which is linked even if its messages are not.
    pub fn name(self) -> &'static str {
        NAMES.get(self.0).copied().or_bug("English", "a language without a name")
    }

    /// Its index among all languages.
    pub(super) fn index(self) -> usize {
        self.0
    }

    /// The pattern of a key in this language, or `None` if the catalogue has no such key or is not installed in this
    /// language.
    pub(super) fn pattern(self, catalogue: &Catalogue, key: &str) -> Option<&'static str> {
        catalogue.pattern(key, self.0)
    }

    /// The language for a requested `tag`: that with this tag, else with its primary subtag (`zh-Hans` for `zh-CN`).
    pub fn for_tag(tag: &str) -> Option<Self> {
        let exact = Self::all().find(|l| l.tag().eq_ignore_ascii_case(tag));
        let primary = |t: &str| t.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        exact.or_else(|| Self::all().find(|l| primary(l.tag()) == primary(tag)))
    }

    /// The language in which messages are printed without stating one: English, unless the process has chosen another.
    pub fn of_output() -> Self {
        OF_OUTPUT.get().copied().unwrap_or(Self::ENGLISH)
    }

    /// Chooses the language of the process's own output; the first choice is kept.
    pub fn set_for_output(self) {
        OF_OUTPUT.get_or_init(|| self);
    }

    /// The first language of a user's list of tags that has a catalogue, else English.
    pub fn negotiate<'a>(tags: impl IntoIterator<Item = &'a str>) -> Self {
        tags.into_iter().find_map(Self::for_tag).unwrap_or(Self::ENGLISH)
    }
}
