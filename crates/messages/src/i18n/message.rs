//! Messages, keys with arguments, and their formatting in a language.

use std::fmt;

use super::catalogue::{
    BOOT, CORE, Catalogue, DOCUMENTS, FILES, INSPECT, OPS, PROGRAM, SPEED, STABLEHLO, TERMINAL,
};
use super::compiled::{ARGUMENT, DEFAULT, END, NAME_END, SELECT, VARIANT, plural_rule};
use super::language::Language;
use crate::escape;

/// An argument of a [`Message`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// Text that is inserted unchanged.
    Text(String),
    /// Formatted in digits; selects the plural form.
    Number(i64),
    /// A message within a message, in the same language.
    Message(Box<Message>),
}

impl From<&str> for Arg {
    /// Shortens the text, joins its lines and replaces control characters ([`escape::argument`]).
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

impl From<u64> for Arg {
    fn from(number: u64) -> Self {
        i64::try_from(number).map_or_else(|_| Self::Text(number.to_string()), Self::Number)
    }
}

impl From<Message> for Arg {
    fn from(message: Message) -> Self {
        Self::Message(Box::new(message))
    }
}

/// An interface string, independent of the language: a key of a catalogue and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub(super) catalogue: &'static Catalogue,
    /// The key in the catalogues.
    pub key: &'static str,
    /// The arguments, by their names in the catalogues.
    pub args: Vec<(&'static str, Arg)>,
}

impl Message {
    /// A message about arrays and the page, without arguments.
    pub fn new(key: &'static str) -> Self {
        Self { catalogue: &CORE, key, args: Vec::new() }
    }

    /// A message of the Ops screen, or about operations and HLO text.
    pub fn ops(key: &'static str) -> Self {
        Self { catalogue: &OPS, ..Self::new(key) }
    }

    /// A message about the entries of the documents and their examples.
    pub fn documents(key: &'static str) -> Self {
        Self { catalogue: &DOCUMENTS, ..Self::new(key) }
    }

    /// A message about files of arrays.
    pub fn files(key: &'static str) -> Self {
        Self { catalogue: &FILES, ..Self::new(key) }
    }

    /// An explanation of a program's text.
    pub fn inspect(key: &'static str) -> Self {
        Self { catalogue: &INSPECT, ..Self::new(key) }
    }

    /// A message of the Program screen.
    pub fn program(key: &'static str) -> Self {
        Self { catalogue: &PROGRAM, ..Self::new(key) }
    }

    /// A message of the Speed screen.
    pub fn speed(key: &'static str) -> Self {
        Self { catalogue: &SPEED, ..Self::new(key) }
    }

    /// A message about `StableHLO` text.
    pub fn stablehlo(key: &'static str) -> Self {
        Self { catalogue: &STABLEHLO, ..Self::new(key) }
    }

    /// A message of the terminal program.
    pub fn terminal(key: &'static str) -> Self {
        Self { catalogue: &TERMINAL, ..Self::new(key) }
    }

    /// A message shown before the app has loaded or after it has crashed; the page's scripts format it.
    pub fn boot(key: &'static str) -> Self {
        Self { catalogue: &BOOT, ..Self::new(key) }
    }

    /// Adds an argument.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Arg>) -> Self {
        self.args.push((name, value.into()));
        self
    }

    /// The message with text arguments cut to `max_chars` characters.
    #[must_use]
    pub fn cut(mut self, max_chars: usize) -> Self {
        for (_, arg) in &mut self.args {
            match arg {
                Arg::Text(text) => {
                    if let Some((end, _)) = text.char_indices().nth(max_chars) {
                        text.truncate(end);
                        text.push('…');
                    }
                }
                Arg::Message(inner) => {
                    **inner = std::mem::replace(&mut **inner, Self::new("")).cut(max_chars);
                }
                Arg::Number(_) => {}
            }
        }
        self
    }

    /// The text in `language`, or in English if that translation is not installed.
    pub fn localize(&self, language: Language) -> String {
        // Constructors of other catalogues are also used with keys of the core catalogue.
        let pattern = |language: Language| {
            [self.catalogue, &CORE].into_iter().find_map(|catalogue| language.pattern(catalogue, self.key))
        };
        let in_english = || pattern(Language::ENGLISH).map(|pattern| (pattern, Language::ENGLISH));
        let Some((rest, language)) = pattern(language).map(|pattern| (pattern, language)).or_else(in_english)
        else {
            return self.key.to_owned();
        };
        let mut text = String::new();
        PatternReader { rest, message: self, language }.pattern(&mut text, true);
        text
    }
}

impl fmt::Display for Message {
    /// In the language of the process's output, which is English except for the terminal program: for terminals, logs and tests.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.localize(Language::of_output()))
    }
}

/// Formats one compiled pattern.
struct PatternReader<'a> {
    rest: &'a str,
    message: &'a Message,
    language: Language,
}

impl<'a> PatternReader<'a> {
    /// Reads up to the control character that ends this pattern, and appends the text to `out` if `is_selected`.
    fn pattern(&mut self, out: &mut String, is_selected: bool) {
        loop {
            let end = self.rest.find(|c| c <= END).unwrap_or(self.rest.len());
            let (text, rest) = self.rest.split_at(end);
            self.rest = rest;
            if is_selected {
                out.push_str(text);
            }
            if self.take(ARGUMENT) {
                let name = self.name();
                if is_selected {
                    self.push_argument(out, name);
                }
            } else if self.take(SELECT) {
                self.select(out, is_selected);
            } else {
                return;
            }
        }
    }

    /// Reads a selection and formats the first variant that matches, else the default, which comes last.
    fn select(&mut self, out: &mut String, is_selected: bool) {
        let name = self.name();
        let mut needs_variant = is_selected;
        while self.take(VARIANT) {
            let key = self.name();
            let is_match = needs_variant && self.matches(name, key);
            needs_variant &= !is_match;
            self.pattern(out, is_match);
        }
        self.take(DEFAULT);
        self.pattern(out, needs_variant);
        self.take(END);
    }

    /// Skips the control character if it is next.
    fn take(&mut self, control: char) -> bool {
        let rest = self.rest.strip_prefix(control);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn name(&mut self) -> &'a str {
        let (name, rest) = self.rest.split_once(NAME_END).unwrap_or((self.rest, ""));
        self.rest = rest;
        name
    }

    fn argument(&self, name: &str) -> Option<&'a Arg> {
        self.message.args.iter().rev().find(|(arg_name, _)| *arg_name == name).map(|(_, value)| value)
    }

    fn push_argument(&self, out: &mut String, name: &str) {
        match self.argument(name) {
            Some(Arg::Text(text)) => out.push_str(text),
            Some(Arg::Number(number)) => out.push_str(&number.to_string()),
            Some(Arg::Message(inner)) => out.push_str(&inner.localize(self.language)),
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
            (Some(Arg::Message(inner)), Err(_)) => inner.localize(self.language) == key,
            _ => false,
        }
    }
}
