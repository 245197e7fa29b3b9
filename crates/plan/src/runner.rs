//! Runs of a plan: its arguments, buffers and budget. Runs of several workers are in [`crate::divided`].

use std::borrow::Cow;
use std::rc::Rc;

use xla_array::{ArrayLiteral, Layout, Literal, Shape};
use xla_hlo::eval::random::RandomNumbers;
use xla_hlo::eval::values::RUN;
use xla_hlo::{InstructionId, Limits, Observer};
use xla_kernels::scratch::Scratch;
use xla_ops::{ComputationId, Data};

use crate::division::divided_plan::Division;
use crate::memory::{Buffers, Memory};
use crate::meter::Meter;
use crate::observation::Capture;
use crate::plan::Plan;
use crate::run::{Run, RunError, ValueObserver, located};
use crate::run_state::{PausedRun, RunState};
use crate::run_statistics::{RunStatistics, StatisticsRecorder};
use crate::step_state::StepState;
use crate::whole::literal_error;

/// Runs a plan any number of times, in the same buffers.
pub struct Runner {
    pub(crate) plan: Rc<Plan>,
    pub(crate) buffers: Option<Buffers>,
    /// Whether the precomputed values have been computed.
    is_precomputed: bool,
    /// The state of each step between its executions, e.g. a packed operand.
    pub(crate) states: Vec<StepState>,
    scratch: Scratch,
    seed: u64,
    on_step: Option<Rc<dyn Fn(usize)>>,
    /// The division of the plan, if this is one of several workers.
    pub(crate) division: Option<Division>,
    /// The run that waits for the parts of other workers.
    pub(crate) paused: Option<PausedRun>,
}

/// How far a run is.
pub(crate) enum Advance {
    /// It is complete: its result, unless it only captures values.
    Finished(Option<Literal>),
    /// The parts of other workers are needed.
    Exchange,
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

/// The arrays of the arguments, in the layouts of the parameters.
///
/// # Errors
///
/// [`RunError::Rejected`] if the arguments do not match the parameters.
pub(crate) fn argument_arrays<'a>(
    plan: &Plan,
    arguments: &[&'a Literal],
) -> Result<Vec<Cow<'a, ArrayLiteral>>, RunError> {
    if arguments.len() != plan.parameters.len() {
        return Err(RunError::Rejected);
    }
    let mut arrays = Vec::new();
    for (argument, shape) in arguments.iter().zip(&plan.parameters) {
        push_arrays(argument, shape, &mut arrays).ok_or(RunError::Rejected)?;
    }
    Ok(arrays)
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
            division: None,
            paused: None,
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
    /// [`RunError::Rejected`] if the arguments do not match the parameters; else the errors of the ops, `budget-steps`,
    /// `budget-bytes` (at the instruction whose buffer exceeds the limit) and `cancelled`.
    pub fn run(
        &mut self,
        arguments: &[&Literal],
        limits: Limits,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Literal, RunError> {
        let result = self.run_observed(arguments, limits, observer, ValueObserver::Ignore)?.0;
        result.ok_or(RunError::Rejected)
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
        let value_observer = ValueObserver::Capture(Capture::new(instructions, execution));
        let (_, state) = self.run_observed(arguments, limits, observer, value_observer)?;
        let ValueObserver::Capture(capture) = state.value_observer else { return Ok(Vec::new()) };
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
        let value_observer = ValueObserver::Statistics(StatisticsRecorder::new(&self.plan));
        let (result, state) = self.run_observed(arguments, limits, observer, value_observer)?;
        let statistics = state.statistics(&self.plan).ok_or(RunError::Rejected)?;
        Ok((result.ok_or(RunError::Rejected)?, statistics))
    }

    /// Runs the plan in this worker alone; returns the result, unless a capture ended the run, and the final state.
    fn run_observed<'o>(
        &mut self,
        arguments: &[&Literal],
        limits: Limits,
        observer: Option<&'o mut dyn Observer>,
        value_observer: ValueObserver,
    ) -> Result<(Option<Literal>, RunState<'o>), RunError> {
        self.undivide();
        let arrays = argument_arrays(&self.plan.clone(), arguments)?;
        let mut state = self.begin(&arrays, Meter::new(limits, observer), value_observer)?;
        match self.advance(&arrays, &mut state)? {
            Advance::Finished(result) => Ok((result, state)),
            Advance::Exchange => Err(RunError::Rejected),
        }
    }

    /// The state of a run before its first step. Reserves the bytes of the run, and allocates its buffers.
    pub(crate) fn begin<'o>(
        &mut self,
        arguments: &[Cow<ArrayLiteral>],
        mut meter: Meter<'o>,
        value_observer: ValueObserver,
    ) -> Result<RunState<'o>, RunError> {
        let plan = &*self.plan;
        let argument_bytes = arguments.iter().map(|array| array.held_bytes()).fold(0, u64::saturating_add);
        meter.reserve(argument_bytes, "parameter").map_err(|error| located(None, error))?;
        meter.reserve(plan.result_bytes(), "copy").map_err(|error| located(None, error))?;
        if let Err(error) = meter.reserve(plan.bytes(), RUN) {
            return Err(located(plan.first_step_beyond(meter.remaining_bytes()), error).into());
        }
        if self.buffers.is_none() {
            let buffers =
                Buffers::allocate(plan).map_err(|error| located(None, literal_error(RUN, error)))?;
            self.buffers = Some(buffers);
        }
        Ok(RunState { next: 0, meter, random: RandomNumbers::new(self.seed), value_observer })
    }

    /// Executes steps until the end of the plan, or until parts must be exchanged.
    pub(crate) fn advance(
        &mut self,
        arguments: &[Cow<ArrayLiteral>],
        state: &mut RunState,
    ) -> Result<Advance, RunError> {
        let plan = &*self.plan;
        let mut buffers = self.buffers.take().ok_or(RunError::Rejected)?;
        let mut run = Run {
            memory: Memory { plan, arguments, buffers: &mut buffers },
            meter: &mut state.meter,
            scratch: &mut self.scratch,
            random: &mut state.random,
            on_step: self.on_step.as_deref(),
            value_observer: &mut state.value_observer,
            division: None,
        };
        if !std::mem::replace(&mut self.is_precomputed, true)
            && let Err(error) = run.steps(&plan.precomputed_steps, &mut [], 0)
        {
            self.is_precomputed = false;
            return Err(error);
        }
        run.division = self.division.as_ref();
        let outcome = match run.steps(&plan.steps, &mut self.states, state.next) {
            Ok(Some(next)) => {
                state.next = next;
                Ok(Advance::Exchange)
            }
            Ok(None) if matches!(run.value_observer, ValueObserver::Capture(_)) => {
                Ok(Advance::Finished(None))
            }
            Ok(None) => {
                run.result(&plan.result).map(|result| Advance::Finished(Some(result))).map_err(RunError::from)
            }
            Err(error) => Err(error),
        };
        // After a failure, a buffer that a step has taken may be missing: the next run allocates all of them again.
        if outcome.is_ok() {
            self.buffers = Some(buffers);
        } else {
            self.is_precomputed = false;
        }
        outcome
    }
}
