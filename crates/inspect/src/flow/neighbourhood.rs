//! The neighbourhood of an instruction: the instructions that it depends on, and those that depend on it, up to a number of edges.
//!
//! A search along the operands and one along the users, nearest first. Instructions that only share an operand are not part
//! of it: the value of the centre does not depend on them.

use std::collections::BTreeSet;

use xla_hlo::{Computation, InstructionId};

use super::{Edge, Users, distinct_operands};

/// The extent of a neighbourhood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The maximum distance along operands.
    pub operand_hops: u32,
    /// The maximum distance along users.
    pub user_hops: u32,
    /// Maximum instructions, the centre included.
    pub max_instructions: usize,
    /// Maximum operands, and maximum users, that are followed from one instruction.
    pub max_branching: usize,
}

impl Default for Reach {
    fn default() -> Self {
        Self { operand_hops: 2, user_hops: 2, max_instructions: 120, max_branching: 12 }
    }
}

/// An instruction of a neighbourhood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The instruction.
    pub id: InstructionId,
    /// The number of edges from the centre: negative along operands, positive along users, 0 for the centre.
    pub distance: i32,
    /// The number of its operands that are not part of the neighbourhood.
    pub more_operands: usize,
    /// The number of its users that are not part of it.
    pub more_users: usize,
}

/// An instruction with those around it, and the edges between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbourhood {
    /// The instruction in the centre.
    pub center: InstructionId,
    /// The instructions, ascending.
    pub instructions: Vec<Neighbour>,
    /// Every edge between two of them, by user and operand number.
    pub edges: Vec<Edge>,
    /// Whether a bound, rather than the distance, excluded an instruction.
    pub is_truncated: bool,
}

impl Neighbourhood {
    /// The neighbourhood of an instruction; `None` if the computation does not have it.
    pub fn new(
        computation: &Computation,
        users: &Users,
        center: InstructionId,
        reach: Reach,
    ) -> Option<Self> {
        computation.get(center)?;
        let (found, is_truncated) = search(computation, users, center, reach);
        let ids: BTreeSet<InstructionId> = found.iter().map(|(id, _)| *id).collect();
        let neighbour = |(id, distance): &(InstructionId, i32)| {
            let operands = distinct_operands(computation, *id);
            Neighbour {
                id: *id,
                distance: *distance,
                more_operands: operands.iter().filter(|operand| !ids.contains(operand)).count(),
                more_users: users.users_of(*id).iter().filter(|user| !ids.contains(user)).count(),
            }
        };
        let mut instructions: Vec<Neighbour> = found.iter().map(neighbour).collect();
        instructions.sort_unstable_by_key(|neighbour| neighbour.id);
        let edges = instructions.iter().flat_map(|neighbour| {
            let to = neighbour.id;
            let operands = computation.get(to).map_or(&[][..], |instruction| &instruction.operands);
            let numbers = (0..operands.len()).filter(|number| ids.contains(&operands[*number]));
            numbers.filter_map(move |number| Edge::new(computation, to, number))
        });
        let edges = edges.collect();
        Some(Self { center, instructions, edges, is_truncated })
    }
}

/// The instructions within reach, nearest first, with their distances; and whether a bound excluded one.
fn search(
    computation: &Computation,
    users: &Users,
    center: InstructionId,
    reach: Reach,
) -> (Vec<(InstructionId, i32)>, bool) {
    // Both searches share a queue. The operands and the users of the centre are disjoint, also transitively: nothing depends
    // on itself.
    let next = |(id, distance): (InstructionId, i32)| {
        let is_before_center = distance <= 0 && distance.unsigned_abs() < reach.operand_hops;
        let is_after_center = distance >= 0 && distance.unsigned_abs() < reach.user_hops;
        let operands = if is_before_center { distinct_operands(computation, id) } else { Vec::new() };
        let users = if is_after_center { users.users_of(id) } else { &[] };
        (operands, users)
    };
    let (mut found, mut visited) = (vec![(center, 0_i32)], 0);
    let mut is_found = BTreeSet::from([center]);
    while let Some((id, distance)) = found.get(visited).copied() {
        visited += 1;
        let (operands, users) = next((id, distance));
        let operands = operands.into_iter().take(reach.max_branching).map(|operand| (operand, distance - 1));
        let users = users.iter().take(reach.max_branching).map(|user| (*user, distance + 1));
        for (id, distance) in operands.chain(users) {
            if found.len() < reach.max_instructions && is_found.insert(id) {
                found.push((id, distance));
            }
        }
    }
    // Visits at most one instruction more than are found, per instruction.
    let is_truncated = found.iter().any(|item| {
        let (operands, users) = next(*item);
        operands.iter().chain(users).any(|other| !is_found.contains(other))
    });
    (found, is_truncated)
}
