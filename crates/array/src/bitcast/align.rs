//! Layouts that make a reshape free, and any bitcast as a transpose, a reshape and a transpose.

use super::{Types, common_factors, deduce_transpose_dimensions_for_bitcast, reshape_is_bitcast};
use crate::permutation::positions;
use crate::{ArrayShape, Dims, Edition, Layout, layout_util, shape_util};

/// The shape `output` with a layout for which the reshape of `input` is a bitcast, or `None` where no layout makes it
/// one. Sizes of 1 go; the rest is cut by [`common_factors`]; in each part the input's dimensions must stand side by
/// side in memory, in descending order, and the output's do then; its sizes of 1 become the most major ones. `None`
/// also where element counts differ or `input` has no layout.
pub fn align_layouts(input: &ArrayShape, output: &ArrayShape) -> Option<ArrayShape> {
    let order = positions(&input.layout.as_ref()?.minor_to_major).filter(|o| o.len() == input.rank())?;
    let matters = |shape: &ArrayShape| -> Vec<usize> {
        (0..shape.rank()).filter(|d| shape.dimensions[*d] != 1).collect()
    };
    let (from, to) = (matters(input), matters(output));
    let sizes =
        |shape: &ArrayShape, of: &[usize]| -> Dims { of.iter().map(|d| shape.dimensions[*d]).collect() };
    let cuts = common_factors(&sizes(input, &from), &sizes(output, &to))?;

    let memory: Vec<usize> = order.into_iter().filter(|d| from.contains(d)).collect();
    let mut aligned: Vec<usize> = Vec::with_capacity(output.rank());
    let mut at = 0;
    while at < memory.len() {
        let number = from.iter().position(|d| *d == memory[at])?;
        let part = cuts.windows(2).find(|w| (w[0].0..w[1].0).contains(&number))?;
        let group = &from[part[0].0..part[1].0];
        let here = memory.get(at..at + group.len())?;
        if !here.iter().eq(group.iter().rev()) {
            return None;
        }
        aligned.extend(to[part[0].1..part[1].1].iter().rev());
        at += group.len();
    }
    aligned.extend((0..output.rank()).rev().filter(|d| !to.contains(d)));
    if aligned.len() != output.rank() {
        return None;
    }
    let minor_to_major: Dims = aligned.into_iter().map(|d| i64::try_from(d).ok()).collect::<Option<_>>()?;
    Some(output.clone().with_layout(Layout::new(minor_to_major)))
}

/// A bitcast as operations that are bitcasts each.
#[allow(clippy::large_enum_variant, reason = "one answer to one question, never kept in numbers")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decomposition {
    /// One reshape.
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
        /// What the first transpose makes: the input with a descending layout.
        transpose1_shape: ArrayShape,
        /// What the reshape makes: the output with a descending layout.
        reshape_shape: ArrayShape,
        /// The map of the second transpose: the position of each output dimension, from the major end.
        transpose2_dimensions: Dims,
    },
}

/// Takes a bitcast apart; `None` where a layout is missing or broken, or the element counts differ. Types do not
/// count: that the elements have one width is the caller's to know.
pub fn decompose_bitcast(input: &ArrayShape, output: &ArrayShape) -> Option<Decomposition> {
    if input.elements()? != output.elements()? {
        return None;
    }
    if reshape_is_bitcast(input, output, Types::Ignored, Edition::Now)? {
        return Some(Decomposition::Reshape);
    }
    if let Some(dimensions) = deduce_transpose_dimensions_for_bitcast(input, output) {
        return Some(Decomposition::Transpose { dimensions });
    }
    let (from, to) = (input.layout.as_ref()?, output.layout.as_ref()?);
    let normal = shape_util::make_shape_with_descending_layout_and_same_physical_layout;
    Some(Decomposition::TransposeReshapeTranspose {
        transpose1_dimensions: from.minor_to_major.iter().rev().copied().collect(),
        transpose1_shape: normal(input)?,
        reshape_shape: normal(output)?,
        transpose2_dimensions: layout_util::make_logical_to_physical(to)?,
    })
}
