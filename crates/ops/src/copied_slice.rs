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
    /// The slice in an operand of sizes `bounds`, from the index of the source cell: its parts, each with its first and last index.
    /// A slice that wraps around has several, the one with its first cell first.
    pub fn parts(&self, source: &[i64], bounds: &[i64]) -> Vec<[Dims; 2]> {
        let mut parts = vec![[Dims::new(), Dims::new()]];
        for (((at, offset), size), bound) in source.iter().zip(&self.offset).zip(&self.sizes).zip(bounds) {
            let start = (at - offset).rem_euclid((*bound).max(1));
            let end = start + size.min(bound);
            let wrapped = (end > *bound).then(|| (0, end - bound - 1));
            let ranges = [Some((start, end.min(*bound) - 1)), wrapped];
            let extended = |[first, last]: &[Dims; 2]| {
                let with = |corner: &Dims, at: i64| corner.iter().copied().chain([at]).collect();
                let both = |(low, high): (i64, i64)| [with(first, low), with(last, high)];
                ranges.into_iter().flatten().map(both).collect::<Vec<_>>()
            };
            parts = parts.iter().flat_map(extended).collect();
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_found_around_its_source_cell() {
        let slice =
            CopiedSlice { operand: 0, offset: Dims::from_slice(&[0, 2]), sizes: Dims::from_slice(&[1, 3]) };
        let parts = |slice: &CopiedSlice, source: &[i64], bounds: &[i64]| -> Vec<_> {
            slice.parts(source, bounds).into_iter().map(|corners| corners.map(Dims::into_vec)).collect()
        };
        assert_eq!(parts(&slice, &[4, 5], &[8, 8]), [[[4, 3], [4, 5]]]);
        // Column 7, 0 and 1, from any of its cells.
        let wrapped = [[[4, 7], [4, 7]], [[4, 0], [4, 1]]];
        assert_eq!(parts(&slice, &[4, 1], &[8, 8]), wrapped);
        let before = CopiedSlice { offset: Dims::from_slice(&[0, 0]), ..slice };
        assert_eq!(parts(&before, &[4, 7], &[8, 8]), wrapped);
        // Around both ends: four corners.
        let both =
            CopiedSlice { operand: 0, offset: Dims::from_slice(&[0, 0]), sizes: Dims::from_slice(&[2, 2]) };
        let expected = [[[2, 3], [2, 3]], [[2, 0], [2, 0]], [[0, 3], [0, 3]], [[0, 0], [0, 0]]];
        assert_eq!(parts(&both, &[2, 3], &[3, 4]), expected);
        let scalar = CopiedSlice { operand: 0, offset: Dims::new(), sizes: Dims::new() };
        assert_eq!(parts(&scalar, &[], &[]), [[Vec::new(), Vec::new()]]);
    }
}
