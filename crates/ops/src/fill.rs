//! Fills an array element by element, within the budgets of a run.

use super::{Data, OpError, Run};
use xla_array::index::Indices;
use xla_array::{ArrayLiteral, ArrayShape, Value};

/// Cells between cancellation checks.
const CHECK_INTERVAL_CELLS: i64 = 1 << 10;

/// An array of this shape. `element` computes an element from its row-major number and its index, at a cost of `cost`
/// evaluator steps.
pub(super) fn fill(
    op: &'static str,
    shape: &ArrayShape,
    run: &mut dyn Run,
    cost: u64,
    mut element: impl FnMut(i64, &[i64]) -> Value,
) -> Result<Data, OpError> {
    // A product that overflows exceeds every budget.
    let elements = shape.elements().unwrap_or(i64::MAX).unsigned_abs();
    run.check_budget(elements.saturating_mul(cost))?;
    let mut array = ArrayLiteral::zeros(shape.clone()).map_err(|e| OpError::new(op, e.rule, e.message))?;
    array.memory_map().build_tables();
    let cost = cost.saturating_add(array.memory_map().slot_cost() - 1);
    let (mut indices, mut number) = (Indices::row_major(&shape.dimensions), 0);
    while let Some(index) = indices.advance() {
        if number % CHECK_INTERVAL_CELLS == 0 {
            run.spend(
                elements
                    .saturating_sub(number.unsigned_abs())
                    .min(CHECK_INTERVAL_CELLS.unsigned_abs())
                    .saturating_mul(cost),
            )?;
        }
        array.set(index, element(number, index));
        number += 1;
    }
    Ok(array.into())
}
