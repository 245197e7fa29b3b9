//! Metrics of a computation: its size, depth and width, and its critical path.

use xla_hlo::{Computation, InstructionId};

use super::order::operands;
use super::{Users, instruction_ids};

/// Metrics of a computation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// The number of its instructions.
    pub instructions: usize,
    /// The number of their operands, counting each use of a value.
    pub edges: usize,
    /// The number of instructions on the longest chain in which each uses the one before it.
    pub depth: usize,
    /// The maximum number of instructions at the same depth.
    pub width: usize,
    /// The instruction with the most operands, and their number, counting each use.
    pub max_operands: Option<(InstructionId, usize)>,
    /// The instruction with the most users, and their number.
    pub max_users: Option<(InstructionId, usize)>,
    /// The number of instructions that the result does not depend on, parameters excluded.
    pub unused_by_root: usize,
}

impl Metrics {
    /// The metrics of a computation.
    pub fn new(computation: &Computation, users: &Users) -> Self {
        let count = computation.instructions.len();
        let mut level = vec![0_usize; count];
        let mut widths: Vec<usize> = Vec::new();
        let mut edges = 0;
        for id in instruction_ids(computation) {
            let operand_level = operands(computation, id).map(|operand| level[operand.index()] + 1).max();
            let own_level = operand_level.unwrap_or(0);
            level[id.index()] = own_level;
            if own_level == widths.len() {
                widths.push(0);
            }
            widths[own_level] += 1;
            edges += operands(computation, id).count();
        }
        let first_max = |size: &dyn Fn(InstructionId) -> usize| {
            let sizes = instruction_ids(computation).map(|id| (id, size(id)));
            sizes.rev().max_by_key(|(_, size)| *size)
        };
        let mut is_needed = vec![false; count];
        if let Some(root) = computation.root
            && let Some(needed) = is_needed.get_mut(root.index())
        {
            *needed = true;
        }
        for parameter in &computation.parameters {
            is_needed[parameter.index()] = true;
        }
        for id in instruction_ids(computation).rev() {
            if is_needed[id.index()] {
                operands(computation, id).for_each(|operand| is_needed[operand.index()] = true);
            }
        }
        Self {
            instructions: count,
            edges,
            depth: widths.len(),
            width: widths.iter().copied().max().unwrap_or(0),
            max_operands: first_max(&|id| operands(computation, id).count()),
            max_users: first_max(&|id| users.users_of(id).len()),
            unused_by_root: is_needed.iter().filter(|needed| !**needed).count(),
        }
    }
}

/// The chain of instructions, each an operand of the next, with the maximum sum of costs, and that sum; saturates. With cost 1 for
/// every instruction, it is the longest chain. Of equal chains, the one through the first operands.
pub fn critical_path(
    computation: &Computation,
    cost: impl Fn(InstructionId) -> u64,
) -> (Vec<InstructionId>, u64) {
    // The cost of the best chain that ends at each instruction, and the instruction before it.
    let mut best: Vec<(u64, Option<InstructionId>)> = Vec::with_capacity(computation.instructions.len());
    let mut end: Option<(InstructionId, u64)> = None;
    for id in instruction_ids(computation) {
        let mut predecessor: (u64, Option<InstructionId>) = (0, None);
        for operand in operands(computation, id) {
            let (sum, _) = best[operand.index()];
            if predecessor.1.is_none() || sum > predecessor.0 {
                predecessor = (sum, Some(operand));
            }
        }
        let sum = predecessor.0.saturating_add(cost(id));
        best.push((sum, predecessor.1));
        if end.is_none_or(|(_, max)| sum > max) {
            end = Some((id, sum));
        }
    }
    let mut path: Vec<InstructionId> =
        std::iter::successors(end.map(|(id, _)| id), |id| best[id.index()].1).collect();
    path.reverse();
    (path, end.map_or(0, |(_, sum)| sum))
}
