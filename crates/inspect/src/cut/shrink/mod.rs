//! Reduces a program while a property holds: a NaN appears, a value differs, an error is given.
//!
//! A [`Shrinker`] runs nothing. It proposes a candidate, the caller runs it and answers whether the property still holds,
//! with the values that the run computed. So a search can be cancelled and resumed between any two candidates, and what it
//! has found so far is always a valid program.
//!
//! The result is minimal: no instruction can be replaced by its value or by one of its operands without losing the
//! property, unless the search ran out of tries. Steps, repeated while one succeeds: the ancestors of the failing
//! instruction; removal of instructions by delta debugging, their values become parameters or constants; an instruction
//! replaced by its operand; fewer results; calls and branches inlined; smaller dimensions; simpler values.

mod bypass;
mod inline;
mod literals;
mod sizes;
mod step;

use std::collections::BTreeSet;

use self::step::{Phase, Step};
use super::{CutOptions, Program, Results, cut};
use xla_array::Literal;
use xla_hlo::{Computation, Instruction, InstructionId};
use xla_ops::Data;

/// The values of the entry computation's instructions, by id; `None` for those that did not run. Zeros take their place
/// where a value is needed.
pub type Values = Vec<Option<Data>>;

/// Settings of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct ShrinkOptions {
    /// Maximum number of candidates.
    pub max_tries: usize,
    /// How captured values and annotations are kept.
    pub cut: CutOptions,
    /// Bound on the instructions of a candidate after inlining.
    pub max_inlined_instructions: usize,
}

impl Default for ShrinkOptions {
    fn default() -> Self {
        let cut = CutOptions { keeps_annotations: false, ..CutOptions::default() };
        Self { max_tries: 5_000, cut, max_inlined_instructions: 20_000 }
    }
}

/// The state of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Candidates so far.
    pub tries: usize,
    /// Maximum number of candidates.
    pub max_tries: usize,
    /// Instructions of the entry computation that compute something: neither parameters nor constants.
    pub instructions: usize,
    /// Those of the original program.
    pub original_instructions: usize,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The original program does not have the property.
    NotReproduced,
    /// The program is minimal.
    Minimal,
    /// The tries ran out.
    OutOfTries,
}

/// A search for a smaller program.
#[derive(Clone, Debug)]
pub struct Shrinker {
    options: ShrinkOptions,
    current: Program,
    values: Values,
    phase: Phase,
    candidate: Option<Program>,
    /// Whether a step succeeded since the removal of instructions began.
    has_progress: bool,
    tries: usize,
    original_instructions: usize,
    end: Option<End>,
}

impl Shrinker {
    /// Begins a search. `focus` is the instruction of the entry computation that shows the property, if it is known: its
    /// ancestors are tried first.
    pub fn new(program: Program, focus: Option<InstructionId>, options: ShrinkOptions) -> Self {
        let original_instructions = operations(&program).len();
        let phase = Phase::Original(focus);
        Self {
            options,
            candidate: None,
            current: program,
            values: Vec::new(),
            phase,
            has_progress: false,
            tries: 0,
            original_instructions,
            end: None,
        }
    }

    /// The next program to run, the same one until it is answered; `None` once the search has ended.
    pub fn next_candidate(&mut self) -> Option<&Program> {
        while self.candidate.is_none() && self.end.is_none() {
            if self.tries >= self.options.max_tries {
                self.end = Some(End::OutOfTries);
                break;
            }
            match self.step() {
                Step::Try(program) => {
                    self.tries += 1;
                    self.candidate = Some(*program);
                }
                // Not a valid program, or not a smaller one.
                Step::Skip => self.advance(false),
                Step::End => self.end = Some(End::Minimal),
            }
        }
        self.candidate.as_ref()
    }

    /// Answers that the candidate has the property, with the values of its run.
    pub fn keep(&mut self, values: Values) {
        if let Some(program) = self.candidate.take() {
            self.current = program;
            self.values = values;
            self.advance(true);
        }
    }

    /// Answers that the candidate does not have the property.
    pub fn reject(&mut self) {
        if self.candidate.take().is_some() {
            if matches!(self.phase, Phase::Original(_)) {
                self.end = Some(End::NotReproduced);
            } else {
                self.advance(false);
            }
        }
    }

    /// The smallest program found so far; the original one at first.
    pub fn program(&self) -> &Program {
        &self.current
    }

    /// How far the search is.
    pub fn progress(&self) -> Progress {
        Progress {
            tries: self.tries,
            max_tries: self.options.max_tries,
            instructions: operations(&self.current).len(),
            original_instructions: self.original_instructions,
        }
    }

    /// How the search ended, once it has.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// The program of these operations and results, if it is valid and all its arguments are known.
    fn cut_to(&self, kept: &BTreeSet<InstructionId>, results: BTreeSet<InstructionId>) -> Option<Program> {
        let module = &self.current.module;
        let entry = module.entry_computation()?;
        let value = |id: InstructionId| {
            let known = self.values.get(id.index()).cloned().flatten();
            // A run that fails before it begins has no values: any of the shape may do.
            known.or_else(|| Literal::zeros(&entry.get(id)?.shape).ok().map(Data::from))
        };
        let results = Results::Of(results);
        let found = cut(module, module.entry?, kept, &results, &self.options.cut, value).ok()?;
        found.program.arguments.iter().all(Option::is_some).then_some(found.program)
    }
}

/// Runs a whole search; `test` returns the values of a candidate with the property.
///
/// ```
/// use xla_hlo::Evaluator;
/// use xla_inspect::cut::{Program, shrink::{ShrinkOptions, shrink}};
///
/// let text = "HloModule m ENTRY e { x = f32[] constant(-4) y = abs(x) z = sqrt(x) ROOT w = add(y, z) }";
/// let program = Program { module: xla_hlo::parse(text).into_module().unwrap(), arguments: Vec::new() };
/// let found = shrink(program, None, ShrinkOptions::default(), |candidate| {
///     let arguments: Vec<_> = candidate.known_arguments()?.iter().map(|data| data.to_literal()).collect();
///     let outcome = Evaluator::new(&candidate.module).run_with_values(&arguments).ok()?;
///     let has_nan = |data: &xla_ops::Data| data.as_array().is_some_and(|a| a.values().any(|v| v.is_nan()));
///     // A square root of a number that is not NaN.
///     let entry = candidate.module.entry_computation()?;
///     let (id, root) = entry.iter().find(|(_, i)| i.opcode == "sqrt")?;
///     let is_made = has_nan(outcome.values.get(id)?) && !has_nan(outcome.values.get(root.operands[0])?);
///     is_made.then_some(outcome.values.values)
/// });
/// assert_eq!(found.progress().instructions, 1);
/// ```
pub fn shrink(
    program: Program,
    focus: Option<InstructionId>,
    options: ShrinkOptions,
    mut test: impl FnMut(&Program) -> Option<Values>,
) -> Shrinker {
    let mut search = Shrinker::new(program, focus, options);
    while let Some(candidate) = search.next_candidate() {
        match test(candidate) {
            Some(values) => search.keep(values),
            None => search.reject(),
        }
    }
    search
}

/// The tuple of the results, if the root is one.
fn root_tuple(entry: &Computation) -> Option<(InstructionId, &Instruction)> {
    let root = entry.root?;
    entry.get(root).filter(|instruction| instruction.opcode == "tuple").map(|instruction| (root, instruction))
}

/// The instructions of the entry computation that can be removed: all but parameters, constants and the tuple of results.
pub(super) fn operations(program: &Program) -> Vec<InstructionId> {
    let Some(entry) = program.module.entry_computation() else { return Vec::new() };
    let results = root_tuple(entry).map(|(id, _)| id);
    let is_operation = |(id, instruction): &(InstructionId, &Instruction)| {
        !matches!(instruction.opcode.as_str(), "parameter" | "constant") && Some(*id) != results
    };
    entry.iter().filter(is_operation).map(|(id, _)| id).collect()
}

/// The results of the entry computation: the elements of the root if it is a tuple, else the root.
pub(super) fn results(program: &Program) -> BTreeSet<InstructionId> {
    let Some(entry) = program.module.entry_computation() else { return BTreeSet::new() };
    match root_tuple(entry) {
        Some((_, tuple)) => tuple.operands.iter().copied().collect(),
        None => entry.root.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests;
