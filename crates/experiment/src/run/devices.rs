//! A run of an experiment in its world: on all its replicas, with its queues and functions.
//!
//! Invariant: a run that can never go on ends, and tells what each replica waits for. Whether a function still works
//! on its answer is the caller's to say; queues are filled before a run begins.

use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::limits::{MAX_TRACED_CELLS, QUESTION_LIMITS, parameter_bytes, too_large};
use crate::Experiment;
use crate::arguments::{NoArgument, arguments_of, item, refused};
use crate::needs::Needs;
use crate::state::Environment;
use xla_array::{Edition, Literal};
use xla_hlo::eval::values::Values as RunValues;
use xla_hlo::{
    EvalError, Host, Instruction, InstructionId, Limits, Module, Outcome, ReplicaError, ReplicaSource,
    ReplicaTracer, Replicas,
};
use xla_messages::i18n::Message;
use xla_ops::{Applied, CellAt, HostNeeds, Source};

/// What a run left outside, on one replica.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostState {
    /// How many items the infeed took.
    pub taken: usize,
    /// What was put out.
    pub outfed: Vec<Literal>,
    /// What it waits for, where it has not finished.
    pub waits: Option<Message>,
    /// Whether that is an item of the infeed.
    pub wants_item: bool,
}

/// A run that came to its end.
#[derive(Debug)]
pub struct ReplicaRun {
    outcomes: Vec<Outcome>,
    /// What is left outside, by replica.
    pub left: Vec<HostState>,
    /// Steps taken.
    pub steps: u64,
}

/// A run that did not.
#[derive(Clone, Debug, PartialEq)]
pub struct UnfinishedRun {
    /// Why, and on which replica.
    pub error: ReplicaError,
    /// What is left outside, by replica.
    pub left: Vec<HostState>,
}

impl UnfinishedRun {
    /// The error itself.
    pub fn error(&self) -> &EvalError {
        &self.error.error
    }

    /// Whether it only waits for what the visitor, or another replica, could give.
    pub fn is_waiting(&self) -> bool {
        self.error().error.rule == "waiting"
    }
}

/// The queue of a replica, filled as the world says. Errors: an item that cannot be read.
pub fn host_of(world: &Environment, needs: &Needs, host: Host) -> Result<Host, NoArgument> {
    for (number, text) in world.infeed.iter().enumerate() {
        let Some(shape) = needs.item(number) else { break };
        host.infeed().push(item(shape, text)?);
    }
    Ok(host)
}

/// Hosts for all replicas. Errors: as [`host_of`].
fn hosts_of(
    experiment: &Experiment,
    needs: &Needs,
    host: impl Fn() -> Host,
) -> Result<Vec<Host>, NoArgument> {
    let count = experiment.environment.replicas.max(1);
    (0..count).map(|_| host_of(&experiment.environment, needs, host())).collect()
}

/// A module's replicas, each with a host, and the arguments of each. Errors: those of the first argument that has no
/// value.
fn of<'m>(
    experiment: &Experiment,
    module: &'m Module,
    limits: Limits,
    hosts: &[Host],
) -> Result<(Replicas<'m>, Vec<Vec<Literal>>), NoArgument> {
    // Arguments are allocated before the run counts anything.
    if parameter_bytes(module).is_none_or(|bytes| bytes > limits.bytes) {
        return Err(NoArgument::Memory);
    }
    let arguments = |replica| arguments_of(experiment, module, replica);
    let arguments = (0..hosts.len()).map(arguments).collect::<Result<_, _>>()?;
    let mut replicas =
        Replicas::new(module, hosts.len()).edition(experiment.edition).limits(limits).seed(experiment.seed);
    for (device, host) in hosts.iter().enumerate() {
        replicas = replicas.host(device, host);
    }
    Ok((replicas, arguments))
}

/// The same, where nothing but queues and other replicas answers.
pub(crate) fn alone<'m>(
    experiment: &Experiment,
    module: &'m Module,
    limits: Limits,
    needs: &Needs,
) -> Result<(Replicas<'m>, Vec<Vec<Literal>>), NoArgument> {
    of(experiment, module, limits, &hosts_of(experiment, needs, Host::default)?)
}

/// A run that may not begin.
fn not_begun(why: NoArgument, replicas: usize, limits: Limits) -> UnfinishedRun {
    let error = match why {
        NoArgument::Unreadable(unreadable) => refused(&unreadable),
        NoArgument::Memory => too_large(limits.bytes),
    };
    UnfinishedRun { error: ReplicaError { device: None, error }, left: vec![HostState::default(); replicas] }
}

/// Runs a module without errors on every replica; `host` makes a host with its functions for each, `is_busy` tells
/// whether one of these works on an answer.
pub async fn run(
    experiment: &Experiment,
    module: &Module,
    limits: Limits,
    host: impl Fn() -> Host,
    is_busy: impl Fn() -> bool,
) -> Result<ReplicaRun, UnfinishedRun> {
    let needs = Needs::of(module);
    let count = experiment.environment.replicas.max(1);
    let hosts = hosts_of(experiment, &needs, host).map_err(|why| not_begun(why, count, limits))?;
    let full: Vec<usize> = hosts.iter().map(|host| host.infeed().len()).collect();
    let (mut replicas, arguments) =
        of(experiment, module, limits, &hosts).map_err(|why| not_begun(why, count, limits))?;
    let waits = replicas.waits();
    let result = {
        let mut run = pin!(replicas.run_all_async(&arguments));
        poll_fn(|context| match run.as_mut().poll(context) {
            Poll::Pending if !is_busy() => Poll::Ready(Err(waits.error(module))),
            other => other,
        })
        .await
    };
    let (messages, at) = match &result {
        Ok(_) => (vec![None; count], vec![None; count]),
        Err(_) => (waits.messages(module), waits.instructions(module)),
    };
    let takes = |i: &Instruction| i.op.map(|op| op.host_needs(&i.attrs, &i.shape));
    let left: Vec<HostState> = hosts
        .iter()
        .zip(full)
        .zip(messages.into_iter().zip(at))
        .map(|((host, full), (waits, at))| {
            let outfed = std::iter::from_fn(|| host.outfeed().pop()).collect();
            HostState {
                taken: full - host.infeed().len(),
                outfed,
                waits,
                wants_item: matches!(at.and_then(takes), Some(HostNeeds::Item(_))),
            }
        })
        .collect();
    let outcomes = match result {
        Ok(outcomes) => outcomes,
        Err(error) => return Err(UnfinishedRun { error, left }),
    };
    Ok(ReplicaRun { steps: outcomes.iter().map(|outcome| outcome.steps).sum(), outcomes, left })
}

/// As [`run`], where nothing but queues and other replicas answers: it ends at once.
pub fn run_alone(
    experiment: &Experiment,
    module: &Module,
    limits: Limits,
) -> Result<ReplicaRun, UnfinishedRun> {
    let mut run = pin!(run(experiment, module, limits, Host::default, || false));
    loop {
        // Once is enough: where nobody is busy, what has to wait ends.
        if let Poll::Ready(result) = run.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return result;
        }
    }
}

impl ReplicaRun {
    /// How many replicas ran.
    pub fn devices(&self) -> usize {
        self.outcomes.len()
    }

    /// The values of a replica.
    pub fn values(&self, device: usize) -> Option<&RunValues> {
        self.outcomes.get(device).map(|outcome| &outcome.values)
    }
}

/// By what a finished run is asked.
#[derive(Clone, Copy)]
pub struct TraceSettings<'a> {
    /// The module that ran.
    pub module: &'a Module,
    /// The seed of random numbers.
    pub seed: u64,
    /// The edition.
    pub edition: Edition,
}

/// A finished run, ready to be asked where cells came from.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The run.
    pub run: Rc<ReplicaRun>,
    /// The replica that is looked at.
    pub device: usize,
}

impl Traced {
    /// Asks the replicas as they were at the end of the run.
    pub(crate) fn ask<T>(
        &self,
        asked: TraceSettings<'_>,
        ask: impl FnOnce(&mut ReplicaTracer<'_>) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        let replicas =
            Replicas::new(asked.module, self.run.outcomes.len()).edition(asked.edition).seed(asked.seed);
        let replicas = replicas.limits(QUESTION_LIMITS);
        ask(&mut replicas.tracer(&self.run.outcomes).max_cells(MAX_TRACED_CELLS))
    }

    /// The cells of an instruction's operands, on all replicas, that a cell on this one came from.
    pub fn sources(
        &self,
        asked: TraceSettings<'_>,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<ReplicaSource>, EvalError> {
        self.ask(asked, |tracer| Ok(tracer.sources(self.device, id, cell)?))
    }

    /// Those on this replica, with the calls of computations on elements that made the cell, in their order.
    pub fn applications(
        &self,
        asked: TraceSettings<'_>,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<(Vec<Source>, Vec<Applied>), EvalError> {
        self.ask(asked, |tracer| Ok(tracer.applications(self.device, id, cell)?))
    }

    /// The cells of the parameters, on all replicas, that a cell on this one came from.
    pub fn origins(
        &self,
        asked: TraceSettings<'_>,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<ReplicaSource>, EvalError> {
        self.ask(asked, |tracer| Ok(tracer.origins(self.device, id, cell)?))
    }
}
