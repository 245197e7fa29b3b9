//! Rows sorted four at a time ([`crate::sort::network`]): read into memory of their own, where four rows lie interleaved as
//! keys, sorted there, and written back as values. Rows that lie cell by cell are turned by vectors on the way; others
//! are moved, many at once, so that lines of the cache are used whole.
//!
//! Keys that are equal stand for the same bits, so there is one result, that of radix. Rows of which this cannot be said
//! (NaN, zeros of both signs) are taken out and sorted one by one.

#![allow(
    unsafe_code,
    reason = "sixteen cells are read or written through eight addresses: looks at bounds would show"
)]

use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelOf, linked};
use crate::ground::context::Context;
use crate::ground::slice::{Slice, SliceMut, bytes_of};
use crate::ground::stop::Stop;
use crate::ground::view::View;
use crate::simd::best::Best;
use crate::simd::lanes::Lanes;
use crate::sort::by_radix::{Desk, coding};
use crate::sort::keys::Coding;
use crate::sort::network::{LONGEST, padded, sort};
use crate::sort::rows::Walk;
use crate::sort::task::Sort;
use crate::transfer::plan::move_part;

/// Rows side by side.
const FOUR: usize = 4;
/// Cells of rows that are moved at once, and the fewest rows, which fill a line of the cache where they lie near.
const CELLS: usize = 1 << 15;
const NEAR: usize = 16;

/// Sorts keys of 32 bits alone, of rows that lie beside others.
///
/// It serves where four lanes are one vector, and there are four rows: elsewhere radix is sooner (natively 14 ms, not 39, for
/// 1024 rows of 1024), and gives the same bits.
pub const KERNEL: KernelOf<Sort> = KernelOf {
    kernel: Kernel { name: "sort four rows at once", is_vector: true, bound: 0.0 },
    supports: |task| Best::IS_ONE && coding_of(task).is_some(),
    run: linked(run),
};

/// The keys of a task that is done so.
fn coding_of(task: &Sort) -> Option<Coding> {
    let [operand] = &task.operands[..] else { return None };
    let sizes = &operand.view.sizes;
    let length = *sizes.get(task.dimension)?;
    let rows = sizes.iter().try_fold(1_usize, |all, size| all.checked_mul(*size))?.checked_div(length)?;
    let is_served = rows >= FOUR && (2..=LONGEST).contains(&length);
    coding(task, operand.ty).filter(|coding| coding.bits == 32 && is_served)
}

fn run(task: CheckedTask<Sort>, context: &mut Context) -> Result<(), Stop> {
    let (task, [read], [written]) = task.into_parts() else { return Err(Stop::WrongKernel) };
    let (Some(coding), Some(walk)) = (coding_of(task), Walk::new(task)) else {
        return Err(Stop::WrongKernel);
    };
    let mut desk = Desk::new(walk.length());
    let answer = sort_rows::<Best>((task, coding, &walk), read, written, &mut desk, context);
    desk.give_back(context);
    answer
}

/// Reads, sorts and writes the rows. Errors: cancelled.
fn sort_rows<L: Lanes>(
    (task, coding, walk): (&Sort, Coding, &Walk),
    read: &Slice,
    written: &mut SliceMut,
    desk: &mut Desk,
    context: &mut Context,
) -> Result<(), Stop> {
    let length = walk.length();
    let each = FOUR * padded(length);
    let most = (CELLS / padded(length)).max(NEAR).min(walk.rows()).next_multiple_of(FOUR);
    let is_row = |view: &View| view.strides[task.dimension] == 1 && length >= FOUR;
    let (is_read, is_written) = (is_row(&task.operands[0].view), is_row(&task.outs[0]));
    let fours = if is_read && is_written { 1 } else { most / FOUR };
    let mut own = context.scratch.floats(fours * each);
    let mut row = context.scratch.words(2 * length);
    own.as_mut_slice().fill(f32::from_bits(u32::MAX));
    let mut untold = 0;
    let answer = walk.each(most, &mut |views| {
        let own = own.as_mut_slice();
        let rows = views[0].sizes[0];
        if !is_read {
            // Lanes without a row hold zeros.
            own[(rows - 1) / FOUR * each..][..FOUR * length].fill(0.0);
            for [view, lanes] in interleaved(&views[0], each) {
                let mut own = SliceMut::F32(own);
                move_part(4, [&view, &lanes], read.as_bytes(), own.as_bytes_mut(), context)?;
            }
        }
        for four in 0..rows.div_ceil(FOUR) {
            let keys = &mut own[four % fours * each..][..each];
            if is_read {
                let from =
                    addresses(&views[0], four, read.as_bytes().as_ptr_range()).ok_or(Stop::InvalidTask)?;
                // SAFETY: the addresses are those of rows of this length.
                unsafe { read_rows::<L>(from.map(<*const u8>::cast), &mut keys[..FOUR * length], coding) }
            } else {
                each_vector(&mut keys[..FOUR * length], |values: L| coding.keys(values));
            }
            sort::<L>(keys, length);
            if is_odd(&keys[..FOUR * length], coding) {
                for [view, lanes] in interleaved(&rows_of(&views[0], four), each) {
                    move_part(
                        4,
                        [&view, &lanes],
                        read.as_bytes(),
                        SliceMut::F32(keys).as_bytes_mut(),
                        context,
                    )?;
                }
                apart((task, coding), &mut keys[..FOUR * length], &mut row, desk, context)?;
            }
            if is_written {
                let bytes = written.as_bytes_mut().as_mut_ptr_range();
                let to = addresses(&views[1], four, bytes.start.cast_const()..bytes.end.cast_const());
                let to = to.ok_or(Stop::InvalidTask)?.map(|to| to.cast_mut().cast());
                // SAFETY: the addresses are those of rows of this length, in memory that is written.
                unsafe { write_rows::<L>(to, &keys[..FOUR * length], coding) }
            } else {
                each_vector(&mut keys[..FOUR * length], |keys: L| coding.values(keys));
            }
            untold += (FOUR * length) as u64;
            if untold >= 1 << 17 {
                context.tick(std::mem::take(&mut untold))?;
            }
        }
        if !is_written {
            for [view, lanes] in interleaved(&views[1], each) {
                let own = Slice::F32(own);
                move_part(4, [&lanes, &view], own.as_bytes(), written.as_bytes_mut(), context)?;
            }
        }
        Ok(())
    });
    context.scratch.keep(own);
    context.scratch.keep_words(row);
    answer?;
    context.tick(untold)
}

/// Where four rows begin whose cells lie side by side, the last more than once if there are less; `None` if one would leave
/// its buffer.
fn addresses(view: &View, four: usize, buffer: std::ops::Range<*const u8>) -> Option<[*const u8; FOUR]> {
    let bytes = buffer.end.addr() - buffer.start.addr();
    let mut addresses = [buffer.start; FOUR];
    for (lane, address) in addresses.iter_mut().enumerate() {
        let row = (FOUR * four + lane).min(view.sizes[0] - 1).cast_signed();
        let start = view.offset.checked_add_signed(view.strides[0].checked_mul(row)?)?;
        if start.checked_add(view.sizes[1])?.checked_mul(4)? > bytes {
            return None;
        }
        *address = address.wrapping_add(4 * start);
    }
    Some(addresses)
}

/// Rows, and where they are interleaved: the whole fours, then the rest. Each four takes `each` cells.
fn interleaved(view: &View, each: usize) -> impl Iterator<Item = [View; 2]> {
    let (rows, length) = (view.sizes[0], view.sizes[1]);
    let (step, cell) = (view.strides[0], view.strides[1]);
    let whole = rows / FOUR;
    let part = move |first: usize, fours: usize, rows: usize| {
        let sizes = vec![fours, rows, length];
        let offset = view.offset.wrapping_add_signed(step * (first * FOUR).cast_signed());
        let view =
            View { offset, sizes: sizes.clone(), strides: vec![step * FOUR.cast_signed(), step, cell] };
        [view, View { offset: first * each, sizes, strides: vec![each.cast_signed(), 1, FOUR.cast_signed()] }]
    };
    [part(0, whole, FOUR), part(whole, 1, rows % FOUR)]
        .into_iter()
        .filter(|[view, _]| !view.sizes.contains(&0))
}

/// Four of the rows, or what is left of them.
fn rows_of(view: &View, four: usize) -> View {
    let first = FOUR * four;
    View {
        offset: view.offset.wrapping_add_signed(view.strides[0] * first.cast_signed()),
        sizes: vec![FOUR.min(view.sizes[0] - first), view.sizes[1]],
        strides: view.strides.clone(),
    }
}

#[inline(always)]
fn each_vector<L: Lanes>(cells: &mut [f32], f: impl Fn(L) -> L) {
    for four in cells.as_chunks_mut::<FOUR>().0 {
        f(L::load(four)).store(four);
    }
}

/// Whether one of four sorted rows has NaN, or zeros of both signs, where floats compare as numbers. Once they are sorted this
/// takes a look at the ends, and a search; before, it would take a look at each value.
fn is_odd(keys: &[f32], coding: Coding) -> bool {
    let Some([a, b]) = coding.zeros() else { return false };
    let [low, high] = coding.numbers::<u32>();
    let keys = keys.as_chunks::<FOUR>().0;
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return false };
    (0..FOUR).any(|lane| {
        let (first, last) = (first[lane].to_bits(), last[lane].to_bits());
        let has_both = || {
            let place = keys.partition_point(|keys| keys[lane].to_bits() < b);
            place > 0 && keys[place - 1][lane].to_bits() == a && keys[place][lane].to_bits() == b
        };
        first < low || last > high || (first <= a && b <= last && has_both())
    })
}

/// Interleaves the keys of four rows.
///
/// # Safety
/// Each row can be read. It is as long as the vectors are many, at least four.
unsafe fn read_rows<L: Lanes>(rows: [*const f32; FOUR], keys: &mut [f32], coding: Coding) {
    let length = keys.len() / FOUR;
    for i in (0..length).step_by(FOUR) {
        // The last that would reach over the end are moved back, and some are read again.
        let i = i.min(length - FOUR);
        // SAFETY: four cells from `i` on are in the rows, four vectors from `i` on in the memory.
        unsafe {
            let values = L::transposed(rows.map(|row| L::read(row.add(i))));
            for (k, values) in values.into_iter().enumerate() {
                coding.keys(values).write(keys.as_mut_ptr().add(FOUR * (i + k)));
            }
        }
    }
}

/// Writes the values of four interleaved rows of keys.
///
/// # Safety
/// Each row can be written. It is as long as the vectors are many, at least four.
unsafe fn write_rows<L: Lanes>(rows: [*mut f32; FOUR], keys: &[f32], coding: Coding) {
    let length = keys.len() / FOUR;
    for i in (0..length).step_by(FOUR) {
        let i = i.min(length - FOUR);
        // SAFETY: four cells from `i` on are in the rows, four vectors from `i` on in the memory.
        unsafe {
            let keys = [0, 1, 2, 3].map(|k| coding.values(L::read(keys.as_ptr().add(FOUR * (i + k)))));
            let [a, b, c, d] = L::transposed(keys);
            // Of lanes that name the same row the first is the row's own: it is written last.
            d.write(rows[3].add(i));
            c.write(rows[2].add(i));
            b.write(rows[1].add(i));
            a.write(rows[0].add(i));
        }
    }
}

/// Sorts four interleaved rows of values one by one; keys are left.
#[cold]
#[inline(never)]
fn apart(
    (task, coding): (&Sort, Coding),
    keys: &mut [f32],
    row: &mut [u32],
    desk: &mut Desk,
    context: &mut Context,
) -> Result<(), Stop> {
    let length = keys.len() / FOUR;
    let (from, to) = row[..2 * length].split_at_mut(length);
    for lane in 0..FOUR {
        for (cell, keys) in from.iter_mut().zip(keys.as_chunks::<FOUR>().0) {
            *cell = keys[lane].to_bits();
        }
        let sorted = desk.sort::<u32, 4>(task, coding, bytes_of(from), context)?;
        desk.put::<u32, 4>(sorted, coding, 4, bytes_of(from), bytes_of(to));
        for (cell, keys) in to.iter().zip(keys.as_chunks_mut::<FOUR>().0) {
            keys[lane] = f32::from_bits(coding.key(*cell));
        }
    }
    Ok(())
}
