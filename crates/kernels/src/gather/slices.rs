//! Slices taken by an index: how one slice is moved is planned once, then done from each start.

use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelOf, linked};
use crate::gather::task::Gather;
use crate::ground::context::Context;
use crate::ground::slice::Slice;
use crate::ground::stop::Stop;
use crate::ground::view::View;
use crate::transfer::plan::Plan;

/// The kernel of [`Gather`].
pub static KERNELS: &[KernelOf<Gather>] = &[KernelOf {
    kernel: Kernel { name: "gather", is_vector: true, bound: 0.0 },
    supports: has_integer_indices,
    run: linked(run),
}];

fn has_integer_indices(task: &Gather) -> bool {
    use crate::ground::element::Type::{S8, S16, S32, S64, U8, U16, U32, U64};
    matches!(task.indices.ty, U8 | S8 | U16 | S16 | U32 | S32 | U64 | S64)
}

fn run(task: CheckedTask<Gather>, context: &mut Context) -> Result<(), Stop> {
    let (task, [operand, indices], [out]) = task.into_parts() else { return Err(Stop::InvalidTask) };
    let (operand, out) = (operand.as_bytes(), out.as_bytes_mut());
    // What is beyond `i64` is beyond every array.
    let number: &dyn Fn(usize) -> Option<i64> = match indices {
        Slice::U8(all) => &|i| all.get(i).map(|index| i64::from(*index)),
        Slice::I8(all) => &|i| all.get(i).map(|index| i64::from(*index)),
        Slice::U16(all) => &|i| all.get(i).map(|index| i64::from(*index)),
        Slice::I16(all) => &|i| all.get(i).map(|index| i64::from(*index)),
        Slice::U32(all) => &|i| all.get(i).map(|index| i64::from(*index)),
        Slice::I32(all) => &|i| all.get(i).map(|index| i64::from(*index)),
        Slice::U64(all) => &|i| all.get(i).map(|index| i64::try_from(*index).unwrap_or(i64::MAX)),
        Slice::I64(all) => &|i| all.get(i).copied(),
        _ => return Err(Stop::InvalidTask),
    };
    gather(task, operand, number, out, context)
}

/// A dimension of the operand that the indices choose: the last start, and the bytes from one to the next.
struct Chosen {
    last: i64,
    step: isize,
}

fn gather(
    task: &Gather,
    operand: &[u8],
    number: &dyn Fn(usize) -> Option<i64>,
    out: &mut [u8],
    context: &mut Context,
) -> Result<(), Stop> {
    let (from, at, to) = (&task.operand.view, &task.indices.view, &task.out.view);
    let width = task.operand.ty.bytes();
    let Some((vector, batch)) = at.sizes.split_last() else { return Err(Stop::InvalidTask) };
    let stays = |d: &usize| !task.collapsed.contains(d);
    let kept: Vec<usize> = (0..from.rank()).filter(stays).collect();
    let sizes: Vec<usize> = kept.iter().map(|d| task.slice_sizes[*d]).collect();
    let slice = View {
        offset: from.offset,
        sizes: sizes.clone(),
        strides: kept.iter().map(|d| from.strides[*d]).collect(),
    };
    let place = View { offset: to.offset, sizes, strides: to.strides[batch.len()..].to_vec() };
    let Some(plan) = Plan::new(width, &slice, &place) else { return Ok(()) };
    let chosen: Vec<Chosen> = (0..*vector)
        .map(|d| Chosen {
            last: i64::try_from(from.sizes[d] - task.slice_sizes[d]).unwrap_or(i64::MAX),
            step: from.strides[d] * width.cast_signed(),
        })
        .collect();
    let along = at.strides.last().copied().unwrap_or(0);
    if batch.contains(&0) {
        return Ok(());
    }
    // The batch is visited in the order of the result's memory, some starts of its nearest dimension at a time.
    let mut order: Vec<usize> = (0..batch.len()).filter(|d| batch[*d] > 1).collect();
    order.sort_by_key(|d| std::cmp::Reverse(to.strides[*d].unsigned_abs()));
    let near = order.pop();
    let (count, step, to_step) = near.map_or((1, 0, 0), |d| (batch[d], at.strides[d], to.strides[d]));
    let mut starts = Vec::with_capacity(count.min(MAX_STARTS));
    let mut index = vec![0_usize; order.len()];
    let mut unreported = 0;
    loop {
        let place =
            |view: &View| order.iter().zip(&index).map(|(d, i)| view.strides[*d] * i.cast_signed()).sum();
        let (first, place): (isize, isize) = (place(at), place(to));
        for start in (0..count).step_by(MAX_STARTS) {
            let range = start..count.min(start + MAX_STARTS);
            starts.clear();
            starts.extend(range.map(|i| {
                let mut from = at.offset.cast_signed() + first + step * i.cast_signed();
                let mut start = 0;
                for chosen in &chosen {
                    let number = number(from.cast_unsigned()).unwrap_or(0);
                    #[allow(clippy::cast_possible_truncation, reason = "clamped to a size")]
                    let number = number.clamp(0, chosen.last) as isize;
                    start += number * chosen.step;
                    from += along;
                }
                start
            }));
            let written = (place + to_step * start.cast_signed()) * width.cast_signed();
            let mut tick = |cells| {
                unreported += cells;
                unreported < 1 << 20 || (context.tick)(std::mem::take(&mut unreported))
            };
            if !plan.run_from(&starts, [written, to_step * width.cast_signed()], operand, out, &mut tick) {
                return Err(Stop::Cancelled);
            }
        }
        let Some(next) = (0..order.len()).rev().find(|i| index[*i] + 1 < batch[order[*i]]) else {
            return context.tick(unreported);
        };
        index[next] += 1;
        index[next + 1..].fill(0);
    }
}

/// The most starts that are worked out before the slices are moved.
const MAX_STARTS: usize = 1024;
