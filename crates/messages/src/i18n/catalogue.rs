//! The compiled catalogues: the pattern of each key in each language.
//!
//! A catalogue always has English. Its translations are installed once: from those that were compiled in
//! ([`install_compiled_translations`]), or from files that the page loads, so that a visitor loads only the language in use.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use super::compiled::SEPARATOR;

include!(concat!(env!("OUT_DIR"), "/catalogues.rs"));

/// The number of languages besides English.
const TRANSLATION_COUNT: usize = TAGS.len() - 1;

/// The patterns of a catalogue in each language but English: one text per language.
type Translations = [&'static str; TRANSLATION_COUNT];

/// The messages of one catalogue, in every language.
pub(super) struct Catalogue {
    name: &'static str,
    keys: LazyEntries,
    english: LazyEntries,
    /// By language without English; empty until it is installed.
    translations: [OnceLock<Vec<&'static str>>; TRANSLATION_COUNT],
}

/// The entries of a compiled text, which is split on the first read.
struct LazyEntries {
    text: &'static str,
    entries: OnceLock<Vec<&'static str>>,
}

impl LazyEntries {
    const fn new(text: &'static str) -> Self {
        Self { text, entries: OnceLock::new() }
    }

    fn entries(&self) -> &[&'static str] {
        self.entries.get_or_init(|| split(self.text))
    }
}

fn split(text: &'static str) -> Vec<&'static str> {
    text.split(SEPARATOR).collect()
}

impl Catalogue {
    const fn new(name: &'static str, keys: &'static str, english: &'static str) -> Self {
        let translations = [const { OnceLock::new() }; TRANSLATION_COUNT];
        Self { name, keys: LazyEntries::new(keys), english: LazyEntries::new(english), translations }
    }

    /// The name of its files.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Its keys, in ascending order.
    #[cfg(test)]
    pub(super) fn keys(&self) -> &[&'static str] {
        self.keys.entries()
    }

    /// The pattern of a key in a language, by its index in [`TAGS`], or `None` if the catalogue has no such key, or the
    /// translation is not installed.
    pub(super) fn pattern(&self, key: &str, language: usize) -> Option<&'static str> {
        let index = self.keys.entries().binary_search(&key).ok()?;
        self.patterns(language)?.get(index).copied()
    }

    /// All patterns in a language, in the order of the keys.
    pub(super) fn patterns(&self, language: usize) -> Option<&[&'static str]> {
        let Some(translation) = language.checked_sub(1) else { return Some(self.english.entries()) };
        #[cfg(not(target_os = "unknown"))]
        install_compiled_translations();
        self.translations.get(translation)?.get().map(Vec::as_slice)
    }

    /// Installs a translation, by its language's index in [`TAGS`]; the first one is kept. Returns whether it
    /// has a pattern for each key: the translation of another release may lack some, and is discarded.
    pub(super) fn install(&self, language: usize, text: Cow<'static, str>) -> bool {
        let Some(translation) = language.checked_sub(1).and_then(|index| self.translations.get(index)) else {
            return false;
        };
        if text.split(SEPARATOR).count() != self.keys.entries().len() {
            return false;
        }
        translation.get_or_init(|| {
            split(match text {
                Cow::Borrowed(compiled_in) => compiled_in,
                Cow::Owned(loaded) => loaded.leak(),
            })
        });
        true
    }
}

/// Installs every translation that was compiled into the program: for programs that load no files. Programs that do not
/// call this do not contain the translations.
pub fn install_compiled_translations() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        for (catalogue, translations) in TRANSLATED {
            for (index, text) in translations.iter().enumerate() {
                catalogue.install(index + 1, Cow::Borrowed(text));
            }
        }
    });
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
