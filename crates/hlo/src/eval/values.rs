//! What a run comes to: the values of a computation, or why there are none.

use super::kernel::ComputedBy;
use crate::module::{InstructionId, Module};
use xla_messages::diagnostic::{Diagnostic, Hint, Span};
use xla_ops::{ComputationId, Data, OpError, RandomPosition};

/// Why a run ended without a result, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    /// The computation and the instruction, where it was at one.
    pub at: Option<(ComputationId, InstructionId)>,
    /// What happened.
    pub error: Box<OpError>,
}

impl EvalError {
    /// The error at its instruction's place in the text that `module` was read from; at the start of the text where
    /// it was at none.
    pub fn diagnostic(&self, module: &Module) -> Diagnostic {
        let instruction = self.at.and_then(|(computation, id)| module.get(computation)?.get(id));
        let span = instruction.map_or(Span::default(), |instruction| instruction.spans.whole);
        let mut found = Diagnostic::error(span, self.error.rule, self.error.message.clone());
        found.hints = self.error.hints.iter().map(|hint| Hint::advice(hint.message.clone())).collect();
        found
    }
}

impl std::fmt::Display for EvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for EvalError {}

/// The values of a computation that ran.
#[derive(Clone, Debug)]
pub struct Values {
    /// The computation.
    pub computation: ComputationId,
    /// The value of each instruction; `None` for those the result does not need.
    pub values: Vec<Option<Data>>,
    /// How much was drawn before each instruction ran.
    pub drawn: Vec<RandomPosition>,
    /// What made the value of each instruction.
    pub computed_by: Vec<Option<ComputedBy>>,
}

impl Values {
    /// The value of an instruction.
    pub fn get(&self, id: InstructionId) -> Option<&Data> {
        self.values.get(id.index())?.as_ref()
    }
}
