//! XLA's `IndexUtil`: multi-dimensional indices, linear indices, and stepping from one to the next.
//!
//! Names are XLA's in snake case. Functions return `None` where the C++ CHECK-fails: an index out of bounds, the wrong
//! rank, a shape without a memory layout. XLA's 2017 `IndexUtil` rejects padded layouts in the two conversions; here
//! padding is included in the linear index, as the XLA document "Shapes and layout" describes: it is a memory slot
//! ([`super::memory`]). Build a [`MemoryMap`] once for many conversions on one shape. Loops use
//! [`super::index::Indices`].

use std::cmp::Ordering;

use super::{ArrayShape, Dims, MemoryMap, SlotKind};

/// The linear index of the element at `index`: the sum of `index[d]` times the stride of `d`, or as the tiling
/// dictates. `None` if `index` is out of the logical bounds.
///
/// ```
/// # use xla_array::{ArrayShape, ElementType, Layout, index_util::*};
/// let column_major = ArrayShape::new(ElementType::F32, [2, 3]).with_layout(Layout::ascending(2));
/// assert_eq!(multidimensional_index_to_linear_index(&column_major, &[1, 2]), Some(5));
/// assert_eq!(linear_index_to_multidimensional_index(&column_major, 2).as_deref(), Some(&[0, 1][..]));
/// ```
pub fn multidimensional_index_to_linear_index(shape: &ArrayShape, index: &[i64]) -> Option<i64> {
    let within = index.iter().zip(&shape.dimensions).all(|(i, size)| (0..*size).contains(i));
    MemoryMap::new(shape).ok().filter(|_| within)?.slot(index)
}

/// The index of the element at linear index `linear`; `None` outside the array and in padding.
pub fn linear_index_to_multidimensional_index(shape: &ArrayShape, linear: i64) -> Option<Dims> {
    let mut index = Dims::from_elem(0, shape.rank());
    let kind = MemoryMap::new(shape).ok()?.index_of(linear, &mut index);
    (kind == SlotKind::Element).then_some(index)
}

/// Moves `index` to the next one in logical row-major order, the last dimension fastest, regardless of the layout.
/// Returns false, and leaves `index` unchanged, at the last index or if the lengths differ; at rank 0 always.
pub fn bump_indices(shape: &ArrayShape, index: &mut [i64]) -> bool {
    let sizes = &shape.dimensions;
    let next = index.iter().zip(sizes).rposition(|(i, size)| i.checked_add(1).is_some_and(|i| i < *size));
    let Some(d) = next.filter(|_| index.len() == sizes.len()) else { return false };
    index[d] += 1;
    index[d + 1..].fill(0);
    true
}

/// The stride of dimension `d` in elements, over padded sizes. As in XLA, a `d` that is not in the layout has the
/// product of all padded sizes. `None` if the layout has tiles, or the shape has no memory layout.
pub fn get_dimension_stride(shape: &ArrayShape, d: i64) -> Option<i64> {
    let map = MemoryMap::new(shape).ok()?;
    let strides = map.strides()?;
    let stride = usize::try_from(d).ok().and_then(|d| strides.get(d).copied());
    Some(stride.unwrap_or_else(|| map.physical_sizes().iter().product()))
}

/// Whether the index has one coordinate per dimension, each below its size. A negative one passes, as in XLA.
pub fn index_in_bounds(shape: &ArrayShape, index: &[i64]) -> bool {
    index.len() == shape.rank() && index.iter().zip(&shape.dimensions).all(|(i, size)| i < size)
}

/// Compares two indices lexicographically. XLA returns -1, 1 and 0 for `Less`, `Greater` and `Equal` (its comment has
/// the signs reversed). `None` if the lengths differ.
pub fn compare_indices(lhs: &[i64], rhs: &[i64]) -> Option<Ordering> {
    (lhs.len() == rhs.len()).then(|| lhs.cmp(rhs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ElementType, Layout, PaddingValue};

    fn padded() -> ArrayShape {
        let layout = Layout::ascending(2).padded([3, 5], PaddingValue::Zero);
        ArrayShape::new(ElementType::F32, [2, 3]).with_layout(layout)
    }

    #[test]
    fn conversions_include_padding_and_reject_indices_out_of_bounds() {
        assert_eq!(multidimensional_index_to_linear_index(&padded(), &[1, 2]), Some(7));
        assert_eq!(multidimensional_index_to_linear_index(&padded(), &[2, 0]), None);
        assert_eq!(linear_index_to_multidimensional_index(&padded(), 7).unwrap().to_vec(), [1, 2]);
        assert_eq!(linear_index_to_multidimensional_index(&padded(), 2), None);
        assert_eq!(linear_index_to_multidimensional_index(&padded(), 15), None);
        let scalar = ArrayShape::new(ElementType::F32, []);
        assert_eq!(multidimensional_index_to_linear_index(&scalar, &[]), Some(0));
        assert_eq!(linear_index_to_multidimensional_index(&scalar, 0), Some(Dims::new()));
    }

    #[test]
    fn bumping_is_row_major_and_stops_at_the_last_index() {
        let mut index = [0, 0];
        let mut visited = vec![index];
        while bump_indices(&padded(), &mut index) {
            visited.push(index);
        }
        assert_eq!(visited, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        assert_eq!(index, [1, 2]);
        assert!(!bump_indices(&ArrayShape::new(ElementType::F32, []), &mut []));
        assert!(!bump_indices(&padded(), &mut [0]));
        assert!(!bump_indices(&padded(), &mut [i64::MAX, i64::MAX]));
    }

    #[test]
    fn strides_are_those_of_memory() {
        assert_eq!(
            [0, 1, 2, -1].map(|d| get_dimension_stride(&padded(), d)),
            [Some(1), Some(3), Some(15), Some(15)]
        );
        let tiled =
            ArrayShape::new(ElementType::F32, [2, 3]).with_layout(Layout::descending(2).tiled([2, 2]));
        assert_eq!(get_dimension_stride(&tiled, 0), None);
    }

    #[test]
    fn bounds_let_a_negative_pass_and_comparison_is_lexicographic() {
        assert!(index_in_bounds(&padded(), &[1, -4]) && !index_in_bounds(&padded(), &[1, 3]));
        assert!(!index_in_bounds(&padded(), &[1]));
        assert_eq!(compare_indices(&[0, 5], &[1, 0]), Some(Ordering::Less));
        assert_eq!(compare_indices(&[2, 0], &[1, 9]), Some(Ordering::Greater));
        assert_eq!(compare_indices(&[], &[]), Some(Ordering::Equal));
        assert_eq!(compare_indices(&[1], &[1, 2]), None);
    }
}
