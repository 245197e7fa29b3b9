//! One module on several simulated devices, on one thread: each in turn runs until it has to wait.
//!
//! Invariant: if every unfinished device waits for other devices, it is a deadlock, and the run fails with `waiting`,
//! which names each device and the instruction it waits at.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use super::budget::Budget;
use super::device::Device;
use super::host::Host;
use super::interpreter::{Interpreter, KernelSettings, MAX_TRACED_CELLS, Settings, too_many_cells};
use super::kernel::{Kernels, MinKernelWork};
use super::memory::Memory;
use super::meter::{Limits, Observer};
use super::outcome::Outcome;
use super::rendezvous::Rendezvous;
use super::tracer::Tracer;
use super::values::{EvalError, Values, run_error};
use super::waiting::{Path, WaitSlot, Waiting, poll_until_blocked};
use crate::module::{Instruction, InstructionId, Module};
use xla_array::{Edition, Literal};
use xla_messages::i18n::Message;
use xla_ops::{CellAt, DevicePosition, OpError, ScalarCall, Source};

/// The error that ended a run on several devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceError {
    /// The index of the device; `None` if the error concerns all.
    pub device: Option<usize>,
    /// The error and its position.
    pub error: EvalError,
}

impl std::fmt::Display for DeviceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for DeviceError {}

impl From<DeviceError> for EvalError {
    fn from(error: DeviceError) -> Self {
        error.error
    }
}

/// A source cell on one of several devices.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceSource {
    /// The index of the device; with one partition per replica, the index of the replica.
    pub device: usize,
    /// The cell; its `operand` is the operand number, or the parameter number of an origin.
    pub source: Source,
}

/// Runs a module on several devices.
///
/// ```
/// use xla_hlo::{SimulatedDevices, parse};
///
/// let module = parse("HloModule m
///     add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }
///     ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=add }");
/// let module = module.into_module().unwrap();
/// let arguments = ["f32[2] {1.0, 2.5}", "f32[2] {3.0, 5.1}"].map(|text| vec![text.parse().unwrap()]);
/// let sums = SimulatedDevices::new(&module, 2).run(&arguments).unwrap();
/// assert_eq!(sums[0].to_string(), "{4, 7.6}");
/// assert_eq!(sums[0], sums[1]);
/// ```
pub struct SimulatedDevices<'m> {
    settings: Settings<'m>,
    devices: Vec<Device>,
    observers: Vec<Option<&'m mut dyn Observer>>,
}

impl<'m> SimulatedDevices<'m> {
    /// Maximum number of simulated devices: each has its own values.
    pub const MAX_DEVICES: usize = 1024;

    /// Creates 1 to 1024 devices: replicas, each with the partitions that the header of the module states. `module` must have been
    /// parsed or built without errors.
    pub fn new(module: &'m Module, devices: usize) -> Self {
        let partitions = module.partitions();
        let partitions = if devices.is_multiple_of(partitions) { partitions } else { 1 };
        Self::partitioned(module, devices / partitions, partitions)
    }

    /// Creates `replicas` × `partitions` devices, at least 1 and at most 1024 (larger counts are reduced). All run the
    /// same module; they are numbered by replica, then by partition.
    pub fn partitioned(module: &'m Module, replicas: usize, partitions: usize) -> Self {
        let replicas = replicas.clamp(1, Self::MAX_DEVICES);
        let partitions = partitions.clamp(1, Self::MAX_DEVICES / replicas);
        let rendezvous = Rc::new(RefCell::new(Rendezvous::default()));
        let device = |number: usize| {
            let (replica, partition) = (number / partitions, number % partitions);
            let position = DevicePosition { replica, partition, replicas, partitions };
            Device { position, rendezvous: rendezvous.clone(), ..Device::default() }
        };
        let devices: Vec<Device> = (0..replicas * partitions).map(device).collect();
        Self { settings: Settings::new(module), observers: devices.iter().map(|_| None).collect(), devices }
    }

    /// Sets the edition.
    #[must_use]
    pub fn edition(mut self, edition: Edition) -> Self {
        self.settings.edition = edition;
        self
    }

    /// Sets the limits on steps and memory, which the devices share.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// Sets the host of one device.
    #[must_use]
    pub fn host(mut self, device: usize, host: &Host) -> Self {
        if let Some(device) = self.devices.get_mut(device) {
            device.host = host.clone();
        }
        self
    }

    /// Sets the seed of the random number generators, 0 by default; all devices draw the same numbers.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Lets kernels compute instructions of at least `min_kernel_work` evaluator steps, like [`Evaluator::kernels`]. They run in
    /// this thread, one device after another.
    ///
    /// [`Evaluator::kernels`]: super::evaluator::Evaluator::kernels
    #[must_use]
    pub fn kernels(mut self, kernels: Rc<dyn Kernels + 'm>, min_kernel_work: u64) -> Self {
        let min_work = MinKernelWork::for_module(self.settings.module, min_kernel_work);
        self.settings.kernels = Some(KernelSettings { kernels, min_work });
        self
    }

    /// Sets the observer of one device.
    #[must_use]
    pub fn observer(mut self, device: usize, observer: &'m mut dyn Observer) -> Self {
        if let Some(slot) = self.observers.get_mut(device) {
            *slot = Some(observer);
        }
        self
    }

    /// A handle that reports what each device waits for, even during a run.
    pub fn waits(&self) -> WaitMonitor {
        WaitMonitor(self.devices.iter().map(|device| device.waits.clone()).collect())
    }

    /// The number of devices.
    pub fn devices(&self) -> usize {
        self.devices.len()
    }

    /// Runs the module and returns the result of each device; `arguments` has one list per device.
    ///
    /// # Errors
    ///
    /// `replicas` if the number of lists is not the number of devices, or that is above 1 and no multiple of the partitions that the
    /// header states; `waiting` on a deadlock; else the error of the
    /// first device that fails, as by [`Evaluator::run`].
    ///
    /// [`Evaluator::run`]: super::evaluator::Evaluator::run
    pub fn run(&mut self, arguments: &[Vec<Literal>]) -> Result<Vec<Literal>, DeviceError> {
        let waits = self.waits();
        let module = self.settings.module;
        let ready = poll_until_blocked(self.run_async(arguments));
        ready.unwrap_or_else(|| Err(deadlock_error(module, &waits.current())))
    }

    /// Like [`SimulatedDevices::run`], but waits for infeeds and functions; `waiting` then means that devices wait for
    /// each other.
    pub async fn run_async(&mut self, arguments: &[Vec<Literal>]) -> Result<Vec<Literal>, DeviceError> {
        let runs = self.run_devices(arguments).await?;
        let result = |(device, (mut run, values)): (usize, (Interpreter, Values))| {
            run.result(values).map_err(|error| DeviceError { device: Some(device), error })
        };
        runs.into_iter().enumerate().map(result).collect()
    }

    /// Like [`SimulatedDevices::run`], with the values of all instructions.
    pub fn run_with_values(&mut self, arguments: &[Vec<Literal>]) -> Result<Vec<Outcome>, DeviceError> {
        let waits = self.waits();
        let module = self.settings.module;
        let ready = poll_until_blocked(self.run_with_values_async(arguments));
        ready.unwrap_or_else(|| Err(deadlock_error(module, &waits.current())))
    }

    /// Like [`SimulatedDevices::run_async`], with the values of all instructions.
    pub async fn run_with_values_async(
        &mut self,
        arguments: &[Vec<Literal>],
    ) -> Result<Vec<Outcome>, DeviceError> {
        let runs = self.run_devices(arguments).await?;
        Ok(runs.into_iter().map(|(run, values)| Outcome::after(&run, values)).collect())
    }

    /// Creates a tracer for the outcomes of all devices.
    pub fn tracer<'t>(&'t self, outcomes: &'t [Outcome]) -> DeviceTracer<'t> {
        DeviceTracer::new(&self.settings, &self.devices, outcomes)
    }

    /// Creates a tracer for the outcome of one device; `None` if there is no such device.
    pub fn tracer_on<'t>(&'t self, device: usize, outcome: &'t Outcome) -> Option<Tracer<'t>> {
        let device = self.devices.get(device)?.clone();
        let budget = Budget::new(self.settings.limits, None);
        Some(Tracer::new(&self.settings, device, budget, outcome))
    }

    fn interpreters(&mut self) -> Vec<Interpreter<'_>> {
        let limits = self.settings.limits;
        let (memory, steps) = (Memory::new(limits.bytes), Rc::new(Cell::new(0)));
        let mut interpreters = Vec::with_capacity(self.devices.len());
        for (device, observer) in self.devices.iter().zip(&mut self.observers) {
            device.reset();
            let observer = observer.as_mut().map(|observer| &mut **observer as &mut dyn Observer);
            let budget = Budget::shared(limits, memory.clone(), steps.clone(), observer);
            interpreters.push(Interpreter::new(&self.settings, device.clone(), budget));
        }
        interpreters
    }

    /// Runs the entry computation on all devices.
    async fn run_devices(
        &mut self,
        arguments: &[Vec<Literal>],
    ) -> Result<Vec<(Interpreter<'_>, Values)>, DeviceError> {
        if arguments.len() != self.devices.len() {
            let message = Message::ops("replicas-arguments")
                .with("expected", self.devices.len())
                .with("found", arguments.len());
            return Err(global_error(OpError::new("parameter", "replicas", message)));
        }
        let (module, waits) = (self.settings.module, self.waits());
        let partitions = module.partitions();
        // One device of several runs alone as the first one.
        if self.devices.len() > 1 && !self.devices.len().is_multiple_of(partitions) {
            let message = Message::ops("replicas-partitions")
                .with("partitions", partitions)
                .with("devices", self.devices.len());
            return Err(global_error(OpError::new("parameter", "replicas", message)));
        }
        let rendezvous = self.devices.first().map(|device| device.rendezvous.clone()).unwrap_or_default();
        *rendezvous.borrow_mut() = Rendezvous::default();
        let mut interpreters = self.interpreters();
        let mut values: Vec<Option<Values>> = vec![None; interpreters.len()];
        let entries = interpreters.iter_mut().zip(arguments);
        let mut runs: Vec<_> =
            entries.map(|(run, arguments)| Some(Box::pin(run.run_entry(Cow::Borrowed(arguments))))).collect();
        let all_runs = poll_fn(|context| {
            loop {
                let events_before = rendezvous.borrow().events;
                for (device, slot) in runs.iter_mut().enumerate() {
                    let Some(run) = slot else { continue };
                    match run.as_mut().poll(context) {
                        Poll::Pending => continue,
                        Poll::Ready(Ok(result)) => values[device] = Some(result),
                        Poll::Ready(Err(error)) => {
                            return Poll::Ready(Err(DeviceError { device: Some(device), error }));
                        }
                    }
                    *slot = None;
                }
                if rendezvous.borrow().events == events_before {
                    break;
                }
            }
            let mut current = waits.current();
            let unfinished = || runs.iter().zip(&current).filter(|(run, _)| run.is_some());
            if unfinished().next().is_none() {
                return Poll::Ready(Ok(()));
            }
            if !unfinished().all(|(_, waiting)| waiting.as_ref().is_some_and(|w| w.waits_on_device)) {
                return Poll::Pending;
            }
            for (_, waiting) in runs.iter().zip(&mut current).filter(|(run, _)| run.is_none()) {
                *waiting = None;
            }
            Poll::Ready(Err(deadlock_error(module, &current)))
        });
        all_runs.await?;
        drop(runs);
        if let Some((device, waiting)) = rendezvous.borrow().unreceived() {
            return Err(DeviceError { device: Some(device), error: waiting.error(module) });
        }
        // Every run has succeeded, so every device has values.
        Ok(interpreters.into_iter().zip(values.into_iter().flatten()).collect())
    }
}

/// Traces cells of the outcomes of several devices to their sources.
pub struct DeviceTracer<'t> {
    module: &'t Module,
    tracers: Vec<Tracer<'t>>,
    max_cells: usize,
}

impl<'t> DeviceTracer<'t> {
    fn new(settings: &Settings<'t>, devices: &[Device], outcomes: &'t [Outcome]) -> Self {
        let limits = settings.limits;
        let (memory, steps) = (Memory::new(limits.bytes), Rc::new(Cell::new(0)));
        let tracer = |(device, outcome): (&Device, &'t Outcome)| {
            let budget = Budget::shared(limits, memory.clone(), steps.clone(), None);
            Tracer::new(settings, device.clone(), budget, outcome)
        };
        let tracers = devices.iter().zip(outcomes).map(tracer).collect();
        Self { module: settings.module, tracers, max_cells: MAX_TRACED_CELLS }
    }

    /// Limits a trace to `max_cells` visited cells.
    #[must_use]
    pub fn max_cells(self, max_cells: usize) -> Self {
        let tracers = self.tracers.into_iter().map(|tracer| tracer.max_cells(max_cells)).collect();
        Self { tracers, max_cells: max_cells.min(MAX_TRACED_CELLS), ..self }
    }

    /// The operand cells on all devices that a cell of an instruction on one device was computed from: by device, then
    /// in the order they were read. Fails like [`Tracer::sources`].
    pub fn sources(
        &mut self,
        device: usize,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<DeviceSource>, DeviceError> {
        let entry_location = (self.module.entry, instruction);
        let tracer = self.tracers.get_mut(device).ok_or_else(no_device)?;
        let local = tracer.sources(instruction, cell);
        let local = local.map_err(|error| DeviceError { device: Some(device), error })?;
        let mut sources: Vec<DeviceSource> =
            local.into_iter().map(|source| DeviceSource { device, source }).collect();
        let remote = tracer.interpreter.take_remote_cells().into_iter();
        let remote =
            remote.filter(|(participant, _)| (Some(participant.at.0), participant.at.1) == entry_location);
        sources
            .extend(remote.map(|(participant, source)| DeviceSource { device: participant.device, source }));
        sources.sort_by_key(|source| source.device);
        Ok(sources)
    }

    /// The sources of a cell on its own device, with the scalar computations that were applied for it; see
    /// [`Tracer::sources_and_calls`].
    pub fn sources_and_calls(
        &mut self,
        device: usize,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<(Vec<Source>, Vec<ScalarCall>), DeviceError> {
        let traced = self.tracers.get_mut(device).ok_or_else(no_device)?.sources_and_calls(instruction, cell);
        traced.map_err(|error| DeviceError { device: Some(device), error })
    }

    /// The argument cells of all devices that a cell of an entry instruction was computed from, sorted and deduplicated.
    /// Fails like [`Tracer::sources`].
    pub fn origins(
        &mut self,
        device: usize,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<DeviceSource>, DeviceError> {
        let module = self.module;
        let first = (device, Path::new(), instruction, cell.clone());
        let mut visited = BTreeSet::from([first.clone()]);
        let mut worklist = vec![first];
        let mut origins: Vec<DeviceSource> = Vec::new();
        while let Some((device, path, id, cell)) = worklist.pop() {
            let Tracer { interpreter, values } = self.tracers.get_mut(device).ok_or_else(no_device)?;
            interpreter.begin_trace(path.clone());
            let located = |error: OpError| DeviceError {
                device: Some(device),
                error: EvalError { at: None, error: Box::new(error) },
            };
            let sources = interpreter.trace_to_entry(values, (path, id, cell)).map_err(located)?;
            origins.extend(sources.into_iter().map(|source| DeviceSource { device, source }));
            for (participant, source) in interpreter.take_remote_cells() {
                let instruction =
                    module.get(participant.at.0).and_then(|computation| computation.get(participant.at.1));
                let operand = instruction.and_then(|i| i.operands.get(source.operand));
                let next =
                    operand.map(|operand| (participant.device, participant.path, *operand, source.cell));
                worklist.extend(next.filter(|next| visited.insert(next.clone())));
            }
            let limit = self.max_cells;
            if visited.len() > limit || origins.len() > limit {
                return Err(located(too_many_cells(limit)));
            }
        }
        let key = |s: &DeviceSource| (s.device, s.source.operand, s.source.cell.clone());
        origins.sort_by_key(key);
        origins.dedup_by_key(|s| key(s));
        Ok(origins)
    }
}

fn no_device() -> DeviceError {
    global_error(run_error("trace-cell", Message::ops("trace-no-device")))
}

/// Reports what devices wait for.
#[derive(Clone)]
pub struct WaitMonitor(Vec<WaitSlot>);

impl WaitMonitor {
    fn current(&self) -> Vec<Option<Waiting>> {
        self.0.iter().map(|waits| waits.borrow().clone()).collect()
    }

    /// Per device, a message that says what it waits for; `None` if it does not wait.
    pub fn messages(&self, module: &Module) -> Vec<Option<Message>> {
        let message = |slot: &WaitSlot| slot.borrow().as_ref().map(|wait| wait.message(module));
        self.0.iter().map(message).collect()
    }

    /// Per device, the instruction it waits at; `None` if it does not wait.
    pub fn instructions<'m>(&self, module: &'m Module) -> Vec<Option<&'m Instruction>> {
        let instruction = |slot: &WaitSlot| {
            let (computation, id) = slot.borrow().as_ref()?.at?;
            module.get(computation)?.get(id)
        };
        self.0.iter().map(instruction).collect()
    }

    /// The error of a run that would wait forever.
    pub fn error(&self, module: &Module) -> DeviceError {
        let waits = self.current();
        match &waits[..] {
            [only] => {
                let error = only.clone().unwrap_or_default().error(module);
                DeviceError { device: None, error }
            }
            _ => deadlock_error(module, &waits),
        }
    }
}

impl std::fmt::Debug for WaitMonitor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WaitMonitor({})", self.0.len())
    }
}

fn global_error(error: OpError) -> DeviceError {
    DeviceError { device: None, error: EvalError { at: None, error: Box::new(error) } }
}

/// The error of a deadlock, which lists each device and the instruction it waits at.
fn deadlock_error(module: &Module, waits: &[Option<Waiting>]) -> DeviceError {
    let describe = |(device, waiting): (usize, &Option<Waiting>)| match waiting {
        Some(waiting) => {
            Message::ops("wait-device").with("device", device).with("waits", waiting.message(module))
        }
        None => Message::ops("wait-finished").with("device", device),
    };
    let list = waits
        .iter()
        .enumerate()
        .map(describe)
        .reduce(|first, second| Message::ops("wait-and").with("first", first).with("second", second));
    let first = waits.iter().flatten().next().cloned().unwrap_or_default();
    let error = first.clone().error(module);
    let message = Message::ops("waiting").with("waits", list.unwrap_or_else(|| first.message(module)));
    let error = OpError { message, hints: Vec::new(), ..*error.error };
    DeviceError { device: None, error: EvalError { at: first.at, error: Box::new(error) } }
}
