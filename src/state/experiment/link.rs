//! Links of the Ops screen: an experiment as the fragment of a URL, and back.
//!
//! `ops1/` and the HLO text, then `;name=value` for each setting that differs from its default:
//!
//! | field | meaning |
//! |---|---|
//! | `v0`, `v1` … | values of a parameter: `random.SEED`, `typed.TEXT` (default: iota) |
//! | `edition` | `2017` |
//! | `compare` | `editions` if the result is compared with that of the other edition |
//! | `seed` | seed of the random number generator |
//! | `feed` | an item of the infeed queue; repeated, in order |
//! | `js` | a custom-call function: the length of its name in bytes, `.`, the name, and its text |
//! | `replicas`, `replica` | the number of replicas, and the selected one |
//! | `r1v0` … | values of a parameter on another replica, as `v0`, or `iota` |
//! | `focus` | the selected instruction |
//! | `entry` | the entry of the documentation that the experiment was opened from |
//! | `i` | index of the shown array of a tuple |
//! | `at` | the current output cell |
//! | `step` | the step within it, from 1 |
//! | `memory` | a panel whose memory is shown, by its title (`out`, `lhs`); repeated |
//!
//! It is encoded as in [`super::super::permalink`]. `ops1/@NAME` and `ops1/@NAME.NUMBER`, also as `ops/@NAME`, are the examples of an entry
//! of the documentation (`@Collapse`, `@Reshape.4`) or of an op (`@all-gather`, `@AllGather`): such links are read, for URLs written by
//! hand, but never written, because examples may change. Links of old versions always load; a damaged link loads as far
//! as it can be read, and the rest is reported.

use super::super::compression::{Unpacked, unpack};
use super::super::document::ValueRule;
use super::super::permalink::{
    MAX_LINK_CHARS, decode, escape, field_problem, limit_problems, pack, too_long, unescape,
};
use super::super::screens::OPS;
use super::Experiment;
use super::state::{MAX_QUEUE_ITEMS, MAX_REPLICAS, MAX_VALUES_BYTES};
use crate::array::Edition;
use crate::documents;
use crate::i18n::Message;

/// The version that is written; all versions up to it are read.
const VERSION: &str = "ops1";

/// A parsed link.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What could be read; the default experiment if nothing could, and the empty one for the gallery.
    pub experiment: Experiment,
    /// What could not be read, in link order.
    pub problems: Vec<Message>,
}

/// Whether a fragment belongs to the Ops screen, in any version.
pub fn is_own_link(fragment: &str) -> bool {
    fragment.trim_start_matches('#').starts_with("ops")
}

/// Whether a fragment names an example.
pub fn names_example(fragment: &str) -> bool {
    let fragment = fragment.trim_start_matches('#');
    fragment.starts_with("ops1/@") || fragment.starts_with("ops/@")
}

/// The fragment of an experiment's link, without `#`; that of the empty one is the bare name of the screen.
pub fn write(experiment: &Experiment) -> String {
    if experiment.is_empty() {
        return OPS.fragment.to_owned();
    }
    let mut out = escape(&experiment.text);
    let mut add = |name: &str, value: &str| {
        out.push(';');
        out.push_str(name);
        out.push('=');
        out.push_str(&escape(value));
    };
    for (parameter, values) in experiment.values.iter().enumerate() {
        if *values != ValueRule::Iota {
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
    if environment.selected_replica != 0 {
        add("replica", &environment.selected_replica.to_string());
    }
    for ((replica, parameter), values) in &environment.values {
        add(&format!("r{replica}v{parameter}"), &values_text(values));
    }
    if experiment.edition == Edition::V2017 {
        add("edition", "2017");
    }
    if experiment.compares_editions {
        add("compare", "editions");
    }
    if experiment.seed != 0 {
        add("seed", &experiment.seed.to_string());
    }
    if !experiment.focus.is_empty() {
        add("focus", &experiment.focus);
    }
    if !experiment.document_entry.is_empty() {
        add("entry", &experiment.document_entry);
    }
    if experiment.leaf != 0 {
        add("i", &experiment.leaf.to_string());
    }
    if experiment.cursor != 0 {
        add("at", &experiment.cursor.to_string());
    }
    if experiment.cell_step != 0 {
        add("step", &experiment.cell_step.to_string());
    }
    for panel in &experiment.shown_memory {
        add("memory", panel);
    }
    pack(VERSION, &out)
}

fn values_text(values: &ValueRule) -> String {
    match values {
        ValueRule::Letters => "letters".to_owned(),
        ValueRule::Iota => "iota".to_owned(),
        ValueRule::Random(seed) => format!("random.{seed}"),
        ValueRule::Text(typed) => format!("typed.{typed}"),
    }
}

fn parse_values(text: &str) -> Option<ValueRule> {
    Some(match text.split_once('.') {
        None if text == "letters" => ValueRule::Letters,
        None if text == "iota" => ValueRule::Iota,
        Some(("random", seed)) => ValueRule::Random(seed.parse().ok()?),
        Some(("typed", typed)) => {
            (typed.len() <= MAX_VALUES_BYTES).then(|| ValueRule::Text(typed.to_owned()))?
        }
        _ => return None,
    })
}

/// Reads a fragment, with or without `#`. The bare name of the screen is [`Experiment::empty`], the gallery.
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
    let failed = |problem: Message| Loaded { experiment: Experiment::default(), problems: vec![problem] };
    let gallery = || Loaded { experiment: Experiment::empty(), problems: Vec::new() };
    let fragment = if fragment.contains('/') { fragment.to_owned() } else { decode(fragment, b'+') };
    let Some((version, rest)) = fragment.split_once('/') else { return gallery() };
    match version {
        "ops" | "ops1" if rest.is_empty() => gallery(),
        // Without a version as people write it, too: names of ops do not change.
        "ops" | "ops1" if rest.starts_with('@') => match example(&rest[1..]) {
            Some(experiment) => Loaded { experiment, problems: Vec::new() },
            None => failed(field_problem("@", &rest[1..])),
        },
        "ops1" => read_plain(&decode(rest, b' ')),
        "ops1z" => {
            let Unpacked { plain, problem } = unpack(rest);
            let mut loaded = read_plain(&plain);
            loaded.problems.splice(0..0, problem);
            loaded
        }
        other => failed(Message::new("link-unknown-version").with("version", other)),
    }
}

/// The example of an entry or of an op, `NAME` or `NAME.NUMBER`.
fn example(address: &str) -> Option<Experiment> {
    let (name, number) = match address.split_once('.') {
        Some((name, number)) => (name, Some(number.parse().ok()?)),
        None => (address, None),
    };
    let open = |name: &str| match number {
        Some(number) => documents::experiment(name, number),
        None => documents::first_experiment(name),
    };
    open(name).or_else(|| open(opcode_of(name)?))
}

/// The opcode of an op that is no entry of the documentation, by its name in any spelling: `AllGather`, `all_gather`.
fn opcode_of(name: &str) -> Option<&'static str> {
    fn letters(name: &str) -> impl Iterator<Item = u8> {
        name.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase())
    }
    if documents::by_name(name).is_some() {
        return None;
    }
    crate::ops::all().map(|op| op.meta().opcode).find(|opcode| letters(opcode).eq(letters(name)))
}

fn read_plain(plain: &str) -> Loaded {
    let mut fields = plain.split(';');
    // `split` returns at least one part.
    let mut experiment = Experiment::from_text(unescape(fields.next().unwrap_or_default()));
    let mut problems = Vec::new();
    for part in fields.filter(|part| !part.is_empty()) {
        // A field without a value is reported below.
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let value = unescape(value);
        if set_field(&mut experiment, name, &value).is_none() {
            problems.push(field_problem(name, &value));
        }
    }
    Loaded { experiment, problems }
}

/// Maximum number of parameters that a link can set.
const MAX_PARAMETERS: usize = 1 << 10;

/// Sets one field; `None` if the name is unknown or the value malformed.
fn set_field(experiment: &mut Experiment, name: &str, value: &str) -> Option<()> {
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
        "replica" => {
            experiment.environment.selected_replica = value.parse().ok().filter(|n| *n < MAX_REPLICAS)?;
        }
        "focus" => value.clone_into(&mut experiment.focus),
        "entry" => documents::by_name(value)?.name.clone_into(&mut experiment.document_entry),
        "i" => experiment.leaf = value.parse().ok()?,
        "at" => experiment.cursor = value.parse().ok().filter(|at| *at >= 0)?,
        "compare" if value == "editions" => experiment.compares_editions = true,
        "step" => experiment.cell_step = value.parse().ok().filter(|step| *step >= 0)?,
        "memory" if !experiment.shown_memory.contains(value) => experiment.toggle_memory(value),
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
