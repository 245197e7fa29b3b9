//! The operations and the results of a program.

use std::collections::BTreeSet;

use crate::cut::types::Program;
use xla_hlo::{Computation, Instruction, InstructionId};

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
