//! The search: it proposes candidates and takes the results of their runs.

use super::parts::operations;
use super::state::{Phase, ShrinkOptions, State, Step, Values};
use crate::cut::types::Program;
use xla_hlo::InstructionId;

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
    state: State,
    candidate: Option<Program>,
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
        let state = State { options, current: program, values: Vec::new(), phase, has_progress: false };
        Self { state, candidate: None, tries: 0, original_instructions, end: None }
    }

    /// The next program to run, the same one until its result is reported; `None` once the search has ended.
    pub fn next_candidate(&mut self) -> Option<&Program> {
        while self.candidate.is_none() && self.end.is_none() {
            if self.tries >= self.state.options.max_tries {
                self.end = Some(End::OutOfTries);
                break;
            }
            match self.state.step() {
                Step::Try(program) => {
                    self.tries += 1;
                    self.candidate = Some(*program);
                }
                // Not a valid program, or not a smaller one.
                Step::Skip => self.state.advance(false),
                Step::End => self.end = Some(End::Minimal),
            }
        }
        self.candidate.as_ref()
    }

    /// Reports that the candidate has the property, with the values of its run.
    pub fn keep(&mut self, values: Values) {
        if let Some(program) = self.candidate.take() {
            self.state.current = program;
            self.state.values = values;
            self.state.advance(true);
        }
    }

    /// Reports that the candidate does not have the property.
    pub fn reject(&mut self) {
        if self.candidate.take().is_some() {
            if matches!(self.state.phase, Phase::Original(_)) {
                self.end = Some(End::NotReproduced);
            } else {
                self.state.advance(false);
            }
        }
    }

    /// The smallest program found so far; initially the original one.
    pub fn program(&self) -> &Program {
        &self.state.current
    }

    /// The progress of the search.
    pub fn progress(&self) -> Progress {
        Progress {
            tries: self.tries,
            max_tries: self.state.options.max_tries,
            instructions: operations(&self.state.current).len(),
            original_instructions: self.original_instructions,
        }
    }

    /// How the search ended; `None` while it runs.
    pub fn end(&self) -> Option<End> {
        self.end
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
///     let creates_nan = has_nan(outcome.values.get(id)?) && !has_nan(outcome.values.get(root.operands[0])?);
///     creates_nan.then_some(outcome.values.values)
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
