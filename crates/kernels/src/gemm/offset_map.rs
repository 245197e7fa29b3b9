//! Several dimensions iterated as one: maps a linear (row-major) index over them to an offset in memory.
//!
//! An operand of a product has two maps, of its free and of its contracting dimensions: the element of free index `i` at depth
//! `k` is at slot `offset + free.offset(i) + depth.offset(k)`. Every operand of a dot has this form, whatever its layout, and
//! so does the input of a convolution.

/// A dimension of an [`OffsetMap`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OffsetDim {
    /// Its size, and its stride in elements.
    Strided(usize, isize),
    /// The offset of each index, in elements.
    Table(Vec<isize>),
}

impl OffsetDim {
    /// A dimension with these offsets.
    pub fn from_table(table: Vec<isize>) -> Self {
        // One entry has any stride.
        let stride = table.get(1).map_or(0, |second| second - table[0]);
        let is_strided = table.windows(2).all(|pair| pair[1] - pair[0] == stride);
        if is_strided && table.first() == Some(&0) {
            Self::Strided(table.len(), stride)
        } else {
            Self::Table(table)
        }
    }

    /// The number of indices.
    pub fn size(&self) -> usize {
        match self {
            Self::Strided(size, _) => *size,
            Self::Table(offsets) => offsets.len(),
        }
    }

    /// The offset of an index; 0 beyond the last.
    pub fn offset(&self, index: usize) -> isize {
        match self {
            Self::Strided(_, stride) => index.cast_signed() * stride,
            Self::Table(offsets) => offsets.get(index).copied().unwrap_or(0),
        }
    }
}

/// Dimensions in row-major order, collapsed where they are contiguous.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetMap {
    dims: Vec<OffsetDim>,
}

impl OffsetMap {
    /// The map of dimensions with these sizes and strides, major to minor.
    pub fn new(dimensions: impl IntoIterator<Item = (usize, isize)>) -> Self {
        let mut map = Self::default();
        for (size, stride) in dimensions {
            map.push(OffsetDim::Strided(size, stride));
        }
        map
    }

    /// Adds a dimension that is minor to the others.
    pub fn push(&mut self, dim: OffsetDim) {
        if dim.size() == 1 && dim.offset(0) == 0 {
            return;
        }
        match (self.dims.last_mut(), &dim) {
            (Some(OffsetDim::Strided(size, stride)), OffsetDim::Strided(minor_size, minor_stride))
                if *stride == minor_size.cast_signed().saturating_mul(*minor_stride) =>
            {
                *size *= minor_size;
                *stride = *minor_stride;
            }
            _ => self.dims.push(dim),
        }
    }

    /// The number of indices.
    pub fn len(&self) -> usize {
        self.dims.iter().map(OffsetDim::size).product()
    }

    /// The stride of the linear index, if it has one.
    pub fn stride(&self) -> Option<isize> {
        match self.dims.as_slice() {
            [] => Some(1),
            [OffsetDim::Strided(_, stride)] => Some(*stride),
            _ => None,
        }
    }

    /// The stride of the minor dimension; 0 if it has none, 1 for a map of one index.
    pub fn minor_stride(&self) -> isize {
        match self.dims.last() {
            Some(OffsetDim::Strided(_, stride)) => *stride,
            Some(OffsetDim::Table(_)) => 0,
            None => 1,
        }
    }

    /// The offset of an index.
    pub fn offset(&self, index: usize) -> isize {
        let (mut index, mut offset) = (index, 0);
        for dim in self.dims.iter().rev() {
            let size = dim.size().max(1);
            offset += dim.offset(index % size);
            index /= size;
        }
        offset
    }

    /// Fills `to` with `offset` plus the offset of each index from `from` on; beyond the last index its offset is repeated.
    pub fn fill(&self, from: usize, offset: isize, to: &mut [isize]) {
        let (mut from, mut done) = (from, 0);
        let end = self.len();
        let size = self.dims.last().map_or(1, OffsetDim::size).max(1);
        while done < to.len() && from < end {
            let count = (size - from % size).min(to.len() - done);
            let base = offset + self.offset(from);
            let elements = &mut to[done..done + count];
            match self.dims.last() {
                Some(OffsetDim::Table(table)) => {
                    let remaining = &table[from % size..];
                    elements.iter_mut().zip(remaining).for_each(|(to, at)| *to = base - remaining[0] + at);
                }
                Some(OffsetDim::Strided(_, stride)) => {
                    let mut at = base;
                    for to in elements {
                        *to = at;
                        at += stride;
                    }
                }
                None => elements.fill(base),
            }
            (from, done) = (from + count, done + count);
        }
        if done < to.len() {
            let last = done.checked_sub(1).map_or(offset, |last| to[last]);
            to[done..].fill(last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_in_row_major_order() {
        let mut map = OffsetMap::new([(2, 12), (3, 4), (4, 1)]);
        assert_eq!((map.len(), map.stride()), (24, Some(1)));
        map.push(OffsetDim::Table(vec![0, 100, 7]));
        let all: Vec<isize> = (0..72).map(|i| map.offset(i)).collect();
        assert_eq!(all[..7], [0, 100, 7, 1, 101, 8, 2]);
        for from in 0..72 {
            let mut filled = [0; 11];
            map.fill(from, 5, &mut filled);
            for (i, at) in filled.iter().enumerate() {
                assert_eq!(*at, all[(from + i).min(71)] + 5);
            }
        }
        let mut scalar = [0; 3];
        OffsetMap::default().fill(0, 9, &mut scalar);
        assert_eq!((scalar, OffsetMap::default().len()), ([9; 3], 1));
    }
}
