//! The reference evaluator: runs a module on arguments, instruction by instruction, cell by cell, within a budget.
//!
//! A run can wait for the host; [`Evaluator::run`] is for those that need not. [`super::replicas`] runs several
//! devices, [`super::tracer`] answers where cells of an [`Outcome`] came from.

use std::borrow::Cow;
use std::rc::Rc;

use super::budget::Budget;
use super::device::Device;
use super::host::Host;
use super::interpreter::{Interpreter, KernelSettings, Settings};
use super::kernel::Kernels;
use super::meter::{Limits, Observer};
use super::outcome::Outcome;
use super::tracer::Tracer;
use super::values::EvalError;
use super::waiting::poll_to_end;
use crate::module::Module;
use xla_array::{Edition, Literal};

/// Runs one module. Each run begins anew: with the whole budget, and with random numbers from the seed.
pub struct Evaluator<'m> {
    settings: Settings<'m>,
    device: Device,
    observer: Option<&'m mut dyn Observer>,
}

impl<'m> Evaluator<'m> {
    /// An evaluator of a module without errors, in today's edition.
    pub fn new(module: &'m Module) -> Self {
        Self { settings: Settings::new(module), device: Device::default(), observer: None }
    }

    /// In an edition.
    #[must_use]
    pub fn edition(mut self, edition: Edition) -> Self {
        self.settings.edition = edition;
        self
    }

    /// Within other limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// With another seed than 0 for the ops that draw random numbers.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// With an observer; then every instruction is run, also those the result does not need, except for those that
    /// wait for other devices.
    #[must_use]
    pub fn observer(mut self, observer: &'m mut dyn Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// With the queues and functions of a host; without, queues are empty and only [`Host::default`]'s functions
    /// are known.
    #[must_use]
    pub fn host(mut self, host: &Host) -> Self {
        self.device.host = host.clone();
        self
    }

    /// With kernels for tasks of `min_steps` steps or more ([`super::kernel::MIN_KERNEL_STEPS`] is what pays);
    /// without, every op runs its body.
    #[must_use]
    pub fn kernels(mut self, kernels: Rc<dyn Kernels + 'm>, min_steps: u64) -> Self {
        self.settings.kernels = Some(KernelSettings { kernels, min_steps });
        self
    }

    /// The value of the entry computation. Errors: `arguments` where these are not its arguments; those of the
    /// ops; `budget-steps`, `budget-bytes`; `cancelled`; `waiting` where it would wait forever, as for an infeed
    /// whose queue is empty.
    pub fn run(&mut self, arguments: &[Literal]) -> Result<Literal, EvalError> {
        self.ready(async |run: &mut Interpreter| run.value_of_entry(Cow::Borrowed(arguments)).await)
    }

    /// As [`Evaluator::run`], with arguments that it takes over: they are held once. Errors: as there.
    pub fn run_owned(&mut self, arguments: Vec<Literal>) -> Result<Literal, EvalError> {
        self.ready(async |run: &mut Interpreter| run.value_of_entry(Cow::Owned(arguments)).await)
    }

    /// As [`Evaluator::run`], but waits for the host and for kernels in other workers. Errors: as there, never
    /// `waiting`.
    pub async fn run_async(&mut self, arguments: &[Literal]) -> Result<Literal, EvalError> {
        let mut run = self.interpreter();
        run.may_wait = true;
        run.value_of_entry(Cow::Borrowed(arguments)).await
    }

    /// The values of the entry computation's instructions. Errors: as [`Evaluator::run`].
    pub fn run_all(&mut self, arguments: &[Literal]) -> Result<Outcome, EvalError> {
        self.ready(async |run: &mut Interpreter| Outcome::of(run, Cow::Borrowed(arguments)).await)
    }

    /// As [`Evaluator::run_all`], with arguments that it takes over: they are held once. Errors: as there.
    pub fn run_all_owned(&mut self, arguments: Vec<Literal>) -> Result<Outcome, EvalError> {
        self.ready(async |run: &mut Interpreter| Outcome::of(run, Cow::Owned(arguments)).await)
    }

    /// As [`Evaluator::run_all_owned`], but waits for the host and for kernels in other workers. Errors: as there,
    /// never `waiting`.
    pub async fn run_all_owned_async(&mut self, arguments: Vec<Literal>) -> Result<Outcome, EvalError> {
        let mut run = self.interpreter();
        run.may_wait = true;
        Outcome::of(&mut run, Cow::Owned(arguments)).await
    }

    /// Answers where cells of an outcome of this module came from, by the same settings and within the same limits.
    pub fn tracer<'t>(&'t self, outcome: &'t Outcome) -> Tracer<'t> {
        let budget = Budget::new(self.settings.limits, None);
        Tracer::new(&self.settings, self.device.clone(), budget, outcome)
    }

    /// Runs as far as it gets without waiting. Errors: those of the run, `waiting`.
    fn ready<T>(
        &mut self,
        run: impl AsyncFnOnce(&mut Interpreter) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        let (waits, module) = (self.device.waits.clone(), self.settings.module);
        let mut interpreter = self.interpreter();
        poll_to_end(run(&mut interpreter)).unwrap_or_else(|| {
            // Without an entry, a future of the embedder waits.
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
    fn a_refused_run_never_holds_more_than_its_limit() {
        let each = |i| format!("b{i} = f64[13000000] broadcast(z), dimensions={{}} ");
        let names: Vec<String> = (0..20).map(|i| format!("b{i}")).collect();
        let each: String = (0..20).map(each).collect();
        let text = format!("ENTRY e {{ z = f64[] constant(1) {each} ROOT t = tuple({}) }}", names.join(", "));
        let module = parse(&format!("HloModule m {text}")).into_module().unwrap();
        let limits = Limits { bytes: 4 << 20, ..Limits::default() };
        let mut evaluator = Evaluator::new(&module).limits(limits);
        let mut run = evaluator.interpreter();
        let result = poll_to_end(run.entry(Cow::Borrowed(&[]))).unwrap();
        assert_eq!(result.unwrap_err().error.rule, "budget-bytes");
        assert!(run.budget.memory.peak() <= 4 << 20);
    }

    #[test]
    fn a_budget_ends_a_long_cell_too() {
        let text = "HloModule m ENTRY e { x = f32[67108864] parameter(0)
            ROOT r = dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0} }";
        let module = parse(text).into_module().unwrap();
        let shape = ArrayShape::new(ElementType::F32, [1 << 26]);
        let ones = ArrayLiteral::filled(shape, Value::Float(1.0)).unwrap();
        let mut evaluator = Evaluator::new(&module).limits(Limits { steps: 100_000, ..Limits::default() });
        let mut run = evaluator.interpreter();
        let result = poll_to_end(run.entry(Cow::Owned(vec![ones.into()]))).unwrap();
        assert_eq!(result.unwrap_err().error.rule, "budget-steps");
        assert!(run.budget.meter.steps < 200_000);
    }
}
