//! Matches the instructions of two computations.
//!
//! From the safest to the weakest evidence: the same structure down to the parameters and up to the root, then one of
//! both, then the neighbours of matched instructions, then names, at last another opcode between the same neighbours.

use std::collections::VecDeque;

use super::hash::Hashes;
use super::order::pair_groups;
use super::pairs::Pairs;
use xla_hlo::{Computation, InstructionId};

/// Matches the instructions of two computations with these hashes.
pub(super) fn match_instructions(
    computations: [&Computation; 2],
    hashes: [&Hashes; 2],
) -> Pairs<InstructionId> {
    let mut state = State::new(computations);
    state.match_by(hashes.map(|h| zip(&h.exact, &h.up)), false);
    state.match_by(hashes.map(|h| zip(&h.down, &h.up)), false);
    state.match_by(hashes.map(|h| h.exact.clone()), true);
    state.match_by(hashes.map(|h| h.up.clone()), true);
    state.match_ends();
    state.propagate(Evidence::SameOpcode);
    state.match_by(hashes.map(|h| h.down.clone()), false);
    state.match_by(hashes.map(|h| h.up.clone()), false);
    state.propagate(Evidence::SameOpcode);
    let named = computations.map(|c| c.instructions.iter().map(|i| (&i.name, &i.opcode)).collect());
    state.match_keys::<(&String, &String)>(named, true);
    state.propagate(Evidence::SameOpcode);
    state.propagate(Evidence::SameNeighbours);
    state.propagate(Evidence::SameOpcode);
    state.pairs
}

fn zip(a: &[u64], b: &[u64]) -> Vec<(u64, u64)> {
    a.iter().copied().zip(b.iter().copied()).collect()
}

/// What relates two instructions between matched neighbours.
#[derive(Clone, Copy, PartialEq)]
enum Evidence {
    SameOpcode,
    /// Both an operand and a user are matched, or there are no operands.
    SameNeighbours,
}

struct State<'m> {
    computations: [&'m Computation; 2],
    /// The users of each instruction, each with the position of the operand, in order.
    users: [Vec<Vec<(InstructionId, usize)>>; 2],
    pairs: Pairs<InstructionId>,
    /// Matched instructions whose neighbours are to be considered.
    changed: VecDeque<(InstructionId, InstructionId)>,
}

fn users(computation: &Computation) -> Vec<Vec<(InstructionId, usize)>> {
    let mut users = vec![Vec::new(); computation.instructions.len()];
    for (id, instruction) in computation.iter() {
        for (position, operand) in instruction.operands.iter().enumerate() {
            if let Some(list) = users.get_mut(operand.index()) {
                list.push((id, position));
            }
        }
    }
    users
}

impl<'m> State<'m> {
    fn new(computations: [&'m Computation; 2]) -> Self {
        let [a, b] = computations.map(|c| c.instructions.len());
        let users = computations.map(users);
        Self { computations, users, pairs: Pairs::new(a, b), changed: VecDeque::new() }
    }

    /// Matches the parameters by number, and roots of the same opcode.
    fn match_ends(&mut self) {
        let [a, b] = self.computations;
        for (a, b) in a.parameters.iter().zip(&b.parameters) {
            self.set(*a, *b);
        }
        if let (Some(a), Some(b)) = (a.root, b.root)
            && self.opcode(0, a) == self.opcode(1, b)
        {
            self.set(a, b);
        }
    }

    fn opcode(&self, side: usize, id: InstructionId) -> Option<&'m str> {
        Some(self.computations.get(side)?.get(id)?.opcode.as_str())
    }

    fn set(&mut self, a: InstructionId, b: InstructionId) -> bool {
        if !self.pairs.are_free(a.index(), b.index()) {
            return false;
        }
        self.pairs.set((a.index(), a), (b.index(), b));
        self.changed.push_back((a, b));
        true
    }

    /// Matches free instructions with equal keys: first those with equal names, then in order. With `only_unique`, only
    /// those whose key occurs once among the free ones.
    fn match_by<K: Ord + Copy>(&mut self, keys: [Vec<K>; 2], only_unique: bool) {
        if !only_unique {
            let [a, b] = self.computations;
            let named = |computation: &'m Computation, keys: &[K]| {
                keys.iter().copied().zip(computation.instructions.iter().map(|i| &i.name)).collect()
            };
            let named = [named(a, &keys[0]), named(b, &keys[1])];
            self.match_keys::<(K, &String)>(named, true);
        }
        self.match_keys(keys, only_unique);
    }

    fn match_keys<K: Ord>(&mut self, keys: [Vec<K>; 2], only_unique: bool) {
        let [a, b] = keys;
        let free = |keys: Vec<K>, side: &[Option<InstructionId>]| -> Vec<(K, InstructionId)> {
            let ids = (0..).map(InstructionId).zip(side);
            let free = keys.into_iter().zip(ids).filter(|(_, (_, matched))| matched.is_none());
            free.map(|(key, (id, _))| (key, id)).collect()
        };
        let (a, b) = (free(a, &self.pairs.forward), free(b, &self.pairs.backward));
        for (a, b) in pair_groups(a, b, only_unique) {
            self.set(a, b);
        }
    }

    /// Matches the neighbours of matched instructions, and theirs.
    fn propagate(&mut self, evidence: Evidence) {
        if evidence == Evidence::SameNeighbours {
            let matched = (0..).map(InstructionId).zip(&self.pairs.forward);
            self.changed = matched.filter_map(|(a, b)| Some((a, (*b)?))).collect();
        }
        while let Some((a, b)) = self.changed.pop_front() {
            let [Some(ia), Some(ib)] = [self.computations[0].get(a), self.computations[1].get(b)] else {
                continue;
            };
            for (a, b) in ia.operands.iter().zip(&ib.operands) {
                if self.is_evident(evidence, *a, *b) {
                    self.set(*a, *b);
                }
            }
            self.match_users(evidence, a, b);
        }
    }

    /// Matches free users of the same operand, if there is one of a kind on either side.
    fn match_users(&mut self, evidence: Evidence, a: InstructionId, b: InstructionId) {
        let keyed = |side: usize, id: InstructionId, matched: &[Option<InstructionId>]| {
            let users = self.users[side].get(id.index()).map_or(&[][..], Vec::as_slice);
            let free = users.iter().filter(|(user, _)| matches!(matched.get(user.index()), Some(None)));
            let key = |(user, position): &(InstructionId, usize)| {
                let opcode = if evidence == Evidence::SameOpcode { self.opcode(side, *user) } else { None };
                ((opcode, *position), *user)
            };
            free.map(key).collect::<Vec<_>>()
        };
        let (free_a, free_b) = (keyed(0, a, &self.pairs.forward), keyed(1, b, &self.pairs.backward));
        if free_a.is_empty() || free_b.is_empty() {
            return;
        }
        for (a, b) in pair_groups(free_a, free_b, true) {
            if self.is_evident(evidence, a, b) {
                self.set(a, b);
            }
        }
    }

    fn is_evident(&self, evidence: Evidence, a: InstructionId, b: InstructionId) -> bool {
        let [Some(ia), Some(ib)] = [self.computations[0].get(a), self.computations[1].get(b)] else {
            return false;
        };
        if !self.pairs.are_free(a.index(), b.index()) {
            return false;
        }
        let is_matched = |a: &InstructionId, b: &InstructionId| {
            self.pairs.forward.get(a.index()).copied().flatten() == Some(*b)
        };
        let shares_operand = || ia.operands.iter().any(|a| ib.operands.iter().any(|b| is_matched(a, b)));
        match evidence {
            // A parameter or a constant is one of many without its number or value.
            Evidence::SameOpcode => ia.opcode == ib.opcode && ia.opcode != "parameter",
            Evidence::SameNeighbours => {
                // Comparing all pairs of two long lists of users would take quadratic time.
                let users =
                    |side: usize, id: InstructionId| self.users[side].get(id.index()).into_iter().flatten();
                let shares_user = || {
                    users(0, a)
                        .take(MAX_USERS)
                        .any(|(a, n)| users(1, b).take(MAX_USERS).any(|(b, m)| n == m && is_matched(a, b)))
                };
                let is_root = |side: usize, id| self.computations[side].root == Some(id);
                let leaves = ia.operands.is_empty() && ib.operands.is_empty();
                (leaves || ia.operands.len() <= MAX_USERS && shares_operand())
                    && (shares_user() || is_root(0, a) && is_root(1, b))
            }
        }
    }
}

/// Maximum number of users and operands that are compared with each other.
const MAX_USERS: usize = 8;
