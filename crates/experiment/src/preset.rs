//! Presets: the examples of every op as experiments, with constants replaced by parameters that can be edited.

use crate::Experiment;
use xla_array::Edition;
use xla_array::values::ValueRule;
use xla_hlo::parser::parse_edition;
use xla_hlo::{Instruction, parse};
use xla_messages::i18n::Message;
use xla_ops::{Example, ExampleOutcome, HostExample, OpDef, OpMeta};

/// An example of an op as the start of an experiment.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The metadata of the op.
    pub meta: &'static OpMeta,
    /// The index of the example among those of the op.
    pub number: usize,
    /// The example itself: its instructions and their result.
    pub example: &'static Example,
}

/// Every preset, op by op.
pub fn all() -> impl Iterator<Item = Preset> {
    xla_ops::all().flat_map(|op| for_op(op.meta()))
}

/// The presets of an op.
pub fn for_op(meta: &'static OpMeta) -> impl Iterator<Item = Preset> {
    meta.examples.iter().enumerate().map(move |(number, example)| Preset { meta, number, example })
}

/// The examples of an op that need a simulated host or several replicas, as experiments; their numbers follow those of [`for_op`].
pub fn host_examples(op: &dyn OpDef) -> impl Iterator<Item = Experiment> {
    op.host_examples().iter().map(|example| {
        let mut experiment = Experiment::from_text(example.hlo);
        for (replica, values) in example.values.iter().enumerate() {
            for (number, text) in values.iter().enumerate() {
                let values = ValueRule::Text((*text).to_owned());
                match replica {
                    0 => experiment.set_values(number, values),
                    _ => drop(experiment.environment.values.insert((replica, number), values)),
                }
            }
        }
        let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        experiment.environment.functions = example.functions.iter().map(owned).collect();
        experiment.environment.infeed = example.infeed.iter().map(|item| (*item).to_owned()).collect();
        experiment.environment.replicas = example.replicas;
        if let Some(entry) = parse(example.hlo).module.entry_computation() {
            let example = entry.instructions.iter().find(|i| i.opcode == op.meta().opcode);
            let is_root = |i: &&Instruction| entry.root_instruction().is_some_and(|root| root.name == i.name);
            experiment.focus = example.filter(|i| !is_root(i)).map(|i| i.name.clone()).unwrap_or_default();
        }
        experiment
    })
}

/// The index of the example that an op opens with: the first one with replicas, infeed or functions, else 0.
pub fn default_example(op: &dyn OpDef) -> usize {
    let uses_environment = |example: &HostExample| {
        example.replicas > 1 || !example.infeed.is_empty() || !example.functions.is_empty()
    };
    op.host_examples().iter().position(uses_environment).map_or(0, |first| op.meta().examples.len() + first)
}

/// The experiment of a host example, by its index among all examples of its op.
pub fn host_example(opcode: &str, number: usize) -> Option<Experiment> {
    let op = xla_ops::all().find(|op| op.meta().opcode == opcode)?;
    host_examples(op).nth(number.checked_sub(op.meta().examples.len())?)
}

/// The text before the instructions of an example.
const HEADER: &str = "HloModule example\n\nENTRY example {\n";

/// The number in links of the example that shows how the editions differ.
pub const EDITION_EXAMPLE: usize = 2017;

/// The example of an op that shows how the editions differ, with its title: compared in both. Its edition is current XLA if that
/// accepts it, else XLA 2017.
pub fn edition_example(meta: &'static OpMeta) -> Option<(Message, Experiment)> {
    let example = &meta.history.change?.example;
    let edition =
        if matches!(example.current, ExampleOutcome::Value(_)) { Edition::Current } else { Edition::V2017 };
    let experiment = experiment_of(meta.opcode, example.hlo, edition);
    Some((Message::ops(example.title), Experiment { compares_editions: true, ..experiment }))
}

/// The same example in an edition that accepts it; `None` in any other.
pub fn edition_example_in(meta: &'static OpMeta, edition: Edition) -> Option<Experiment> {
    let (_, example) = edition_example(meta)?;
    let is_accepted = parse_edition(&example.text, edition).error().is_none();
    is_accepted.then_some(Experiment { edition, ..example })
}

/// The experiment of an example's instructions; constants become parameters.
fn experiment_of(opcode: &str, instructions: &str, edition: Edition) -> Experiment {
    let source = format!("{HEADER}{instructions}\n}}\n");
    let module = parse_edition(&source, edition).module;
    let mut experiment = Experiment { edition, ..Experiment::from_text(HEADER) };
    let Some(entry) = module.entry_computation() else { return experiment };
    for (id, instruction) in entry.iter() {
        // Nested operands are part of the text of the instruction around them.
        let spans = &instruction.spans;
        let contains = |other: &Instruction| {
            other.spans.whole != spans.whole
                && other.spans.whole.start <= spans.whole.start
                && spans.whole.end <= other.spans.whole.end
        };
        if entry.instructions.iter().any(contains) {
            continue;
        }
        let whole = source.get(spans.whole.range()).unwrap_or_default();
        let is_example = opcode == instruction.opcode;
        let line = match literal_text(instruction).filter(|_| !is_example && Some(id) != entry.root) {
            Some(values) => {
                let number = experiment.values.len();
                experiment.values.push(ValueRule::Text(values));
                format!("{} = {} parameter({number})", instruction.name, instruction.shape.human_string())
            }
            None => reindented(whole),
        };
        experiment.text.push_str("  ");
        experiment.text.push_str(&line);
        experiment.text.push('\n');
        if is_example {
            experiment.focus.clone_from(&instruction.name);
        }
    }
    if entry.root_instruction().is_some_and(|root| root.name == experiment.focus) {
        experiment.focus.clear();
    }
    experiment.text.push_str("}\n");
    experiment
}

impl Preset {
    /// The experiment it starts.
    pub fn experiment(&self) -> Experiment {
        experiment_of(self.meta.opcode, self.example.hlo, Edition::Current)
    }

    /// What the example shows, in a few words.
    pub fn title(&self) -> Message {
        Message::ops(self.example.title)
    }
}

/// The array literal of an instruction, as text for the values of a parameter.
fn literal_text(instruction: &Instruction) -> Option<String> {
    instruction.attrs.iter().find_map(|(_, value)| match value {
        xla_ops::AttrValue::Literal(literal) => {
            let text = literal.text(xla_array::value::text::Exactness::RoundTrip);
            literal.as_array().map(|_| compact_literal(&text))
        }
        _ => None,
    })
}

/// A literal without the comments that number its elements.
fn compact_literal(text: &str) -> String {
    let mut parts = text.split("/*");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once("*/").map_or("", |(_, rest)| rest));
    }
    // Without XLA's inner spaces: `{{1, 2}, {3, 4}}`.
    out.split_whitespace().collect::<Vec<_>>().join(" ").replace("{ ", "{").replace(" }", "}")
}

/// Replaces the indentation that an example has in the Rust source.
fn reindented(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.join("\n    ")
}

impl Default for Experiment {
    /// The first preset, a `broadcast`.
    fn default() -> Self {
        all().next().map_or_else(Self::empty, |preset| preset.experiment())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_valid_module_with_editable_operands() {
        for preset in all() {
            let experiment = preset.experiment();
            let parsed = parse(&experiment.text);
            assert!(
                parsed.diagnostics.is_empty(),
                "{}: {:?}\n{}",
                preset.meta.opcode,
                parsed.diagnostics,
                experiment.text
            );
            let entry = parsed.module.entry_computation().unwrap();
            assert_eq!(entry.parameters.len(), experiment.values.len());
            let focus = if experiment.focus.is_empty() { entry.root } else { entry.find(&experiment.focus) };
            assert!(focus.is_some(), "{}", preset.meta.opcode);
        }
    }

    #[test]
    fn an_edition_example_exists_in_the_editions_that_accept_it() {
        let accepted = |opcode: &str| {
            let meta = xla_ops::all().map(OpDef::meta).find(|meta| meta.opcode == opcode).unwrap();
            let of =
                |edition| edition_example_in(meta, edition).map(|example| example.edition) == Some(edition);
            [Edition::Current, Edition::V2017].map(of)
        };
        assert_eq!(accepted("dynamic-slice"), [true, true]);
        assert_eq!(accepted("while"), [true, false]);
        assert_eq!(accepted("iota"), [false, false]);
    }

    #[test]
    fn an_edition_example_opens_in_an_edition_that_accepts_it() {
        let mut count = 0;
        for meta in xla_ops::all().map(OpDef::meta) {
            let Some((_, experiment)) = edition_example(meta) else { continue };
            let parsed = parse_edition(&experiment.text, experiment.edition);
            assert!(
                parsed.diagnostics.is_empty(),
                "{}: {:?}\n{}",
                meta.opcode,
                parsed.diagnostics,
                experiment.text
            );
            count += 1;
        }
        assert!(count > 15, "{count}");
    }
}
