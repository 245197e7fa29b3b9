//! Slices taken by an index: how one slice is moved is planned once, then done from each start.

use super::kernel::{Context, Kernel, Stop};
use super::slice::{Cell, Slice, SliceMut};
use super::task::{Gather, Task};
use super::transfer_plan::Plan;
use super::view::View;

/// The kernel of [`Gather`].
pub static KERNELS: &[Kernel] =
    &[Kernel { name: "gather", serves, is_vector: true, bound: 0.0, run }];

/// An index read as a number: what is below zero is clamped to it, what is beyond `i64` is beyond every array.
trait Index: Cell {
    fn number(self) -> i64;
}

macro_rules! indices {
    ($($ty:ident)*) => {
        $(impl Index for $ty {
            fn number(self) -> i64 {
                i64::try_from(self).unwrap_or(i64::MAX)
            }
        })*
    };
}
indices! { u8 i8 u16 i16 u32 i32 u64 i64 }

fn serves(task: &Task) -> bool {
    use super::task::Type::{S8, S16, S32, S64, U8, U16, U32, U64};
    matches!(task, Task::Gather(task) if matches!(task.indices.ty, U8 | S8 | U16 | S16 | U32 | S32 | U64 | S64))
}

fn run(task: &Task, read: &[Slice], written: &mut [SliceMut], context: &mut Context) -> Result<(), Stop> {
    let (Task::Gather(task), [operand, indices], [out]) = (task, read, written) else { return Err(Stop::Invalid) };
    let (operand, out) = (operand.as_bytes(), out.as_bytes_mut());
    match indices {
        Slice::U8(indices) => gather(task, operand, indices, out, context),
        Slice::I8(indices) => gather(task, operand, indices, out, context),
        Slice::U16(indices) => gather(task, operand, indices, out, context),
        Slice::I16(indices) => gather(task, operand, indices, out, context),
        Slice::U32(indices) => gather(task, operand, indices, out, context),
        Slice::I32(indices) => gather(task, operand, indices, out, context),
        Slice::U64(indices) => gather(task, operand, indices, out, context),
        Slice::I64(indices) => gather(task, operand, indices, out, context),
        _ => Err(Stop::Invalid),
    }
}

/// A dimension of the operand that the indices choose: the last start, and the bytes from one to the next.
struct Chosen {
    last: i64,
    step: isize,
}

fn gather<I: Index>(
    task: &Gather,
    operand: &[u8],
    indices: &[I],
    out: &mut [u8],
    context: &mut Context,
) -> Result<(), Stop> {
    let (from, at, to) = (&task.operand.view, &task.indices.view, &task.out.view);
    let width = task.operand.ty.bytes();
    let Some((vector, batch)) = at.sizes.split_last() else { return Err(Stop::Invalid) };
    let stays = |d: &usize| !task.collapsed.contains(d);
    let kept: Vec<usize> = (0..from.rank()).filter(stays).collect();
    let sizes: Vec<usize> = kept.iter().map(|d| task.slice_sizes[*d]).collect();
    let slice = View { offset: from.offset, sizes: sizes.clone(), strides: kept.iter().map(|d| from.strides[*d]).collect() };
    let place = View { offset: to.offset, sizes, strides: to.strides[batch.len()..].to_vec() };
    let Some(plan) = Plan::new(width, &slice, &place) else { return Ok(()) };
    let chosen: Vec<Chosen> = (0..*vector)
        .map(|d| Chosen {
            last: (from.sizes[d] - task.slice_sizes[d]).cast_signed() as i64,
            step: from.strides[d] * width.cast_signed(),
        })
        .collect();
    let along = at.strides.last().copied().unwrap_or(0);
    if batch.contains(&0) {
        return Ok(());
    }
    // The batch is gone through in the order of the result's memory.
    let mut order: Vec<usize> = (0..batch.len()).filter(|d| batch[*d] > 1).collect();
    order.sort_by_key(|d| std::cmp::Reverse(to.strides[*d].unsigned_abs()));
    let mut index = vec![0_usize; order.len()];
    let (mut read, mut written) = (at.offset.cast_signed(), 0_isize);
    let mut untold = 0;
    loop {
        let mut start = 0;
        let mut from = read;
        for chosen in &chosen {
            let number = indices.get(from.cast_unsigned()).map_or(0, |index| index.number());
            #[allow(clippy::cast_possible_truncation, reason = "clamped to a size")]
            let number = number.clamp(0, chosen.last) as isize;
            start += number * chosen.step;
            from += along;
        }
        if !plan.run([start, written], operand, out, &mut |_| true) {
            return Err(Stop::Invalid);
        }
        untold += plan.cells();
        if untold >= 1 << 20 {
            context.tick(std::mem::take(&mut untold))?;
        }
        let mut d = order.len();
        loop {
            let Some(next) = d.checked_sub(1) else { return context.tick(untold) };
            d = next;
            let (size, x, y) = (batch[order[d]], at.strides[order[d]], to.strides[order[d]] * width.cast_signed());
            index[d] += 1;
            if index[d] < size {
                read += x;
                written += y;
                break;
            }
            index[d] = 0;
            read -= x * (size - 1).cast_signed();
            written -= y * (size - 1).cast_signed();
        }
    }
}
