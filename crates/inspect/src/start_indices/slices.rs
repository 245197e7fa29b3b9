//! The bounds of the start indices of an instruction.

use super::bound::Bound;
use xla_array::{ArrayShape, Shape};
use xla_hlo::{Computation, Instruction};
use xla_ops::AttrValue;

/// The integers of an attribute; none if it is missing.
pub(super) fn ints<'i>(instruction: &'i Instruction, name: &str) -> &'i [i64] {
    match instruction.attrs.get(name) {
        Some(AttrValue::Ints(ints)) => ints,
        _ => &[],
    }
}

/// The integer of an attribute.
pub(super) fn int(instruction: &Instruction, name: &str) -> Option<i64> {
    match instruction.attrs.get(name)? {
        AttrValue::Int(value) => Some(*value),
        _ => None,
    }
}

/// The array that an operand is.
fn operand<'c>(
    computation: &'c Computation,
    instruction: &Instruction,
    number: usize,
) -> Option<&'c ArrayShape> {
    computation.get(*instruction.operands.get(number)?)?.shape.as_array()
}

fn dimension<T: Copy>(list: &[T], at: i64) -> Option<T> {
    list.get(usize::try_from(at).ok()?).copied()
}

/// The operands of an instruction that are start indices, by position, with their bounds.
pub(super) fn start_operands(computation: &Computation, instruction: &Instruction) -> Vec<(usize, Bound)> {
    let found = match instruction.opcode.as_str() {
        "gather" => gather(computation, instruction),
        "scatter" => scatter(computation, instruction),
        "dynamic-slice" => dynamic(computation, instruction, 1),
        "dynamic-update-slice" => dynamic(computation, instruction, 2),
        _ => None,
    };
    found.unwrap_or_default()
}

/// The bound of start indices whose coordinates are elements of `vector_dimension`.
fn of_coordinates(limits: Vec<i64>, vector_dimension: i64) -> Option<Bound> {
    match limits.as_slice() {
        [limit] => Some(Bound::Same(*limit)),
        _ => Some(Bound::Along(usize::try_from(vector_dimension).ok()?, limits)),
    }
}

fn gather(computation: &Computation, instruction: &Instruction) -> Option<Vec<(usize, Bound)>> {
    let sizes = &operand(computation, instruction, 0)?.dimensions;
    let slice_sizes = ints(instruction, "slice_sizes");
    let limit = |d: &i64| Some(dimension(sizes, *d)?.saturating_sub(dimension(slice_sizes, *d)?).max(0));
    let limits = ints(instruction, "start_index_map").iter().map(limit).collect::<Option<_>>()?;
    Some(vec![(1, of_coordinates(limits, int(instruction, "index_vector_dim")?)?)])
}

fn scatter(computation: &Computation, instruction: &Instruction) -> Option<Vec<(usize, Bound)>> {
    // As many updates as operands around the indices.
    let indices = instruction.operands.len().checked_sub(1)? / 2;
    let sizes = &operand(computation, instruction, 0)?.dimensions;
    let updates = &operand(computation, instruction, indices + 1)?.dimensions;
    let (inserted, batching) =
        (ints(instruction, "inserted_window_dims"), ints(instruction, "input_batching_dims"));
    let window = ints(instruction, "update_window_dims");
    let window_dimensions: Vec<i64> =
        (0..).take(sizes.len()).filter(|d| !inserted.contains(d) && !batching.contains(d)).collect();
    let limit = |d: &i64| {
        let position = window_dimensions.iter().position(|other| other == d);
        let size = match position {
            Some(position) => dimension(updates, *window.get(position)?)?,
            None => 1,
        };
        Some(dimension(sizes, *d)?.saturating_sub(size).max(0))
    };
    let limits =
        ints(instruction, "scatter_dims_to_operand_dims").iter().map(limit).collect::<Option<_>>()?;
    Some(vec![(indices, of_coordinates(limits, int(instruction, "index_vector_dim")?)?)])
}

/// `dynamic-slice` and `dynamic-update-slice`, whose start indices are the operands from `first` on: a scalar for each dimension,
/// or one vector.
fn dynamic(
    computation: &Computation,
    instruction: &Instruction,
    first: usize,
) -> Option<Vec<(usize, Bound)>> {
    let sizes = &operand(computation, instruction, 0)?.dimensions;
    let slice = match first {
        1 => ints(instruction, "dynamic_slice_sizes"),
        _ => &operand(computation, instruction, 1)?.dimensions,
    };
    let limits: Vec<i64> =
        sizes.iter().zip(slice).map(|(size, slice)| size.saturating_sub(*slice).max(0)).collect();
    if operand(computation, instruction, first).is_some_and(|start| start.rank() == 1) {
        return Some(vec![(first, of_coordinates(limits, 0)?)]);
    }
    Some((first..).zip(limits.into_iter().map(Bound::Same)).collect())
}

/// Whether a shape is an array of integers.
pub(super) fn is_integral(shape: &Shape) -> bool {
    shape.as_array().is_some_and(|array| array.element_type.is_integral())
}
