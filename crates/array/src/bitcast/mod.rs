//! XLA's predicates for *bitcasts*: reshapes and transposes that move no element in memory.
//!
//! [`reshape_is_bitcast`] and [`transpose_is_bitcast`] use only the sizes and the order of dimensions, as XLA's do.
//! Without tiles and padding they are exact, which property tests check. With tiles they can be wrong either way;
//! [`keeps_every_slot`] compares every slot and is exact. `factors` matches the sizes of a reshape, `align` finds
//! layouts that make a reshape a bitcast. Functions return `None` where the C++ CHECK-fails. Source: `ShapeUtil`.

mod align;
mod factors;

pub use align::{Decomposition, align_layouts, decompose_bitcast};
pub use factors::{
    InsertedOrDeleted, common_factors, dimensions_unmodified_by_reshape,
    inserted_or_deleted_1_sized_dimensions,
};

use super::index::Indices;
use super::layout_util::array_is_padded;
use super::permutation::{checked_permutation, compose, inverse};
use super::{ArrayShape, Dims, Edition, MemoryMap};

/// Whether element types are compared; XLA's flag `ignore_element_type`. XLA 2017 never compares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ElementTypes {
    /// It is not a bitcast if the element types differ.
    #[default]
    Compare,
    /// Element types may differ.
    Ignore,
}

fn types_differ(a: &ArrayShape, b: &ArrayShape, types: ElementTypes, edition: Edition) -> bool {
    edition == Edition::Current && types == ElementTypes::Compare && a.element_type != b.element_type
}

/// Whether the transpose whose output dimension i is input dimension `map[i]` is a bitcast:
/// `compose(map, output.minor_to_major) == input.minor_to_major`.
///
/// Current XLA: `None` if a layout is missing or the ranks differ; false if the types differ, or if either side has
/// legacy padding, which current layouts cannot have. XLA 2017: false if neither has a layout or both are padded; the
/// padding of only one side is ignored.
pub fn transpose_is_bitcast(
    input: &ArrayShape,
    output: &ArrayShape,
    map: &[i64],
    types: ElementTypes,
    edition: Edition,
) -> Option<bool> {
    let padded = [input, output].map(array_is_padded);
    match edition {
        Edition::V2017 if input.layout.is_none() && output.layout.is_none() => return Some(false),
        Edition::V2017 if padded == [true, true] => return Some(false),
        Edition::Current if types_differ(input, output, types, edition) => return Some(false),
        Edition::Current if padded.contains(&true) => return Some(false),
        _ => {}
    }
    let order = |shape: &ArrayShape| match (&shape.layout, edition) {
        (Some(layout), _) => Some(layout.minor_to_major.clone()),
        (None, Edition::V2017) => Some(Dims::new()),
        (None, Edition::Current) => None,
    };
    let (input_order, output_order) = (order(input)?, order(output)?);
    if edition == Edition::V2017 && input_order.len() != output_order.len() {
        return Some(false);
    }
    Some(compose(map, &output_order)? == input_order)
}

/// Whether the reshape of `input` to `output` is a bitcast: elements with equal linear indices have equal slots. Checks
/// a unit step along each dimension larger than 1, in both directions.
///
/// The first condition that holds determines the result; tiles are ignored:
/// - the types differ, in current XLA: false;
/// - a layout is missing: `None` in current XLA, false in 2017;
/// - either side is padded: false;
/// - the element counts differ: false in current XLA, `None` in 2017; one overflows: `None`;
/// - a layout is invalid: `None`;
/// - there are no elements: true.
///
/// ```
/// # use xla_array::{ArrayShape, Edition, ElementType::F32, Layout, bitcast::*};
/// let flat = ArrayShape::new(F32, [6]);
/// let is_bitcast = |layout| {
///     let matrix = ArrayShape::new(F32, [2, 3]).with_layout(layout);
///     reshape_is_bitcast(&matrix, &flat, ElementTypes::Compare, Edition::Current)
/// };
/// assert_eq!(is_bitcast(Layout::descending(2)), Some(true));
/// assert_eq!(is_bitcast(Layout::ascending(2)), Some(false));
/// ```
pub fn reshape_is_bitcast(
    input: &ArrayShape,
    output: &ArrayShape,
    types: ElementTypes,
    edition: Edition,
) -> Option<bool> {
    if types_differ(input, output, types, edition) {
        return Some(false);
    }
    let (Some(input_layout), Some(output_layout)) = (&input.layout, &output.layout) else {
        return (edition == Edition::V2017).then_some(false);
    };
    if array_is_padded(input) || array_is_padded(output) {
        return Some(false);
    }
    let (elements, output_elements) = (input.elements()?, output.elements()?);
    if elements != output_elements {
        return (edition == Edition::Current).then_some(false);
    }
    let input_strides = strides(&input.dimensions, &input_layout.minor_to_major)?;
    let output_strides = strides(&output.dimensions, &output_layout.minor_to_major)?;
    if elements == 0 {
        return Some(true);
    }
    let forward = unit_steps_agree(&input.dimensions, &input_strides, &output.dimensions, &output_strides);
    let backward = unit_steps_agree(&output.dimensions, &output_strides, &input.dimensions, &input_strides);
    Some(forward && backward)
}

/// Strides in slots, for this order of dimensions; `None` on overflow or if the order is not a permutation.
fn strides(sizes: &[i64], minor_to_major: &[i64]) -> Option<Dims> {
    let order = checked_permutation(minor_to_major).filter(|order| order.len() == sizes.len())?;
    let mut strides = Dims::from_elem(0, sizes.len());
    let mut stride = 1_i64;
    for d in order {
        strides[d] = stride;
        stride = stride.checked_mul(sizes[d].max(1))?;
    }
    Some(strides)
}

/// Whether, for a unit step along each dimension of `a`, the element of `b` with the same row-major index has the same
/// slot. No size is 0.
fn unit_steps_agree(a: &[i64], a_strides: &[i64], b: &[i64], b_strides: &[i64]) -> bool {
    // The row-major index of a unit step along the current dimension.
    let mut linear = 1;
    for (size, stride) in a.iter().zip(a_strides).rev() {
        if *size > 1 {
            let mut rest = linear;
            let mut slot = 0;
            for (size, stride) in b.iter().zip(b_strides).rev() {
                slot += rest % size * stride;
                rest /= size;
            }
            if slot != *stride {
                return false;
            }
        }
        linear *= size;
    }
    true
}

/// Whether `input` to `output` is a bitcast as a reshape or as a transpose; a change of the type alone counts as a bitcast.
/// `None` as in [`reshape_is_bitcast`].
pub fn is_reshape_or_transpose_bitcast(
    input: &ArrayShape,
    output: &ArrayShape,
    types: ElementTypes,
    edition: Edition,
) -> Option<bool> {
    if types_differ(input, output, types, edition) {
        return Some(false);
    }
    let equal = ArrayShape { element_type: output.element_type, ..input.clone() } == *output;
    if equal || reshape_is_bitcast(input, output, ElementTypes::Ignore, edition)? {
        return Some(true);
    }
    match deduce_transpose_dimensions_for_bitcast(input, output) {
        Some(map) => transpose_is_bitcast(input, output, &map, ElementTypes::Ignore, edition),
        None => Some(false),
    }
}

/// The map (output dimension i is input dimension `map[i]`) for which the transpose of `input` to `output` is a
/// bitcast; `None` if the sizes allow none, or a layout is missing.
pub fn deduce_transpose_dimensions_for_bitcast(input: &ArrayShape, output: &ArrayShape) -> Option<Dims> {
    let (input_layout, output_layout) = (input.layout.as_ref()?, output.layout.as_ref()?);
    let map = compose(&input_layout.minor_to_major, &inverse(&output_layout.minor_to_major)?)?;
    (compose(&input.dimensions, &map)? == output.dimensions).then_some(map)
}

/// The maximum number of elements for [`keeps_every_slot`], which visits each of them.
pub const MAX_COMPARED_ELEMENTS: i64 = 1 << 22;

/// Whether a reshape leaves every element in its slot, by comparing all slots: exact for every layout, also
/// with tiles and padding, where [`reshape_is_bitcast`] follows XLA. Element types are not compared. `None` if the element counts
/// differ or exceed [`MAX_COMPARED_ELEMENTS`], or an array has no memory layout.
pub fn keeps_every_slot(input: &ArrayShape, output: &ArrayShape) -> Option<bool> {
    let (from, to) = (MemoryMap::new(input).ok()?, MemoryMap::new(output).ok()?);
    if from.elements() != to.elements() || from.elements() > MAX_COMPARED_ELEMENTS {
        return None;
    }
    let (mut sources, mut targets) = (Indices::row_major(from.sizes()), Indices::row_major(to.sizes()));
    while let (Some(source), Some(target)) = (sources.advance(), targets.advance()) {
        if from.slot(source) != to.slot(target) {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests;
