//! A program with its arguments, for a caller in another memory: it writes the arguments in place, runs the program, and then asks
//! for intermediate values, which are recomputed. Nothing but the arguments is kept between runs.

use std::rc::Rc;

use xla_array::literal::Buffer;
use xla_array::{Literal, Shape};
use xla_hlo::{InstructionId, Limits, Module, Observer};
use xla_ops::{ComputationId, Data};

use crate::divided::RunProgress;
use crate::division::divided_plan::Worker;
use crate::lowering::unsupported::Unsupported;
use crate::observation::Observed;
use crate::plan::{Options, Plan};
use crate::run::RunError;
use crate::run_statistics::RunStatistics;
use crate::runner::Runner;

/// A program and its arguments.
pub struct Session {
    module: Module,
    options: Options,
    seed: u64,
    arguments: Vec<Literal>,
    /// The plan that runs next.
    runner: Option<Runner>,
    /// Whether the current run collects statistics.
    collects_statistics: bool,
}

/// The bytes of the arrays of a shape.
fn shape_bytes(shape: &Shape) -> u64 {
    match shape {
        Shape::Array(array) => {
            let elements = array.elements().and_then(|elements| u64::try_from(elements).ok());
            elements.unwrap_or(u64::MAX).saturating_mul(Buffer::bytes_per_entry(array.element_type))
        }
        Shape::Tuple(elements) => elements.iter().map(shape_bytes).fold(0, u64::saturating_add),
        Shape::Token | Shape::Opaque | Shape::Buffer(_) => 0,
    }
}

/// The `number`-th array of a value, counting depth first; subtracts the number of arrays passed.
fn array_mut<'a>(literal: &'a mut Literal, number: &mut usize) -> Option<&'a mut Buffer> {
    match literal {
        Literal::Array(array) if *number == 0 => Some(array.buffer_mut()),
        Literal::Array(_) => {
            *number -= 1;
            None
        }
        Literal::Tuple(elements) => elements.iter_mut().find_map(|element| array_mut(element, number)),
        Literal::Token => None,
    }
}

impl Session {
    /// Compiles a program for any number of runs, whose first `constant_parameters` arguments are always the same. All arguments
    /// are zero until they are written.
    ///
    /// # Errors
    ///
    /// The module has a feature that plans do not support.
    pub fn new(module: Module, constant_parameters: usize, seed: u64) -> Result<Self, Unsupported> {
        let options = Options { constant_parameters, ..Options::default() };
        let mut session = Self::without_plan(module, options, seed);
        session.runner = Some(session.compile(Observed::Nothing)?);
        Ok(session)
    }

    /// Compiles a program for [`Self::run_with_statistics`] and [`Self::values`], with all its values observed.
    ///
    /// # Errors
    ///
    /// The module has a feature that plans do not support.
    pub fn with_statistics(module: Module, seed: u64) -> Result<Self, Unsupported> {
        let options = Options::default();
        let mut session = Self::without_plan(module, options, seed);
        session.runner = Some(session.compile(Observed::Everything)?);
        Ok(session)
    }

    fn without_plan(module: Module, options: Options, seed: u64) -> Self {
        Self { module, options, seed, arguments: Vec::new(), runner: None, collects_statistics: false }
    }

    fn compile(&self, observed: Observed) -> Result<Runner, Unsupported> {
        let plan = Plan::compile_observed(&self.module, self.options, observed)?;
        Ok(Runner::new(Rc::new(plan)).seed(self.seed))
    }

    /// The buffer of the array with this number, counting the arrays of all arguments one by one. It has the layout of the
    /// parameter. `None` if there is none, or no memory for it.
    pub fn argument(&mut self, number: usize) -> Option<&mut Buffer> {
        if self.arguments.is_empty() {
            let parameters = self.module.interface()?.parameters;
            let zeros = parameters.iter().map(|shape: &Shape| Literal::zeros(shape).ok());
            self.arguments = zeros.collect::<Option<_>>()?;
        }
        let mut remaining = number;
        self.arguments.iter_mut().find_map(|argument| array_mut(argument, &mut remaining))
    }

    /// Runs the program; it may run again with other arguments.
    ///
    /// # Errors
    ///
    /// Those of [`Runner::run`].
    pub fn run(&mut self, limits: Limits, observer: Option<&mut dyn Observer>) -> Result<Literal, RunError> {
        let arguments: Vec<&Literal> = self.arguments.iter().collect();
        let runner = self.runner.as_mut().ok_or(RunError::Rejected)?;
        runner.run(&arguments, limits, observer)
    }

    /// Runs an observed program, which can only be done once.
    ///
    /// # Errors
    ///
    /// Those of [`Runner::run_with_statistics`].
    pub fn run_with_statistics(
        &mut self,
        limits: Limits,
        observer: Option<&mut dyn Observer>,
    ) -> Result<(Literal, RunStatistics), RunError> {
        let arguments: Vec<&Literal> = self.arguments.iter().collect();
        // The runner is dropped with its buffers, before `values` allocates those of another plan.
        let mut runner = self.runner.take().ok_or(RunError::Rejected)?;
        runner.run_with_statistics(&arguments, limits, observer)
    }

    /// Divides runs among workers, of which this is one ([`Runner::divide`]); returns the nanoseconds that this saves by an estimate.
    pub fn divide(&mut self, worker: Worker) -> f64 {
        self.runner.as_mut().map_or(0.0, |runner| runner.divide(worker))
    }

    /// The bytes of a run: arguments, buffers and result.
    pub fn run_bytes(&self) -> u64 {
        let arguments = self
            .module
            .interface()
            .map_or(0, |interface| interface.parameters.iter().map(shape_bytes).fold(0, u64::saturating_add));
        arguments.saturating_add(self.runner.as_ref().map_or(0, Runner::run_bytes))
    }

    /// Runs the divided program until parts must be exchanged ([`Runner::start`]). A run with statistics can only be done once, as
    /// [`Self::run_with_statistics`].
    ///
    /// # Errors
    ///
    /// Those of [`Runner::start`].
    pub fn start(
        &mut self,
        limits: Limits,
        observer: Option<&mut dyn Observer>,
        collects_statistics: bool,
    ) -> Result<RunProgress, RunError> {
        self.collects_statistics = collects_statistics;
        self.advance(|runner, arguments| runner.start(arguments, limits, observer, collects_statistics))
    }

    /// Resumes a run with the parts of the other workers ([`Runner::resume`]).
    ///
    /// # Errors
    ///
    /// Those of [`Runner::resume`].
    pub fn resume(
        &mut self,
        parts: &[u8],
        observer: Option<&mut dyn Observer>,
    ) -> Result<RunProgress, RunError> {
        self.advance(|runner, arguments| runner.resume(arguments, parts, observer))
    }

    /// Starts the waiting run again in this worker alone ([`Runner::resume_alone`]).
    ///
    /// # Errors
    ///
    /// Those of [`Runner::resume_alone`].
    pub fn resume_alone(&mut self, observer: Option<&mut dyn Observer>) -> Result<RunProgress, RunError> {
        self.advance(|runner, arguments| runner.resume_alone(arguments, observer))
    }

    fn advance(
        &mut self,
        advance: impl FnOnce(&mut Runner, &[&Literal]) -> Result<RunProgress, RunError>,
    ) -> Result<RunProgress, RunError> {
        let arguments: Vec<&Literal> = self.arguments.iter().collect();
        let runner = self.runner.as_mut().ok_or(RunError::Rejected)?;
        let progress = advance(runner, &arguments);
        if self.collects_statistics && matches!(progress, Ok(RunProgress::Finished(..))) {
            // Its buffers are dropped before `values` allocates those of another plan.
            self.runner = None;
        }
        progress
    }

    /// The part of this worker, for the others, while a run waits for theirs ([`Runner::own_part`]).
    pub fn own_part(&self) -> &[u8] {
        self.runner.as_ref().map_or(&[], Runner::own_part)
    }

    /// The length in bytes of the parts of the other workers together.
    pub fn other_parts_bytes(&self) -> usize {
        self.runner.as_ref().map_or(0, Runner::other_parts_bytes)
    }

    /// Computes the values of instructions of one computation in one of their executions, counted from 0, by running the
    /// program until they are known. `None` for those that were executed less often.
    ///
    /// # Errors
    ///
    /// Those of [`Runner::capture`].
    pub fn values(
        &self,
        instructions: &[(ComputationId, InstructionId)],
        execution: u64,
        limits: Limits,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Vec<Option<Data>>, RunError> {
        let compiled = self.compile(Observed::Instructions(instructions));
        let mut runner = compiled.map_err(|_| RunError::Rejected)?;
        let arguments: Vec<&Literal> = self.arguments.iter().collect();
        runner.capture(&arguments, limits, observer, (instructions, execution))
    }
}
