//! Row-major iteration over the cells of a view.

use crate::support::view::View;

/// Calls `call` with the slot of each cell of a view, row-major.
pub fn each_cell(view: &View, mut call: impl FnMut(usize)) {
    if view.sizes.contains(&0) {
        return;
    }
    let mut at = vec![0usize; view.rank()];
    let mut slot = view.offset.cast_signed();
    loop {
        call(slot.cast_unsigned());
        let mut d = view.rank();
        loop {
            let Some(outer) = d.checked_sub(1) else { return };
            d = outer;
            at[d] += 1;
            slot += view.strides[d];
            if at[d] < view.sizes[d] {
                break;
            }
            at[d] = 0;
            slot -= view.strides[d] * view.sizes[d].cast_signed();
        }
    }
}
