//! The state of a run that can stop between two steps.

use xla_hlo::eval::random::RandomNumbers;

use crate::meter::Meter;
use crate::plan::Plan;
use crate::run::ValueObserver;
use crate::run_statistics::RunStatistics;

/// The state of a run between two steps.
pub struct RunState<'o> {
    /// The next step.
    pub next: usize,
    pub meter: Meter<'o>,
    pub random: RandomNumbers,
    pub value_observer: ValueObserver,
}

impl RunState<'_> {
    /// The statistics of a run that is complete; `None` if none were collected.
    pub fn statistics(self, plan: &Plan) -> Option<RunStatistics> {
        let ValueObserver::Statistics(recorder) = self.value_observer else { return None };
        Some(recorder.finish(plan, self.meter.steps()))
    }
}

/// A run that waits for the parts of the other workers.
pub struct PausedRun {
    pub state: RunState<'static>,
    /// The part of this worker, if its elements are not adjacent.
    pub packed_part: Vec<u8>,
}
