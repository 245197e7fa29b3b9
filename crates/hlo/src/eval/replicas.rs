//! One module on several devices, in lockstep on one thread: each runs until it has to wait, in turn.
//!
//! Invariant: where every device that has not finished waits for other devices, nobody can ever go on; the run ends
//! then with `waiting`, which names each and the instruction it waits at. Read `meetings` next.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use super::evaluate::Evaluator;
use super::host::Host;
use super::meetings::Meetings;
use super::memory::Memory;
use super::meter::{Limits, Observer};
use super::outside::{Answers, Path, Waiting, now};
use super::trace::{MOST, too_many};
use super::values::{EvalError, Values};
use crate::module::{Instruction, InstructionId, Module};
use xla_array::{Edition, Literal};
use xla_messages::i18n::Message;
use xla_ops::{Applied, CellAt, OpError, Place, Source};

/// Why a run of several devices ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaError {
    /// The number of the device; `None` where it concerns all.
    pub device: Option<usize>,
    /// What happened, and where.
    pub error: EvalError,
}

impl std::fmt::Display for ReplicaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for ReplicaError {}

impl From<ReplicaError> for EvalError {
    fn from(error: ReplicaError) -> Self {
        error.error
    }
}

/// A cell of an argument of one of several devices.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaSource {
    /// The number of the device; with one partition each, that of the replica.
    pub device: usize,
    /// The cell; `operand` is the number of the parameter.
    pub source: Source,
}

/// Runs a module on several devices.
///
/// ```
/// use xla_hlo::{Replicas, parse};
///
/// let module = parse("HloModule m
///     add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }
///     ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=add }");
/// let module = module.into_module().unwrap();
/// let arguments = ["f32[2] {1.0, 2.5}", "f32[2] {3.0, 5.1}"].map(|text| vec![text.parse().unwrap()]);
/// let sums = Replicas::new(&module, 2).run(&arguments).unwrap();
/// assert_eq!(sums[0].to_string(), "{4, 7.6}");
/// assert_eq!(sums[0], sums[1]);
/// ```
pub struct Replicas<'m> {
    module: &'m Module,
    evaluators: Vec<Evaluator<'m>>,
    values: Vec<Option<Values>>,
    meetings: Rc<RefCell<Meetings>>,
    trace_limit: usize,
}

/// The most devices that are simulated.
const MOST_DEVICES: usize = 1024;

impl<'m> Replicas<'m> {
    /// So many replicas of a module without errors, of one partition each; at least one, at most 1024.
    pub fn new(module: &'m Module, replicas: usize) -> Self {
        Self::partitioned(module, replicas, 1)
    }

    /// So many replicas of so many partitions each; all run the same module. Devices are numbered by replica, then
    /// by partition.
    pub fn partitioned(module: &'m Module, replicas: usize, partitions: usize) -> Self {
        let replicas = replicas.clamp(1, MOST_DEVICES);
        let partitions = partitions.clamp(1, MOST_DEVICES / replicas);
        let meetings = Rc::new(RefCell::new(Meetings::default()));
        let (memory, steps) = (Memory::new(Limits::default().bytes), Rc::new(Cell::new(0)));
        let evaluator = |device: usize| {
            let mut evaluator = Evaluator::new(module);
            let (replica, partition) = (device / partitions, device % partitions);
            evaluator.outside.place = Place { replica, partition, replicas, partitions };
            evaluator.outside.meetings = meetings.clone();
            evaluator.memory = memory.clone();
            evaluator.meter.total = steps.clone();
            evaluator
        };
        let evaluators: Vec<_> = (0..replicas * partitions).map(evaluator).collect();
        Self { module, values: vec![None; evaluators.len()], evaluators, meetings, trace_limit: MOST }
    }

    fn each(mut self, change: impl Fn(Evaluator<'m>) -> Evaluator<'m>) -> Self {
        self.evaluators = self.evaluators.into_iter().map(change).collect();
        self
    }

    /// By the rules of an edition.
    #[must_use]
    pub fn edition(self, edition: Edition) -> Self {
        self.each(|evaluator| evaluator.edition(edition))
    }

    /// Within other limits, of all devices together.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        self.each(|evaluator| evaluator.limits(limits))
    }

    /// With traces that follow at most so many cells.
    #[must_use]
    pub fn tracing(self, most: usize) -> Self {
        Self { trace_limit: most.min(MOST), ..self }.each(|evaluator| evaluator.tracing(most))
    }

    /// With the queues and functions of a host for one device.
    #[must_use]
    pub fn host(mut self, device: usize, host: &Host) -> Self {
        if let Some(evaluator) = self.evaluators.get_mut(device) {
            evaluator.outside.host = host.clone();
        }
        self
    }

    /// With another seed than 0 for random numbers; all devices draw the same, as in XLA with one seed for all.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        self.each(|evaluator| evaluator.seed(seed))
    }

    /// As after a run: the values and the answers of each device are those that an earlier [`Replicas`] of the same
    /// module gave, and can be traced.
    #[must_use]
    pub fn after(mut self, values: &[Values], answers: &[Answers]) -> Self {
        for (evaluator, answers) in self.evaluators.iter_mut().zip(answers) {
            evaluator.outside.kept = answers.clone();
        }
        self.values = (0..self.evaluators.len()).map(|device| values.get(device).cloned()).collect();
        self
    }

    /// What the world outside answered each device in the last run.
    pub fn answers(&self) -> Vec<Answers> {
        self.evaluators.iter().map(|evaluator| evaluator.outside.kept.clone()).collect()
    }

    /// The steps all devices took so far.
    pub fn steps(&self) -> u64 {
        self.evaluators.iter().map(Evaluator::steps).sum()
    }

    /// A handle that tells what each device waits for, also while they run.
    pub fn waits(&self) -> WaitMonitor {
        WaitMonitor(self.evaluators.iter().map(|evaluator| evaluator.outside.waits.clone()).collect())
    }

    /// With an observer of one device.
    #[must_use]
    pub fn observer(mut self, device: usize, observer: &'m mut dyn Observer) -> Self {
        if let Some(evaluator) = self.evaluators.get_mut(device) {
            evaluator.meter.observer = Some(observer);
        }
        self
    }

    /// How many devices there are.
    pub fn devices(&self) -> usize {
        self.evaluators.len()
    }

    /// The values of a device's entry computation in the last run.
    pub fn values(&self, device: usize) -> Option<&Values> {
        self.values.get(device)?.as_ref()
    }

    /// The result of each device; `arguments` are those of each. Errors: as [`Evaluator::run`], of the first device
    /// that has one; `replicas` where there are not as many lists of arguments as devices; `waiting` where devices
    /// wait for ever.
    pub fn run(&mut self, arguments: &[Vec<Literal>]) -> Result<Vec<Literal>, ReplicaError> {
        let waits: Vec<_> = self.evaluators.iter().map(|e| e.outside.waits.clone()).collect();
        let module = self.module;
        let ready = now(self.run_async(arguments));
        ready.unwrap_or_else(|| {
            let waits: Vec<Option<Waiting>> = waits.iter().map(|waits| waits.borrow().clone()).collect();
            Err(waiting(module, &waits))
        })
    }

    /// As [`Replicas::run`], but waits for infeeds and functions. Errors: as there; `waiting` only where devices wait
    /// for each other.
    pub async fn run_async(&mut self, arguments: &[Vec<Literal>]) -> Result<Vec<Literal>, ReplicaError> {
        if arguments.len() != self.evaluators.len() {
            let message = Message::engine("replicas-arguments")
                .with("expected", self.evaluators.len())
                .with("found", arguments.len());
            return Err(all_of(OpError::new("parameter", "replicas", message)));
        }
        *self.meetings.borrow_mut() = Meetings::default();
        let waits: Vec<_> = self.evaluators.iter().map(|e| e.outside.waits.clone()).collect();
        let (module, meetings) = (self.module, &self.meetings);
        let mut values: Vec<Option<Values>> = vec![None; self.evaluators.len()];
        let entries = self.evaluators.iter_mut().zip(arguments);
        let mut runs: Vec<_> =
            entries.map(|(e, arguments)| Some(Box::pin(e.entry(Cow::Borrowed(arguments))))).collect();
        let all = poll_fn(|context| {
            loop {
                let before = meetings.borrow().events;
                for (device, slot) in runs.iter_mut().enumerate() {
                    let Some(run) = slot else { continue };
                    match run.as_mut().poll(context) {
                        Poll::Pending => continue,
                        Poll::Ready(Ok(found)) => values[device] = Some(found),
                        Poll::Ready(Err(error)) => {
                            return Poll::Ready(Err(ReplicaError { device: Some(device), error }));
                        }
                    }
                    *slot = None;
                }
                if meetings.borrow().events == before {
                    break;
                }
            }
            let unfinished = || runs.iter().zip(&waits).filter(|(run, _)| run.is_some());
            if unfinished().next().is_none() {
                return Poll::Ready(Ok(()));
            }
            let for_devices = |waits: &Rc<RefCell<Option<Waiting>>>| {
                waits.borrow().as_ref().is_some_and(|waiting| waiting.is_for_devices)
            };
            if !unfinished().all(|(_, waits)| for_devices(waits)) {
                return Poll::Pending;
            }
            let waits: Vec<Option<Waiting>> = (runs.iter().zip(&waits))
                .map(|(run, waits)| waits.borrow().clone().filter(|_| run.is_some()))
                .collect();
            Poll::Ready(Err(waiting(module, &waits)))
        });
        all.await?;
        drop(runs);
        if let Some((device, waiting)) = self.meetings.borrow().unreceived() {
            return Err(ReplicaError { device: Some(device), error: waiting.error(module) });
        }
        let mut results = Vec::new();
        let done = values.iter().flatten().cloned();
        for (device, (evaluator, values)) in self.evaluators.iter_mut().zip(done).enumerate() {
            let result = evaluator.result(values);
            results.push(result.map_err(|error| ReplicaError { device: Some(device), error })?);
        }
        self.values = values;
        Ok(results)
    }

    /// The cells of an instruction's operands, on all devices, that one of its cells on one device came from: in the
    /// order of the devices, on each in the order they were read. Errors: as [`Evaluator::provenance`].
    pub fn sources(
        &mut self,
        device: usize,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<ReplicaSource>, ReplicaError> {
        let (Some(evaluator), Some(Some(values))) =
            (self.evaluators.get_mut(device), self.values.get(device))
        else {
            return Err(no_cell());
        };
        let own = evaluator.provenance(values, instruction, cell);
        let own = own.map_err(|error| ReplicaError { device: Some(device), error })?;
        let mut found: Vec<ReplicaSource> =
            own.into_iter().map(|source| ReplicaSource { device, source }).collect();
        let here = (self.module.entry, instruction);
        let elsewhere = std::mem::take(&mut evaluator.outside.elsewhere).into_iter();
        let met = elsewhere.filter(|(party, _)| (Some(party.at.0), party.at.1) == here);
        found.extend(met.map(|(party, source)| ReplicaSource { device: party.device, source }));
        found.sort_by_key(|source| source.device);
        Ok(found)
    }

    /// The sources of a cell on its own device, with the calls of computations on elements that made it, in their
    /// order. Errors: as [`Evaluator::applications`].
    pub fn applications(
        &mut self,
        device: usize,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<(Vec<Source>, Vec<Applied>), ReplicaError> {
        let (Some(evaluator), Some(Some(values))) =
            (self.evaluators.get_mut(device), self.values.get(device))
        else {
            return Err(no_cell());
        };
        let found = evaluator.applications(values, instruction, cell);
        found.map_err(|error| ReplicaError { device: Some(device), error })
    }

    /// The cells of the arguments of all devices that a cell of an entry instruction's value in the last run came
    /// from: each once, in order. Errors: as [`Evaluator::provenance`].
    pub fn provenance(
        &mut self,
        device: usize,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<ReplicaSource>, ReplicaError> {
        let module = self.module;
        let first = (device, Path::new(), instruction, cell.clone());
        let mut seen = BTreeSet::from([first.clone()]);
        let mut open = vec![first];
        let mut found: Vec<ReplicaSource> = Vec::new();
        while let Some((device, path, id, cell)) = open.pop() {
            let (Some(evaluator), Some(Some(values))) =
                (self.evaluators.get_mut(device), self.values.get(device))
            else {
                return Err(no_cell());
            };
            evaluator.begin_trace(path.clone());
            let located = |error: OpError| ReplicaError {
                device: Some(device),
                error: EvalError { at: None, error: Box::new(error) },
            };
            let sources = evaluator.climb(values, (path, id, cell)).map_err(located)?;
            found.extend(sources.into_iter().map(|source| ReplicaSource { device, source }));
            for (party, source) in std::mem::take(&mut evaluator.outside.elsewhere) {
                let instruction = module.get(party.at.0).and_then(|computation| computation.get(party.at.1));
                let operand = instruction.and_then(|i| i.operands.get(source.operand));
                let next = operand.map(|operand| (party.device, party.path, *operand, source.cell));
                open.extend(next.filter(|next| seen.insert(next.clone())));
            }
            let limit = self.trace_limit;
            if seen.len() > limit || found.len() > limit {
                return Err(located(too_many(limit)));
            }
        }
        let key = |s: &ReplicaSource| (s.device, s.source.operand, s.source.cell.clone());
        found.sort_by_key(key);
        found.dedup_by_key(|s| key(s));
        Ok(found)
    }
}

fn no_cell() -> ReplicaError {
    all_of(OpError::new("call", "trace-cell", Message::engine("trace-no-cell")))
}

/// What devices wait for.
#[derive(Clone)]
pub struct WaitMonitor(Vec<Rc<RefCell<Option<Waiting>>>>);

impl WaitMonitor {
    /// What each device waits for, in words; `None` for those that do not.
    pub fn messages(&self, module: &Module) -> Vec<Option<Message>> {
        let of = |waits: &Rc<RefCell<Option<Waiting>>>| waits.borrow().as_ref().map(|w| w.message(module));
        self.0.iter().map(of).collect()
    }

    /// The instruction that each device waits at.
    pub fn instructions<'m>(&self, module: &'m Module) -> Vec<Option<&'m Instruction>> {
        let of = |waits: &Rc<RefCell<Option<Waiting>>>| {
            let (computation, id) = waits.borrow().as_ref()?.at?;
            module.get(computation)?.get(id)
        };
        self.0.iter().map(of).collect()
    }

    /// That it would be waited for ever.
    pub fn error(&self, module: &Module) -> ReplicaError {
        let waits: Vec<Option<Waiting>> = self.0.iter().map(|waits| waits.borrow().clone()).collect();
        match &waits[..] {
            [only] => {
                let error = only.clone().unwrap_or_default().error(module);
                ReplicaError { device: None, error }
            }
            _ => waiting(module, &waits),
        }
    }
}

impl std::fmt::Debug for WaitMonitor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WaitMonitor({})", self.0.len())
    }
}

fn all_of(error: OpError) -> ReplicaError {
    ReplicaError { device: None, error: EvalError { at: None, error: Box::new(error) } }
}

/// That devices wait for ever: each, and where.
fn waiting(module: &Module, waits: &[Option<Waiting>]) -> ReplicaError {
    let of = |(device, waiting): (usize, &Option<Waiting>)| match waiting {
        Some(waiting) => {
            Message::engine("wait-device").with("device", device).with("waits", waiting.message(module))
        }
        None => Message::engine("wait-finished").with("device", device),
    };
    let list = waits
        .iter()
        .enumerate()
        .map(of)
        .reduce(|all, next| Message::engine("wait-and").with("first", all).with("second", next));
    let first = waits.iter().flatten().next().cloned().unwrap_or_default();
    let error = first.clone().error(module);
    let message = Message::engine("waiting").with("waits", list.unwrap_or_else(|| first.message(module)));
    let error = OpError { message, hints: Vec::new(), ..*error.error };
    ReplicaError { device: None, error: EvalError { at: first.at, error: Box::new(error) } }
}
