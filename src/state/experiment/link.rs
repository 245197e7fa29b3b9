//! The link of the Ops screen: an experiment as the fragment of an address, and back.
//!
//! `ops1/` and the HLO text, then `;name=value` for everything that is not as it starts:
//!
//! | field | meaning |
//! |---|---|
//! | `v0`, `v1` … | what a parameter holds: `random.SEED`, `typed.TEXT` (iota where it is left out) |
//! | `edition` | `2017` |
//! | `seed` | what random numbers start from |
//! | `feed` | an item of the infeed's queue; once for each, in order |
//! | `js` | a function of custom calls: the length of its name in bytes, `.`, the name, and its text |
//! | `replicas`, `replica` | how many there are, and which is looked at |
//! | `r1v0` … | what a parameter holds on another replica, as `v0` or `iota` |
//! | `focus` | the instruction that is looked at |
//! | `i` | which array of a tuple |
//! | `at` | the output cell stepped to |
//!
//! Packed as [`super::super::permalink`] says. `ops1/@OPCODE` and `ops1/@OPCODE.NUMBER` are the worked examples: such
//! links are read, for addresses written by hand, and never written, because examples may change. Old versions load
//! for ever; a damaged link loads what can be read and says what could not.

use super::super::document::Values;
use super::super::permalink::{
    MAX_LINK_CHARS, Unpacked, decode, escape, field, listed, pack, too_long, unescape, unpack,
};
use super::state::{MAX_QUEUE_ITEMS, MAX_REPLICAS, MAX_VALUES_BYTES};
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
    fragment.trim_start_matches('#').starts_with("ops")
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
        if *values != Values::Iota {
            add(&format!("v{number}"), &text_of(values));
        }
    }
    let world = &experiment.environment;
    for item in &world.infeed {
        add("feed", item);
    }
    for (name, text) in &world.functions {
        add("js", &format!("{}.{name}{text}", name.len()));
    }
    if world.replicas != 1 {
        add("replicas", &world.replicas.to_string());
    }
    if world.device != 0 {
        add("replica", &world.device.to_string());
    }
    for ((replica, parameter), values) in &world.values {
        add(&format!("r{replica}v{parameter}"), &text_of(values));
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

fn text_of(values: &Values) -> String {
    match values {
        Values::Letters => "letters".to_owned(),
        Values::Iota => "iota".to_owned(),
        Values::Random(seed) => format!("random.{seed}"),
        Values::Typed(typed) => format!("typed.{typed}"),
    }
}

fn values_of(text: &str) -> Option<Values> {
    Some(match text.split_once('.') {
        None if text == "letters" => Values::Letters,
        None if text == "iota" => Values::Iota,
        Some(("random", seed)) => Values::Random(seed.parse().ok()?),
        Some(("typed", typed)) => {
            (typed.len() <= MAX_VALUES_BYTES).then(|| Values::Typed(typed.to_owned()))?
        }
        _ => return None,
    })
}

/// Reads a fragment, with or without `#`. One that only names the screen is the start.
pub fn read(fragment: &str) -> Loaded {
    let fragment = fragment.trim_start_matches('#');
    let loaded = if fragment.len() > MAX_LINK_CHARS {
        let problems = vec![too_long(fragment.len(), MAX_LINK_CHARS)];
        Loaded { experiment: Experiment::default(), problems }
    } else {
        read_all(fragment)
    };
    Loaded { problems: listed(loaded.problems), ..loaded }
}

fn read_all(fragment: &str) -> Loaded {
    let nothing = |problem: Option<Message>| Loaded {
        experiment: Experiment::default(),
        problems: problem.into_iter().collect(),
    };
    let fragment = if fragment.contains('/') { fragment.to_owned() } else { decode(fragment, b'+') };
    let Some((version, rest)) = fragment.split_once('/') else { return nothing(None) };
    match version {
        "ops1" if rest.starts_with('@') => {
            let (opcode, number) = rest[1..].split_once('.').unwrap_or((&rest[1..], "0"));
            let mut presets = preset::all().filter(|preset| preset.meta.opcode == opcode);
            let number: Option<usize> = number.parse().ok();
            let found = number.and_then(|number| presets.nth(number)).map(|preset| preset.experiment());
            let staged = || preset::staged(opcode, number?);
            match found.or_else(staged) {
                Some(experiment) => Loaded { experiment, problems: Vec::new() },
                None => nothing(Some(field("@", &rest[1..]))),
            }
        }
        "ops1" => read_plain(&decode(rest, b' ')),
        "ops1z" => {
            let Unpacked { plain, problem } = unpack(rest);
            let mut loaded = read_plain(&plain);
            loaded.problems.splice(0..0, problem);
            loaded
        }
        "ops" if rest.is_empty() => nothing(None),
        other => nothing(Some(Message::new("link-unknown-version").with("version", other))),
    }
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
const MAX_PARAMETERS: usize = 1 << 10;

/// Sets one field; `None` where the value cannot be read or the name is unknown.
fn set(experiment: &mut Experiment, name: &str, value: &str) -> Option<()> {
    match name {
        "edition" if value == "2017" => experiment.edition = Edition::V2017,
        "seed" => experiment.seed = value.parse().ok()?,
        "feed" if experiment.environment.infeed.len() < MAX_QUEUE_ITEMS => {
            experiment.environment.infeed.push(value.to_owned());
        }
        "js" => {
            let (length, rest) = value.split_once('.')?;
            let (name, text) = rest.split_at_checked(length.parse().ok()?)?;
            experiment.environment.functions.insert(name.to_owned(), text.to_owned());
        }
        "replicas" => {
            let count = value.parse().ok().filter(|count| (1..=MAX_REPLICAS).contains(count))?;
            experiment.environment.replicas = count;
        }
        "replica" => experiment.environment.device = value.parse().ok().filter(|n| *n < MAX_REPLICAS)?,
        "focus" => value.clone_into(&mut experiment.focus),
        "i" => experiment.leaf = value.parse().ok()?,
        "at" => experiment.cursor = value.parse().ok().filter(|at| *at >= 0)?,
        _ => {
            let number = |text: &str| text.parse().ok().filter(|n| *n < MAX_PARAMETERS);
            if let Some((replica, parameter)) = name.strip_prefix('r').and_then(|name| name.split_once('v')) {
                let replica = replica.parse().ok().filter(|n| (1..MAX_REPLICAS).contains(n))?;
                experiment.environment.values.insert((replica, number(parameter)?), values_of(value)?);
            } else {
                experiment.set_values(number(name.strip_prefix('v')?)?, values_of(value)?);
            }
        }
    }
    Some(())
}
