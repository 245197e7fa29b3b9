//! The flow of values: operands, users, distances and neighbourhoods of instructions.
//!
//! [`Flow`] indexes the users of a module's instructions in linear time. [`edge`] describes the value on an edge;
//! [`neighbourhood`] selects the instructions around one; [`metrics`] measures a computation and its critical path; [`order`]
//! lists its instructions by data flow. Values that cross a call are in [`crate::calls::links`].
//!
//! Invariant: an operand precedes its user, so that there are no cycles; operands that break this are ignored.

pub mod edge;
pub mod metrics;
pub mod neighbourhood;
pub mod order;

pub use edge::{Edge, value_bytes};
pub use metrics::{Metrics, critical_path};
pub use neighbourhood::{Neighbour, Neighbourhood, Reach};
pub use order::data_flow_order;

use xla_hlo::{Computation, InstructionId, Module};
use xla_ops::ComputationId;

use crate::calls::{InstructionRef, index32};
use order::operands;

/// A direction along the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From a value to the operands of its instruction.
    Operands,
    /// From a value to its users.
    Users,
}

/// The users of each instruction of one computation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Users {
    /// The first user of each instruction; one more entry at the end.
    starts: Vec<u32>,
    /// The users, ascending, each once per operand instruction.
    users: Vec<InstructionId>,
}

impl Users {
    /// Indexes the users of a computation's instructions.
    pub fn new(computation: &Computation) -> Self {
        let count = computation.instructions.len();
        // Counting sort by operand; `last` skips further uses by the same instruction.
        let mut starts = vec![0_u32; count + 1];
        let mut last = vec![None; count];
        let mut for_each_use = |visit: &mut dyn FnMut(usize, InstructionId)| {
            last.fill(None);
            for (id, _) in computation.iter() {
                for operand in operands(computation, id) {
                    if last[operand.index()].replace(id) != Some(id) {
                        visit(operand.index(), id);
                    }
                }
            }
        };
        for_each_use(&mut |operand, _| starts[operand + 1] += 1);
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut users = vec![InstructionId::default(); starts[count] as usize];
        for_each_use(&mut |operand, user| {
            users[next[operand] as usize] = user;
            next[operand] += 1;
        });
        Self { starts, users }
    }

    /// The users of an instruction, ascending, without duplicates.
    pub fn users_of(&self, id: InstructionId) -> &[InstructionId] {
        match self.starts.get(id.index()..).unwrap_or_default() {
            [start, end, ..] => &self.users[*start as usize..*end as usize],
            _ => &[],
        }
    }
}

/// The users of every instruction of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    users: Vec<Users>,
}

impl Flow {
    /// Indexes the users of a module's instructions.
    pub fn new(module: &Module) -> Self {
        Self { users: module.computations.iter().map(Users::new).collect() }
    }

    /// The users within a computation.
    pub fn computation_users(&self, computation: ComputationId) -> Option<&Users> {
        self.users.get(computation.0 as usize)
    }

    /// The users of an instruction, ascending, each once.
    pub fn users(&self, (computation, instruction): InstructionRef) -> &[InstructionId] {
        self.computation_users(computation).map_or(&[], |users| users.users_of(instruction))
    }
}

/// The operands of an instruction, each once, in the order of their first use.
pub fn distinct_operands(computation: &Computation, id: InstructionId) -> Vec<InstructionId> {
    let all: Vec<InstructionId> = operands(computation, id).collect();
    let mut first_uses: Vec<(InstructionId, usize)> = all.iter().copied().zip(0..).collect();
    first_uses.sort_unstable();
    first_uses.dedup_by_key(|(operand, _)| *operand);
    first_uses.sort_unstable_by_key(|(_, number)| *number);
    first_uses.into_iter().map(|(operand, _)| operand).collect()
}

/// The number of edges on the shortest path from an instruction to each other in a direction; `None` if there is no path.
pub fn distances(
    computation: &Computation,
    users: &Users,
    from: InstructionId,
    direction: Direction,
) -> Vec<Option<u32>> {
    let mut distances = vec![None; computation.instructions.len()];
    let Some(start) = distances.get_mut(from.index()) else { return distances };
    *start = Some(0);
    let (mut queue, mut visited) = (vec![from], 0);
    while let Some(id) = queue.get(visited).copied() {
        visited += 1;
        let next_distance = distances[id.index()].map(|distance| distance + 1);
        let mut reach = |other: InstructionId| {
            if distances[other.index()].is_none() {
                distances[other.index()] = next_distance;
                queue.push(other);
            }
        };
        match direction {
            Direction::Operands => operands(computation, id).for_each(&mut reach),
            Direction::Users => users.users_of(id).iter().copied().for_each(&mut reach),
        }
    }
    distances
}

/// Whether the value of one instruction depends on that of another, within their computation.
pub fn depends_on(computation: &Computation, user: InstructionId, operand: InstructionId) -> bool {
    let mut is_visited = vec![false; computation.instructions.len()];
    let mut stack = vec![user];
    while let Some(id) = stack.pop() {
        if id == operand {
            return true;
        }
        // Operands have smaller ids, so that nothing before the target can depend on it.
        if id > operand
            && is_visited.get_mut(id.index()).is_some_and(|visited| !std::mem::replace(visited, true))
        {
            stack.extend(operands(computation, id));
        }
    }
    false
}

/// The ids of a computation's instructions.
pub(crate) fn instruction_ids(
    computation: &Computation,
) -> impl DoubleEndedIterator<Item = InstructionId> + ExactSizeIterator + use<> {
    (0..index32(computation.instructions.len())).map(InstructionId)
}
