//! Replaces an instruction by one of its operands of the same shape.

use std::collections::BTreeSet;

use crate::cut::assemble::assemble;
use crate::cut::types::Program;
use xla_hlo::{Computation, InstructionId};

/// The operands that an instruction can be replaced by.
pub(super) fn operands(program: &Program, id: InstructionId) -> Vec<InstructionId> {
    let Some(entry) = program.module.entry_computation() else { return Vec::new() };
    let Some(instruction) = entry.get(id) else { return Vec::new() };
    let has_same_shape = |operand: &&InstructionId| {
        entry.get(**operand).is_some_and(|operand| operand.shape == instruction.shape)
    };
    // Each once, in order.
    let distinct: BTreeSet<InstructionId> =
        instruction.operands.iter().filter(has_same_shape).copied().collect();
    distinct.into_iter().collect()
}

/// The program with an instruction replaced by one of its operands.
pub(super) fn bypassed(program: &Program, id: InstructionId, replacement: InstructionId) -> Option<Program> {
    let entry = program.module.entry_computation()?;
    let mut changed = Computation::default();
    changed.name.clone_from(&entry.name);
    let new_id = |old: InstructionId| {
        let old = if old == id { replacement } else { old };
        // The operand precedes the omitted instruction.
        if old > id { InstructionId(old.0 - 1) } else { old }
    };
    changed.root = entry.root.map(new_id);
    for (_, instruction) in entry.iter().filter(|(other, _)| *other != id) {
        let mut instruction = instruction.clone();
        instruction.operands.iter_mut().for_each(|operand| *operand = new_id(*operand));
        instruction.annotations.retain(|(name, _)| name != "control-predecessors");
        changed.instructions.push(instruction);
    }
    with_entry(program, changed)
}

/// The program with another entry computation of the same parameters, if it is valid.
pub(super) fn with_entry(program: &Program, entry: Computation) -> Option<Program> {
    let (module, _) = assemble(&program.module, entry, true).ok()?;
    Some(Program { module, arguments: program.arguments.clone() })
}
