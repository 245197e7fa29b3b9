//! Every sentence a person reads, in every language: one catalogue file a language.
//!
//! Code never holds a sentence; it holds a [`Message`], a key with arguments, and the catalogue of the
//! reader's [`Language`] says it. The catalogues are the `.ftl` files beside this one (Project Fluent's
//! format, plural rules included); the build lists them, so adding a language is adding one file. Tests hold
//! every catalogue to the keys and arguments of the English one.

use std::fmt;
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

/// Tag and source of each catalogue, English first.
static CATALOGUES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/catalogues.rs"));

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
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Arg {
    fn from(text: String) -> Self {
        Self::Text(text)
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
    /// The message's name in the catalogues.
    pub key: &'static str,
    /// Its arguments, by the names the catalogues use.
    pub args: Vec<(&'static str, Arg)>,
}

impl Message {
    /// The message of this key, without arguments.
    pub fn new(key: &'static str) -> Self {
        Self { key, args: Vec::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Arg>) -> Self {
        self.args.push((name, value.into()));
        self
    }

    /// The sentence in `language`.
    pub fn say(&self, language: Language) -> String {
        bundles()
            .get(language.0)
            .and_then(|bundle| format(bundle, self, language))
            .or_else(|| format(bundles().first()?, self, Language::ENGLISH))
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
        (0..CATALOGUES.len()).map(Self)
    }

    /// The BCP 47 tag, as `zh-Hans`.
    pub fn tag(self) -> &'static str {
        CATALOGUES.get(self.0).map_or("en", |(tag, _)| tag)
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

fn bundles() -> &'static [FluentBundle<FluentResource>] {
    static BUNDLES: OnceLock<Vec<FluentBundle<FluentResource>>> = OnceLock::new();
    BUNDLES.get_or_init(|| {
        CATALOGUES
            .iter()
            .map(|(tag, source)| {
                let mut bundle = FluentBundle::new_concurrent(tag.parse().into_iter().collect());
                // The marks Fluent puts around arguments would be copied with the text.
                bundle.set_use_isolating(false);
                let resource = FluentResource::try_new((*source).to_owned()).unwrap_or_else(|(part, _)| part);
                bundle.add_resource_overriding(resource);
                bundle
            })
            .collect()
    })
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

    #[test]
    fn catalogues_parse_and_have_the_same_keys_and_arguments() {
        let english = keys(CATALOGUES[0].1);
        assert!(english.len() > 20);
        for (tag, source) in CATALOGUES {
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
    fn every_key_the_code_names_is_in_the_catalogue_and_the_other_way_round() {
        fn read(folder: &std::path::Path, text: &mut String) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    read(&path, text);
                } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("i18n/mod.rs") {
                    text.push_str(&std::fs::read_to_string(path).unwrap());
                }
            }
        }
        let mut code = String::from("\"language-name\"");
        read(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut code);
        let english = keys(CATALOGUES[0].1);
        let unused: Vec<_> = english.keys().filter(|key| !code.contains(&format!("\"{key}\""))).collect();
        assert!(unused.is_empty(), "keys that no code names: {unused:?}");
        let named: BTreeSet<&str> = ["Message::new(\"", ".say(\""]
            .iter()
            .flat_map(|call| code.split(call).skip(1).filter_map(|rest| rest.split('"').next()))
            .collect();
        let unknown: Vec<_> = named.iter().filter(|key| !english.contains_key(**key)).collect();
        assert!(unknown.is_empty(), "keys that no catalogue has: {unknown:?}");
    }

    #[test]
    fn a_reader_gets_the_nearest_language() {
        assert_eq!(Language::negotiate(["zh-CN", "en"]).tag(), "zh-Hans");
        assert_eq!(Language::negotiate(["fr", "en-GB"]).tag(), "en");
        assert_eq!(Language::negotiate(["xx"]), Language::ENGLISH);
        assert_eq!(Language::for_tag("zh-Hans").map(Language::name).as_deref(), Some("简体中文"));
    }
}
