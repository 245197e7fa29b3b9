//! Runs that several workers execute together ([`crate::division`]). A run stops where parts must be exchanged, and is resumed with
//! those of the other workers.
//!
//! If a worker is lost, the run starts again, undivided: to compute only the missing parts, the operands of all divided steps would
//! have to be kept until the exchange. The arguments are unchanged, so that the result is the same.

use std::borrow::Cow;

use xla_array::{ArrayLiteral, Literal};
use xla_hlo::{Limits, Observer};

use crate::division::analysis;
use crate::division::candidates::CostModel;
use crate::division::divided_plan::Worker;
use crate::division::exchange::Exchange;
use crate::memory::Memory;
use crate::meter::Meter;
use crate::run::{RunError, ValueObserver};
use crate::run_state::{PausedRun, RunState};
use crate::run_statistics::{RunStatistics, StatisticsRecorder};
use crate::runner::{Advance, Runner, argument_arrays};
use crate::step_state::StepState;

/// How far a run is that several workers execute.
#[derive(Debug)]
pub enum RunProgress {
    /// It is complete: the result, and the statistics if they were requested.
    Finished(Literal, Option<RunStatistics>),
    /// It waits for the parts of the other workers.
    Exchange,
}

impl Runner {
    /// Divides further runs among workers, of which this is one; returns the nanoseconds that this saves by an estimate. 0 if nothing
    /// is worth dividing: then runs never stop. All workers must have the same plan, seed and arguments.
    pub fn divide(&mut self, worker: Worker) -> f64 {
        self.divide_by(worker, CostModel::default())
    }

    /// Divides further runs like [`Self::divide`], where it pays at these costs.
    pub fn divide_by(&mut self, worker: Worker, costs: CostModel) -> f64 {
        self.undivide();
        self.division = analysis::divide(&self.plan, worker, costs);
        let Some(division) = &self.division else { return 0.0 };
        self.states = division.step_states(&self.plan);
        division.saved_nanoseconds()
    }

    /// The bytes of the buffers of a run, and of its result.
    pub fn run_bytes(&self) -> u64 {
        self.plan.bytes().saturating_add(self.plan.result_bytes())
    }

    /// Runs the plan in this worker alone from now on.
    pub fn undivide(&mut self) {
        self.paused = None;
        if self.division.take().is_some() {
            self.states = self.plan.steps.iter().map(|step| StepState::new(step, &self.plan)).collect();
        }
    }

    /// Runs the divided plan until parts must be exchanged. One worker should collect statistics, if any.
    ///
    /// # Errors
    ///
    /// Those of [`Runner::run`].
    pub fn start(
        &mut self,
        arguments: &[&Literal],
        limits: Limits,
        observer: Option<&mut dyn Observer>,
        collects_statistics: bool,
    ) -> Result<RunProgress, RunError> {
        self.paused = None;
        let value_observer = if collects_statistics {
            ValueObserver::Statistics(StatisticsRecorder::new(&self.plan))
        } else {
            ValueObserver::Ignore
        };
        let arrays = argument_arrays(&self.plan.clone(), arguments)?;
        let state = self.begin(&arrays, Meter::new(limits, observer), value_observer)?;
        self.advance_or_pause(&arrays, state)
    }

    fn advance_or_pause(
        &mut self,
        arguments: &[Cow<ArrayLiteral>],
        mut state: RunState,
    ) -> Result<RunProgress, RunError> {
        match self.advance(arguments, &mut state)? {
            Advance::Finished(result) => {
                let result = result.ok_or(RunError::Rejected)?;
                Ok(RunProgress::Finished(result, state.statistics(&self.plan)))
            }
            Advance::Exchange => {
                let RunState { next, meter, random, value_observer } = state;
                let state = RunState { next, meter: meter.with_observer(None), random, value_observer };
                let packed_part = self.pack(next).unwrap_or_default();
                self.paused = Some(PausedRun { state, packed_part });
                Ok(RunProgress::Exchange)
            }
        }
    }

    /// The exchange before a step, and this worker.
    fn exchange_before(&self, next: usize) -> Option<(&Exchange, Worker)> {
        let division = self.division.as_ref()?;
        Some((division.exchange_after(next.checked_sub(1)?)?, division.worker()))
    }

    /// The exchange that the run waits for, and this worker.
    fn exchange(&self) -> Option<(&Exchange, Worker)> {
        self.exchange_before(self.paused.as_ref()?.state.next)
    }

    /// Packs this worker's part; `None` if its elements are adjacent.
    fn pack(&mut self, next: usize) -> Option<Vec<u8>> {
        let mut buffers = self.buffers.take()?;
        let packed = self.exchange_before(next).and_then(|(exchange, worker)| {
            let memory = Memory { plan: &self.plan, arguments: &[], buffers: &mut buffers };
            let mut part = Vec::with_capacity(exchange.part_bytes(worker.index));
            exchange.adjacent_part(worker.index).is_none().then(|| {
                exchange.pack(worker.index, &memory, &mut part);
                part
            })
        });
        self.buffers = Some(buffers);
        packed
    }

    /// The part of this worker, for the others; empty unless the run waits for theirs.
    pub fn own_part(&self) -> &[u8] {
        let part = self.exchange().and_then(|(exchange, worker)| {
            let (value, bytes) = exchange.adjacent_part(worker.index)?;
            self.buffers.as_ref()?.allocation_bytes(&self.plan, value)?.get(bytes)
        });
        let packed = self.paused.as_ref().map(|paused| paused.packed_part.as_slice());
        part.or(packed).unwrap_or_default()
    }

    /// The length in bytes of the parts of the other workers together.
    pub fn other_parts_bytes(&self) -> usize {
        self.exchange()
            .map_or(0, |(exchange, worker)| worker.others().map(|other| exchange.part_bytes(other)).sum())
    }

    /// Resumes a run with the parts of the other workers, in the order of their indices.
    ///
    /// # Errors
    ///
    /// [`RunError::Rejected`] if no run waits for parts, or if these have another length: then it waits for others. The errors of
    /// [`Runner::run`].
    pub fn resume(
        &mut self,
        arguments: &[&Literal],
        parts: &[u8],
        observer: Option<&mut dyn Observer>,
    ) -> Result<RunProgress, RunError> {
        if parts.len() != self.other_parts_bytes() {
            return Err(RunError::Rejected);
        }
        let mut buffers = self.buffers.take().ok_or(RunError::Rejected)?;
        let unpacked = self.exchange().and_then(|(exchange, worker)| {
            let mut memory = Memory { plan: &self.plan, arguments: &[], buffers: &mut buffers };
            let mut rest = parts;
            worker.others().try_for_each(|other| {
                let (part, after) = rest.split_at_checked(exchange.part_bytes(other))?;
                rest = after;
                exchange.unpack(other, &mut memory, part)
            })
        });
        self.buffers = Some(buffers);
        unpacked.ok_or(RunError::Rejected)?;
        let PausedRun { state, .. } = self.paused.take().ok_or(RunError::Rejected)?;
        let RunState { next, meter, random, value_observer } = state;
        let state = RunState { next, meter: meter.with_observer(observer), random, value_observer };
        self.advance_or_pause(&argument_arrays(&self.plan.clone(), arguments)?, state)
    }

    /// Starts the waiting run again in this worker alone, because another one was lost. Further runs are undivided, too.
    ///
    /// # Errors
    ///
    /// [`RunError::Rejected`] if no run waits for parts. The errors of [`Runner::run`].
    pub fn resume_alone(
        &mut self,
        arguments: &[&Literal],
        observer: Option<&mut dyn Observer>,
    ) -> Result<RunProgress, RunError> {
        let PausedRun { state, .. } = self.paused.take().ok_or(RunError::Rejected)?;
        let collects_statistics = matches!(state.value_observer, ValueObserver::Statistics(_));
        self.undivide();
        self.start(arguments, state.meter.limits(), observer, collects_statistics)
    }
}
