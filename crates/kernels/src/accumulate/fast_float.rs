//! Reductions of `f32` that run at memory bandwidth.
//!
//! Several interleaved streams of reads are faster than one if they are in different pages (4 kB), and slower within one page.
//!
//! Max (or min) takes one operation if there is no NaN; the exact operator takes four. So a row or a column is first
//! reduced by the fast operator ([`LaneReducer::fast_combine`]), while its elements are summed: the sum is NaN if an
//! element is. It is also NaN if infinities of both signs are added, which only costs time. If the sum is NaN, or the
//! result is a zero whose sign may be wrong, all elements are accumulated again by the exact operator.
//!
//! That pass may start from the results of the fast one. Each of them is one of the elements accumulated so far, and max and min
//! are idempotent, commutative and associative: an element that is accumulated twice changes nothing, and the exact
//! pass restores a NaN or the sign of a zero that the fast operator lost. So the results are bit-identical to those of
//! [`crate::accumulate::float`].
//!
//! *Internal form*: the exact maximum is computed as the minimum of negated numbers; see [`LaneReducer`].

#![allow(unsafe_code, reason = "slices are iterated together: bounds checks make it slower")]

use crate::accumulate::accumulator::{CHUNK_ELEMENTS, InterleavedFunctions};
use crate::accumulate::float_columns::{accumulate_columns, splat_internal};
use crate::accumulate::operators::LaneReducer;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// `f32`s of a 4 kB page: the length from which streams are interleaved. Fewer under Miri, so that its tests reach that path.
pub const PAGE_FLOATS: usize = if cfg!(miri) { 1 << 7 } else { 1 << 10 };
/// Number of chunks, or of blocks of rows, whose reads are interleaved.
const STREAM_COUNT: usize = 4;

/// The functions that [`crate::reduce::nest`] uses for large operands.
pub fn interleaved_functions<F: LaneReducer>() -> &'static InterleavedFunctions<f32, f32> {
    &InterleavedFunctions {
        stream_count: STREAM_COUNT,
        accumulate_chunks: accumulate_chunks::<F>,
        accumulate_blocks: accumulate_blocks::<F>,
    }
}

/// The partial results of a row: 32 by the exact operator, 16 by the fast one (`FAST`).
#[derive(Clone, Copy)]
struct PartialResults {
    partials: [F32x4; 8],
    /// Sums of the row's elements, to detect NaN; only with `FAST`.
    nan_sums: [F32x4; 4],
}

impl PartialResults {
    /// All partial results are the identity; in the internal form unless `FAST`.
    #[inline(always)]
    fn identity<F: LaneReducer, const FAST: bool>() -> Self {
        let identity = if FAST { F::IDENTITY } else { F::INTERNAL_IDENTITY };
        Self { partials: [F32x4::splat(identity); 8], nan_sums: [F32x4::zero(); 4] }
    }

    #[inline(always)]
    fn accumulate_vector<F: LaneReducer, const FAST: bool>(
        &mut self,
        i: usize,
        x: &[f32; 4],
        sign_mask: F32x4,
    ) {
        let x = F32x4::load(x);
        if FAST {
            // Max and min may be computed in any order, so the number of partial results is free: with eight, and the four
            // sums, some engines would run out of vector registers and spill.
            self.partials[i % 4] = F::fast_combine(self.partials[i % 4], x);
            self.nan_sums[i % 4] = self.nan_sums[i % 4].add(x);
        } else {
            self.partials[i] = F::combine(self.partials[i], F::to_internal(x, sign_mask));
        }
    }

    #[inline(always)]
    fn accumulate<F: LaneReducer, const FAST: bool>(&mut self, x: &[f32], sign_mask: F32x4) {
        let mut local = *self;
        let (blocks, rest) = x.as_chunks::<32>();
        for block in blocks {
            for (i, vector) in block.as_chunks::<4>().0.iter().enumerate() {
                local.accumulate_vector::<F, FAST>(i, vector, sign_mask);
            }
        }
        for (i, vector) in rest.as_chunks::<4>().0.iter().enumerate() {
            local.accumulate_vector::<F, FAST>(i, vector, sign_mask);
        }
        *self = local;
    }

    /// The result in the internal form, broadcast; `None` if the fast operator's result may be wrong.
    #[inline(always)]
    fn finish<F: LaneReducer, const FAST: bool>(self, sign_mask: F32x4) -> Option<F32x4> {
        let combine = |a, b| if FAST { F::fast_combine(a, b) } else { F::combine(a, b) };
        let [a, b, c, d, e, f, g, h] = self.partials;
        let low = combine(combine(a, e), combine(c, g));
        let high = combine(combine(b, f), combine(d, h));
        let [a, b, c, d] = F32x4::transposed([combine(low, high); 4]);
        let result = combine(combine(a, c), combine(b, d));
        if !FAST {
            return Some(result);
        }
        let needs_exact_pass = may_have_nan(self.nan_sums)
            || F::needs_exact_pass(F::update_check(F32x4::splat_bits(F::CHECK_INIT_BITS), result));
        (!needs_exact_pass).then(|| F::to_internal(result, sign_mask))
    }
}

/// Reduces a long row, whose length is a multiple of four; the result is in the internal form, broadcast.
#[inline(always)]
pub fn reduce_long_row<F: LaneReducer>(x: &[f32], sign_mask: F32x4) -> F32x4 {
    if F::FAST_COMBINE_IS_INEXACT {
        let mut partials = PartialResults::identity::<F, true>();
        partials.accumulate::<F, true>(x, sign_mask);
        if let Some(result) = partials.finish::<F, true>(sign_mask) {
            return result;
        }
    }
    reduce_row_exact::<F>(x, sign_mask)
}

/// [`reduce_long_row`] by the exact operator.
fn reduce_row_exact<F: LaneReducer>(x: &[f32], sign_mask: F32x4) -> F32x4 {
    let mut partials = PartialResults::identity::<F, false>();
    partials.accumulate::<F, false>(x, sign_mask);
    partials.finish::<F, false>(sign_mask).unwrap_or(F32x4::splat(F::INTERNAL_IDENTITY))
}

/// [`InterleavedFunctions::accumulate_chunks`].
fn accumulate_chunks<F: LaneReducer>(to: &mut f32, from: &[f32]) {
    if F::FAST_COMBINE_IS_INEXACT {
        accumulate_chunks_with::<F, true>(to, from);
    } else {
        accumulate_chunks_with::<F, false>(to, from);
    }
}

#[inline(always)]
fn accumulate_chunks_with<F: LaneReducer, const FAST: bool>(to: &mut f32, from: &[f32]) {
    let sign_mask = F::sign_mask();
    let mut streams = [PartialResults::identity::<F, FAST>(); STREAM_COUNT];
    for page in (0..CHUNK_ELEMENTS).step_by(PAGE_FLOATS) {
        for (partials, chunk) in streams.iter_mut().zip(from.chunks_exact(CHUNK_ELEMENTS)) {
            partials.accumulate::<F, FAST>(&chunk[page..page + PAGE_FLOATS], sign_mask);
        }
    }
    for (partials, chunk) in streams.iter().zip(from.chunks_exact(CHUNK_ELEMENTS)) {
        let result =
            partials.finish::<F, FAST>(sign_mask).unwrap_or_else(|| reduce_row_exact::<F>(chunk, sign_mask));
        [*to, ..] =
            F::from_internal(F::combine(splat_internal::<F>(*to, sign_mask), result), sign_mask).to_array();
    }
}

/// Rows that are accumulated in one pass over the results.
const ROWS_PER_PASS: usize = 4;
/// Minimum number of rows for [`try_fast_columns`]: with fewer, checking the results costs more than the fast operator
/// saves.
const MIN_FAST_ROWS: usize = 8;
/// Minimum number of columns for [`try_fast_columns`]: its vectorized loop handles 16 at a time.
const MIN_FAST_COLUMNS: usize = 16;

/// Accumulates rows into the results by the fast operator, if that is worthwhile. Returns whether the results are final. If
/// not, the caller must accumulate all rows by the exact operator: either nothing was done, or a NaN or the sign of a zero may
/// be lost, which that pass restores.
pub fn try_fast_columns<F: LaneReducer>(to: &mut [f32], from: &[f32], stride: usize, count: usize) -> bool {
    if !F::FAST_COMBINE_IS_INEXACT || count < MIN_FAST_ROWS || to.len() < MIN_FAST_COLUMNS {
        return false;
    }
    let (width, mut nan_sums) = (to.len(), [F32x4::zero(); 4]);
    let row = |i: usize| &from[i * stride..i * stride + width];
    let rows = count / ROWS_PER_PASS * ROWS_PER_PASS;
    for i in (0..rows).step_by(ROWS_PER_PASS) {
        accumulate_rows::<F, ROWS_PER_PASS, 1>([to], std::array::from_fn(|r| row(i + r)), &mut nan_sums);
    }
    for i in rows..count {
        accumulate_rows::<F, 1, 1>([to], [row(i)], &mut nan_sums);
    }
    !needs_exact_pass::<F>(to, nan_sums)
}

/// Accumulates `ROWS` rows by the fast operator: in order into one row of results (`RESULT_ROWS` is 1), or each row into its
/// own results (`RESULT_ROWS` is `ROWS`). The elements are added to `nan_sums` if the operator is inexact.
#[inline(always)]
fn accumulate_rows<F: LaneReducer, const ROWS: usize, const RESULT_ROWS: usize>(
    to: [&mut [f32]; RESULT_ROWS],
    rows: [&[f32]; ROWS],
    nan_sums: &mut [F32x4; 4],
) {
    // Without rows there is nothing to accumulate.
    let width = rows.first().map_or(0, |row| row.len());
    assert!(to.iter().all(|to| to.len() == width) && rows.iter().all(|row| row.len() == width));
    let (to, rows) = (to.map(<[f32]>::as_mut_ptr), rows.map(<[f32]>::as_ptr));
    let mut sums = *nan_sums;
    let combine = |a: F32x4, x: F32x4, sum: &mut F32x4| {
        if F::FAST_COMBINE_IS_INEXACT {
            *sum = sum.add(x);
        }
        F::fast_combine(a, x)
    };
    let mut i = 0;
    while i + 16 <= width {
        // SAFETY: i + 16 <= width, the length of each row and of the results.
        unsafe {
            if RESULT_ROWS == 1 {
                let (to, rows) = (to[0].add(i), rows.map(|row| row.add(i)));
                // Vector by vector: row by row, some engines spill most of the results to memory.
                for (k, sum) in sums.iter_mut().enumerate() {
                    let mut result = F32x4::read(to.add(4 * k));
                    for row in rows {
                        result = combine(result, F32x4::read(row.add(4 * k)), sum);
                    }
                    result.write(to.add(4 * k));
                }
            } else {
                for (to, row) in to.iter().zip(&rows) {
                    let (to, row) = (to.add(i), row.add(i));
                    for (k, sum) in sums.iter_mut().enumerate() {
                        let to = to.add(4 * k);
                        combine(F32x4::read(to), F32x4::read(row.add(4 * k)), sum).write(to);
                    }
                }
            }
        }
        i += 16;
    }
    while i < width {
        for (r, to) in to.iter().enumerate() {
            for row in if RESULT_ROWS == 1 { &rows[..] } else { &rows[r..=r] } {
                // SAFETY: i < width.
                unsafe {
                    let result = combine(F32x4::splat(*to.add(i)), F32x4::splat(*row.add(i)), &mut sums[0]);
                    [*to.add(i), ..] = result.to_array();
                }
            }
        }
        i += 1;
    }
    *nan_sums = sums;
}

/// Whether one of the summed elements may be NaN. Infinities of opposite signs are a false positive.
#[inline(always)]
fn may_have_nan([a, b, c, d]: [F32x4; 4]) -> bool {
    let sum = a.add(b).add(c.add(d));
    sum.ne(sum).any()
}

/// Whether results of the fast operator may be wrong.
fn needs_exact_pass<F: LaneReducer>(results: &[f32], nan_sums: [F32x4; 4]) -> bool {
    let (fours, rest) = results.as_chunks::<4>();
    let check = F32x4::splat_bits(F::CHECK_INIT_BITS);
    let check = fours.iter().fold(check, |check, four| F::update_check(check, F32x4::load(four)));
    let check = rest.iter().fold(check, |check, x| F::update_check(check, F32x4::splat(*x)));
    may_have_nan(nan_sums) || F::needs_exact_pass(check)
}

/// [`InterleavedFunctions::accumulate_blocks`].
fn accumulate_blocks<F: LaneReducer>(
    to: &mut [f32],
    from: &[f32],
    block_stride: usize,
    stride: usize,
    count: usize,
) {
    let width = to.len() / STREAM_COUNT;
    let mut nan_sums = [F32x4::zero(); 4];
    let (low, high) = to.split_at_mut(2 * width);
    let ((a, b), (c, d)) = (low.split_at_mut(width), high.split_at_mut(width));
    for i in 0..count {
        let rows: [&[f32]; STREAM_COUNT] =
            std::array::from_fn(|n| &from[n * block_stride + i * stride..][..width]);
        accumulate_rows::<F, STREAM_COUNT, STREAM_COUNT>([a, b, c, d], rows, &mut nan_sums);
    }
    if F::FAST_COMBINE_IS_INEXACT && needs_exact_pass::<F>(to, nan_sums) {
        // Into the results of the fast operator, which is correct: see the module's documentation.
        for (n, to) in to.chunks_exact_mut(width).enumerate() {
            accumulate_columns::<F>(to, &from[n * block_stride..], stride, count);
        }
    }
}
