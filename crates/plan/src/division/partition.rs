//! The division of a value's elements among workers.
//!
//! The elements of a value are dense. So the part of a worker, a range of one dimension's indices, is a run of adjacent
//! elements in each period of the dimension: no strided copy is needed to exchange it.

use std::ops::Range;
use std::rc::Rc;

use xla_kernels::View;

/// The division of a value along one of its dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The dimension's stride, in elements.
    pub stride: usize,
    /// The dimension's size.
    pub size: usize,
    /// The first index of each worker, and the size.
    pub bounds: Rc<[usize]>,
    /// The number of elements of the value.
    pub value_elements: usize,
}

/// Large parts begin at multiples of this, which is a multiple of the strict GEMM tile (4×8).
const ALIGNMENT: usize = 8;

/// Parts are aligned from this length on: alignment then lengthens a part by at most an eighth.
const MIN_ALIGNED_LEN: usize = 64;

/// Divides `size` indices into `count` ranges of at least `min_len`; `None` if there are too few.
pub fn even_bounds(size: usize, count: usize, min_len: usize) -> Option<Vec<usize>> {
    if size / count < min_len.max(1) {
        return None;
    }
    let alignment = if size / count >= MIN_ALIGNED_LEN { ALIGNMENT } else { 1 };
    let bound = |i: usize| {
        let even = size.saturating_mul(i) / count;
        if i == count { size } else { even.next_multiple_of(alignment).min(size) }
    };
    Some((0..=count).map(bound).collect())
}

impl Partition {
    /// The range of a worker's indices.
    pub fn range(&self, worker: usize) -> Range<usize> {
        match self.bounds.get(worker..worker + 2) {
            Some([start, end]) => *start..*end,
            _ => 0..0,
        }
    }

    /// The number of elements of a worker's part.
    pub fn element_count(&self, worker: usize) -> usize {
        self.value_elements / self.size.max(1) * self.range(worker).len()
    }

    /// The ranges of a worker's elements.
    pub fn runs(&self, worker: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let (range, stride) = (self.range(worker), self.stride);
        let period = self.size.max(1) * stride.max(1);
        (0..self.value_elements / period).map(move |i| {
            let start = i * period;
            start + range.start * stride..start + range.end * stride
        })
    }

    /// Whether a worker's part contains every element of a view. Conservative: it may be `false` for a view that mixes dimensions.
    pub fn contains(&self, view: &View, worker: usize) -> bool {
        if view.sizes.contains(&0) {
            return true;
        }
        // An offset has a major part, the index of the dimension, and a minor part, which stays below the stride.
        let low = view.offset / self.stride % self.size;
        let (mut high, mut minor) = (low, view.offset % self.stride);
        for (size, stride) in view.sizes.iter().zip(&view.strides).filter(|(size, _)| **size > 1) {
            let Ok(stride) = usize::try_from(*stride) else { return false };
            let last = size - 1;
            if stride.is_multiple_of(self.stride * self.size) {
                continue;
            }
            if stride.is_multiple_of(self.stride) {
                high = high.saturating_add(last.saturating_mul(stride / self.stride));
            } else {
                minor = minor.saturating_add(last.saturating_mul(stride));
            }
        }
        let range = self.range(worker);
        minor < self.stride && high < self.size && range.start <= low && high < range.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(stride: usize, bounds: &[usize], value_elements: usize) -> Partition {
        Partition { stride, size: bounds.last().copied().unwrap_or(0), bounds: bounds.into(), value_elements }
    }

    /// The offsets of a view's elements.
    fn offsets(view: &View) -> Vec<usize> {
        let mut offsets = vec![view.offset];
        for (size, stride) in view.sizes.iter().zip(&view.strides) {
            offsets = (0..*size)
                .flat_map(|i| offsets.iter().map(move |at| at.wrapping_add_signed(i.cast_signed() * stride)))
                .collect();
        }
        offsets
    }

    #[test]
    fn parts_cover_every_element_once() {
        for partition in
            [partition(1, &[0, 3, 7], 28), partition(7, &[0, 2, 4], 28), partition(4, &[0, 2, 5, 7], 56)]
        {
            let mut owners = vec![0; partition.value_elements];
            for worker in 0..partition.bounds.len() - 1 {
                let runs: Vec<_> = partition.runs(worker).collect();
                assert_eq!(runs.iter().map(Range::len).sum::<usize>(), partition.element_count(worker));
                runs.into_iter().flatten().for_each(|offset| owners[offset] += 1);
            }
            assert!(owners.iter().all(|owners| *owners == 1), "{partition:?}: {owners:?}");
        }
    }

    #[test]
    fn a_part_contains_the_views_within_its_range() {
        // [4, 6, 2], divided along the dimension of 6.
        let partition = partition(2, &[0, 4, 6], 48);
        let own: Vec<usize> = partition.runs(0).flatten().collect();
        let view = |offset, sizes: &[usize], strides: &[isize]| View {
            offset,
            sizes: sizes.to_vec(),
            strides: strides.to_vec(),
        };
        let views = [
            (view(0, &[4, 4, 2], &[12, 2, 1]), true),
            (view(0, &[4, 6, 2], &[12, 2, 1]), false),
            (view(4, &[4, 2, 2], &[12, 2, 1]), true),
            (view(6, &[4, 2], &[12, 2]), false),
            (view(0, &[2, 4, 9], &[1, 2, 0]), true),
            (view(0, &[4, 2, 2, 2], &[12, 4, 2, 1]), true),
            (view(0, &[3], &[13]), false),
            (view(7, &[8], &[-1]), false),
            (view(11, &[], &[]), false),
            (view(9, &[0], &[1]), true),
        ];
        for (view, expected) in views {
            assert_eq!(partition.contains(&view, 0), expected, "{view:?}");
            assert!(!expected || offsets(&view).iter().all(|offset| own.contains(offset)), "{view:?}");
        }
    }

    #[test]
    fn bounds_are_aligned_where_parts_stay_even() {
        assert_eq!(even_bounds(5000, 2, 32), Some(vec![0, 2504, 5000]));
        assert_eq!(even_bounds(768, 3, 32), Some(vec![0, 256, 512, 768]));
        assert_eq!(even_bounds(63, 2, 32), None);
        assert_eq!(even_bounds(65, 2, 32), Some(vec![0, 32, 65]));
        assert_eq!(even_bounds(3, 2, 1), Some(vec![0, 1, 3]));
        assert_eq!(even_bounds(0, 2, 0), None);
    }
}
