//! What a device executed in a run.

use crate::hlo::Module;
use crate::worker::program::call_index::CallIndex;

/// What a device executed.
#[derive(Default)]
pub(super) struct Counts {
    /// How often each instruction was executed, by computation.
    pub executions: Vec<Vec<u64>>,
    /// Its calls.
    pub calls: CallIndex,
}

impl Counts {
    /// Nothing yet.
    pub fn of(module: &Module) -> Self {
        let executions = module.computations.iter().map(|c| vec![0; c.instructions.len()]).collect();
        Self { executions, calls: CallIndex::default() }
    }
}
