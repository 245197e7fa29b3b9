//! Reduction of several blocks of rows at a time, interleaved.

use crate::accumulate::accumulator::Accumulator;
use crate::accumulate::dimensions::{Dimension, count_steps, each};
use crate::accumulate::streams::PAGE_FLOATS;
use crate::ground::context::Context;
use crate::ground::slice::Cell;
use crate::ground::stop::Stop;

/// Accumulates the rows of several blocks, interleaved: several streams of reads are faster than one if they are in different
/// pages, and slower within one page. Returns whether blocks remain, which then begin at the bases.
#[allow(clippy::too_many_arguments, reason = "two arrays and their geometry")]
pub fn reduce_interleaved<T: Cell, A: Copy>(
    kept: &mut [Dimension],
    [row, inner_kept]: [Dimension; 2],
    [base, base_out]: [&mut isize; 2],
    x: &[T],
    init: A,
    out: &mut [T],
    accumulator: &Accumulator<T, A>,
    context: &mut Context,
) -> Result<bool, Stop> {
    let (Some(streams), Some(last)) = (accumulator.streams, kept.last().copied()) else { return Ok(true) };
    let (width, together) = (inner_kept.size, streams.together);
    let fits = inner_kept.from == 1 && (16..=PAGE_FLOATS).contains(&width) && row.size * width >= PAGE_FLOATS;
    if !fits || last.size < together {
        return Ok(true);
    }
    let by = together.cast_signed();
    let mut groups = kept.to_vec();
    groups.pop();
    groups.push(Dimension {
        size: last.size / together,
        from: last.from * by,
        to: last.to * by,
        is_reduced: false,
    });
    let (mut results, mut steps) = (Vec::with_capacity(together * width), 0);
    each(&groups, *base, *base_out, |from, to| {
        results.clear();
        results.resize(together * width, accumulator.start);
        let (apart, stride) = (last.from.cast_unsigned(), row.from.cast_unsigned());
        (streams.blocks)(&mut results, &x[from.cast_unsigned()..], apart, stride, row.size);
        (accumulator.finish)(&mut results, init);
        for (n, results) in results.chunks_exact(width).enumerate() {
            (accumulator.write)(results, out, to + last.to * n.cast_signed(), inner_kept.to);
        }
        count_steps(context, &mut steps, together * width * row.size)
    })?;
    let done = last.size / together * together;
    *base += last.from * done.cast_signed();
    *base_out += last.to * done.cast_signed();
    if let Some(last) = kept.last_mut() {
        last.size -= done;
    }
    Ok(last.size > done)
}
