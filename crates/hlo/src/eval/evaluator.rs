//! The reference evaluator: runs a module on arguments, instruction by instruction, cell by cell, within a budget.
//!
//! A run may have to wait for the host; [`Evaluator::run`] fails then. [`super::devices`] runs several devices,
//! [`super::tracer`] traces the cells of an [`Outcome`] to their sources.

use std::borrow::Cow;
use std::rc::Rc;

use super::budget::Budget;
use super::device::Device;
use super::host::Host;
use super::interpreter::{Interpreter, KernelSettings, Settings};
use super::kernel::{Kernels, MinKernelWork};
use super::meter::{Limits, Observer, PauseFn};
use super::outcome::Outcome;
use super::tracer::Tracer;
use super::values::EvalError;
use super::waiting::poll_until_blocked;
use crate::module::Module;
use xla_array::{Edition, Literal};

/// Runs one module. Runs are independent: each has the whole budget, and random numbers from the seed.
pub struct Evaluator<'m> {
    settings: Settings<'m>,
    device: Device,
    observer: Option<&'m mut dyn Observer>,
}

impl<'m> Evaluator<'m> {
    /// Creates an evaluator for the current edition. `module` must have been parsed or built without errors.
    pub fn new(module: &'m Module) -> Self {
        Self { settings: Settings::new(module), device: Device::default(), observer: None }
    }

    /// Sets the edition.
    #[must_use]
    pub fn edition(mut self, edition: Edition) -> Self {
        self.settings.edition = edition;
        self
    }

    /// Sets the limits on steps and memory.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// Sets the seed of the random number generators, 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Sets an observer. Unless it declines by [`Observer::wants_all`], every instruction runs, including those the
    /// result does not need, except for those that wait for other devices.
    #[must_use]
    pub fn observer(mut self, observer: &'m mut dyn Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Sets the host; [`Host::default`] by default.
    #[must_use]
    pub fn host(mut self, host: &Host) -> Self {
        self.device.host = host.clone();
        self
    }

    /// Lets kernels compute instructions of at least `min_kernel_work` evaluator steps ([`super::kernel::MIN_KERNEL_WORK`] is the
    /// break-even), or fewer in loops ([`MinKernelWork`]). By default every op runs its reference implementation, element by
    /// element.
    #[must_use]
    pub fn kernels(mut self, kernels: Rc<dyn Kernels + 'm>, min_kernel_work: u64) -> Self {
        let min_work = MinKernelWork::for_module(self.settings.module, min_kernel_work);
        self.settings.kernels = Some(KernelSettings { kernels, min_work });
        self
    }

    /// Sets a function that is called before each instruction of an asynchronous run, and returns a pause when one is due, so
    /// that a run on the main thread of a page does not block it. A pause that yields false ends the run with `cancelled`.
    #[must_use]
    pub fn pauses(mut self, pause: Rc<PauseFn>) -> Self {
        self.settings.pause = Some(pause);
        self
    }

    /// Runs the entry computation and returns its value.
    ///
    /// # Errors
    ///
    /// `arguments` if the number or the shapes of the arguments do not match the parameters; `budget-steps` and
    /// `budget-bytes`; `cancelled`; `waiting` if the run would wait forever, e.g. for an empty infeed; and the errors
    /// of the ops.
    pub fn run(&mut self, arguments: &[Literal]) -> Result<Literal, EvalError> {
        self.run_sync(async |run: &mut Interpreter| run.value_of_entry(Cow::Borrowed(arguments)).await)
    }

    /// Like [`Evaluator::run`], but consumes the arguments instead of copying them.
    pub fn run_owned(&mut self, arguments: Vec<Literal>) -> Result<Literal, EvalError> {
        self.run_sync(async |run: &mut Interpreter| run.value_of_entry(Cow::Owned(arguments)).await)
    }

    /// Like [`Evaluator::run`], but waits for the host and for kernels in other workers instead of failing with
    /// `waiting`.
    pub async fn run_async(&mut self, arguments: &[Literal]) -> Result<Literal, EvalError> {
        let mut run = self.interpreter();
        run.may_wait = true;
        run.value_of_entry(Cow::Borrowed(arguments)).await
    }

    /// Like [`Evaluator::run`], but returns the values of all instructions of the entry computation.
    pub fn run_with_values(&mut self, arguments: &[Literal]) -> Result<Outcome, EvalError> {
        self.run_sync(async |run: &mut Interpreter| Outcome::from_run(run, Cow::Borrowed(arguments)).await)
    }

    /// Like [`Evaluator::run_with_values`], but consumes the arguments instead of copying them.
    pub fn run_with_values_owned(&mut self, arguments: Vec<Literal>) -> Result<Outcome, EvalError> {
        self.run_sync(async |run: &mut Interpreter| Outcome::from_run(run, Cow::Owned(arguments)).await)
    }

    /// Like [`Evaluator::run_with_values_owned`], but waits for the host and for kernels in other workers instead of failing
    /// with `waiting`.
    pub async fn run_with_values_owned_async(
        &mut self,
        arguments: Vec<Literal>,
    ) -> Result<Outcome, EvalError> {
        let mut run = self.interpreter();
        run.may_wait = true;
        Outcome::from_run(&mut run, Cow::Owned(arguments)).await
    }

    /// Creates a tracer for an outcome of this module, with the settings and limits of this evaluator.
    pub fn tracer<'t>(&'t self, outcome: &'t Outcome) -> Tracer<'t> {
        let budget = Budget::new(self.settings.limits, None);
        Tracer::new(&self.settings, self.device.clone(), budget, outcome)
    }

    /// Polls a run to its end; fails with `waiting` if it would block.
    fn run_sync<T>(
        &mut self,
        run: impl AsyncFnOnce(&mut Interpreter) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        let (waits, module) = (self.device.waits.clone(), self.settings.module);
        let mut interpreter = self.interpreter();
        poll_until_blocked(run(&mut interpreter)).unwrap_or_else(|| {
            // If nothing is recorded, a future of the embedder is pending.
            Err(waits.borrow_mut().take().unwrap_or_default().error(module))
        })
    }

    fn interpreter(&mut self) -> Interpreter<'_> {
        self.device.reset();
        let observer = self.observer.as_mut().map(|observer| &mut **observer as &mut dyn Observer);
        Interpreter::new(&self.settings, self.device.clone(), Budget::new(self.settings.limits, observer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use xla_array::{ArrayLiteral, ArrayShape, ElementType, Value};

    #[test]
    fn a_run_never_holds_more_bytes_than_its_limit() {
        let broadcast = |i| format!("b{i} = f64[13000000] broadcast(z), dimensions={{}} ");
        let names: Vec<String> = (0..20).map(|i| format!("b{i}")).collect();
        let broadcasts: String = (0..20).map(broadcast).collect();
        let tuple = format!("ROOT t = tuple({})", names.join(", "));
        let text = format!("ENTRY e {{ z = f64[] constant(1) {broadcasts} {tuple} }}");
        let module = parse(&format!("HloModule m {text}")).into_module().unwrap();
        let limits = Limits { bytes: 4 << 20, ..Limits::default() };
        let mut evaluator = Evaluator::new(&module).limits(limits);
        let mut run = evaluator.interpreter();
        let result = poll_until_blocked(run.run_entry(Cow::Borrowed(&[]))).unwrap();
        assert_eq!(result.unwrap_err().error.rule, "budget-bytes");
        assert!(run.budget.memory.peak() <= 4 << 20);
    }

    #[test]
    fn a_pause_that_yields_false_cancels_an_asynchronous_run_only() {
        let module =
            parse("HloModule m ENTRY e { x = f32[] constant(1) y = negate(x) ROOT z = exponential(y) }");
        let module = module.into_module().unwrap();
        let calls = Rc::new(std::cell::Cell::new(0));
        let counted = calls.clone();
        let pause = move || {
            counted.set(counted.get() + 1);
            let is_last = counted.get() == 3;
            (counted.get() > 1).then(|| Box::pin(std::future::ready(!is_last)) as crate::eval::meter::Pause)
        };
        let mut evaluator = Evaluator::new(&module).pauses(Rc::new(pause));
        let ended = poll_until_blocked(evaluator.run_async(&[])).unwrap();
        assert_eq!((ended.unwrap_err().error.rule, calls.get()), ("cancelled", 3));
        assert!(evaluator.run(&[]).is_ok());
        assert_eq!(calls.get(), 3);
    }

    #[test]
    fn the_step_budget_ends_a_run_within_one_long_cell() {
        let text = "HloModule m ENTRY e { x = f32[67108864] parameter(0)
            ROOT r = dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0} }";
        let module = parse(text).into_module().unwrap();
        let shape = ArrayShape::new(ElementType::F32, [1 << 26]);
        let ones = ArrayLiteral::filled(shape, Value::Float(1.0)).unwrap();
        let mut evaluator = Evaluator::new(&module).limits(Limits { steps: 100_000, ..Limits::default() });
        let mut run = evaluator.interpreter();
        let result = poll_until_blocked(run.run_entry(Cow::Owned(vec![ones.into()]))).unwrap();
        assert_eq!(result.unwrap_err().error.rule, "budget-steps");
        assert!(run.budget.meter.steps < 200_000);
    }
}
