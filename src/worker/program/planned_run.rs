//! Runs a large program as a plan, and computes single values again afterwards. Independent of workers.

use std::cell::Cell;
use std::rc::Rc;

use super::argument_files::ArgumentFiles;
use super::arguments::{ArgumentSource, parameter_shapes};
use super::environment::Environment;
use super::ids::{find, reference};
use super::planned::{PlanFailure, PlanResult, Planned, is_planned};
use super::wire::{InstructionKey, Job, RunProgress};
use crate::array::{ArrayLiteral, Literal, Shape};
use crate::hlo::eval::budget::{too_many_bytes, too_many_steps};
use crate::hlo::eval::values::{RUN, Values};
use crate::hlo::{EvalError, Instruction, InstructionId, Module, Outcome};
use crate::i18n::Language;
use crate::ops::{Data, RandomPosition};
use crate::plan::RunStatistics;
use crate::stablehlo::{self, Dialect, dialect};
use crate::worker::evaluation::job::LIMITS;
use crate::worker::evaluation::run::{PROGRESS_INTERVAL_MS, failure};
use crate::worker::evaluation::wire::Failure;

/// A program that ran as a plan.
pub struct PlannedRun {
    planned: Box<dyn Planned>,
}

/// The result of a run by a plan.
pub struct CompletedRun {
    /// The run, for further values.
    pub run: PlannedRun,
    /// The result.
    pub result: Data,
    /// Statistics of the values.
    pub statistics: RunStatistics,
    /// The number of workers that have executed it.
    pub workers: usize,
    /// Milliseconds, without reading text and arguments.
    pub milliseconds: f64,
}

/// Calls `f` for the arrays of a value, depth first.
fn for_each_array<E>(literal: &Literal, f: &mut impl FnMut(&ArrayLiteral) -> Result<(), E>) -> Result<(), E> {
    match literal {
        Literal::Array(array) => f(array),
        Literal::Tuple(elements) => elements.iter().try_for_each(|element| for_each_array(element, f)),
        Literal::Token => Ok(()),
    }
}

impl PlanFailure {
    /// The failure in a language; `None` if the evaluator has to run the program.
    fn in_language(self, module: &Module, language: Language) -> Option<Failure> {
        let (at, error) = match self {
            Self::Rejected => return None,
            Self::Bytes(at) => (at, too_many_bytes(RUN, LIMITS.bytes)),
            Self::Steps(at) => (at, too_many_steps(LIMITS.steps)),
        };
        Some(failure(&EvalError { at, error: Box::new(error) }, module, language))
    }
}

/// An observer of a plan that reports progress with the names of instructions.
fn progress_observer(module: &Rc<Module>, environment: &Environment) -> Rc<dyn Fn(u64, InstructionId)> {
    let (module, report, clock) = (module.clone(), environment.report.clone(), environment.clock);
    let reported_ms = Cell::new(clock());
    Rc::new(move |steps, id| {
        let now = clock();
        if now - reported_ms.get() >= PROGRESS_INTERVAL_MS {
            reported_ms.set(now);
            let instruction = module.entry_computation().and_then(|entry| entry.get(id));
            let name = instruction.map(|instruction| instruction.unique_name(id)).unwrap_or_default();
            report(RunProgress { steps, instruction: id.0, name });
        }
    })
}

/// Runs a program as a plan; `None` if it is small, or plans do not support it: the evaluator has to run it.
///
/// # Errors
///
/// An argument that is no value of its parameter, and exceeded limits.
pub async fn run(
    job: &Job,
    files: &dyn ArgumentFiles,
    module: &Rc<Module>,
    language: Language,
    environment: &Environment<'_>,
) -> Result<Option<CompletedRun>, Failure> {
    if !is_planned(module) {
        return Ok(None);
    }
    let Some(open) = (environment.plans)().await else { return Ok(None) };
    let translated;
    let text = match dialect(&job.text) {
        Dialect::Hlo => job.text.as_str(),
        Dialect::StableHlo => {
            translated = stablehlo::translate(&job.text).hlo;
            translated.as_str()
        }
    };
    let Some(planned) = open(text, job.seed, progress_observer(module, environment)) else {
        return Ok(None);
    };
    // One argument at a time: together they may be most of the memory.
    let mut source = ArgumentSource::new(job, module, files, language);
    let mut count = 0;
    for (number, shape) in parameter_shapes(module).iter().enumerate() {
        let argument = source.argument(number, shape)?;
        let written = for_each_array(&argument, &mut |array| {
            count += 1;
            planned.write_argument(count - 1, array)
        });
        match written.map_err(|failure| failure.in_language(module, language)) {
            Ok(()) => {}
            Err(Some(failure)) => return Err(failure),
            Err(None) => return Ok(None),
        }
    }
    let Some(root) = module.entry_computation().and_then(|entry| entry.get(entry.root?)) else {
        return Ok(None);
    };
    let started = (environment.clock)();
    match planned.run_with_statistics(&root.shape, LIMITS).await {
        Ok(PlanResult { result, statistics, workers }) => {
            let milliseconds = (environment.clock)() - started;
            let run = PlannedRun { planned };
            Ok(Some(CompletedRun { run, result, statistics, workers, milliseconds }))
        }
        Err(failure) => failure.in_language(module, language).map_or(Ok(None), Err),
    }
}

impl PlannedRun {
    /// The value of an instruction in one of its executions; `Ok(None)` if the evaluator has to compute it.
    ///
    /// # Errors
    ///
    /// Exceeded limits.
    pub fn value(
        &self,
        module: &Module,
        (at, execution): (InstructionKey, u64),
        language: Language,
    ) -> Result<Option<Data>, Failure> {
        let Some((_, instruction)) = find(module, at) else { return Ok(None) };
        let found = self.planned.values(&[(at, instruction.shape.clone())], execution, LIMITS);
        match found {
            Ok(mut values) => Ok(values.pop().flatten()),
            Err(failure) => failure.in_language(module, language).map_or(Ok(None), Err),
        }
    }

    /// An outcome with the values of an instruction of the entry computation and of its operands, to trace its cells; `None` if it
    /// cannot be computed.
    pub fn outcome(&self, module: &Module, at: InstructionKey) -> Option<Outcome> {
        let (computation, instruction) = find(module, at)?;
        let mut ids = instruction.operands.clone();
        ids.push(InstructionId(at.instruction));
        ids.sort_unstable();
        ids.dedup();
        let with_shape = |id: &InstructionId| {
            let instruction: &Instruction = computation.get(*id)?;
            Some((InstructionKey { instruction: id.0, ..at }, instruction.shape.clone()))
        };
        let instructions: Vec<(InstructionKey, Shape)> = ids.iter().map(with_shape).collect::<Option<_>>()?;
        let found = self.planned.values(&instructions, 0, LIMITS).ok()?;
        let count = computation.instructions.len();
        let mut values = vec![None; count];
        for (id, value) in ids.iter().zip(found) {
            *values.get_mut(id.index())? = value;
        }
        let values = Values {
            computation: reference(at).0,
            values,
            random_positions: vec![RandomPosition::default(); count],
            computed_by: vec![None; count],
        };
        Some(Outcome::from_values(values, 0))
    }
}
