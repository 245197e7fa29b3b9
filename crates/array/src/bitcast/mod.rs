//! Is a reshape or a transpose free? XLA's questions about *bitcasts*: operations that leave every element where it
//! lies in memory.
//!
//! [`reshape_is_bitcast`] and [`transpose_is_bitcast`] look at sizes and the order of dimensions only, as XLA's do.
//! Without tiles and padding their answers are exact, which property tests hold them to. With tiles they are not, in
//! either direction; [`keeps_memory`] walks the elements and is. `factors` has the matching of sizes that reshapes
//! rest on, `align` the layouts that make a reshape free. A failed check in C++ is `None` here. Source:
//! `ShapeUtil`; section 8 of the specification, "Algorithms".

mod align;
mod factors;

pub use align::{Decomposition, align_layouts, decompose_bitcast};
pub use factors::{
    InsertedOrDeleted, common_factors, dimensions_unmodified_by_reshape,
    inserted_or_deleted_1_sized_dimensions,
};

use super::index::Indices;
use super::layout_util::array_is_padded;
use super::permutation::{compose, inverse, positions};
use super::{ArrayShape, Dims, Edition, MemoryMap};

/// Whether element types may differ; XLA's flag `ignore_element_type`. 2017 does not look at them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Types {
    /// Different element types make it no bitcast.
    #[default]
    Count,
    /// Types are not compared.
    Ignored,
}

fn types_differ(a: &ArrayShape, b: &ArrayShape, types: Types, edition: Edition) -> bool {
    edition == Edition::Now && types == Types::Count && a.element_type != b.element_type
}

/// Whether the transpose that makes output dimension i of input dimension `map[i]` is a bitcast: the input's order is
/// the output's order under `map`.
///
/// Today: `None` where a layout is missing or the lists do not fit one another; false where the types differ; false
/// also where either side is padded, which today's layouts cannot be. 2017: false where neither has a layout or both
/// are padded; one padded side is ignored, as there.
pub fn transpose_is_bitcast(
    input: &ArrayShape,
    output: &ArrayShape,
    map: &[i64],
    types: Types,
    edition: Edition,
) -> Option<bool> {
    let padded = [input, output].map(array_is_padded);
    match edition {
        Edition::V2017 if input.layout.is_none() && output.layout.is_none() => return Some(false),
        Edition::V2017 if padded == [true, true] => return Some(false),
        Edition::Now if types_differ(input, output, types, edition) => return Some(false),
        Edition::Now if padded.contains(&true) => return Some(false),
        _ => {}
    }
    let order = |shape: &ArrayShape| match (&shape.layout, edition) {
        (Some(layout), _) => Some(layout.minor_to_major.clone()),
        (None, Edition::V2017) => Some(Dims::new()),
        (None, Edition::Now) => None,
    };
    let (input, output) = (order(input)?, order(output)?);
    if edition == Edition::V2017 && input.len() != output.len() {
        return Some(false);
    }
    Some(compose(map, &output)? == input)
}

/// Whether the reshape of `input` to `output` is a bitcast: each element keeps its place when both are read in
/// row-major order. A unit step along each dimension larger than 1 is checked, in both directions.
///
/// `None` where a layout is missing today, or breaks a rule, or where element counts differ in 2017. False where
/// counts or types differ today, and in 2017 where a layout is missing; false where either side is padded. True for
/// arrays without elements. Tiles are ignored.
///
/// ```
/// # use xla_array::{ArrayShape, Edition, ElementType::F32, Layout, bitcast::*};
/// let flat = ArrayShape::new(F32, [6]);
/// let is = |layout| {
///     let matrix = ArrayShape::new(F32, [2, 3]).with_layout(layout);
///     reshape_is_bitcast(&matrix, &flat, Types::Count, Edition::Now)
/// };
/// assert_eq!((is(Layout::descending(2)), is(Layout::ascending(2))), (Some(true), Some(false)));
/// ```
pub fn reshape_is_bitcast(
    input: &ArrayShape,
    output: &ArrayShape,
    types: Types,
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
    let (elements, other) = (input.elements()?, output.elements()?);
    if elements != other {
        return (edition == Edition::Now).then_some(false);
    }
    let input_strides = strides(&input.dimensions, &input_layout.minor_to_major)?;
    let output_strides = strides(&output.dimensions, &output_layout.minor_to_major)?;
    if elements == 0 {
        return Some(true);
    }
    let there = unit_steps_agree(&input.dimensions, &input_strides, &output.dimensions, &output_strides);
    let back = unit_steps_agree(&output.dimensions, &output_strides, &input.dimensions, &input_strides);
    Some(there && back)
}

/// Slots from one index of each dimension to the next, in memory of this order.
fn strides(sizes: &[i64], minor_to_major: &[i64]) -> Option<Dims> {
    let order = positions(minor_to_major).filter(|order| order.len() == sizes.len())?;
    let mut strides = Dims::from_elem(0, sizes.len());
    let mut stride = 1_i64;
    for d in order {
        strides[d] = stride;
        stride = stride.checked_mul(sizes[d].max(1))?;
    }
    Some(strides)
}

/// Whether a unit step along each dimension of `a` leads to the same slot in both, row-major numbers being equal. No
/// size is 0.
fn unit_steps_agree(a: &[i64], a_strides: &[i64], b: &[i64], b_strides: &[i64]) -> bool {
    let mut number = 1;
    // From the last dimension on, so that `number` is the row-major number of the unit index.
    for (size, stride) in a.iter().zip(a_strides).rev() {
        if *size > 1 {
            let mut rest = number;
            let mut slot = 0;
            for (size, stride) in b.iter().zip(b_strides).rev() {
                slot += rest % size * stride;
                rest /= size;
            }
            if slot != *stride {
                return false;
            }
        }
        number *= size;
    }
    true
}

/// Whether the move from `input` to `output` is free as a reshape or as a transpose. Layouts equal but for the type
/// are. `None` as for [`reshape_is_bitcast`].
pub fn is_reshape_or_transpose_bitcast(
    input: &ArrayShape,
    output: &ArrayShape,
    types: Types,
    edition: Edition,
) -> Option<bool> {
    if types_differ(input, output, types, edition) {
        return Some(false);
    }
    let equal = ArrayShape { element_type: output.element_type, ..input.clone() } == *output;
    if equal || reshape_is_bitcast(input, output, Types::Ignored, edition)? {
        return Some(true);
    }
    match deduce_transpose_dimensions_for_bitcast(input, output) {
        Some(map) => transpose_is_bitcast(input, output, &map, Types::Ignored, edition),
        None => Some(false),
    }
}

/// The map (output dimension i is input dimension `map[i]`) with which a transpose of `input` to `output` would be a
/// bitcast; `None` where ranks or sizes do not allow one, or a layout is missing.
pub fn deduce_transpose_dimensions_for_bitcast(input: &ArrayShape, output: &ArrayShape) -> Option<Dims> {
    let (from, to) = (input.layout.as_ref()?, output.layout.as_ref()?);
    let map = compose(&from.minor_to_major, &inverse(&to.minor_to_major)?)?;
    (compose(&input.dimensions, &map)? == output.dimensions).then_some(map)
}

/// The most elements [`keeps_memory`] walks.
pub const MAX_WALKED_ELEMENTS: i64 = 1 << 22;

/// Whether a reshape leaves every element in its slot, found by walking all of them in row-major order: exact for
/// every kind of layout, tiles and padding included, where [`reshape_is_bitcast`] answers as XLA does. Types do not
/// count. `None` where the element counts differ, an array has no place in memory, or has more than
/// [`MAX_WALKED_ELEMENTS`] elements.
pub fn keeps_memory(input: &ArrayShape, output: &ArrayShape) -> Option<bool> {
    let (from, to) = (MemoryMap::new(input).ok()?, MemoryMap::new(output).ok()?);
    if from.elements() != to.elements() || from.elements() > MAX_WALKED_ELEMENTS {
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
