//! The compiled catalogues: which sentence a key has in a language, and the sentence with its arguments.

use std::fmt;
use std::sync::OnceLock;

use super::compiled::{ARGUMENT, DEFAULT, END, NAME_END, SELECT, SEPARATOR, VARIANT, plural_rule};
use super::{Arg, Language, Message};

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

    /// The sentence of a message, or `None` where this part has no such key.
    pub(super) fn say(&self, message: &Message, language: Language) -> Option<String> {
        let index = self.keys.entries().binary_search(&message.key).ok()?;
        let pattern = self.texts.get(language.0)?.patterns.entries().get(index)?;
        let mut said = String::new();
        Reader { rest: pattern, message, language }.pattern(&mut said, true);
        Some(said)
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

/// Reads one compiled pattern.
struct Reader<'a> {
    rest: &'a str,
    message: &'a Message,
    language: Language,
}

impl<'a> Reader<'a> {
    /// Reads up to the mark that ends this pattern, and appends it to `out` if it is said.
    fn pattern(&mut self, out: &mut String, is_said: bool) {
        loop {
            let end = self.rest.find(|c| c <= END).unwrap_or(self.rest.len());
            let (text, rest) = self.rest.split_at(end);
            self.rest = rest;
            if is_said {
                out.push_str(text);
            }
            if self.take(ARGUMENT) {
                let name = self.name();
                if is_said {
                    self.push_argument(out, name);
                }
            } else if self.take(SELECT) {
                self.select(out, is_said);
            } else {
                return;
            }
        }
    }

    /// Reads a selection: says the first variant that matches, else the default, which comes last.
    fn select(&mut self, out: &mut String, is_said: bool) {
        let name = self.name();
        let mut is_open = is_said;
        while self.take(VARIANT) {
            let key = self.name();
            let is_match = is_open && self.matches(name, key);
            is_open &= !is_match;
            self.pattern(out, is_match);
        }
        self.take(DEFAULT);
        self.pattern(out, is_open);
        self.take(END);
    }

    /// Skips the mark if it is next.
    fn take(&mut self, mark: char) -> bool {
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn name(&mut self) -> &'a str {
        let (name, rest) = self.rest.split_once(NAME_END).unwrap_or((self.rest, ""));
        self.rest = rest;
        name
    }

    fn argument(&self, name: &str) -> Option<&'a Arg> {
        self.message.args.iter().rev().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    fn push_argument(&self, out: &mut String, name: &str) {
        match self.argument(name) {
            Some(Arg::Text(text)) => out.push_str(text),
            Some(Arg::Number(number)) => out.push_str(&number.to_string()),
            Some(Arg::Message(inner)) => out.push_str(&inner.say(self.language)),
            None => out.extend(["{$", name, "}"]),
        }
    }

    /// Whether an argument matches the key of a variant: the same number, the plural category of a number, or the same
    /// text, which never matches a number.
    fn matches(&self, name: &str, key: &str) -> bool {
        match (self.argument(name), key.parse::<i64>()) {
            (Some(Arg::Number(number)), Ok(wanted)) => *number == wanted,
            (Some(Arg::Number(number)), Err(_)) => {
                plural_rule(self.language.tag()).is_some_and(|rule| rule(number.unsigned_abs()) == key)
            }
            (Some(Arg::Text(text)), Err(_)) => text == key,
            (Some(Arg::Message(inner)), Err(_)) => inner.say(self.language) == key,
            _ => false,
        }
    }
}
