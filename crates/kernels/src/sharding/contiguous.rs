//! Shards of a large dot or convolution on contiguous ranges of its buffers, which disjoint ranges of the result receive: only these
//! are transferred. The outermost dimension of the result is divided.

use std::ops::Range;

use crate::conv::task::Convolution;
use crate::description::parts::Array;
use crate::dot::task::Dot;
use crate::registry::Task;
use crate::support::view::View;

/// Minimum number of multiply-adds of a sharded task: for smaller ones, transferring the operands costs more than
/// sharding saves.
pub const MIN_SHARDED_STEPS: u64 = 1 << 27;

/// Minimum number of multiply-adds per worker: with fewer, a further worker costs more than it saves.
const MIN_STEPS_PER_WORKER: u64 = 1 << 25;

/// Maximum number of workers of a task.
pub const MAX_WORKERS: usize = 16;

/// The part of a task that one worker computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its task, whose views start at offset 0 of the ranges.
    pub task: Task,
    /// The range of elements that it reads, per buffer.
    pub read: Vec<Range<usize>>,
    /// The range of elements of the result that it writes; the ranges of shards are disjoint.
    pub written: Range<usize>,
}

/// The range of elements from the first to the last one of a view.
fn span(view: &View) -> Range<usize> {
    if view.sizes.contains(&0) {
        return 0..0;
    }
    let (mut low, mut high) = (view.offset.cast_signed(), view.offset.cast_signed());
    for (size, stride) in view.sizes.iter().zip(&view.strides) {
        let reach = (size - 1).cast_signed() * stride;
        *(if reach < 0 { &mut low } else { &mut high }) += reach;
    }
    low.cast_unsigned()..high.cast_unsigned() + 1
}

/// The dimension of a result with the largest stride.
fn outermost(out: &View) -> Option<usize> {
    (0..out.rank()).filter(|d| out.sizes[*d] > 1).max_by_key(|d| out.strides[*d].unsigned_abs())
}

/// Divides a dimension into at most `count` ranges, whose lengths are at least `min_len` and differ by at most one.
fn divide(size: usize, count: usize, min_len: usize) -> Vec<Range<usize>> {
    let count = count.min(size / min_len.max(1)).max(1);
    (0..count).map(|i| size * i / count..size * (i + 1) / count).collect()
}

/// The number of workers, of at most `max`, that compute a task.
pub fn workers(task: &Task, max: usize) -> usize {
    let steps = task.steps();
    if steps < MIN_SHARDED_STEPS {
        return 1;
    }
    // `max` bounds the number anyway.
    let by_steps = usize::try_from(steps / MIN_STEPS_PER_WORKER).unwrap_or(usize::MAX);
    shards(task, max.min(MAX_WORKERS).min(by_steps)).map_or(1, |shards| shards.len())
}

/// Divides a task into at most `count` shards; `None` if it cannot be divided.
pub fn shards(task: &Task, count: usize) -> Option<Vec<Shard>> {
    let (Task::Dot(Dot { lhs, rhs, out, .. }) | Task::Convolution(Convolution { lhs, rhs, out, .. })) = task
    else {
        return None;
    };
    if [lhs, rhs].iter().any(|array| array.view.sizes.contains(&0)) {
        return None;
    }
    let d = outermost(&out.view)?;
    let ranges = divide(out.view.sizes[d], count, task.min_shard_len(d)?);
    if ranges.len() < 2 {
        return None;
    }
    let shards = ranges.iter().map(|range| {
        let mut task = task.restricted(d, range)?;
        let (Task::Dot(Dot { lhs, rhs, out, .. }) | Task::Convolution(Convolution { lhs, rhs, out, .. })) =
            &mut task
        else {
            return None;
        };
        let rebase = |array: &mut Array| {
            let span = span(&array.view);
            array.view.offset -= span.start;
            span
        };
        let (read, written) = (vec![rebase(lhs), rebase(rhs)], rebase(out));
        Some(Shard { task, read, written })
    });
    let shards: Vec<Shard> = shards.collect::<Option<_>>()?;
    let are_disjoint = shards.iter().enumerate().all(|(i, a)| {
        shards[..i].iter().all(|b| a.written.end <= b.written.start || b.written.end <= a.written.start)
    });
    are_disjoint.then_some(shards)
}
