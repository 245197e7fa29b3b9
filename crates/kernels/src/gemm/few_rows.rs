//! Products of up to four rows with a large matrix, which is read once, unpacked: vector times matrix at memory bandwidth.
//!
//! The order of operations is that of [`crate::gemm::blocked`], bit for bit.

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: matrices a and b, of m, n and k"
)]
#![allow(
    unsafe_code,
    reason = "inner loops read the large matrix through pointers bounds-checked once per block"
)]

use crate::gemm::matrix::{DepthBlock, GemmScalar, KC, MatrixOperand, Out};
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::support::scalars::canonicalized_f32;
use crate::support::scratch::Floats;
use crate::support::slice::Slice;

/// Maximum number of rows of the small operand.
pub const MAX_ROWS: usize = 4;
/// Columns whose sums are accumulated at a time if columns are contiguous. Under Miri [`VECTORS_PER_ITERATION`] vectors and
/// one more.
const STRIP_COLUMNS: usize = if cfg!(miri) { 36 } else { 2048 };
/// Depth that is packed at a time if the large matrix is contiguous in k. Under Miri two blocks.
const PACKED_DEPTH: usize = if cfg!(miri) { 2 * KC } else { 16 * KC };
/// Vectors of columns in one iteration, which share the computation of their base address.
const VECTORS_PER_ITERATION: usize = 8;
/// Steps in k that are accumulated between a load and a store of a sum.
const K_UNROLL: usize = 4;
/// Elements of a cache line.
const CACHE_LINE_ELEMENTS: usize = 16;
/// Multiply-adds between cancellation checks.
const CANCEL_CHECK_INTERVAL_MULTIPLY_ADDS: usize = 1 << 22;

/// The layout of the large matrix, which selects the loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Contiguous in columns: rows of the matrix are scaled and added (axpy).
    ColumnsContiguous,
    /// Contiguous in k: a dot product for each column.
    DepthContiguous,
    /// One row and one column, both contiguous in k: a dot product.
    DotProduct,
}

/// The workspace of products of few rows.
#[derive(Debug)]
pub struct FewRows {
    layout: Layout,
    /// The rows of the small operand, packed.
    packed_rows: Floats,
    /// Sums of a block, of each row.
    sums: Floats,
    /// The offsets of a block's columns in the large matrix.
    free_offsets: Vec<isize>,
    /// The offsets of a block's depths in both operands.
    depth_offsets: [Vec<isize>; 2],
    /// The offsets of the rows in the result.
    rows: [isize; MAX_ROWS],
    /// The offsets of a block's columns in the result.
    columns: Vec<isize>,
    /// Multiply-adds since the last cancellation check.
    steps_since_check: usize,
}

impl FewRows {
    /// Allocates for products of `m` x `n` with depth `k`; `None` if there are too many rows, a type is not `f32`, or the large
    /// matrix is contiguous in neither dimension.
    pub fn new(
        a: &MatrixOperand,
        b: &MatrixOperand,
        [m, n, k]: [usize; 3],
        context: &mut Context,
    ) -> Option<Self> {
        if !matches!((a.elements, b.elements), (Slice::F32(_), Slice::F32(_))) || m > MAX_ROWS || k == 0 {
            return None;
        }
        let layout = if b.free.stride() == Some(1) && n >= 16 {
            Layout::ColumnsContiguous
        } else if b.depth.stride() == Some(1) && k >= 16 {
            let is_dot_product = m * n == 1 && a.depth.stride() == Some(1);
            if is_dot_product { Layout::DotProduct } else { Layout::DepthContiguous }
        } else {
            return None;
        };
        let (depth, strip) =
            if layout == Layout::ColumnsContiguous { (KC, STRIP_COLUMNS) } else { (PACKED_DEPTH, 16) };
        let depth = k.min(depth);
        Some(Self {
            layout,
            packed_rows: context.scratch.floats(depth * MAX_ROWS),
            sums: context.scratch.floats(n.min(strip).next_multiple_of(16) * m),
            free_offsets: vec![0; 16],
            depth_offsets: [vec![0; depth], vec![0; depth]],
            rows: [0; MAX_ROWS],
            columns: vec![0; strip.min(n)],
            steps_since_check: 0,
        })
    }

    /// Returns the memory to the pool.
    pub fn release(self, context: &mut Context) {
        context.scratch.recycle(self.packed_rows);
        context.scratch.recycle(self.sums);
    }

    /// `out = a · b`. Fails only if cancelled.
    pub fn multiply(
        &mut self,
        a: &MatrixOperand,
        b: &MatrixOperand,
        out: &mut Out<f32>,
        context: &mut Context,
    ) -> Result<(), KernelError> {
        let Slice::F32(large) = b.elements else { return Err(KernelError::InvalidTask) };
        let [m, n, k] = [out.rows.len(), out.columns.len(), a.depth.len()];
        out.rows.fill(0, out.offset, &mut self.rows);
        match self.layout {
            Layout::ColumnsContiguous => {
                let add_block = match m {
                    1 => axpy_block::<F32x4, 1>,
                    2 => axpy_block::<F32x4, 2>,
                    3 => axpy_block::<F32x4, 3>,
                    _ => axpy_block::<F32x4, 4>,
                };
                for first in (0..n).step_by(STRIP_COLUMNS) {
                    let width = STRIP_COLUMNS.min(n - first);
                    for first_depth in (0..k).step_by(KC) {
                        let kc = self.pack(a, b, first_depth, KC.min(k - first_depth));
                        let from = b.offset + first.cast_signed();
                        let sums = &mut self.sums.as_mut_slice()[..m * width];
                        add_block(
                            large,
                            from,
                            &self.depth_offsets[1][..kc],
                            self.packed_rows.as_slice(),
                            sums,
                        );
                        let depth_block =
                            DepthBlock { is_first: first_depth == 0, is_last: first_depth + kc == k };
                        self.add_to_result(out, [first, width, width], depth_block);
                        self.count_steps(m * width * kc, context)?;
                    }
                }
            }
            Layout::DotProduct => {
                let Slice::F32(small) = a.elements else { return Err(KernelError::InvalidTask) };
                let [a_row, b_column] = [(a, small), (b, large)].map(|(operand, elements)| {
                    &elements[(operand.offset + operand.free.offset(0)).cast_unsigned()..][..k]
                });
                let (mut sum, mut is_first) = (0.0, true);
                let [a_chunks, b_chunks] =
                    [a_row, b_column].map(|x| x.chunks(CANCEL_CHECK_INTERVAL_MULTIPLY_ADDS));
                for (a_chunk, b_chunk) in a_chunks.zip(b_chunks) {
                    sum = dot_product::<F32x4>(a_chunk, b_chunk, (!is_first).then_some(sum));
                    is_first = false;
                    self.count_steps(a_chunk.len(), context)?;
                }
                let slot = self.rows[0] + out.columns.offset(0);
                out.elements[slot.cast_unsigned()] = sum.canonicalized();
            }
            Layout::DepthContiguous => {
                let (sum_block, block_columns): (DotBlock, usize) = match m {
                    1 if n > 4 => (dot_block::<F32x4, 1, 4>, 16),
                    1 => (dot_block::<F32x4, 1, 1>, 4),
                    2 if n <= 4 => (dot_block::<F32x4, 2, 1>, 4),
                    3 if n <= 4 => (dot_block::<F32x4, 3, 1>, 4),
                    4 if n <= 4 => (dot_block::<F32x4, 4, 1>, 4),
                    2 => (dot_block::<F32x4, 2, 2>, 8),
                    3 => (dot_block::<F32x4, 3, 2>, 8),
                    _ => (dot_block::<F32x4, 4, 2>, 8),
                };
                for first_depth in (0..k).step_by(PACKED_DEPTH) {
                    let depth_count = self.pack(a, b, first_depth, PACKED_DEPTH.min(k - first_depth));
                    for first in (0..n).step_by(block_columns) {
                        let width = block_columns.min(n - first);
                        b.free.fill(first, b.offset, &mut self.free_offsets[..block_columns]);
                        for start in (0..depth_count).step_by(KC) {
                            let end = depth_count.min(start + KC);
                            let from = self.depth_offsets[1][start];
                            let a_panel = &self.packed_rows.as_slice()[start * MAX_ROWS..end * MAX_ROWS];
                            let sums = &mut self.sums.as_mut_slice()[..m * block_columns];
                            sum_block(large, &self.free_offsets[..block_columns], from, a_panel, sums);
                            let depth_block = DepthBlock {
                                is_first: first_depth + start == 0,
                                is_last: first_depth + end == k,
                            };
                            self.add_to_result(out, [first, width, block_columns], depth_block);
                        }
                        self.count_steps(m * width * depth_count, context)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Packs `count` depths of the small operand from `first_depth` on, and fills in the offsets of these depths in both
    /// operands. Returns `count`.
    fn pack(&mut self, a: &MatrixOperand, b: &MatrixOperand, first_depth: usize, count: usize) -> usize {
        let [left, right] = &mut self.depth_offsets;
        a.depth.fill(first_depth, 0, &mut left[..count]);
        b.depth.fill(first_depth, 0, &mut right[..count]);
        a.free.fill(0, a.offset, &mut self.free_offsets[..MAX_ROWS]);
        f32::pack(
            a,
            &self.free_offsets[..MAX_ROWS],
            &left[..count],
            MAX_ROWS,
            self.packed_rows.as_mut_slice(),
        );
        count
    }

    /// Adds the sums of `width` columns from `first` on to the result; rows of sums are `pitch` elements apart.
    fn add_to_result(
        &mut self,
        out: &mut Out<f32>,
        [first, width, pitch]: [usize; 3],
        depth_block: DepthBlock,
    ) {
        let columns = &mut self.columns[..width];
        out.columns.fill(first, 0, columns);
        let is_contiguous =
            out.columns.minor_stride() == 1 && columns[width - 1] - columns[0] == width.cast_signed() - 1;
        let merged = |element: f32, sum: f32| {
            let sum = if depth_block.is_first { sum } else { element + sum };
            if depth_block.is_last { canonicalized_f32(sum) } else { sum }
        };
        for (row, sums) in self.rows.iter().zip(self.sums.as_slice().chunks_exact(pitch).take(out.rows.len()))
        {
            if is_contiguous {
                let elements = &mut out.elements[(row + columns[0]).cast_unsigned()..][..width];
                elements.iter_mut().zip(sums).for_each(|(element, sum)| *element = merged(*element, *sum));
            } else {
                for (column, sum) in columns.iter().zip(sums) {
                    let element = &mut out.elements[(row + column).cast_unsigned()];
                    *element = merged(*element, *sum);
                }
            }
        }
    }

    fn count_steps(&mut self, steps: usize, context: &mut Context) -> Result<(), KernelError> {
        self.steps_since_check += steps;
        if self.steps_since_check > CANCEL_CHECK_INTERVAL_MULTIPLY_ADDS {
            context.tick(std::mem::take(&mut self.steps_since_check) as u64)?;
        }
        Ok(())
    }
}

/// The sums of a block of depth for `R` rows of the small operand: row `k` of `large`, which begins at
/// `from + depth_offsets[k]` and is contiguous, is scaled and added.
#[inline(never)]
fn axpy_block<L: Lanes, const R: usize>(
    large: &[f32],
    from: isize,
    depth_offsets: &[isize],
    a_panel: &[f32],
    sums: &mut [f32],
) {
    let width = sums.len() / R;
    sums.fill(0.0);
    let rows = depth_offsets.chunks_exact(K_UNROLL);
    let rest = rows.remainder();
    for (at, a_panel) in rows.zip(a_panel.chunks_exact(K_UNROLL * MAX_ROWS)) {
        // The bounds of each row are checked here, once.
        let rows: [&[f32]; K_UNROLL] =
            std::array::from_fn(|d| &large[(from + at[d]).cast_unsigned()..][..width]);
        add_products::<L, R, K_UNROLL>(rows.map(<[f32]>::as_ptr), a_panel, sums.as_mut_ptr(), width);
    }
    let rest_panel = &a_panel[(depth_offsets.len() - rest.len()) * MAX_ROWS..];
    for (at, a_panel) in rest.iter().zip(rest_panel.chunks_exact(MAX_ROWS)) {
        let row = &large[(from + at).cast_unsigned()..][..width];
        add_products::<L, R, 1>([row.as_ptr()], a_panel, sums.as_mut_ptr(), width);
    }
}

/// Adds the products of `D` depths to `R` rows of sums. `a_panel` has [`MAX_ROWS`] numbers of each depth. The caller has checked
/// that each of `rows`, and each row of sums, has `width` elements.
#[allow(
    clippy::inline_always,
    reason = "a loop for each number of rows and depths: the non-inlined boundary is the caller"
)]
#[inline(always)]
fn add_products<L: Lanes, const R: usize, const D: usize>(
    rows: [*const f32; D],
    a_panel: &[f32],
    sums: *mut f32,
    width: usize,
) {
    let a_panel = &a_panel[..D * MAX_ROWS];
    let left: [[L; D]; R] =
        std::array::from_fn(|r| std::array::from_fn(|d| L::splat(a_panel[d * MAX_ROWS + r])));
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

/// The dot product of two contiguous vectors, added to `initial`: four consecutive blocks of depth are summed at a time, one in
/// each lane.
fn dot_product<L: Lanes>(a: &[f32], b: &[f32], initial: Option<f32>) -> f32 {
    let mut total = initial;
    let mut add = |block: f32| total = Some(total.map_or(block, |sum| sum + block));
    let (a_quads, a_rest) = a.as_chunks::<{ 4 * KC }>();
    let (b_quads, b_rest) = b.as_chunks::<{ 4 * KC }>();
    for (a, b) in a_quads.iter().zip(b_quads) {
        let mut sums = L::zero();
        for k in (0..KC).step_by(4) {
            let columns = |blocks: &[f32; 4 * KC]| {
                // SAFETY: four numbers of each of the four blocks.
                L::transposed(
                    [0, 1, 2, 3].map(|block| unsafe { L::read(blocks.as_ptr().add(block * KC + k)) }),
                )
            };
            for (a, b) in columns(a).into_iter().zip(columns(b)) {
                sums = a.madd(b, sums);
            }
        }
        sums.to_array().into_iter().for_each(&mut add);
    }
    for (a, b) in a_rest.chunks(KC).zip(b_rest.chunks(KC)) {
        let pairs = a.iter().zip(b);
        let sums = pairs.fold(L::zero(), |sums, (a, b)| L::splat(*a).madd(L::splat(*b), sums));
        add(sums.to_array()[0]);
    }
    // A product of depth 0 is 0.
    total.unwrap_or(0.0)
}

/// Signature of [`dot_block`].
type DotBlock = fn(&[f32], &[isize], isize, &[f32], &mut [f32]);

/// The sums of a block of depth for `R` rows of the small operand and `4 * V` columns of `large`; column `j` is contiguous from
/// `columns_at[j] + from` on.
#[inline(never)]
fn dot_block<L: Lanes, const R: usize, const V: usize>(
    large: &[f32],
    columns_at: &[isize],
    from: isize,
    a_panel: &[f32],
    sums: &mut [f32],
) {
    let depth = a_panel.len() / MAX_ROWS;
    // The bounds of each column are checked here, once.
    let column = |start: isize| large[(start + from).cast_unsigned()..][..depth].as_ptr();
    let columns: [[*const f32; 4]; V] =
        std::array::from_fn(|v| std::array::from_fn(|i| column(columns_at[4 * v + i])));
    let mut sums_of_rows = [[L::zero(); V]; R];
    let add = |sums: &mut [[L; V]; R], v: usize, k: usize, right: L| {
        for (r, sums) in sums.iter_mut().enumerate() {
            // SAFETY: `k < depth`, and `a_panel` has `MAX_ROWS` numbers of each depth.
            let left = unsafe { L::read_splat(a_panel.as_ptr().add(k * MAX_ROWS + r)) };
            sums[v] = left.madd(right, sums[v]);
        }
    };
    let mut add_four_depths = |v: usize, k: usize| {
        // SAFETY: `k + 4 <= depth`.
        let rows = columns[v].map(|column| unsafe { L::read(column.add(k)) });
        for (i, right) in L::transposed(rows).into_iter().enumerate() {
            add(&mut sums_of_rows, v, k + i, right);
        }
    };
    // A cache line of each column at a time: columns are often a power of two apart, and evict one another from the cache.
    for k in (0..depth / CACHE_LINE_ELEMENTS * CACHE_LINE_ELEMENTS).step_by(CACHE_LINE_ELEMENTS) {
        for v in 0..V {
            (k..k + CACHE_LINE_ELEMENTS).step_by(4).for_each(|k| add_four_depths(v, k));
        }
    }
    for k in (depth / CACHE_LINE_ELEMENTS * CACHE_LINE_ELEMENTS..depth / 4 * 4).step_by(4) {
        (0..V).for_each(|v| add_four_depths(v, k));
    }
    for k in depth / 4 * 4..depth {
        for (v, columns) in columns.iter().enumerate() {
            // SAFETY: `k < depth`.
            let right = columns.map(|column| unsafe { *column.add(k) });
            add(&mut sums_of_rows, v, k, L::load(&right));
        }
    }
    for (row_sums, sums) in sums_of_rows.iter().zip(sums.chunks_exact_mut(4 * V)) {
        for (sum, to) in row_sums.iter().zip(sums.as_chunks_mut::<4>().0) {
            sum.store(to);
        }
    }
}
