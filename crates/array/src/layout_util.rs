//! XLA's `LayoutUtil`: make, inspect, compare and copy layouts.
//!
//! Names are XLA's in snake case. Functions return `None` where the C++ CHECK-fails. Rules are in [`super::validate`],
//! indices and slots in [`super::index_util`]. Source: `layout_util.h` of current XLA unless a
//! function documents 2017.

use super::validate::{self, ShapePart};
use super::{ArrayShape, Dims, Edition, Layout, Shape, Violation};
use xla_messages::i18n::Message;

/// A layout with this order, the most minor dimension first.
pub fn make_layout(minor_to_major: &[i64]) -> Layout {
    Layout::new(minor_to_major.iter().copied())
}

/// A layout with this order, the most major dimension first.
pub fn make_layout_from_major_to_minor(major_to_minor: &[i64]) -> Layout {
    Layout::new(major_to_minor.iter().rev().copied())
}

/// N-1, …, 0: dimension 0 is the most major.
pub fn make_descending_layout(rank: usize) -> Layout {
    Layout::descending(rank)
}

/// 0, …, N-1: dimension 0 is the most minor.
pub fn make_ascending_layout(rank: usize) -> Layout {
    Layout::ascending(rank)
}

/// The default layout of an array: descending.
pub fn get_default_layout_for_shape(shape: &ArrayShape) -> Layout {
    Layout::descending(shape.rank())
}

/// The default layout of this rank: descending.
pub fn get_default_layout_for_rank(rank: usize) -> Layout {
    Layout::descending(rank)
}

/// The default layout of a matrix.
pub fn get_default_layout_for_r2() -> Layout {
    Layout::descending(2)
}

/// The default layout at rank 3.
pub fn get_default_layout_for_r3() -> Layout {
    Layout::descending(3)
}

/// The default layout at rank 4.
pub fn get_default_layout_for_r4() -> Layout {
    Layout::descending(4)
}

/// Calls `change` with every array of a shape, including those in tuples and buffers, in order.
pub fn for_each_array_mut(shape: &mut Shape, change: &mut impl FnMut(&mut ArrayShape)) {
    match shape {
        Shape::Array(array) => change(array),
        Shape::Buffer(array) => change(array),
        Shape::Tuple(elements) => {
            elements
                .change(|shapes| shapes.iter_mut().for_each(|element| for_each_array_mut(element, change)));
        }
        Shape::Token | Shape::Opaque => {}
    }
}

/// Replaces the layout of every array, with all its properties, by the default one.
pub fn set_to_default_layout(shape: &mut Shape) {
    for_each_array_mut(shape, &mut |array| array.layout = Some(Layout::descending(array.rank())));
}

/// Checks the layouts of all arrays. Unless `allow_missing_layouts`, a missing one at a rank above 0 is an error
/// (`layout-2`).
pub fn validate_layout_in_shape(shape: &Shape, allow_missing_layouts: bool) -> Result<(), Violation> {
    match shape {
        Shape::Tuple(elements) => elements.iter().enumerate().try_for_each(|(i, element)| {
            validate_layout_in_shape(element, allow_missing_layouts).map_err(|mut violation| {
                violation.path.insert(0, i);
                violation
            })
        }),
        Shape::Array(array) => validate_layout_in_array(array, allow_missing_layouts),
        Shape::Buffer(array) => validate_layout_in_array(array, allow_missing_layouts),
        Shape::Token | Shape::Opaque => Ok(()),
    }
}

fn validate_layout_in_array(array: &ArrayShape, allow_missing_layouts: bool) -> Result<(), Violation> {
    match &array.layout {
        Some(layout) => validate::layout(layout, array),
        None if allow_missing_layouts || array.rank() == 0 => Ok(()),
        None => validate::layout(&Layout::new([]), array),
    }
}

/// Checks a layout against an array shape, whose own layout is ignored.
pub fn validate_layout_for_shape(layout: &Layout, shape: &ArrayShape) -> Result<(), Violation> {
    validate::layout(layout, shape)
}

/// Removes the layouts of all arrays.
pub fn clear_layout(shape: &mut Shape) {
    for_each_array_mut(shape, &mut |array| array.layout = None);
}

/// Removes the tiles of all arrays.
pub fn clear_tiles(shape: &mut Shape) {
    for_each_array_mut(shape, &mut |array| {
        if let Some(layout) = &mut array.layout {
            layout.tiles.clear();
        }
    });
}

/// Whether every array of the shape has a layout; in 2017 every scalar has. Tokens and opaques need none.
pub fn has_layout(shape: &Shape, edition: Edition) -> bool {
    match shape {
        Shape::Array(array) => array_has_layout(array, edition),
        Shape::Buffer(array) => array_has_layout(array, edition),
        Shape::Tuple(elements) => elements.iter().all(|element| has_layout(element, edition)),
        Shape::Token | Shape::Opaque => true,
    }
}

fn array_has_layout(array: &ArrayShape, edition: Edition) -> bool {
    array.layout.is_some() || (edition == Edition::V2017 && array.rank() == 0)
}

/// Whether some array of the shape has a layout; true for tokens and opaques, as in XLA.
pub fn has_any_layout(shape: &Shape) -> bool {
    match shape {
        Shape::Array(array) => array.layout.is_some(),
        Shape::Buffer(array) => array.layout.is_some(),
        Shape::Tuple(elements) => elements.iter().any(has_any_layout),
        Shape::Token | Shape::Opaque => true,
    }
}

/// Whether the order is N-1, …, 0; true at rank 0 and 1.
pub fn is_monotonic_with_dim0_major(layout: &Layout) -> bool {
    layout.minor_to_major.windows(2).all(|w| w[0] > w[1])
}

/// Whether the order is 0, …, N-1; true at rank 0 and 1.
pub fn is_monotonic_with_dim0_minor(layout: &Layout) -> bool {
    layout.minor_to_major.windows(2).all(|w| w[0] < w[1])
}

/// A dimension order that XLA's document "Shapes and layout" names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedOrder {
    /// N-1, …, 0: "dim 0 is major", row-major at rank 2.
    Dim0Major,
    /// 0, …, N-1: "dim 0 is minor", column-major at rank 2.
    Dim0Minor,
}

impl NamedOrder {
    /// The order of an array of rank 2 or more, if it has a name. Without a layout it is the default order.
    pub fn of_array(array: &ArrayShape) -> Option<Self> {
        match &array.layout {
            _ if array.rank() < 2 => None,
            Some(layout) if is_monotonic_with_dim0_minor(layout) => Some(Self::Dim0Minor),
            Some(layout) if !is_monotonic_with_dim0_major(layout) => None,
            _ => Some(Self::Dim0Major),
        }
    }

    /// Both names in English: that of any rank, and that of rank 2, also used for the similar order of a higher rank.
    pub fn names(self) -> [&'static str; 2] {
        match self {
            Self::Dim0Major => ["dim 0 is major", "row-major"],
            Self::Dim0Minor => ["dim 0 is minor", "column-major"],
        }
    }

    /// The message that names the order at this rank.
    pub fn message(self, rank: usize) -> Message {
        match (self, rank) {
            (Self::Dim0Major, 2) => Message::new("order-row-major"),
            (Self::Dim0Minor, 2) => Message::new("order-column-major"),
            (Self::Dim0Major, _) => Message::new("order-dim0-major"),
            (Self::Dim0Minor, _) => Message::new("order-dim0-minor"),
        }
    }
}

/// Whether some dimension has a legacy padded size above its size. False for tuples, tokens, opaques, and without a
/// layout.
pub fn is_padded(shape: &Shape) -> bool {
    shape.as_array().is_some_and(array_is_padded)
}

/// Like [`is_padded`], for an array.
pub fn array_is_padded(array: &ArrayShape) -> bool {
    let padding = array.layout.as_ref().and_then(|l| l.padding.as_ref());
    padding.is_some_and(|p| p.dimensions.iter().zip(&array.dimensions).any(|(padded, size)| padded > size))
}

/// Whether the layout has no tiles.
pub fn is_untiled_layout(layout: &Layout) -> bool {
    layout.tiles.is_empty()
}

/// The logical dimension that is the k-th most minor; `None` unless `k` is below the rank.
pub fn minor(layout: &Layout, k: usize) -> Option<i64> {
    layout.minor_to_major.get(k).copied()
}

/// The logical dimension that is the k-th most major; `None` unless `k` is below the rank.
pub fn major(layout: &Layout, k: usize) -> Option<i64> {
    layout.minor_to_major.iter().rev().nth(k).copied()
}

/// The physical dimension of each logical one, 0 being the most major. `None` if the order is not a permutation.
pub fn make_logical_to_physical(layout: &Layout) -> Option<Dims> {
    let major_to_minor: Dims = layout.minor_to_major.iter().rev().copied().collect();
    super::permutation::inverse(&major_to_minor)
}

/// Whether these dimensions are adjacent in the layout, in any order. `None` if one of them is not in the layout.
pub fn are_dimensions_consecutive(layout: &Layout, dimensions: &[i64]) -> Option<bool> {
    let position = |d: &i64| layout.minor_to_major.iter().position(|m| m == d);
    let mut positions: Vec<usize> = dimensions.iter().map(position).collect::<Option<_>>()?;
    positions.sort_unstable();
    Some(positions.windows(2).all(|w| w[1] == w[0] + 1))
}

/// Copies the layouts of `source` to `target`, array by array; a missing layout clears.
///
/// # Errors
///
/// `layout-copy` if the tuple structures or ranks differ; the rule that a layout violates in `target`. `target` is then
/// unchanged.
pub fn copy_layout_between_shapes(source: &Shape, target: &mut Shape) -> Result<(), Violation> {
    let mut copied = target.clone();
    copy_layout(source, &mut copied)?;
    *target = copied;
    Ok(())
}

fn copy_layout(source: &Shape, target: &mut Shape) -> Result<(), Violation> {
    let reject = |message| {
        Err(Violation { rule: "layout-copy", path: Vec::new(), part: ShapePart::MinorToMajor, message })
    };
    match (source, target) {
        (Shape::Tuple(source), Shape::Tuple(target)) if source.len() == target.len() => {
            target.change(|target| {
                source.iter().zip(target).enumerate().try_for_each(|(i, (source, target))| {
                    copy_layout(source, target).map_err(|mut violation| {
                        violation.path.insert(0, i);
                        violation
                    })
                })
            })
        }
        (Shape::Array(source), Shape::Array(target)) => {
            if source.layout.is_some() && source.rank() != target.rank() {
                let message =
                    Message::ops("layout-copy-rank").with("rank", source.rank()).with("to", target.rank());
                return reject(message);
            }
            source.layout.as_ref().map_or(Ok(()), |layout| validate::layout(layout, target))?;
            target.layout.clone_from(&source.layout);
            Ok(())
        }
        (Shape::Tuple(_), _) | (_, Shape::Tuple(_)) => reject(Message::ops("layout-copy-structure")),
        // Neither is a tuple, and they are not both arrays: there is nothing to copy.
        _ => Ok(()),
    }
}

/// Properties that [`equal`] does not compare; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "XLA's own independent flags")]
pub struct Ignoring {
    /// `T(…)`.
    pub tiles: bool,
    /// `S(n)`.
    pub memory_space: bool,
    /// `E(n)`.
    pub element_size: bool,
    /// `L(n)`.
    pub tail_padding_alignment: bool,
    /// `#(type)` and `*(type)`.
    pub index_and_pointer_types: bool,
    /// `SC(…)`.
    pub split_configs: bool,
}

/// Whether two layouts are equal except for ignored properties. The order, legacy padding, the physical shape and the
/// metadata prefix are always compared; an empty list of padded sizes means no padding.
pub fn equal(a: &Layout, b: &Layout, ignoring: Ignoring) -> bool {
    let plain = |layout: &Layout| {
        let mut plain = layout.clone();
        plain.padding = plain.padding.filter(|p| !p.dimensions.is_empty());
        if ignoring.tiles {
            plain.tiles.clear();
        }
        if ignoring.memory_space {
            plain.memory_space = 0;
        }
        if ignoring.element_size {
            plain.element_size_in_bits = 0;
        }
        if ignoring.tail_padding_alignment {
            plain.tail_padding_alignment = 1;
        }
        if ignoring.index_and_pointer_types {
            (plain.index_type, plain.pointer_type) = (None, None);
        }
        if ignoring.split_configs {
            plain.split_configs.clear();
        }
        plain
    };
    plain(a) == plain(b)
}

/// Whether two shapes have the same structure, ranks and layouts. Sizes and types are not compared.
pub fn layouts_in_shapes_equal(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Tuple(a), Shape::Tuple(b)) => {
            a.is_same(b) || a.len() == b.len() && a.iter().zip(b).all(|(a, b)| layouts_in_shapes_equal(a, b))
        }
        (Shape::Array(a), Shape::Array(b)) => {
            a.rank() == b.rank()
                && match (&a.layout, &b.layout) {
                    (Some(a), Some(b)) => equal(a, b, Ignoring::default()),
                    (None, None) => true,
                    _ => false,
                }
        }
        (Shape::Tuple(_), _) | (_, Shape::Tuple(_)) => false,
        // Tokens, opaques and buffers: there are no layouts to compare.
        _ => true,
    }
}

/// The same layout with dimension `d` as the most major; `None` if it is not in the layout.
pub fn move_dim_to_major(layout: &Layout, d: i64) -> Option<Layout> {
    let mut moved = layout.clone();
    let position = moved.minor_to_major.iter().position(|m| *m == d)?;
    moved.minor_to_major[position..].rotate_left(1);
    Some(moved)
}

/// The same layout with dimension `d` as the most minor; `None` if it is not in the layout.
pub fn move_dim_to_minor(layout: &Layout, d: i64) -> Option<Layout> {
    let mut moved = layout.clone();
    let position = moved.minor_to_major.iter().position(|m| *m == d)?;
    moved.minor_to_major[..=position].rotate_right(1);
    Some(moved)
}

/// The memory space of an array; without a layout 0, the default memory space.
pub fn memory_space(shape: &ArrayShape) -> i64 {
    shape.layout.as_ref().map_or(0, |l| l.memory_space)
}

/// The size of the largest part of dimension `d` when split by `SC(…)`; its size if it is not split. `None` if there
/// is no such dimension.
pub fn max_split_size(shape: &ArrayShape, d: usize) -> Option<i64> {
    let size = *shape.dimensions.get(d)?;
    let layout = shape.layout.as_ref();
    // A split names a physical dimension, 0 being the most major.
    let split =
        layout.into_iter().flat_map(|l| l.split_configs.iter().map(move |s| (l, s))).find(|(l, s)| {
            let logical = usize::try_from(s.dimension).ok().and_then(|k| major(l, k));
            logical.is_some_and(|logical| usize::try_from(logical) == Ok(d))
        });
    let Some((_, split)) = split else { return Some(size) };
    let ends = split.indices.iter().copied().chain([size]);
    let starts = [0].into_iter().chain(split.indices.iter().copied());
    ends.zip(starts).map(|(end, start)| end.saturating_sub(start)).max()
}

/// The maximum number of elements of a part of a split array: the product of [`max_split_size`] over all dimensions.
/// `None` on overflow.
pub fn max_elements_in_per_split(shape: &ArrayShape) -> Option<i64> {
    (0..shape.rank()).try_fold(1_i64, |product, d| product.checked_mul(max_split_size(shape, d)?))
}

#[cfg(test)]
mod tests;
