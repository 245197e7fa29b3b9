//! Every sentence a person reads, in every language: one folder of catalogue files a language.
//!
//! Code never holds a sentence; it holds a [`Message`], a key with arguments, and the catalogue of the
//! reader's [`Language`] says it. The catalogues are the `.ftl` files in the folders beside this one (Project
//! Fluent's format, plural rules included); the build lists them, so adding a language is adding one folder. Each
//! file is one [`Catalogue`], which stands in a binary only if a message of it does: the landing page carries no
//! sentence of the engine. Tests hold every catalogue to the keys and arguments of the English one.

use std::fmt;
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

use crate::escape;

include!(concat!(env!("OUT_DIR"), "/catalogues.rs"));

/// The sentences of one part of the product, in every language.
pub struct Catalogue {
    name: &'static str,
    /// Tag and source of each language, English first.
    sources: &'static [(&'static str, &'static str)],
    bundles: OnceLock<Vec<FluentBundle<FluentResource>>>,
}

impl Catalogue {
    const fn new(name: &'static str, sources: &'static [(&'static str, &'static str)]) -> Self {
        Self { name, sources, bundles: OnceLock::new() }
    }

    fn bundle(&self, language: Language) -> Option<&FluentBundle<FluentResource>> {
        let read = |(tag, source): &(&str, &str)| {
            let mut bundle = FluentBundle::new_concurrent(tag.parse().into_iter().collect());
            // The marks Fluent puts around arguments would be copied with the text.
            bundle.set_use_isolating(false);
            let resource = FluentResource::try_new((*source).to_owned()).unwrap_or_else(|(part, _)| part);
            bundle.add_resource_overriding(resource);
            bundle
        };
        self.bundles.get_or_init(|| self.sources.iter().map(read).collect()).get(language.0)
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
        [
            (self.catalogue, language),
            (&CORE, language),
            (self.catalogue, Language::ENGLISH),
            (&CORE, Language::ENGLISH),
        ]
        .into_iter()
        .find_map(|(catalogue, found)| format(catalogue.bundle(found)?, self, language))
        .unwrap_or_else(|| self.key.to_owned())
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
        (0..CORE.sources.len()).map(Self)
    }

    /// The BCP 47 tag, as `zh-Hans`.
    pub fn tag(self) -> &'static str {
        CORE.sources.get(self.0).map_or("en", |(tag, _)| tag)
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

fn format(bundle: &FluentBundle<FluentResource>, message: &Message, language: Language) -> Option<String> {
    let pattern = bundle.get_message(message.key)?.value()?;
    let mut args = FluentArgs::new();
    for (name, value) in &message.args {
        let value = match value {
            Arg::Text(text) => FluentValue::from(text.as_str()),
            // Fluent counts in doubles; beyond their integers the digits matter more than the plural form.
            Arg::Number(n) if n.unsigned_abs() > 1 << 53 => FluentValue::from(n.to_string()),
            Arg::Number(n) => FluentValue::from(*n),
            Arg::Message(inner) => FluentValue::from(inner.say(language)),
        };
        args.set(*name, value);
    }
    Some(bundle.format_pattern(pattern, Some(&args), &mut Vec::new()).into_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Key → names of the arguments its text uses.
    fn keys(source: &str) -> BTreeMap<String, BTreeSet<String>> {
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut key = String::new();
        for line in source.lines().filter(|l| !l.starts_with('#')) {
            if !line.starts_with([' ', '}'])
                && let Some((name, _)) = line.split_once(" =")
            {
                key = name.to_owned();
                assert!(found.insert(key.clone(), BTreeSet::new()).is_none(), "key {name} stands twice");
            }
            for part in line.split('$').skip(1) {
                let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
                found.entry(key.clone()).or_default().insert(name);
            }
        }
        found
    }

    fn all() -> impl Iterator<Item = &'static Catalogue> {
        [&BOOT, &CORE, &ENGINE, &SPEED, &TERMINAL].into_iter()
    }

    fn tags(catalogue: &Catalogue) -> Vec<&str> {
        catalogue.sources.iter().map(|(tag, _)| *tag).collect()
    }

    #[test]
    fn catalogues_parse_and_have_the_same_keys_and_arguments() {
        for (catalogue, (tag, source)) in all().flat_map(|c| c.sources.iter().map(move |source| (c, source)))
        {
            assert_eq!(tags(catalogue), tags(&CORE), "{catalogue:?}");
            let english = keys(catalogue.sources[0].1);
            assert!(english.len() > 10);
            if let Err((_, errors)) = FluentResource::try_new((*source).to_owned()) {
                panic!("{tag}: {errors:?}");
            }
            let own = keys(source);
            let missing: Vec<_> = english.keys().filter(|k| !own.contains_key(*k)).collect();
            let extra: Vec<_> = own.keys().filter(|k| !english.contains_key(*k)).collect();
            assert!(missing.is_empty() && extra.is_empty(), "{tag}: missing {missing:?}, extra {extra:?}");
            for (key, args) in &english {
                assert_eq!(&own[key], args, "{tag}: arguments of {key}");
            }
        }
    }

    #[test]
    fn a_reader_gets_the_nearest_language() {
        assert_eq!(Language::negotiate(["zh-CN", "en"]).tag(), "zh-Hans");
        assert_eq!(Language::negotiate(["fr", "en-GB"]).tag(), "en");
        assert_eq!(Language::negotiate(["xx"]), Language::ENGLISH);
        assert_eq!(Language::for_tag("zh-Hans").map(Language::name).as_deref(), Some("简体中文"));
    }

    #[test]
    fn long_arguments_are_cut() {
        let message = Message::new("text-hint-write").with("text", "é".repeat(5_000));
        let said = message.to_string();
        assert!(said.contains("é…") && said.len() < 4_200, "{}", said.len());
    }
}
