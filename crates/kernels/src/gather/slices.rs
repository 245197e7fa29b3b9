//! Gather: the copy of one slice is planned once, and run from each start index.

use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelOf, in_kernel_builds};
use crate::gather::task::Gather;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::support::slice::Slice;
use crate::support::view::View;
use crate::transfer::plan::Plan;

/// The kernel of [`Gather`].
pub static KERNELS: &[KernelOf<Gather>] = &[KernelOf {
    kernel: Kernel { name: "gather", is_vector: true, error_bound_ulp: 0.0 },
    supports: has_integer_indices,
    run: in_kernel_builds(run),
}];

fn has_integer_indices(task: &Gather) -> bool {
    use crate::support::element::Type::{S8, S16, S32, S64, U8, U16, U32, U64};
    matches!(task.indices.ty, U8 | S8 | U16 | S16 | U32 | S32 | U64 | S64)
}

fn run(task: CheckedTask<Gather>, context: &mut Context) -> Result<(), KernelError> {
    let (task, [operand, indices], [out]) = task.into_parts() else { return Err(KernelError::InvalidTask) };
    let (operand, out) = (operand.as_bytes(), out.as_bytes_mut());
    // An index that exceeds `i64` saturates: it is clamped to the array below.
    let number: &dyn Fn(usize) -> Option<i64> = match indices {
        Slice::U8(all) => &|i| all.get(i).map(|index| i64::from(*index)),
        Slice::I8(all) => &|i| all.get(i).map(|index| i64::from(*index)),
        Slice::U16(all) => &|i| all.get(i).map(|index| i64::from(*index)),
        Slice::I16(all) => &|i| all.get(i).map(|index| i64::from(*index)),
        Slice::U32(all) => &|i| all.get(i).map(|index| i64::from(*index)),
        Slice::I32(all) => &|i| all.get(i).map(|index| i64::from(*index)),
        Slice::U64(all) => &|i| all.get(i).map(|index| i64::try_from(*index).unwrap_or(i64::MAX)),
        Slice::I64(all) => &|i| all.get(i).copied(),
        _ => return Err(KernelError::InvalidTask),
    };
    gather(task, operand, number, out, context)
}

/// A dimension of the operand that start indices refer to: the last valid start, and its stride in bytes.
struct IndexedDimension {
    last: i64,
    step: isize,
}

fn gather(
    task: &Gather,
    operand: &[u8],
    number: &dyn Fn(usize) -> Option<i64>,
    out: &mut [u8],
    context: &mut Context,
) -> Result<(), KernelError> {
    let (from, at, to) = (&task.operand.view, &task.indices.view, &task.out.view);
    let width = task.operand.ty.bytes();
    let Some((vector, batch)) = at.sizes.split_last() else { return Err(KernelError::InvalidTask) };
    let is_kept = |d: &usize| !task.collapsed.contains(d);
    let kept: Vec<usize> = (0..from.rank()).filter(is_kept).collect();
    let sizes: Vec<usize> = kept.iter().map(|d| task.slice_sizes[*d]).collect();
    let slice = View {
        offset: from.offset,
        sizes: sizes.clone(),
        strides: kept.iter().map(|d| from.strides[*d]).collect(),
    };
    let to_slice = View { offset: to.offset, sizes, strides: to.strides[batch.len()..].to_vec() };
    let Some(plan) = Plan::new(width, &slice, &to_slice) else { return Ok(()) };
    let indexed: Vec<IndexedDimension> = (0..*vector)
        .map(|d| IndexedDimension {
            // A size is an `isize`, as the view was checked.
            last: (from.sizes[d] - task.slice_sizes[d]).cast_signed() as i64,
            step: from.strides[d] * width.cast_signed(),
        })
        .collect();
    let component_step = at.strides.last().copied().ok_or(KernelError::InvalidTask)?;
    if batch.contains(&0) {
        return Ok(());
    }
    // The batch is visited in the order of the result's memory, up to `MAX_STARTS` of its minor dimension at a time.
    let mut order: Vec<usize> = (0..batch.len()).filter(|d| batch[*d] > 1).collect();
    order.sort_by_key(|d| std::cmp::Reverse(to.strides[*d].unsigned_abs()));
    let near = order.pop();
    let (count, step, to_step) = near.map_or((1, 0, 0), |d| (batch[d], at.strides[d], to.strides[d]));
    let mut starts = Vec::with_capacity(count.min(MAX_STARTS));
    let mut index = vec![0_usize; order.len()];
    let mut unreported = 0;
    loop {
        let offset =
            |view: &View| order.iter().zip(&index).map(|(d, i)| view.strides[*d] * i.cast_signed()).sum();
        let (first, to_offset): (isize, isize) = (offset(at), offset(to));
        for start in (0..count).step_by(MAX_STARTS) {
            let range = start..count.min(start + MAX_STARTS);
            starts.clear();
            for i in range {
                let mut from = at.offset.cast_signed() + first + step * i.cast_signed();
                let mut start = 0;
                for dimension in &indexed {
                    let number = number(from.cast_unsigned()).ok_or(KernelError::InvalidTask)?;
                    #[allow(clippy::cast_possible_truncation, reason = "clamped to a size")]
                    let number = number.clamp(0, dimension.last) as isize;
                    start += number * dimension.step;
                    from += component_step;
                }
                starts.push(start);
            }
            let written = (to_offset + to_step * start.cast_signed()) * width.cast_signed();
            let mut tick = |cells| {
                unreported += cells;
                unreported < 1 << 20 || (context.tick)(std::mem::take(&mut unreported))
            };
            if !plan.run_from(&starts, [written, to_step * width.cast_signed()], operand, out, &mut tick) {
                return Err(KernelError::Cancelled);
            }
        }
        let Some(next) = (0..order.len()).rev().find(|i| index[*i] + 1 < batch[order[*i]]) else {
            return context.tick(unreported);
        };
        index[next] += 1;
        index[next + 1..].fill(0);
    }
}

/// Maximum start offsets that are computed before their slices are copied.
const MAX_STARTS: usize = 1024;
