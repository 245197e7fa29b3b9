//! The executions of their instructions in which the events of a run happened: the first NaN, the first infinity, the largest
//! growth in magnitude.

use crate::hlo::InstructionId;
use crate::hlo::eval::meter::Frame;
use crate::inspect::values::Course;

/// For each event of a [`Course`], the number of the execution of its instruction, from 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventExecutions {
    /// The execution with the first NaN.
    pub nan: Option<u64>,
    /// The execution with the first infinity.
    pub infinity: Option<u64>,
    /// The execution with the largest growth in magnitude.
    pub jump: u64,
}

impl EventExecutions {
    /// Updates the numbers after the course has observed the value of an execution.
    pub fn update(&mut self, course: &Course, frame: Frame, id: InstructionId, execution: u64) {
        if course.first_nan.is_some() {
            self.nan.get_or_insert(execution);
        }
        if course.first_infinity.is_some() {
            self.infinity.get_or_insert(execution);
        }
        let is_jump =
            course.largest_jump.as_ref().is_some_and(|jump| (jump.frame, jump.instruction) == (frame, id));
        if is_jump {
            self.jump = execution;
        }
    }
}
