//! The compiled catalogues, compared with Fluent's own runtime.

use std::fs;
use std::path::Path;

use fluent_bundle::{FluentArgs, FluentBundle, FluentResource, FluentValue};

use super::catalogue::{BOOT, CORE, Catalogue, DOCUMENTS, FILES, INSPECT, OPS, SPEED, TERMINAL};
use super::{Arg, Language, Message, compiled, patterns};

fn catalogues() -> [&'static Catalogue; 8] {
    [&BOOT, &CORE, &DOCUMENTS, &FILES, &INSPECT, &OPS, &SPEED, &TERMINAL]
}

fn source(catalogue: &Catalogue, language: Language) -> String {
    let file = format!("src/i18n/{}/{catalogue:?}.ftl", language.tag());
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// The catalogue as Fluent reads it.
fn oracle(source: &str, language: Language) -> FluentBundle<FluentResource> {
    let mut bundle = FluentBundle::new(vec![language.tag().parse().unwrap()]);
    bundle.set_use_isolating(false);
    bundle.add_resource(FluentResource::try_new(source.to_owned()).unwrap()).unwrap();
    bundle
}

/// The arguments as Fluent's type.
fn fluent_args(args: &[(&'static str, Arg)], language: Language) -> FluentArgs<'static> {
    let value = |arg: &Arg| match arg {
        Arg::Text(text) => FluentValue::from(text.clone()),
        Arg::Number(number) => FluentValue::from(*number),
        Arg::Message(inner) => FluentValue::from(inner.localize(language)),
    };
    args.iter().map(|(name, arg)| (*name, value(arg))).collect()
}

/// Values of arguments that select every kind of variant there is.
fn values() -> Vec<Arg> {
    let numbers = [-1, 0, 1, 2, 3, 5, 11, 1_000, 1 << 53].map(Arg::Number);
    let texts = ["", "1", "one", "other", "instructions", "work", "f32[2]{0} \u{202f}—"].map(Arg::from);
    let inner = Message::new("cause-offline").with("part", Message::new("part-worker"));
    numbers.into_iter().chain(texts).chain([Arg::from(inner)]).collect()
}

#[test]
fn every_message_is_formatted_as_by_fluent() {
    let mut compared = 0;
    for (catalogue, language) in catalogues()
        .into_iter()
        .flat_map(|catalogue| Language::all().map(move |language| (catalogue, language)))
    {
        let source = source(catalogue, language);
        let bundle = oracle(&source, language);
        let messages = patterns::compile(&source).unwrap();
        assert_eq!(catalogue.keys(), messages.keys().collect::<Vec<_>>());
        for (key, message) in catalogue.keys().iter().zip(messages.values()) {
            let pattern = bundle.get_message(key).and_then(|message| message.value()).unwrap();
            let names: Vec<&'static str> =
                message.arguments.iter().map(|name| &*name.clone().leak()).collect();
            // Each argument in turn takes every value, beside others of each kind.
            let turns = 0..names.len().max(1);
            for (turn, value) in turns.flat_map(|turn| values().into_iter().map(move |value| (turn, value))) {
                for others in [Some(Arg::Number(1)), Some(Arg::from("x")), None] {
                    let value_of = |index| if index == turn { Some(value.clone()) } else { others.clone() };
                    let args: Vec<_> = names
                        .iter()
                        .enumerate()
                        .filter_map(|(index, name)| Some((*name, value_of(index)?)))
                        .collect();
                    let given = fluent_args(&args, language);
                    let said = bundle.format_pattern(pattern, Some(&given), &mut Vec::new());
                    let message = Message { catalogue, key, args };
                    assert_eq!(message.localize(language), said, "{}: {message:?}", language.tag());
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 100_000, "{compared}");
}

#[test]
fn unsupported_fluent_syntax_fails_the_build() {
    for (source, error) in [
        ("a = { $x", "Expected"),
        ("a = b\na = c", "duplicate key a"),
        ("-a = b", "terms"),
        ("a =\n .b = c", "no attributes"),
        ("a = b\n .c = d", "no attributes"),
        ("a = { b }", "only arguments"),
        ("a = { -b }", "only arguments"),
        ("a = { 1 }", "only arguments"),
        ("a = { NUMBER($x) }", "only arguments"),
        ("a = { NUMBER($x) ->\n *[other] b\n }", "only arguments"),
        ("a = { $x ->\n *[other] b\n [one] c\n }", "default"),
        ("a = { $x ->\n [1.5] b\n *[other] c\n }", "integer"),
        ("a = b\u{2}", "control"),
        ("a = { \"\\u0002\" }", "control"),
    ] {
        let found = patterns::compile(source).map(|messages| messages.len());
        assert!(found.as_ref().is_err_and(|text| text.contains(error)), "{source}: {found:?}");
    }
}

#[test]
fn an_incomplete_translation_is_not_installed() {
    for text in ["", "one message", "one\u{7}two"] {
        assert!(!CORE.install(1, text.into()), "{text}");
    }
    let whole = CORE.patterns(1).unwrap().join(&compiled::SEPARATOR.to_string());
    assert!(CORE.install(1, whole.into()));
    assert!(!CORE.install(0, "English is always there".into()));
}

#[test]
fn every_language_has_a_plural_rule_of_its_own() {
    for language in Language::all() {
        assert!(compiled::plural_rule(language.tag()).is_some(), "{}", language.tag());
    }
    assert!(compiled::plural_rule("xx").is_none());
}

#[test]
fn a_part_says_what_all_parts_say_and_an_unknown_key_is_shown() {
    let share = Message::new("share").to_string();
    assert_eq!(Message::ops("share").to_string(), share);
    assert_eq!(Message::ops("no-such-key").to_string(), "no-such-key");
    assert_eq!(
        Message::new("cause-ended").to_string(),
        Message::new("cause-ended").with("x", "y").to_string()
    );
    assert!(Message::new("cause-ended").to_string().starts_with("{$part}"));
}

#[test]
fn numbers_beyond_the_integers_of_a_double_keep_their_digits() {
    let said = Message::new("literal-no-memory").with("cells", i64::MAX).to_string();
    assert!(said.contains("9223372036854775807"), "{said}");
}

#[test]
fn a_reader_gets_the_nearest_language() {
    assert_eq!(Language::negotiate(["zh-CN", "en"]).tag(), "zh-Hans");
    assert_eq!(Language::negotiate(["fr", "en-GB"]).tag(), "en");
    assert_eq!(Language::negotiate(["xx"]), Language::ENGLISH);
    assert_eq!(Language::for_tag("zh-Hans").map(Language::name), Some("简体中文"));
}

#[test]
fn long_arguments_are_cut() {
    let message = Message::new("text-hint-write").with("text", "é".repeat(5_000));
    let said = message.to_string();
    assert!(said.contains("é…") && said.len() < 4_200, "{}", said.len());
}
