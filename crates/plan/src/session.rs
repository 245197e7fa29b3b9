//! A program with its arguments, for a caller in another memory: it writes the arguments in place, runs the program, and then asks
//! for intermediate values, which are recomputed. Nothing but the arguments is kept between runs.

use std::rc::Rc;

use xla_array::literal::Buffer;
use xla_array::{Literal, Shape};
use xla_hlo::{InstructionId, Limits, Module, Observer};
use xla_ops::{ComputationId, Data};

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
        let mut session = Self { module, options, seed, arguments: Vec::new(), runner: None };
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
        let mut session = Self { module, options, seed, arguments: Vec::new(), runner: None };
        session.runner = Some(session.compile(Observed::Everything)?);
        Ok(session)
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
        let runner = self.runner.as_mut().ok_or(RunError::Refused)?;
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
        let mut runner = self.runner.take().ok_or(RunError::Refused)?;
        runner.run_with_statistics(&arguments, limits, observer)
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
        let mut runner = compiled.map_err(|_| RunError::Refused)?;
        let arguments: Vec<&Literal> = self.arguments.iter().collect();
        runner.capture(&arguments, limits, observer, (instructions, execution))
    }
}
