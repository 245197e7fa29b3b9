//! The execution of its instruction in which each numeric event of a run occurred.

use crate::hlo::InstructionId;
use crate::hlo::eval::meter::Frame;
use crate::inspect::values::NumericsObserver;

/// The executions in which the numeric events of a run occurred, counted from 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventExecutions {
    /// The execution with the first NaN.
    pub nan: Option<u64>,
    /// The execution with the first computed infinity.
    pub infinity: Option<u64>,
    /// That of the largest growth.
    pub growth: u64,
}

impl EventExecutions {
    /// Records the execution of the events that the observer has just found in a value.
    pub fn record(&mut self, numerics: &NumericsObserver, frame: Frame, id: InstructionId, execution: u64) {
        if numerics.first_nan.is_some() {
            self.nan.get_or_insert(execution);
        }
        if numerics.first_computed_infinity.is_some() {
            self.infinity.get_or_insert(execution);
        }
        let is_largest = numerics
            .largest_growth
            .as_ref()
            .is_some_and(|growth| (growth.frame, growth.instruction) == (frame, id));
        if is_largest {
            self.growth = execution;
        }
    }
}
