//! Indices of arrays: iteration in any order of dimensions, linear indices, strides and offsets.
//!
//! Every loop over the elements of an array, over a window or over contracted dimensions is an [`Indices`], the only
//! odometer. [`super::index_util`] has XLA's own utilities, [`super::memory`] the slots of any layout.

use smallvec::SmallVec;

use super::{Dims, permutation};
use xla_messages::bug::OrBug as _;

/// Dimensions up to which lists of axes are not on the heap.
const INLINE_RANK: usize = 6;

/// A dimension that an iteration varies: `start`, `start + step`, … below `end`.
#[derive(Clone, Copy, Debug)]
struct Axis {
    dimension: usize,
    start: i64,
    end: i64,
    step: i64,
}

/// An iteration over indices. [`advance`](Self::advance) lends one index at a time; no heap allocation up to rank 6.
///
/// ```
/// # use xla_array::index::Indices;
/// let mut seen = Vec::new();
/// let mut indices = Indices::row_major(&[2, 2]);
/// while let Some(index) = indices.advance() {
///     seen.push([index[0], index[1]]);
/// }
/// assert_eq!(seen, [[0, 0], [0, 1], [1, 0], [1, 1]]);
/// ```
#[derive(Clone, Debug)]
pub struct Indices {
    /// From the slowest dimension to the fastest.
    axes: SmallVec<[Axis; INLINE_RANK]>,
    index: Dims,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    NotStarted,
    AtIndex,
    Finished,
}

impl Indices {
    fn from_axes(index: Dims, axes: SmallVec<[Axis; INLINE_RANK]>) -> Self {
        let is_empty = axes.iter().any(|axis| axis.start >= axis.end);
        Self { axes, index, state: if is_empty { State::Finished } else { State::NotStarted } }
    }

    /// Every index of an array of these sizes, the last dimension fastest. Rank 0 yields one empty index, a size of 0
    /// none.
    pub fn row_major(sizes: &[i64]) -> Self {
        let axis = |(dimension, size): (usize, &i64)| Axis { dimension, start: 0, end: *size, step: 1 };
        Self::from_axes(Dims::from_elem(0, sizes.len()), sizes.iter().enumerate().map(axis).collect())
    }

    /// Sweeps `dimensions` over their sizes with all others fixed as in `base`; the last one named is the fastest. A
    /// dimension that `base` or `sizes` does not have is ignored.
    pub fn along(base: &[i64], sizes: &[i64], dimensions: impl IntoIterator<Item = usize>) -> Self {
        let mut index = Dims::from_slice(base);
        let mut axes = SmallVec::new();
        for dimension in dimensions {
            if let (Some(coordinate), Some(size)) = (index.get_mut(dimension), sizes.get(dimension)) {
                *coordinate = 0;
                axes.push(Axis { dimension, start: 0, end: *size, step: 1 });
            }
        }
        Self::from_axes(index, axes)
    }

    /// Every index of an array of these sizes in memory order: the first dimension of `minor_to_major` is the fastest.
    /// `None` if `minor_to_major` is not a permutation of the dimensions.
    pub fn layout_order(sizes: &[i64], minor_to_major: &[i64]) -> Option<Self> {
        let (starts, steps) = (Dims::from_elem(0, sizes.len()), Dims::from_elem(1, sizes.len()));
        Self::strided(&starts, sizes, &steps, minor_to_major)
    }

    /// Dimension `d` takes `starts[d]`, then every `steps[d]`-th up to but not including `ends[d]`; the first dimension
    /// of `minor_to_major` is the fastest. `None` if `minor_to_major` is not a permutation of the dimensions, the lists
    /// differ in length, or a step is below 1.
    pub fn strided(starts: &[i64], ends: &[i64], steps: &[i64], minor_to_major: &[i64]) -> Option<Self> {
        let rank = starts.len();
        let order = permutation::checked_permutation(minor_to_major).filter(|order| order.len() == rank)?;
        if ends.len() != rank || steps.len() != rank || steps.iter().any(|step| *step < 1) {
            return None;
        }
        let axis = |&d: &usize| Axis { dimension: d, start: starts[d], end: ends[d], step: steps[d] };
        Some(Self::from_axes(Dims::from_slice(starts), order.iter().rev().map(axis).collect()))
    }

    /// Moves to the next index, at the first call to the first. Once it has returned `None` it always does.
    pub fn advance(&mut self) -> Option<&[i64]> {
        let has_next = match self.state {
            State::NotStarted => true,
            State::AtIndex => self.increment(),
            State::Finished => false,
        };
        self.state = if has_next { State::AtIndex } else { State::Finished };
        self.current()
    }

    /// The index of the last [`advance`](Self::advance); `None` before the first call and after the end.
    pub fn current(&self) -> Option<&[i64]> {
        (self.state == State::AtIndex).then_some(&self.index[..])
    }

    /// Increments the index; false after the last one.
    fn increment(&mut self) -> bool {
        for Axis { dimension, start, end, step } in self.axes.iter().rev() {
            let coordinate = &mut self.index[*dimension];
            if let Some(next) = coordinate.checked_add(*step).filter(|next| next < end) {
                *coordinate = next;
                return true;
            }
            *coordinate = *start;
        }
        false
    }
}

/// Visits every combination of one item of each list, the last list's items fastest, until `visit` returns false.
/// With no lists, visits one empty combination.
pub fn for_each_combination<T: Copy, L: AsRef<[T]>>(lists: &[L], mut visit: impl FnMut(&[T]) -> bool) {
    let lengths: Dims = lists
        .iter()
        .map(|list| i64::try_from(list.as_ref().len()).or_bug(0, "a length exceeds i64"))
        .collect();
    let mut indices = Indices::row_major(&lengths);
    let mut items = SmallVec::<[T; INLINE_RANK]>::new();
    while let Some(index) = indices.advance() {
        items.clear();
        items.extend(lists.iter().zip(index).filter_map(|(list, position)| {
            usize::try_from(*position).ok().and_then(|position| list.as_ref().get(position)).copied()
        }));
        if !visit(&items) {
            return;
        }
    }
}

/// The row-major index of `index` in an array of these sizes.
pub fn row_major_index(index: &[i64], sizes: &[i64]) -> i64 {
    index.iter().zip(sizes).fold(0, |linear, (coordinate, size)| linear * size + coordinate)
}

/// The index with this row-major index. A size of 0 counts as 1, so that it does not divide by zero.
///
/// ```
/// # use xla_array::index::{multi_index, row_major_index};
/// assert_eq!((row_major_index(&[1, 2], &[2, 3]), &multi_index(5, &[2, 3])[..]), (5, &[1, 2][..]));
/// ```
pub fn multi_index(linear: i64, sizes: &[i64]) -> Dims {
    let mut index = Dims::from_elem(0, sizes.len());
    write_multi_index(linear, sizes, &mut index);
    index
}

/// Like [`multi_index`], written to the first entries of `index`.
pub fn write_multi_index(mut linear: i64, sizes: &[i64], index: &mut [i64]) {
    for (coordinate, size) in index[..sizes.len()].iter_mut().zip(sizes).rev() {
        (linear, *coordinate) = div_rem(linear, (*size).max(1));
    }
}

/// Row-major strides, in elements, of an array of these sizes. A size of 0 counts as 1; strides saturate at `i64::MAX`.
pub fn row_major_strides(sizes: &[i64]) -> Dims {
    let mut strides = Dims::from_elem(1, sizes.len());
    for d in (0..sizes.len().saturating_sub(1)).rev() {
        strides[d] = strides[d + 1].saturating_mul(sizes[d + 1].max(1));
    }
    strides
}

/// The offset of an index: the sum of its coordinates times the strides.
pub fn offset_of(index: &[i64], strides: &[i64]) -> i64 {
    index.iter().zip(strides).map(|(coordinate, stride)| coordinate * stride).sum()
}

/// Quotient and remainder of a non-negative number by a positive one. Nearly all sizes fit 32 bits, for which division
/// is several times faster.
pub(crate) fn div_rem(a: i64, b: i64) -> (i64, i64) {
    match (u32::try_from(a), u32::try_from(b)) {
        (Ok(a), Ok(b)) => (i64::from(a / b), i64::from(a % b)),
        _ => (a / b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut indices: Indices) -> Vec<Vec<i64>> {
        let mut all = Vec::new();
        while let Some(index) = indices.advance() {
            all.push(index.to_vec());
        }
        assert!(indices.advance().is_none() && indices.current().is_none());
        all
    }

    #[test]
    fn rank_0_has_one_index_and_a_size_of_0_has_none() {
        assert_eq!(all(Indices::row_major(&[])), [Vec::<i64>::new()]);
        for sizes in [&[0][..], &[3, 0], &[0, 3]] {
            assert!(all(Indices::row_major(sizes)).is_empty(), "{sizes:?}");
        }
        assert!(Indices::row_major(&[2]).current().is_none());
    }

    #[test]
    fn only_the_named_dimensions_vary() {
        assert_eq!(all(Indices::along(&[5, 9, 7], &[8, 2, 8], [1])), [[5, 0, 7], [5, 1, 7]]);
        let transposed = [[0, 0], [1, 0], [0, 1], [1, 1]];
        assert_eq!(all(Indices::along(&[0, 0], &[2, 2], [1, 0])), transposed);
        assert_eq!(all(Indices::along(&[5], &[8], [])), [[5]]);
        assert!(all(Indices::along(&[5, 5], &[0, 0], [1])).is_empty());
    }

    #[test]
    fn the_first_dimension_of_a_layout_is_the_fastest() {
        let column_major = Indices::layout_order(&[2, 2], &[0, 1]).unwrap();
        assert_eq!(all(column_major), [[0, 0], [1, 0], [0, 1], [1, 1]]);
        assert!(Indices::layout_order(&[2, 2], &[0, 0]).is_none());
        assert!(Indices::layout_order(&[2, 2], &[0]).is_none());
    }

    #[test]
    fn strided_indices_include_the_start_and_exclude_the_end() {
        let strided = |starts: &[i64], ends: &[i64], steps: &[i64]| {
            Indices::strided(starts, ends, steps, &[1, 0]).map(all)
        };
        assert_eq!(strided(&[1, -1], &[5, 2], &[3, 2]).unwrap(), [[1, -1], [1, 1], [4, -1], [4, 1]]);
        assert_eq!(strided(&[1, 2], &[5, 2], &[1, 1]).unwrap(), Vec::<Vec<i64>>::new());
        assert_eq!(strided(&[0, 0], &[1, 1], &[1, i64::MAX]).unwrap(), [[0, 0]]);
        assert!(strided(&[0, 0], &[1, 1], &[0, 1]).is_none());
        assert!(strided(&[0, 0], &[1], &[1, 1]).is_none());
    }

    #[test]
    fn combinations_take_one_item_from_each_list() {
        let visited = |lists: &[Vec<char>], count: usize| {
            let mut seen = Vec::new();
            for_each_combination(lists, |items| {
                seen.push(items.iter().collect::<String>());
                seen.len() < count
            });
            seen
        };
        let lists = [vec!['a', 'b'], vec!['x'], vec!['0', '1']];
        assert_eq!(visited(&lists, 9), ["ax0", "ax1", "bx0", "bx1"]);
        assert_eq!(visited(&lists, 2), ["ax0", "ax1"]);
        assert_eq!(visited(&[], 9), [""]);
        assert!(visited(&[vec!['a'], vec![]], 9).is_empty());
    }

    #[test]
    fn a_size_of_0_counts_as_1_in_strides_and_linear_indices() {
        assert_eq!(row_major_strides(&[2, 0, 3])[..], [3, 3, 1]);
        assert_eq!(row_major_strides(&[1, i64::MAX, 2])[..], [i64::MAX, 2, 1]);
        assert_eq!((row_major_index(&[], &[]), multi_index(0, &[]).len(), offset_of(&[], &[])), (0, 0, 0));
        assert_eq!(multi_index(0, &[0, 2])[..], [0, 0]);
    }
}
