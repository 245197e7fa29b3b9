//! The kernel of copies: any view to any view, distinguishing element types by their width only.

#![allow(unsafe_code, reason = "gaps are filled by the loop that also fills repeated elements")]

use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelEntry, only_in_kernel_builds};
use crate::simd::bits::Bits;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::support::view::View;
use crate::transfer::gaps::gaps;
use crate::transfer::loops::fill;
use crate::transfer::plan::copy_view;
use crate::transfer::task::Move;

/// The kernel of [`Move`].
pub static KERNELS: &[KernelEntry<Move>] = &[KernelEntry {
    kernel: Kernel { name: "move", is_vector: true, error_bound_ulp: 0.0 },
    supports: |_| true,
    run: only_in_kernel_builds(run),
}];

fn run(task: CheckedTask<Move>, context: &mut Context) -> Result<(), KernelError> {
    let (task, read, [out]) = task.into_parts() else { return Err(KernelError::InvalidTask) };
    let out = out.as_bytes_mut();
    let width = task.ty.bytes();
    if task.has_fill {
        let element = read.last().ok_or(KernelError::InvalidTask)?.as_bytes();
        fill_gaps(task, element.get(..width).ok_or(KernelError::InvalidTask)?, out);
        context.check_cancelled()?;
    }
    for ((from, to), source) in task.parts.iter().zip(read) {
        copy_view(width, [from, to], source.as_bytes(), out, context)?;
    }
    Ok(())
}

/// Fills the elements of `out` that are in no part.
fn fill_gaps(task: &Move, element: &[u8], out: &mut [u8]) {
    let parts: Vec<&View> = task.parts.iter().map(|(_, to)| to).collect();
    match element.len() {
        1 => fill_gaps_of::<u8>(&parts, element, out),
        2 => fill_gaps_of::<u16>(&parts, element, out),
        4 => fill_gaps_of::<u32>(&parts, element, out),
        8 => fill_gaps_of::<u64>(&parts, element, out),
        _ => fill_gaps_of::<u128>(&parts, element, out),
    }
}

fn fill_gaps_of<B: Bits>(parts: &[&View], element: &[u8], out: &mut [u8]) {
    // SAFETY: `fill_gaps` chose `B` as wide as `element` is long.
    let element = unsafe { B::read(element.as_ptr()) };
    gaps(parts, out.len() / B::BYTES, |range| {
        if let Some(gap) = out.get_mut(range.start * B::BYTES..range.end * B::BYTES) {
            // SAFETY: the gap is `range.len()` elements long.
            unsafe { fill(element, gap.as_mut_ptr(), range.len()) }
        }
    });
}
