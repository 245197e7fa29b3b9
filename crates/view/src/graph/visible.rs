//! The part of a computation that is drawn.

use xla_hlo::{Computation, InstructionId};

/// Bound on the operands and on the users of one instruction that are followed, so that an instruction with thousands
/// leaves room for the neighbours of the others.
const MAX_NEIGHBOURS: usize = 8;

/// The first users of every instruction.
fn users(computation: &Computation) -> Vec<Vec<InstructionId>> {
    let mut users = vec![Vec::new(); computation.instructions.len()];
    for (id, instruction) in computation.iter() {
        for operand in &instruction.operands {
            if let Some(users) = users.get_mut(operand.index())
                && users.len() < MAX_NEIGHBOURS
                && users.last() != Some(&id)
            {
                users.push(id);
            }
        }
    }
    users
}

/// The drawn instructions, ascending: all, or the `max_nodes` nearest to `around`, by default the root.
pub(super) fn visible(
    computation: &Computation,
    around: Option<InstructionId>,
    max_nodes: usize,
) -> Vec<InstructionId> {
    if computation.instructions.len() <= max_nodes {
        return computation.iter().map(|(id, _)| id).collect();
    }
    let Some(start) = around.or(computation.root).filter(|_| max_nodes > 0) else { return Vec::new() };
    let users = users(computation);
    // A breadth-first search; `found` is its queue.
    let (mut found, mut next_in_queue) = (vec![start], 0);
    let mut is_found = vec![false; users.len()];
    let mut highlight =
        |id: InstructionId| is_found.get_mut(id.index()).is_some_and(|found| !std::mem::replace(found, true));
    highlight(start);
    while let Some(id) = found.get(next_in_queue).copied() {
        next_in_queue += 1;
        let operands = computation.get(id).map_or([].as_slice(), |i| i.operands.as_slice());
        let users = users.get(id.index()).map_or([].as_slice(), Vec::as_slice);
        for next in operands.iter().take(MAX_NEIGHBOURS).chain(users) {
            if found.len() < max_nodes && highlight(*next) {
                found.push(*next);
            }
        }
    }
    found.sort_unstable();
    found
}
