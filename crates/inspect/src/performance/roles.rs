//! How computations are called: as control flow, whose values are in memory, or within a fusion; and how often.

use super::{InstructionRef, computations, trip_count};
use xla_hlo::Module;
use xla_ops::{AttrValue, ComputationId};

/// How a computation is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComputationRole {
    /// Never called.
    #[default]
    Unused,
    /// The entry computation.
    Entry,
    /// The body of a loop.
    LoopBody,
    /// The condition of a loop.
    LoopCondition,
    /// A branch of a conditional.
    Branch,
    /// Called as a function, possibly asynchronously.
    Called,
    /// The computation of a fusion, whose values are not in memory.
    Fused,
    /// A reducer, comparator or other function of elements, whose values are not in memory.
    Applied,
}

impl ComputationRole {
    /// Whether its instructions have buffers: it is not fused, applied per element, or unused.
    pub fn materializes_values(self) -> bool {
        !matches!(self, Self::Unused | Self::Fused | Self::Applied)
    }
}

/// The role of a computation in an attribute of an instruction.
fn role_in_attribute(opcode: &str, attribute: &str) -> ComputationRole {
    match (opcode, attribute) {
        ("while", "body") => ComputationRole::LoopBody,
        ("while", _) => ComputationRole::LoopCondition,
        ("conditional", _) => ComputationRole::Branch,
        ("call" | "async-start", _) => ComputationRole::Called,
        ("fusion", _) => ComputationRole::Fused,
        _ => ComputationRole::Applied,
    }
}

/// The roles of all computations.
pub struct ComputationRoles {
    by_computation: Vec<ComputationRole>,
    /// The number of executions of each computation. A loop whose trip count is unknown counts as one iteration.
    executions: Vec<u64>,
    /// The last instruction that calls each, in the role that is kept.
    callers: Vec<Option<InstructionRef>>,
}

impl ComputationRoles {
    /// The roles of the computations of a module.
    pub fn of(module: &Module) -> Self {
        let count = module.computations.len();
        let mut roles = Self {
            by_computation: vec![ComputationRole::Unused; count],
            executions: vec![0; count],
            callers: vec![None; count],
        };
        if let Some(entry) = module.entry {
            roles.add(entry, ComputationRole::Entry, 1, None);
        }
        // Callees precede callers, so that those of a computation are complete before its calls.
        for (id, computation) in computations(module).collect::<Vec<_>>().into_iter().rev() {
            let (role, executions) = (roles.role(id), roles.executions(id));
            if role == ComputationRole::Unused {
                continue;
            }
            for (at, instruction) in computation.iter() {
                for (name, value) in instruction.attrs.iter() {
                    let called: &[ComputationId] = match value {
                        AttrValue::Computation(id) => std::slice::from_ref(id),
                        AttrValue::Computations(ids) => ids,
                        _ => continue,
                    };
                    let called_role = match (role, role_in_attribute(&instruction.opcode, name)) {
                        (ComputationRole::Applied, _) => ComputationRole::Applied,
                        (ComputationRole::Fused, called) if called.materializes_values() => {
                            ComputationRole::Fused
                        }
                        (_, called) => called,
                    };
                    let repeats = match called_role {
                        ComputationRole::LoopBody => trip_count::trip_count(module, (id, at)).unwrap_or(1),
                        ComputationRole::LoopCondition => trip_count::trip_count(module, (id, at))
                            .map_or(1, |count| count.saturating_add(1)),
                        _ => 1,
                    };
                    for other in called {
                        roles.add(*other, called_role, executions.saturating_mul(repeats), Some((id, at)));
                    }
                }
            }
        }
        roles
    }

    fn add(
        &mut self,
        id: ComputationId,
        role: ComputationRole,
        executions: u64,
        caller: Option<InstructionRef>,
    ) {
        let index = id.0 as usize;
        let (Some(old), Some(count), Some(old_caller)) =
            (self.by_computation.get_mut(index), self.executions.get_mut(index), self.callers.get_mut(index))
        else {
            return;
        };
        // A computation with several roles keeps the first one in memory, else that in a fusion.
        let is_kept =
            old.materializes_values() || *old == ComputationRole::Fused && role == ComputationRole::Applied;
        if !is_kept {
            *old = role;
            *old_caller = caller;
        }
        *count = count.saturating_add(executions);
    }

    /// The role of a computation.
    pub fn role(&self, id: ComputationId) -> ComputationRole {
        self.by_computation.get(id.0 as usize).copied().unwrap_or_default()
    }

    /// The number of executions of a computation in a run of the program.
    pub fn executions(&self, id: ComputationId) -> u64 {
        self.executions.get(id.0 as usize).copied().unwrap_or_default()
    }

    /// An instruction that calls a computation.
    pub fn caller(&self, id: ComputationId) -> Option<InstructionRef> {
        *self.callers.get(id.0 as usize)?
    }
}
