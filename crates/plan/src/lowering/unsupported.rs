//! Modules that the planner does not support.

use xla_hlo::InstructionId;
use xla_ops::ComputationId;

/// Why a module has no plan: the evaluator runs it instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The instruction, if it is due to one.
    pub at: Option<(ComputationId, InstructionId)>,
    /// What a plan does not express.
    pub reason: Reason,
}

/// What a plan does not express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The module has errors, or no entry computation.
    Invalid,
    /// An op with an effect, or that asks the host or other devices.
    Effect,
    /// A layout with tiles or padding.
    Layout,
    /// A dimension whose size is not static, or a shape that is neither array, tuple nor token.
    Shape,
    /// Inlined calls would make the plan too long.
    Length,
}
