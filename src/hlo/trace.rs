//! Where a cell came from: the cells its instruction read, and through several instructions back to the parameters.
//!
//! It is the ops' own bodies that tell, run once more with a reader that notes what it reads.

use std::collections::BTreeSet;

use super::evaluate::{EvalError, Evaluator, Values};
use super::module::InstructionId;
use crate::array::Value;
use crate::i18n::Message;
use crate::ops::read::Recording;
use crate::ops::{Body, CellAt, ComputationId, Data, OpError, Source};

/// The most cells that one trace follows.
const MOST: usize = 1 << 20;

impl Evaluator<'_> {
    /// The cells of an instruction's operands that one of its cells came from, in the order they were read;
    /// `values` are those of the computation's run. Errors: `trace-cell` where there is no such cell, `trace-limit`.
    pub fn provenance(
        &mut self,
        values: &Values,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<Source>, EvalError> {
        self.sources(values, instruction, cell).map_err(|error| self.located(error))
    }

    /// The cells of the computation's parameters that a cell came from, through all instructions between: each
    /// once, in order; `operand` is the number of the parameter. Errors: as [`Evaluator::provenance`].
    pub fn provenance_of_parameters(
        &mut self,
        values: &Values,
        instruction: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<Source>, EvalError> {
        self.parameter_cells(values, instruction, cell).map_err(|error| self.located(error))
    }

    fn sources(&mut self, values: &Values, id: InstructionId, cell: &CellAt) -> Result<Vec<Source>, OpError> {
        let no_cell = || OpError::new("call", "trace-cell", Message::engine("trace-no-cell"));
        let module = self.module;
        let instruction = module.get(values.computation).and_then(|c| c.get(id)).ok_or_else(no_cell)?;
        let part = values.get(id).and_then(|value| value.part(&cell.path)).and_then(Data::as_array);
        part.and_then(|array| array.get(&cell.index)).ok_or_else(no_cell)?;
        let operands = Self::operands(&values.values, instruction);
        let (body, _) = self.bound(values.computation, id, instruction, &operands)?;
        let mut recording = Recording::new(&operands, MOST);
        match &*body {
            Body::Cell(run) => {
                run(&cell.index, &mut recording);
            }
            Body::Cells(run) => {
                let count = instruction.shape.as_tuple().map_or(0, <[_]>::len);
                run(&cell.index, &mut recording, &mut vec![Value::Int(0); count]);
            }
            Body::Constant(_) | Body::Parameter(_) => {}
            Body::Whole(whole) => return whole.sources(&operands, cell, self),
        }
        if recording.reads() > MOST as u64 {
            return Err(OpError::new(
                "call",
                "trace-limit",
                Message::engine("trace-limit").with("limit", MOST),
            ));
        }
        Ok(recording.into_sources())
    }

    fn parameter_cells(
        &mut self,
        values: &Values,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        let module = self.module;
        let mut seen: BTreeSet<(InstructionId, CellAt)> = BTreeSet::from([(id, cell.clone())]);
        let mut open = vec![(id, cell.clone(), crate::ops::Role::Value)];
        let mut found: Vec<Source> = Vec::new();
        while let Some((id, cell, role)) = open.pop() {
            let Some(instruction) = module.get(values.computation).and_then(|c| c.get(id)) else { continue };
            if let Body::Parameter(number) = &*self.body(values.computation, id, instruction)? {
                found.push(Source { operand: *number, cell, role });
                continue;
            }
            for source in self.sources(values, id, &cell)? {
                let Some(operand) = instruction.operands.get(source.operand) else { continue };
                if seen.insert((*operand, source.cell.clone())) {
                    open.push((*operand, source.cell, source.role));
                }
            }
            if seen.len() > MOST {
                let message = Message::engine("trace-limit").with("limit", MOST);
                return Err(OpError::new("call", "trace-limit", message));
            }
        }
        found.sort_by(|a, b| (a.operand, &a.cell).cmp(&(b.operand, &b.cell)));
        Ok(found)
    }

    /// As [`crate::ops::Run::trace`].
    pub(super) fn trace_call(
        &mut self,
        computation: ComputationId,
        arguments: &[Data],
        cell: &CellAt,
    ) -> Result<Vec<Source>, OpError> {
        let values = self.frame(computation, arguments)?;
        match self.module.get(computation).and_then(|c| c.root) {
            Some(root) => self.parameter_cells(&values, root, cell),
            None => Ok(Vec::new()),
        }
    }
}
