//! The state of a search between two candidates.

use std::collections::BTreeSet;

use crate::cut::extract::cut;
use crate::cut::types::{CutOptions, Program, Results};
use xla_array::Literal;
use xla_hlo::InstructionId;
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
    /// Maximum number of instructions of a candidate after inlining.
    pub max_inlined_instructions: usize,
}

impl Default for ShrinkOptions {
    fn default() -> Self {
        let cut = CutOptions { keeps_annotations: false, ..CutOptions::default() };
        Self { max_tries: 5_000, cut, max_inlined_instructions: 20_000 }
    }
}

/// The next action of a search.
pub(super) enum Step {
    /// A candidate.
    Try(Box<Program>),
    /// Skip this position, which has no candidate.
    Skip,
    /// End: there are no more candidates.
    End,
}

/// The position of a search: the candidate that is next, or that is being tried.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    /// The original program. With the instruction that shows the property.
    Original(Option<InstructionId>),
    /// This instruction alone.
    Alone(InstructionId),
    /// This instruction and its ancestors.
    Ancestors(InstructionId),
    /// All but some consecutive operations: how many, the first, whether any were removed in this pass.
    Remove { chunk: usize, first: usize, has_removed: bool },
    /// An operation replaced by one of its operands.
    Bypass { operation: usize, operand: usize },
    /// All but one of the results that are also used.
    Result(usize),
    /// A computation that an instruction calls in its place: the operation, and which computation.
    Inline { operation: usize, callee: usize },
    /// A dimension size replaced by a smaller one: which size, and which replacement.
    Size { size: usize, replacement: usize },
    /// The value of an argument or a constant replaced by a simpler one.
    Value { source: usize, replacement: usize },
}

/// The state of a search.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub options: ShrinkOptions,
    /// The smallest program with the property so far.
    pub current: Program,
    /// The values of its run.
    pub values: Values,
    pub phase: Phase,
    /// Whether a step succeeded since the removal of instructions began.
    pub has_progress: bool,
}

impl State {
    /// The program of these operations and results, if it is valid and all its arguments are known.
    pub fn cut_to(
        &self,
        kept: &BTreeSet<InstructionId>,
        results: BTreeSet<InstructionId>,
    ) -> Option<Program> {
        let module = &self.current.module;
        let entry = module.entry_computation()?;
        let value = |id: InstructionId| {
            let known = self.values.get(id.index()).cloned().flatten();
            // A run that fails before it begins has no values: any of the shape may do.
            known.or_else(|| Literal::zeros(&entry.get(id)?.shape).ok().map(Data::from))
        };
        let results = Results::Selected(results);
        let found = cut(module, module.entry?, kept, &results, &self.options.cut, value).ok()?;
        found.program.arguments.iter().all(Option::is_some).then_some(found.program)
    }
}
