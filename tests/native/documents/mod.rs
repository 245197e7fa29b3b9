//! The documents of 2017, a module per heading: what they say of it, through text, builder, terminal and the page's
//! state, in the edition that says so.

mod call;
mod concatenate;
mod cross_replica_sum;
mod custom_call;
mod dot;
mod dynamic_slice;
mod dynamic_update_slice;
mod element_wise;
mod entries;
mod infeed;
mod layout;
mod minor_to_major_dimension_ordering;
mod operations;
mod padding;
mod page;
mod reduce_window;
mod rows;
mod select;
mod slice;
mod sort;
mod terminology;
mod while_;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use xla_playground::array::Edition::{self, Current, V2017};
use xla_playground::diagnostic::Diagnostic;
use xla_playground::hlo::Evaluator;
use xla_playground::hlo::parser::parse_edition;
use xla_playground::i18n::{Language, Message};

/// A module whose entry computation has these instructions.
fn module(instructions: &str) -> String {
    format!("HloModule m ENTRY e {{ {instructions} }}")
}

/// The result in an edition, or the rule that is violated first.
fn gives(edition: Edition, instructions: &str) -> Result<String, &'static str> {
    let module = parse_edition(&module(instructions), edition).into_module().map_err(|error| error.rule)?;
    let result = Evaluator::new(&module).edition(edition).run(&[]).map_err(|error| error.error.rule)?;
    let shape = result.shape().human_string();
    Ok(format!("{shape} {}", result.to_string().split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// The outcomes in current XLA and in 2017.
fn both(instructions: &str) -> [Result<String, &'static str>; 2] {
    [gives(Current, instructions), gives(V2017, instructions)]
}

#[allow(clippy::unnecessary_wraps, reason = "compared with outcomes, of which some are errors")]
fn is(text: &str) -> Result<String, &'static str> {
    Ok(text.to_owned())
}

/// The first error under 2017.
fn rejected(instructions: &str) -> Diagnostic {
    let parsed = parse_edition(&module(instructions), V2017);
    parsed.error().unwrap_or_else(|| panic!("2017 takes {instructions}")).clone()
}

/// The result under 2017 after the first fix of the first error.
fn fixed(instructions: &str) -> Result<String, &'static str> {
    let hints = rejected(instructions).hints;
    let fixed = hints.iter().find_map(|hint| hint.apply(&module(instructions))).expect("a fix");
    let body = fixed.strip_prefix("HloModule m ENTRY e {").and_then(|text| text.strip_suffix('}')).unwrap();
    gives(V2017, body)
}

/// Exit code, standard output and standard error of the terminal program with these arguments.
fn terminal(args: &[&str]) -> (i32, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_xla-playground")).env("LC_ALL", "C").args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A file of a test, which is removed with it.
struct TextFile(PathBuf);

impl TextFile {
    fn new(name: &str, text: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("xla-playground-{}-{number}-{name}", std::process::id()));
        fs::write(&path, text).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for TextFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The JSON that a successful command prints.
fn terminal_json(args: &[&str]) -> Value {
    let (code, out, err) = terminal(args);
    assert_eq!((code, err.as_str()), (0, ""), "{args:?}: {out}");
    serde_json::from_str(&out).unwrap()
}

/// A sentence in Simplified Chinese.
fn chinese(message: &Message) -> String {
    message.localize(Language::all().find(|language| language.tag() == "zh-Hans").unwrap())
}
