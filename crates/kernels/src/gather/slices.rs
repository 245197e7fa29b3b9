//! Gather: the copy of one slice is planned once, and run at each start index.

use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelEntry, only_in_kernel_builds};
use crate::gather::task::Gather;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::support::slice::Slice;
use crate::support::view::View;
use crate::transfer::plan::{DstOffsets, Plan};

/// The kernel of [`Gather`].
pub static KERNELS: &[KernelEntry<Gather>] = &[KernelEntry {
    kernel: Kernel { name: "gather", is_vector: true, error_bound_ulp: 0.0 },
    supports: has_integer_indices,
    run: only_in_kernel_builds(run),
}];

fn has_integer_indices(task: &Gather) -> bool {
    use crate::support::element::Type::{S8, S16, S32, S64, U8, U16, U32, U64};
    matches!(task.indices.ty, U8 | S8 | U16 | S16 | U32 | S32 | U64 | S64)
}

fn run(task: CheckedTask<Gather>, context: &mut Context) -> Result<(), KernelError> {
    let (task, [operand, indices], [out]) = task.into_parts() else { return Err(KernelError::InvalidTask) };
    let (operand, out) = (operand.as_bytes(), out.as_bytes_mut());
    // An index that exceeds `i64` saturates: it is clamped to the array below.
    let index_at: &dyn Fn(usize) -> Option<i64> = match indices {
        Slice::U8(elements) => &|slot| elements.get(slot).map(|index| i64::from(*index)),
        Slice::I8(elements) => &|slot| elements.get(slot).map(|index| i64::from(*index)),
        Slice::U16(elements) => &|slot| elements.get(slot).map(|index| i64::from(*index)),
        Slice::I16(elements) => &|slot| elements.get(slot).map(|index| i64::from(*index)),
        Slice::U32(elements) => &|slot| elements.get(slot).map(|index| i64::from(*index)),
        Slice::I32(elements) => &|slot| elements.get(slot).map(|index| i64::from(*index)),
        Slice::U64(elements) => {
            &|slot| elements.get(slot).map(|index| i64::try_from(*index).unwrap_or(i64::MAX))
        }
        Slice::I64(elements) => &|slot| elements.get(slot).copied(),
        _ => return Err(KernelError::InvalidTask),
    };
    gather(task, operand, index_at, out, context)
}

/// A dimension of the operand that start indices refer to.
struct IndexedDimension {
    /// The last start index at which a slice fits.
    max_start: i64,
    /// The stride, in bytes.
    stride: isize,
}

/// Copies the slices. `index_at` reads the start index at a slot. Fails only if cancelled.
fn gather(
    task: &Gather,
    operand: &[u8],
    index_at: &dyn Fn(usize) -> Option<i64>,
    out: &mut [u8],
    context: &mut Context,
) -> Result<(), KernelError> {
    let (from, starts, to) = (&task.operand.view, &task.indices.view, &task.out.view);
    let element_bytes = task.operand.ty.bytes();
    let width = element_bytes.cast_signed();
    let Some((index_vector_size, batch)) = starts.sizes.split_last() else {
        return Err(KernelError::InvalidTask);
    };
    let slice_dims: Vec<usize> = (0..from.rank()).filter(|d| !task.collapsed.contains(d)).collect();
    let sizes: Vec<usize> = slice_dims.iter().map(|d| task.slice_sizes[*d]).collect();
    let source_slice = View {
        offset: from.offset,
        sizes: sizes.clone(),
        strides: slice_dims.iter().map(|d| from.strides[*d]).collect(),
    };
    let out_slice = View { offset: to.offset, sizes, strides: to.strides[batch.len()..].to_vec() };
    let Some(plan) = Plan::new(element_bytes, &source_slice, &out_slice) else { return Ok(()) };
    let indexed: Vec<IndexedDimension> = (0..*index_vector_size)
        .map(|d| IndexedDimension {
            // Fits: the check of the view proved that a size is an `isize`.
            max_start: (from.sizes[d] - task.slice_sizes[d]).cast_signed() as i64,
            stride: from.strides[d] * width,
        })
        .collect();
    let component_stride = starts.strides.last().copied().ok_or(KernelError::InvalidTask)?;
    if batch.contains(&0) {
        return Ok(());
    }
    // The batch is visited in the order of the result's memory, up to `MAX_STARTS` of its minor dimension at a time.
    let mut outer: Vec<usize> = (0..batch.len()).filter(|d| batch[*d] > 1).collect();
    outer.sort_by_key(|d| std::cmp::Reverse(to.strides[*d].unsigned_abs()));
    let minor = outer.pop();
    let (minor_size, starts_stride, out_stride) =
        minor.map_or((1, 0, 0), |d| (batch[d], starts.strides[d], to.strides[d]));
    let mut src_offsets = Vec::with_capacity(minor_size.min(MAX_STARTS));
    let mut index = vec![0_usize; outer.len()];
    let mut unreported_elements = 0;
    loop {
        let outer_offset =
            |view: &View| outer.iter().zip(&index).map(|(d, i)| view.strides[*d] * i.cast_signed()).sum();
        let (starts_offset, out_offset): (isize, isize) = (outer_offset(starts), outer_offset(to));
        for first in (0..minor_size).step_by(MAX_STARTS) {
            src_offsets.clear();
            for i in first..minor_size.min(first + MAX_STARTS) {
                let mut slot = starts.offset.cast_signed() + starts_offset + starts_stride * i.cast_signed();
                let mut src_offset = 0;
                for dimension in &indexed {
                    let start = index_at(slot.cast_unsigned()).ok_or(KernelError::InvalidTask)?;
                    #[allow(clippy::cast_possible_truncation, reason = "clamped to a size")]
                    let start = start.clamp(0, dimension.max_start) as isize;
                    src_offset += start * dimension.stride;
                    slot += component_stride;
                }
                src_offsets.push(src_offset);
            }
            let dst_offsets = DstOffsets {
                first: (out_offset + out_stride * first.cast_signed()) * width,
                stride: out_stride * width,
            };
            let mut tick = |elements| {
                unreported_elements += elements;
                unreported_elements < CANCEL_CHECK_INTERVAL_ELEMENTS
                    || (context.tick)(std::mem::take(&mut unreported_elements))
            };
            plan.run_at(&src_offsets, dst_offsets, operand, out, &mut tick)?;
        }
        let Some(next) = (0..outer.len()).rev().find(|i| index[*i] + 1 < batch[outer[*i]]) else {
            return context.tick(unreported_elements);
        };
        index[next] += 1;
        index[next + 1..].fill(0);
    }
}

/// Maximum number of slices whose offsets are computed before they are copied.
const MAX_STARTS: usize = 1024;
/// Elements between cancellation checks.
const CANCEL_CHECK_INTERVAL_ELEMENTS: u64 = 1 << 20;
