//! XLA's `ShapeUtil`: make, inspect and measure shapes.
//!
//! Names are XLA's in snake case. Functions return `None` where the C++ CHECK-fails (the rank of a tuple, a dimension
//! out of range), and take the [`Edition`] if XLA 2017 and current XLA differ. `dimensions` changes the dimensions of
//! an array, `structure` walks tuples and compares shapes; [`super::bitcast`] has the predicates for reshapes and
//! transposes. Source: `shape_util.h`.

mod dimensions;
mod structure;

pub use dimensions::*;
pub use structure::*;

use super::layout_util::{array_is_padded, for_each_array_mut, max_split_size};
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

/// An array with a layout of this order; `None` if the lengths of order and dimensions differ.
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

/// The array with its dimensions permuted so that its layout is descending; its physical layout does not change
/// (`NormalizeShapeToMonotonicDim0MajorLayout`). Padded sizes are permuted too; other layout properties stay. `None`
/// without a layout, or if its order is not a permutation.
pub fn normalize_shape_to_monotonic_dim0_major_layout(shape: &ArrayShape) -> Option<ArrayShape> {
    let mut normal = shape.clone();
    let layout = normal.layout.as_mut()?;
    let positions = super::permutation::checked_permutation(&layout.minor_to_major)
        .filter(|p| p.len() == shape.rank())?;
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

/// Current XLA's name for [`normalize_shape_to_monotonic_dim0_major_layout`].
pub fn make_shape_with_descending_layout_and_same_physical_layout(shape: &ArrayShape) -> Option<ArrayShape> {
    normalize_shape_to_monotonic_dim0_major_layout(shape)
}

/// The shape without legacy padding, in every element of a tuple (2017).
#[must_use]
pub fn shape_without_padding(shape: &Shape) -> Shape {
    let mut bare = shape.clone();
    for_each_array_mut(&mut bare, &mut |array| {
        if let Some(layout) = &mut array.layout {
            layout.padding = None;
        }
    });
    bare
}

/// The number of elements of an array, 1 for a scalar. `None` for other shapes, for an unbounded dimension, and on
/// overflow.
pub fn elements_in(shape: &Shape) -> Option<i64> {
    shape.as_array()?.elements()
}

/// The number of dimensions of an array; `None` for other shapes.
pub fn rank(shape: &Shape) -> Option<usize> {
    shape.as_array().map(ArrayShape::rank)
}

/// The number of dimensions of a size other than 1, including 0, as implemented by XLA in both editions. XLA's document
/// counts only sizes above 1: [`documented_true_rank`]. `None` unless it is an array.
pub fn true_rank(shape: &Shape) -> Option<usize> {
    shape.as_array().map(|a| a.dimensions.iter().filter(|size| **size != 1).count())
}

/// The number of dimensions of a size above 1: the true rank as XLA's document "Shapes and layout" defines it. It
/// differs from [`true_rank`] if a size is 0. An unbounded size counts as above 1.
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

/// Whether it is a tuple with a tuple as an element.
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

/// Whether it is an array, possibly a scalar.
pub fn is_array(shape: &Shape) -> bool {
    shape.as_array().is_some()
}

/// Whether it has no data: the empty tuple, or an array without elements.
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

/// The size of dimension `d`, which may be negative: -1 is the last. `None` if `d` is outside -N..N, or if the
/// shape is not an array.
pub fn get_dimension(shape: &Shape, d: i64) -> Option<i64> {
    let d = get_dimension_number(shape, d)?;
    shape.as_array()?.dimensions.get(usize::try_from(d).ok()?).copied()
}

/// `d`, or `d + N` if negative; `None` below -N. As in XLA, `d >= N` is not rejected.
pub fn get_dimension_number(shape: &Shape, d: i64) -> Option<i64> {
    dimension_number(rank(shape)?, d)
}

/// Like [`get_dimension_number`], given the rank.
pub fn dimension_number(rank: usize, d: i64) -> Option<i64> {
    if d >= 0 { Some(d) } else { d.checked_add(i64::try_from(rank).ok()?).filter(|d| *d >= 0) }
}

/// The letter of dimension `d` in XLA's document "Shapes and layout": `y,x` at rank 2, `z,y,x` at rank 3, `p,z,y,x` at
/// rank 4; by extension `x` at rank 1. Other ranks have none.
///
/// ```
/// # use xla_array::shape_util::letter;
/// assert_eq!((letter(2, 0), letter(4, 0), letter(5, 0)), (Some('y'), Some('p'), None));
/// ```
pub fn letter(rank: usize, d: usize) -> Option<char> {
    let letters = ['p', 'z', 'y', 'x'];
    letters.get(letters.len().checked_sub(rank)?..)?.get(d).copied()
}

/// Bytes of an unpacked element.
pub fn byte_size_of_primitive_type(element_type: ElementType) -> i64 {
    element_type.bytes()
}

/// Bytes of a value.
///
/// - An array: in 2017 its elements and legacy padding; in current XLA its elements, packed as by `E(n)`, excluding
///   tile padding ([`array_size`] includes it).
/// - A tuple: its table of pointers, without the elements.
/// - A token: 0 in current XLA. An opaque shape: one pointer in current XLA.
///
/// `None` for a token or an opaque shape in 2017, a buffer, an unbounded dimension, a `pointer_size` below 1 where one is
/// needed, and on overflow.
pub fn byte_size_of(shape: &Shape, pointer_size: i64, edition: Edition) -> Option<i64> {
    let pointers =
        |count: usize| i64::try_from(count).ok()?.checked_mul(Some(pointer_size).filter(|p| *p > 0)?);
    match (shape, edition) {
        (Shape::Array(array), Edition::V2017) => {
            let slots = if array_is_padded(array) {
                MemoryMap::new(array).ok()?.slot_count()
            } else {
                array.elements()?
            };
            slots.checked_mul(array.element_type.bytes())
        }
        (Shape::Array(array), Edition::Current) => bytes_of(array, array.elements()?),
        (Shape::Tuple(elements), _) => pointers(elements.len()),
        (Shape::Token, Edition::Current) => Some(0),
        (Shape::Opaque, Edition::Current) => pointers(1),
        _ => None,
    }
}

/// Bytes of `elements` elements, packed as by `E(n)`.
fn bytes_of(array: &ArrayShape, elements: i64) -> Option<i64> {
    match array.layout.as_ref().map_or(0, |l| l.element_size_in_bits) {
        0 => elements.checked_mul(array.element_type.bytes()),
        bits => Some(elements.checked_mul(bits)?.checked_add(7)?.div_euclid(8)),
    }
}

/// Strides in bytes, one per dimension; `None` with tiles, if elements are not byte-aligned, on overflow, or if
/// the shape has no valid [`MemoryMap`].
pub fn byte_strides(shape: &ArrayShape) -> Option<Dims> {
    MemoryMap::new(shape).ok()?.byte_strides()
}

/// Bytes of the buffer that XLA allocates for an array: sizes (of the largest splits) rounded up to multiples of the
/// *first* tile, and with tiles the total rounded up to the tail alignment. [`MemoryMap::bytes`] also includes padding
/// from later tiles, and tail alignment of untiled layouts. `None` if the first tile has a `*`, which XLA's function does not
/// support, and on overflow.
pub fn array_size(shape: &ArrayShape) -> Option<i64> {
    let layout = shape.layout.as_ref();
    let Some((layout, tile)) = layout.and_then(|l| l.tiles.first().map(|t| (l, t))) else {
        return bytes_of(shape, shape.elements()?);
    };
    let round_up = |size: i64, multiple: i64| {
        size.checked_add(multiple.checked_sub(1)?)?.checked_div(multiple)?.checked_mul(multiple)
    };
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

/// Bits per element in memory: `E(n)`, else the whole bytes of its type.
pub fn element_size_in_bits(shape: &ArrayShape) -> i64 {
    match shape.layout.as_ref().map_or(0, |l| l.element_size_in_bits) {
        0 => shape.element_type.bytes() * 8,
        bits => bits,
    }
}

#[cfg(test)]
mod tests;
