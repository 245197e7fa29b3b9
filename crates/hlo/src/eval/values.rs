//! The result of a run: the values of a computation, or an error and its position.

use super::kernel::ComputedBy;
use crate::module::{InstructionId, Module};
use xla_messages::diagnostic::{Diagnostic, Hint, Span};
use xla_messages::i18n::Message;
use xla_ops::{ComputationId, Data, OpError, RandomPosition};

/// The `op` of errors that concern the run rather than an op: exceeded budgets, cancellation, missing values.
pub const RUN: &str = "run";

/// An error of the run rather than of an op.
pub fn run_error(rule: &'static str, message: Message) -> OpError {
    OpError::new(RUN, rule, message)
}

/// The error that ended a run, and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    /// The computation and the instruction; `None` if the error belongs to no instruction.
    pub at: Option<(ComputationId, InstructionId)>,
    /// The error itself.
    pub error: Box<OpError>,
}

impl EvalError {
    /// The error as a diagnostic of the source text of `module`: at the span of its instruction, or at the start of
    /// the text if it belongs to none.
    pub fn diagnostic(&self, module: &Module) -> Diagnostic {
        let instruction = self.at.and_then(|(computation, id)| module.get(computation)?.get(id));
        let span = instruction.map_or(Span::default(), |instruction| instruction.spans.whole);
        let mut diagnostic = Diagnostic::error(span, self.error.rule, self.error.message.clone());
        diagnostic.hints = self.error.hints.iter().map(|hint| Hint::advice(hint.message.clone())).collect();
        diagnostic
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
    /// The computation whose values these are.
    pub computation: ComputationId,
    /// The value of each instruction; `None` for those the result does not need.
    pub values: Vec<Option<Data>>,
    /// The state of the random number generators before each instruction ran.
    pub random_positions: Vec<RandomPosition>,
    /// What computed each value, a kernel or the semantics of the op; `None` for calls, parameters and constants.
    pub computed_by: Vec<Option<ComputedBy>>,
}

impl Values {
    /// The value of an instruction.
    pub fn get(&self, id: InstructionId) -> Option<&Data> {
        self.values.get(id.index())?.as_ref()
    }
}
