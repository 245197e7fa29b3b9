//! References to the instructions of a module.

use xla_hlo::InstructionId;
use xla_hlo::module::{Computation, Instruction, Module};
use xla_ops::ComputationId;

/// An instruction by its computation and its id there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstructionAt {
    /// The computation.
    pub computation: ComputationId,
    /// The instruction.
    pub instruction: InstructionId,
}

impl InstructionAt {
    /// The computation and the instruction themselves.
    pub fn of(self, module: &Module) -> Option<(&Computation, &Instruction)> {
        let computation = module.get(self.computation)?;
        Some((computation, computation.get(self.instruction)?))
    }
}
