//! The language of the terminal program's results and messages.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::process::Command;

/// Standard output and standard error of the program with these arguments in a locale.
fn run(locale: &[(&str, &str)], args: &[&str]) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xla-playground"));
    for variable in ["LC_ALL", "LC_MESSAGES", "LANG"] {
        command.env_remove(variable);
    }
    let output = command.envs(locale.iter().copied()).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

const CHINESE: &[(&str, &str)] = &[("LANG", "zh_CN.UTF-8")];
const LAYOUT: [&str; 2] = ["layout", "f32[2,3]{0,1}"];
const WRONG: [&str; 2] = ["layout", "f32[2,3]{0,5}"];

#[test]
fn the_locale_decides() {
    let (layout, _) = run(CHINESE, &LAYOUT);
    assert!(layout.contains("\n顺序       列主序（d0 是最次序）\n"), "{layout}");
    let (_, error) = run(CHINESE, &WRONG);
    assert!(error.starts_with("错误 [layout-3]: "), "{error}");
    for locale in [
        &[][..],
        &[("LANG", "C.UTF-8")],
        &[("LANG", "fr_FR.UTF-8")],
        &[("LC_ALL", "C"), ("LANG", "zh_CN.UTF-8")],
        &[("LC_ALL", ""), ("LC_MESSAGES", "en_GB.UTF-8"), ("LANG", "zh_CN.UTF-8")],
    ] {
        let (_, error) = run(locale, &WRONG);
        assert!(error.starts_with("error [layout-3]: "), "{locale:?}: {error}");
    }
}

#[test]
fn an_option_overrides_the_locale() {
    let (_, error) = run(CHINESE, &[&WRONG[..], &["--language", "en"]].concat());
    assert!(error.starts_with("error [layout-3]: "), "{error}");
    let (_, error) = run(&[], &[&WRONG[..], &["--language", "zh-Hans"]].concat());
    assert!(error.starts_with("错误 [layout-3]: "), "{error}");
    let (_, error) = run(&[], &[&LAYOUT[..], &["--language", "fr"]].concat());
    assert!(error.contains("expected one of en, zh-Hans"), "{error}");
}

#[test]
fn json_is_in_english() {
    let of = |locale| run(locale, &[&WRONG[..], &["--json", "--language", "zh-Hans"]].concat()).0;
    assert!(of(CHINESE).contains("minor_to_major lists dimension 5"), "{}", of(CHINESE));
    assert_eq!(of(CHINESE), run(&[], &[&WRONG[..], &["--json"]].concat()).0);
}

#[test]
fn columns_are_as_wide_as_their_characters() {
    let (facts, _) =
        run(CHINESE, &["inspect", concat!(env!("CARGO_MANIFEST_DIR"), "/static/programs/softmax.hlo")]);
    let row = |name: &str| facts.lines().find(|line| line.starts_with(name)).unwrap();
    // A Chinese character takes two columns.
    assert_eq!(row("FLOP 数").trim_start_matches("FLOP 数").len() - "504".len(), 23 - 7);
    assert_eq!(row("填充").trim_start_matches("填充").len() - "0 B".len(), 23 - 4);
}
