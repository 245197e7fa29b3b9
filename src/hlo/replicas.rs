//! One module on several devices, in lockstep on one thread: each runs until it has to wait, in turn.
//!
//! Invariant: where every device that has not finished waits for other devices, nobody can ever go on; the run ends
//! then with `waiting`, which names each and the instruction it waits at. Read `meetings` next.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use super::evaluate::{EvalError, Evaluator, Values};
use super::host::Host;
use super::meetings::Meetings;
use super::meter::{Limits, Observer};
use super::module::{InstructionId, Module};
use super::outside::{Path, Waiting, now};
use super::trace::{MOST, too_many};
use crate::array::{Edition, Literal};
use crate::i18n::Message;
use crate::ops::{CellAt, OpError, Place, Source};

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
/// use xla_playground::hlo::{Replicas, parse};
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
        let evaluator = |device: usize| {
            let mut evaluator = Evaluator::new(module);
            let (replica, partition) = (device / partitions, device % partitions);
            evaluator.outside.place = Place { replica, partition, replicas, partitions };
            evaluator.outside.meetings = meetings.clone();
            evaluator
        };
        let evaluators: Vec<_> = (0..replicas * partitions).map(evaluator).collect();
        Self { module, values: vec![None; evaluators.len()], evaluators, meetings }
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

    /// Each device within other limits.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        self.each(|evaluator| evaluator.limits(limits))
    }

    /// With the queues and functions of a host for one device.
    #[must_use]
    pub fn host(mut self, device: usize, host: &Host) -> Self {
        if let Some(evaluator) = self.evaluators.get_mut(device) {
            evaluator.outside.host = host.clone();
        }
        self
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
        let mut runs: Vec<_> = entries.map(|(e, arguments)| Some(Box::pin(e.entry(arguments)))).collect();
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
        for (device, (evaluator, values)) in self.evaluators.iter().zip(values.iter().flatten()).enumerate() {
            let result = evaluator.result(values);
            results.push(result.map_err(|error| ReplicaError { device: Some(device), error })?);
        }
        self.values = values;
        Ok(results)
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
                let message = Message::engine("trace-no-cell");
                return Err(all_of(OpError::new("call", "trace-cell", message)));
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
            if seen.len() > MOST || found.len() > MOST {
                return Err(located(too_many(MOST)));
            }
        }
        let key = |s: &ReplicaSource| (s.device, s.source.operand, s.source.cell.clone());
        found.sort_by_key(key);
        found.dedup_by_key(|s| key(s));
        Ok(found)
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
