//! Text domains, as gettext calls them: the parts of the product whose messages load together, one file per language.

use super::catalogue::{CORE, Catalogue, DOCUMENTS, OPS, PROGRAM, SPEED};
use super::compiled::SEPARATOR;
use super::language::Language;

/// A part of the product whose messages are one catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domain(&'static Catalogue);

impl Domain {
    /// Messages of every screen.
    pub const CORE: Self = Self(&CORE);
    /// Messages of the Ops screen, and about operations and HLO text.
    pub const OPS: Self = Self(&OPS);
    /// Messages about the entries of the documents and their examples.
    pub const DOCUMENTS: Self = Self(&DOCUMENTS);
    /// Messages of the Program screen.
    pub const PROGRAM: Self = Self(&PROGRAM);
    /// Messages of the Speed screen.
    pub const SPEED: Self = Self(&SPEED);

    /// The domains that the site's screens load.
    pub const OF_THE_SITE: [Self; 5] = [Self::CORE, Self::DOCUMENTS, Self::OPS, Self::PROGRAM, Self::SPEED];

    /// The name of the file of its messages in a language, e.g. `core.zh-Hans.txt`.
    pub fn file(self, language: Language) -> String {
        format!("{}.{}.txt", self.0.name(), language.tag())
    }

    /// The content of [`Self::file`], or `None` if it is not installed.
    pub fn text(self, language: Language) -> Option<String> {
        Some(self.0.patterns(language.index())?.join(&SEPARATOR.to_string()))
    }

    /// Whether its messages in a language are installed; those in English always are.
    pub fn is_installed(self, language: Language) -> bool {
        self.0.patterns(language.index()).is_some()
    }

    /// Installs the content of [`Self::file`]; it stays until the program ends. Returns whether it now is installed: a
    /// file of another release may lack messages.
    pub fn install(self, language: Language, text: String) -> bool {
        self.is_installed(language) || self.0.install(language.index(), text.into())
    }
}
