//! What a run leaves behind: values, answers of the host and of other devices, and what it cost.

use std::borrow::Cow;

use super::device::Answers;
use super::interpreter::Interpreter;
use super::values::{EvalError, Values};
use xla_array::Literal;

/// The outcome of a run on one device. A [`super::tracer::Tracer`] answers where its cells came from.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The values of the entry computation's instructions.
    pub values: Values,
    /// What host and other devices answered.
    pub answers: Answers,
    /// The steps taken.
    pub steps: u64,
    /// The most bytes held at one time, as the memory budget counts them; `None` if it ran in another process.
    pub peak_bytes: Option<u64>,
}

impl Outcome {
    /// The outcome of a run in another process: without its answers, so that cells which depend on them cannot be
    /// traced.
    pub fn of_values(values: Values, steps: u64) -> Self {
        Self { values, answers: Answers::default(), steps, peak_bytes: None }
    }

    /// Runs the entry computation.
    pub(super) async fn of(
        run: &mut Interpreter<'_>,
        arguments: Cow<'_, [Literal]>,
    ) -> Result<Self, EvalError> {
        let values = run.entry(arguments).await?;
        Ok(Self::after(run, values))
    }

    /// The outcome of a run that has come to its end.
    pub(super) fn after(run: &Interpreter<'_>, values: Values) -> Self {
        Self {
            values,
            answers: run.answers.answers.clone(),
            steps: run.budget.meter.steps,
            peak_bytes: Some(run.budget.memory.peak()),
        }
    }
}
