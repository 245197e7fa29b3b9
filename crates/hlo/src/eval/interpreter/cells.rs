//! Computes arrays cell by cell: the hot loop of the reference evaluator.

use super::{Interpreter, literal_error};
use xla_array::index::Indices;
use xla_array::{ArrayLiteral, ArrayShape, Shape, Value};
use xla_ops::readers::ValueReader;
use xla_ops::{Data, OpError, Run, Semantics};

/// Computes one cell of each result from its index.
type CellBody<'a> = dyn Fn(&[i64], &mut ValueReader, &mut [Value]) + 'a;

/// Tiled operands of at least this many elements get tables of their slots; for fewer, building them costs more.
const MIN_TABLED_ELEMENTS: i64 = 64;

impl Interpreter<'_> {
    /// Evaluates semantics other than a parameter's; the result may have any layout.
    pub(super) async fn semantics_value(
        &mut self,
        semantics: &Semantics,
        shape: &Shape,
        operands: &[Data],
    ) -> Result<Data, OpError> {
        match semantics {
            Semantics::Suspending(op) => op.evaluate(operands, self).await,
            semantics => self.compute(semantics, shape, operands),
        }
    }

    /// Like [`Interpreter::semantics_value`], for semantics that never wait; `Suspending` and `Parameter` yield a token.
    pub(super) fn compute(
        &mut self,
        semantics: &Semantics,
        shape: &Shape,
        operands: &[Data],
    ) -> Result<Data, OpError> {
        match semantics {
            Semantics::PerElement(cell) => {
                let Shape::Array(shape) = shape else { return Ok(Data::Token) };
                let cells = |out: &[i64], read: &mut ValueReader, results: &mut [Value]| {
                    if let Some(result) = results.first_mut() {
                        *result = cell(out, read);
                    }
                };
                let mut arrays = self.compute_arrays(&[shape], operands, &cells)?;
                Ok(arrays.pop().map_or(Data::Token, Data::from))
            }
            Semantics::PerElementTuple(cells) => {
                let elements = shape.as_tuple().unwrap_or_default();
                let shapes: Vec<&ArrayShape> = elements.iter().filter_map(Shape::as_array).collect();
                let arrays = self.compute_elements(&shapes, operands, cells)?;
                Ok(Data::Tuple(arrays.into_iter().map(Data::from).collect()))
            }
            Semantics::Constant(data) => Ok(data.clone()),
            Semantics::Eager(whole) => whole.evaluate(operands, self),
            Semantics::Parameter(_) | Semantics::Suspending(_) => Ok(Data::Token),
        }
    }

    /// Computes arrays of equal sizes cell by cell.
    pub(super) fn compute_arrays(
        &mut self,
        shapes: &[&ArrayShape],
        operands: &[Data],
        cell: &CellBody,
    ) -> Result<Vec<ArrayLiteral>, OpError> {
        let mut arrays = Vec::new();
        let mut cell_cost = 1;
        for shape in shapes {
            let template =
                self.program.template(self.position(), shape).map_err(|e| literal_error(self.opcode(), e))?;
            self.reserve_bytes(template.held_bytes())?;
            let array = template.filled(Value::from_bits(shape.element_type, 0));
            let array = array.map_err(|e| literal_error(self.opcode(), e))?;
            array.memory_map().build_tables();
            cell_cost += array.memory_map().slot_cost() - 1;
            arrays.push(array);
        }
        for array in operands.iter().filter_map(Data::as_array) {
            if array.memory_map().elements() >= MIN_TABLED_ELEMENTS {
                array.memory_map().build_tables();
            }
        }
        let Some(sizes) = shapes.first().map(|shape| shape.dimensions.clone()) else { return Ok(arrays) };
        if sizes.contains(&0) {
            return Ok(arrays);
        }
        let mut results = vec![Value::Int(0); arrays.len()];
        self.budget.meter.cells = arrays.first().map(|array| (0, array.memory_map().elements()));
        let mut indices = Indices::row_major(&sizes);
        let mut read = ValueReader::metered(operands, &mut self.budget.meter).with_cell_cost(cell_cost);
        while let Some(index) = indices.advance() {
            cell(index, &mut read, &mut results);
            read.count_cell()?;
            for (array, value) in arrays.iter_mut().zip(&results) {
                array.set(index, *value);
            }
        }
        read.charge_pending()?;
        Ok(arrays)
    }
}
