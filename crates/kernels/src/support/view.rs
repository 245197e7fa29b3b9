//! A strided view: the sizes of an array in memory and the stride of each dimension.
//!
//! It expresses every untiled layout: any `minor_to_major` and padding, and also reads that are reversed (negative stride),
//! broadcast (stride 0) or strided. Offsets and strides are counted in elements.

/// An array in memory, by offset, sizes and strides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The slot of the element whose index is all zeros.
    pub offset: usize,
    /// The size of each dimension.
    pub sizes: Vec<usize>,
    /// The stride of each dimension, in elements.
    pub strides: Vec<isize>,
}

impl View {
    /// The array in row-major order without padding.
    pub fn row_major(sizes: &[usize]) -> Self {
        let mut strides = vec![1; sizes.len()];
        for d in (1..sizes.len()).rev() {
            strides[d - 1] = strides[d] * sizes[d].max(1).cast_signed();
        }
        Self { offset: 0, sizes: sizes.to_vec(), strides }
    }

    /// An array without padding whose dimensions are in this order, major to minor.
    pub fn laid_out(sizes: &[usize], order: &[usize]) -> Self {
        let (mut strides, mut stride) = (vec![0; sizes.len()], 1);
        for d in order.iter().rev() {
            strides[*d] = stride;
            stride *= sizes[*d].max(1).cast_signed();
        }
        Self { offset: 0, sizes: sizes.to_vec(), strides }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// The number of elements.
    pub fn elements(&self) -> usize {
        self.sizes.iter().product()
    }

    /// The length in elements of the smallest buffer that holds every element of the view, if no negative stride reaches before
    /// its start, which [`Self::fits`] checks.
    pub fn min_buffer_length(&self) -> usize {
        if self.sizes.contains(&0) {
            return 0;
        }
        let max_distance: usize = (self.sizes.iter().zip(&self.strides))
            .map(|(size, stride)| (size - 1).saturating_mul((*stride).max(0).unsigned_abs()))
            .fold(0, usize::saturating_add);
        self.offset.saturating_add(max_distance).saturating_add(1)
    }

    /// Whether every element is in a buffer of `length` elements, and their number does not overflow.
    pub fn fits(&self, length: usize) -> bool {
        if self.sizes.len() != self.strides.len() {
            return false;
        }
        if self.sizes.contains(&0) {
            return true;
        }
        let mut count: usize = 1;
        let (mut low, mut high) = (self.offset.cast_signed(), self.offset.cast_signed());
        if low < 0 {
            return false;
        }
        for (size, stride) in self.sizes.iter().zip(&self.strides) {
            let Some(product) = count.checked_mul(*size) else { return false };
            count = product;
            let span = isize::try_from(size - 1).ok().and_then(|last| last.checked_mul(*stride));
            let Some(span) = span else { return false };
            let bound = if span < 0 { &mut low } else { &mut high };
            let Some(extended) = bound.checked_add(span) else { return false };
            *bound = extended;
        }
        low >= 0 && high.cast_unsigned() < length
    }

    /// Whether no two indices share an element, as required of a view that is written. Conservative: also `false` for strides
    /// that interleave without a collision.
    pub fn is_injective(&self) -> bool {
        if self.sizes.contains(&0) {
            return true;
        }
        let mut dimensions: Vec<(usize, usize)> = (self.sizes.iter().zip(&self.strides))
            .filter(|(size, _)| **size > 1)
            .map(|(size, stride)| (stride.unsigned_abs(), *size))
            .collect();
        dimensions.sort_unstable();
        let mut max_distance = 0usize;
        for (stride, size) in dimensions {
            if stride <= max_distance {
                return false;
            }
            max_distance = max_distance.saturating_add(stride.saturating_mul(size - 1));
        }
        true
    }

    /// Whether the elements are contiguous in row-major order.
    pub fn is_row_major(&self) -> bool {
        let mut expected = 1isize;
        for (size, stride) in self.sizes.iter().zip(&self.strides).rev() {
            if *size > 1 && *stride != expected {
                return false;
            }
            expected = expected.saturating_mul(size.cast_signed().max(1));
        }
        true
    }

    /// The same elements with the dimensions in another order: dimension `i` of the result is `order[i]` of this view.
    #[must_use]
    pub fn permuted(&self, order: &[usize]) -> Self {
        debug_assert!(order.iter().all(|d| *d < self.rank()), "dimension out of range");
        // A release build does not panic: the check of the task rejects a view with wrong sizes.
        let dimension = |d: &usize| {
            (self.sizes.get(*d).copied().unwrap_or(1), self.strides.get(*d).copied().unwrap_or(0))
        };
        let (sizes, strides) = order.iter().map(dimension).unzip();
        Self { offset: self.offset, sizes, strides }
    }
}

/// The dimensions of several views of the same sizes, after [`collapse`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollapsedDims<const N: usize> {
    /// The sizes, major to minor.
    pub sizes: Vec<usize>,
    /// For each dimension, its stride in each view.
    pub strides: Vec<[isize; N]>,
}

/// Collapses the dimensions of several views of the same sizes: drops those of size 1, and merges adjacent ones that are
/// contiguous in every view. The order of iteration is unchanged.
pub fn collapse<const N: usize>(sizes: &[usize], strides: [&[isize]; N]) -> CollapsedDims<N> {
    debug_assert!(strides.iter().all(|strides| strides.len() == sizes.len()), "views of different ranks");
    let mut collapsed = CollapsedDims { sizes: Vec::new(), strides: Vec::<[isize; N]>::new() };
    for (d, size) in sizes.iter().enumerate() {
        if *size == 1 {
            continue;
        }
        let minor: [isize; N] = std::array::from_fn(|view| strides[view].get(d).copied().unwrap_or(0));
        if let (Some(major_size), Some(major)) = (collapsed.sizes.last_mut(), collapsed.strides.last_mut())
            && (0..N).all(|view| major[view] == minor[view].saturating_mul(size.cast_signed()))
        {
            *major_size *= size;
            *major = minor;
        } else {
            collapsed.sizes.push(*size);
            collapsed.strides.push(minor);
        }
    }
    collapsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_out_of_bounds_do_not_fit() {
        let view = View::row_major(&[2, 3]);
        assert_eq!(view.strides, [3, 1]);
        assert!(view.fits(6) && !view.fits(5) && view.is_row_major() && view.is_injective());
        let reversed = View { offset: 5, sizes: vec![6], strides: vec![-1] };
        assert!(reversed.fits(6) && !View { offset: 4, ..reversed }.fits(6));
        assert!(!View { offset: 0, sizes: vec![usize::MAX, 2], strides: vec![0, 0] }.fits(6));
        assert!(!View { offset: usize::MAX, sizes: vec![], strides: vec![] }.fits(6));
        assert!(!View { offset: 0, sizes: vec![3], strides: vec![isize::MAX] }.fits(6));
        assert!(View::row_major(&[0, 7]).fits(0));
        assert!(!View::row_major(&[]).fits(0) && View::row_major(&[]).fits(1));
    }

    #[test]
    fn views_with_repeated_elements_are_not_injective() {
        assert!(!View { offset: 0, sizes: vec![2, 3], strides: vec![0, 1] }.is_injective());
        assert!(!View { offset: 0, sizes: vec![3, 2], strides: vec![1, 2] }.is_injective());
        assert!(View { offset: 0, sizes: vec![2, 3], strides: vec![1, 2] }.is_injective());
        assert!(View { offset: 0, sizes: vec![1, 3], strides: vec![0, -2] }.is_injective());
    }

    #[test]
    fn contiguous_dimensions_are_collapsed() {
        let view = View::row_major(&[2, 1, 3, 4]);
        let contiguous = collapse(&view.sizes, [&view.strides, &[12, 7, 4, 1]]);
        assert_eq!(contiguous, CollapsedDims { sizes: vec![24], strides: vec![[1, 1]] });
        let transposed = collapse(&[3, 4], [&[4, 1], &[1, 3]]);
        assert_eq!(transposed, CollapsedDims { sizes: vec![3, 4], strides: vec![[4, 1], [1, 3]] });
    }
}
