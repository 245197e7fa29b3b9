//! Runs of a program that keep the value of every instruction of the entry computation, and values from archives.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::rc::Rc;

use super::clock::{Clock, ClockedInput, StopReason};
use super::eval::{ArgumentTexts, arguments};
use super::output::Failure;
use super::program_arguments::RunArgs;
use super::report::{file_diagnostic, report, report_stop};
use crate::array::values::{ValueRule, ValueSource};
use crate::array::{ArrayLiteral, Literal, Shape};
use crate::diagnostic::{Diagnostic, Span};
use crate::files::{ArgumentReader, FileError, unreadable};
use crate::hlo::eval::kernel::{InProcess, MIN_KERNEL_WORK};
use crate::hlo::{EvalError, Evaluator, Frame, InstructionId, Limits, Module, Observer, Outcome};
use crate::inspect::compare::names::match_names;
use crate::inspect::cut::Program;
use crate::inspect::cut::shrink::Values;
use crate::inspect::start_indices::StartIndices;
use crate::inspect::values::{NumericsObserver, Recorder};
use crate::ops::Data;

/// The values and events of a run.
pub(super) struct Recording<'m> {
    /// The error that ended it.
    pub error: Option<EvalError>,
    /// The values of the entry computation's instructions.
    pub values: Values,
    /// Where NaN and infinities appeared.
    pub numerics: NumericsObserver<'m>,
}

/// Records a run, and ends it when the command must stop.
struct ClockedRecorder<'m> {
    recorder: Recorder<'m>,
    clock: Clock,
}

impl Observer for ClockedRecorder<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        self.recorder.value(frame, id, value)
    }

    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        ClockObserver(self.clock.clone()).progress(steps)
    }
}

/// Ends a run when the command must stop.
pub(super) struct ClockObserver(pub Clock);

impl Observer for ClockObserver {
    fn value(&mut self, _: Frame, _: InstructionId, _: &Data) -> ControlFlow<()> {
        self.progress(0)
    }

    fn progress(&mut self, _: u64) -> ControlFlow<()> {
        if self.0.stop_reason().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Runs a module and keeps the values of the entry computation.
pub(super) fn run_with_values(
    module: &Module,
    arguments: Vec<Literal>,
    limits: Limits,
    clock: &Clock,
) -> Result<Outcome, EvalError> {
    let mut observer = ClockObserver(clock.clone());
    let kernels = Rc::new(InProcess::default());
    let evaluator = Evaluator::new(module).limits(limits).kernels(kernels, MIN_KERNEL_WORK);
    evaluator.observer(&mut observer).run_with_values_owned(arguments)
}

/// Runs a module and records its values.
pub(super) fn record<'m>(
    module: &'m Module,
    arguments: Vec<Literal>,
    limits: Limits,
    clock: &Clock,
) -> Recording<'m> {
    let mut recorder = ClockedRecorder { recorder: Recorder::new(module), clock: clock.clone() };
    let kernels = Rc::new(InProcess::default());
    let evaluator = Evaluator::new(module).limits(limits).kernels(kernels, MIN_KERNEL_WORK);
    let result = evaluator.observer(&mut recorder).run_owned(arguments);
    let Recorder { values, numerics } = recorder.recorder;
    Recording { error: result.err(), values, numerics }
}

/// The arguments of a program: of the command line, random, or none if it has no parameters. `None` if there are
/// parameters without arguments.
pub(super) fn run_arguments(
    out: &mut impl Write,
    args: &RunArgs,
    replicas: usize,
    module: &Module,
    clock: &Clock,
) -> Result<Option<Vec<Literal>>, Failure> {
    run_arguments_like(out, args, replicas, (module, module), clock)
}

/// Like [`run_arguments`], with the same random arguments as another module, with which it is compared.
pub(super) fn run_arguments_like(
    out: &mut impl Write,
    args: &RunArgs,
    replicas: usize,
    (module, other): (&Module, &Module),
    clock: &Clock,
) -> Result<Option<Vec<Literal>>, Failure> {
    let parameters = module.interface().map(|interface| interface.parameters).unwrap_or_default();
    if let Some(seed) = args.random {
        let start_indices = StartIndices::of(other);
        let drawn = (seed..).zip(&parameters).enumerate();
        let random = drawn.map(|(number, (seed, shape))| match start_indices.random(number, shape, seed) {
            Some(drawn) => drawn
                .map(Literal::Array)
                .map_err(|error| Box::new(Diagnostic::error(Span::default(), error.rule, error.message))),
            None => random_value(shape, seed),
        });
        return random.collect::<Result<_, _>>().map(Some).map_err(|error| report(out, false, &error, ""));
    }
    if args.args.is_empty() && !parameters.is_empty() {
        return Ok(None);
    }
    let texts = ArgumentTexts { texts: &args.args, is_json: false, memory: args.memory, replicas };
    arguments(out, &texts, module, clock).map(Some)
}

/// A random value of a shape.
fn random_value(shape: &Shape, seed: u32) -> Result<Literal, Box<Diagnostic>> {
    match shape {
        Shape::Array(array) => {
            let invalid = |rule, message| Box::new(Diagnostic::error(Span::default(), rule, message));
            // Random values are not text, which alone can be unreadable.
            let Ok(source) = ValueSource::new(&ValueRule::Random(seed), array) else {
                return Literal::zeros(shape).map_err(|error| invalid(error.rule, error.message));
            };
            ArrayLiteral::from_fn(array.clone(), |number, _| source.value(number))
                .map(Literal::Array)
                .map_err(|error| invalid(error.rule, error.message))
        }
        // The parser limits the depth of tuples.
        Shape::Tuple(elements) => elements
            .iter()
            .map(|shape| random_value(shape, seed))
            .collect::<Result<_, _>>()
            .map(Literal::Tuple),
        other => Literal::zeros(other)
            .map_err(|error| Box::new(Diagnostic::error(Span::default(), error.rule, error.message))),
    }
}

/// A program with known arguments.
pub(super) fn program(module: Module, arguments: Vec<Literal>) -> Program {
    Program { module, arguments: arguments.into_iter().map(|literal| Some(Data::from(literal))).collect() }
}

/// The values of an archive for the instructions of the entry computation, by their names; and the names that no
/// instruction has.
pub(super) fn values_by_name(
    out: &mut impl Write,
    file: &str,
    module: &Module,
    memory: u64,
    clock: &Clock,
) -> Result<(BTreeMap<InstructionId, Data>, Vec<String>), Failure> {
    let is_cancelled = || clock.stop_reason().is_some();
    let mut reading = ArgumentReader::new(memory.saturating_mul(1 << 20), &is_cancelled);
    let mut read = || -> Result<_, FileError> {
        let inner = clock.exclude_wait(|| File::open(file)).map_err(|error| unreadable(file, &error))?;
        let mut input = ClockedInput { inner, clock };
        let entry = module.entry_computation();
        let names = ArgumentReader::names(file, &mut input)?;
        let matched = entry.map(|entry| match_names(entry, &names)).unwrap_or_default();
        let shape = |index: usize| Some(&entry?.get(*matched.matched.get(&index)?)?.shape);
        let mut values = BTreeMap::new();
        for (index, literal) in reading.read_members(file, &mut input, &shape)? {
            if let Some(id) = matched.matched.get(&index) {
                values.insert(*id, Data::from(literal));
            }
        }
        let other = matched.unknown.into_iter().chain(matched.ambiguous);
        Ok((values, other.filter_map(|index| names.get(index).cloned()).collect()))
    };
    read().map_err(|error| match error {
        FileError::Rejected { rule, message } => report(out, false, &file_diagnostic(rule, message), ""),
        FileError::Cancelled => {
            report_stop(out, false, clock.stop_reason().unwrap_or(StopReason::Interrupted))
        }
    })
}
