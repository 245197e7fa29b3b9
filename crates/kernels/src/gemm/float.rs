//! The micro-kernel of `f32`, and the packing of panels of `f32`.
//!
//! A tile is 4 x 8: eight vectors of sums, two of the right panel, one broadcast number of the left and one product fit sixteen
//! registers. With fused multiply-add it is 3 x 12, since nine vectors of sums hide its latency. Each panel is read through one
//! pointer with constant offsets: anything else is twice as slow in some browsers.

#![allow(
    unsafe_code,
    reason = "tiles and packing read memory whose bounds are proved once for a whole panel"
)]

use crate::gemm::matrix::{DepthBlock, MR, MatrixOperand, NR, Number};
use crate::gemm::typed;
use crate::ground::scalars::canonicalized_f32;
use crate::ground::slice::Slice;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

impl Number for f32 {
    const PACKING: &'static str = "panels of f32";

    fn pack(operand: &MatrixOperand, outer: &[isize], depth: &[isize], width: usize, to: &mut [Self]) {
        if let Slice::F32(cells) = operand.cells {
            match width {
                4 => pack::<F32x4, 4>(cells, outer, depth, to),
                NR => pack::<F32x4, NR>(cells, outer, depth, to),
                _ => pack::<F32x4, MR>(cells, outer, depth, to),
            }
        } else {
            typed::gather(operand, outer, depth, width, to);
        }
    }

    unsafe fn tile(
        [rows, columns]: [usize; 2],
        depth: usize,
        a: *const f32,
        b: *const f32,
        to: &[*mut f32; MR],
        stage: DepthBlock,
    ) {
        macro_rules! tiles {
            ($($r:literal $v:literal)*) => {
                // SAFETY: panels and rows are as long as `Number::tile` demands, whose terms `tile` repeats.
                match (rows, columns.div_ceil(4)) {
                    $(($r, $v) if $r <= MR && $v * 4 <= NR => unsafe { tile::<F32x4, $r, $v>(depth, a, b, to, stage) },)*
                    _ => {}
                }
            };
        }
        tiles! { 4 2 3 3 3 2 2 3 2 2 1 3 1 2 4 1 3 1 2 1 1 1 }
    }

    unsafe fn strip(
        rows: usize,
        depth: usize,
        panels: [*const f32; 2],
        to: &[*mut f32; MR],
        columns: &[isize],
        stage: DepthBlock,
    ) {
        macro_rules! strips {
            ($($r:literal)*) => {
                // SAFETY: panels and rows are as long as `Number::strip` demands, whose terms `strip` repeats.
                match rows {
                    $($r if $r <= MR => unsafe { strip::<F32x4, $r, { NR / 4 }>(depth, panels, to, columns, stage) },)*
                    _ => {}
                }
            };
        }
        strips! { 4 3 2 1 }
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn plus_product(self, a: Self, b: Self) -> Self {
        let [sum, ..] = F32x4::splat(a).madd(F32x4::splat(b), F32x4::splat(self)).to_array();
        sum
    }
    fn canonicalized(self) -> Self {
        canonicalized_f32(self)
    }
    fn is_nan(self) -> bool {
        Self::is_nan(self)
    }
    fn copy(from: &[Self], to: &mut [Self]) {
        let end = from.len();
        assert!(to.len() == end);
        if end < 16 {
            to.copy_from_slice(from);
            return;
        }
        for at in (0..end).step_by(16) {
            // The last sixteen may overlap those before.
            let at = at.min(end - 16);
            for v in 0..4 {
                // SAFETY: `at + 16` is at most the length of both.
                unsafe { F32x4::read(from.as_ptr().add(at + 4 * v)).write(to.as_mut_ptr().add(at + 4 * v)) };
            }
        }
    }
    fn deinterleave(from: &[Self], even: &mut [Self], odd: &mut [Self]) {
        let pairs = from.len() / 2;
        assert!(even.len() == from.len().div_ceil(2) && odd.len() == pairs);
        if let (true, [.., last]) = (even.len() > pairs, from) {
            even[pairs] = *last;
        }
        if pairs < 8 {
            for (pair, (even, odd)) in from.chunks_exact(2).zip(even.iter_mut().zip(odd)) {
                (*even, *odd) = (pair[0], pair[1]);
            }
            return;
        }
        for at in (0..pairs).step_by(8) {
            // The last eight pairs may overlap those before.
            let at = at.min(pairs - 8);
            // SAFETY: `at + 8` is at most the number of pairs.
            unsafe {
                let (from, even, odd) =
                    (from.as_ptr().add(2 * at), even.as_mut_ptr().add(at), odd.as_mut_ptr().add(at));
                for v in [0, 4] {
                    let (low, high) = (F32x4::read(from.add(2 * v)), F32x4::read(from.add(2 * v + 4)));
                    low.even(high).write(even.add(v));
                    low.odd(high).write(odd.add(v));
                }
            }
        }
    }
    fn floats(cells: &mut [Self]) -> Option<&mut [f32]> {
        Some(cells)
    }
}

/// The micro-kernel of `R` rows and `4 * V` columns. Never inlined, so that browsers' optimizing compilers reach it soon.
///
/// # Safety
/// [`Number::tile`].
#[inline(never)]
unsafe fn tile<L: Lanes, const R: usize, const V: usize>(
    depth: usize,
    a: *const f32,
    b: *const f32,
    to: &[*mut f32; MR],
    stage: DepthBlock,
) {
    let mut sums = [[L::zero(); V]; R];
    let (mut a, mut b) = (a, b);
    // Not unrolled: browsers would keep fewer of the sums in registers.
    let end = a.wrapping_add(depth * MR);
    while a != end {
        // SAFETY: `a` has `depth * MR` cells and `b` has `depth * NR`: before each of `depth` steps `MR` and `NR` are left.
        unsafe {
            step(&mut sums, a, b);
            a = a.add(MR);
            b = b.add(NR);
        }
    }
    // SAFETY: from each of the first `R` pointers of `to` on `4 * V` cells can be read and written.
    unsafe { put(sums, to, 0, stage) }
}

/// [`tile`] of `R` rows and consecutive whole panels.
///
/// # Safety
/// [`Number::strip`].
#[inline(never)]
unsafe fn strip<L: Lanes, const R: usize, const V: usize>(
    depth: usize,
    [first, b]: [*const f32; 2],
    to: &[*mut f32; MR],
    columns: &[isize],
    stage: DepthBlock,
) {
    let mut b = b;
    for columns in columns.chunks_exact(NR) {
        let mut sums = [[L::zero(); V]; R];
        let (mut a, end) = (first, first.wrapping_add(depth * MR));
        while a != end {
            // SAFETY: `a` has `depth * MR` cells and `b` has `depth * NR` for each panel: before each step `MR` and `NR` are
            // left.
            unsafe {
                step(&mut sums, a, b);
                a = a.add(MR);
                b = b.add(NR);
            }
        }
        // SAFETY: `columns[0]` cells from each of the first `R` pointers of `to` on `NR` cells can be read and written.
        unsafe { put(sums, to, columns[0], stage) }
    }
}

/// Adds the products of one depth (a rank-1 update).
///
/// # Safety
/// `R` cells can be read at `a`, `4 * V` at `b`.
#[inline(always)]
unsafe fn step<L: Lanes, const R: usize, const V: usize>(
    sums: &mut [[L; V]; R],
    a: *const f32,
    b: *const f32,
) {
    // SAFETY: `R` cells can be read at `a`, `4 * V` at `b`.
    unsafe {
        let mut right = [L::zero(); V];
        for (v, right) in right.iter_mut().enumerate() {
            *right = L::read(b.add(4 * v));
        }
        for (r, sums) in sums.iter_mut().enumerate() {
            let left = L::read_splat(a.add(r));
            for (sum, right) in sums.iter_mut().zip(right) {
                *sum = left.madd(right, *sum);
            }
        }
    }
}

/// Writes sums to the result, or adds them to it, `at` cells after each pointer.
///
/// # Safety
/// [`Number::tile`], of the rows.
#[inline(always)]
unsafe fn put<L: Lanes, const R: usize, const V: usize>(
    sums: [[L; V]; R],
    to: &[*mut f32; MR],
    at: isize,
    stage: DepthBlock,
) {
    for (sums, to) in sums.iter().zip(to) {
        for (v, sum) in sums.iter().enumerate() {
            // SAFETY: `at` cells from the pointer on `4 * V` cells can be read and written.
            unsafe {
                let to = to.wrapping_offset(at).add(4 * v);
                let sum = if stage.is_first { *sum } else { L::read(to).add(*sum) };
                if stage.is_last { sum.canonicalized() } else { sum }.write(to);
            }
        }
    }
}

/// Maximum depth that is packed panel by panel.
const MAX_SHALLOW_DEPTH: usize = 64;
/// Of more depth, the depths that are packed for all panels before the next: rows of memory that are read together.
const DEPTHS_AT_ONCE: usize = 8;

/// Packs lines of `f32` into panels of `W` lines. Soundness: every cell of these lines and depths is asserted to be in bounds, so
/// that vectors of them are read without further checks; a vector that also reads other cells is checked ([`two_runs`]).
fn pack<L: Lanes, const W: usize>(cells: &[f32], outer: &[isize], depth: &[isize], to: &mut [f32]) {
    let depth_count = depth.len();
    let (Some(low), Some(high)) = (depth.iter().min(), depth.iter().max()) else { return };
    assert!(outer.len().is_multiple_of(W) && to.len() >= outer.len() * depth_count);
    let to = &mut to[..outer.len() * depth_count];
    let inside = |line: &isize| line + low >= 0 && (line + high).cast_unsigned() < cells.len();
    assert!(outer.iter().all(inside));
    let is_run = |all: &[isize]| all.windows(2).all(|two| two[1] == two[0] + 1);
    let from = cells.as_ptr();
    let is_deep = depth_count >= 4 && is_run(depth) && !is_run(&outer[..W.min(4)]);
    if is_deep {
        for (t, outer) in outer.chunks_exact(W).enumerate() {
            for (v, outer) in outer.chunks(4).enumerate() {
                transpose::<L, W>(cells, outer, depth, &mut to[t * W * depth_count + 4 * v..]);
            }
        }
        return;
    }
    let at_once = if depth_count <= MAX_SHALLOW_DEPTH { MAX_SHALLOW_DEPTH } else { DEPTHS_AT_ONCE };
    for start in (0..depth_count).step_by(at_once) {
        let depth = &depth[start..depth_count.min(start + at_once)];
        for (t, outer) in outer.chunks_exact(W).enumerate() {
            if W.is_multiple_of(4) && is_run(outer) {
                let to = &mut to[(t * depth_count + start) * W..][..depth.len() * W];
                for (k, at) in depth.iter().enumerate() {
                    for v in (0..W).step_by(4) {
                        // SAFETY: the first and the last of the lines are within; `to` is that long.
                        unsafe {
                            L::read(from.offset(outer[0] + at + v.cast_signed()))
                                .write(to.as_mut_ptr().add(k * W + v));
                        }
                    }
                }
                continue;
            }
            for (v, outer) in outer.chunks(4).enumerate() {
                let to = &mut to[(t * depth_count + start) * W + 4 * v..];
                let to = &mut to[..(depth.len() - 1) * W + outer.len()];
                if outer.len() == 4 && is_run(outer) {
                    for (k, at) in depth.iter().enumerate() {
                        // SAFETY: the first and the last of the four lines are within; `to` is that long.
                        unsafe { L::read(from.offset(outer[0] + at)).write(to.as_mut_ptr().add(k * W)) };
                    }
                } else if let Some((other, mask)) = two_runs::<L>(outer, cells.len(), [*low, *high]) {
                    for (k, at) in depth.iter().enumerate() {
                        // SAFETY: both vectors were checked; `to` is that long.
                        unsafe {
                            let one = L::read(from.offset(outer[0] + at));
                            let two = L::read(from.offset(other + at));
                            one.select(two, mask).write(to.as_mut_ptr().add(k * W));
                        }
                    }
                } else {
                    for (k, at) in depth.iter().enumerate() {
                        for (v, line) in outer.iter().enumerate() {
                            // SAFETY: a line that is within; `to` is that long.
                            unsafe { *to.get_unchecked_mut(k * W + v) = *from.offset(line + at) };
                        }
                    }
                }
            }
        }
    }
}

/// Packs up to four lines whose depths are adjacent into the first columns of a panel. Of fewer than four, the excess lanes are
/// overwritten by the next depth.
fn transpose<L: Lanes, const W: usize>(cells: &[f32], outer: &[isize], depth: &[isize], to: &mut [f32]) {
    let (depth_count, last) = (depth.len(), outer.len() - 1);
    let to = &mut to[..(depth_count - 1) * W + outer.len()];
    // The bounds of each line are checked here, once.
    let rows = [0, 1, 2, 3].map(|v| &cells[(outer[v.min(last)] + depth[0]).cast_unsigned()..][..depth_count]);
    let whole = if outer.len() == 4 { depth_count / 4 * 4 } else { (depth_count - 1) / 4 * 4 };
    for k in (0..whole).step_by(4) {
        // SAFETY: four depths of each line; the panel is that long, and one depth longer where lines are fewer than four.
        unsafe {
            let columns = L::transposed(rows.map(|row| L::read(row.as_ptr().add(k))));
            for (i, column) in columns.into_iter().enumerate() {
                column.write(to.as_mut_ptr().add((k + i) * W));
            }
        }
    }
    for k in whole..depth_count {
        for (v, row) in rows[..outer.len()].iter().enumerate() {
            to[k * W + v] = row[k];
        }
    }
}

/// For four lines that are two runs of adjacent cells: the offset of the second run's vector, and a mask of the first run's
/// lanes. `None` where they are not, or where a vector would be out of bounds at some depth.
fn two_runs<L: Lanes>(outer: &[isize], cells: usize, [low, high]: [isize; 2]) -> Option<(isize, L)> {
    let first = 1 + outer.windows(2).take_while(|two| two[1] == two[0] + 1).count();
    let other = outer.get(first)? - first.cast_signed();
    let is_run = outer.len() == 4 && (first..4).all(|v| outer[v] == other + v.cast_signed());
    let is_inside = |from: isize| from + low >= 0 && (from + high + 3).cast_unsigned() < cells;
    let mask = [0, 1, 2, 3].map(|v| f32::from_bits(if v < first { u32::MAX } else { 0 }));
    (is_run && is_inside(other) && is_inside(outer[0])).then(|| (other, L::load(&mask)))
}
