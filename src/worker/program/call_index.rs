//! The calls of a run: which call of its computation each was, and where it was made.
//!
//! Invariant: the calls of a computation are in the order of their paths, since instructions run in the order of the text.

use super::ids::at;
use super::wire::{Call, InstructionPath};
use crate::hlo::eval::meter::Frame;
use crate::hlo::{CallPath, InstructionId, Module};
use crate::ops::ComputationId;

/// Maximum number of calls that are recorded, about a hundred bytes each.
const MAX_CALLS: usize = 1 << 16;

/// The calls of a run on one device.
#[derive(Clone, Debug, Default)]
pub(super) struct CallIndex {
    /// The paths of the calls of each computation.
    calls: Vec<Vec<CallPath>>,
    count: usize,
}

impl CallIndex {
    /// Records a call as it begins. Calls beyond the maximum are unknown.
    pub fn record(&mut self, frame: Frame, path: &[(InstructionId, u64)]) {
        if self.count >= MAX_CALLS {
            return;
        }
        self.count += 1;
        let computation = frame.computation.0 as usize;
        if self.calls.len() <= computation {
            self.calls.resize(computation + 1, Vec::new());
        }
        self.calls[computation].push(CallPath::from_slice(path));
    }

    /// The path of a call of a computation, by its number from 0.
    pub fn path(&self, computation: ComputationId, number: u64) -> Option<&CallPath> {
        self.calls.get(computation.0 as usize)?.get(usize::try_from(number).ok()?)
    }

    /// The number of the call at a path among those of its computation.
    pub fn number(&self, computation: ComputationId, path: &CallPath) -> Option<u64> {
        let found = self.calls.get(computation.0 as usize)?.binary_search(path).ok()?;
        u64::try_from(found).ok()
    }

    /// An instruction of the call at a path, with the calls that lead to it.
    pub fn instruction_path(
        &self,
        module: &Module,
        (computation, id): (ComputationId, InstructionId),
        path: &CallPath,
    ) -> Option<InstructionPath> {
        let mut outer = module.entry?;
        let mut calls = Vec::new();
        for depth in 1..=path.len() {
            let (instruction, _) = path[depth - 1];
            let prefix = CallPath::from_slice(&path[..depth]);
            let bodies = module.get(outer)?.get(instruction)?.attrs.computations();
            let (callee_index, body) =
                (0..).zip(bodies).find(|(_, body)| self.number(*body, &prefix).is_some())?;
            calls.push(Call { at: at((outer, instruction)), callee_index });
            outer = body;
        }
        Some(InstructionPath { at: at((computation, id)), calls })
    }
}
