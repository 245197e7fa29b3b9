//! Arrays that ops fill element by element, within the budgets of a run.

use super::{Data, OpError, Run};
use xla_array::index_util::bump;
use xla_array::{ArrayLiteral, ArrayShape, Dims, Value};

/// Elements from one cancellation check to the next.
const CHECK_INTERVAL: u64 = 1 << 10;

/// An array of this shape; `element` gives each element, by its row-major number and its index, in `cost` steps.
pub(super) fn fill(
    op: &'static str,
    shape: &ArrayShape,
    run: &mut dyn Run,
    cost: u64,
    mut element: impl FnMut(i64, &[i64]) -> Value,
) -> Result<Data, OpError> {
    let elements = shape.elements().unwrap_or(i64::MAX).unsigned_abs();
    run.allows(elements.saturating_mul(cost))?;
    let mut array = ArrayLiteral::zeros(shape.clone()).map_err(|e| OpError::new(op, e.rule, e.message))?;
    array.map().prepare();
    let cost = cost.saturating_add(array.map().slot_cost() - 1);
    let mut index = Dims::from_elem(0, shape.rank());
    let mut number = 0;
    while number < elements {
        let end = (number + CHECK_INTERVAL).min(elements);
        run.spend((end - number).saturating_mul(cost))?;
        for at in number..end {
            array.set(&index, element(i64::try_from(at).unwrap_or(i64::MAX), &index));
            bump(&shape.dimensions, &mut index);
        }
        number = end;
    }
    Ok(array.into())
}
