//! A run of a program, and the values of its instructions. Independent of workers.
//!
//! The values of the entry computation are kept if they are small. Any other value, of a large program or of a body, is
//! computed again when it is shown: by a plan, or by running the program up to the execution that the query names. A plan runs one
//! device; `devices` runs the evaluator on one or several.

use std::rc::Rc;
use std::sync::Arc;

use super::argument_files::ArgumentFiles;
use super::call_index::CallIndex;
use super::cell_target::locate;
use super::environment::Environment;
use super::ids::{at, find, reference};
use super::parsing::parse;
use super::planned::is_planned;
use super::planned_run::{self, CompletedRun, PlannedRun};
use super::saving::to_file;
use super::statistics::{brief, statistics};
use super::timeline::TimelineRecorder;
use super::window::window;
use super::wire::{
    Event, Growth, InstructionKey, Job, NumericEvents, Ran, RunReply, RunRequest, TraceQuery, ValuePage,
    ValueQuery, Window,
};
use crate::array::value::ValueRange;
use crate::array::{ArrayLiteral, Literal};
use crate::hlo::eval::kernel::ComputedBy;
use crate::hlo::eval::meter::Observer;
use crate::hlo::{CallPath, Instruction, InstructionId, Module, Outcome, SimulatedDevices};
use crate::i18n::{Language, Message};
use crate::inspect::flow::value_bytes;
use crate::inspect::values::NonFiniteEvent;
use crate::ops::{ComputationId, Data};
use crate::state::experiment::run::leaves;
use crate::worker::evaluation::wire::Failure;

mod counts;
mod devices;
mod observer;
mod traces;

use counts::Counts;
use observer::{Progress, RunObserver};

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
    /// The values of the entry computation on each device, if they are kept.
    outcomes: Option<Vec<Outcome>>,
    /// What each device executed.
    counts: Vec<Counts>,
    /// The last value that was computed again.
    recomputed: Option<(ExecutionAt, Data)>,
    /// The plans of a large program.
    planned: Option<PlannedRun>,
    /// Values of the call in which cells were traced last.
    frame: Option<RecordedFrame>,
}

/// One execution of an instruction on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ExecutionAt {
    device: usize,
    at: InstructionKey,
    /// Its number, from 0.
    number: u64,
}

impl ExecutionAt {
    fn of_value(query: &ValueQuery) -> Self {
        Self { device: query.device as usize, at: query.at, number: query.execution }
    }

    fn of_trace(query: &TraceQuery) -> Self {
        Self { device: query.device as usize, at: query.at, number: query.execution }
    }
}

/// Values of one call of a computation.
struct RecordedFrame {
    /// The instruction whose cells are traced.
    at: ExecutionAt,
    outcome: Outcome,
    /// The path of the call, and the calls up to its end.
    path: CallPath,
    calls: CallIndex,
    /// Whether the values of all instructions are known; else those of the instruction and its operands.
    is_whole: bool,
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
        let devices = usize::try_from(job.devices).unwrap_or(usize::MAX);
        if !(1..=SimulatedDevices::MAX_DEVICES).contains(&devices) {
            let message =
                Message::program("program-device-limit").with("limit", SimulatedDevices::MAX_DEVICES);
            return Err(general_failure(language, "replicas", &message));
        }
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
        let keeps_values = kept.saturating_mul(job.devices.into()) <= MAX_KEPT_BYTES;
        let mut execution = Self {
            counts: (0..devices).map(|_| Counts::of(&module)).collect(),
            job,
            files,
            language,
            module: module.clone(),
            outcomes: None,
            recomputed: None,
            planned: None,
            frame: None,
        };
        let is_single = devices == 1;
        if is_single {
            let planned = planned_run::run(&execution.job, &*execution.files, &module, language, environment);
            if let Some(completed) = planned.await? {
                let ran = execution.adopt_planned_run(completed);
                return Ok((execution, ran));
            }
        }
        let arguments = execution.arguments()?;
        let progress = Progress::new(environment);
        let mut observers: Vec<RunObserver> = std::mem::take(&mut execution.counts)
            .into_iter()
            .map(|counts| RunObserver::of_run(&module, progress.clone(), counts))
            .collect();
        let started = (environment.clock)();
        let observed = observers.iter_mut().map(|observer| observer as &mut dyn Observer).enumerate();
        let outcomes = execution.execute(arguments, observed.collect(), keeps_values, environment).await?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration")]
        let milliseconds = ((environment.clock)() - started).max(0.0) as u64;
        let events = observers.iter().map(|observer| execution.numeric_events(observer)).collect();
        execution.counts = observers.into_iter().map(|observer| observer.counts).collect();
        let ran = Ran {
            steps: outcomes.iter().flatten().map(|outcome| outcome.steps).sum(),
            milliseconds,
            keeps_values,
            is_planned: false,
            workers: 1,
            is_slower_on_devices: !is_single && is_planned(&module),
            events,
        };
        execution.outcomes = outcomes;
        Ok((execution, ran))
    }

    /// Where the run on the device of an observer had special values.
    fn numeric_events(&self, observer: &RunObserver) -> NumericEvents {
        let Some(numerics) = &observer.numerics else { return NumericEvents::default() };
        let executions = observer.event_executions;
        let event = |found: Option<&NonFiniteEvent>, number: Option<u64>| {
            let (found, number) = found.zip(number)?;
            self.event((found.frame.computation, found.instruction), found.is_inherited, number)
        };
        let growth = numerics.largest_growth.as_ref().and_then(|growth| {
            let at = (growth.frame.computation, growth.instruction);
            let of = self.event(at, false, executions.growth)?;
            let ratio = brief(growth.ratio(), MAX_RATIO_CHARS);
            Some(Growth { at: of.at, name: of.name, ratio, execution: of.execution })
        });
        NumericEvents {
            first_nan: event(numerics.first_nan.as_ref(), executions.nan),
            first_computed_infinity: event(numerics.first_computed_infinity.as_ref(), executions.infinity),
            largest_growth: growth,
        }
    }

    /// Adopts the result, statistics and plans of a run by a plan.
    fn adopt_planned_run(&mut self, completed: CompletedRun) -> Ran {
        let CompletedRun { run, result, statistics, workers, milliseconds } = completed;
        for (id, executions) in &statistics.executions {
            let device = self.counts.first_mut();
            let counts = device.and_then(|device| device.executions.get_mut(id.0.0 as usize));
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
            is_slower_on_devices: false,
            events: vec![NumericEvents {
                first_nan: event(statistics.first_nan),
                first_computed_infinity: event(statistics.first_computed_infinity),
                largest_growth: growth,
            }],
        };
        let entry = self.module.entry.zip(self.module.entry_computation());
        let root = entry.and_then(|(id, entry)| Some(at((id, entry.root?))));
        self.recomputed = root.map(|at| (ExecutionAt { device: 0, at, number: 0 }, result));
        self.planned = Some(run);
        ran
    }

    fn event(&self, id: (ComputationId, InstructionId), is_inherited: bool, execution: u64) -> Option<Event> {
        let (_, instruction) = find(&self.module, at(id))?;
        Some(Event { at: at(id), name: instruction.unique_name(id.1), is_inherited, execution })
    }

    fn is_in_entry(&self, at: InstructionKey) -> bool {
        self.module.entry == Some(ComputationId(at.computation))
    }

    fn executions(&self, device: usize, at: InstructionKey) -> u64 {
        let counts =
            self.counts.get(device).and_then(|counts| counts.executions.get(at.computation as usize));
        // An instruction that is unknown was not executed.
        counts.and_then(|counts| counts.get(at.instruction as usize)).copied().unwrap_or(0)
    }

    /// The value of an instruction.
    async fn value(
        &mut self,
        wanted: ExecutionAt,
        environment: &mut Environment<'_>,
    ) -> Result<Data, Failure> {
        let kept = self.outcomes.as_ref().filter(|_| self.is_in_entry(wanted.at));
        let kept = kept.and_then(|outcomes| outcomes.get(wanted.device));
        let id = InstructionId(wanted.at.instruction);
        if let Some(value) = kept.and_then(|outcome| outcome.values.get(id)) {
            return Ok(value.clone());
        }
        if let Some((_, value)) = self.recomputed.as_ref().filter(|(known, _)| *known == wanted) {
            return Ok(value.clone());
        }
        let planned = self.planned.as_ref();
        let by_plan = planned.map(|run| run.value(&self.module, (wanted.at, wanted.number), self.language));
        if let Some(value) = by_plan.transpose()?.flatten() {
            self.recomputed = Some((wanted, value.clone()));
            return Ok(value);
        }
        // An instruction that the result does not need has not run.
        let wants_all = self.executions(wanted.device, wanted.at) == 0;
        let value = self.recompute(wanted, wants_all, environment).await?;
        self.recomputed = Some((wanted, value.clone()));
        Ok(value)
    }

    /// Runs the program until an execution of an instruction.
    async fn recompute(
        &self,
        wanted: ExecutionAt,
        wants_all: bool,
        environment: &mut Environment<'_>,
    ) -> Result<Data, Failure> {
        let module = self.module.clone();
        let progress = Progress::new(environment);
        let mut observer = RunObserver::until(&module, progress, (wanted.at, wanted.number), wants_all);
        let ended = self.observe(wanted.device, &mut observer, environment).await;
        match (observer.found, ended) {
            (Some(value), _) => Ok(value),
            (None, Err(failure)) => Err(failure),
            (None, Ok(())) => Err(self.not_executed()),
        }
    }

    fn not_executed(&self) -> Failure {
        general_failure(self.language, "not-executed", &Message::program("program-not-executed"))
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
                let value = self.value(ExecutionAt::of_value(&query), environment).await?;
                self.page(query, &value)
            }
            RunRequest::Save(query, format) => {
                let value = self.value(ExecutionAt::of_value(&query), environment).await?;
                let name = find(&self.module, query.at).map(|(_, i)| i.unique_name(reference(query.at).1));
                let name = name.unwrap_or_default();
                let file = to_file(&name, &value, query.leaf, format);
                let (name, bytes) =
                    file.map_err(|(rule, message)| general_failure(self.language, rule, &message))?;
                Ok((RunReply::Saved(name), Some(bytes)))
            }
            RunRequest::Sources(query) => {
                if !self.compute_operands(ExecutionAt::of_trace(&query)) {
                    self.record(ExecutionAt::of_trace(&query), environment).await?;
                }
                Ok((RunReply::Sources(self.sources(&query)?), None))
            }
            RunRequest::TraceBack(query) => {
                self.record(ExecutionAt::of_trace(&query), environment).await?;
                self.trace(query, false)
            }
            RunRequest::TraceOn(query) => {
                self.record(ExecutionAt::of_trace(&query), environment).await?;
                self.trace(query, true)
            }
            RunRequest::Timeline { at, leaf, device } => {
                let mut recorder = TimelineRecorder::new(at, leaf, device);
                self.observe(device as usize, &mut recorder, environment).await?;
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
            executions: self.executions(query.device as usize, query.at),
            kernel: self.kernel(query.device as usize, query.at),
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
        let ValueRange { finite, non_finite } = array.value_range();
        page.window = Some(Window {
            start: start.to_vec(),
            shape: cells.shape().to_string(),
            sizes: array.shape().dimensions.to_vec(),
            finite,
            non_finite,
        });
        page.statistics = Some(statistics(array));
        let raw = cells.to_raw().map_err(memory)?;
        Ok((RunReply::Value(Box::new(page)), Some(raw)))
    }

    /// The kernel that computed a kept value.
    fn kernel(&self, device: usize, at: InstructionKey) -> Option<String> {
        let outcome = self.outcomes.as_ref().filter(|_| self.is_in_entry(at))?.get(device)?;
        match outcome.values.computed_by.get(at.instruction as usize)?.as_ref()? {
            ComputedBy::Kernel(name, ..) | ComputedBy::Substitute { kernel: name, .. } => Some(name.clone()),
            ComputedBy::Reference(_) => None,
        }
    }

    /// The value of the entry computation on a device, if it is kept.
    pub fn result(&self, device: usize) -> Option<Literal> {
        let root = self.module.entry_computation()?.root?;
        Some(self.outcomes.as_ref()?.get(device)?.values.get(root)?.to_literal())
    }
}
