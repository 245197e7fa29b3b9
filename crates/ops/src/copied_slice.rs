//! The slice that an op copies an output cell from, for pictures: they frame it in the operand.
//!
//! An op with such slices returns them from [`OpDef::copied_slice`](super::OpDef::copied_slice). The start of a slice is a value,
//! so that the op only knows where in the slice the cell is; a picture finds the slice around the source cell of a run.

use xla_array::Dims;

/// The slice that contains the source of an output cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedSlice {
    /// The index of the operand that is sliced.
    pub operand: usize,
    /// The index of the source cell within the slice.
    pub offset: Dims,
    /// The sizes of the slice, none of them 0.
    pub sizes: Dims,
}

impl CopiedSlice {
    /// The first and the last index of the slice in an operand of sizes `bounds`, from the index of the source cell. Of a slice
    /// that wraps around, it is the part with the source cell.
    pub fn corners(&self, source: &[i64], bounds: &[i64]) -> [Dims; 2] {
        let starts = || source.iter().zip(&self.offset).map(|(x, offset)| x - offset);
        let ends = starts().zip(&self.sizes).zip(bounds);
        let last = ends.map(|((start, size), bound)| (start + size).min(*bound) - 1).collect();
        [starts().map(|start| start.max(0)).collect(), last]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_found_around_its_source_cell() {
        let slice =
            CopiedSlice { operand: 0, offset: Dims::from_slice(&[0, 2]), sizes: Dims::from_slice(&[1, 3]) };
        assert_eq!(slice.corners(&[4, 5], &[8, 8]).map(Dims::into_vec), [[4, 3], [4, 5]]);
        // Column 7, 0 and 1.
        assert_eq!(slice.corners(&[4, 1], &[8, 8]).map(Dims::into_vec), [[4, 0], [4, 1]]);
        let before = CopiedSlice { offset: Dims::from_slice(&[0, 0]), ..slice };
        assert_eq!(before.corners(&[4, 7], &[8, 8]).map(Dims::into_vec), [[4, 7], [4, 7]]);
    }
}
