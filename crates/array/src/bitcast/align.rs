//! Layouts that make a reshape free, and any bitcast as a transpose, a reshape and a transpose.

use super::{ElementTypes, common_factors, deduce_transpose_dimensions_for_bitcast, reshape_is_bitcast};
use crate::permutation::checked_permutation;
use crate::{ArrayShape, Dims, Edition, Layout, layout_util, shape_util};

/// The shape `output` with a layout for which the reshape of `input` is a bitcast; `None` if no layout makes it one,
/// the element counts differ, or `input` has no layout.
///
/// Dimensions of size 1 are ignored and become the most major ones of the output. [`common_factors`] divides the others
/// into groups; the input's dimensions of a group must be adjacent in memory in descending order, and so are the
/// output's.
pub fn align_layouts(input: &ArrayShape, output: &ArrayShape) -> Option<ArrayShape> {
    let order =
        checked_permutation(&input.layout.as_ref()?.minor_to_major).filter(|o| o.len() == input.rank())?;
    let nondegenerate = |shape: &ArrayShape| -> Vec<usize> {
        (0..shape.rank()).filter(|d| shape.dimensions[*d] != 1).collect()
    };
    let (input_dims, output_dims) = (nondegenerate(input), nondegenerate(output));
    let sizes =
        |shape: &ArrayShape, dims: &[usize]| -> Dims { dims.iter().map(|d| shape.dimensions[*d]).collect() };
    let cuts = common_factors(&sizes(input, &input_dims), &sizes(output, &output_dims))?;

    let memory_order: Vec<usize> = order.into_iter().filter(|d| input_dims.contains(d)).collect();
    let mut aligned: Vec<usize> = Vec::with_capacity(output.rank());
    let mut next = 0;
    while next < memory_order.len() {
        let position = input_dims.iter().position(|d| *d == memory_order[next])?;
        let ends = cuts.windows(2).find(|w| (w[0].0..w[1].0).contains(&position))?;
        let group = &input_dims[ends[0].0..ends[1].0];
        if !memory_order.get(next..next + group.len())?.iter().eq(group.iter().rev()) {
            return None;
        }
        aligned.extend(output_dims[ends[0].1..ends[1].1].iter().rev());
        next += group.len();
    }
    aligned.extend((0..output.rank()).rev().filter(|d| !output_dims.contains(d)));
    if aligned.len() != output.rank() {
        return None;
    }
    let minor_to_major: Dims = aligned.into_iter().map(|d| i64::try_from(d).ok()).collect::<Option<_>>()?;
    Some(output.clone().with_layout(Layout::new(minor_to_major)))
}

/// A bitcast as a sequence of transposes and reshapes that are bitcasts themselves.
#[allow(clippy::large_enum_variant, reason = "a return value, never stored in collections")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decomposition {
    /// A reshape alone.
    Reshape,
    /// One transpose, whose output dimension i is input dimension `dimensions[i]`.
    Transpose {
        /// The map of dimensions.
        dimensions: Dims,
    },
    /// A transpose, a reshape and a transpose.
    TransposeReshapeTranspose {
        /// The map of the first transpose: the input's dimensions from major to minor.
        transpose1_dimensions: Dims,
        /// The result of the first transpose: the input with a descending layout.
        transpose1_shape: ArrayShape,
        /// The result of the reshape: the output with a descending layout.
        reshape_shape: ArrayShape,
        /// The map of the second transpose: the position of each output dimension, counted from the most major.
        transpose2_dimensions: Dims,
    },
}

/// Decomposes a bitcast; `None` if a layout is missing or invalid, or the element counts differ. Element types are not
/// compared: the caller ensures that they have the same width.
pub fn decompose_bitcast(input: &ArrayShape, output: &ArrayShape) -> Option<Decomposition> {
    if input.elements()? != output.elements()? {
        return None;
    }
    if reshape_is_bitcast(input, output, ElementTypes::Ignore, Edition::Current)? {
        return Some(Decomposition::Reshape);
    }
    if let Some(dimensions) = deduce_transpose_dimensions_for_bitcast(input, output) {
        return Some(Decomposition::Transpose { dimensions });
    }
    let (input_layout, output_layout) = (input.layout.as_ref()?, output.layout.as_ref()?);
    let normal = shape_util::make_shape_with_descending_layout_and_same_physical_layout;
    Some(Decomposition::TransposeReshapeTranspose {
        transpose1_dimensions: input_layout.minor_to_major.iter().rev().copied().collect(),
        transpose1_shape: normal(input)?,
        reshape_shape: normal(output)?,
        transpose2_dimensions: layout_util::make_logical_to_physical(output_layout)?,
    })
}
