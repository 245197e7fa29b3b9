//! Runs a job. Nothing here knows of threads.

use std::ops::ControlFlow;
use std::rc::Rc;

use super::handover::{self, Memory};
use super::job::{experiment, focus};
use super::wire::{Difference, Done, Failure, Iterations, Job, Progress, Reply};
use crate::hlo::eval::kernel::Kernels;
use crate::hlo::eval::meter::{Frame, Observer, Position};
use crate::hlo::parser::parse_edition;
use crate::hlo::{EvalError, InstructionId, Limits, Module};
use crate::i18n::Language;
use crate::ops::Data;
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::run::compared::{Compared, compare};
use crate::state::experiment::run::iterations;
use crate::state::experiment::run::summary::parts;

/// Milliseconds between two reports on the progress.
pub const PROGRESS_INTERVAL_MS: f64 = 100.0;

/// Observes a run and reports how far it is.
struct Watch<'a> {
    module: &'a Module,
    place: Option<Position>,
    clock: &'a dyn Fn() -> f64,
    /// When it last reported, in milliseconds.
    reported: f64,
    report: &'a mut dyn FnMut(Progress),
    /// The observed loop.
    carried: Option<iterations::LoopRecorder<'a>>,
}

impl Observer for Watch<'_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        if let Some(carried) = &mut self.carried {
            carried.value(frame, id, value);
        }
        ControlFlow::Continue(())
    }

    fn reached(&mut self, place: Position) {
        self.place = Some(place);
    }

    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        let now = (self.clock)();
        if now - self.reported >= PROGRESS_INTERVAL_MS {
            self.reported = now;
            let entry = self.module.entry_computation();
            let instruction = self.place.zip(entry).and_then(|(place, entry)| entry.get(place.instruction));
            (self.report)(Progress {
                steps,
                instruction: instruction.map(|i| i.name.clone()).unwrap_or_default(),
                cells: self.place.and_then(|place| place.cells),
            });
        }
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        false
    }
}

/// Runs a job; `clock` gives milliseconds, and `report` is called about ten times a second while it runs, and before each
/// kernel, which reports its own progress. The memory is that of the arrays of the reply.
pub async fn run(
    job: &Job,
    kernels: Option<Rc<dyn Kernels>>,
    clock: &dyn Fn() -> f64,
    report: &mut dyn FnMut(Progress),
) -> (Reply, Memory) {
    match values(job, kernels, clock, report).await {
        Ok((done, memory)) => (Reply::Done(done), memory),
        Err(failure) => (Reply::Failed(failure), Memory::new()),
    }
}

async fn values(
    job: &Job,
    kernels: Option<Rc<dyn Kernels>>,
    clock: &dyn Fn() -> f64,
    report: &mut dyn FnMut(Progress),
) -> Result<(Done, Memory), Failure> {
    // A page of another language than this worker's catalogues does not exist: both are of one release.
    let language = Language::for_tag(&job.language).unwrap_or(Language::ENGLISH);
    let experiment = experiment(job);
    let module = parse_edition(&job.text, experiment.edition).into_module().map_err(|error| Failure {
        message: error.message.say(language),
        rule: error.rule.to_owned(),
        hints: error.hints.iter().map(|hint| hint.message.say(language)).collect(),
        place: None,
    })?;
    let module = Rc::new(module);
    let carried = iterations::LoopRecorder::new(&module, focus(job), parts);
    let mut watch = Watch { module: &module, place: None, clock, reported: clock(), report, carried };
    let limits = Limits { steps: job.max_steps, bytes: job.max_bytes };
    let failed = |error| failure(&error, &module, language);
    let ran =
        FinishedRun::with_kernels(&experiment, &module, limits, &mut watch, kernels).await.map_err(failed)?;
    let (mut done, memory) = handover::done(job, &ran).map_err(|error| Failure {
        message: error.message.say(language),
        rule: error.rule.to_owned(),
        hints: Vec::new(),
        place: None,
    })?;
    let carried = watch.carried.take().and_then(iterations::LoopRecorder::seen);
    done.carried =
        carried.map(|carried| (job.focus, Iterations { states: carried.states, is_cut: carried.is_cut }));
    if job.compares {
        let reference = FinishedRun::with_kernels(&experiment, &module, limits, &mut watch, None).await;
        done.difference = difference(job, &ran, &reference.map_err(failed)?);
    }
    Ok((done, memory))
}

/// How the observed value differs from that of the reference evaluator.
fn difference(job: &Job, ran: &FinishedRun, reference: &FinishedRun) -> Option<Difference> {
    let focus = focus(job);
    let Compared { all, differing, worst } = compare(ran.value(focus)?, reference.value(focus)?)?;
    let worst = worst.map(|w| (w.index.to_vec(), w.kernel, w.definition, w.units));
    Some(Difference { all, differing, worst })
}

/// An error of a run, in a language.
pub fn failure(error: &EvalError, module: &Module, language: Language) -> Failure {
    let place = error.at.and_then(|(computation, instruction)| {
        let computation = module.get(computation)?;
        Some((computation.name.clone(), computation.get(instruction)?.name.clone()))
    });
    Failure {
        message: error.error.message.say(language),
        rule: error.error.rule.to_owned(),
        hints: error.error.hints.iter().map(|hint| hint.message.say(language)).collect(),
        place,
    }
}
