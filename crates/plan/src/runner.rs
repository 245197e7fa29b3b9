//! Runs of a plan: its arguments, buffers and budget.

use std::borrow::Cow;
use std::rc::Rc;

use xla_array::{ArrayLiteral, Layout, Literal, Shape};
use xla_hlo::eval::random::RandomNumbers;
use xla_hlo::eval::values::RUN;
use xla_hlo::{InstructionId, Limits, Observer};
use xla_kernels::scratch::Scratch;
use xla_ops::{ComputationId, Data};

use crate::memory::{Buffers, Memory};
use crate::meter::Meter;
use crate::observation::Capture;
use crate::plan::Plan;
use crate::run::{Run, RunError, ValueObserver, located};
use crate::run_statistics::{RunStatistics, StatisticsRecorder};
use crate::step_state::StepState;
use crate::whole::literal_error;

/// Runs a plan any number of times, in the same buffers.
pub struct Runner {
    plan: Rc<Plan>,
    buffers: Option<Buffers>,
    /// Whether the precomputed values have been computed.
    is_precomputed: bool,
    /// The state of each step between its executions, e.g. a packed operand.
    states: Vec<StepState>,
    scratch: Scratch,
    seed: u64,
    on_step: Option<Rc<dyn Fn(usize)>>,
}

/// Appends the arrays of an argument, in the layouts of its parameter; `None` if their shapes differ.
fn push_arrays<'a>(
    literal: &'a Literal,
    shape: &Shape,
    arrays: &mut Vec<Cow<'a, ArrayLiteral>>,
) -> Option<()> {
    match (literal, shape) {
        (Literal::Array(array), Shape::Array(wanted)) => {
            let actual = array.shape();
            let is_same_shape = actual.element_type == wanted.element_type
                && actual.dimensions == wanted.dimensions
                && actual.is_static();
            is_same_shape.then_some(())?;
            // Where no layout is written, the plan uses the default one.
            let default = || Layout::descending(wanted.rank());
            let is_same_layout = match (&actual.layout, &wanted.layout) {
                (None, None) => true,
                (actual, wanted) => {
                    *actual.as_ref().unwrap_or(&default()) == *wanted.as_ref().unwrap_or(&default())
                }
            };
            arrays.push(if is_same_layout {
                Cow::Borrowed(array)
            } else {
                Cow::Owned(array.relayout_to(wanted.clone()).ok()?)
            });
            Some(())
        }
        (Literal::Tuple(elements), Shape::Tuple(shapes)) if elements.len() == shapes.len() => {
            elements.iter().zip(shapes).try_for_each(|(element, shape)| push_arrays(element, shape, arrays))
        }
        (Literal::Token, Shape::Token) => Some(()),
        _ => None,
    }
}

impl Runner {
    /// Creates a runner. The first run allocates the buffers.
    pub fn new(plan: Rc<Plan>) -> Self {
        Self {
            states: plan.steps.iter().map(|step| StepState::new(step, &plan)).collect(),
            plan,
            buffers: None,
            is_precomputed: false,
            scratch: Scratch::default(),
            seed: 0,
            on_step: None,
        }
    }

    /// Sets the seed of random numbers, 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Calls a function with the index of each step before it runs, for profiling ([`Plan::step_name`]).
    #[must_use]
    pub fn on_step(mut self, callback: Rc<dyn Fn(usize)>) -> Self {
        self.on_step = Some(callback);
        self
    }

    /// Runs the plan. The arguments that were declared constant must be the same in every run.
    ///
    /// # Errors
    ///
    /// [`RunError::Refused`] if the arguments do not match the parameters; else the errors of the ops, `budget-steps`,
    /// `budget-bytes` (at the instruction whose buffer exceeds the limit) and `cancelled`.
    pub fn run(
        &mut self,
        arguments: &[&Literal],
        limits: Limits,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Literal, RunError> {
        let result = self.run_observed(arguments, limits, observer, &mut ValueObserver::Ignore)?.0;
        result.ok_or(RunError::Refused)
    }

    /// Runs the plan until each of these instructions has been executed for the `execution`-th time, counted from 0, and returns
    /// their values in that execution: `None` for those that were executed less often. The plan must have been compiled to
    /// observe them.
    ///
    /// # Errors
    ///
    /// Those of [`Self::run`].
    pub fn capture(
        &mut self,
        arguments: &[&Literal],
        limits: Limits,
        observer: Option<&mut dyn Observer>,
        (instructions, execution): (&[(ComputationId, InstructionId)], u64),
    ) -> Result<Vec<Option<Data>>, RunError> {
        let mut value_observer = ValueObserver::Capture(Capture::new(instructions, execution));
        self.run_observed(arguments, limits, observer, &mut value_observer)?;
        let ValueObserver::Capture(capture) = value_observer else { return Ok(Vec::new()) };
        Ok(capture.into_values())
    }

    /// Runs the plan, and collects statistics of the values that it was compiled to observe.
    ///
    /// # Errors
    ///
    /// Those of [`Self::run`].
    pub fn run_with_statistics(
        &mut self,
        arguments: &[&Literal],
        limits: Limits,
        observer: Option<&mut dyn Observer>,
    ) -> Result<(Literal, RunStatistics), RunError> {
        let mut value_observer = ValueObserver::Statistics(StatisticsRecorder::new(&self.plan));
        let (result, steps) = self.run_observed(arguments, limits, observer, &mut value_observer)?;
        let ValueObserver::Statistics(recorder) = value_observer else { return Err(RunError::Refused) };
        Ok((result.ok_or(RunError::Refused)?, recorder.finish(&self.plan, steps)))
    }

    /// Runs the plan; returns the result, unless a capture ended the run, and the number of steps.
    fn run_observed(
        &mut self,
        arguments: &[&Literal],
        limits: Limits,
        observer: Option<&mut dyn Observer>,
        value_observer: &mut ValueObserver,
    ) -> Result<(Option<Literal>, u64), RunError> {
        let plan = self.plan.clone();
        if arguments.len() != plan.parameters.len() {
            return Err(RunError::Refused);
        }
        let mut arrays = Vec::new();
        for (argument, shape) in arguments.iter().zip(&plan.parameters) {
            push_arrays(argument, shape, &mut arrays).ok_or(RunError::Refused)?;
        }
        let mut meter = Meter::new(limits, observer);
        let result = self.run_arrays(&arrays, &mut meter, value_observer)?;
        Ok((result, meter.steps()))
    }

    /// Runs the plan on the arrays of the arguments; returns the result, unless the run only captures values.
    fn run_arrays(
        &mut self,
        arguments: &[Cow<ArrayLiteral>],
        meter: &mut Meter,
        value_observer: &mut ValueObserver,
    ) -> Result<Option<Literal>, RunError> {
        let plan = &*self.plan;
        let argument_bytes = arguments.iter().map(|array| array.held_bytes()).fold(0, u64::saturating_add);
        meter.reserve(argument_bytes, "parameter").map_err(|error| located(None, error))?;
        meter.reserve(plan.result_bytes(), "copy").map_err(|error| located(None, error))?;
        if let Err(error) = meter.reserve(plan.bytes(), RUN) {
            return Err(located(plan.first_step_beyond(meter.remaining_bytes()), error).into());
        }
        let mut buffers = match self.buffers.take() {
            Some(buffers) => buffers,
            None => Buffers::allocate(plan).map_err(|error| located(None, literal_error(RUN, error)))?,
        };
        let random = RandomNumbers::new(self.seed);
        let memory = Memory { plan, arguments, buffers: &mut buffers };
        let on_step = self.on_step.as_deref();
        let mut run = Run { memory, meter, scratch: &mut self.scratch, random, on_step, value_observer };
        if !std::mem::replace(&mut self.is_precomputed, true) {
            let outcome = run.steps(&plan.precomputed_steps, &mut []);
            if outcome.is_err() {
                self.is_precomputed = false;
            }
            outcome?;
        }
        let result = run.steps(&plan.steps, &mut self.states);
        let is_captured = matches!(run.value_observer, ValueObserver::Capture(_));
        let result =
            result.and_then(|()| Ok((!is_captured).then(|| run.result(&plan.result)).transpose()?));
        // After a failure, a buffer that a step has taken may be missing: the next run allocates all of them again.
        if result.is_ok() {
            self.buffers = Some(buffers);
        } else {
            self.is_precomputed = false;
        }
        result
    }
}
