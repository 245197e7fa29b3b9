//! Tasks restricted to a part of their result, in the same buffers.

use std::ops::Range;

use super::{MIN_ROWS, MIN_WINDOW_POSITIONS, restrict};
use crate::conv::task::Convolution;
use crate::description::parts::Array;
use crate::dot::task::Dot;
use crate::map::task::Map;
use crate::reduce::task::Reduce;
use crate::registry::{Task, choose};
use crate::support::view::View;
use crate::transfer::task::Move;

/// Minimum size of a reduced innermost dimension of a reduction that is divided: such rows are accumulated in an order that does
/// not depend on the other dimensions ([`crate::reduce::nest`]).
const MIN_REDUCED_ROW: usize = 64;

fn free_dimensions(rank: usize, batch: &[usize], contracting: &[usize]) -> Vec<usize> {
    (0..rank).filter(|d| !batch.contains(d) && !contracting.contains(d)).collect()
}

fn restricted_dot(task: &Dot, d: usize, range: &Range<usize>) -> Option<Dot> {
    let mut shard = Dot { out: restrict(&task.out, d, range)?, ..task.clone() };
    let lhs_free = free_dimensions(task.lhs.view.rank(), &task.lhs_batch, &task.lhs_contracting);
    let rhs_free = free_dimensions(task.rhs.view.rank(), &task.rhs_batch, &task.rhs_contracting);
    let free = d.checked_sub(task.lhs_batch.len());
    if let Some(left) = free.map_or_else(|| task.lhs_batch.get(d), |free| lhs_free.get(free)) {
        shard.lhs = restrict(&task.lhs, *left, range)?;
    }
    let right =
        free.map_or_else(|| task.rhs_batch.get(d), |free| rhs_free.get(free.checked_sub(lhs_free.len())?));
    if let Some(right) = right {
        shard.rhs = restrict(&task.rhs, *right, range)?;
    }
    Some(shard)
}

fn restricted_convolution(task: &Convolution, d: usize, range: &Range<usize>) -> Option<Convolution> {
    let mut shard = Convolution { out: restrict(&task.out, d, range)?, ..task.clone() };
    match d {
        0 => shard.lhs = restrict(&task.lhs, 0, range)?,
        1 => shard.rhs = restrict(&task.rhs, 0, range)?,
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

fn restricted_map<F: Clone, const N: usize>(
    task: &Map<F, N>,
    d: usize,
    range: &Range<usize>,
) -> Option<Map<F, N>> {
    let mut shard = task.clone();
    for array in shard.operands.iter_mut().chain([&mut shard.out]) {
        *array = restrict(array, d, range)?;
    }
    Some(shard)
}

fn restricted_reduce(task: &Reduce, d: usize, range: &Range<usize>) -> Option<Reduce> {
    let kept = (0..task.operand.view.rank()).filter(|d| !task.dimensions.contains(d)).nth(d)?;
    let (operand, out) = (restrict(&task.operand, kept, range)?, restrict(&task.out, d, range)?);
    Some(Reduce { operand, out, ..task.clone() })
}

fn restricted_move(task: &Move, d: usize, range: &Range<usize>) -> Option<Move> {
    let [(from, to)] = task.parts.as_slice() else { return None };
    let view = |view: &View| Some(restrict(&Array { ty: task.ty, view: view.clone() }, d, range)?.view);
    Some(Move { parts: vec![(view(from)?, view(to)?)], ..task.clone() })
}

/// Whether rows of the innermost dimension are reduced, each long enough for the order of [`MIN_REDUCED_ROW`].
fn reduces_long_rows(task: &Reduce) -> bool {
    let view = &task.operand.view;
    task.dimensions.iter().any(|d| {
        view.strides.get(*d) == Some(&1) && view.sizes.get(*d).is_some_and(|size| *size >= MIN_REDUCED_ROW)
    })
}

impl Task {
    /// The result of a task that has one.
    pub fn out_view(&self) -> Option<&View> {
        let (_, written) = self.buffers();
        let [out] = written.as_slice() else { return None };
        let [view] = out.views.as_slice() else { return None };
        Some(*view)
    }

    /// The views of each buffer that is read; none for a scalar.
    pub fn read_views(&self) -> Vec<Vec<&View>> {
        self.buffers().0.into_iter().map(|buffer| buffer.views).collect()
    }

    /// Minimum number of indices of the result's dimension `d` per shard; `None` if the dimension cannot be divided.
    pub fn min_shard_len(&self, d: usize) -> Option<usize> {
        match self {
            Self::Dot(task) => Some(if d < task.lhs_batch.len() { 1 } else { MIN_ROWS }),
            Self::Convolution(task) => match d {
                0 => (task.batch_groups == 1).then_some(1),
                1 => (task.batch_groups == 1 && task.feature_groups == 1).then_some(MIN_ROWS),
                _ => Some(MIN_WINDOW_POSITIONS),
            },
            Self::Unary(_)
            | Self::Binary(_)
            | Self::Compare(_)
            | Self::Select(_)
            | Self::Clamp(_)
            | Self::Convert(_) => Some(1),
            Self::Move(task) => (task.parts.len() == 1 && !task.has_fill).then_some(1),
            Self::Reduce(task) => reduces_long_rows(task).then_some(1),
            _ => None,
        }
    }

    /// The task that computes only the elements of the result whose index in dimension `d` is in `range`, which is not empty,
    /// in the same buffers; `None` if the dimension cannot be divided, or other kernels would compute it.
    pub fn restricted(&self, d: usize, range: &Range<usize>) -> Option<Self> {
        self.min_shard_len(d)?;
        let shard = match self {
            Self::Dot(task) => Self::Dot(restricted_dot(task, d, range)?),
            Self::Convolution(task) => Self::Convolution(restricted_convolution(task, d, range)?),
            Self::Unary(task) => Self::Unary(restricted_map(task, d, range)?),
            Self::Binary(task) => Self::Binary(restricted_map(task, d, range)?),
            Self::Compare(task) => Self::Compare(restricted_map(task, d, range)?),
            Self::Select(task) => Self::Select(restricted_map(task, d, range)?),
            Self::Clamp(task) => Self::Clamp(restricted_map(task, d, range)?),
            Self::Convert(task) => Self::Convert(restricted_map(task, d, range)?),
            Self::Move(task) => Self::Move(restricted_move(task, d, range)?),
            Self::Reduce(task) => Self::Reduce(restricted_reduce(task, d, range)?),
            _ => return None,
        };
        let name = |task: &Self| choose(task).map(|kernel| kernel.name);
        (name(&shard) == name(self)).then_some(shard)
    }
}
