//! Row-major iteration over the elements of a view.

use crate::support::view::View;

/// Visits the slot of each element of a view, row-major.
pub fn for_each_slot(view: &View, mut visit: impl FnMut(usize)) {
    if view.sizes.contains(&0) {
        return;
    }
    let mut index = vec![0usize; view.rank()];
    let mut slot = view.offset.cast_signed();
    loop {
        visit(slot.cast_unsigned());
        let mut d = view.rank();
        loop {
            let Some(major) = d.checked_sub(1) else { return };
            d = major;
            index[d] += 1;
            slot += view.strides[d];
            if index[d] < view.sizes[d] {
                break;
            }
            index[d] = 0;
            slot -= view.strides[d] * view.sizes[d].cast_signed();
        }
    }
}
