//! Views of the same cells with other sizes.

use xla_kernels::View;

/// The cells of a view, in row-major order of its indices, as an array of other sizes; `None` if they do not lie at regular
/// distances.
pub fn reshaped(view: &View, sizes: &[usize]) -> Option<View> {
    if view.elements() != sizes.iter().product() {
        return None;
    }
    if sizes.contains(&0) {
        return Some(View::row_major(sizes));
    }
    let collapsed = xla_kernels::view::collapse(&view.sizes, [&view.strides]);
    let mut own = collapsed.sizes.into_iter().zip(collapsed.strides).rev();
    let mut strides = vec![0; sizes.len()];
    // The rest of the dimension of the view that is being divided, and its stride.
    let (mut left, mut stride) = (1, 0);
    for (d, size) in sizes.iter().enumerate().rev().filter(|(_, size)| **size != 1) {
        if left == 1 {
            let (own_size, [own_stride]) = own.next()?;
            (left, stride) = (own_size, own_stride);
        }
        if left % size != 0 {
            return None;
        }
        strides[d] = stride;
        left /= size;
        stride *= size.cast_signed();
    }
    // Sizes of 1 may have any stride: that of the layout is the one to be.
    for d in (0..sizes.len()).rev().filter(|d| sizes[*d] == 1) {
        strides[d] = 1;
    }
    Some(View { offset: view.offset, sizes: sizes.to_vec(), strides })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_at_regular_distances_are_reshaped() {
        let view = View::row_major(&[4, 6]);
        assert_eq!(
            reshaped(&view, &[2, 2, 1, 6]),
            Some(View { strides: vec![12, 6, 1, 1], ..View::row_major(&[2, 2, 1, 6]) })
        );
        assert_eq!(reshaped(&view, &[24]), Some(View::row_major(&[24])));
        assert_eq!(reshaped(&view, &[3, 8]), Some(View::row_major(&[3, 8])));
        let turned = view.permuted(&[1, 0]);
        assert_eq!(reshaped(&turned, &[24]), None);
        let parted = View { offset: 0, sizes: vec![2, 3, 4], strides: vec![3, 1, 6] };
        assert_eq!(reshaped(&turned, &[2, 3, 4]), Some(parted));
        let repeated = View { offset: 5, sizes: vec![4, 6], strides: vec![0, 0] };
        assert_eq!(
            reshaped(&repeated, &[8, 3]),
            Some(View { offset: 5, sizes: vec![8, 3], strides: vec![0, 0] })
        );
        assert_eq!(reshaped(&View::row_major(&[0, 3]), &[5, 0]), Some(View::row_major(&[5, 0])));
    }
}
