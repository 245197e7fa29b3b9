//! The link of the Ops screen: an experiment as the fragment of an address, and back.
//!
//! `ops1/` and the HLO text, then `;name=value` for everything that is not as it starts:
//!
//! | field | meaning |
//! |---|---|
//! | `v0`, `v1` … | what a parameter holds: `random.SEED`, `typed.TEXT` (iota where it is left out) |
//! | `edition` | `2017` |
//! | `seed` | what random numbers start from |
//! | `focus` | the instruction that is looked at |
//! | `i` | which array of a tuple |
//! | `at` | the output cell stepped to |
//!
//! Packed as [`super::super::permalink`] says. `ops1/@OPCODE` and `ops1/@OPCODE.NUMBER` are the worked examples: such
//! links are read, for addresses written by hand, and never written, because examples may change. Old versions load
//! for ever; a damaged link loads what can be read and says what could not.

use super::super::document::Values;
use super::super::permalink::{LONGEST, Unpacked, decode, escape, pack, unescape, unpack};
use super::{Experiment, preset};
use crate::array::Edition;
use crate::i18n::Message;

/// The version written. Reading knows all up to it.
const VERSION: &str = "ops1";

/// A link that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What could be read; the start where nothing could.
    pub experiment: Experiment,
    /// What could not, in the order it was met.
    pub problems: Vec<Message>,
}

/// Whether a fragment is one of this screen's, of whatever version.
pub fn is_ours(fragment: &str) -> bool {
    !super::super::permalink::is_ours(fragment)
}

/// The fragment of an experiment's link, without `#`.
pub fn write(experiment: &Experiment) -> String {
    let mut out = escape(&experiment.text);
    let mut add = |name: &str, value: &str| {
        out.push(';');
        out.push_str(name);
        out.push('=');
        out.push_str(&escape(value));
    };
    for (number, values) in experiment.values.iter().enumerate() {
        let name = format!("v{number}");
        match values {
            Values::Letters => add(&name, "letters"),
            Values::Iota => {}
            Values::Random(seed) => add(&name, &format!("random.{seed}")),
            Values::Typed(typed) => add(&name, &format!("typed.{typed}")),
        }
    }
    if experiment.edition == Edition::V2017 {
        add("edition", "2017");
    }
    if experiment.seed != 0 {
        add("seed", &experiment.seed.to_string());
    }
    if !experiment.focus.is_empty() {
        add("focus", &experiment.focus);
    }
    if experiment.leaf != 0 {
        add("i", &experiment.leaf.to_string());
    }
    if experiment.cursor != 0 {
        add("at", &experiment.cursor.to_string());
    }
    pack(VERSION, &out)
}

/// Reads a fragment, with or without `#`. One that only names the screen is the start.
pub fn read(fragment: &str) -> Loaded {
    let fragment = fragment.trim_start_matches('#');
    let nothing = |problem: Option<Message>| Loaded {
        experiment: Experiment::default(),
        problems: problem.into_iter().collect(),
    };
    if fragment.len() > LONGEST {
        return nothing(Some(Message::new("link-too-long")));
    }
    let fragment = if fragment.contains('/') { fragment.to_owned() } else { decode(fragment, b'+') };
    let Some((version, rest)) = fragment.split_once('/') else { return nothing(None) };
    match version {
        "ops1" if rest.starts_with('@') => {
            let (opcode, number) = rest[1..].split_once('.').unwrap_or((&rest[1..], "0"));
            let mut presets = preset::all().filter(|preset| preset.meta.opcode == opcode);
            match number.parse().ok().and_then(|number: usize| presets.nth(number)) {
                Some(preset) => Loaded { experiment: preset.experiment(), problems: Vec::new() },
                None => nothing(Some(field("@", &rest[1..]))),
            }
        }
        "ops1" => read_plain(&decode(rest, b' ')),
        "ops1z" => {
            let Unpacked { plain, whole } = unpack(rest);
            let mut loaded = read_plain(&plain);
            if !whole {
                loaded.problems.insert(0, Message::new("link-damaged"));
            }
            loaded
        }
        "ops" if rest.is_empty() => nothing(None),
        other => nothing(Some(Message::new("link-unknown-version").with("version", other))),
    }
}

fn field(name: &str, value: &str) -> Message {
    let value: String = value.chars().take(60).collect();
    Message::new("link-field").with("name", name).with("value", value)
}

fn read_plain(plain: &str) -> Loaded {
    let mut fields = plain.split(';');
    let mut experiment = Experiment::of(unescape(fields.next().unwrap_or_default()));
    let mut problems = Vec::new();
    for part in fields.filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let value = unescape(value);
        if set(&mut experiment, name, &value).is_none() {
            problems.push(field(name, &value));
        }
    }
    Loaded { experiment, problems }
}

/// The most parameters that a link gives values.
const MOST: usize = 1 << 10;

/// Sets one field; `None` where the value cannot be read or the name is unknown.
fn set(experiment: &mut Experiment, name: &str, value: &str) -> Option<()> {
    match name {
        "edition" if value == "2017" => experiment.edition = Edition::V2017,
        "seed" => experiment.seed = value.parse().ok()?,
        "focus" => value.clone_into(&mut experiment.focus),
        "i" => experiment.leaf = value.parse().ok()?,
        "at" => experiment.cursor = value.parse().ok().filter(|at| *at >= 0)?,
        _ => {
            let number = name.strip_prefix('v')?.parse().ok().filter(|n| *n < MOST)?;
            let values = match value.split_once('.') {
                None if value == "letters" => Values::Letters,
                Some(("random", seed)) => Values::Random(seed.parse().ok()?),
                Some(("typed", typed)) => super::typed(typed.to_owned()).ok()?,
                _ => return None,
            };
            experiment.set_values(number, values);
        }
    }
    Some(())
}
