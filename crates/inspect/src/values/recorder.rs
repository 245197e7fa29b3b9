//! Records the values of a run, and observes its numerics.

use std::ops::ControlFlow;

use super::numerics::NumericsObserver;
use xla_hlo::{Frame, InstructionId, Module, Observer};
use xla_ops::Data;

/// Keeps the values of the entry computation, and observes the numerics of all computations.
pub struct Recorder<'m> {
    /// The values of the entry computation's instructions; `None` for those that were not computed.
    pub values: Vec<Option<Data>>,
    /// The first NaN, the first infinity and the largest growth of the run.
    pub numerics: NumericsObserver<'m>,
}

impl<'m> Recorder<'m> {
    /// A recorder of runs of a module.
    pub fn new(module: &'m Module) -> Self {
        let count = module.entry_computation().map_or(0, |entry| entry.instructions.len());
        Self { values: vec![None; count], numerics: NumericsObserver::new(module) }
    }
}

impl Observer for Recorder<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        self.numerics.record(frame, id, value);
        if frame.depth == 0
            && let Some(slot) = self.values.get_mut(id.index())
        {
            *slot = Some(value.clone());
        }
        ControlFlow::Continue(())
    }
}
