//! A run whose values are observed.

use std::ops::ControlFlow;
use std::rc::Rc;

use super::environment::Environment;
use crate::array::Literal;
use crate::hlo::eval::kernel::{Kernels, MIN_KERNEL_WORK};
use crate::hlo::eval::meter::{Frame, Observer, Position};
use crate::hlo::{EvalError, Evaluator, InstructionId, Module, Outcome};
use crate::ops::Data;
use crate::worker::evaluation::job::LIMITS;
use crate::worker::evaluation::run::PROGRESS_INTERVAL_MS;
use crate::worker::program::wire::TaskProgress;

/// Receives the values of a run.
pub trait Receiver {
    /// The value of an instruction; `Break` ends the run.
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()>;

    /// The progress of the run, about ten times a second.
    fn progress(&mut self, _: Progress) {}
}

/// The progress of a run.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Steps done.
    pub steps: u64,
    /// The name of the running instruction.
    pub name: String,
}

struct Observed<'a> {
    module: &'a Module,
    position: Option<Position>,
    clock: &'a dyn Fn() -> f64,
    reported_ms: f64,
    receiver: &'a mut dyn Receiver,
}

impl Observer for Observed<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        self.receiver.value(frame, id, value)
    }

    fn reached(&mut self, position: Position) {
        self.position = Some(position);
    }

    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        let now = (self.clock)();
        if now - self.reported_ms >= PROGRESS_INTERVAL_MS {
            self.reported_ms = now;
            let id = self.position.map(|position| position.instruction).unwrap_or_default();
            let instruction = self.module.entry_computation().and_then(|entry| entry.get(id));
            let name = instruction.map(|instruction| instruction.unique_name(id)).unwrap_or_default();
            self.receiver.progress(Progress { steps, name });
        }
        ControlFlow::Continue(())
    }
}

/// An evaluator of a module with the limits of the page.
fn evaluator<'a>(
    module: &'a Module,
    seed: u32,
    kernels: Option<Rc<dyn Kernels>>,
    observed: &'a mut Observed<'_>,
) -> Evaluator<'a> {
    let evaluator = Evaluator::new(module).seed(seed.into()).limits(LIMITS).observer(observed);
    match kernels {
        Some(kernels) => evaluator.kernels(kernels, MIN_KERNEL_WORK),
        None => evaluator,
    }
}

/// Runs a module; the receiver gets its values.
///
/// # Errors
///
/// Errors of the run; `cancelled` if the receiver ended it.
pub async fn run(
    module: &Module,
    arguments: &[Literal],
    seed: u32,
    kernels: Option<Rc<dyn Kernels>>,
    clock: &dyn Fn() -> f64,
    receiver: &mut dyn Receiver,
) -> Result<(), EvalError> {
    let mut observed = Observed { module, position: None, clock, reported_ms: clock(), receiver };
    evaluator(module, seed, kernels, &mut observed).run_async(arguments).await.map(|_| ())
}

/// Reports the progress of a run, and records nothing: the outcome has the values.
struct Reporter<'a, 'e>(&'a mut Environment<'e>);

impl Receiver for Reporter<'_, '_> {
    fn value(&mut self, _: Frame, _: InstructionId, _: &Data) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, progress: Progress) {
        report(self.0, false, progress);
    }
}

/// Runs a module, and keeps the values of its entry computation.
///
/// # Errors
///
/// Errors of the run.
pub async fn run_with_values(
    module: &Module,
    arguments: Vec<Literal>,
    seed: u32,
    environment: &mut Environment<'_>,
) -> Result<Outcome, EvalError> {
    let (clock, kernels) = (environment.clock, environment.kernels.clone());
    let mut reporter = Reporter(environment);
    let mut observed =
        Observed { module, position: None, clock, reported_ms: clock(), receiver: &mut reporter };
    evaluator(module, seed, kernels, &mut observed).run_with_values_owned_async(arguments).await
}

/// Reports the progress of a run in the form of a task.
pub fn report(environment: &mut Environment<'_>, is_second: bool, progress: Progress) {
    let Progress { steps, name } = progress;
    (environment.report)(TaskProgress::Run { is_second, steps, name });
}
