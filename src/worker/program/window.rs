//! The part of an array that the page shows: a box of at most `MAX_CELLS` cells, of the array's rank.

use crate::array::literal::LiteralError;
use crate::array::{ArrayLiteral, ArrayShape, Dims};

/// Maximum cells of a window.
const MAX_CELLS: i64 = 1 << 16;

/// Maximum size of a window along a dimension of an array that is larger than a window, so that both are visible.
const MAX_SIDE: i64 = 256;

/// The sizes of the window of an array: whole dimensions from the most minor one on, as long as they fit.
pub fn sizes(sizes: &[i64]) -> Dims {
    sizes_within(sizes, (MAX_CELLS, MAX_SIDE))
}

/// The sizes of a window of at most this many cells, and of at most this size along a dimension unless all cells fit.
fn sizes_within(sizes: &[i64], (max_cells, max_side): (i64, i64)) -> Dims {
    let all = sizes.iter().try_fold(1_i64, |product, size| product.checked_mul(*size));
    if all.is_some_and(|all| all <= max_cells) {
        return sizes.into();
    }
    let mut remaining = max_cells;
    let mut window: Dims = sizes.into();
    for size in window.iter_mut().rev() {
        *size = (*size).min(remaining).min(if remaining == 1 { 1 } else { max_side });
        remaining = (remaining / (*size).max(1)).max(1);
    }
    window
}

/// The window whose first cell is `start`, moved so that it is within the array: its first cell, and its cells in
/// row-major order.
pub fn window(array: &ArrayLiteral, start: &[i64]) -> Result<(Dims, ArrayLiteral), LiteralError> {
    window_within(array, start, (MAX_CELLS, MAX_SIDE))
}

/// Like [`window`], with at most this many cells and this size along a dimension.
pub fn window_within(
    array: &ArrayLiteral,
    start: &[i64],
    limits: (i64, i64),
) -> Result<(Dims, ArrayLiteral), LiteralError> {
    let whole = &array.shape().dimensions;
    let sizes = sizes_within(whole, limits);
    let first: Dims = (0..whole.len())
        .map(|d| start.get(d).copied().unwrap_or(0).clamp(0, (whole[d] - sizes[d]).max(0)))
        .collect();
    let mut index = first.clone();
    let shape = ArrayShape::new(array.element_type(), sizes);
    let zero = crate::array::Value::from_bits(array.element_type(), 0);
    let cells = ArrayLiteral::from_fn(shape, |_, offset| {
        for (d, at) in index.iter_mut().enumerate() {
            *at = first[d] + offset[d];
        }
        // Every cell of the window is one of the array.
        array.get(&index).unwrap_or(zero)
    })?;
    Ok((first, cells))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_fits_and_keeps_the_minor_dimensions() {
        for (whole, expected) in [
            (vec![], vec![]),
            (vec![3, 4], vec![3, 4]),
            (vec![1 << 20], vec![256]),
            (vec![1000, 1000], vec![256, 256]),
            (vec![64, 100, 100], vec![6, 100, 100]),
            (vec![8, 512, 512], vec![1, 256, 256]),
            (vec![i64::MAX, 2], vec![256, 2]),
            (vec![0, 5], vec![0, 5]),
        ] {
            assert_eq!(sizes(&whole).to_vec(), expected, "{whole:?}");
        }
    }

    #[test]
    fn a_window_has_the_cells_of_the_array_at_its_start() {
        let shape = ArrayShape::new(crate::array::ElementType::S32, [300, 300]);
        let array = ArrayLiteral::from_fn(shape, |linear, _| crate::array::Value::Int(linear)).unwrap();
        let (start, cells) = window(&array, &[10, 290]).unwrap();
        assert_eq!(start.to_vec(), [10, 44], "moved into the array");
        assert_eq!(cells.get(&[0, 0]), array.get(&[10, 44]));
        assert_eq!(cells.get(&[255, 255]), array.get(&[265, 299]));
        let (start, _) = window(&array, &[-5]).unwrap();
        assert_eq!(start.to_vec(), [0, 0]);
    }
}
