//! Cells moved (`move` is a word of the language): any view to any view, cell widths alone told apart.

#![allow(unsafe_code, reason = "gaps are filled through the same loop as repeated cells")]

use crate::simd::bits::Bits;
use crate::task::kernel::{Context, Kernel, Stop, linked};
use crate::ground::slice::{Slice, SliceMut};
use crate::task::description::{Move, Task};
use crate::transfer::gaps::gaps;
use crate::transfer::loops::fill;
use crate::transfer::plan::Plan;
use crate::ground::view::View;

/// The kernel of [`Move`].
pub static KERNELS: &[Kernel] = &[Kernel {
    name: "move",
    serves: |task| matches!(task, Task::Move(_)),
    is_vector: true,
    bound: 0.0,
    run: linked(run),
}];

fn run(task: &Task, read: &[Slice], written: &mut [SliceMut], context: &mut Context) -> Result<(), Stop> {
    let (Task::Move(task), [out]) = (task, written) else { return Err(Stop::Invalid) };
    let out = out.as_bytes_mut();
    let width = task.ty.bytes();
    if task.has_fill {
        let cell = read.last().ok_or(Stop::Invalid)?.as_bytes();
        fill_gaps(task, cell.get(..width).ok_or(Stop::Invalid)?, out);
        context.tick((out.len() / width / 8) as u64)?;
    }
    for ((from, to), source) in task.parts.iter().zip(read) {
        move_part(width, [from, to], source.as_bytes(), out, context)?;
    }
    Ok(())
}

/// Moves cells of so many bytes from one view to the other.
pub fn move_part(
    width: usize,
    [from, to]: [&View; 2],
    read: &[u8],
    written: &mut [u8],
    context: &mut Context,
) -> Result<(), Stop> {
    let Some(plan) = Plan::new(width, from, to) else { return Ok(()) };
    if plan.run(read, written, context.tick) { Ok(()) } else { Err(Stop::Cancelled) }
}

/// Fills the cells of `out` that lie in no part.
fn fill_gaps(task: &Move, cell: &[u8], out: &mut [u8]) {
    let parts: Vec<&View> = task.parts.iter().map(|(_, to)| to).collect();
    match cell.len() {
        1 => fill_gaps_of::<u8>(&parts, cell, out),
        2 => fill_gaps_of::<u16>(&parts, cell, out),
        4 => fill_gaps_of::<u32>(&parts, cell, out),
        8 => fill_gaps_of::<u64>(&parts, cell, out),
        _ => fill_gaps_of::<u128>(&parts, cell, out),
    }
}

fn fill_gaps_of<B: Bits>(parts: &[&View], cell: &[u8], out: &mut [u8]) {
    // SAFETY: the caller has matched the width.
    let cell = unsafe { B::read(cell.as_ptr()) };
    gaps(parts, out.len() / B::BYTES, |range| {
        if let Some(gap) = out.get_mut(range.start * B::BYTES..range.end * B::BYTES) {
            // SAFETY: the gap is so many cells long.
            unsafe { fill(cell, gap.as_mut_ptr(), range.len()) }
        }
    });
}
