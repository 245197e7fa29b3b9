//! A plan as one of several workers executes it.

use xla_kernels::{Kernel, Task};

use super::exchange::{DividedValue, Exchange};
use crate::plan::Plan;
use crate::step::Step;
use crate::step_state::StepState;

/// One of the workers that execute a run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worker {
    /// Its index, from 0.
    pub index: usize,
    /// The number of workers.
    pub count: usize,
}

impl Worker {
    /// The indices of the other workers.
    pub(crate) fn others(self) -> impl Iterator<Item = usize> {
        (0..self.count).filter(move |other| *other != self.index)
    }
}

/// The part of a step that a worker computes.
pub struct Shard {
    pub kernel: &'static Kernel,
    pub task: Task,
    /// The steps of the whole task that are not in `task`: they are charged, too, so that a run takes as many steps as with one
    /// worker.
    pub other_steps: u64,
}

/// How one worker executes a step.
#[derive(Default)]
struct DividedStep {
    /// Its shard; `None` if it executes the whole step.
    shard: Option<Box<Shard>>,
    /// The exchange after the step, unless it jumps.
    exchange: Option<Box<Exchange>>,
}

/// The division of a plan's steps, for one of the workers.
pub struct Division {
    worker: Worker,
    steps: Vec<DividedStep>,
    saved_nanoseconds: f64,
}

impl Division {
    /// A plan of this many steps, none of which is divided.
    pub fn new(worker: Worker, steps: usize) -> Self {
        let steps = (0..steps).map(|_| DividedStep::default()).collect();
        Self { worker, steps, saved_nanoseconds: 0.0 }
    }

    /// Divides a step, which saves nanoseconds by an estimate.
    pub fn divide(&mut self, step: usize, shard: Shard, saved_nanoseconds: f64) {
        if let Some(divided) = self.steps.get_mut(step) {
            divided.shard = Some(Box::new(shard));
            self.saved_nanoseconds += saved_nanoseconds;
        }
    }

    /// Adds a value to the exchange after a step.
    pub fn add_exchange(&mut self, after: usize, value: DividedValue) {
        if let Some(divided) = self.steps.get_mut(after) {
            divided.exchange.get_or_insert_default().values.push(value);
        }
    }

    /// The worker.
    pub fn worker(&self) -> Worker {
        self.worker
    }

    /// The worker's shard of a step; `None` if it executes the whole step.
    pub fn shard(&self, step: usize) -> Option<&Shard> {
        self.steps.get(step)?.shard.as_deref()
    }

    /// The exchange after a step that was executed without a jump.
    pub fn exchange_after(&self, step: usize) -> Option<&Exchange> {
        self.steps.get(step)?.exchange.as_deref()
    }

    /// The nanoseconds that the division saves in a run, by an estimate.
    pub fn saved_nanoseconds(&self) -> f64 {
        self.saved_nanoseconds
    }

    /// The states of the steps of a divided plan.
    pub fn step_states(&self, plan: &Plan) -> Vec<StepState> {
        let state = |(index, step): (usize, &Step)| {
            self.shard(index).map_or_else(
                || StepState::new(step, plan),
                |shard| StepState::of_task(&shard.task, &step.reads, plan),
            )
        };
        plan.steps.iter().enumerate().map(state).collect()
    }
}
