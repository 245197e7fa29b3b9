//! Divides a large dot or convolution into shards for several workers: each shard is a separate task on contiguous ranges
//! of the buffers, and the shards write disjoint ranges of the result.
//!
//! Invariant: only the outermost dimension of the result is divided, never a contracting one, so that each cell is
//! summed in the same order as without sharding: results are bit-identical (`tests/native/worker_shards.rs`).

use std::ops::Range;

use crate::kernels::task::{Array, Convolution, Dot};
use crate::kernels::{Task, View, choose};

/// Minimum number of multiply-adds of a sharded task: for smaller ones, transferring the operands costs more than
/// sharding saves.
pub const MIN_SHARDED_STEPS: u64 = 1 << 27;

/// Minimum number of multiply-adds per worker: with fewer, a further worker costs more than it saves.
const MIN_STEPS_PER_WORKER: u64 = 1 << 25;

/// Minimum rows, columns or features per shard: with fewer, kernels may sum in another order.
const MIN_ROWS: usize = 32;

/// Minimum number of output positions per shard along a spatial dimension: shards overlap by the window's size.
const MIN_WINDOW_POSITIONS: usize = 8;

/// Maximum number of workers of a task.
pub const MAX_WORKERS: usize = 16;

/// The part of a task that one worker computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its task, whose views start at offset 0 of the ranges.
    pub task: Task,
    /// The range of cells that it reads, per buffer.
    pub read: Vec<Range<usize>>,
    /// The range of cells of the result that it writes; the ranges of shards are disjoint.
    pub written: Range<usize>,
}

/// The range of cells from the first to the last one of a view.
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

/// The array restricted to a range of one dimension's indices.
fn restrict(array: &Array, dimension: usize, range: &Range<usize>) -> Array {
    let mut restricted = array.clone();
    let start = range.start.cast_signed() * array.view.strides[dimension];
    restricted.view.offset = (array.view.offset.cast_signed() + start).cast_unsigned();
    restricted.view.sizes[dimension] = range.len();
    restricted
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

fn dot_shard(task: &Dot, d: usize, range: &Range<usize>) -> Dot {
    let mut shard = Dot { out: restrict(&task.out, d, range), ..task.clone() };
    let free = |rank: usize, batch: &[usize], contracting: &[usize]| {
        (0..rank).filter(|d| !batch.contains(d) && !contracting.contains(d)).collect::<Vec<_>>()
    };
    let lhs_free = free(task.lhs.view.rank(), &task.lhs_batch, &task.lhs_contracting);
    let rhs_free = free(task.rhs.view.rank(), &task.rhs_batch, &task.rhs_contracting);
    let batch = task.lhs_batch.len();
    if d < batch {
        shard.lhs = restrict(&task.lhs, task.lhs_batch[d], range);
        shard.rhs = restrict(&task.rhs, task.rhs_batch[d], range);
    } else if d - batch < lhs_free.len() {
        shard.lhs = restrict(&task.lhs, lhs_free[d - batch], range);
    } else {
        shard.rhs = restrict(&task.rhs, rhs_free[d - batch - lhs_free.len()], range);
    }
    shard
}

fn convolution_shard(task: &Convolution, d: usize, range: &Range<usize>) -> Option<Convolution> {
    let mut shard = Convolution { out: restrict(&task.out, d, range), ..task.clone() };
    match d {
        0 => shard.lhs = restrict(&task.lhs, 0, range),
        1 => shard.rhs = restrict(&task.rhs, 0, range),
        _ => {
            // The window starts later and ends earlier: its padding may become negative.
            let (window, elements) = (shard.window.get_mut(d - 2)?, *task.lhs.view.sizes.get(d)?);
            let dilated = |size: usize, dilation: usize| Some(size.checked_sub(1)? * dilation + 1);
            let area = dilated(elements, window.base_dilation)?.cast_signed();
            let extent = (range.len() - 1) * window.stride + dilated(window.size, window.dilation)?;
            window.low -= (range.start * window.stride).cast_signed();
            window.high = extent.cast_signed() - window.low - area;
        }
    }
    Some(shard)
}

/// Minimum number of indices of result dimension `d` per shard; `None` if the dimension cannot be divided.
fn min_shard_len(task: &Task, d: usize) -> Option<usize> {
    match task {
        Task::Dot(task) => Some(if d < task.lhs_batch.len() { 1 } else { MIN_ROWS }),
        Task::Convolution(task) => match d {
            0 => (task.batch_groups == 1).then_some(1),
            1 => (task.batch_groups == 1 && task.feature_groups == 1).then_some(MIN_ROWS),
            _ => Some(MIN_WINDOW_POSITIONS),
        },
        _ => None,
    }
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
    let (out, views) = match task {
        Task::Dot(task) => (&task.out, [&task.lhs, &task.rhs]),
        Task::Convolution(task) => (&task.out, [&task.lhs, &task.rhs]),
        _ => return None,
    };
    if views.iter().any(|array| array.view.sizes.contains(&0)) {
        return None;
    }
    let d = outermost(&out.view)?;
    let ranges = divide(out.view.sizes[d], count, min_shard_len(task, d)?);
    if ranges.len() < 2 {
        return None;
    }
    let shards = ranges.iter().map(|range| {
        let mut task = match task {
            Task::Dot(task) => Task::Dot(dot_shard(task, d, range)),
            Task::Convolution(task) => Task::Convolution(convolution_shard(task, d, range)?),
            _ => return None,
        };
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
    let name = |task: &Task| choose(task).map(|kernel| kernel.name);
    let use_same_kernel = shards.iter().all(|shard| name(&shard.task) == name(task));
    (are_disjoint && use_same_kernel).then_some(shards)
}
