//! Indices of arrays: iteration in any order of dimensions, row-major numbers, strides and offsets.
//!
//! Every loop over the cells of an array, over a window or over contracted dimensions is an [`Indices`]: the odometer
//! exists once, here. [`super::index_util`] has XLA's own utilities, [`super::memory`] the slots of any layout.

use smallvec::SmallVec;

use super::{Dims, permutation};

/// A dimension that an iteration varies: `start`, `start + step`, … below `end`.
#[derive(Clone, Copy, Debug)]
struct Axis {
    dimension: usize,
    start: i64,
    end: i64,
    step: i64,
}

/// An iteration over indices. Each call of [`advance`](Self::advance) lends the next one; nothing is allocated up to
/// rank 6.
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
    axes: SmallVec<[Axis; 6]>,
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
    fn over(index: Dims, axes: SmallVec<[Axis; 6]>) -> Self {
        let is_empty = axes.iter().any(|axis| axis.start >= axis.end);
        Self { axes, index, state: if is_empty { State::Finished } else { State::NotStarted } }
    }

    /// Every index of an array of these sizes, the last dimension fastest. One, of nothing, at rank 0; none where a
    /// size is 0.
    pub fn row_major(sizes: &[i64]) -> Self {
        let axis = |(dimension, size): (usize, &i64)| Axis { dimension, start: 0, end: *size, step: 1 };
        Self::over(Dims::from_elem(0, sizes.len()), sizes.iter().enumerate().map(axis).collect())
    }

    /// The indices that equal `at` but for `dimensions`, each of which takes all of its size, the last one named
    /// fastest. A dimension that `at` or `sizes` does not have is left out.
    pub fn along(at: &[i64], sizes: &[i64], dimensions: impl IntoIterator<Item = usize>) -> Self {
        let mut index = Dims::from_slice(at);
        let mut axes = SmallVec::new();
        for dimension in dimensions {
            if let (Some(entry), Some(size)) = (index.get_mut(dimension), sizes.get(dimension)) {
                *entry = 0;
                axes.push(Axis { dimension, start: 0, end: *size, step: 1 });
            }
        }
        Self::over(index, axes)
    }

    /// Every index of an array of these sizes, in the order of memory: the first dimension of `minor_to_major` fastest.
    /// `None` where that is no permutation of the dimensions.
    pub fn layout_order(sizes: &[i64], minor_to_major: &[i64]) -> Option<Self> {
        let (starts, steps) = (Dims::from_elem(0, sizes.len()), Dims::from_elem(1, sizes.len()));
        Self::strided(&starts, sizes, &steps, minor_to_major)
    }

    /// Dimension `d` takes `starts[d]`, then every `steps[d]`-th up to but not including `ends[d]`; the first dimension
    /// of `minor_to_major` is the fastest. `None` where that is no permutation of the dimensions, lists differ in
    /// length, or a step is below 1.
    pub fn strided(starts: &[i64], ends: &[i64], steps: &[i64], minor_to_major: &[i64]) -> Option<Self> {
        let rank = starts.len();
        let order = permutation::positions(minor_to_major).filter(|order| order.len() == rank)?;
        if ends.len() != rank || steps.len() != rank || steps.iter().any(|step| *step < 1) {
            return None;
        }
        let axis = |&d: &usize| Axis { dimension: d, start: starts[d], end: ends[d], step: steps[d] };
        Some(Self::over(Dims::from_slice(starts), order.iter().rev().map(axis).collect()))
    }

    /// Moves to the next index, which is the first at the first call. `None` after the last, from then on.
    pub fn advance(&mut self) -> Option<&[i64]> {
        let has_next = match self.state {
            State::NotStarted => true,
            State::AtIndex => self.carry(),
            State::Finished => false,
        };
        self.state = if has_next { State::AtIndex } else { State::Finished };
        self.current()
    }

    /// The index of the last [`advance`](Self::advance); `None` before the first call and after the end.
    pub fn current(&self) -> Option<&[i64]> {
        (self.state == State::AtIndex).then_some(&self.index[..])
    }

    /// Whether there was a next index.
    fn carry(&mut self) -> bool {
        for Axis { dimension, start, end, step } in self.axes.iter().rev() {
            let entry = &mut self.index[*dimension];
            if let Some(next) = entry.checked_add(*step).filter(|next| next < end) {
                *entry = next;
                return true;
            }
            *entry = *start;
        }
        false
    }
}

/// Visits every combination of one item of each list, the last list's items fastest, as long as `visit` returns true.
/// One combination, of nothing, where there are no lists.
pub fn for_each_combination<T: Copy, L: AsRef<[T]>>(lists: &[L], mut visit: impl FnMut(&[T]) -> bool) {
    let sizes: Dims =
        lists.iter().map(|list| i64::try_from(list.as_ref().len()).unwrap_or(i64::MAX)).collect();
    let mut places = Indices::row_major(&sizes);
    let mut items = SmallVec::<[T; 6]>::new();
    while let Some(place) = places.advance() {
        items.clear();
        items.extend(lists.iter().zip(place).filter_map(|(list, at)| {
            usize::try_from(*at).ok().and_then(|at| list.as_ref().get(at)).copied()
        }));
        if !visit(&items) {
            return;
        }
    }
}

/// The row-major number of the element `index` in an array of these sizes.
pub fn number_of(index: &[i64], sizes: &[i64]) -> i64 {
    index.iter().zip(sizes).fold(0, |number, (entry, size)| number * size + entry)
}

/// The index of the element of this row-major number. A size of 0 counts as 1: such an array has no elements.
///
/// ```
/// # use xla_array::index::{index_of, number_of};
/// assert_eq!((number_of(&[1, 2], &[2, 3]), &index_of(5, &[2, 3])[..]), (5, &[1, 2][..]));
/// ```
pub fn index_of(number: i64, sizes: &[i64]) -> Dims {
    let mut index = Dims::from_elem(0, sizes.len());
    write_index_of(number, sizes, &mut index);
    index
}

/// [`index_of`], written to the first entries of `index`.
pub fn write_index_of(mut number: i64, sizes: &[i64], index: &mut [i64]) {
    for (entry, size) in index[..sizes.len()].iter_mut().zip(sizes).rev() {
        (number, *entry) = div_rem(number, (*size).max(1));
    }
}

/// The offset of the next index of each dimension of a row-major array of these sizes; a size of 0 counts as 1, and what
/// exceeds an `i64` saturates.
pub fn row_major_strides(sizes: &[i64]) -> Dims {
    let mut strides = Dims::from_elem(1, sizes.len());
    for d in (0..sizes.len().saturating_sub(1)).rev() {
        strides[d] = strides[d + 1].saturating_mul(sizes[d + 1].max(1));
    }
    strides
}

/// The offset of an index: the sum of its entries times the strides.
pub fn offset_of(index: &[i64], strides: &[i64]) -> i64 {
    index.iter().zip(strides).map(|(entry, stride)| entry * stride).sum()
}

/// Quotient and remainder of a number that is not negative by a positive one. Nearly all sizes fit 32 bits, whose
/// division takes a fraction of the time.
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
    fn steps_start_at_the_start_and_end_before_the_end() {
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
    fn combinations_take_one_item_of_each_list() {
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
    fn strides_and_numbers_of_empty_arrays_are_those_of_size_1() {
        assert_eq!(row_major_strides(&[2, 0, 3])[..], [3, 3, 1]);
        assert_eq!(row_major_strides(&[1, i64::MAX, 2])[..], [i64::MAX, 2, 1]);
        assert_eq!((number_of(&[], &[]), index_of(0, &[]).len(), offset_of(&[], &[])), (0, 0, 0));
        assert_eq!(index_of(0, &[0, 2])[..], [0, 0]);
    }
}
