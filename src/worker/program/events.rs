//! In which execution of its instruction an event of a run's course happened.

use crate::hlo::InstructionId;
use crate::hlo::eval::meter::Frame;
use crate::inspect::values::Course;

/// The executions of the events of a course, from 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventExecutions {
    /// That of the first NaN.
    pub nan: Option<u64>,
    /// That of the first infinity.
    pub infinity: Option<u64>,
    /// That of the largest jump.
    pub jump: u64,
}

impl EventExecutions {
    /// Notes what the course has just seen in the value of an execution.
    pub fn note(&mut self, course: &Course, frame: Frame, id: InstructionId, execution: u64) {
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
