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
use crate::run::{Run, RunError, Watcher, located};
use crate::step_state::StepState;
use crate::survey::{Survey, Surveyor};
use crate::whole::literal_error;

/// Runs a plan any number of times, in the same buffers.
pub struct Runner {
    plan: Rc<Plan>,
    buffers: Option<Buffers>,
    /// Whether the precomputed values have been computed.
    is_precomputed: bool,
    /// Per step, what is kept for its next execution.
    states: Vec<StepState>,
    scratch: Scratch,
    seed: u64,
    on_step: Option<Rc<dyn Fn(usize)>>,
}

/// Appends the arrays of an argument, with the layouts of its parameter; `None` if their shapes differ.
fn push_leaves<'a>(
    literal: &'a Literal,
    shape: &Shape,
    arrays: &mut Vec<Cow<'a, ArrayLiteral>>,
) -> Option<()> {
    match (literal, shape) {
        (Literal::Array(array), Shape::Array(to)) => {
            let of = array.shape();
            let is_same_shape =
                of.element_type == to.element_type && of.dimensions == to.dimensions && of.is_static();
            is_same_shape.then_some(())?;
            // Where no layout is written, the plan uses the default one.
            let default = || Layout::descending(to.rank());
            let is_same_layout = match (&of.layout, &to.layout) {
                (None, None) => true,
                (of, to) => *of.as_ref().unwrap_or(&default()) == *to.as_ref().unwrap_or(&default()),
            };
            arrays.push(if is_same_layout {
                Cow::Borrowed(array)
            } else {
                Cow::Owned(array.relayout_to(to.clone()).ok()?)
            });
            Some(())
        }
        (Literal::Tuple(elements), Shape::Tuple(to)) if elements.len() == to.len() => {
            elements.iter().zip(to).try_for_each(|(element, to)| push_leaves(element, to, arrays))
        }
        (Literal::Token, Shape::Token) => Some(()),
        _ => None,
    }
}

impl Runner {
    /// Creates a runner. The first run allocates the buffers.
    pub fn new(plan: Rc<Plan>) -> Self {
        Self {
            states: plan.steps.iter().map(|step| StepState::of(step, &plan)).collect(),
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
        let result = self.run_watched(arguments, limits, observer, &mut Watcher::Nobody)?.0;
        result.ok_or(RunError::Refused)
    }

    /// Runs the plan until these instructions have been executed `execution` times more, and returns their values in that
    /// execution: `None` for those that were executed less often. The plan must have been compiled to observe them.
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
        let mut watcher = Watcher::Capture(Capture::new(instructions, execution));
        self.run_watched(arguments, limits, observer, &mut watcher)?;
        let Watcher::Capture(capture) = watcher else { return Ok(Vec::new()) };
        Ok(capture.into_values())
    }

    /// Runs the plan, and surveys the values that it was compiled to observe.
    ///
    /// # Errors
    ///
    /// Those of [`Self::run`].
    pub fn survey(
        &mut self,
        arguments: &[&Literal],
        limits: Limits,
        observer: Option<&mut dyn Observer>,
    ) -> Result<(Literal, Survey), RunError> {
        let mut watcher = Watcher::Survey(Surveyor::new(&self.plan));
        let (result, steps) = self.run_watched(arguments, limits, observer, &mut watcher)?;
        let Watcher::Survey(surveyor) = watcher else { return Err(RunError::Refused) };
        Ok((result.ok_or(RunError::Refused)?, surveyor.finish(&self.plan, steps)))
    }

    /// Runs the plan; returns the result, unless a capture ended the run, and the number of steps.
    fn run_watched(
        &mut self,
        arguments: &[&Literal],
        limits: Limits,
        observer: Option<&mut dyn Observer>,
        watcher: &mut Watcher,
    ) -> Result<(Option<Literal>, u64), RunError> {
        let plan = self.plan.clone();
        if arguments.len() != plan.parameters.len() {
            return Err(RunError::Refused);
        }
        let mut arrays = Vec::new();
        for (argument, shape) in arguments.iter().zip(&plan.parameters) {
            push_leaves(argument, shape, &mut arrays).ok_or(RunError::Refused)?;
        }
        let mut meter = Meter::new(limits, observer);
        let result = self.run_on(&arrays, &mut meter, watcher)?;
        Ok((result, meter.steps()))
    }

    fn run_on(
        &mut self,
        arguments: &[Cow<ArrayLiteral>],
        meter: &mut Meter,
        watcher: &mut Watcher,
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
            None => Buffers::of(plan).map_err(|error| located(None, literal_error(RUN, error)))?,
        };
        let random = RandomNumbers::new(self.seed);
        let memory = Memory { plan, arguments, buffers: &mut buffers };
        let on_step = self.on_step.as_deref();
        let mut run = Run { memory, meter, scratch: &mut self.scratch, random, on_step, watcher };
        if !std::mem::replace(&mut self.is_precomputed, true) {
            let outcome = run.steps(&plan.precomputed_steps, &mut []);
            if outcome.is_err() {
                self.is_precomputed = false;
            }
            outcome?;
        }
        let result = run.steps(&plan.steps, &mut self.states);
        let is_captured = matches!(run.watcher, Watcher::Capture(_));
        let result =
            result.and_then(|()| Ok((!is_captured).then(|| run.result(&plan.result)).transpose()?));
        // After a failure, a buffer may not have been put back.
        if result.is_ok() {
            self.buffers = Some(buffers);
        } else {
            self.is_precomputed = false;
        }
        result
    }
}
