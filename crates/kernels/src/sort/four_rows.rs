//! The driver of [`crate::sort::network`]: four rows at a time are read into scratch memory, interleaved as keys, sorted there,
//! and written back as values. Contiguous rows are transposed in vector registers; others are copied, many at a time, so that
//! cache lines are used whole.
//!
//! Equal keys have the same bits, so the result is that of radix sort. Rows for which this does not hold (with NaN, or zeros of
//! both signs) are sorted one by one.

#![allow(unsafe_code, reason = "bounds checks on the eight addresses of sixteen elements are measurable")]

use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelEntry, only_in_kernel_builds};
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;
use crate::sort::by_radix::{CANCEL_CHECK_INTERVAL_ELEMENTS, RowSorter, encoding_of};
use crate::sort::keys::KeyEncoding;
use crate::sort::network::{MAX_LENGTH, padded_length, sort};
use crate::sort::rows::RowNest;
use crate::sort::task::Sort;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::support::slice::{Slice, SliceMut, bytes_of};
use crate::support::view::View;
use crate::transfer::plan::copy_view_unreported;

/// Rows that are sorted together.
const ROWS: usize = 4;
/// Elements of a chunk of rows, which are copied together.
const CHUNK_ELEMENTS: usize = 1 << 15;
/// Minimum number of rows of a chunk: adjacent rows fill a cache line.
const MIN_CHUNK_ROWS: usize = 16;

/// Sorts keys of 32 bits, without further operands, in at least four rows.
///
/// It is used where four lanes are one vector: elsewhere radix sort is faster (natively 14 ms instead of 39 for 1024 rows of
/// 1024) and gives the same bits.
pub const KERNEL: KernelEntry<Sort> = KernelEntry {
    kernel: Kernel { name: "sort four rows at once", is_vector: true, error_bound_ulp: 0.0 },
    supports: |task| F32x4::IS_SIMD && supported_encoding(task).is_some(),
    run: only_in_kernel_builds(run),
};

/// The encoding of keys, if this kernel supports the task.
fn supported_encoding(task: &Sort) -> Option<KeyEncoding> {
    let [operand] = &task.operands[..] else { return None };
    let sizes = &operand.view.sizes;
    let length = *sizes.get(task.dimension)?;
    let rows = sizes.iter().try_fold(1_usize, |all, size| all.checked_mul(*size))?.checked_div(length)?;
    let is_supported = rows >= ROWS && (2..=MAX_LENGTH).contains(&length);
    encoding_of(task, operand.ty).filter(|encoding| encoding.bits == 32 && is_supported)
}

fn run(task: CheckedTask<Sort>, context: &mut Context) -> Result<(), KernelError> {
    let (task, [read], [written]) = task.into_parts() else { return Err(KernelError::WrongKernel) };
    let (Some(encoding), Some(row_nest)) = (supported_encoding(task), RowNest::new(task)) else {
        return Err(KernelError::WrongKernel);
    };
    let mut sorter = RowSorter::new(row_nest.length());
    let outcome = sort_rows::<F32x4>((task, encoding, &row_nest), read, written, &mut sorter, context);
    sorter.recycle(context);
    outcome
}

/// Reads, sorts and writes the rows. Fails only if cancelled.
fn sort_rows<L: Lanes>(
    (task, encoding, row_nest): (&Sort, KeyEncoding, &RowNest),
    read: &Slice,
    written: &mut SliceMut,
    sorter: &mut RowSorter,
    context: &mut Context,
) -> Result<(), KernelError> {
    let length = row_nest.length();
    let group_elements = ROWS * padded_length(length);
    let max_rows = (CHUNK_ELEMENTS / padded_length(length))
        .max(MIN_CHUNK_ROWS)
        .min(row_nest.innermost_rows())
        .next_multiple_of(ROWS);
    let is_row = |view: &View| view.strides[task.dimension] == 1 && length >= ROWS;
    let (reads_rows, writes_rows) = (is_row(&task.operands[0].view), is_row(&task.outs[0]));
    let groups = if reads_rows && writes_rows { 1 } else { max_rows / ROWS };
    let mut keys_memory = context.scratch.floats(groups * group_elements);
    let mut row = context.scratch.words(2 * length);
    keys_memory.as_mut_slice().fill(f32::from_bits(u32::MAX));
    let mut unreported = 0;
    let outcome = row_nest.for_each_chunk(max_rows, &mut |views| {
        let group_keys = keys_memory.as_mut_slice();
        let rows = views[0].sizes[0];
        if !reads_rows {
            // Lanes without a row are zeros.
            group_keys[(rows - 1) / ROWS * group_elements..][..ROWS * length].fill(0.0);
            for [view, lanes] in view_pairs(&views[0], group_elements) {
                let mut group_keys = SliceMut::F32(group_keys);
                copy_view_unreported(
                    4,
                    [&view, &lanes],
                    read.as_bytes(),
                    group_keys.as_bytes_mut(),
                    context,
                )?;
            }
        }
        for group in 0..rows.div_ceil(ROWS) {
            let keys = &mut group_keys[group % groups * group_elements..][..group_elements];
            if reads_rows {
                let from = addresses(&views[0], group, read.as_bytes().as_ptr_range())
                    .ok_or(KernelError::InvalidTask)?;
                // SAFETY: the addresses are those of rows of this length.
                unsafe { read_rows::<L>(from.map(<*const u8>::cast), &mut keys[..ROWS * length], encoding) }
            } else {
                map_vectors(&mut keys[..ROWS * length], |values: L| encoding.encode_vector(values));
            }
            sort::<L>(keys, length);
            if has_special_row(&keys[..ROWS * length], encoding) {
                for [view, lanes] in view_pairs(&rows_of(&views[0], group), group_elements) {
                    copy_view_unreported(
                        4,
                        [&view, &lanes],
                        read.as_bytes(),
                        SliceMut::F32(keys).as_bytes_mut(),
                        context,
                    )?;
                }
                sort_separately((task, encoding), &mut keys[..ROWS * length], &mut row, sorter, context)?;
            }
            if writes_rows {
                let bytes = written.as_bytes_mut().as_mut_ptr_range();
                let to = addresses(&views[1], group, bytes.start.cast_const()..bytes.end.cast_const());
                let to = to.ok_or(KernelError::InvalidTask)?.map(|to| to.cast_mut().cast());
                // SAFETY: the addresses are those of rows of this length, in memory that is written.
                unsafe { write_rows::<L>(to, &keys[..ROWS * length], encoding) }
            } else {
                map_vectors(&mut keys[..ROWS * length], |keys: L| encoding.decode_vector(keys));
            }
            unreported += (ROWS.min(rows - group * ROWS) * length) as u64;
            if unreported >= CANCEL_CHECK_INTERVAL_ELEMENTS {
                context.tick(std::mem::take(&mut unreported))?;
            }
        }
        if !writes_rows {
            for [view, lanes] in view_pairs(&views[1], group_elements) {
                let group_keys = Slice::F32(group_keys);
                copy_view_unreported(
                    4,
                    [&lanes, &view],
                    group_keys.as_bytes(),
                    written.as_bytes_mut(),
                    context,
                )?;
            }
        }
        Ok(())
    });
    context.scratch.recycle(keys_memory);
    context.scratch.recycle_words(row);
    outcome?;
    context.tick(unreported)
}

/// The addresses of four rows whose elements are adjacent; the last row is repeated if there are fewer. `None` if one would
/// exceed the buffer.
fn addresses(view: &View, group: usize, buffer: std::ops::Range<*const u8>) -> Option<[*const u8; ROWS]> {
    let bytes = buffer.end.addr() - buffer.start.addr();
    let mut addresses = [buffer.start; ROWS];
    for (lane, address) in addresses.iter_mut().enumerate() {
        let row = (ROWS * group + lane).min(view.sizes[0] - 1).cast_signed();
        let start = view.offset.checked_add_signed(view.strides[0].checked_mul(row)?)?;
        if start.checked_add(view.sizes[1])?.checked_mul(4)? > bytes {
            return None;
        }
        *address = address.wrapping_add(4 * start);
    }
    Some(addresses)
}

/// Pairs of views, of rows and of their interleaved copy: of the whole groups of four, then of the rest. A group has
/// `group_elements` elements.
fn view_pairs(view: &View, group_elements: usize) -> impl Iterator<Item = [View; 2]> {
    let (rows, length) = (view.sizes[0], view.sizes[1]);
    let (row_stride, element_stride) = (view.strides[0], view.strides[1]);
    let whole = rows / ROWS;
    let part = move |first: usize, groups: usize, rows: usize| {
        let sizes = vec![groups, rows, length];
        let offset = view.offset.wrapping_add_signed(row_stride * (first * ROWS).cast_signed());
        let view = View {
            offset,
            sizes: sizes.clone(),
            strides: vec![row_stride * ROWS.cast_signed(), row_stride, element_stride],
        };
        [
            view,
            View {
                offset: first * group_elements,
                sizes,
                strides: vec![group_elements.cast_signed(), 1, ROWS.cast_signed()],
            },
        ]
    };
    [part(0, whole, ROWS), part(whole, 1, rows % ROWS)]
        .into_iter()
        .filter(|[view, _]| !view.sizes.contains(&0))
}

/// The view of a group of four rows, or of the remaining rows.
fn rows_of(view: &View, group: usize) -> View {
    let first = ROWS * group;
    View {
        offset: view.offset.wrapping_add_signed(view.strides[0] * first.cast_signed()),
        sizes: vec![ROWS.min(view.sizes[0] - first), view.sizes[1]],
        strides: view.strides.clone(),
    }
}

/// Applies `f` to vectors of values, in place.
#[inline(always)]
fn map_vectors<L: Lanes>(elements: &mut [f32], f: impl Fn(L) -> L) {
    for four in elements.as_chunks_mut::<ROWS>().0 {
        f(L::load(four)).store(four);
    }
}

/// Whether one of four sorted rows has NaN, or zeros of both signs, in the partial order of floats. On sorted rows this is a
/// check of the ends and a binary search; before sorting, it would be a check of each value.
fn has_special_row(keys: &[f32], encoding: KeyEncoding) -> bool {
    let Some([a, b]) = encoding.signed_zero_keys() else { return false };
    let [low, high] = encoding.non_nan_key_range::<u32>();
    let keys = keys.as_chunks::<ROWS>().0;
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return false };
    (0..ROWS).any(|lane| {
        let (first, last) = (first[lane].to_bits(), last[lane].to_bits());
        let has_both_zeros = || {
            let position = keys.partition_point(|keys| keys[lane].to_bits() < b);
            position > 0 && keys[position - 1][lane].to_bits() == a && keys[position][lane].to_bits() == b
        };
        first < low || last > high || (first <= a && b <= last && has_both_zeros())
    })
}

/// Interleaves the keys of four rows.
///
/// # Safety
/// Each row has `keys.len() / 4` elements, at least four, which can be read.
unsafe fn read_rows<L: Lanes>(rows: [*const f32; ROWS], keys: &mut [f32], encoding: KeyEncoding) {
    let length = keys.len() / ROWS;
    for i in (0..length).step_by(ROWS) {
        // The last vectors are moved back to end with the rows: some elements are read twice.
        let i = i.min(length - ROWS);
        // SAFETY: four elements from `i` on are in the rows, four vectors from `i` on in the memory.
        unsafe {
            let values = L::transposed(rows.map(|row| L::read(row.add(i))));
            for (k, values) in values.into_iter().enumerate() {
                encoding.encode_vector(values).write(keys.as_mut_ptr().add(ROWS * (i + k)));
            }
        }
    }
}

/// Writes the values of four interleaved rows of keys.
///
/// # Safety
/// Each row has `keys.len() / 4` elements, at least four, which can be written.
unsafe fn write_rows<L: Lanes>(rows: [*mut f32; ROWS], keys: &[f32], encoding: KeyEncoding) {
    let length = keys.len() / ROWS;
    for i in (0..length).step_by(ROWS) {
        let i = i.min(length - ROWS);
        // SAFETY: four elements from `i` on are in the rows, four vectors from `i` on in the memory.
        unsafe {
            let keys =
                [0, 1, 2, 3].map(|k| encoding.decode_vector(L::read(keys.as_ptr().add(ROWS * (i + k)))));
            let [a, b, c, d] = L::transposed(keys);
            // Of lanes with the same address the first has the row's values: it is written last.
            d.write(rows[3].add(i));
            c.write(rows[2].add(i));
            b.write(rows[1].add(i));
            a.write(rows[0].add(i));
        }
    }
}

/// Sorts four interleaved rows of values one by one, and replaces them by their sorted keys.
#[cold]
#[inline(never)]
fn sort_separately(
    (task, encoding): (&Sort, KeyEncoding),
    keys: &mut [f32],
    row: &mut [u32],
    sorter: &mut RowSorter,
    context: &mut Context,
) -> Result<(), KernelError> {
    let length = keys.len() / ROWS;
    let (from, to) = row[..2 * length].split_at_mut(length);
    for lane in 0..ROWS {
        for (element, keys) in from.iter_mut().zip(keys.as_chunks::<ROWS>().0) {
            *element = keys[lane].to_bits();
        }
        let sorted = sorter.sort::<u32, 4>(task, encoding, bytes_of(from), context)?;
        sorter.write_row::<u32, 4>(sorted, encoding, 4, bytes_of(from), bytes_of(to));
        for (element, keys) in to.iter().zip(keys.as_chunks_mut::<ROWS>().0) {
            keys[lane] = f32::from_bits(encoding.encode(*element));
        }
    }
    Ok(())
}
