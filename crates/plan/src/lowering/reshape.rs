//! Reshapes of views.

use xla_kernels::View;

/// A view with other sizes of the same elements in the same row-major order; `None` if that has no constant strides.
pub fn reshaped(view: &View, sizes: &[usize]) -> Option<View> {
    if view.elements() != sizes.iter().product() {
        return None;
    }
    if sizes.contains(&0) {
        return Some(View::row_major(sizes));
    }
    let collapsed = xla_kernels::view::collapse(&view.sizes, [&view.strides]);
    let mut dimensions = collapsed.sizes.into_iter().zip(collapsed.strides).rev();
    let mut strides = vec![0; sizes.len()];
    // The size that remains of the dimension that is being split, and its stride.
    let (mut remaining, mut stride) = (1, 0);
    for (d, size) in sizes.iter().enumerate().rev().filter(|(_, size)| **size != 1) {
        if remaining == 1 {
            let (dimension_size, [dimension_stride]) = dimensions.next()?;
            (remaining, stride) = (dimension_size, dimension_stride);
        }
        if remaining % size != 0 {
            return None;
        }
        strides[d] = stride;
        remaining /= size;
        stride *= size.cast_signed();
    }
    // Dimensions of size 1 may have any stride.
    for d in (0..sizes.len()).rev().filter(|d| sizes[*d] == 1) {
        strides[d] = 1;
    }
    Some(View { offset: view.offset, sizes: sizes.to_vec(), strides })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_with_constant_strides_are_reshaped() {
        let view = View::row_major(&[4, 6]);
        assert_eq!(
            reshaped(&view, &[2, 2, 1, 6]),
            Some(View { strides: vec![12, 6, 1, 1], ..View::row_major(&[2, 2, 1, 6]) })
        );
        assert_eq!(reshaped(&view, &[24]), Some(View::row_major(&[24])));
        assert_eq!(reshaped(&view, &[3, 8]), Some(View::row_major(&[3, 8])));
        let transposed = view.permuted(&[1, 0]);
        assert_eq!(reshaped(&transposed, &[24]), None);
        let split = View { offset: 0, sizes: vec![2, 3, 4], strides: vec![3, 1, 6] };
        assert_eq!(reshaped(&transposed, &[2, 3, 4]), Some(split));
        let broadcast = View { offset: 5, sizes: vec![4, 6], strides: vec![0, 0] };
        assert_eq!(
            reshaped(&broadcast, &[8, 3]),
            Some(View { offset: 5, sizes: vec![8, 3], strides: vec![0, 0] })
        );
        assert_eq!(reshaped(&View::row_major(&[0, 3]), &[5, 0]), Some(View::row_major(&[5, 0])));
    }
}
