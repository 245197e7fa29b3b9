//! The order of a computation by data flow, which does not depend on its text.

use xla_hlo::{Computation, InstructionId};

use crate::calls::index32;

/// The operands of an instruction that precede it, each use.
pub(crate) fn operands(
    computation: &Computation,
    id: InstructionId,
) -> impl Iterator<Item = InstructionId> + '_ {
    let operands = computation.get(id).map_or(&[][..], |instruction| &instruction.operands);
    operands.iter().copied().filter(move |operand| *operand < id)
}

/// The instructions of a computation by data flow: its parameters by number, then a depth-first search along the operands
/// of the root, so that a value directly precedes its first user where possible; then instructions that the root does not
/// depend on. Operands precede their users.
pub fn data_flow_order(computation: &Computation) -> Vec<InstructionId> {
    let count = computation.instructions.len();
    let mut order = Vec::with_capacity(count);
    let mut is_visited = vec![false; count];
    let mut visit = |id: InstructionId| {
        is_visited.get_mut(id.index()).is_some_and(|visited| !std::mem::replace(visited, true))
    };
    order.extend(computation.parameters.iter().copied().filter(|parameter| visit(*parameter)));
    let mut is_used = vec![false; count];
    for (id, _) in computation.iter() {
        operands(computation, id).for_each(|operand| is_used[operand.index()] = true);
    }
    let unused = (0..index32(count)).map(InstructionId).filter(|id| !is_used[id.index()]);
    let mut stack = Vec::new();
    for sink in computation.root.into_iter().chain(unused) {
        stack.push((sink, false));
        while let Some((id, is_expanded)) = stack.pop() {
            if is_expanded {
                order.push(id);
            } else if visit(id) {
                stack.push((id, true));
                let first = stack.len();
                stack.extend(operands(computation, id).map(|operand| (operand, false)));
                stack[first..].reverse();
            }
        }
    }
    order
}
