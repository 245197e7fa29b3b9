//! Provenance: the cells that a cell was computed from, by its instruction and back to the parameters.
//!
//! The bodies of the ops run once more with a reader that records what it reads. Host and other devices are not asked
//! again: the answers of the run are used.

use std::collections::{BTreeMap, BTreeSet};

use super::{Interpreter, no_value};
use crate::eval::values::Values;
use crate::eval::waiting::{Party, Path, poll_to_end};
use crate::module::InstructionId;
use xla_array::{Shape, Value};
use xla_messages::i18n::Message;
use xla_ops::readers::Recording;
use xla_ops::{Applied, Body, CellAt, ComputationId, Data, Entered, OpError, Role, Run as _, Source};

/// The bytes that a cell takes in a trace: as open, as seen and as found.
const BYTES_PER_CELL: u64 = 512;
/// The most runs whose values are held at once.
const MAX_HELD_FRAMES: usize = 64;

/// The error of a trace that follows more than `limit` cells.
pub(in crate::eval) fn too_many_cells(limit: usize) -> OpError {
    OpError::new("call", "trace-limit", Message::engine("trace-limit").with("limit", limit))
}

fn no_cell() -> OpError {
    OpError::new("call", "trace-cell", Message::engine("trace-no-cell"))
}

/// Runs a trace, which never waits.
pub(in crate::eval) fn traced<T>(future: impl Future<Output = Result<T, OpError>>) -> Result<T, OpError> {
    let waits = || Err(OpError::new("call", "trace-outside", Message::engine("trace-outside")));
    poll_to_end(future).unwrap_or_else(waits)
}

impl Interpreter<'_> {
    /// Limits a trace to `max_cells` cells.
    pub fn limit_trace(&mut self, max_cells: usize) {
        self.trace.max_cells = max_cells.min(super::MAX_TRACED_CELLS);
    }

    /// Begins a trace at a path: from here on recorded answers are used.
    pub fn begin_trace(&mut self, path: Path) {
        // A trace that failed leaves reservations behind.
        self.budget.release_to(0);
        self.failed_at = None;
        self.calls.path = path;
        self.trace.is_active = true;
        self.trace.remote.clear();
        self.trace.applied.clear();
    }

    /// The calls of computations behind the cell that was traced last.
    pub fn take_applied(&mut self) -> Vec<Applied> {
        std::mem::take(&mut self.trace.applied)
    }

    /// Cells of other devices that the last trace reached.
    pub fn take_remote(&mut self) -> Vec<(Party, Source)> {
        std::mem::take(&mut self.trace.remote)
    }

    /// Keeps the values of a run if a trace wants them.
    pub(super) fn keep_wanted(&mut self, values: &Values) {
        if let Some((path, slot)) = &mut self.trace.wanted
            && *path == self.calls.path
            && slot.is_none()
        {
            *slot = Some(values.clone());
        }
    }

    /// The cells of an instruction's operands that one of its cells was computed from, in the order they were read.
    pub async fn sources(
        &mut self,
        values: &Values,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        let module = self.program.module;
        let instruction = module.get(values.computation).and_then(|c| c.get(id)).ok_or_else(no_cell)?;
        let part = values.get(id).and_then(|value| value.part(&cell.path)).and_then(Data::as_array);
        part.and_then(|array| array.get(&cell.index)).ok_or_else(no_cell)?;
        let operands = Self::operands(&values.values, instruction);
        if operands.len() != instruction.operands.len() {
            return Err(no_value());
        }
        for operand in &operands {
            self.budget.memory.exempt(operand);
        }
        let (body, smaller) = self.bound(values.computation, id, instruction, &operands)?;
        let shape = smaller.as_ref().unwrap_or(&instruction.shape);
        self.budget.meter.frame.computation = values.computation;
        self.budget.meter.instruction = id;
        // The instruction draws the same numbers again.
        let drawn = self.random.drawn;
        self.random.drawn = values.drawn.get(id.index()).copied().unwrap_or(drawn);
        let sources = self.body_sources(&body, shape, &operands, cell).await;
        self.random.drawn = drawn;
        sources
    }

    pub(super) async fn body_sources(
        &mut self,
        body: &Body,
        shape: &Shape,
        operands: &[Data],
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        let mut recording = Recording::new(operands, self.trace.max_cells);
        match body {
            Body::Cell(run) => {
                run(&cell.index, &mut recording);
            }
            Body::Cells(run) => {
                let count = shape.as_tuple().map_or(0, <[_]>::len);
                run(&cell.index, &mut recording, &mut vec![Value::Int(0); count]);
            }
            Body::Constant(_) | Body::Parameter(_) => {}
            Body::Whole(whole) => return whole.sources(operands, cell, self),
            Body::Calls(calls) => {
                let sources = calls.sources(operands, cell, self).await;
                // Calls within belong to other instructions.
                self.trace.applied.clear();
                return sources;
            }
        }
        if recording.reads() > self.trace.max_cells as u64 {
            return Err(too_many_cells(self.trace.max_cells));
        }
        self.spend(recording.reads())?;
        self.trace.applied = recording.take_applied();
        Ok(recording.into_sources())
    }

    /// The cells of the computation's parameters that a cell was computed from: each once, in order; `operand` is the
    /// number of the parameter.
    pub async fn parameter_cells(
        &mut self,
        values: &Values,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        let module = self.program.module;
        let mut seen: BTreeSet<(InstructionId, CellAt)> = BTreeSet::from([(id, cell.clone())]);
        let mut open = vec![(id, cell.clone(), Role::Value)];
        let mut found: Vec<Source> = Vec::new();
        let before = self.budget.reserved();
        while let Some((id, cell, role)) = open.pop() {
            self.spend(1)?;
            self.reserve_bytes(BYTES_PER_CELL)?;
            let Some(instruction) = module.get(values.computation).and_then(|c| c.get(id)) else { continue };
            if let Body::Parameter(number) = &*self.body(values.computation, id, instruction)? {
                found.push(Source { operand: *number, cell, role });
                continue;
            }
            for source in self.sources(values, id, &cell).await? {
                let Some(operand) = instruction.operands.get(source.operand) else { continue };
                if seen.insert((*operand, source.cell.clone())) {
                    open.push((*operand, source.cell, source.role));
                }
            }
            if seen.len() > self.trace.max_cells {
                return Err(too_many_cells(self.trace.max_cells));
            }
        }
        self.budget.release_to(before);
        found.sort_by(|a, b| (a.operand, &a.cell).cmp(&(b.operand, &b.cell)));
        Ok(found)
    }

    /// As [`xla_ops::Caller::trace`].
    pub(super) async fn trace_call(
        &mut self,
        computation: ComputationId,
        arguments: &[Data],
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        let values = self.frame(computation, arguments).await?;
        match self.program.module.get(computation).and_then(|c| c.root) {
            Some(root) => self.parameter_cells(&values, root, cell).await,
            None => Ok(Vec::new()),
        }
    }

    /// The cells of the entry's parameters that a cell was computed from; `values` are those of the entry, `from`
    /// begins with the path of the run that has the cell. Cells of other devices are left to
    /// [`Interpreter::take_remote`].
    pub fn trace_to_entry(
        &mut self,
        values: &Values,
        from: (Path, InstructionId, CellAt),
    ) -> Result<Vec<Source>, OpError> {
        let mut frames: BTreeMap<Path, Values> = BTreeMap::new();
        let mut seen = BTreeSet::from([from.clone()]);
        let mut open = vec![from];
        let mut found = Vec::new();
        while let Some((path, id, cell)) = open.pop() {
            let here = self.values_at(values, &path, &mut frames)?;
            self.calls.path.clone_from(&path);
            let inner = traced(self.parameter_cells(&here, id, &cell))?;
            let Some(((caller, nth), above)) = path.split_last() else {
                found.extend(inner);
                continue;
            };
            let above = Path::from_slice(above);
            let outer = self.values_at(values, &above, &mut frames)?;
            let module = self.program.module;
            let computation = module.get(outer.computation).ok_or_else(no_cell)?;
            let instruction = computation.get(*caller).ok_or_else(no_cell)?;
            let operands = Self::operands(&outer.values, instruction);
            let Body::Calls(calls) = &*self.body(outer.computation, *caller, instruction)? else { continue };
            for source in inner {
                let next = match calls.enters(&operands, *nth, source.operand, &source.cell) {
                    Entered::Operand(number, at) => {
                        instruction.operands.get(number).map(|operand| (above.clone(), *operand, at))
                    }
                    Entered::Result(before, computation, at) => {
                        let mut path = above.clone();
                        path.push((*caller, before));
                        module.get(computation).and_then(|c| c.root).map(|root| (path, root, at))
                    }
                    Entered::Nowhere => None,
                };
                open.extend(next.filter(|next| seen.insert(next.clone())));
            }
            if seen.len() > self.trace.max_cells {
                return Err(too_many_cells(self.trace.max_cells));
            }
        }
        Ok(found)
    }

    /// The values of the run at a path: the instruction of the entry that led to it runs once more.
    fn values_at(
        &mut self,
        entry: &Values,
        path: &Path,
        known: &mut BTreeMap<Path, Values>,
    ) -> Result<Values, OpError> {
        let Some((first, _)) = path.first().copied() else { return Ok(entry.clone()) };
        if let Some(values) = known.get(path) {
            return Ok(values.clone());
        }
        let module = self.program.module;
        let instruction = module.get(entry.computation).and_then(|c| c.get(first)).ok_or_else(no_cell)?;
        let operands = Self::operands(&entry.values, instruction);
        let body = self.body(entry.computation, first, instruction)?;
        self.trace.wanted = Some((path.clone(), None));
        self.calls.path.clear();
        (self.budget.meter.frame.computation, self.budget.meter.instruction) = (entry.computation, first);
        traced(self.value(&body, &instruction.shape, &operands))?;
        let values = self.trace.wanted.take().and_then(|(_, values)| values).ok_or_else(no_cell)?;
        if known.len() >= MAX_HELD_FRAMES {
            known.clear();
        }
        known.insert(path.clone(), values.clone());
        Ok(values)
    }
}
