//! Groups of dimensions that are iterated as one: maps a row-major index over several dimensions to an offset in memory.
//!
//! An operand of a product is two groups, its lines and its depth: the cell of line `i` at depth `k` is at slot
//! `offset + outer.at(i) + depth.at(k)`. Every operand of a dot has this form, whatever its layout, and so does the input of a
//! convolution.

/// A dimension of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axis {
    /// A size and a stride, in cells.
    Steps(usize, isize),
    /// The offset of each index, in cells.
    Table(Vec<isize>),
}

impl Axis {
    /// A dimension with these offsets.
    pub fn of(table: Vec<isize>) -> Self {
        // A table of one entry fits any step.
        let step = table.get(1).map_or(0, |second| second - table[0]);
        let is_even = table.windows(2).all(|two| two[1] - two[0] == step);
        if is_even && table.first() == Some(&0) { Self::Steps(table.len(), step) } else { Self::Table(table) }
    }

    /// The number of indices.
    pub fn size(&self) -> usize {
        match self {
            Self::Steps(size, _) => *size,
            Self::Table(all) => all.len(),
        }
    }

    /// The offset of an index; 0 beyond the last.
    pub fn at(&self, index: usize) -> isize {
        match self {
            Self::Steps(_, stride) => index.cast_signed() * stride,
            Self::Table(all) => all.get(index).copied().unwrap_or(0),
        }
    }
}

/// Dimensions in row-major order, collapsed where they are contiguous.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    axes: Vec<Axis>,
}

impl Group {
    /// A group of these sizes and strides.
    pub fn of(dimensions: impl IntoIterator<Item = (usize, isize)>) -> Self {
        let mut group = Self::default();
        for (size, stride) in dimensions {
            group.push(Axis::Steps(size, stride));
        }
        group
    }

    /// Adds a dimension that is minor to the others.
    pub fn push(&mut self, axis: Axis) {
        if axis.size() == 1 && axis.at(0) == 0 {
            return;
        }
        match (self.axes.last_mut(), &axis) {
            (Some(Axis::Steps(size, stride)), Axis::Steps(more, inner))
                if *stride == more.cast_signed().saturating_mul(*inner) =>
            {
                *size *= more;
                *stride = *inner;
            }
            _ => self.axes.push(axis),
        }
    }

    /// The number of indices.
    pub fn len(&self) -> usize {
        self.axes.iter().map(Axis::size).product()
    }

    /// The stride, where the whole group has one.
    pub fn stride(&self) -> Option<isize> {
        match self.axes.as_slice() {
            [] => Some(1),
            [Axis::Steps(_, stride)] => Some(*stride),
            _ => None,
        }
    }

    /// The stride of the minor dimension; 0 where it has none, 1 for a group of one index.
    pub fn minor(&self) -> isize {
        match self.axes.last() {
            Some(Axis::Steps(_, stride)) => *stride,
            Some(Axis::Table(_)) => 0,
            None => 1,
        }
    }

    /// The offset of an index.
    pub fn at(&self, index: usize) -> isize {
        let (mut index, mut all) = (index, 0);
        for axis in self.axes.iter().rev() {
            let size = axis.size().max(1);
            all += axis.at(index % size);
            index /= size;
        }
        all
    }

    /// Fills `to` with `offset` plus the offset of each index from `from` on; indices beyond the last repeat it.
    pub fn fill(&self, from: usize, offset: isize, to: &mut [isize]) {
        let (mut from, mut done) = (from, 0);
        let end = self.len();
        let size = self.axes.last().map_or(1, Axis::size).max(1);
        while done < to.len() && from < end {
            let count = (size - from % size).min(to.len() - done);
            let base = offset + self.at(from);
            let cells = &mut to[done..done + count];
            match self.axes.last() {
                Some(Axis::Table(all)) => {
                    let first = all[from % size];
                    let own = &all[from % size..];
                    cells.iter_mut().zip(own).for_each(|(to, at)| *to = base - first + at);
                }
                Some(Axis::Steps(_, stride)) => {
                    let mut at = base;
                    for to in cells {
                        *to = at;
                        at += stride;
                    }
                }
                None => cells.fill(base),
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
    fn distances_run_in_row_major_order() {
        let mut group = Group::of([(2, 12), (3, 4), (4, 1)]);
        assert_eq!((group.len(), group.stride()), (24, Some(1)));
        group.push(Axis::Table(vec![0, 100, 7]));
        let all: Vec<isize> = (0..72).map(|i| group.at(i)).collect();
        assert_eq!(all[..7], [0, 100, 7, 1, 101, 8, 2]);
        for from in 0..72 {
            let mut some = [0; 11];
            group.fill(from, 5, &mut some);
            for (i, at) in some.iter().enumerate() {
                assert_eq!(*at, all[(from + i).min(71)] + 5);
            }
        }
        let mut scalar = [0; 3];
        Group::default().fill(0, 9, &mut scalar);
        assert_eq!((scalar, Group::default().len()), ([9; 3], 1));
    }
}
