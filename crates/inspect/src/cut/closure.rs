//! The closure of a selection: the other halves of asynchronous pairs, and operands whose values have no literal.

use std::collections::BTreeSet;

use xla_array::Shape;
use xla_hlo::{Computation, InstructionId};

/// The selected instructions of a computation.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    is_selected: Vec<bool>,
}

impl Selection {
    pub fn contains(&self, id: InstructionId) -> bool {
        self.is_selected.get(id.index()) == Some(&true)
    }

    /// The selected instructions, operands before users.
    pub fn iter(&self) -> impl Iterator<Item = InstructionId> + '_ {
        (0..)
            .map(InstructionId)
            .zip(&self.is_selected)
            .filter(|(_, is_selected)| **is_selected)
            .map(|(id, _)| id)
    }
}

/// The selection with the instructions that it cannot be cut out without.
pub(super) fn closure(computation: &Computation, selection: &BTreeSet<InstructionId>) -> Selection {
    let mut is_selected = vec![false; computation.instructions.len()];
    let mut worklist: Vec<InstructionId> = selection.iter().copied().collect();
    while let Some(id) = worklist.pop() {
        let Some(slot) = is_selected.get_mut(id.index()) else { continue };
        if std::mem::replace(slot, true) {
            continue;
        }
        let Some(instruction) = computation.get(id) else { continue };
        let is_second_half = instruction.opcode.ends_with("-done") || instruction.opcode.ends_with("-update");
        let needs = |operand: &&InstructionId| {
            computation.get(**operand).is_some_and(|o| is_second_half || !has_literal(&o.shape))
        };
        worklist.extend(instruction.operands.iter().filter(needs));
    }
    Selection { is_selected }
}

/// Whether values of a shape can be recorded and passed: arrays, and tuples of them.
fn has_literal(shape: &Shape) -> bool {
    let mut worklist = vec![shape];
    while let Some(shape) = worklist.pop() {
        match shape {
            Shape::Array(_) => {}
            Shape::Tuple(elements) => worklist.extend(elements.iter()),
            Shape::Token | Shape::Opaque | Shape::Buffer(_) => return false,
        }
    }
    true
}
