//! The custom call `TopK` of XLA's CPU compiler: the greatest elements of every row, and where they stood.

use xla_array::index::Indices;
use xla_array::{ArrayLiteral, Dims, Literal, Shape, Value};
use xla_ops::{CellAt, Role, Source};

/// The order of XLA's function, greatest last: that of the bits, so that NaN is greater than infinity and -0 less
/// than 0.
fn order(a: Value, b: Value) -> std::cmp::Ordering {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.total_cmp(&b),
        (Value::Int(a), Value::Int(b)) => a.cmp(&b),
        (Value::Uint(a), Value::Uint(b)) => a.cmp(&b),
        (Value::Pred(a), Value::Pred(b)) => a.cmp(&b),
        _ => std::cmp::Ordering::Equal,
    }
}

/// Values and indices of the `k` greatest elements of every row, in descending order; of equal ones the first comes
/// first. `k` is the last size of the result.
pub(super) fn evaluate(arguments: &[Literal], shape: &Shape) -> Result<Literal, String> {
    let wrong = || "one array, and a tuple of values and indices, are wanted".to_owned();
    let [Literal::Array(operand)] = arguments else { return Err(wrong()) };
    let Some([Shape::Array(values), Shape::Array(indices)]) = shape.as_tuple() else { return Err(wrong()) };
    let from = operand.shape();
    let (Some((size, rows)), Some((k, out))) = (from.dimensions.split_last(), values.dimensions.split_last())
    else {
        return Err(wrong());
    };
    let fits = rows == out
        && values.dimensions == indices.dimensions
        && values.element_type == from.element_type
        && k <= size;
    if !fits {
        return Err(wrong());
    }
    let of = |e: xla_array::literal::LiteralError| e.message.to_string();
    let mut best = ArrayLiteral::zeros(values.clone()).map_err(of)?;
    let mut places = ArrayLiteral::zeros(indices.clone()).map_err(of)?;
    let elements: Vec<Value> = operand.values().collect();
    let (size, k) = (usize::try_from(*size).unwrap_or(0), usize::try_from(*k).unwrap_or(0));
    if size == 0 || k == 0 {
        return Ok(Literal::Tuple(vec![best.into(), places.into()]));
    }
    let mut outer = Indices::row_major(out);
    for row in elements.chunks(size) {
        let Some(outer) = outer.advance() else { break };
        let mut index = Dims::from_slice(outer);
        index.push(0);
        let mut sorted: Vec<usize> = (0..size).collect();
        sorted.sort_by(|a, b| order(row[*b], row[*a]));
        for (column, place) in (0..).zip(sorted.into_iter().take(k)) {
            index[out.len()] = column;
            best.set(&index, row[place]);
            places.set(&index, Value::Int(i64::try_from(place).unwrap_or(i64::MAX)));
        }
    }
    Ok(Literal::Tuple(vec![best.into(), places.into()]))
}

/// A cell comes from its row.
pub(super) fn sources(operands: &[Shape], cell: &CellAt) -> Vec<Source> {
    let sizes = operands.first().and_then(Shape::as_array).map(|array| array.dimensions.clone());
    let (Some((size, _)), Some((_, row))) =
        (sizes.as_ref().and_then(|sizes| sizes.split_last()), cell.index.split_last())
    else {
        return Vec::new();
    };
    let of = |column: i64| {
        let mut index = Dims::from_slice(row);
        index.push(column);
        Source { operand: 0, cell: CellAt::array(&index), role: Role::Choice }
    };
    (0..*size).map(of).collect()
}
