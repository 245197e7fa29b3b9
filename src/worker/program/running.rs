//! A run of a program, and the values of its instructions. Independent of workers.
//!
//! The values of the entry computation are kept if they are small. Any other value, of a large program or of a body, is
//! computed again when it is shown: by a plan, or by running the program up to the execution that the query names.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use super::argument_files::ArgumentFiles;
use super::arguments::arguments;
use super::cell_target::locate;
use super::environment::Environment;
use super::events::EventExecutions;
use super::ids::{at, find, name, reference};
use super::parsing::parse;
use super::planned_run::{self, CompletedRun, PlannedRun};
use super::saving::to_file;
use super::statistics::{brief, statistics};
use super::timeline::TimelineRecorder;
use super::window::window;
use super::wire::{
    Event, Growth, InstructionKey, Job, Ran, RunProgress, RunReply, RunRequest, ValuePage, ValueQuery, Window,
};
use crate::array::{ArrayLiteral, Literal};
use crate::hlo::eval::kernel::{ComputedBy, MIN_KERNEL_WORK};
use crate::hlo::eval::meter::{Frame, Observer, Position};
use crate::hlo::{EvalError, Evaluator, Instruction, InstructionId, Module, Outcome};
use crate::i18n::{Language, Message};
use crate::inspect::flow::value_bytes;
use crate::inspect::values::{NonFiniteEvent, NumericsObserver};
use crate::ops::{ComputationId, Data};
use crate::state::experiment::run::leaves;
use crate::worker::evaluation::job::LIMITS;
use crate::worker::evaluation::run::{PROGRESS_INTERVAL_MS, failure};
use crate::worker::evaluation::wire::Failure;

mod traces;

/// Maximum bytes of all values of an entry computation that are kept.
const MAX_KEPT_BYTES: u64 = 256 << 20;

/// Maximum arrays of a tuple that are listed.
const MAX_LEAVES: usize = 4_096;

/// Maximum characters of a ratio of magnitudes.
const MAX_RATIO_CHARS: usize = 6;

/// Maximum source cells that are listed of a cell.
const MAX_SOURCES: usize = 1 << 14;

/// A program that ran.
pub struct Execution {
    job: Job,
    files: Rc<dyn ArgumentFiles>,
    language: Language,
    module: Rc<Module>,
    /// The values of the entry computation, if they are kept.
    outcome: Option<Outcome>,
    /// How often each instruction was executed, by computation.
    executions: Vec<Vec<u64>>,
    /// The last value that was computed again: its instruction, the index of the execution, and the value.
    recomputed: Option<(InstructionKey, u64, Data)>,
    /// The plans of a large program.
    planned: Option<PlannedRun>,
    /// Values of the call in which cells were traced last.
    frame: Option<RecordedFrame>,
}

/// Values of one call of a computation.
struct RecordedFrame {
    /// The instruction whose cells are traced.
    at: InstructionKey,
    execution: u64,
    outcome: Outcome,
    /// Whether the values of all instructions are known; else those of the instruction and its operands.
    is_whole: bool,
}

/// Observes a run: counts executions, follows the course of values, reports progress, and ends the run at a wanted value.
struct RunObserver<'a, 'r> {
    module: &'a Module,
    position: Option<Position>,
    environment: &'a mut Environment<'r>,
    reported_ms: f64,
    executions: Option<Vec<Vec<u64>>>,
    numerics: Option<NumericsObserver<'a>>,
    event_executions: EventExecutions,
    /// The instruction whose value is wanted, and its executions before the wanted one.
    wanted: Option<(InstructionKey, u64)>,
    /// The wanted value, once it was computed.
    found: Option<Data>,
    wants_all: bool,
}

impl Observer for RunObserver<'_, '_> {
    fn value(&mut self, frame: Frame, id: InstructionId, value: &Data) -> ControlFlow<()> {
        let at = (frame.computation.0 as usize, id.index());
        let count = self.executions.as_mut().and_then(|counts| counts.get_mut(at.0)?.get_mut(at.1));
        let execution = count.map_or(0, |count| {
            *count += 1;
            *count - 1
        });
        if let Some(numerics) = &mut self.numerics {
            numerics.record(frame, id, value);
            self.event_executions.record(numerics, frame, id, execution);
        }
        if let Some((wanted, remaining)) = &mut self.wanted
            && (wanted.computation, wanted.instruction) == (frame.computation.0, id.0)
        {
            if *remaining == 0 {
                self.found = Some(value.clone());
                return ControlFlow::Break(());
            }
            *remaining -= 1;
        }
        ControlFlow::Continue(())
    }

    fn reached(&mut self, position: Position) {
        self.position = Some(position);
    }

    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        let now = (self.environment.clock)();
        if now - self.reported_ms >= PROGRESS_INTERVAL_MS {
            self.reported_ms = now;
            let id = self.position.map(|position| position.instruction).unwrap_or_default();
            let entry = self.module.entry_computation();
            let instruction = entry.and_then(|entry| entry.get(id));
            (self.environment.report)(RunProgress {
                steps,
                instruction: id.0,
                name: instruction.map(|instruction| name(id, instruction)).unwrap_or_default(),
            });
        }
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        self.wants_all
    }
}

/// A failure that belongs to no instruction.
fn general_failure(language: Language, rule: &'static str, message: &Message) -> Failure {
    Failure { message: message.localize(language), rule: rule.to_owned(), ..Failure::default() }
}

impl Execution {
    /// Runs a program.
    ///
    /// # Errors
    ///
    /// The first error of the text, an argument that is no value of its parameter, and errors of the run.
    pub async fn run(
        job: Job,
        files: Rc<dyn ArgumentFiles>,
        environment: &mut Environment<'_>,
    ) -> Result<(Self, Ran), Failure> {
        let language = Language::for_tag(&job.language).unwrap_or(Language::ENGLISH);
        let (_, parsed) = parse(&job.text);
        let module = parsed.into_module().map_err(|error| Failure {
            message: error.message.localize(language),
            rule: error.rule.to_owned(),
            hints: error.hints.iter().map(|hint| hint.message.localize(language)).collect(),
            ..Failure::default()
        })?;
        let module = Rc::new(module);
        let entry = module.entry_computation().ok_or_else(|| {
            general_failure(language, "hlo-no-entry", &Message::program("program-no-entry"))
        })?;
        // Values of unknown size are not kept.
        let size = |i: &Instruction| value_bytes(&i.shape).unwrap_or(u64::MAX);
        let kept = entry.instructions.iter().map(size).fold(0, u64::saturating_add);
        let keeps_values = kept <= MAX_KEPT_BYTES;
        let mut execution = Self {
            executions: module.computations.iter().map(|c| vec![0; c.instructions.len()]).collect(),
            job,
            files,
            language,
            module: module.clone(),
            outcome: None,
            recomputed: None,
            planned: None,
            frame: None,
        };
        let planned = planned_run::run(&execution.job, &*execution.files, &module, language, environment);
        if let Some(completed) = planned.await? {
            let ran = execution.adopt_planned_run(completed);
            return Ok((execution, ran));
        }
        let arguments = arguments(&execution.job, &module, &*execution.files, language)?;
        let counts = std::mem::take(&mut execution.executions);
        let started = (environment.clock)();
        let mut observer = RunObserver {
            module: &module,
            position: None,
            reported_ms: started,
            environment,
            executions: Some(counts),
            numerics: Some(NumericsObserver::new(&module)),
            event_executions: EventExecutions::default(),
            wanted: None,
            found: None,
            wants_all: false,
        };
        let kernels = observer.environment.kernels.clone();
        let mut evaluator = execution.evaluator(&module).observer(&mut observer);
        if let Some(kernels) = kernels {
            evaluator = evaluator.kernels(kernels, MIN_KERNEL_WORK);
        }
        let outcome = if keeps_values {
            evaluator.run_with_values_owned_async(arguments).await.map(Some)
        } else {
            evaluator.run_async(&arguments).await.map(|_| None)
        };
        drop(evaluator);
        let outcome = outcome.map_err(|error| execution.failure(&error))?;
        execution.executions = observer.executions.take().unwrap_or_default();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration")]
        let milliseconds = ((observer.environment.clock)() - started).max(0.0) as u64;
        let numerics = observer.numerics.take();
        let executions = observer.event_executions;
        let event = |found: Option<&NonFiniteEvent>, number: Option<u64>| {
            let found = found?;
            let id = (found.frame.computation, found.instruction);
            execution.event(id, found.is_inherited, number.unwrap_or(0))
        };
        let growth =
            numerics.as_ref().and_then(|numerics| numerics.largest_growth.as_ref()).and_then(|growth| {
                let of = execution.event(
                    (growth.frame.computation, growth.instruction),
                    false,
                    executions.growth,
                )?;
                let ratio = brief(growth.ratio(), MAX_RATIO_CHARS);
                Some(Growth { at: of.at, name: of.name, ratio, execution: of.execution })
            });
        let ran = Ran {
            steps: outcome.as_ref().map_or(0, |outcome| outcome.steps),
            milliseconds,
            keeps_values,
            is_planned: false,
            workers: 1,
            first_nan: event(
                numerics.as_ref().and_then(|numerics| numerics.first_nan.as_ref()),
                executions.nan,
            ),
            first_computed_infinity: event(
                numerics.as_ref().and_then(|numerics| numerics.first_computed_infinity.as_ref()),
                executions.infinity,
            ),
            largest_growth: growth,
        };
        execution.outcome = outcome;
        Ok((execution, ran))
    }

    /// Adopts the result, statistics and plans of a run by a plan.
    fn adopt_planned_run(&mut self, completed: CompletedRun) -> Ran {
        let CompletedRun { run, result, statistics, workers, milliseconds } = completed;
        for (id, executions) in &statistics.executions {
            let counts = self.executions.get_mut(id.0.0 as usize);
            if let Some(count) = counts.and_then(|counts| counts.get_mut(id.1.index())) {
                *count = *executions;
            }
        }
        let event = |found: Option<crate::plan::NonFiniteEvent>| {
            found.and_then(|event| self.event(event.at, event.is_inherited, event.execution))
        };
        let growth = statistics.largest_growth.and_then(|growth| {
            let of = self.event(growth.at, false, growth.execution)?;
            let ratio = brief(growth.ratio, MAX_RATIO_CHARS);
            Some(Growth { at: of.at, name: of.name, ratio, execution: of.execution })
        });
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration")]
        let ran = Ran {
            steps: statistics.steps,
            milliseconds: milliseconds.max(0.0) as u64,
            keeps_values: false,
            is_planned: true,
            workers,
            first_nan: event(statistics.first_nan),
            first_computed_infinity: event(statistics.first_computed_infinity),
            largest_growth: growth,
        };
        let entry = self.module.entry.zip(self.module.entry_computation());
        let root = entry.and_then(|(id, entry)| Some(at((id, entry.root?))));
        self.recomputed = root.map(|root| (root, 0, result));
        self.planned = Some(run);
        ran
    }

    fn evaluator<'m>(&self, module: &'m Module) -> Evaluator<'m> {
        Evaluator::new(module).seed(self.job.seed.into()).limits(LIMITS)
    }

    fn failure(&self, error: &EvalError) -> Failure {
        failure(error, &self.module, self.language)
    }

    fn event(&self, id: (ComputationId, InstructionId), is_inherited: bool, execution: u64) -> Option<Event> {
        let (_, instruction) = find(&self.module, at(id))?;
        Some(Event { at: at(id), name: name(id.1, instruction), is_inherited, execution })
    }

    fn is_in_entry(&self, at: InstructionKey) -> bool {
        self.module.entry == Some(ComputationId(at.computation))
    }

    fn executions(&self, at: InstructionKey) -> u64 {
        let counts = self.executions.get(at.computation as usize);
        counts.and_then(|counts| counts.get(at.instruction as usize)).copied().unwrap_or(0)
    }

    /// The value of an instruction.
    async fn value(
        &mut self,
        at: InstructionKey,
        execution: u64,
        environment: &mut Environment<'_>,
    ) -> Result<Data, Failure> {
        let kept = self.outcome.as_ref().filter(|_| self.is_in_entry(at));
        if let Some(value) = kept.and_then(|outcome| outcome.values.get(InstructionId(at.instruction))) {
            return Ok(value.clone());
        }
        if let Some((_, _, value)) = self
            .recomputed
            .as_ref()
            .filter(|(instruction, number, _)| (*instruction, *number) == (at, execution))
        {
            return Ok(value.clone());
        }
        let planned = self.planned.as_ref();
        let by_plan = planned.map(|run| run.value(&self.module, (at, execution), self.language));
        if let Some(value) = by_plan.transpose()?.flatten() {
            self.recomputed = Some((at, execution, value.clone()));
            return Ok(value);
        }
        // An instruction that the result does not need has not run.
        let wants_all = self.executions(at) == 0;
        let value = self.recompute(at, execution, wants_all, environment).await?;
        self.recomputed = Some((at, execution, value.clone()));
        Ok(value)
    }

    /// Runs the program until an instruction has been executed `execution` times more.
    async fn recompute(
        &self,
        at: InstructionKey,
        execution: u64,
        wants_all: bool,
        environment: &mut Environment<'_>,
    ) -> Result<Data, Failure> {
        let module = self.module.clone();
        let arguments = arguments(&self.job, &module, &*self.files, self.language)?;
        let reported_ms = (environment.clock)();
        let kernels = environment.kernels.clone();
        let mut observer = RunObserver {
            module: &module,
            position: None,
            environment,
            reported_ms,
            executions: None,
            numerics: None,
            event_executions: EventExecutions::default(),
            wanted: Some((at, execution)),
            found: None,
            wants_all,
        };
        let mut evaluator = self.evaluator(&module).observer(&mut observer);
        if let Some(kernels) = kernels {
            evaluator = evaluator.kernels(kernels, MIN_KERNEL_WORK);
        }
        let ended = evaluator.run_async(&arguments).await;
        drop(evaluator);
        match (observer.found, ended) {
            (Some(value), _) => Ok(value),
            (None, Err(error)) => Err(self.failure(&error)),
            (None, Ok(_)) => {
                Err(general_failure(self.language, "not-executed", &Message::program("program-not-executed")))
            }
        }
    }

    /// Answers a request other than [`RunRequest::Run`], with the cells of the value's window.
    ///
    /// # Errors
    ///
    /// Errors of the run that computes a value again, and `not-executed`.
    pub async fn answer(
        &mut self,
        request: RunRequest,
        environment: &mut Environment<'_>,
    ) -> Result<(RunReply, Option<Vec<u8>>), Failure> {
        match request {
            RunRequest::Run(job) => {
                let (execution, ran) = Self::run(job, self.files.clone(), environment).await?;
                *self = execution;
                Ok((RunReply::Ran(ran), None))
            }
            RunRequest::Value(query) => {
                let value = self.value(query.at, query.execution, environment).await?;
                self.page(query, &value)
            }
            RunRequest::Save(query, format) => {
                let value = self.value(query.at, query.execution, environment).await?;
                let name = find(&self.module, query.at).map(|(_, i)| name(reference(query.at).1, i));
                let name = name.unwrap_or_default();
                let file = to_file(&name, &value, query.leaf, format);
                let (name, bytes) =
                    file.map_err(|(rule, message)| general_failure(self.language, rule, &message))?;
                Ok((RunReply::Saved(name), Some(bytes)))
            }
            RunRequest::Sources(query) => {
                if !self.compute_operands(query.at, query.execution) {
                    self.record(query.at, query.execution, environment).await?;
                }
                Ok((RunReply::Sources(self.sources(&query)?), None))
            }
            RunRequest::TraceBack(query) => {
                self.record(query.at, query.execution, environment).await?;
                self.trace(query, false)
            }
            RunRequest::TraceOn(query) => {
                self.record(query.at, query.execution, environment).await?;
                self.trace(query, true)
            }
            RunRequest::Timeline { at, leaf } => {
                let mut recorder = TimelineRecorder::new(at, leaf);
                self.observe(&mut recorder, environment).await?;
                Ok((RunReply::Timeline(recorder.finish()), None))
            }
        }
    }

    fn page(&self, mut query: ValueQuery, value: &Data) -> Result<(RunReply, Option<Vec<u8>>), Failure> {
        let arrays = leaves(value);
        let cell = locate(&mut query, &arrays);
        let listed = arrays.iter().take(MAX_LEAVES);
        let listed = listed.map(|(path, array)| (path.clone(), array.shape().to_string())).collect();
        let mut page = ValuePage {
            executions: self.executions(query.at),
            kernel: self.kernel(query.at),
            leaves: listed,
            window: None,
            cell,
            statistics: None,
            query,
        };
        let leaf: Option<&Arc<ArrayLiteral>> = arrays.get(page.query.leaf).map(|(_, array)| array);
        let Some(array) = leaf else { return Ok((RunReply::Value(Box::new(page)), None)) };
        let memory = |error: crate::array::literal::LiteralError| Failure {
            message: error.message.localize(self.language),
            rule: error.rule.to_owned(),
            ..Failure::default()
        };
        let (start, cells) = window(array, &page.query.start).map_err(memory)?;
        page.window = Some(Window {
            start: start.to_vec(),
            shape: cells.shape().to_string(),
            sizes: array.shape().dimensions.to_vec(),
            // Without finite values the range is not used.
            range: array.finite_range().unwrap_or((0.0, 1.0)),
        });
        page.statistics = Some(statistics(array));
        let raw = cells.to_raw().map_err(memory)?;
        Ok((RunReply::Value(Box::new(page)), Some(raw)))
    }

    /// The kernel that computed a kept value.
    fn kernel(&self, at: InstructionKey) -> Option<String> {
        let outcome = self.outcome.as_ref().filter(|_| self.is_in_entry(at))?;
        match outcome.values.computed_by.get(at.instruction as usize)?.as_ref()? {
            ComputedBy::Kernel(name, ..) | ComputedBy::Substitute { kernel: name, .. } => Some(name.clone()),
            ComputedBy::Reference(_) => None,
        }
    }

    /// The value of the entry computation, if it is kept.
    pub fn result(&self) -> Option<Literal> {
        let root = self.module.entry_computation()?.root?;
        Some(self.outcome.as_ref()?.values.get(root)?.to_literal())
    }
}
