//! The outcome of a run: values, answers of the host and of other devices, steps taken and peak memory.

use std::borrow::Cow;

use super::device::RecordedAnswers;
use super::interpreter::Interpreter;
use super::values::{EvalError, Values};
use xla_array::Literal;

/// The outcome of a run on one device. A [`super::tracer::Tracer`] traces its cells to their sources.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The values of the entry computation's instructions.
    pub values: Values,
    /// The answers of the host and of other devices.
    pub answers: RecordedAnswers,
    /// The steps that the run took.
    pub steps: u64,
    /// Peak memory in bytes, as the memory budget counts it; `None` if the run was in another worker.
    pub peak_bytes: Option<u64>,
}

impl Outcome {
    /// The outcome of a run in another worker, without its answers: cells that depend on answers cannot be traced.
    pub fn from_values(values: Values, steps: u64) -> Self {
        Self { values, answers: RecordedAnswers::default(), steps, peak_bytes: None }
    }

    /// Runs the entry computation, and returns the outcome.
    pub(super) async fn from_run(
        run: &mut Interpreter<'_>,
        arguments: Cow<'_, [Literal]>,
    ) -> Result<Self, EvalError> {
        let values = run.run_entry(arguments).await?;
        Ok(Self::after(run, values))
    }

    /// The outcome of a run that has ended with `values`.
    pub(super) fn after(run: &Interpreter<'_>, values: Values) -> Self {
        Self {
            values,
            answers: run.answers.answers.clone(),
            steps: run.budget.meter.steps,
            peak_bytes: Some(run.budget.memory.peak()),
        }
    }
}
