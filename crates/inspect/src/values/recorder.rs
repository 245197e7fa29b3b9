//! The values and the course of a run, recorded while it runs.

use std::ops::ControlFlow;

use super::course::Course;
use xla_hlo::{Frame, InstructionId, Module, Observer};
use xla_ops::Data;

/// An observer that keeps the values of the entry computation, and the [`Course`] of the whole run.
pub struct Recorder<'m> {
    /// The values of the entry computation's instructions; `None` for those that were not computed.
    pub values: Vec<Option<Data>>,
    /// Where NaN and infinities appeared.
    pub course: Course<'m>,
}

impl<'m> Recorder<'m> {
    /// A recorder of runs of a module.
    pub fn new(module: &'m Module) -> Self {
        let count = module.entry_computation().map_or(0, |entry| entry.instructions.len());
        Self { values: vec![None; count], course: Course::new(module) }
    }
}

impl Observer for Recorder<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        self.course.see(frame, id, value);
        if frame.depth == 0
            && let Some(slot) = self.values.get_mut(id.index())
        {
            *slot = Some(value.clone());
        }
        ControlFlow::Continue(())
    }
}
