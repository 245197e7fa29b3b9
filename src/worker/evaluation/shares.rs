//! Divides a large dot or convolution among workers: each share is a task of its own on the parts of the buffers that it
//! needs, and the results are adjacent.
//!
//! Invariant: only the outermost dimension of the result is divided, never a contracted one, so that each cell is summed as
//! it is without sharing: the same bits (`tests/native/worker_shares.rs`).

use std::ops::Range;

use crate::kernels::task::{Array, Convolution, Dot};
use crate::kernels::{Task, View, choose};

/// Multiply-adds from which sharing is worth the milliseconds of transferring operands.
pub const MIN_SHARED_STEPS: u64 = 1 << 27;

/// The fewest multiply-adds of a worker.
const MIN_STEPS_PER_WORKER: u64 = 1 << 25;

/// The fewest rows, columns or features of a share: with fewer, kernels may sum in another order.
const MIN_ROWS: usize = 32;

/// The fewest window positions of a share.
const MIN_WINDOW_POSITIONS: usize = 8;

/// The most workers of a task.
pub const MAX_WORKERS: usize = 16;

/// A task of one worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// What it does.
    pub task: Task,
    /// The cells that it reads of each buffer.
    pub read: Vec<Range<usize>>,
    /// The cells of the result that only it writes.
    pub written: Range<usize>,
}

/// The cells from the first to the last one of a view.
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

/// A range of the indices of a dimension.
fn cut(array: &Array, dimension: usize, part: &Range<usize>) -> Array {
    let mut part_of = array.clone();
    let from = part.start.cast_signed() * array.view.strides[dimension];
    part_of.view.offset = (array.view.offset.cast_signed() + from).cast_unsigned();
    part_of.view.sizes[dimension] = part.len();
    part_of
}

/// The dimension of a result with the largest stride.
fn outermost(out: &View) -> Option<usize> {
    (0..out.rank()).filter(|d| out.sizes[*d] > 1).max_by_key(|d| out.strides[*d].unsigned_abs())
}

/// The indices of a dimension, divided into at most `count` ranges whose lengths differ by at most one and are not below `least`.
fn parts(size: usize, count: usize, least: usize) -> Vec<Range<usize>> {
    let count = count.min(size / least.max(1)).max(1);
    (0..count).map(|i| size * i / count..size * (i + 1) / count).collect()
}

fn dot(task: &Dot, d: usize, part: &Range<usize>) -> Dot {
    let mut share = Dot { out: cut(&task.out, d, part), ..task.clone() };
    let free = |rank: usize, batch: &[usize], contracting: &[usize]| {
        (0..rank).filter(|d| !batch.contains(d) && !contracting.contains(d)).collect::<Vec<_>>()
    };
    let left = free(task.lhs.view.rank(), &task.lhs_batch, &task.lhs_contracting);
    let right = free(task.rhs.view.rank(), &task.rhs_batch, &task.rhs_contracting);
    let batch = task.lhs_batch.len();
    if d < batch {
        share.lhs = cut(&task.lhs, task.lhs_batch[d], part);
        share.rhs = cut(&task.rhs, task.rhs_batch[d], part);
    } else if d - batch < left.len() {
        share.lhs = cut(&task.lhs, left[d - batch], part);
    } else {
        share.rhs = cut(&task.rhs, right[d - batch - left.len()], part);
    }
    share
}

fn convolution(task: &Convolution, d: usize, part: &Range<usize>) -> Option<Convolution> {
    let mut share = Convolution { out: cut(&task.out, d, part), ..task.clone() };
    match d {
        0 => share.lhs = cut(&task.lhs, 0, part),
        1 => share.rhs = cut(&task.rhs, 0, part),
        _ => {
            // The window starts later and ends earlier, as if the padding were negative.
            let (window, elements) = (share.window.get_mut(d - 2)?, *task.lhs.view.sizes.get(d)?);
            let dilated = |size: usize, dilation: usize| Some(size.checked_sub(1)? * dilation + 1);
            let area = dilated(elements, window.base_dilation)?.cast_signed();
            let seen = (part.len() - 1) * window.stride + dilated(window.size, window.dilation)?;
            window.low -= (part.start * window.stride).cast_signed();
            window.high = seen.cast_signed() - window.low - area;
        }
    }
    Some(share)
}

/// The fewest indices of a dimension of the result that a share may have; `None` where the dimension cannot be divided.
fn least_of(task: &Task, d: usize) -> Option<usize> {
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

/// How many of `most` workers compute a task.
pub fn workers(task: &Task, most: usize) -> usize {
    let steps = task.steps();
    if steps < MIN_SHARED_STEPS {
        return 1;
    }
    let by_steps = usize::try_from(steps / MIN_STEPS_PER_WORKER).unwrap_or(usize::MAX);
    shares(task, most.min(MAX_WORKERS).min(by_steps)).map_or(1, |shares| shares.len())
}

/// A task in at most `count` shares; `None` where it cannot be divided.
pub fn shares(task: &Task, count: usize) -> Option<Vec<Share>> {
    let (out, views) = match task {
        Task::Dot(task) => (&task.out, [&task.lhs, &task.rhs]),
        Task::Convolution(task) => (&task.out, [&task.lhs, &task.rhs]),
        _ => return None,
    };
    if views.iter().any(|array| array.view.sizes.contains(&0)) {
        return None;
    }
    let d = outermost(&out.view)?;
    let parts = parts(out.view.sizes[d], count, least_of(task, d)?);
    if parts.len() < 2 {
        return None;
    }
    let shares = parts.iter().map(|part| {
        let mut task = match task {
            Task::Dot(task) => Task::Dot(dot(task, d, part)),
            Task::Convolution(task) => Task::Convolution(convolution(task, d, part)?),
            _ => return None,
        };
        let (Task::Dot(Dot { lhs, rhs, out, .. }) | Task::Convolution(Convolution { lhs, rhs, out, .. })) =
            &mut task
        else {
            return None;
        };
        let based = |array: &mut Array| {
            let span = span(&array.view);
            array.view.offset -= span.start;
            span
        };
        let (read, written) = (vec![based(lhs), based(rhs)], based(out));
        Some(Share { task, read, written })
    });
    let shares: Vec<Share> = shares.collect::<Option<_>>()?;
    let are_apart = shares.iter().enumerate().all(|(i, a)| {
        shares[..i].iter().all(|b| a.written.end <= b.written.start || b.written.end <= a.written.start)
    });
    let name = |task: &Task| choose(task).map(|kernel| kernel.name);
    let are_alike = shares.iter().all(|share| name(&share.task) == name(task));
    (are_apart && are_alike).then_some(shares)
}
