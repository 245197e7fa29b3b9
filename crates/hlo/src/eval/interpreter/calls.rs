//! Traces across calls: the values of the calls of an instruction, and the step of a cell into a call or out of it.
//!
//! Calls are rerun from the values of the entry computation. One rerun records as many calls as memory allows, the latest
//! ones: a trace goes back from the end of a loop, so that it needs few reruns.

use std::rc::Rc;

use super::provenance::{no_cell, poll_trace};
use super::{Interpreter, no_value};
use crate::eval::values::Values;
use crate::eval::waiting::Path;
use crate::module::InstructionId;
use xla_ops::{CellAt, CellOrigin, ComputationId, Data, OpError, Semantics};

/// A cell of an instruction in the call at a path.
pub type Located = (Path, InstructionId, CellAt);

impl Interpreter<'_> {
    /// Records the values of the running call if the trace wants them.
    pub(super) fn record_call(&mut self, values: &Values) {
        let recorded = &mut self.trace.recorded;
        if recorded.is_recording() {
            recorded.record(&self.calls.path, values, self.budget.memory.is_half_full());
        }
    }

    /// Reruns an instruction of the entry computation and records its calls, until the one at a path has returned.
    fn rerun(&mut self, entry: &Values, id: InstructionId, until: Option<Path>) -> Result<(), OpError> {
        let module = self.program.module;
        let instruction = module.get(entry.computation).and_then(|c| c.get(id)).ok_or_else(no_cell)?;
        let operands = Self::operands(&entry.values, instruction);
        if operands.len() != instruction.operands.len() {
            return Err(no_value());
        }
        for operand in &operands {
            self.budget.memory.exclude_from_accounting(operand);
        }
        let semantics = self.semantics(entry.computation, id, instruction)?;
        self.calls.path.clear();
        self.trace.recorded.begin(until);
        (self.budget.meter.frame.computation, self.budget.meter.instruction) = (entry.computation, id);
        // The instruction draws the same random numbers again.
        let random_position = self.random.position;
        self.random.position = entry.random_positions.get(id.index()).copied().unwrap_or(random_position);
        let result = poll_trace(self.semantics_value(&semantics, &instruction.shape, &operands));
        self.random.position = random_position;
        match result {
            Ok(_) => self.trace.recorded.end(),
            Err(_) => self.trace.recorded.interrupt(None),
        }
        result.map(drop)
    }

    /// The values of the call at a path; `None` for the entry computation, whose values are `entry`.
    pub fn recorded_call(&mut self, entry: &Values, path: &Path) -> Result<Option<Rc<Values>>, OpError> {
        let Some((first, _)) = path.first() else { return Ok(None) };
        if let Some(values) = self.trace.recorded.call(path) {
            return Ok(Some(values));
        }
        self.rerun(entry, *first, Some(path.clone()))?;
        self.trace.recorded.call(path).map(Some).ok_or_else(no_cell)
    }

    /// The number of calls that an instruction has made in the call at a path.
    fn call_count(&mut self, entry: &Values, path: &Path, id: InstructionId) -> Result<u64, OpError> {
        if let Some(count) = self.trace.recorded.count(path, id) {
            return Ok(count);
        }
        let first = path.first().map_or(id, |(first, _)| *first);
        // The call has made all its calls once it has returned.
        self.rerun(entry, first, Some(path.clone()).filter(|path| !path.is_empty()))?;
        self.trace.recorded.count(path, id).ok_or_else(no_cell)
    }

    /// The cell of an operand or of a call's root that an origin names, seen from the calling instruction.
    fn origin_source(
        &self,
        caller_path: &Path,
        (computation, caller): (ComputationId, InstructionId),
        origin: CellOrigin,
    ) -> Option<Located> {
        let module = self.program.module;
        match origin {
            CellOrigin::Operand(number, cell) => {
                let operand = module.get(computation)?.get(caller)?.operands.get(number)?;
                Some((caller_path.clone(), *operand, cell))
            }
            CellOrigin::Result(nth, body, cell) => {
                let mut path = caller_path.clone();
                path.push((caller, nth));
                Some((path, module.get(body)?.root?, cell))
            }
            CellOrigin::None => None,
        }
    }

    /// The cell that a cell of a parameter comes from, outside of the call `call` of the computation at `caller_path`.
    pub(super) fn parameter_source(
        &mut self,
        entry: &Values,
        caller_path: &Path,
        (caller, nth): (InstructionId, u64),
        parameter: usize,
        cell: &CellAt,
    ) -> Result<Option<Located>, OpError> {
        let recorded = self.recorded_call(entry, caller_path)?;
        let values = recorded.as_deref().unwrap_or(entry);
        let module = self.program.module;
        let instruction = module.get(values.computation).and_then(|c| c.get(caller)).ok_or_else(no_cell)?;
        let operands = Self::operands(&values.values, instruction);
        let semantics = self.semantics(values.computation, caller, instruction)?;
        let Semantics::Suspending(calls) = &*semantics else { return Ok(None) };
        let origin = calls.parameter_origin(&operands, nth, parameter, cell);
        Ok(self.origin_source(caller_path, (values.computation, caller), origin))
    }

    /// The cells on this device that a cell was computed from, one step back: of operands, of the roots of calls, or, for a
    /// parameter of a called computation, of its caller. Afterwards, [`Interpreter::take_remote_cells`] returns those of other
    /// devices. With `is_within_call`, only operands are considered.
    pub fn step_back(
        &mut self,
        entry: &Values,
        (path, id, cell): Located,
        is_within_call: bool,
    ) -> Result<Vec<(Option<usize>, Located)>, OpError> {
        self.begin_trace(path.clone());
        let recorded = self.recorded_call(entry, &path)?;
        let values = recorded.as_deref().unwrap_or(entry);
        let module = self.program.module;
        let instruction = module.get(values.computation).and_then(|c| c.get(id)).ok_or_else(no_cell)?;
        if !is_within_call {
            let semantics = self.semantics(values.computation, id, instruction)?;
            match (&*semantics, path.split_last()) {
                (Semantics::Parameter(number), Some((call_here, caller_path))) => {
                    let caller_path = Path::from_slice(caller_path);
                    let source = self.parameter_source(entry, &caller_path, *call_here, *number, &cell)?;
                    return Ok(source.into_iter().map(|source| (None, source)).collect());
                }
                (Semantics::Suspending(op), _) => {
                    let has_cell = values.get(id).and_then(|value| value.part(&cell.path));
                    let array = has_cell.and_then(Data::as_array);
                    array.and_then(|array| array.get(&cell.index)).ok_or_else(no_cell)?;
                    let operands = Self::operands(&values.values, instruction);
                    let mut calls = || self.call_count(entry, &path, id);
                    let origins = op.result_origins(&operands, &mut calls, &cell)?;
                    if !origins.is_empty() {
                        let caller = (values.computation, id);
                        let located = |origin| self.origin_source(&path, caller, origin);
                        return Ok(origins.into_iter().filter_map(located).map(|at| (None, at)).collect());
                    }
                }
                _ => {}
            }
        }
        self.calls.path.clone_from(&path);
        let sources = poll_trace(self.sources(values, id, &cell))?;
        let located = sources.into_iter().filter_map(|source| {
            let operand = instruction.operands.get(source.operand)?;
            Some((Some(source.operand), (path.clone(), *operand, source.cell)))
        });
        Ok(located.collect())
    }
}
