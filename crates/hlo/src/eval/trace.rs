//! Where a cell came from: the cells its instruction read, and through several instructions back to the parameters.
//!
//! It is the ops' own bodies that tell, run once more with a reader that notes what it reads. What the world outside
//! answered is answered again as it was.

use std::collections::{BTreeMap, BTreeSet};

use super::evaluate::Evaluator;
use super::outside::{Path, now};
use super::values::{EvalError, Values};
use crate::module::InstructionId;
use xla_array::{Shape, Value};
use xla_messages::i18n::Message;
use xla_ops::read::Recording;
use xla_ops::{Applied, Body, CellAt, ComputationId, Data, Entered, OpError, Role, Run as _, Source};

/// The most cells that one trace follows, unless fewer are asked for.
pub(super) const MOST: usize = 1 << 20;
/// What a cell costs in a trace: it is noted as open, as seen and as found.
const PER_CELL: u64 = 512;
/// The most runs whose values are held at once.
const MOST_FRAMES: usize = 64;

pub(super) fn too_many(limit: usize) -> OpError {
    OpError::new("call", "trace-limit", Message::engine("trace-limit").with("limit", limit))
}

fn no_cell() -> OpError {
    OpError::new("call", "trace-cell", Message::engine("trace-no-cell"))
}

/// Runs a trace, which never waits.
pub(super) fn traced<T>(future: impl Future<Output = Result<T, OpError>>) -> Result<T, OpError> {
    let waits = || Err(OpError::new("call", "trace-outside", Message::engine("trace-outside")));
    now(future).unwrap_or_else(waits)
}

impl Evaluator<'_> {
    /// The cells of an instruction's operands that one of its cells came from, in the order they were read;
    /// `values` are those of the last run. Errors: `trace-cell` where there is no such cell, `trace-limit`,
    /// `trace-outside` where an answer from outside was not kept.
    pub fn provenance(
        &mut self,
        values: &Values,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<Source>, EvalError> {
        self.begin_trace(Path::new());
        traced(self.sources(values, instruction, cell)).map_err(|error| self.located(error))
    }

    /// As [`Evaluator::provenance`], with the calls of computations on elements that made the cell, in their order.
    /// Of an op that calls whole computations there are none. Errors: as there.
    pub fn applications(
        &mut self,
        values: &Values,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<(Vec<Source>, Vec<Applied>), EvalError> {
        self.applied.clear();
        let sources = self.provenance(values, instruction, cell)?;
        Ok((sources, std::mem::take(&mut self.applied)))
    }

    /// The cells of the computation's parameters that a cell came from, through all instructions between: each
    /// once, in order; `operand` is the number of the parameter. Errors: as [`Evaluator::provenance`].
    pub fn provenance_of_parameters(
        &mut self,
        values: &Values,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<Source>, EvalError> {
        self.begin_trace(Path::new());
        traced(self.parameter_cells(values, instruction, cell)).map_err(|error| self.located(error))
    }

    /// From here on answers are those that were kept.
    pub(super) fn begin_trace(&mut self, path: Path) {
        self.meter.is_silent = true;
        self.failed_at = None;
        self.depth = path.len();
        self.outside.path = path;
        self.outside.replays = true;
        self.outside.elsewhere.clear();
    }

    pub(super) async fn sources(
        &mut self,
        values: &Values,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        let module = self.module;
        let instruction = module.get(values.computation).and_then(|c| c.get(id)).ok_or_else(no_cell)?;
        let part = values.get(id).and_then(|value| value.part(&cell.path)).and_then(Data::as_array);
        part.and_then(|array| array.get(&cell.index)).ok_or_else(no_cell)?;
        let operands = Self::operands(&values.values, instruction);
        if operands.len() != instruction.operands.len() {
            return Err(OpError::new("call", "operand-failed", Message::engine("eval-operand")));
        }
        for operand in &operands {
            self.memory.exempt(operand);
        }
        let (body, smaller) = self.bound(values.computation, id, instruction, &operands)?;
        let shape = smaller.as_ref().unwrap_or(&instruction.shape);
        self.meter.frame.computation = values.computation;
        self.meter.instruction = id;
        // What runs again is to draw what it drew.
        let drawn = self.drawn;
        self.drawn = values.drawn.get(id.index()).copied().unwrap_or(drawn);
        let sources = self.body_sources(&body, shape, &operands, cell).await;
        self.drawn = drawn;
        sources
    }

    pub(super) async fn body_sources(
        &mut self,
        body: &Body,
        shape: &Shape,
        operands: &[Data],
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        let mut recording = Recording::new(operands, self.trace_limit);
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
                // What was called within is another instruction's.
                self.applied.clear();
                return sources;
            }
        }
        if recording.reads() > self.trace_limit as u64 {
            return Err(too_many(self.trace_limit));
        }
        self.spend(recording.reads())?;
        self.applied = recording.take_applied();
        Ok(recording.into_sources())
    }

    pub(super) async fn parameter_cells(
        &mut self,
        values: &Values,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        let module = self.module;
        let mut seen: BTreeSet<(InstructionId, CellAt)> = BTreeSet::from([(id, cell.clone())]);
        let mut open = vec![(id, cell.clone(), Role::Value)];
        let mut found: Vec<Source> = Vec::new();
        let before = self.reserved;
        while let Some((id, cell, role)) = open.pop() {
            self.spend(1)?;
            self.hold(PER_CELL)?;
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
            if seen.len() > self.trace_limit {
                return Err(too_many(self.trace_limit));
            }
        }
        self.release_to(before);
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
        match self.module.get(computation).and_then(|c| c.root) {
            Some(root) => self.parameter_cells(&values, root, cell).await,
            None => Ok(Vec::new()),
        }
    }

    /// The cells of the entry's parameters that a cell came from; `values` are those of the entry, `path` is that of
    /// the run the cell stands in. Cells of other devices go to [`super::outside::Outside::elsewhere`].
    pub(super) fn climb(
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
            self.outside.path.clone_from(&path);
            let inner = traced(self.parameter_cells(&here, id, &cell))?;
            let Some(((caller, nth), above)) = path.split_last() else {
                found.extend(inner);
                continue;
            };
            let above = Path::from_slice(above);
            let outer = self.values_at(values, &above, &mut frames)?;
            let module = self.module;
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
            if seen.len() > self.trace_limit {
                return Err(too_many(self.trace_limit));
            }
        }
        Ok(found)
    }

    /// The values of the run at a path: what calls it is run once more, and its answers are those that were kept.
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
        let module = self.module;
        let instruction = module.get(entry.computation).and_then(|c| c.get(first)).ok_or_else(no_cell)?;
        let operands = Self::operands(&entry.values, instruction);
        let body = self.body(entry.computation, first, instruction)?;
        self.outside.wanted = Some((path.clone(), None));
        self.outside.path.clear();
        (self.meter.frame.computation, self.meter.instruction) = (entry.computation, first);
        traced(self.value(&body, &instruction.shape, &operands))?;
        let values = self.outside.wanted.take().and_then(|(_, values)| values).ok_or_else(no_cell)?;
        if known.len() >= MOST_FRAMES {
            known.clear();
        }
        known.insert(path.clone(), values.clone());
        Ok(values)
    }
}
