//! Products of up to four rows with a large matrix, which is read once and in place: vector times matrix at memory bandwidth.
//!
//! The order of operations is that of [`crate::gemm::blocked`], bit for bit.

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: matrices a and b, of m, n and k"
)]
#![allow(unsafe_code, reason = "inner loops read the large matrix through pointers proved once for a block")]

use crate::gemm::matrix::{KC, Number, Out, Side};
use crate::ground::context::Context;
use crate::ground::scalars::canonicalized_f32;
use crate::ground::scratch::Floats;
use crate::ground::slice::Slice;
use crate::ground::stop::Stop;
use crate::simd::best::Best;
use crate::simd::lanes::Lanes;

/// The most rows that count as few.
pub const MAX_ROWS: usize = 4;
/// Columns whose sums are accumulated at a time, where columns are adjacent. Under Miri [`VECTORS_PER_ITERATION`] vectors and one
/// more.
const STRIP_COLUMNS: usize = if cfg!(miri) { 36 } else { 2048 };
/// Depth that is packed at a time, where depths are adjacent. Under Miri two blocks.
const PACKED_DEPTH: usize = if cfg!(miri) { 2 * KC } else { 16 * KC };
/// Vectors of columns in one iteration, which share the computation of their base address.
const VECTORS_PER_ITERATION: usize = 8;
/// Depths that are accumulated between a load and a store of a sum.
const DEPTHS_AT_ONCE: usize = 4;
/// Cells of a line of the cache.
const CACHE_LINE_CELLS: usize = 16;
/// Multiply-adds between cancellation checks.
const CANCEL_CHECK_MULTIPLY_ADDS: usize = 1 << 22;

/// The layout of the large matrix, which selects the loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Columns are adjacent: sums of rows of the matrix.
    ColumnsAdjacent,
    /// Depths are adjacent: a dot product for each column.
    DepthsAdjacent,
    /// One row and one column, depths adjacent in both: a dot product.
    DotProduct,
}

/// The workspace of products of few rows.
#[derive(Debug)]
pub struct FewRows {
    layout: Layout,
    /// The few rows, packed.
    packed: Floats,
    /// Sums of a block, of each row.
    sums: Floats,
    /// The offsets of a block's columns in the large matrix.
    lines: Vec<isize>,
    /// The offsets of a block's depths in both operands.
    depth: [Vec<isize>; 2],
    /// The offsets of the rows in the result.
    rows: [isize; MAX_ROWS],
    /// The offsets of a block's columns in the result.
    columns: Vec<isize>,
    /// Multiply-adds since the last cancellation check.
    done: usize,
}

impl FewRows {
    /// A workspace for products of `m` x `n` with depth `k`; `None` where rows are too many, a type is not `f32`, or the large
    /// matrix has another layout.
    pub fn of(a: &Side, b: &Side, [m, n, k]: [usize; 3], context: &mut Context) -> Option<Self> {
        if !matches!((a.cells, b.cells), (Slice::F32(_), Slice::F32(_))) || m > MAX_ROWS || k == 0 {
            return None;
        }
        let layout = if b.lines.stride() == Some(1) && n >= 16 {
            Layout::ColumnsAdjacent
        } else if b.depth.stride() == Some(1) && k >= 16 {
            let is_pair = m * n == 1 && a.depth.stride() == Some(1);
            if is_pair { Layout::DotProduct } else { Layout::DepthsAdjacent }
        } else {
            return None;
        };
        let (long, strip) =
            if layout == Layout::ColumnsAdjacent { (KC, STRIP_COLUMNS) } else { (PACKED_DEPTH, 16) };
        let long = k.min(long);
        Some(Self {
            layout,
            packed: context.scratch.floats(long * MAX_ROWS),
            sums: context.scratch.floats(n.min(strip).next_multiple_of(16) * m),
            lines: vec![0; 16],
            depth: [vec![0; long], vec![0; long]],
            rows: [0; MAX_ROWS],
            columns: vec![0; strip.min(n)],
            done: 0,
        })
    }

    /// Returns the memory.
    pub fn done(self, context: &mut Context) {
        context.scratch.keep(self.packed);
        context.scratch.keep(self.sums);
    }

    /// `out = a · b`. Errors: cancelled.
    pub fn product(
        &mut self,
        a: &Side,
        b: &Side,
        out: &mut Out<f32>,
        context: &mut Context,
    ) -> Result<(), Stop> {
        let Slice::F32(large) = b.cells else { return Err(Stop::InvalidTask) };
        let [m, n, k] = [out.rows.len(), out.columns.len(), a.depth.len()];
        out.rows.fill(0, out.offset, &mut self.rows);
        match self.layout {
            Layout::ColumnsAdjacent => {
                let block = match m {
                    1 => by_rows::<Best, 1>,
                    2 => by_rows::<Best, 2>,
                    3 => by_rows::<Best, 3>,
                    _ => by_rows::<Best, 4>,
                };
                for first in (0..n).step_by(STRIP_COLUMNS) {
                    let width = STRIP_COLUMNS.min(n - first);
                    for top in (0..k).step_by(KC) {
                        let deep = self.pack(a, b, top, KC.min(k - top));
                        let from = b.offset + first.cast_signed();
                        let sums = &mut self.sums.as_mut_slice()[..m * width];
                        block(large, from, &self.depth[1][..deep], self.packed.as_slice(), sums);
                        self.add_to_result(out, [first, width, width], [top == 0, top + deep == k]);
                        self.count_steps(m * width * deep, context)?;
                    }
                }
            }
            Layout::DotProduct => {
                let Slice::F32(small) = a.cells else { return Err(Stop::InvalidTask) };
                let [at, from] = [(a, small), (b, large)]
                    .map(|(side, cells)| &cells[(side.offset + side.lines.at(0)).cast_unsigned()..][..k]);
                let (mut sum, mut top) = (0.0, 0);
                for (at, from) in
                    at.chunks(CANCEL_CHECK_MULTIPLY_ADDS).zip(from.chunks(CANCEL_CHECK_MULTIPLY_ADDS))
                {
                    sum = dot_product::<Best>(at, from, if top == 0 { None } else { Some(sum) });
                    top += at.len();
                    self.count_steps(at.len(), context)?;
                }
                let slot = self.rows[0] + out.columns.at(0);
                out.cells[slot.cast_unsigned()] = sum.canonicalized();
            }
            Layout::DepthsAdjacent => {
                let (block, wide): (ByColumns, usize) = match m {
                    1 if n > 4 => (by_columns::<Best, 1, 4>, 16),
                    1 => (by_columns::<Best, 1, 1>, 4),
                    2 if n <= 4 => (by_columns::<Best, 2, 1>, 4),
                    3 if n <= 4 => (by_columns::<Best, 3, 1>, 4),
                    4 if n <= 4 => (by_columns::<Best, 4, 1>, 4),
                    2 => (by_columns::<Best, 2, 2>, 8),
                    3 => (by_columns::<Best, 3, 2>, 8),
                    _ => (by_columns::<Best, 4, 2>, 8),
                };
                for top in (0..k).step_by(PACKED_DEPTH) {
                    let long = self.pack(a, b, top, PACKED_DEPTH.min(k - top));
                    for first in (0..n).step_by(wide) {
                        let width = wide.min(n - first);
                        b.lines.fill(first, b.offset, &mut self.lines[..wide]);
                        for start in (0..long).step_by(KC) {
                            let end = long.min(start + KC);
                            let from = self.depth[1][start];
                            let few = &self.packed.as_slice()[start * MAX_ROWS..end * MAX_ROWS];
                            let sums = &mut self.sums.as_mut_slice()[..m * wide];
                            block(large, &self.lines[..wide], from, few, sums);
                            self.add_to_result(out, [first, width, wide], [top + start == 0, top + end == k]);
                        }
                        self.count_steps(m * width * long, context)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Packs `deep` depths of the few rows from `top` on, and fills in the offsets of these depths in both operands. Returns
    /// `deep`.
    fn pack(&mut self, a: &Side, b: &Side, top: usize, deep: usize) -> usize {
        let [left, right] = &mut self.depth;
        a.depth.fill(top, 0, &mut left[..deep]);
        b.depth.fill(top, 0, &mut right[..deep]);
        a.lines.fill(0, a.offset, &mut self.lines[..MAX_ROWS]);
        f32::pack(a, &self.lines[..MAX_ROWS], &left[..deep], MAX_ROWS, self.packed.as_mut_slice());
        deep
    }

    /// Adds the sums of a block to the result.
    fn add_to_result(
        &mut self,
        out: &mut Out<f32>,
        [first, width, pitch]: [usize; 3],
        [is_first, is_last]: [bool; 2],
    ) {
        let columns = &mut self.columns[..width];
        out.columns.fill(first, 0, columns);
        let is_run = out.columns.minor() == 1 && columns[width - 1] - columns[0] == width.cast_signed() - 1;
        let merged = |cell: f32, sum: f32| {
            let sum = if is_first { sum } else { cell + sum };
            if is_last { canonicalized_f32(sum) } else { sum }
        };
        for (row, sums) in self.rows.iter().zip(self.sums.as_slice().chunks_exact(pitch).take(out.rows.len()))
        {
            if is_run {
                let cells = &mut out.cells[(row + columns[0]).cast_unsigned()..][..width];
                cells.iter_mut().zip(sums).for_each(|(cell, sum)| *cell = merged(*cell, *sum));
            } else {
                for (column, sum) in columns.iter().zip(sums) {
                    let cell = &mut out.cells[(row + column).cast_unsigned()];
                    *cell = merged(*cell, *sum);
                }
            }
        }
    }

    fn count_steps(&mut self, steps: usize, context: &mut Context) -> Result<(), Stop> {
        self.done += steps;
        if self.done > CANCEL_CHECK_MULTIPLY_ADDS {
            context.tick(std::mem::take(&mut self.done) as u64)?;
        }
        Ok(())
    }
}

/// The sums of a block of depth for `R` rows and adjacent columns of `large`, which begin at `from + depth[k]` for depth `k`.
#[inline(never)]
fn by_rows<L: Lanes, const R: usize>(
    large: &[f32],
    from: isize,
    depth: &[isize],
    few: &[f32],
    sums: &mut [f32],
) {
    let width = sums.len() / R;
    sums.fill(0.0);
    let rows = depth.chunks_exact(DEPTHS_AT_ONCE);
    let rest = rows.remainder();
    for (at, few) in rows.zip(few.chunks_exact(DEPTHS_AT_ONCE * MAX_ROWS)) {
        // The bounds of each row are checked here, once.
        let rows: [&[f32]; DEPTHS_AT_ONCE] =
            std::array::from_fn(|d| &large[(from + at[d]).cast_unsigned()..][..width]);
        add_products::<L, R, DEPTHS_AT_ONCE>(rows.map(<[f32]>::as_ptr), few, sums.as_mut_ptr(), width);
    }
    for (at, few) in rest.iter().zip(few[(depth.len() - rest.len()) * MAX_ROWS..].chunks_exact(MAX_ROWS)) {
        let row = &large[(from + at).cast_unsigned()..][..width];
        add_products::<L, R, 1>([row.as_ptr()], few, sums.as_mut_ptr(), width);
    }
}

/// Adds the products of `D` depths to `R` rows of sums. `few` has [`MAX_ROWS`] numbers of each depth. Each of `rows`, and each
/// row of sums, has `width` cells: the caller has checked it.
#[allow(
    clippy::inline_always,
    reason = "a loop for each number of rows and depths: its caller is what must not be inlined"
)]
#[inline(always)]
fn add_products<L: Lanes, const R: usize, const D: usize>(
    rows: [*const f32; D],
    few: &[f32],
    sums: *mut f32,
    width: usize,
) {
    let few = &few[..D * MAX_ROWS];
    let left: [[L; D]; R] = std::array::from_fn(|r| std::array::from_fn(|d| L::splat(few[d * MAX_ROWS + r])));
    // The vectors of an iteration are at constant offsets, which are immediates of the loads and stores.
    let vector = |rows: [*const f32; D], sums: [*mut f32; R], v: usize| {
        // SAFETY: `at(j)` with `j + 4 * v + 4 <= width`: the vector is within each row of memory and of sums.
        unsafe {
            let right: [L; D] = std::array::from_fn(|d| L::read(rows[d].add(4 * v)));
            for (to, left) in sums.into_iter().zip(&left) {
                let to = to.add(4 * v);
                let mut sum = L::read(to);
                for (left, right) in left.iter().zip(right) {
                    sum = left.madd(right, sum);
                }
                sum.write(to);
            }
        }
    };
    // SAFETY: `j < width`.
    let at =
        |j: usize| unsafe { (rows.map(|row| row.add(j)), std::array::from_fn(|r| sums.add(r * width + j))) };
    let whole = width / (4 * VECTORS_PER_ITERATION) * (4 * VECTORS_PER_ITERATION);
    for j in (0..whole).step_by(4 * VECTORS_PER_ITERATION) {
        let (rows, sums) = at(j);
        for v in 0..VECTORS_PER_ITERATION {
            vector(rows, sums, v);
        }
    }
    for j in (whole..width / 4 * 4).step_by(4) {
        let (rows, sums) = at(j);
        vector(rows, sums, 0);
    }
    for j in width / 4 * 4..width {
        for (r, left) in left.iter().enumerate() {
            // SAFETY: `j < width`.
            unsafe {
                let to = sums.add(r * width + j);
                let mut sum = L::splat(*to);
                for (left, row) in left.iter().zip(rows) {
                    sum = left.madd(L::splat(*row.add(j)), sum);
                }
                *to = sum.to_array()[0];
            }
        }
    }
}

/// The dot product of two runs, added to the sum of earlier ones: four consecutive blocks of depth are summed at a time, each in
/// its own lane.
fn dot_product<L: Lanes>(a: &[f32], b: &[f32], before: Option<f32>) -> f32 {
    let mut all = before;
    let mut add = |block: f32| all = Some(all.map_or(block, |sum| sum + block));
    let (fours, rest) = a.as_chunks::<{ 4 * KC }>();
    let (other, other_rest) = b.as_chunks::<{ 4 * KC }>();
    for (a, b) in fours.iter().zip(other) {
        let mut sums = L::zero();
        for k in (0..KC).step_by(4) {
            let columns = |of: &[f32; 4 * KC]| {
                // SAFETY: four numbers of each of the four blocks.
                L::transposed([0, 1, 2, 3].map(|block| unsafe { L::read(of.as_ptr().add(block * KC + k)) }))
            };
            for (a, b) in columns(a).into_iter().zip(columns(b)) {
                sums = a.madd(b, sums);
            }
        }
        sums.to_array().into_iter().for_each(&mut add);
    }
    for (a, b) in rest.chunks(KC).zip(other_rest.chunks(KC)) {
        let each = a.iter().zip(b);
        let sums = each.fold(L::zero(), |sums, (a, b)| L::splat(*a).madd(L::splat(*b), sums));
        add(sums.to_array()[0]);
    }
    // A product of depth 0 is 0.
    all.unwrap_or(0.0)
}

/// [`by_columns`].
type ByColumns = fn(&[f32], &[isize], isize, &[f32], &mut [f32]);

/// The sums of a block of depth for `R` rows and `4 * V` columns of `large`; column `j` is contiguous from `lines[j] + from` on.
#[inline(never)]
fn by_columns<L: Lanes, const R: usize, const V: usize>(
    large: &[f32],
    lines: &[isize],
    from: isize,
    few: &[f32],
    sums: &mut [f32],
) {
    let depth = few.len() / MAX_ROWS;
    // The bounds of each run are checked here, once.
    let run = |line: isize| large[(line + from).cast_unsigned()..][..depth].as_ptr();
    let columns: [[*const f32; 4]; V] =
        std::array::from_fn(|v| std::array::from_fn(|i| run(lines[4 * v + i])));
    let mut all = [[L::zero(); V]; R];
    let add = |all: &mut [[L; V]; R], v: usize, k: usize, right: L| {
        for (r, all) in all.iter_mut().enumerate() {
            // SAFETY: `k < depth`, and `few` has `MAX_ROWS` numbers of each depth.
            let left = unsafe { L::read_splat(few.as_ptr().add(k * MAX_ROWS + r)) };
            all[v] = left.madd(right, all[v]);
        }
    };
    let mut four = |v: usize, k: usize| {
        // SAFETY: `k + 4 <= depth`.
        let rows = columns[v].map(|column| unsafe { L::read(column.add(k)) });
        for (i, right) in L::transposed(rows).into_iter().enumerate() {
            add(&mut all, v, k + i, right);
        }
    };
    // A cache line of each column at a time: columns are often a power of two apart, and evict one another from the cache.
    for k in (0..depth / CACHE_LINE_CELLS * CACHE_LINE_CELLS).step_by(CACHE_LINE_CELLS) {
        for v in 0..V {
            (k..k + CACHE_LINE_CELLS).step_by(4).for_each(|k| four(v, k));
        }
    }
    for k in (depth / CACHE_LINE_CELLS * CACHE_LINE_CELLS..depth / 4 * 4).step_by(4) {
        (0..V).for_each(|v| four(v, k));
    }
    for k in depth / 4 * 4..depth {
        for (v, columns) in columns.iter().enumerate() {
            // SAFETY: `k < depth`.
            let right = columns.map(|column| unsafe { *column.add(k) });
            add(&mut all, v, k, L::load(&right));
        }
    }
    for (all, sums) in all.iter().zip(sums.chunks_exact_mut(4 * V)) {
        for (sum, to) in all.iter().zip(sums.as_chunks_mut::<4>().0) {
            sum.store(to);
        }
    }
}
