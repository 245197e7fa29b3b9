//! Every sentence a person reads, in every language: one folder of catalogue files a language.
//!
//! Code never holds a sentence; it holds a [`Message`], a key with arguments, and the catalogue of the
//! reader's [`Language`] says it. The catalogues are the `.ftl` files in the folders beside this one, in Project
//! Fluent's format. The build compiles them (`build.rs`; the form is in `compiled.rs`) and refuses a language whose
//! keys or arguments differ from those of English, so no Fluent runtime is linked. Each file is one catalogue, which
//! is linked only where a message of it is: the landing page carries no sentence of the engine.

mod catalogue;
mod compiled;
#[cfg(test)]
#[path = "../../build/patterns.rs"]
mod patterns;
#[cfg(test)]
mod tests;

use std::fmt;

use catalogue::{BOOT, CORE, Catalogue, ENGINE, SPEED, TERMINAL};

use crate::escape;

/// An argument of a [`Message`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// Shown as it is.
    Text(String),
    /// Shown in digits; chooses the plural form.
    Number(i64),
    /// A sentence within a sentence, in the same language.
    Message(Box<Message>),
}

impl From<&str> for Arg {
    /// The text as a sentence can contain it: shortened, on one line, without control characters
    /// ([`escape::argument`]).
    fn from(text: &str) -> Self {
        Self::Text(escape::argument(text))
    }
}

impl From<String> for Arg {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<i64> for Arg {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Arg {
    fn from(number: usize) -> Self {
        i64::try_from(number).map_or_else(|_| Self::Text(number.to_string()), Self::Number)
    }
}

impl From<Message> for Arg {
    fn from(message: Message) -> Self {
        Self::Message(Box::new(message))
    }
}

/// A sentence to be said in the reader's language: a key of the catalogue and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    catalogue: &'static Catalogue,
    /// The message's name in the catalogues.
    pub key: &'static str,
    /// Its arguments, by the names the catalogues use.
    pub args: Vec<(&'static str, Arg)>,
}

impl Message {
    /// The message of this key, without arguments: of arrays and the page.
    pub fn new(key: &'static str) -> Self {
        Self { catalogue: &CORE, key, args: Vec::new() }
    }

    /// A message of operations and HLO text.
    pub fn engine(key: &'static str) -> Self {
        Self { catalogue: &ENGINE, ..Self::new(key) }
    }

    /// The message of operations of a composed key, without arguments, or `None` where there is none.
    pub fn engine_named(key: &str) -> Option<Self> {
        ENGINE.key(key).map(Self::engine)
    }

    /// A message of the Speed screen.
    pub fn speed(key: &'static str) -> Self {
        Self { catalogue: &SPEED, ..Self::new(key) }
    }

    /// A message of the terminal program.
    pub fn terminal(key: &'static str) -> Self {
        Self { catalogue: &TERMINAL, ..Self::new(key) }
    }

    /// A message of the page before the app is there and after it has failed; its scripts say it themselves.
    pub fn boot(key: &'static str) -> Self {
        Self { catalogue: &BOOT, ..Self::new(key) }
    }

    /// Adds an argument.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Arg>) -> Self {
        self.args.push((name, value.into()));
        self
    }

    /// The same with long texts among its arguments cut to `longest` characters.
    #[must_use]
    pub fn cut(mut self, longest: usize) -> Self {
        for (_, arg) in &mut self.args {
            match arg {
                Arg::Text(text) => {
                    if let Some((end, _)) = text.char_indices().nth(longest) {
                        text.truncate(end);
                        text.push('…');
                    }
                }
                Arg::Message(inner) => **inner = std::mem::replace(&mut **inner, Self::new("")).cut(longest),
                Arg::Number(_) => {}
            }
        }
        self
    }

    /// The sentence in `language`.
    pub fn say(&self, language: Language) -> String {
        // A part may say what all parts say.
        let said = self.catalogue.say(self, language).or_else(|| CORE.say(self, language));
        said.unwrap_or_else(|| self.key.to_owned())
    }
}

impl fmt::Display for Message {
    /// In English: for terminals, logs and tests.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.say(Language::ENGLISH))
    }
}

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
        Message::new("language-name").say(self)
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
