//! Matches the computations of two modules: by structure, from matched callers, by name, at last by signature.

use std::collections::VecDeque;

use super::hash::ModuleHashes;
use super::order::pair_groups;
use super::pairs::Pairs;
use xla_hlo::{InstructionId, Module};
use xla_ops::ComputationId;

/// Matches computations; `match_bodies` matches the instructions of a pair.
pub(super) fn match_computations(
    modules: [&Module; 2],
    hashes: &[ModuleHashes; 2],
    match_bodies: &mut dyn FnMut(ComputationId, ComputationId) -> Pairs<InstructionId>,
) -> Pairs<ComputationId> {
    let [a, b] = modules.map(|module| module.computations.len());
    let mut state = State { modules, pairs: Pairs::new(a, b), changed: VecDeque::new(), match_bodies };
    if let [Some(a), Some(b)] = modules.map(|module| module.entry) {
        state.set(a, b);
    }
    let keys = |side: usize| -> Vec<(u64, &str)> {
        let names = modules[side].computations.iter().map(|c| c.name.as_str());
        hashes[side].computations.iter().copied().zip(names).collect()
    };
    state.match_by([keys(0), keys(1)]);
    state.follow_calls();
    state.match_by([0, 1].map(|side: usize| hashes[side].computations.clone()));
    state.follow_calls();
    state.match_by(modules.map(|m| m.computations.iter().map(|c| c.name.as_str()).collect()));
    state.follow_calls();
    // A signature as text, because shapes have no order.
    let signature = |module: &Module| {
        let text = |c: &xla_hlo::Computation| format!("{:?}", c.signature());
        module.computations.iter().map(text).collect::<Vec<_>>()
    };
    state.match_by(modules.map(signature));
    state.follow_calls();
    state.pairs
}

struct State<'m, 'f> {
    modules: [&'m Module; 2],
    pairs: Pairs<ComputationId>,
    changed: VecDeque<(ComputationId, ComputationId)>,
    match_bodies: &'f mut dyn FnMut(ComputationId, ComputationId) -> Pairs<InstructionId>,
}

impl State<'_, '_> {
    fn set(&mut self, a: ComputationId, b: ComputationId) {
        let indices = (a.0 as usize, b.0 as usize);
        if self.pairs.are_free(indices.0, indices.1) {
            self.pairs.set((indices.0, a), (indices.1, b));
            self.changed.push_back((a, b));
        }
    }

    fn match_by<K: Ord>(&mut self, keys: [Vec<K>; 2]) {
        let [a, b] = keys;
        let free = |keys: Vec<K>, side: &[Option<ComputationId>]| -> Vec<(K, ComputationId)> {
            let ids = (0..).map(ComputationId).zip(side);
            let free = keys.into_iter().zip(ids).filter(|(_, (_, matched))| matched.is_none());
            free.map(|(key, (id, _))| (key, id)).collect()
        };
        let (a, b) = (free(a, &self.pairs.forward), free(b, &self.pairs.backward));
        for (a, b) in pair_groups(a, b, false) {
            self.set(a, b);
        }
    }

    /// Matches the bodies of new pairs, and the computations that matched instructions call.
    fn follow_calls(&mut self) {
        while let Some((a, b)) = self.changed.pop_front() {
            let pairs = (self.match_bodies)(a, b);
            let [Some(ca), Some(cb)] = [self.modules[0].get(a), self.modules[1].get(b)] else { continue };
            for (instruction, matched) in ca.instructions.iter().zip(&pairs.forward) {
                let Some(other) = matched.and_then(|id| cb.get(id)) else { continue };
                let callees: Vec<_> =
                    instruction.attrs.computations().zip(other.attrs.computations()).collect();
                for (a, b) in callees {
                    self.set(a, b);
                }
            }
        }
    }
}
