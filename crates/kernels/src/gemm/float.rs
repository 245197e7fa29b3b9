//! The micro-kernel of `f32`, and the packing of panels of `f32`.
//!
//! A tile is 4 x 8: eight vectors of sums, two of the right panel, one broadcast number of the left and one product fit sixteen
//! registers. With fused multiply-add it is 3 x 12, since nine vectors of sums hide its latency. Each panel is read through one
//! pointer with constant offsets: alternatives are twice as slow in some browsers.

#![allow(
    unsafe_code,
    reason = "tiles and packing read memory whose bounds are proved once for a whole panel"
)]

#[cfg(all(target_arch = "x86_64", not(miri)))]
use crate::gemm::avx;
use crate::gemm::matrix::{DepthBlock, GemmScalar, MR, MatrixOperand, NR};
use crate::gemm::typed;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;
use crate::support::scalars::canonicalized_f32;
use crate::support::slice::Slice;

impl GemmScalar for f32 {
    const PACKING: &'static str = "panels of f32";

    fn pack(
        operand: &MatrixOperand,
        free_offsets: &[isize],
        depth_offsets: &[isize],
        width: usize,
        to: &mut [Self],
    ) {
        if let Slice::F32(elements) = operand.elements {
            match width {
                4 => pack::<F32x4, 4>(elements, free_offsets, depth_offsets, to),
                NR => pack::<F32x4, NR>(elements, free_offsets, depth_offsets, to),
                _ => pack::<F32x4, MR>(elements, free_offsets, depth_offsets, to),
            }
        } else {
            typed::gather(operand.operand_slice(), free_offsets, depth_offsets, width, to);
        }
    }

    unsafe fn tile(
        [rows, columns]: [usize; 2],
        depth: usize,
        a: *const f32,
        b: *const f32,
        to: &[*mut f32; MR],
        depth_block: DepthBlock,
    ) {
        macro_rules! tiles {
            ($($r:literal $v:literal)*) => {
                // SAFETY: panels and rows are as long as `GemmScalar::tile` demands, whose terms `tile` repeats.
                match (rows, columns.div_ceil(4)) {
                    $(($r, $v) if $r <= MR && $v * 4 <= NR => unsafe { tile::<F32x4, $r, $v>(depth, a, b, to, depth_block) },)*
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
        depth_block: DepthBlock,
    ) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if avx::is_available() {
            // SAFETY: panels and rows are as long as `GemmScalar::strip` demands, and the processor has AVX.
            return unsafe {
                match rows {
                    1 => avx::strip::<1>(depth, panels, to, columns, depth_block),
                    2 => avx::strip::<2>(depth, panels, to, columns, depth_block),
                    3 => avx::strip::<3>(depth, panels, to, columns, depth_block),
                    _ => avx::strip::<4>(depth, panels, to, columns, depth_block),
                }
            };
        }
        macro_rules! strips {
            ($($r:literal)*) => {
                // SAFETY: panels and rows are as long as `GemmScalar::strip` demands, whose terms `strip` repeats.
                match rows {
                    $($r if $r <= MR => unsafe { strip::<F32x4, $r, { NR / 4 }>(depth, panels, to, columns, depth_block) },)*
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
    fn as_f32_mut(elements: &mut [Self]) -> Option<&mut [f32]> {
        Some(elements)
    }
}

/// The micro-kernel of `R` rows and `4 * V` columns. Not inlined: as a small function, browsers optimize it earlier.
///
/// # Safety
/// [`GemmScalar::tile`].
#[inline(never)]
unsafe fn tile<L: Lanes, const R: usize, const V: usize>(
    depth: usize,
    a: *const f32,
    b: *const f32,
    to: &[*mut f32; MR],
    depth_block: DepthBlock,
) {
    let mut sums = [[L::zero(); V]; R];
    let (mut a, mut b) = (a, b);
    // Not unrolled: browsers would spill some of the sums.
    let end = a.wrapping_add(depth * MR);
    while a != end {
        // SAFETY: `a` has `depth * MR` elements and `b` has `depth * NR`: before each of `depth` steps `MR` and `NR` are left.
        unsafe {
            add_outer_product(&mut sums, a, b);
            a = a.add(MR);
            b = b.add(NR);
        }
    }
    // SAFETY: from each of the first `R` pointers of `to` on `4 * V` elements can be read and written.
    unsafe { store_tile(sums, to, 0, depth_block) }
}

/// [`tile`] of `R` rows and consecutive whole panels.
///
/// # Safety
/// [`GemmScalar::strip`].
#[inline(never)]
unsafe fn strip<L: Lanes, const R: usize, const V: usize>(
    depth: usize,
    [first, b]: [*const f32; 2],
    to: &[*mut f32; MR],
    columns: &[isize],
    depth_block: DepthBlock,
) {
    let mut b = b;
    for columns in columns.chunks_exact(NR) {
        let mut sums = [[L::zero(); V]; R];
        let (mut a, end) = (first, first.wrapping_add(depth * MR));
        while a != end {
            // SAFETY: `a` has `depth * MR` elements and `b` has `depth * NR` for each panel: before each step `MR` and `NR` are
            // left.
            unsafe {
                add_outer_product(&mut sums, a, b);
                a = a.add(MR);
                b = b.add(NR);
            }
        }
        // SAFETY: `columns[0]` elements from each of the first `R` pointers of `to` on `NR` elements can be read and written.
        unsafe { store_tile(sums, to, columns[0], depth_block) }
    }
}

/// Adds the outer product of one depth (a rank-1 update).
///
/// # Safety
/// `R` elements can be read at `a`, `4 * V` at `b`.
#[inline(always)]
unsafe fn add_outer_product<L: Lanes, const R: usize, const V: usize>(
    sums: &mut [[L; V]; R],
    a: *const f32,
    b: *const f32,
) {
    // SAFETY: `R` elements can be read at `a`, `4 * V` at `b`.
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

/// Writes the sums of a tile to the result, or adds them to it, `at` elements after each pointer.
///
/// # Safety
/// [`GemmScalar::tile`], of the rows.
#[inline(always)]
unsafe fn store_tile<L: Lanes, const R: usize, const V: usize>(
    sums: [[L; V]; R],
    to: &[*mut f32; MR],
    at: isize,
    depth_block: DepthBlock,
) {
    for (sums, to) in sums.iter().zip(to) {
        for (v, sum) in sums.iter().enumerate() {
            // SAFETY: `at` elements from the pointer on `4 * V` elements can be read and written.
            unsafe {
                let to = to.wrapping_offset(at).add(4 * v);
                let sum = if depth_block.is_first { *sum } else { L::read(to).add(*sum) };
                if depth_block.is_last { sum.canonicalized() } else { sum }.write(to);
            }
        }
    }
}

/// Maximum depth that is packed in one pass over the panels.
const MAX_SINGLE_PASS_DEPTH: usize = 64;
/// Depths that a pass over all panels packs if there are more: it reads whole rows of memory.
const DEPTHS_PER_PASS: usize = 8;

/// Packs `f32` elements into panels of `W` free indices. Soundness: every element at these offsets is asserted to be in bounds,
/// which justifies vector loads without further checks; a vector that also reads other elements is checked by [`two_runs`].
fn pack<L: Lanes, const W: usize>(
    elements: &[f32],
    free_offsets: &[isize],
    depth_offsets: &[isize],
    to: &mut [f32],
) {
    let depth_count = depth_offsets.len();
    let (Some(low), Some(high)) = (depth_offsets.iter().min(), depth_offsets.iter().max()) else { return };
    assert!(free_offsets.len().is_multiple_of(W) && to.len() >= free_offsets.len() * depth_count);
    let to = &mut to[..free_offsets.len() * depth_count];
    let is_in_bounds = |at: &isize| at + low >= 0 && (at + high).cast_unsigned() < elements.len();
    assert!(free_offsets.iter().all(is_in_bounds));
    let is_run = |offsets: &[isize]| offsets.windows(2).all(|pair| pair[1] == pair[0] + 1);
    let from = elements.as_ptr();
    let is_depth_contiguous = depth_count >= 4 && is_run(depth_offsets) && !is_run(&free_offsets[..W.min(4)]);
    if is_depth_contiguous {
        for (t, free_offsets) in free_offsets.chunks_exact(W).enumerate() {
            for (v, free_offsets) in free_offsets.chunks(4).enumerate() {
                pack_transposed::<L, W>(
                    elements,
                    free_offsets,
                    depth_offsets,
                    &mut to[t * W * depth_count + 4 * v..],
                );
            }
        }
        return;
    }
    let depths_per_pass =
        if depth_count <= MAX_SINGLE_PASS_DEPTH { MAX_SINGLE_PASS_DEPTH } else { DEPTHS_PER_PASS };
    for start in (0..depth_count).step_by(depths_per_pass) {
        let depth_offsets = &depth_offsets[start..depth_count.min(start + depths_per_pass)];
        for (t, free_offsets) in free_offsets.chunks_exact(W).enumerate() {
            if W.is_multiple_of(4) && is_run(free_offsets) {
                let to = &mut to[(t * depth_count + start) * W..][..depth_offsets.len() * W];
                for (k, at) in depth_offsets.iter().enumerate() {
                    for v in (0..W).step_by(4) {
                        // SAFETY: the first and the last element of the run are in bounds; `to` is that long.
                        unsafe {
                            L::read(from.offset(free_offsets[0] + at + v.cast_signed()))
                                .write(to.as_mut_ptr().add(k * W + v));
                        }
                    }
                }
                continue;
            }
            for (v, free_offsets) in free_offsets.chunks(4).enumerate() {
                let to = &mut to[(t * depth_count + start) * W + 4 * v..];
                let to = &mut to[..(depth_offsets.len() - 1) * W + free_offsets.len()];
                if free_offsets.len() == 4 && is_run(free_offsets) {
                    for (k, at) in depth_offsets.iter().enumerate() {
                        // SAFETY: the first and the last of the four elements are in bounds; `to` is that long.
                        unsafe {
                            L::read(from.offset(free_offsets[0] + at)).write(to.as_mut_ptr().add(k * W));
                        }
                    }
                } else if let Some((second_run, mask)) =
                    two_runs::<L>(free_offsets, elements.len(), [*low, *high])
                {
                    for (k, at) in depth_offsets.iter().enumerate() {
                        // SAFETY: both vectors were checked; `to` is that long.
                        unsafe {
                            let first = L::read(from.offset(free_offsets[0] + at));
                            let second = L::read(from.offset(second_run + at));
                            first.select(second, mask).write(to.as_mut_ptr().add(k * W));
                        }
                    }
                } else {
                    for (k, at) in depth_offsets.iter().enumerate() {
                        for (v, start) in free_offsets.iter().enumerate() {
                            // SAFETY: the element is in bounds; `to` is that long.
                            unsafe { *to.get_unchecked_mut(k * W + v) = *from.offset(start + at) };
                        }
                    }
                }
            }
        }
    }
}

/// Packs up to four free indices whose depths are contiguous into the first columns of a panel, four depths at a time. With fewer
/// than four, the next depth overwrites the excess lanes.
fn pack_transposed<L: Lanes, const W: usize>(
    elements: &[f32],
    free_offsets: &[isize],
    depth_offsets: &[isize],
    to: &mut [f32],
) {
    let (depth_count, last) = (depth_offsets.len(), free_offsets.len() - 1);
    let to = &mut to[..(depth_count - 1) * W + free_offsets.len()];
    // Bounds are checked here, once per free index.
    let rows = [0, 1, 2, 3]
        .map(|v| &elements[(free_offsets[v.min(last)] + depth_offsets[0]).cast_unsigned()..][..depth_count]);
    let whole = if free_offsets.len() == 4 { depth_count / 4 * 4 } else { (depth_count - 1) / 4 * 4 };
    for k in (0..whole).step_by(4) {
        // SAFETY: four depths of each free index; the panel is that long, and one depth longer if there are fewer than four.
        unsafe {
            let columns = L::transposed(rows.map(|row| L::read(row.as_ptr().add(k))));
            for (i, column) in columns.into_iter().enumerate() {
                column.write(to.as_mut_ptr().add((k + i) * W));
            }
        }
    }
    for k in whole..depth_count {
        for (v, row) in rows[..free_offsets.len()].iter().enumerate() {
            to[k * W + v] = row[k];
        }
    }
}

/// For four free indices that are two runs of adjacent elements: the offset of the vector with the second run, and a mask of the
/// first run's lanes. `None` if they are not, or if a vector would be out of bounds at some depth.
fn two_runs<L: Lanes>(free_offsets: &[isize], length: usize, [low, high]: [isize; 2]) -> Option<(isize, L)> {
    let first = 1 + free_offsets.windows(2).take_while(|pair| pair[1] == pair[0] + 1).count();
    let other = free_offsets.get(first)? - first.cast_signed();
    let is_run = free_offsets.len() == 4 && (first..4).all(|v| free_offsets[v] == other + v.cast_signed());
    let is_in_bounds = |from: isize| from + low >= 0 && (from + high + 3).cast_unsigned() < length;
    let mask = [0, 1, 2, 3].map(|v| f32::from_bits(if v < first { u32::MAX } else { 0 }));
    (is_run && is_in_bounds(other) && is_in_bounds(free_offsets[0])).then(|| (other, L::load(&mask)))
}
