//! Links of the Ops screen: an experiment as the fragment of a URL, and back.
//!
//! `ops1/` and the HLO text, then `;name=value` for each setting that differs from its default:
//!
//! | field | meaning |
//! |---|---|
//! | `v0`, `v1` … | values of a parameter: `random.SEED`, `typed.TEXT` (default: iota) |
//! | `edition` | `2017` |
//! | `seed` | seed of the random number generator |
//! | `feed` | an item of the infeed queue; repeated, in order |
//! | `js` | a custom-call function: the length of its name in bytes, `.`, the name, and its text |
//! | `replicas`, `replica` | the number of replicas, and the selected one |
//! | `r1v0` … | values of a parameter on another replica, as `v0`, or `iota` |
//! | `focus` | the selected instruction |
//! | `i` | index of the shown array of a tuple |
//! | `at` | the current output cell |
//!
//! It is encoded as in [`super::super::permalink`]. `ops1/@OPCODE` and `ops1/@OPCODE.NUMBER` are the worked examples:
//! such links are read, for URLs written by hand, but never written, because examples may change. Old versions load
//! forever; a damaged link loads as far as it can be read and reports the rest.

use super::super::document::Values;
use super::super::permalink::{
    MAX_LINK_CHARS, Unpacked, decode, escape, field, limit_problems, pack, too_long, unescape, unpack,
};
use super::state::{MAX_QUEUE_ITEMS, MAX_REPLICAS, MAX_VALUES_BYTES};
use super::{Experiment, preset};
use crate::array::Edition;
use crate::i18n::Message;

/// The version that is written; all versions up to it are read.
const VERSION: &str = "ops1";

/// A parsed link.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What could be read; the default experiment if nothing could.
    pub experiment: Experiment,
    /// What could not be read, in link order.
    pub problems: Vec<Message>,
}

/// Whether a fragment belongs to the Ops screen, in any version.
pub fn is_own_link(fragment: &str) -> bool {
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
    for (parameter, values) in experiment.values.iter().enumerate() {
        if *values != Values::Iota {
            add(&format!("v{parameter}"), &values_text(values));
        }
    }
    let environment = &experiment.environment;
    for item in &environment.infeed {
        add("feed", item);
    }
    for (name, text) in &environment.functions {
        add("js", &format!("{}.{name}{text}", name.len()));
    }
    if environment.replicas != 1 {
        add("replicas", &environment.replicas.to_string());
    }
    if environment.device != 0 {
        add("replica", &environment.device.to_string());
    }
    for ((replica, parameter), values) in &environment.values {
        add(&format!("r{replica}v{parameter}"), &values_text(values));
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

fn values_text(values: &Values) -> String {
    match values {
        Values::Letters => "letters".to_owned(),
        Values::Iota => "iota".to_owned(),
        Values::Random(seed) => format!("random.{seed}"),
        Values::Typed(typed) => format!("typed.{typed}"),
    }
}

fn parse_values(text: &str) -> Option<Values> {
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

/// Reads a fragment, with or without `#`. The bare screen name is the default experiment.
pub fn read(fragment: &str) -> Loaded {
    let fragment = fragment.trim_start_matches('#');
    let loaded = if fragment.len() > MAX_LINK_CHARS {
        let problems = vec![too_long(fragment.len(), MAX_LINK_CHARS)];
        Loaded { experiment: Experiment::default(), problems }
    } else {
        read_all(fragment)
    };
    Loaded { problems: limit_problems(loaded.problems), ..loaded }
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
            let worked = number.and_then(|number| presets.nth(number)).map(|preset| preset.experiment());
            let staged = || preset::staged_example(opcode, number?);
            match worked.or_else(staged) {
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
    let mut experiment = Experiment::from_text(unescape(fields.next().unwrap_or_default()));
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

/// The most parameters that a link can set.
const MAX_PARAMETERS: usize = 1 << 10;

/// Sets one field; `None` if the name is unknown or the value malformed.
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
                experiment.environment.values.insert((replica, number(parameter)?), parse_values(value)?);
            } else {
                experiment.set_values(number(name.strip_prefix('v')?)?, parse_values(value)?);
            }
        }
    }
    Some(())
}
