//! Modules that the planner does not support.

use xla_hlo::InstructionId;
use xla_ops::ComputationId;

/// Why a module cannot be compiled to a plan. The evaluator can run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The unsupported instruction; `None` if the module as a whole is not supported.
    pub at: Option<(ComputationId, InstructionId)>,
    /// The unsupported feature.
    pub reason: Reason,
}

/// A feature that plans do not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The module has errors, or no entry computation.
    Invalid,
    /// An op with a side effect, or one that needs the host or other devices.
    Effect,
    /// A layout with tiles or padding.
    Layout,
    /// A dimension whose size is not static, or a shape that is neither array, tuple nor token.
    Shape,
    /// The plan would be too long, because every call is inlined.
    Length,
}
