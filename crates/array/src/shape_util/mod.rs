//! XLA's `ShapeUtil`: make, inspect and measure shapes.
//!
//! Names are XLA's in snake case. Where C++ fails a check (a tuple asked for its rank, a dimension that is not there)
//! the answer here is `None`; where 2017 and today differ a function takes the [`Edition`]. `dimensions` changes
//! the dimensions of an array, `structure` walks tuples and compares shapes; [`super::bitcast`] has the questions
//! about reshapes and transposes. Source: `shape_util.h`; section 8 of the
//! specification.

mod dimensions;
mod structure;

pub use dimensions::*;
pub use structure::*;

use super::layout_util::{array_is_padded, each_array_mut, max_split_size};
use super::{ArrayShape, Dims, Edition, ElementType, Layout, MemoryMap, Shape, TileDim};

/// An array with the default layout.
///
/// ```
/// # use xla_array::{ElementType, shape_util::*};
/// let shape = make_shape(ElementType::F32, &[2, 1, 3]);
/// assert_eq!((elements_in(&shape), rank(&shape), true_rank(&shape)), (Some(6), Some(3), Some(2)));
/// assert_eq!(get_dimension(&shape, -1), Some(3));
/// ```
pub fn make_shape(element_type: ElementType, dimensions: &[i64]) -> Shape {
    ArrayShape::new(element_type, dimensions.iter().copied()).into()
}

/// An array with the layout of this order; `None` where the order has another length than the dimensions.
pub fn make_shape_with_layout(
    element_type: ElementType,
    dimensions: &[i64],
    minor_to_major: &[i64],
) -> Option<Shape> {
    (dimensions.len() == minor_to_major.len()).then(|| {
        let layout = Layout::new(minor_to_major.iter().copied());
        ArrayShape::new(element_type, dimensions.iter().copied()).with_layout(layout).into()
    })
}

/// An array with the descending layout: dimension 0 is the most major.
pub fn make_shape_with_monotonic_dim0_major_layout(element_type: ElementType, dimensions: &[i64]) -> Shape {
    make_shape(element_type, dimensions)
}

/// A tuple of these elements.
pub fn make_tuple_shape(elements: impl IntoIterator<Item = Shape>) -> Shape {
    Shape::Tuple(elements.into_iter().collect())
}

/// The opaque shape.
pub fn make_opaque_shape() -> Shape {
    Shape::Opaque
}

/// The token shape.
pub fn make_token_shape() -> Shape {
    Shape::Token
}

/// An array with a descending layout with the same order in memory as this one: its sizes are those of this one in
/// major-to-minor order (`NormalizeShapeToMonotonicDim0MajorLayout`). Other layout properties stay, padding in the
/// new order. `None` without a layout, or where its order is no permutation.
pub fn normalize_shape_to_monotonic_dim0_major_layout(shape: &ArrayShape) -> Option<ArrayShape> {
    let mut normal = shape.clone();
    let layout = normal.layout.as_mut()?;
    let positions =
        super::permutation::positions(&layout.minor_to_major).filter(|p| p.len() == shape.rank())?;
    let reorder =
        |sizes: &[i64]| positions.iter().rev().map(|d| sizes.get(*d).copied()).collect::<Option<Dims>>();
    if let Some(padding) = &mut layout.padding
        && !padding.dimensions.is_empty()
    {
        padding.dimensions = reorder(&padding.dimensions)?;
    }
    layout.minor_to_major = Layout::descending(shape.rank()).minor_to_major;
    normal.dimensions = reorder(&shape.dimensions)?;
    if !shape.dynamic.is_empty() {
        normal.dynamic = positions.iter().rev().map(|d| shape.dynamic_of(*d)).collect();
    }
    Some(normal)
}

/// Today's name of [`normalize_shape_to_monotonic_dim0_major_layout`].
pub fn make_shape_with_descending_layout_and_same_physical_layout(shape: &ArrayShape) -> Option<ArrayShape> {
    normalize_shape_to_monotonic_dim0_major_layout(shape)
}

/// The shape without padded sizes and padding value, in every element of a tuple (2017).
#[must_use]
pub fn shape_without_padding(shape: &Shape) -> Shape {
    let mut bare = shape.clone();
    each_array_mut(&mut bare, &mut |array| {
        if let Some(layout) = &mut array.layout {
            layout.padding = None;
        }
    });
    bare
}

/// The number of elements of an array, 1 for a scalar. `None` for anything else, and where it is not known or does
/// not fit an `i64`.
pub fn elements_in(shape: &Shape) -> Option<i64> {
    shape.as_array()?.elements()
}

/// The number of dimensions of an array; `None` for anything else.
pub fn rank(shape: &Shape) -> Option<usize> {
    shape.as_array().map(ArrayShape::rank)
}

/// The number of dimensions of a size other than 1, as XLA counts in both editions; a size of 0 counts. The document
/// counts the sizes greater than 1: [`documented_true_rank`]. `None` for what is no array.
pub fn true_rank(shape: &Shape) -> Option<usize> {
    shape.as_array().map(|a| a.dimensions.iter().filter(|size| **size != 1).count())
}

/// The number of dimensions of a size greater than 1: the true rank as the document "Shapes and layout" defines it.
/// It differs from [`true_rank`] where a size is 0. An unknown size may be greater than 1 and counts.
pub fn documented_true_rank(shape: &Shape) -> Option<usize> {
    let counts = |size: &&i64| **size > 1 || **size == ArrayShape::UNBOUNDED;
    shape.as_array().map(|a| a.dimensions.iter().filter(counts).count())
}

/// Whether it is an array of rank 0.
pub fn is_scalar(shape: &Shape) -> bool {
    rank(shape) == Some(0)
}

/// Whether it is an array with a dimension of size 0 (`IsZeroElementArray`; 2017 `HasZeroElements`).
pub fn has_zero_elements(shape: &Shape) -> bool {
    shape.as_array().is_some_and(|a| a.dimensions.contains(&0))
}

/// Whether it is a tuple.
pub fn is_tuple(shape: &Shape) -> bool {
    shape.as_tuple().is_some()
}

/// Whether it is a tuple that holds a tuple.
pub fn is_nested_tuple(shape: &Shape) -> bool {
    shape.as_tuple().is_some_and(|elements| elements.iter().any(is_tuple))
}

/// Whether it is the tuple without elements.
pub fn is_empty_tuple(shape: &Shape) -> bool {
    shape.as_tuple().is_some_and(<[Shape]>::is_empty)
}

/// Whether it is opaque.
pub fn is_opaque(shape: &Shape) -> bool {
    matches!(shape, Shape::Opaque)
}

/// Whether it is an array; scalars are.
pub fn is_array(shape: &Shape) -> bool {
    shape.as_array().is_some()
}

/// Whether it holds nothing: the empty tuple, or an array without elements.
pub fn is_nil(shape: &Shape) -> bool {
    is_empty_tuple(shape) || has_zero_elements(shape)
}

fn element_is(shape: &Shape, test: impl Fn(ElementType) -> bool) -> bool {
    shape.as_array().is_some_and(|a| test(a.element_type))
}

/// Whether the elements are signed or unsigned integers; `pred` is not.
pub fn element_is_integral(shape: &Shape) -> bool {
    element_is(shape, ElementType::is_integral)
}

/// Whether the elements are signed integers or floats.
pub fn element_is_signed(shape: &Shape) -> bool {
    element_is(shape, ElementType::is_signed)
}

/// Whether the elements are floats; complex ones are not.
pub fn element_is_floating(shape: &Shape) -> bool {
    element_is(shape, ElementType::is_floating)
}

/// Whether the elements are complex.
pub fn element_is_complex(shape: &Shape) -> bool {
    element_is(shape, ElementType::is_complex)
}

/// Whether an element has this many bits of information; 1 for `pred`.
pub fn element_has_bit_width(shape: &Shape, bits: u8) -> bool {
    element_is(shape, |t| t.bits() == bits)
}

/// The size of dimension `d`, which may be negative: -1 is the last. `None` outside -N..N and for what is no array.
pub fn get_dimension(shape: &Shape, d: i64) -> Option<i64> {
    let number = get_dimension_number(shape, d)?;
    shape.as_array()?.dimensions.get(usize::try_from(number).ok()?).copied()
}

/// `d`, or `d + N` where negative; `None` below -N. As in XLA a `d` of N or more passes: the look-up of its size
/// fails.
pub fn get_dimension_number(shape: &Shape, d: i64) -> Option<i64> {
    dimension_number(rank(shape)?, d)
}

/// [`get_dimension_number`] at this rank.
pub fn dimension_number(rank: usize, d: i64) -> Option<i64> {
    if d >= 0 { Some(d) } else { d.checked_add(i64::try_from(rank).ok()?).filter(|d| *d >= 0) }
}

/// The letter of dimension `d` at this rank, as the document "Shapes and layout" has them for ranks 2, 3 and 4:
/// `y,x`, `z,y,x`, `p,z,y,x`. At rank 1 it is `x`, by extension; other ranks have none.
///
/// ```
/// # use xla_array::shape_util::letter;
/// assert_eq!((letter(2, 0), letter(4, 0), letter(5, 0)), (Some('y'), Some('p'), None));
/// ```
pub fn letter(rank: usize, d: usize) -> Option<char> {
    let letters = ['p', 'z', 'y', 'x'];
    letters.get(letters.len().checked_sub(rank)?..)?.get(d).copied()
}

/// Bytes of an element where nothing packs it.
pub fn byte_size_of_primitive_type(element_type: ElementType) -> i64 {
    element_type.bytes()
}

/// Bytes of a value. An array: in 2017 all its cells, padding included; today its elements at `E(n)` bits where the
/// layout says so, without what tiles add ([`array_size`] counts that). A tuple: its table of pointers, not what
/// they point to. A token: 0. An opaque: one pointer today, nothing that could be said in 2017. `None` there, for a
/// buffer, for an unbounded dimension, for `pointer_size` below 1 where one is needed, and on overflow.
pub fn byte_size_of(shape: &Shape, pointer_size: i64, edition: Edition) -> Option<i64> {
    let pointers =
        |count: usize| i64::try_from(count).ok()?.checked_mul(Some(pointer_size).filter(|p| *p > 0)?);
    match (shape, edition) {
        (Shape::Array(array), Edition::V2017) => {
            let cells = if array_is_padded(array) {
                MemoryMap::new(array).ok()?.slot_count()
            } else {
                array.elements()?
            };
            cells.checked_mul(array.element_type.bytes())
        }
        (Shape::Array(array), Edition::Now) => bytes_of(array, array.elements()?),
        (Shape::Tuple(elements), _) => pointers(elements.len()),
        (Shape::Token, Edition::Now) => Some(0),
        (Shape::Opaque, Edition::Now) => pointers(1),
        _ => None,
    }
}

/// Bytes of `elements` elements, packed where the layout says so.
fn bytes_of(array: &ArrayShape, elements: i64) -> Option<i64> {
    match array.layout.as_ref().map_or(0, |l| l.element_size_in_bits) {
        0 => elements.checked_mul(array.element_type.bytes()),
        bits => Some(elements.checked_mul(bits)?.checked_add(7)?.div_euclid(8)),
    }
}

/// Bytes from one index of a dimension to the next; `None` where tiled, where elements do not start at whole bytes,
/// and for what has no place in memory. An array of no dimensions has no strides.
pub fn byte_strides(shape: &ArrayShape) -> Option<Dims> {
    MemoryMap::new(shape).ok()?.byte_strides()
}

/// Bytes of the buffer XLA sets aside for an array: elements rounded up to whole tiles of the *first* tile, then,
/// only where there are tiles, to the tail alignment; dimensions count with their largest split.
/// [`MemoryMap::bytes`] is exact where this is not: a later tile that does not divide, tail alignment without tiles.
/// `None` where the first tile has a `*`, which XLA's function does not know, and on overflow.
pub fn array_size(shape: &ArrayShape) -> Option<i64> {
    let layout = shape.layout.as_ref();
    let Some((layout, tile)) = layout.and_then(|l| l.tiles.first().map(|t| (l, t))) else {
        return bytes_of(shape, shape.elements()?);
    };
    let round_up =
        |size: i64, to: i64| size.checked_add(to.checked_sub(1)?)?.checked_div(to)?.checked_mul(to);
    let mut elements = 1_i64;
    for k in 0..shape.rank().max(tile.0.len()) {
        let size = match layout.minor_to_major.get(k) {
            Some(d) => max_split_size(shape, usize::try_from(*d).ok()?)?,
            None => 1,
        };
        let padded = match tile.0.iter().rev().nth(k) {
            None => size,
            Some(TileDim::Size(tile)) => round_up(size, *tile)?,
            Some(TileDim::Combine) => return None,
        };
        elements = elements.checked_mul(padded)?;
    }
    bytes_of(shape, round_up(elements, layout.tail_padding_alignment)?)
}

/// Bits an element is stored in: `E(n)`, else the whole bytes of its type.
pub fn element_size_in_bits(shape: &ArrayShape) -> i64 {
    match shape.layout.as_ref().map_or(0, |l| l.element_size_in_bits) {
        0 => shape.element_type.bytes() * 8,
        bits => bits,
    }
}

#[cfg(test)]
mod tests;
