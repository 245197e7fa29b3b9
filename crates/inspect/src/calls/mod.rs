//! Call sites of a module in both directions.
//!
//! A [`Call`] is one use of a computation by an instruction. [`CallGraph`] lists the calls of a computation and the calls
//! that reach it, in linear time and space; [`CallGraph::paths`] lists the ways from a root to a computation, of which there
//! may be exponentially many, up to a limit. [`links`] relates the values on both sides of a call.
//!
//! Invariant: a callee has a smaller id than its caller, so that there are no cycles; calls that break this are omitted.

pub mod links;
mod role;

pub use role::Role;

use xla_hlo::{Instruction, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId};

use crate::shortened::shortened;

/// Maximum number of characters of a label.
const MAX_LABEL_CHARS: usize = 48;

/// An instruction of a module: its computation, and its id there.
pub type InstructionRef = (ComputationId, InstructionId);

/// A use of a computation by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallSite {
    /// The computation of the calling instruction.
    pub caller: ComputationId,
    /// The calling instruction.
    pub instruction: InstructionId,
    /// The index of the callee among those of the instruction.
    pub callee_index: u32,
}

impl CallSite {
    /// The calling instruction.
    pub fn instruction_ref(self) -> InstructionRef {
        (self.caller, self.instruction)
    }
}

/// A call of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Where it is called.
    pub site: CallSite,
    /// The called computation.
    pub callee: ComputationId,
    /// The attribute that names it.
    pub attribute: &'static str,
    /// Its index in the attribute; `None` if that names one computation.
    pub index: Option<u32>,
    /// Its role for the calling instruction.
    pub role: Role,
}

/// The calls of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallGraph {
    /// All calls, by caller, instruction and callee index.
    calls: Vec<Call>,
    /// The first call of each computation; one more entry at the end.
    starts: Vec<u32>,
    /// The calls of each callee, as indices of `calls`.
    by_callee: Vec<u32>,
    callee_starts: Vec<u32>,
    roots: Vec<ComputationId>,
}

/// An index or count as `u32`: a module has fewer than 2^32 parts of any kind, as each takes a byte of its text.
pub(crate) fn index32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The ids of a module's computations.
pub(crate) fn computation_ids(module: &Module) -> impl DoubleEndedIterator<Item = ComputationId> + use<> {
    (0..index32(module.computations.len())).map(ComputationId)
}

/// The computations that an instruction calls: attribute, index in it, callee. A condition precedes the body it guards.
fn callees(instruction: &Instruction) -> Vec<(&'static str, Option<u32>, ComputationId)> {
    let mut callees = Vec::new();
    for (attribute, value) in instruction.attrs.iter() {
        match value {
            AttrValue::Computation(id) => callees.push((attribute, None, *id)),
            AttrValue::Computations(ids) => {
                callees.extend((0..).zip(ids).map(|(index, id)| (attribute, Some(index), *id)));
            }
            _ => {}
        }
    }
    callees.sort_by_key(|(attribute, ..)| *attribute == "body");
    callees
}

impl Call {
    /// The attribute with the index, and the name of the callee: `body: step`, `branch_computations[1]: negate`.
    pub fn label(&self, module: &Module) -> String {
        let index = self.index.map(|index| format!("[{index}]")).unwrap_or_default();
        let name = module.get(self.callee).map_or("", |callee| callee.name.as_str());
        let separator = if name.is_empty() { "" } else { ": " };
        shortened(format_args!("{}{index}{separator}{name}", self.attribute), MAX_LABEL_CHARS)
    }
}

impl CallGraph {
    /// The calls of a module.
    pub fn new(module: &Module) -> Self {
        let (mut calls, mut starts) = (Vec::new(), vec![0]);
        for (caller, computation) in computation_ids(module).zip(&module.computations) {
            for (id, instruction) in computation.iter() {
                let called = callees(instruction).into_iter().filter(|(.., callee)| *callee < caller);
                calls.extend((0..).zip(called).map(|(callee_index, (attribute, index, callee))| Call {
                    site: CallSite { caller, instruction: id, callee_index },
                    callee,
                    attribute,
                    index,
                    role: Role::of(&instruction.opcode, attribute),
                }));
            }
            starts.push(index32(calls.len()));
        }
        let mut by_callee: Vec<u32> = (0..index32(calls.len())).collect();
        by_callee.sort_by_key(|index| calls[*index as usize].callee);
        let mut callee_starts = Vec::with_capacity(starts.len());
        let mut next = 0;
        for callee in computation_ids(module) {
            callee_starts.push(index32(next));
            while by_callee.get(next).is_some_and(|index| calls[*index as usize].callee == callee) {
                next += 1;
            }
        }
        callee_starts.push(index32(next));
        let mut graph = Self { calls, starts, by_callee, callee_starts, roots: Vec::new() };
        let entry = module.entry.filter(|entry| module.get(*entry).is_some());
        let uncalled =
            computation_ids(module).filter(|id| Some(*id) != entry && graph.callers(*id).len() == 0);
        graph.roots = entry.into_iter().chain(uncalled).collect();
        graph
    }

    fn range(starts: &[u32], id: ComputationId) -> std::ops::Range<usize> {
        let start = |index: usize| starts.get(index).map_or(0, |start| *start as usize);
        let index = id.0 as usize;
        if index + 1 < starts.len() { start(index)..start(index + 1) } else { 0..0 }
    }

    /// All calls, by caller, instruction and callee index.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The calls that the instructions of a computation make, by instruction and callee index.
    pub fn calls_in(&self, caller: ComputationId) -> &[Call] {
        self.calls.get(Self::range(&self.starts, caller)).unwrap_or_default()
    }

    /// The calls that an instruction makes, by callee index.
    pub fn calls_by(&self, (caller, instruction): InstructionRef) -> &[Call] {
        let calls = self.calls_in(caller);
        let start = calls.partition_point(|call| call.site.instruction < instruction);
        let count = calls[start..].partition_point(|call| call.site.instruction == instruction);
        &calls[start..start + count]
    }

    /// The call at a site.
    pub fn get(&self, site: CallSite) -> Option<&Call> {
        self.calls_by(site.instruction_ref()).get(site.callee_index as usize)
    }

    /// The calls of a computation, by caller, instruction and callee index.
    pub fn callers(
        &self,
        callee: ComputationId,
    ) -> impl ExactSizeIterator<Item = &Call> + DoubleEndedIterator {
        let indices = self.by_callee.get(Self::range(&self.callee_starts, callee)).unwrap_or_default();
        indices.iter().map(|index| &self.calls[*index as usize])
    }

    /// The entry computation, then every other computation that nothing calls.
    pub fn roots(&self) -> &[ComputationId] {
        &self.roots
    }

    /// Whether a call path from a root, as a breadcrumb shows it, exists: each call is made by the callee of the one
    /// before it.
    pub fn is_path(&self, path: &[CallSite]) -> bool {
        let mut callee = None;
        path.iter().all(|site| {
            let is_next = callee.map_or(self.roots.contains(&site.caller), |callee| callee == site.caller);
            callee = self.get(*site).map(|call| call.callee);
            is_next && callee.is_some()
        })
    }

    /// Up to `max` call paths from a root to a computation, each from the outermost call to the innermost. A root has one
    /// path, which is empty.
    pub fn paths(&self, target: ComputationId, max: usize) -> Vec<Vec<CallSite>> {
        let mut paths = Vec::new();
        // The remaining callers at each level, and the path from the target outwards.
        let (mut levels, mut path) = (vec![self.callers(target)], Vec::new());
        if self.roots.contains(&target) && max > 0 {
            paths.push(Vec::new());
        }
        while let Some(callers) = levels.last_mut() {
            if paths.len() >= max {
                break;
            }
            let Some(call) = callers.next() else {
                levels.pop();
                path.pop();
                continue;
            };
            path.push(call.site);
            if self.roots.contains(&call.site.caller) {
                paths.push(path.iter().rev().copied().collect());
            }
            levels.push(self.callers(call.site.caller));
        }
        paths
    }

    /// The number of call paths from a root to each computation; saturates.
    pub fn path_counts(&self) -> Vec<u64> {
        let mut counts = vec![0_u64; self.starts.len().saturating_sub(1)];
        for root in &self.roots {
            counts[root.0 as usize] = 1;
        }
        // Callers have larger ids.
        for call in self.calls.iter().rev() {
            let paths_to_caller = counts[call.site.caller.0 as usize];
            let count = &mut counts[call.callee.0 as usize];
            *count = count.saturating_add(paths_to_caller);
        }
        counts
    }

    /// The number of instructions of each computation and of everything it calls, one copy per call; saturates.
    pub fn total_instructions(&self, module: &Module) -> Vec<u64> {
        let mut totals: Vec<u64> = Vec::with_capacity(module.computations.len());
        for (id, computation) in computation_ids(module).zip(&module.computations) {
            let called = self.calls_in(id).iter().map(|call| totals[call.callee.0 as usize]);
            totals.push(called.fold(computation.instructions.len() as u64, u64::saturating_add));
        }
        totals
    }
}
