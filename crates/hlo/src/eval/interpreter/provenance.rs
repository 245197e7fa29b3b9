//! Provenance of a cell: its operand cells, and the parameter cells they are derived from.
//!
//! A trace reruns the semantics of the ops with a reader that records its reads. It does not repeat requests to the host and
//! other devices, but replays the answers that the run recorded.

use std::collections::BTreeSet;

use super::{Interpreter, no_value};
use crate::eval::values::{Values, run_error};
use crate::eval::waiting::{Participant, Path, poll_until_blocked};
use crate::module::InstructionId;
use xla_array::{Shape, Value};
use xla_messages::i18n::Message;
use xla_ops::readers::SourceRecorder;
use xla_ops::{CellAt, ComputationId, Data, OpError, Role, Run as _, ScalarCall, Semantics, Source};

/// Estimated bytes per visited cell, in the worklist, the set of visited cells and the result.
const BYTES_PER_VISITED_CELL: u64 = 512;

/// The error of a trace that visits more than `limit` cells.
pub(in crate::eval) fn too_many_cells(limit: usize) -> OpError {
    run_error("trace-limit", Message::ops("trace-limit").with("limit", limit))
}

pub(super) fn no_cell() -> OpError {
    run_error("trace-cell", Message::ops("trace-no-cell"))
}

/// Polls a trace to its end. A trace replays the answers of the run; fails if it would have to wait for one, because a
/// host answer that it needs was not recorded.
pub(in crate::eval) fn poll_trace<T>(future: impl Future<Output = Result<T, OpError>>) -> Result<T, OpError> {
    let missing_host_answer = || Err(run_error("trace-outside", Message::ops("trace-outside")));
    poll_until_blocked(future).unwrap_or_else(missing_host_answer)
}

impl Interpreter<'_> {
    /// Limits a trace to `max_cells` visited cells.
    pub fn limit_trace(&mut self, max_cells: usize) {
        self.trace.max_cells = max_cells.min(super::MAX_TRACED_CELLS);
    }

    /// Begins a trace at a call path; from now on recorded answers are replayed.
    pub fn begin_trace(&mut self, path: Path) {
        // A previous trace that failed did not release its reservations.
        self.budget.release_to(0);
        self.failed_at = None;
        self.calls.path = path;
        self.trace.is_active = true;
        self.trace.remote_cells.clear();
        self.trace.scalar_calls.clear();
    }

    /// Takes the scalar computations that were applied for the last traced cell.
    pub fn take_scalar_calls(&mut self) -> Vec<ScalarCall> {
        std::mem::take(&mut self.trace.scalar_calls)
    }

    /// Takes the cells of other devices that the last trace reached.
    pub fn take_remote_cells(&mut self) -> Vec<(Participant, Source)> {
        std::mem::take(&mut self.trace.remote_cells)
    }

    /// The operand cells that a cell of an instruction was computed from, in the order they were read.
    pub async fn sources(
        &mut self,
        values: &Values,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        let module = self.program.module;
        let instruction = module.get(values.computation).and_then(|c| c.get(id)).ok_or_else(no_cell)?;
        let leaf = values.get(id).and_then(|value| value.part(&cell.path)).and_then(Data::as_array);
        leaf.and_then(|array| array.get(&cell.index)).ok_or_else(no_cell)?;
        let operands = Self::operands(&values.values, instruction);
        if operands.len() != instruction.operands.len() {
            return Err(no_value());
        }
        for operand in &operands {
            self.budget.memory.exclude_from_accounting(operand);
        }
        let (semantics, actual_shape) =
            self.bind_to_operands(values.computation, id, instruction, &operands)?;
        let shape = actual_shape.as_ref().unwrap_or(&instruction.shape);
        self.budget.meter.frame.computation = values.computation;
        self.budget.meter.instruction = id;
        // The instruction draws the same random numbers again.
        let random_position = self.random.position;
        self.random.position = values.random_positions.get(id.index()).copied().unwrap_or(random_position);
        let sources = self.semantics_sources(&semantics, shape, &operands, cell).await;
        self.random.position = random_position;
        sources
    }

    /// The operand cells that the semantics read for a cell of the result.
    pub(super) async fn semantics_sources(
        &mut self,
        semantics: &Semantics,
        shape: &Shape,
        operands: &[Data],
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        let mut recording = SourceRecorder::new(operands, self.trace.max_cells);
        match semantics {
            Semantics::PerElement(run) => {
                run(&cell.index, &mut recording);
            }
            Semantics::PerElementTuple(run) => {
                let count = shape.as_tuple().map_or(0, <[_]>::len);
                run(&cell.index, &mut recording, &mut vec![Value::Int(0); count]);
            }
            Semantics::Constant(_) | Semantics::Parameter(_) => {}
            Semantics::Eager(whole) => return whole.sources(operands, cell, self),
            Semantics::Suspending(op) => {
                let sources = op.sources(operands, cell, self).await;
                // Scalar calls within called computations belong to other instructions.
                self.trace.scalar_calls.clear();
                return sources;
            }
        }
        if recording.steps() > self.trace.max_cells as u64 {
            return Err(too_many_cells(self.trace.max_cells));
        }
        self.spend(recording.steps())?;
        self.trace.scalar_calls = recording.take_scalar_calls();
        Ok(recording.into_sources())
    }

    /// The parameter cells of the computation that a cell was computed from, sorted and deduplicated; `operand` is the
    /// parameter number.
    pub async fn parameter_cells(
        &mut self,
        values: &Values,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        let module = self.program.module;
        let mut visited: BTreeSet<(InstructionId, CellAt)> = BTreeSet::from([(id, cell.clone())]);
        let mut worklist = vec![(id, cell.clone(), Role::Value)];
        let mut found: Vec<Source> = Vec::new();
        let reserved = self.budget.reserved();
        while let Some((id, cell, role)) = worklist.pop() {
            self.spend(1)?;
            self.reserve_bytes(BYTES_PER_VISITED_CELL)?;
            let Some(instruction) = module.get(values.computation).and_then(|c| c.get(id)) else { continue };
            if let Semantics::Parameter(number) = &*self.semantics(values.computation, id, instruction)? {
                found.push(Source { operand: *number, cell, role });
                continue;
            }
            for source in self.sources(values, id, &cell).await? {
                let Some(operand) = instruction.operands.get(source.operand) else { continue };
                if visited.insert((*operand, source.cell.clone())) {
                    worklist.push((*operand, source.cell, source.role));
                }
            }
            if visited.len() > self.trace.max_cells {
                return Err(too_many_cells(self.trace.max_cells));
            }
        }
        self.budget.release_to(reserved);
        found.sort_by(|a, b| (a.operand, &a.cell).cmp(&(b.operand, &b.cell)));
        Ok(found)
    }

    /// Reruns a computation and traces a cell of its result; see [`xla_ops::SuspendingRun::trace`].
    pub(super) async fn trace_call(
        &mut self,
        computation: ComputationId,
        arguments: &[Data],
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        let values = self.run_computation(computation, arguments).await?;
        match self.program.module.get(computation).and_then(|c| c.root) {
            Some(root) => self.parameter_cells(&values, root, cell).await,
            None => Ok(Vec::new()),
        }
    }

    /// The cells of the entry parameters that a cell was computed from. `values` are the values of the entry computation;
    /// `start` is the cell's call path, its instruction, and the cell. Afterwards, [`Interpreter::take_remote_cells`] returns the
    /// cells of other devices.
    pub fn trace_to_entry(
        &mut self,
        values: &Values,
        start: (Path, InstructionId, CellAt),
    ) -> Result<Vec<Source>, OpError> {
        let mut visited = BTreeSet::from([start.clone()]);
        let mut worklist = vec![start];
        let mut found = Vec::new();
        while let Some((path, id, cell)) = worklist.pop() {
            let recorded = self.recorded_call(values, &path)?;
            let values_here = recorded.as_deref().unwrap_or(values);
            self.calls.path.clone_from(&path);
            let parameter_cells = poll_trace(self.parameter_cells(values_here, id, &cell))?;
            let Some(((caller, nth), caller_path)) = path.split_last() else {
                found.extend(parameter_cells);
                continue;
            };
            let caller_path = Path::from_slice(caller_path);
            for source in parameter_cells {
                let call = (*caller, *nth);
                let next = self.parameter_source(values, &caller_path, call, source.operand, &source.cell)?;
                worklist.extend(next.filter(|next| visited.insert(next.clone())));
            }
            if visited.len() > self.trace.max_cells {
                return Err(too_many_cells(self.trace.max_cells));
            }
        }
        Ok(found)
    }
}
