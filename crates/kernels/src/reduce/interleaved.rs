//! Blocks of rows that are reduced several at a time, interleaved.

use crate::accumulate::dimensions::{Dimension, each, look};
use crate::accumulate::folder::Folder;
use crate::accumulate::streams::PAGE;
use crate::ground::context::Context;
use crate::ground::slice::Cell;
use crate::ground::stop::Stop;

/// Blocks of rows that are folded into one another, several blocks by turns: rows that lie in one page are read
/// slower beside one another than one by one, those of several pages faster. Answers whether blocks are left, which begin
/// where the bases are then.
#[allow(clippy::too_many_arguments, reason = "two arrays and their geometry")]
pub fn in_blocks<T: Cell, A: Copy>(
    kept: &mut [Dimension],
    [row, stays]: [Dimension; 2],
    [base, base_out]: [&mut isize; 2],
    x: &[T],
    init: A,
    out: &mut [T],
    folder: &Folder<T, A>,
    context: &mut Context,
) -> Result<bool, Stop> {
    let (Some(streams), Some(last)) = (folder.streams, kept.last().copied()) else { return Ok(true) };
    let (width, together) = (stays.size, streams.together);
    let fits = stays.from == 1 && (16..=PAGE).contains(&width) && row.size * width >= PAGE;
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
        goes: false,
    });
    let (mut results, mut steps) = (Vec::with_capacity(together * width), 0);
    each(&groups, *base, *base_out, |from, to| {
        results.clear();
        results.resize(together * width, folder.start);
        let (apart, stride) = (last.from.cast_unsigned(), row.from.cast_unsigned());
        (streams.blocks)(&mut results, &x[from.cast_unsigned()..], apart, stride, row.size);
        (folder.finish)(&mut results, init);
        for (n, results) in results.chunks_exact(width).enumerate() {
            (folder.write)(results, out, to + last.to * n.cast_signed(), stays.to);
        }
        look(context, &mut steps, together * width * row.size)
    })?;
    let done = last.size / together * together;
    *base += last.from * done.cast_signed();
    *base_out += last.to * done.cast_signed();
    if let Some(last) = kept.last_mut() {
        last.size -= done;
    }
    Ok(last.size > done)
}
