//! Reduction of several blocks of rows at a time, interleaved.

use crate::accumulate::accumulator::Accumulator;
use crate::accumulate::dimensions::{Dimension, count_steps, for_each_offset};
use crate::accumulate::fast_float::PAGE_FLOATS;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::support::slice::Element;

/// Accumulates the rows of several blocks, interleaved: several streams of reads are faster than one if they are in different
/// pages, and slower within one page. Returns whether blocks remain; `kept` and the bases are
/// updated to them.
#[allow(clippy::too_many_arguments, reason = "two arrays and their geometry")]
pub fn reduce_interleaved<T: Element, A: Copy>(
    kept: &mut [Dimension],
    [row, inner_kept]: [Dimension; 2],
    [base, base_out]: [&mut isize; 2],
    x: &[T],
    init: A,
    out: &mut [T],
    accumulator: &Accumulator<T, A>,
    context: &mut Context,
) -> Result<bool, KernelError> {
    let (Some(interleaved), Some(last)) = (accumulator.interleaved, kept.last().copied()) else {
        return Ok(true);
    };
    let (width, count) = (inner_kept.size, interleaved.stream_count);
    let fits =
        inner_kept.stride == 1 && (16..=PAGE_FLOATS).contains(&width) && row.size * width >= PAGE_FLOATS;
    if !fits || last.size < count {
        return Ok(true);
    }
    let mut groups = kept.to_vec();
    groups.pop();
    groups.push(Dimension {
        size: last.size / count,
        stride: last.stride * count.cast_signed(),
        out_stride: last.out_stride * count.cast_signed(),
        is_reduced: false,
    });
    let (mut results, mut steps) = (Vec::with_capacity(count * width), 0);
    for_each_offset(&groups, *base, *base_out, |from, to| {
        results.clear();
        results.resize(count * width, accumulator.identity);
        let (block_stride, stride) = (last.stride.cast_unsigned(), row.stride.cast_unsigned());
        (interleaved.accumulate_blocks)(
            &mut results,
            &x[from.cast_unsigned()..],
            block_stride,
            stride,
            row.size,
        );
        (accumulator.finish)(&mut results, init);
        for (n, results) in results.chunks_exact(width).enumerate() {
            (accumulator.write)(results, out, to + last.out_stride * n.cast_signed(), inner_kept.out_stride);
        }
        count_steps(context, &mut steps, count * width * row.size)
    })?;
    let done = last.size / count * count;
    *base += last.stride * done.cast_signed();
    *base_out += last.out_stride * done.cast_signed();
    if let Some(last) = kept.last_mut() {
        last.size -= done;
    }
    Ok(last.size > done)
}
