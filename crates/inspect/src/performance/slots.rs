//! Whether an op leaves every element in its memory slot, so that it is a bitcast.

use xla_array::bitcast::{ElementTypes, keeps_every_slot, reshape_is_bitcast};
use xla_array::index::{multi_index, row_major_index, write_multi_index};
use xla_array::permutation::checked_permutation;
use xla_array::{ArrayShape, Dims, Edition, MemoryMap};

/// Maximum number of elements of arrays whose slots are all compared.
const MAX_COMPARED_ELEMENTS: i64 = 1 << 11;
/// The number of elements of larger arrays whose slots are compared.
const SAMPLED_ELEMENTS: i64 = 1 << 8;

/// Whether a reshape moves no element. Exact without tiles, and for arrays of up to [`MAX_COMPARED_ELEMENTS`]; larger
/// tiled arrays are compared at [`SAMPLED_ELEMENTS`] evenly distributed elements and one step along every dimension.
pub(super) fn reshape_is_free(input: &ArrayShape, output: &ArrayShape) -> bool {
    let (Ok(from), Ok(to)) = (MemoryMap::new(input), MemoryMap::new(output)) else { return false };
    if from.elements() != to.elements() || from.bits_per_slot() != to.bits_per_slot() {
        return false;
    }
    if !from.is_tiled() && !to.is_tiled() {
        let [input, output] = [input, output].map(with_layout);
        return reshape_is_bitcast(&input, &output, ElementTypes::Ignore, Edition::Current) == Some(true);
    }
    if from.slot_count() != to.slot_count() {
        return false;
    }
    if from.elements() <= MAX_COMPARED_ELEMENTS {
        return keeps_every_slot(input, output) == Some(true);
    }
    let same_row_major_index = |index: &[i64], out: &mut Dims| {
        write_multi_index(row_major_index(index, from.sizes()), to.sizes(), out);
    };
    let same_row_major_index_back = |index: &[i64], out: &mut Dims| {
        write_multi_index(row_major_index(index, to.sizes()), from.sizes(), out);
    };
    have_same_slots(&from, &to, same_row_major_index)
        && have_same_slots(&to, &from, same_row_major_index_back)
}

/// Whether the transpose whose output dimension i is input dimension `map[i]` moves no element.
pub(super) fn transpose_is_free(input: &ArrayShape, output: &ArrayShape, map: &[i64]) -> bool {
    let (Ok(from), Ok(to)) = (MemoryMap::new(input), MemoryMap::new(output)) else { return false };
    let Some(map) = checked_permutation(map).filter(|map| map.len() == from.rank()) else { return false };
    let sizes_agree =
        to.rank() == map.len() && map.iter().zip(to.sizes()).all(|(d, size)| from.sizes()[*d] == *size);
    if !sizes_agree || from.bits_per_slot() != to.bits_per_slot() || from.slot_count() != to.slot_count() {
        return false;
    }
    if let (Some(from_strides), Some(to_strides)) = (from.strides(), to.strides()) {
        // Indices of a dimension of size 1 are always 0.
        return map
            .iter()
            .zip(&to_strides)
            .zip(to.sizes())
            .all(|((d, stride), size)| *size <= 1 || from.elements() == 0 || from_strides[*d] == *stride);
    }
    have_same_slots(&to, &from, |index, out| {
        for (d, value) in map.iter().zip(index) {
            out[*d] = *value;
        }
    })
}

/// The array with its layout, which is the default one if none is written.
pub(super) fn with_layout(array: &ArrayShape) -> ArrayShape {
    if array.layout.is_some() {
        array.clone()
    } else {
        array.clone().with_layout(xla_array::Layout::descending(array.rank()))
    }
}

/// Whether sampled elements of `from` have the same slot in `to`, where `index_in` writes their index.
fn have_same_slots(from: &MemoryMap, to: &MemoryMap, index_in: impl Fn(&[i64], &mut Dims)) -> bool {
    let count = from.elements();
    let mut other = Dims::from_elem(0, to.rank());
    let mut is_same = |index: &[i64]| {
        index_in(index, &mut other);
        from.slot(index) == to.slot(&other)
    };
    // Steps along each dimension to the next element, beyond a tile of 8, 16 or 128, and to the last one.
    for (d, size) in from.sizes().iter().enumerate() {
        let mut index = Dims::from_elem(0, from.rank());
        for step in [1, 2, 4, 8, 16, 128, size - 1].into_iter().filter(|step| step < size) {
            index[d] = step;
            if !is_same(&index) {
                return false;
            }
        }
    }
    let stride = (count / SAMPLED_ELEMENTS).max(1) | 1;
    let samples = (0..count.min(SAMPLED_ELEMENTS)).map(|i| i.wrapping_mul(stride).rem_euclid(count));
    samples
        .chain(count.checked_sub(1).filter(|last| *last >= 0))
        .all(|linear| is_same(&multi_index(linear, from.sizes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_array::ElementType::F32;
    use xla_array::Layout;

    fn tiled(sizes: &[i64], order: &[i64]) -> ArrayShape {
        let layout = Layout::new(order.iter().copied()).tiled([8, 128]);
        ArrayShape::new(F32, sizes.iter().copied()).with_layout(layout)
    }

    #[test]
    fn transposes_are_free_if_the_layout_is_transposed_too() {
        let array =
            |sizes: [i64; 2], order: [i64; 2]| ArrayShape::new(F32, sizes).with_layout(Layout::new(order));
        assert!(transpose_is_free(&array([3, 5], [1, 0]), &array([5, 3], [0, 1]), &[1, 0]));
        assert!(!transpose_is_free(&array([3, 5], [1, 0]), &array([5, 3], [1, 0]), &[1, 0]));
        // A dimension of size 1 has no order.
        assert!(transpose_is_free(&array([1, 5], [1, 0]), &array([5, 1], [1, 0]), &[1, 0]));
        assert!(transpose_is_free(&tiled(&[300, 500], &[1, 0]), &tiled(&[500, 300], &[0, 1]), &[1, 0]));
        assert!(!transpose_is_free(&tiled(&[300, 500], &[1, 0]), &tiled(&[500, 300], &[1, 0]), &[1, 0]));
    }

    #[test]
    fn reshapes_of_tiled_arrays_are_compared_by_slot() {
        // Merging dimensions above the tile keeps every slot; merging into the tile does not.
        assert!(reshape_is_free(&tiled(&[4, 16, 256], &[2, 1, 0]), &tiled(&[64, 256], &[1, 0])));
        assert!(!reshape_is_free(&tiled(&[4, 16, 256], &[2, 1, 0]), &tiled(&[4, 4096], &[1, 0])));
        assert!(!reshape_is_free(&tiled(&[4, 12, 256], &[2, 1, 0]), &tiled(&[48, 256], &[1, 0])));
        assert!(!reshape_is_free(&tiled(&[4, 12, 8], &[2, 1, 0]), &tiled(&[48, 8], &[1, 0])));
        assert!(reshape_is_free(&tiled(&[4, 8, 8], &[2, 1, 0]), &tiled(&[32, 8], &[1, 0])));
    }
}
