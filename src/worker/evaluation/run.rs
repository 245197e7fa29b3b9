//! Runs a job, independently of workers.

use std::ops::ControlFlow;
use std::rc::Rc;

use super::job::{experiment, focus};
use super::transfer::{self, ArrayBytes};
use super::wire::{Difference, Done, Failure, Iterations, Job, Progress, Reply};
use crate::hlo::eval::kernel::Kernels;
use crate::hlo::eval::meter::{Frame, Observer, Position};
use crate::hlo::parser::parse_edition;
use crate::hlo::{EvalError, InstructionId, Limits, Module};
use crate::i18n::Language;
use crate::ops::Data;
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::run::comparison::{Comparison, compare};
use crate::state::experiment::run::iterations;
use crate::state::experiment::run::summary::element_summaries;

/// Milliseconds between two progress reports.
pub const PROGRESS_INTERVAL_MS: f64 = 100.0;

/// Observes a run, records its loop and reports progress.
struct RunObserver<'a> {
    module: &'a Module,
    position: Option<Position>,
    clock: &'a dyn Fn() -> f64,
    /// The time of the last report, in milliseconds.
    reported_ms: f64,
    report: &'a mut dyn FnMut(Progress),
    /// Records the observed instruction, if it is a loop.
    recorder: Option<iterations::LoopRecorder<'a>>,
}

impl Observer for RunObserver<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        if let Some(recorder) = &mut self.recorder {
            recorder.observe(frame, id, value);
        }
        ControlFlow::Continue(())
    }

    fn reached(&mut self, position: Position) {
        self.position = Some(position);
    }

    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        let now = (self.clock)();
        if now - self.reported_ms >= PROGRESS_INTERVAL_MS {
            self.reported_ms = now;
            let entry = self.module.entry_computation();
            let instruction =
                self.position.zip(entry).and_then(|(position, entry)| entry.get(position.instruction));
            (self.report)(Progress {
                steps,
                // Before the first instruction there is none, and the report shows the steps alone.
                instruction: instruction.map(|i| i.name.clone()).unwrap_or_default(),
                cells: self.position.and_then(|position| position.cells),
            });
        }
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        false
    }
}

/// Runs a job and returns the reply with the buffers of its arrays. `clock` returns milliseconds; `report` is called
/// about ten times a second, and before each kernel, which reports its own progress.
pub async fn run(
    job: &Job,
    kernels: Option<Rc<dyn Kernels>>,
    clock: &dyn Fn() -> f64,
    report: &mut dyn FnMut(Progress),
) -> (Reply, ArrayBytes) {
    match evaluate(job, kernels, clock, report).await {
        Ok((done, memory)) => (Reply::Done(done), memory),
        Err(failure) => (Reply::Failed(failure), ArrayBytes::new()),
    }
}

async fn evaluate(
    job: &Job,
    kernels: Option<Rc<dyn Kernels>>,
    clock: &dyn Fn() -> f64,
    report: &mut dyn FnMut(Progress),
) -> Result<(Done, ArrayBytes), Failure> {
    // Page and worker are of one release, so every language of the page is known here.
    let language = Language::for_tag(&job.language).unwrap_or(Language::ENGLISH);
    let experiment = experiment(job);
    let module = parse_edition(&job.text, experiment.edition).into_module().map_err(|error| Failure {
        message: error.message.localize(language),
        rule: error.rule.to_owned(),
        hints: error.hints.iter().map(|hint| hint.message.localize(language)).collect(),
        ..Failure::default()
    })?;
    let module = Rc::new(module);
    let recorder = iterations::LoopRecorder::new(&module, focus(job), element_summaries);
    let mut observer =
        RunObserver { module: &module, position: None, clock, reported_ms: clock(), report, recorder };
    let limits = Limits { steps: job.max_steps, bytes: job.max_bytes };
    let to_failure = |error| failure(&error, &module, language);
    let finished = FinishedRun::run_with_kernels(&experiment, &module, limits, &mut observer, kernels)
        .await
        .map_err(to_failure)?;
    let (mut done, memory) = transfer::transfer(job, &finished).map_err(|error| Failure {
        message: error.message.localize(language),
        rule: error.rule.to_owned(),
        ..Failure::default()
    })?;
    let iterations = observer.recorder.take().and_then(iterations::LoopRecorder::finish);
    done.iterations = iterations
        .map(|record| (job.focus, Iterations { states: record.states, is_truncated: record.is_truncated }));
    if job.compares_with_reference {
        let reference =
            FinishedRun::run_with_kernels(&experiment, &module, limits, &mut observer, None).await;
        done.difference = difference(job, &finished, &reference.map_err(to_failure)?);
    }
    Ok((done, memory))
}

/// The difference between the observed value and that of the reference evaluator.
fn difference(job: &Job, finished: &FinishedRun, reference: &FinishedRun) -> Option<Difference> {
    let focus = focus(job);
    let Comparison { total, mismatches, worst } = compare(finished.value(focus)?, reference.value(focus)?)?;
    let worst = worst.map(|w| (w.index.to_vec(), w.kernel, w.reference, w.ulps));
    Some(Difference { total, mismatches, worst })
}

/// An error of a run, in a language.
pub fn failure(error: &EvalError, module: &Module, language: Language) -> Failure {
    let at = error.at.and_then(|(computation, instruction)| {
        let computation = module.get(computation)?;
        Some((computation.name.clone(), computation.get(instruction)?.name.clone()))
    });
    Failure {
        message: error.error.message.localize(language),
        rule: error.error.rule.to_owned(),
        hints: error.error.hints.iter().map(|hint| hint.message.localize(language)).collect(),
        at,
        parameter: None,
    }
}
