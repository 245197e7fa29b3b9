//! Decides which steps are divided, and where parts are exchanged.
//!
//! The steps are visited in order. *Pending* values are divided, and not exchanged yet. A step that can be divided such that each
//! worker reads only its own parts of them is; before any other step, the pending values that it reads are exchanged, and at the end
//! of a basic block all that are still needed. Then the exchanges of a block are merged: one may be earlier than needed.

use super::candidates::{Candidate, CostModel, DivisibleStep, Pending, element_bytes};
use super::divided_plan::{Division, Shard, Worker};
use super::exchange::DividedValue;
use super::liveness::Liveness;
use crate::array::ValueId;
use crate::plan::Plan;
use crate::step::{Action, Step};

/// An exchange of one value.
struct ValueExchange {
    divided: DividedValue,
    /// The step that writes the value.
    written_at: usize,
    /// The last step after which the exchange may take place.
    latest: usize,
}

struct Analysis<'p> {
    plan: &'p Plan,
    liveness: Liveness,
    division: Division,
    costs: CostModel,
    pending: Pending,
    /// The step that writes each pending value.
    written_at: Vec<(ValueId, usize)>,
    /// The exchanges of the current basic block.
    exchanges: Vec<ValueExchange>,
}

/// Divides a plan for a worker; `None` if that saves nothing.
pub fn divide(plan: &Plan, worker: Worker, costs: CostModel) -> Option<Division> {
    if worker.count < 2 || worker.index >= worker.count {
        return None;
    }
    let mut analysis = Analysis {
        plan,
        liveness: Liveness::new(plan),
        division: Division::new(worker, plan.steps.len()),
        costs,
        pending: Pending::new(),
        written_at: Vec::new(),
        exchanges: Vec::new(),
    };
    for (index, step) in plan.steps.iter().enumerate() {
        analysis.visit(index, step);
        if analysis.liveness.ends_block(index) {
            analysis.end_block(index, step);
        }
    }
    let division = analysis.division;
    (division.saved_nanoseconds() > 0.0).then_some(division)
}

impl Analysis<'_> {
    fn visit(&mut self, index: usize, step: &Step) {
        if let Some(candidate) = self.candidate(step)
            && self.divide_step(index, step, candidate).is_some()
        {
            return;
        }
        for value in step.read() {
            self.exchange(value, index);
        }
    }

    /// The best division of a step, if one pays.
    fn candidate(&self, step: &Step) -> Option<Candidate> {
        let Action::Kernel { task, .. } = &step.action else { return None };
        let count = self.division.worker().count;
        let step = DivisibleStep::new(self.plan, step, task, &self.pending, (count, self.costs))?;
        step.best().filter(|candidate| candidate.saved_nanoseconds > 0.0)
    }

    /// Divides a step; `None` if no kernel runs its shard.
    fn divide_step(&mut self, index: usize, step: &Step, mut candidate: Candidate) -> Option<()> {
        let Action::Kernel { task: whole, .. } = &step.action else { return None };
        let worker = self.division.worker().index;
        let task = (worker < candidate.tasks.len()).then(|| candidate.tasks.swap_remove(worker))?;
        let kernel = xla_kernels::choose(&task)?;
        let value = step.writes.first()?.value;
        for exchanged in candidate.exchanged {
            self.exchange(exchanged, index);
        }
        let other_steps = whole.steps().saturating_sub(task.steps());
        let saved_nanoseconds = candidate.saved_nanoseconds * self.liveness.executions(index);
        self.division.divide(index, Shard { kernel, task, other_steps }, saved_nanoseconds);
        self.pending.insert(value, candidate.partition);
        self.written_at.push((value, index));
        Some(())
    }

    /// Exchanges the parts of a value, if it is pending, before a step.
    fn exchange(&mut self, value: ValueId, before: usize) {
        let Some(partition) = self.pending.remove(&value) else { return };
        let position = self.written_at.iter().rposition(|(written, _)| *written == value);
        let Some((_, written_at)) = position.map(|position| self.written_at.swap_remove(position)) else {
            return;
        };
        let divided = DividedValue { value, partition, element_bytes: element_bytes(self.plan, value) };
        // A block starts without pending values, so that the step is not its first one.
        let latest = before.saturating_sub(1).max(written_at);
        self.exchanges.push(ValueExchange { divided, written_at, latest });
    }

    /// Exchanges the pending values that other blocks need, and merges the exchanges of the block that ends with this step.
    fn end_block(&mut self, last: usize, step: &Step) {
        let jumps = matches!(step.action, Action::Jump(_) | Action::JumpUnless(_) | Action::Switch(_));
        for (value, written_at) in self.written_at.clone() {
            if self.liveness.is_read_elsewhere(value, written_at, last) {
                self.exchange(value, if jumps { last } else { last + 1 });
            }
        }
        self.pending.clear();
        self.written_at.clear();
        let mut exchanges = std::mem::take(&mut self.exchanges);
        exchanges.sort_by_key(|exchange| exchange.latest);
        let mut merged: Option<usize> = None;
        for ValueExchange { divided, written_at, latest } in exchanges {
            let after = *merged.insert(merged.filter(|after| *after >= written_at).unwrap_or(latest));
            self.division.add_exchange(after, divided);
        }
    }
}
