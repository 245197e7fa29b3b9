//! The custom call `TopK` of XLA's CPU compiler: the largest elements of each row, and their positions.

use xla_array::index::Indices;
use xla_array::{ArrayLiteral, Dims, Literal, Shape, Value};
use xla_messages::bug::OrBug as _;
use xla_ops::{CellAt, Role, Source};

/// Compares like XLA's function, by IEEE 754's total order: -0 < 0 and infinity < NaN.
fn order(a: Value, b: Value) -> std::cmp::Ordering {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.total_cmp(&b),
        (Value::Int(a), Value::Int(b)) => a.cmp(&b),
        (Value::Uint(a), Value::Uint(b)) => a.cmp(&b),
        (Value::Pred(a), Value::Pred(b)) => a.cmp(&b),
        _ => std::cmp::Ordering::Equal,
    }
}

/// Values and indices of the `k` largest elements of each row, in descending order; the sort is stable. `k` is the
/// last dimension size of the result.
pub(super) fn evaluate(arguments: &[Literal], shape: &Shape) -> Result<Literal, String> {
    let invalid = || "TopK takes one array and returns a tuple of values and indices".to_owned();
    let [Literal::Array(operand)] = arguments else { return Err(invalid()) };
    let Some([Shape::Array(values), Shape::Array(indices)]) = shape.as_tuple() else { return Err(invalid()) };
    let operand_shape = operand.shape();
    let (Some((size, rows)), Some((k, result_rows))) =
        (operand_shape.dimensions.split_last(), values.dimensions.split_last())
    else {
        return Err(invalid());
    };
    let shapes_match = rows == result_rows
        && values.dimensions == indices.dimensions
        && values.element_type == operand_shape.element_type
        && k <= size;
    if !shapes_match {
        return Err(invalid());
    }
    let message = |e: xla_array::literal::LiteralError| e.message.to_string();
    let mut top_values = ArrayLiteral::zeros(values.clone()).map_err(message)?;
    let mut top_indices = ArrayLiteral::zeros(indices.clone()).map_err(message)?;
    let elements: Vec<Value> = operand.values().collect();
    let [size, k] = [size, k].map(|n| usize::try_from(*n).or_bug(0, "a negative size of a valid shape"));
    if size == 0 || k == 0 {
        return Ok(Literal::Tuple(vec![top_values.into(), top_indices.into()]));
    }
    let mut row_indices = Indices::row_major(result_rows);
    for row in elements.chunks(size) {
        let Some(row_index) = row_indices.advance() else { break };
        let mut index = Dims::from_slice(row_index);
        index.push(0);
        let mut sorted: Vec<usize> = (0..size).collect();
        sorted.sort_by(|a, b| order(row[*b], row[*a]));
        for (rank, column) in (0..).zip(sorted.into_iter().take(k)) {
            index[result_rows.len()] = rank;
            top_values.set(&index, row[column]);
            let column = i64::try_from(column).or_bug(i64::MAX, "an index of a literal exceeds i64");
            top_indices.set(&index, Value::Int(column));
        }
    }
    Ok(Literal::Tuple(vec![top_values.into(), top_indices.into()]))
}

/// The sources of a result cell: all elements of its row.
pub(super) fn sources(operands: &[Shape], cell: &CellAt) -> Vec<Source> {
    let sizes = operands.first().and_then(Shape::as_array).map(|array| array.dimensions.clone());
    let (Some((size, _)), Some((_, row))) =
        (sizes.as_ref().and_then(|sizes| sizes.split_last()), cell.index.split_last())
    else {
        return Vec::new();
    };
    let source = |column: i64| {
        let mut index = Dims::from_slice(row);
        index.push(column);
        Source { operand: 0, cell: CellAt::array(&index), role: Role::Choice }
    };
    (0..*size).map(source).collect()
}
