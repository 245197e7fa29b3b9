//! Nested iteration over the dimensions of an operand and a result.

use crate::support::context::Context;
use crate::support::error::KernelError;

/// Steps between cancellation checks, which count accumulated elements.
const CANCEL_CHECK_INTERVAL_STEPS: u64 = 1 << 18;

/// A dimension of an operand, and its stride in the result.
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    pub size: usize,
    /// The stride in the operand.
    pub stride: isize,
    /// The stride in the result; 0 if the dimension is reduced.
    pub out_stride: isize,
    pub is_reduced: bool,
}

/// Calls `visit` with the offsets in the operand and in the result of each index of these dimensions, row-major. Errors: those of
/// `visit`.
pub fn for_each_offset(
    dimensions: &[Dimension],
    mut from: isize,
    mut to: isize,
    mut visit: impl FnMut(isize, isize) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    if dimensions.is_empty() {
        return visit(from, to);
    }
    let mut index = vec![0usize; dimensions.len()];
    loop {
        visit(from, to)?;
        let mut d = dimensions.len();
        loop {
            let Some(next) = d.checked_sub(1) else { return Ok(()) };
            d = next;
            let dimension = &dimensions[d];
            index[d] += 1;
            (from, to) = (from + dimension.stride, to + dimension.out_stride);
            if index[d] < dimension.size {
                break;
            }
            index[d] = 0;
            let size = dimension.size.cast_signed();
            (from, to) = (from - dimension.stride * size, to - dimension.out_stride * size);
        }
    }
}

/// Counts steps, and reports them to the observer at least every [`CANCEL_CHECK_INTERVAL_STEPS`]. Fails only if cancelled.
pub fn count_steps(context: &mut Context, steps: &mut u64, new_steps: usize) -> Result<(), KernelError> {
    *steps += new_steps as u64;
    if *steps < CANCEL_CHECK_INTERVAL_STEPS {
        return Ok(());
    }
    context.tick(std::mem::take(steps))
}
