//! Runs of an experiment on all its replicas, with its queues and functions.
//!
//! Invariant: a run that can never continue ends, and reports what each replica waits for. The caller reports whether a
//! function is still running; queues are filled before the run.

use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::limits::{MAX_QUERY_CELLS, QUERY_LIMITS, parameter_bytes, too_large};
use crate::Experiment;
use crate::arguments::{ArgumentError, queue_item, replica_arguments, run_error};
use crate::needs::Needs;
use crate::state::Environment;
use xla_array::{Edition, Literal};
use xla_hlo::eval::values::Values as RunValues;
use xla_hlo::{
    DeviceError, DeviceSource, DeviceTracer, EvalError, Host, Instruction, InstructionId, Limits, Module,
    Outcome, SimulatedDevices,
};
use xla_messages::i18n::Message;
use xla_ops::{CellAt, HostSetup, ScalarCall, Source};

/// The host of one replica after a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostState {
    /// Number of items read from the infeed queue.
    pub infeed_items_read: usize,
    /// The items written to the outfeed.
    pub outfeed_items: Vec<Literal>,
    /// The event that the replica waits for, if it did not finish.
    pub waits_for: Option<Message>,
    /// Whether it waits for an infeed item.
    pub is_waiting_for_item: bool,
}

/// A finished run on all replicas.
#[derive(Debug)]
pub struct ReplicaRun {
    outcomes: Vec<Outcome>,
    /// The host of each replica.
    pub host_states: Vec<HostState>,
    /// Steps taken by all replicas.
    pub steps: u64,
}

/// A run that failed or cannot continue.
#[derive(Clone, Debug, PartialEq)]
pub struct UnfinishedRun {
    /// The error, and its replica.
    pub error: DeviceError,
    /// The host of each replica.
    pub host_states: Vec<HostState>,
}

impl UnfinishedRun {
    /// The error itself.
    pub fn error(&self) -> &EvalError {
        &self.error.error
    }

    /// Whether it waits for the user or for another replica.
    pub fn is_waiting(&self) -> bool {
        self.error().error.rule == "waiting"
    }
}

/// Fills the infeed queue of a host. Fails on an invalid item.
pub fn fill_infeed(environment: &Environment, needs: &Needs, host: Host) -> Result<Host, ArgumentError> {
    for (index, text) in environment.infeed.iter().enumerate() {
        let Some(shape) = needs.item(index) else { break };
        host.infeed().push(queue_item(shape, text)?);
    }
    Ok(host)
}

/// A host with a filled infeed queue for each replica.
fn create_hosts(
    experiment: &Experiment,
    needs: &Needs,
    host: impl Fn() -> Host,
) -> Result<Vec<Host>, ArgumentError> {
    let count = experiment.environment.replicas.max(1);
    (0..count).map(|_| fill_infeed(&experiment.environment, needs, host())).collect()
}

/// The replicas of a module, one per host, and the arguments of each.
fn create_replicas<'m>(
    experiment: &Experiment,
    module: &'m Module,
    limits: Limits,
    hosts: &[Host],
) -> Result<(SimulatedDevices<'m>, Vec<Vec<Literal>>), ArgumentError> {
    // Arguments are allocated before the memory budget of the run applies.
    if parameter_bytes(module).is_none_or(|bytes| bytes > limits.bytes) {
        return Err(ArgumentError::Memory);
    }
    let arguments = |replica| replica_arguments(experiment, module, replica);
    let arguments = (0..hosts.len()).map(arguments).collect::<Result<_, _>>()?;
    let mut replicas = SimulatedDevices::new(module, hosts.len())
        .edition(experiment.edition)
        .limits(limits)
        .seed(experiment.seed);
    for (replica, host) in hosts.iter().enumerate() {
        replicas = replicas.host(replica, host);
    }
    Ok((replicas, arguments))
}

/// Like [`create_replicas`], with hosts that have no user functions.
pub(crate) fn replicas_without_functions<'m>(
    experiment: &Experiment,
    module: &'m Module,
    limits: Limits,
    needs: &Needs,
) -> Result<(SimulatedDevices<'m>, Vec<Vec<Literal>>), ArgumentError> {
    create_replicas(experiment, module, limits, &create_hosts(experiment, needs, Host::default)?)
}

/// The result of a run that did not start because an argument or queue item has no value.
fn not_started(why: ArgumentError, replicas: usize, limits: Limits) -> UnfinishedRun {
    let error = match why {
        ArgumentError::Values(error) => run_error(&error),
        ArgumentError::Memory => too_large(limits.bytes),
    };
    let host_states = vec![HostState::default(); replicas];
    UnfinishedRun { error: DeviceError { device: None, error }, host_states }
}

/// Runs a module without errors on every replica. `host` creates a host with its functions for each; `is_busy` returns
/// whether one of these functions is running.
pub async fn run(
    experiment: &Experiment,
    module: &Module,
    limits: Limits,
    host: impl Fn() -> Host,
    is_busy: impl Fn() -> bool,
) -> Result<ReplicaRun, UnfinishedRun> {
    let needs = Needs::new(module);
    let count = experiment.environment.replicas.max(1);
    let hosts = create_hosts(experiment, &needs, host).map_err(|why| not_started(why, count, limits))?;
    let queue_lengths: Vec<usize> = hosts.iter().map(|host| host.infeed().len()).collect();
    let (mut replicas, arguments) =
        create_replicas(experiment, module, limits, &hosts).map_err(|why| not_started(why, count, limits))?;
    let waits = replicas.waits();
    let result = {
        let mut run = pin!(replicas.run_with_values_async(&arguments));
        poll_fn(|context| match run.as_mut().poll(context) {
            Poll::Pending if !is_busy() => Poll::Ready(Err(waits.error(module))),
            other => other,
        })
        .await
    };
    let (messages, waiting_at) = match &result {
        Ok(_) => (vec![None; count], vec![None; count]),
        Err(_) => (waits.messages(module), waits.instructions(module)),
    };
    let needs_of = |i: &Instruction| i.op.map(|op| op.host_setup(&i.attrs, &i.shape));
    let host_states: Vec<HostState> = hosts
        .iter()
        .zip(queue_lengths)
        .zip(messages.into_iter().zip(waiting_at))
        .map(|((host, queue_length), (waits_for, waiting_at))| {
            let outfeed_items = std::iter::from_fn(|| host.outfeed().pop()).collect();
            HostState {
                infeed_items_read: queue_length - host.infeed().len(),
                outfeed_items,
                waits_for,
                is_waiting_for_item: matches!(waiting_at.and_then(needs_of), Some(HostSetup::InfeedItem(_))),
            }
        })
        .collect();
    let outcomes = match result {
        Ok(outcomes) => outcomes,
        Err(error) => return Err(UnfinishedRun { error, host_states }),
    };
    Ok(ReplicaRun { steps: outcomes.iter().map(|outcome| outcome.steps).sum(), outcomes, host_states })
}

/// Like [`run`], without user functions, so that it never waits.
pub fn run_without_functions(
    experiment: &Experiment,
    module: &Module,
    limits: Limits,
) -> Result<ReplicaRun, UnfinishedRun> {
    let mut run = pin!(run(experiment, module, limits, Host::default, || false));
    loop {
        // The first poll is ready: a blocked run ends with an error because `is_busy` is false.
        if let Poll::Ready(result) = run.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return result;
        }
    }
}

impl ReplicaRun {
    /// The number of replicas.
    pub fn replicas(&self) -> usize {
        self.outcomes.len()
    }

    /// The values of a replica.
    pub fn values(&self, replica: usize) -> Option<&RunValues> {
        self.outcomes.get(replica).map(|outcome| &outcome.values)
    }
}

/// The settings of a finished run, for its tracer.
#[derive(Clone, Copy)]
pub struct TracerSettings<'a> {
    /// The module that ran.
    pub module: &'a Module,
    /// The seed of random numbers.
    pub seed: u64,
    /// The edition that the module ran in.
    pub edition: Edition,
}

/// A finished run, with a selected replica for queries.
#[derive(Clone, Debug)]
pub struct SelectedReplica {
    /// The run of all replicas.
    pub run: Rc<ReplicaRun>,
    /// The index of the selected replica.
    pub replica: usize,
}

impl SelectedReplica {
    /// Calls `query` with a tracer of the run.
    pub(crate) fn with_tracer<T>(
        &self,
        settings: TracerSettings<'_>,
        query: impl FnOnce(&mut DeviceTracer<'_>) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        let replicas = SimulatedDevices::new(settings.module, self.run.outcomes.len())
            .edition(settings.edition)
            .seed(settings.seed);
        let replicas = replicas.limits(QUERY_LIMITS);
        query(&mut replicas.tracer(&self.run.outcomes).max_cells(MAX_QUERY_CELLS))
    }

    /// The operand cells on all replicas that a cell on the selected one was computed from.
    pub fn sources(
        &self,
        settings: TracerSettings<'_>,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<DeviceSource>, EvalError> {
        self.with_tracer(settings, |tracer| Ok(tracer.sources(self.replica, id, cell)?))
    }

    /// The operand cells on the selected replica, with the calls of scalar computations for the cell, in order.
    pub fn sources_and_calls(
        &self,
        settings: TracerSettings<'_>,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<(Vec<Source>, Vec<ScalarCall>), EvalError> {
        self.with_tracer(settings, |tracer| Ok(tracer.sources_and_calls(self.replica, id, cell)?))
    }

    /// The parameter cells on all replicas that a cell on the selected one was computed from.
    pub fn origins(
        &self,
        settings: TracerSettings<'_>,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<DeviceSource>, EvalError> {
        self.with_tracer(settings, |tracer| Ok(tracer.origins(self.replica, id, cell)?))
    }
}
