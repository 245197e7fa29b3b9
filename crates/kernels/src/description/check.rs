//! Validation of a task against its buffers.

use crate::description::describe::{Buffer, Describe};
use crate::support::error::KernelError;
use crate::support::slice::{Slice, SliceMut};

/// A task and its buffers, for which [`check`] has proved:
///
/// - there are as many buffers as the task describes, and their elements have the size of its element types;
/// - every element of every view of the task is within its buffer;
/// - no view that is written contains an element twice;
/// - ranks, sizes, types and attributes agree ([`Describe::is_consistent`]).
///
/// Kernels receive tasks in this form only. The fields are private, so only `check` constructs one.
pub struct CheckedTask<'a, 'r, 'w, T> {
    task: &'a T,
    read: &'a [Slice<'r>],
    written: &'a mut [SliceMut<'w>],
}

impl<'a, 'r, 'w, T> CheckedTask<'a, 'r, 'w, T> {
    /// The task, the buffers to read and the buffers to write.
    pub fn into_parts(self) -> (&'a T, &'a [Slice<'r>], &'a mut [SliceMut<'w>]) {
        (self.task, self.read, self.written)
    }
}

/// Checks that a task is consistent and stays within its buffers. Errors: [`KernelError::InvalidTask`].
pub fn check<'a, 'r, 'w, T: Describe>(
    task: &'a T,
    read: &'a [Slice<'r>],
    written: &'a mut [SliceMut<'w>],
) -> Result<CheckedTask<'a, 'r, 'w, T>, KernelError> {
    let (reads, writes) = (task.reads(), task.writes());
    let has_matching_types =
        reads.iter().zip(read).all(|(buffer, slice)| slice.element_bytes() == buffer.ty.bytes())
            && writes.iter().zip(&*written).all(|(buffer, slice)| slice.element_bytes() == buffer.ty.bytes());
    let lengths: Vec<usize> = read.iter().map(Slice::len).collect();
    let written_lengths: Vec<usize> = written.iter().map(SliceMut::len).collect();
    if has_matching_types && fits(task, &lengths, &written_lengths) {
        Ok(CheckedTask { task, read, written })
    } else {
        Err(KernelError::InvalidTask)
    }
}

/// Whether a task is consistent and stays within its buffers, whose lengths are given in elements.
pub fn fits<T: Describe>(task: &T, read: &[usize], written: &[usize]) -> bool {
    let all_fit = |buffers: &[Buffer], lengths: &[usize]| {
        buffers.len() == lengths.len()
            && buffers.iter().zip(lengths).all(|(buffer, length)| buffer.fits(*length))
    };
    let writes = task.writes();
    all_fit(&task.reads(), read)
        && all_fit(&writes, written)
        && writes.iter().flat_map(|buffer| &buffer.views).all(|view| view.is_injective())
        && task.is_consistent()
}
