//! Converts ids of instructions and calls between the core's types and the wire's.

use super::wire::{Call, InstructionKey};
use crate::hlo::{Computation, Instruction, InstructionId, Module};
use crate::inspect::calls::CallSite;
use crate::ops::ComputationId;

/// Converts the ids of an instruction to the core's types.
pub fn reference(at: InstructionKey) -> (ComputationId, InstructionId) {
    (ComputationId(at.computation), InstructionId(at.instruction))
}

/// Converts the ids of an instruction to the wire type.
pub fn at((computation, instruction): (ComputationId, InstructionId)) -> InstructionKey {
    InstructionKey { computation: computation.0, instruction: instruction.0 }
}

/// Converts a call to the core's type.
pub fn site(call: Call) -> CallSite {
    let (caller, instruction) = reference(call.at);
    CallSite { caller, instruction, callee_index: call.callee_index }
}

/// Converts a call to the wire type.
pub fn call(site: CallSite) -> Call {
    Call { at: at(site.instruction_ref()), callee_index: site.callee_index }
}

/// The instruction with these ids, and its computation.
pub fn find(module: &Module, at: InstructionKey) -> Option<(&Computation, &Instruction)> {
    let (computation, instruction) = reference(at);
    let computation = module.get(computation)?;
    Some((computation, computation.get(instruction)?))
}

/// The root of a computation.
pub fn root(module: &Module, computation: ComputationId) -> Option<InstructionKey> {
    Some(at((computation, module.get(computation)?.root?)))
}
