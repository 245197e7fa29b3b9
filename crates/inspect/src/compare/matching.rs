//! Matches the computations and instructions of two modules, *a* and *b*.

use super::computations::match_computations;
use super::hash::ModuleHashes;
use super::instructions::match_instructions;
use super::order::pair_groups;
use super::pairs::Pairs;
use crate::instruction_at::InstructionAt;
use xla_hlo::{InstructionId, Module};
use xla_ops::ComputationId;

/// The computations and instructions of two modules that correspond.
#[derive(Clone, Debug)]
pub struct Matching {
    computations: Pairs<ComputationId>,
    /// Per computation and instruction of module a, the instruction of module b.
    forward: Vec<Vec<Option<InstructionAt>>>,
    /// The inverse.
    backward: Vec<Vec<Option<InstructionAt>>>,
}

impl Matching {
    /// Matches two modules.
    pub fn new(a: &Module, b: &Module) -> Self {
        let hashes = [ModuleHashes::of(a), ModuleHashes::of(b)];
        let unmatched = |module: &Module| -> Vec<Vec<Option<InstructionAt>>> {
            module.computations.iter().map(|c| vec![None; c.instructions.len()]).collect()
        };
        let mut matching =
            Self { computations: Pairs::new(0, 0), forward: unmatched(a), backward: unmatched(b) };
        matching.computations = match_computations([a, b], &hashes, &mut |in_a, in_b| {
            let (Some(ca), Some(cb)) = (a.get(in_a), b.get(in_b)) else { return Pairs::new(0, 0) };
            let known = [(&hashes[0], in_a), (&hashes[1], in_b)];
            let [Some(ha), Some(hb)] = known.map(|(h, id)| h.instructions.get(id.0 as usize)) else {
                return Pairs::new(0, 0);
            };
            let pairs = match_instructions([ca, cb], [ha, hb]);
            matching.add_pairs([in_a, in_b], &pairs);
            pairs
        });
        matching.match_across([a, b], &hashes);
        matching
    }

    /// Adds the pairs of two matched computations.
    fn add_pairs(&mut self, [a, b]: [ComputationId; 2], pairs: &Pairs<InstructionId>) {
        for (from, to) in (0..).map(InstructionId).zip(&pairs.forward) {
            if let Some(to) = *to {
                let at = |computation, instruction| InstructionAt { computation, instruction };
                self.set(at(a, from), at(b, to));
            }
        }
    }

    fn set(&mut self, a: InstructionAt, b: InstructionAt) {
        let slot = |side: &mut Vec<Vec<Option<InstructionAt>>>, at: InstructionAt, to: InstructionAt| {
            let computation = side.get_mut(at.computation.0 as usize);
            if let Some(slot) = computation.and_then(|entries| entries.get_mut(at.instruction.index())) {
                *slot = Some(to);
            }
        };
        slot(&mut self.forward, a, b);
        slot(&mut self.backward, b, a);
    }

    /// Matches the remaining instructions across computations: the same operation under the same name, or the only one of its
    /// kind.
    fn match_across(&mut self, modules: [&Module; 2], hashes: &[ModuleHashes; 2]) {
        let unmatched = |module: &Module, hashes: &ModuleHashes, side: &[Vec<Option<InstructionAt>>]| {
            let mut unmatched = Vec::new();
            for ((id, entries), labels) in (0..).map(ComputationId).zip(side).zip(&hashes.instructions) {
                let Some(computation) = module.get(id) else { continue };
                let free = computation.iter().zip(entries).filter(|(_, at)| at.is_none());
                for ((instruction, node), _) in free.filter(|((_, node), _)| is_distinctive(&node.opcode)) {
                    let label = labels.label.get(instruction.index()).copied().unwrap_or_default();
                    unmatched.push((
                        label,
                        node.name.clone(),
                        InstructionAt { computation: id, instruction },
                    ));
                }
            }
            unmatched
        };
        let mut a = unmatched(modules[0], &hashes[0], &self.forward);
        let mut b = unmatched(modules[1], &hashes[1], &self.backward);
        let by_name = |side: &[(u64, String, InstructionAt)]| -> Vec<((u64, String), InstructionAt)> {
            side.iter().map(|(label, name, at)| ((*label, name.clone()), *at)).collect()
        };
        for (from, to) in pair_groups(by_name(&a), by_name(&b), true) {
            self.set(from, to);
        }
        a.retain(|(.., at)| self.instruction_in_b(*at).is_none());
        b.retain(|(.., at)| self.instruction_in_a(*at).is_none());
        let by_label = |side: Vec<(u64, String, InstructionAt)>| -> Vec<(u64, InstructionAt)> {
            side.into_iter().map(|(label, _, at)| (label, at)).collect()
        };
        for (from, to) in pair_groups(by_label(a), by_label(b), true) {
            self.set(from, to);
        }
    }

    /// The instruction of module b that matches one of module a.
    pub fn instruction_in_b(&self, at: InstructionAt) -> Option<InstructionAt> {
        *self.forward.get(at.computation.0 as usize)?.get(at.instruction.index())?
    }

    /// The instruction of module a that matches one of module b.
    pub fn instruction_in_a(&self, at: InstructionAt) -> Option<InstructionAt> {
        *self.backward.get(at.computation.0 as usize)?.get(at.instruction.index())?
    }

    /// The computation of module b that matches one of module a.
    pub fn computation_in_b(&self, id: ComputationId) -> Option<ComputationId> {
        *self.computations.forward.get(id.0 as usize)?
    }

    /// The computation of module a that matches one of module b.
    pub fn computation_in_a(&self, id: ComputationId) -> Option<ComputationId> {
        *self.computations.backward.get(id.0 as usize)?
    }
}

/// Whether an operation is specific enough to be matched across computations.
fn is_distinctive(opcode: &str) -> bool {
    !matches!(opcode, "parameter" | "constant" | "tuple" | "get-tuple-element" | "iota" | "bitcast")
}
