//! Arrays, cell by cell: the loop in which a run spends its time.

use super::evaluate::{Evaluator, literal_error};
use crate::array::{ArrayLiteral, ArrayShape, Dims, Value};
use crate::i18n::Message;
use crate::ops::read::Plain;
use crate::ops::{Data, OpError};

/// One cell of each result.
type CellBody<'a> = dyn Fn(&[i64], &mut Plain, &mut [Value]) + 'a;

/// The next index in row-major order; `false` after the last.
fn next(index: &mut [i64], sizes: &[i64]) -> bool {
    for (e, size) in index.iter_mut().zip(sizes).rev() {
        *e += 1;
        if *e < *size {
            return true;
        }
        *e = 0;
    }
    false
}

impl Evaluator<'_> {
    /// Arrays of the same sizes, cell by cell.
    pub(super) fn arrays(
        &mut self,
        shapes: &[&ArrayShape],
        operands: &[Data],
        cell: &CellBody,
    ) -> Result<Vec<ArrayLiteral>, OpError> {
        let mut arrays = Vec::new();
        for shape in shapes {
            let array = ArrayLiteral::zeros((*shape).clone()).map_err(|e| literal_error(self.opcode(), e))?;
            self.hold(array.map().cells())?;
            arrays.push(array);
        }
        let Some(sizes) = shapes.first().map(|shape| shape.dimensions.clone()) else { return Ok(arrays) };
        if sizes.contains(&0) {
            return Ok(arrays);
        }
        let mut results = vec![Value::Int(0); arrays.len()];
        self.meter.cells = arrays.first().map(|array| (0, array.map().elements()));
        let mut index = Dims::from_elem(0, sizes.len());
        let mut read = Plain::metered(operands, &mut self.meter);
        loop {
            cell(&index, &mut read, &mut results);
            read.end_cell()?;
            for (array, value) in arrays.iter_mut().zip(&results) {
                array.set(&index, *value);
            }
            if !next(&mut index, &sizes) {
                read.settle()?;
                return Ok(arrays);
            }
        }
    }

    /// Takes cells out of the budget until the computation ends.
    pub(super) fn hold(&mut self, cells: i64) -> Result<(), OpError> {
        self.cells = self.cells.saturating_add(cells);
        if self.cells <= self.cell_limit {
            return Ok(());
        }
        let message = Message::engine("eval-cells").with("limit", self.cell_limit);
        Err(OpError::new(self.opcode(), "budget-cells", message).advise(Message::engine("eval-hint-smaller")))
    }

    /// The opcode that is running.
    pub(super) fn opcode(&self) -> &'static str {
        let computation = self.module.get(self.meter.frame.computation);
        let instruction = computation.and_then(|computation| computation.get(self.meter.instruction));
        instruction.and_then(|instruction| instruction.op).map_or("call", |op| op.meta().opcode)
    }
}
