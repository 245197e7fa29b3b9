//! The start indices of `dynamic-slice` and `dynamic-update-slice` in the form of an edition: XLA 2017 expects one
//! vector, current XLA also a scalar per dimension.
//!
//! Parameters and constants that are used for nothing else are rewritten in place and keep their values, so the
//! program does not grow; converting back splits the vectors.

use crate::Experiment;
use crate::arguments::{argument, one_line, selected_values};
use crate::edit::apply_edits;
use xla_array::value::text::Exactness;
use xla_array::values::ValueRule;
use xla_array::{ArrayShape, Edition, Literal, Shape};
use xla_hlo::parser::parse_edition;
use xla_hlo::{Computation, Instruction, InstructionId, Module};
use xla_messages::diagnostic::Span;

/// The names of a start-index vector and of the scalars that it replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorizedStarts {
    /// The name of the computation.
    pub computation: String,
    /// The name of the vector.
    pub vector: String,
    /// The scalars, one per dimension.
    pub scalars: Vec<String>,
}

/// An experiment rewritten for another edition.
#[derive(Clone, Debug, PartialEq)]
pub struct RewrittenExperiment {
    /// The experiment in the other edition.
    pub experiment: Experiment,
    /// The vectors that were built, or split again.
    pub vectorized: Vec<VectorizedStarts>,
}

/// Maximum number of parser fixes that are applied for start indices that cannot be joined in place.
const MAX_APPLIED_FIXES: usize = 64;

/// The rule that scalar start indices violate in XLA 2017.
const SCALAR_STARTS_RULE: &str = "dynamic-slice-2017";

/// The name of a vector that replaces several scalars; numbered if it is taken.
const JOINED_NAME: &str = "start";

/// The index of the first start-index operand; `None` for other ops.
fn first_start_operand(instruction: &Instruction) -> Option<usize> {
    match instruction.opcode.as_str() {
        "dynamic-slice" => Some(1),
        "dynamic-update-slice" => Some(2),
        _ => None,
    }
}

/// The operands that are start indices.
fn start_operands(instruction: &Instruction) -> Option<&[InstructionId]> {
    instruction.operands.get(first_start_operand(instruction)?..).filter(|starts| !starts.is_empty())
}

/// Whether the header refers to entry parameters by number, so that each must keep its number and shape.
fn refers_to_parameter_numbers(module: &Module) -> bool {
    let refers =
        |(name, _): &(String, String)| matches!(name.as_str(), "input_output_alias" | "buffer_donor");
    module.entry_layout.is_some() || module.header.iter().any(refers)
}

/// The rank of an array of integers; `None` for other shapes.
fn integer_array_rank(shape: &Shape) -> Option<usize> {
    shape.as_array().filter(|array| array.element_type.is_integral()).map(ArrayShape::rank)
}

/// Start indices, all parameters or all constants, and their only users.
struct StartGroup<'a> {
    computation: &'a Computation,
    is_entry: bool,
    starts: Vec<InstructionId>,
    users: Vec<&'a Instruction>,
}

impl<'a> StartGroup<'a> {
    /// The groups of a module whose start indices have rank `start_rank`.
    fn all(module: &'a Module, start_rank: usize) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for (index, computation) in (0..).zip(&module.computations) {
            let is_entry = module.entry.is_some_and(|entry| entry.0 == index);
            for user in &computation.instructions {
                let Some(starts) = start_operands(user) else { continue };
                let has_rank = |id: &InstructionId| {
                    computation
                        .get(*id)
                        .is_some_and(|start| integer_array_rank(&start.shape) == Some(start_rank))
                };
                if !starts.iter().all(has_rank) {
                    continue;
                }
                let same = |group: &&mut Self| {
                    std::ptr::eq(group.computation, computation) && group.starts == starts
                };
                match groups.iter_mut().find(same) {
                    Some(group) => group.users.push(user),
                    None => {
                        groups.push(Self {
                            computation,
                            is_entry,
                            starts: starts.to_vec(),
                            users: vec![user],
                        });
                    }
                }
            }
        }
        let has_parameter_references = refers_to_parameter_numbers(module);
        groups.retain(|group| group.can_be_rewritten(has_parameter_references));
        groups
    }

    /// Whether its start indices can be rewritten in place: distinct parameters or constants without annotations or
    /// other uses. `has_parameter_references` is [`refers_to_parameter_numbers`].
    fn can_be_rewritten(&self, has_parameter_references: bool) -> bool {
        let are_distinct = self.starts.iter().enumerate().all(|(i, start)| !self.starts[..i].contains(start));
        let named: Vec<&Instruction> = self.instructions().filter(|start| !start.name.is_empty()).collect();
        let all_are = |opcode: &str| named.iter().all(|start| start.opcode == opcode);
        let has_rewritable_opcode =
            all_are("constant") || all_are("parameter") && self.is_entry && !has_parameter_references;
        // A sharding or metadata belongs to one scalar, not to the vector.
        let has_annotations = named.iter().any(|start| !start.annotations.is_empty());
        let is_used_elsewhere = |start: &InstructionId| {
            self.computation.root == Some(*start)
                || self.computation.instructions.iter().any(|user| {
                    let is_user = self.users.iter().any(|known| std::ptr::eq(*known, user));
                    let other_operands =
                        if is_user { first_start_operand(user).unwrap_or(0) } else { user.operands.len() };
                    user.operands[..other_operands].contains(start)
                })
        };
        are_distinct
            && has_rewritable_opcode
            && !has_annotations
            && named.len() == self.starts.len()
            && !self.starts.iter().any(is_used_elsewhere)
    }

    /// The instructions that are the start indices.
    fn instructions(&self) -> impl Iterator<Item = &'a Instruction> + '_ {
        let computation = self.computation;
        self.starts.iter().filter_map(move |id| computation.get(*id))
    }

    /// The parameter numbers of the start indices; `None` if they are not entry parameters.
    fn parameter_numbers(&self) -> Option<Vec<usize>> {
        let number = |id: &InstructionId| self.computation.parameters.iter().position(|other| other == id);
        self.starts.iter().map(number).collect::<Option<Vec<usize>>>().filter(|_| self.is_entry)
    }

    /// The edits that replace the start indices in the users.
    fn operand_edits(&self, names: &str) -> impl Iterator<Item = (Span, String)> {
        self.users.iter().filter_map(move |user| {
            let spans = user.spans.operands.get(first_start_operand(user)?..)?;
            Some((Span::new(spans.first()?.start, spans.last()?.end), names.to_owned()))
        })
    }
}

/// The span of a statement: the whole line if nothing else is on it.
fn statement_span(text: &str, span: Span) -> Span {
    let before = text.get(..span.start).unwrap_or_default();
    let after = text.get(span.end..).unwrap_or_default();
    let indent = before.len() - before.trim_end_matches([' ', '\t']).len();
    let spaces_len = after.len() - after.trim_start_matches([' ', '\t', '\r']).len();
    let is_line = before[..before.len() - indent].ends_with('\n') && after[spaces_len..].starts_with('\n');
    if is_line {
        Span::new(span.start - indent, span.end + spaces_len + 1)
    } else {
        Span::new(span.start, span.end + spaces_len)
    }
}

/// The values of a parameter as text, as its input field shows them.
fn values_text(shape: &Shape, values: &ValueRule) -> String {
    match values {
        ValueRule::Text(text) => text.trim().to_owned(),
        values => argument(shape, values).map(|literal| one_line(&literal)).unwrap_or_default(),
    }
}

/// The name, with `%` if the name `like` has it.
fn with_sigil_of(name: &str, like: &str) -> String {
    if like.starts_with('%') { format!("%{name}") } else { name.to_owned() }
}

/// The edits that renumber the entry parameters whose number changes; `new` returns `None` for removed ones.
fn renumbering_edits(entry: &Computation, new: impl Fn(usize) -> Option<usize>) -> Vec<(Span, String)> {
    let edit = |(number, id): (usize, &InstructionId)| {
        let to = new(number).filter(|to| *to != number)?;
        Some((entry.get(*id)?.argument_span()?, to.to_string()))
    };
    entry.parameters.iter().enumerate().filter_map(edit).collect()
}

/// The replicas above 0 that have their own values for any of these parameters, ascending.
fn replicas_with_values(experiment: &Experiment, numbers: &[usize]) -> Vec<usize> {
    let own = experiment.environment.values.keys().filter(|(_, number)| numbers.contains(number));
    let mut replicas: Vec<usize> = own.map(|(replica, _)| *replica).collect();
    replicas.dedup();
    replicas
}

/// Rewrites an experiment for an edition that rejects only the form of its start indices. `vectorized` are the vectors
/// of an earlier [`convert_start_indices`] for XLA 2017; for current XLA they are split. `None` if there is nothing to
/// rewrite, or if the text would still have an error.
pub fn convert_start_indices(
    experiment: &Experiment,
    edition: Edition,
    vectorized: &[VectorizedStarts],
) -> Option<RewrittenExperiment> {
    let rewritten = match edition {
        Edition::Current => split(experiment, vectorized)?,
        Edition::V2017 => {
            let error = parse_edition(&experiment.text, edition).error()?.rule;
            if error != SCALAR_STARTS_RULE {
                return None;
            }
            let joined = vectorize(experiment);
            let joined = joined.unwrap_or_else(|| RewrittenExperiment {
                experiment: experiment.clone(),
                vectorized: Vec::new(),
            });
            let text = apply_parser_fixes(joined.experiment.text)?;
            RewrittenExperiment {
                experiment: Experiment { text, ..joined.experiment },
                vectorized: joined.vectorized,
            }
        }
    };
    let experiment = Experiment { edition, ..rewritten.experiment };
    parse_edition(&experiment.text, edition)
        .error()
        .is_none()
        .then_some(RewrittenExperiment { experiment, ..rewritten })
}

/// Applies the parser's fixes for start indices that are computed.
fn apply_parser_fixes(mut text: String) -> Option<String> {
    for _ in 0..MAX_APPLIED_FIXES {
        let parsed = parse_edition(&text, Edition::V2017);
        let Some(error) = parsed.error() else { return Some(text) };
        text = error
            .hints
            .iter()
            .filter(|_| error.rule == SCALAR_STARTS_RULE)
            .find_map(|hint| hint.apply(&text))?;
    }
    None
}

/// Builds vectors from scalar start indices that are parameters or constants, with their values.
fn vectorize(experiment: &Experiment) -> Option<RewrittenExperiment> {
    let text = &experiment.text;
    let module = parse_edition(text, Edition::Current).module;
    let groups = StartGroup::all(&module, 0);
    let entry = module.entry_computation()?;
    let (mut edits, mut vectorized) = (Vec::new(), Vec::<VectorizedStarts>::new());
    let mut removed: Vec<usize> = Vec::new();
    let mut next = experiment.clone();
    for group in &groups {
        let scalars: Vec<&Instruction> = group.instructions().collect();
        let (first, shape) = (*scalars.first()?, scalars.first()?.shape.as_array()?);
        let count = i64::try_from(scalars.len()).ok()?;
        let vector = Shape::Array(ArrayShape::new(shape.element_type, [count]));
        let is_taken = |name: &String| {
            group.computation.find(name).is_some() || vectorized.iter().any(|starts| starts.vector == *name)
        };
        let name = if scalars.len() == 1 {
            first.name.clone()
        } else {
            let numbered = (1..).map(|number| format!("{JOINED_NAME}.{number}"));
            std::iter::once(JOINED_NAME.to_owned()).chain(numbered).find(|name| !is_taken(name))?
        };
        let as_written = with_sigil_of(&name, text.get(first.spans.name.range())?);
        edits.push((first.spans.name, as_written.clone()));
        edits.push((first.spans.shape, vector.human_string()));
        edits.extend(group.operand_edits(&as_written));
        edits.extend(
            scalars[1..].iter().map(|other| (statement_span(text, other.spans.whole), String::new())),
        );
        if let Some(numbers) = group.parameter_numbers() {
            let joined = |values_of: &dyn Fn(usize) -> ValueRule| {
                let texts = numbers
                    .iter()
                    .zip(&scalars)
                    .map(|(number, scalar)| values_text(&scalar.shape, &values_of(*number)));
                ValueRule::Text(format!("{{{}}}", texts.collect::<Vec<_>>().join(", ")))
            };
            for replica in replicas_with_values(experiment, &numbers) {
                let mut on_replica = experiment.clone();
                on_replica.environment.selected_replica = replica;
                let values = joined(&|number| selected_values(&on_replica, &first.shape, number));
                next.environment.values.insert((replica, numbers[0]), values);
            }
            next.set_values(numbers[0], joined(&|number| experiment.values(number)));
            removed.extend(&numbers[1..]);
        } else {
            let texts = scalars.iter().map(|scalar| text.get(scalar.argument_span()?.range()));
            let texts: Vec<&str> = texts.collect::<Option<_>>()?;
            edits.push((first.argument_span()?, format!("{{{}}}", texts.join(", "))));
        }
        if scalars.iter().any(|scalar| scalar.name == experiment.focus) && group.is_entry {
            next.focus.clone_from(&name);
        }
        let scalars = scalars.iter().map(|scalar| scalar.name.clone()).collect();
        vectorized.push(VectorizedStarts {
            computation: group.computation.name.clone(),
            vector: name,
            scalars,
        });
    }
    let number_in_next = |number: usize| {
        let before = removed.iter().filter(|other| **other < number).count();
        (!removed.contains(&number)).then_some(number - before)
    };
    edits.extend(renumbering_edits(entry, number_in_next));
    renumber_values(&mut next, entry.parameters.len(), number_in_next);
    next.text = apply_edits(text, edits)?;
    (!vectorized.is_empty()).then_some(RewrittenExperiment { experiment: next, vectorized })
}

/// Moves the values of parameters that get other numbers, and drops those of parameters that are removed.
fn renumber_values(experiment: &mut Experiment, count: usize, new: impl Fn(usize) -> Option<usize>) {
    let old = experiment.clone();
    experiment.values.clear();
    for number in 0..count.min(old.values.len()) {
        if let Some(to) = new(number) {
            experiment.set_values(to, old.values(number));
        }
    }
    let own = old.environment.values.into_iter();
    experiment.environment.values =
        own.filter_map(|((replica, number), values)| Some(((replica, new(number)?), values))).collect();
}

/// The text of each element of a vector's values; invalid values are split at commas as the user entered them.
fn element_texts(shape: &ArrayShape, values: &ValueRule, count: usize) -> Option<Vec<String>> {
    if let Ok(Literal::Array(literal)) = argument(&Shape::Array(shape.clone()), values) {
        return Some(literal.values().map(|v| v.text(shape.element_type, Exactness::RoundTrip)).collect());
    }
    let ValueRule::Text(text) = values else { return None };
    let inner = text.trim().trim_start_matches('{').trim_end_matches('}');
    let texts: Vec<String> = inner.split(',').map(|text| text.trim().to_owned()).collect();
    (texts.len() == count).then_some(texts)
}

/// Splits vectors of start indices, with their values; the result lists those that could be split.
fn split(experiment: &Experiment, vectorized: &[VectorizedStarts]) -> Option<RewrittenExperiment> {
    let mut next = RewrittenExperiment { experiment: experiment.clone(), vectorized: Vec::new() };
    for starts in vectorized {
        if let Some(experiment) = split_one(&next.experiment, starts) {
            next.experiment = experiment;
            next.vectorized.push(starts.clone());
        }
    }
    (!next.vectorized.is_empty()).then_some(next)
}

/// Splits one vector into the scalars that it replaced. `None` if the text no longer has it, or a scalar's name is taken.
fn split_one(experiment: &Experiment, starts: &VectorizedStarts) -> Option<Experiment> {
    let text = &experiment.text;
    let module = parse_edition(text, Edition::Current).module;
    let entry = module.entry_computation()?;
    let has_vector = |group: &&StartGroup| {
        let name = group.instructions().next().map(|start| start.name.as_str());
        group.computation.name == starts.computation && name == Some(starts.vector.as_str())
    };
    let groups = StartGroup::all(&module, 1);
    let group = groups.iter().find(has_vector)?;
    let vector = group.instructions().next()?;
    let (shape, count) = (vector.shape.as_array()?, starts.scalars.len());
    let is_available = |name: &String| *name == starts.vector || group.computation.find(name).is_none();
    if usize::try_from(shape.elements()?) != Ok(count) || !starts.scalars.iter().all(is_available) {
        return None;
    }
    let spans = &vector.spans;
    let written_name = text.get(spans.name.range())?;
    let scalar = Shape::Array(ArrayShape::new(shape.element_type, [])).human_string();
    let names: Vec<String> = starts.scalars.iter().map(|name| with_sigil_of(name, written_name)).collect();
    let mut next = experiment.clone();
    let mut edits: Vec<(Span, String)> = group.operand_edits(&names.join(", ")).collect();
    edits.push((spans.name, names.first()?.clone()));
    edits.push((spans.shape, scalar.clone()));
    let arguments: Vec<String> = if let Some(numbers) = group.parameter_numbers() {
        let vector_number = *numbers.first()?;
        let new_number =
            |number: usize| Some(if number > vector_number { number + count - 1 } else { number });
        // Reads all values before changing the experiment, as reading may fail.
        let shared_texts = element_texts(shape, &experiment.values(vector_number), count)?;
        let mut replica_texts = Vec::new();
        for replica in replicas_with_values(experiment, &numbers) {
            let values = experiment.environment.values.get(&(replica, vector_number))?;
            replica_texts.push((replica, element_texts(shape, values, count)?));
        }
        renumber_values(&mut next, entry.parameters.len(), new_number);
        for (replica, texts) in std::iter::once((0, shared_texts)).chain(replica_texts) {
            for (number, text) in (vector_number..).zip(texts) {
                next.set_values_on(replica, number, ValueRule::Text(text));
            }
        }
        edits.extend(renumbering_edits(entry, new_number));
        (vector_number..vector_number + count).map(|number| number.to_string()).collect()
    } else {
        let literal = ValueRule::Text(text.get(vector.argument_span()?.range())?.to_owned());
        let texts = element_texts(shape, &literal, count)?;
        edits.push((vector.argument_span()?, texts.first()?.clone()));
        texts
    };
    let statement = statement_span(text, spans.whole);
    let is_line = statement.end > spans.whole.end && text.get(..statement.end)?.ends_with('\n');
    let separator =
        if is_line { format!("\n{}", text.get(statement.start..spans.whole.start)?) } else { " ".to_owned() };
    let others = names.iter().zip(&arguments).skip(1);
    let others =
        others.map(|(name, argument)| format!("{separator}{name} = {scalar} {}({argument})", vector.opcode));
    edits.push((Span::at(spans.whole.end), others.collect()));
    if next.focus == starts.vector && group.is_entry {
        next.focus.clone_from(starts.scalars.first()?);
    }
    next.text = apply_edits(text, edits)?;
    Some(next)
}

#[cfg(test)]
mod tests;
