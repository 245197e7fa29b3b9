//! Accumulators of `f32` at memory bandwidth.
//!
//! Several interleaved streams of reads are faster than one, as long as they are in different pages (4 kB); within one page they
//! are slower. Max (or min) of numbers without NaN is one operation, where the exact operator takes four: so a row or a column is
//! first reduced with that, while its numbers are summed, which detects NaN. If a number is NaN, or there are infinities of both
//! signs, or the result is a zero whose sign may be wrong, it is reduced again with the exact operator. Either way the bits are
//! those of the order in [`crate::accumulate::float`].

#![allow(unsafe_code, reason = "slices walked together: bounds checks make it slower")]

use crate::accumulate::accumulator::{CHUNK_CELLS, Streams};
use crate::accumulate::float_rows::{accumulate_rows, splat};
use crate::accumulate::operators::LaneReducer;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// Floats of a page. Under Miri the minimum of a long row.
pub const PAGE_FLOATS: usize = if cfg!(miri) { 1 << 7 } else { 1 << 10 };
/// Chunks, or blocks of rows, that are read interleaved, a page of each.
const STREAM_COUNT: usize = 4;

/// The functions that [`crate::reduce::nest`] uses for large operands.
pub fn streams<F: LaneReducer>() -> &'static Streams<f32, f32> {
    &Streams {
        count: STREAM_COUNT,
        accumulate_chunks: accumulate_chunks::<F>,
        accumulate_blocks: accumulate_blocks::<F>,
    }
}

/// The 32 partial results of a row, and sums that detect NaN.
#[derive(Clone, Copy)]
struct Parts {
    parts: [F32x4; 8],
    cell_sums: [F32x4; 4],
}

impl Parts {
    /// The identities: of elements if `FAST`, else in the internal form.
    #[inline(always)]
    fn start<F: LaneReducer, const FAST: bool>() -> Self {
        let start = if FAST { F::IDENTITY } else { F::START };
        Self { parts: [F32x4::splat(start); 8], cell_sums: [F32x4::zero(); 4] }
    }

    #[inline(always)]
    fn take<F: LaneReducer, const FAST: bool>(&mut self, i: usize, x: &[f32; 4], turning: F32x4) {
        let x = F32x4::load(x);
        if FAST {
            // The order does not matter: half of the parts suffice, since some engines spill twelve vectors to memory.
            self.parts[i % 4] = F::fast(self.parts[i % 4], x);
            self.cell_sums[i % 4] = self.cell_sums[i % 4].add(x);
        } else {
            self.parts[i] = F::join(self.parts[i], F::turn(x, turning));
        }
    }

    #[inline(always)]
    fn fold<F: LaneReducer, const FAST: bool>(&mut self, x: &[f32], turning: F32x4) {
        let mut own = *self;
        let (blocks, rest) = x.as_chunks::<32>();
        for block in blocks {
            for (i, vector) in block.as_chunks::<4>().0.iter().enumerate() {
                own.take::<F, FAST>(i, vector, turning);
            }
        }
        for (i, vector) in rest.as_chunks::<4>().0.iter().enumerate() {
            own.take::<F, FAST>(i, vector, turning);
        }
        *self = own;
    }

    /// The result in the internal form, broadcast; `None` where it may be wrong.
    #[inline(always)]
    fn end<F: LaneReducer, const FAST: bool>(self, turning: F32x4) -> Option<F32x4> {
        let join = |a, b| if FAST { F::fast(a, b) } else { F::join(a, b) };
        let [a, b, c, d, e, f, g, h] = self.parts;
        let low = join(join(a, e), join(c, g));
        let high = join(join(b, f), join(d, h));
        let [a, b, c, d] = F32x4::transposed([join(low, high); 4]);
        let sum = join(join(a, c), join(b, d));
        if !FAST {
            return Some(sum);
        }
        let needs_exact_pass = may_have_nan(self.cell_sums)
            || F::needs_exact_pass(F::combine_bits(F32x4::splat_bits(F::BITS_INIT), sum));
        (!needs_exact_pass).then(|| F::turn(sum, turning))
    }
}

/// Reduces a long row, a multiple of four elements; the result is in the internal form, broadcast.
#[inline(always)]
pub fn long<F: LaneReducer>(x: &[f32], turning: F32x4) -> F32x4 {
    if F::HAS_FAST {
        let mut parts = Parts::start::<F, true>();
        parts.fold::<F, true>(x, turning);
        if let Some(sum) = parts.end::<F, true>(turning) {
            return sum;
        }
    }
    exact::<F>(x, turning)
}

fn exact<F: LaneReducer>(x: &[f32], turning: F32x4) -> F32x4 {
    let mut parts = Parts::start::<F, false>();
    parts.fold::<F, false>(x, turning);
    parts.end::<F, false>(turning).unwrap_or(F32x4::splat(F::START))
}

/// [`Streams::accumulate_chunks`].
fn accumulate_chunks<F: LaneReducer>(to: &mut f32, from: &[f32]) {
    if F::HAS_FAST { chunks::<F, true>(to, from) } else { chunks::<F, false>(to, from) }
}

#[inline(always)]
fn chunks<F: LaneReducer, const FAST: bool>(to: &mut f32, from: &[f32]) {
    let turning = F::turning();
    let mut all = [Parts::start::<F, FAST>(); STREAM_COUNT];
    for page in (0..CHUNK_CELLS).step_by(PAGE_FLOATS) {
        for (parts, chunk) in all.iter_mut().zip(from.chunks_exact(CHUNK_CELLS)) {
            parts.fold::<F, FAST>(&chunk[page..page + PAGE_FLOATS], turning);
        }
    }
    for (parts, chunk) in all.iter().zip(from.chunks_exact(CHUNK_CELLS)) {
        let sum = parts.end::<F, FAST>(turning).unwrap_or_else(|| exact::<F>(chunk, turning));
        [*to, ..] = F::turn(F::join(splat::<F>(*to, turning), sum), turning).to_array();
    }
}

/// Rows that are accumulated into the results at once.
const ROWS_AT_ONCE: usize = 4;
/// Minimum rows: from here on, a second pass over the results costs little.
const MIN_FAST_ROWS: usize = 8;

/// Accumulates rows into the results with the fast operator, if that pays. Returns `false` where the results may be wrong: they
/// have lost at most a NaN or the sign of a zero, which accumulating all rows once more corrects.
pub fn fast_columns<F: LaneReducer>(to: &mut [f32], from: &[f32], stride: usize, count: usize) -> bool {
    if !F::HAS_FAST || count < MIN_FAST_ROWS || to.len() < 16 {
        return false;
    }
    let (width, mut cell_sums) = (to.len(), [F32x4::zero(); 4]);
    let row = |i: usize| &from[i * stride..i * stride + width];
    let rows = count / ROWS_AT_ONCE * ROWS_AT_ONCE;
    for i in (0..rows).step_by(ROWS_AT_ONCE) {
        fold::<F, ROWS_AT_ONCE, 1>([to], std::array::from_fn(|r| row(i + r)), &mut cell_sums);
    }
    for i in rows..count {
        fold::<F, 1, 1>([to], [row(i)], &mut cell_sums);
    }
    !needs_exact_pass::<F>(to, cell_sums)
}

/// Accumulates `N` rows in order into one row of results (`M` is 1), or each row into its own (`M` is `N`).
#[inline(always)]
fn fold<F: LaneReducer, const N: usize, const M: usize>(
    to: [&mut [f32]; M],
    rows: [&[f32]; N],
    cell_sums: &mut [F32x4; 4],
) {
    // Without rows there is nothing to accumulate.
    let width = rows.first().map_or(0, |row| row.len());
    assert!(to.iter().all(|to| to.len() == width) && rows.iter().all(|row| row.len() == width));
    let (to, rows) = (to.map(<[f32]>::as_mut_ptr), rows.map(<[f32]>::as_ptr));
    let mut sums = *cell_sums;
    let join = |a: F32x4, x: F32x4, cell_sum: &mut F32x4| {
        if F::HAS_FAST {
            *cell_sum = cell_sum.add(x);
        }
        F::fast(a, x)
    };
    let mut i = 0;
    while i + 16 <= width {
        // SAFETY: i + 16 <= width, the length of each row and of the results.
        unsafe {
            if M == 1 {
                let (to, rows) = (to[0].add(i), rows.map(|row| row.add(i)));
                // Vector by vector: row by row, some engines spill most of the results to memory.
                for (k, cell_sum) in sums.iter_mut().enumerate() {
                    let mut result = F32x4::read(to.add(4 * k));
                    for row in rows {
                        result = join(result, F32x4::read(row.add(4 * k)), cell_sum);
                    }
                    result.write(to.add(4 * k));
                }
            } else {
                for (to, row) in to.iter().zip(&rows) {
                    let (to, row) = (to.add(i), row.add(i));
                    for (k, cell_sum) in sums.iter_mut().enumerate() {
                        let to = to.add(4 * k);
                        join(F32x4::read(to), F32x4::read(row.add(4 * k)), cell_sum).write(to);
                    }
                }
            }
        }
        i += 16;
    }
    while i < width {
        for (m, to) in to.iter().enumerate() {
            for row in if M == 1 { &rows[..] } else { &rows[m..=m] } {
                // SAFETY: i < width.
                unsafe {
                    let result = join(F32x4::splat(*to.add(i)), F32x4::splat(*row.add(i)), &mut sums[0]);
                    [*to.add(i), ..] = result.to_array();
                }
            }
        }
        i += 1;
    }
    *cell_sums = sums;
}

/// Whether one of the summed numbers was NaN, or they were infinities of both signs.
#[inline(always)]
fn may_have_nan([a, b, c, d]: [F32x4; 4]) -> bool {
    let sum = a.add(b).add(c.add(d));
    sum.ne(sum).any()
}

/// Whether a NaN was summed, or a result may be wrong.
fn needs_exact_pass<F: LaneReducer>(results: &[f32], cell_sums: [F32x4; 4]) -> bool {
    let (fours, rest) = results.as_chunks::<4>();
    let bits = F32x4::splat_bits(F::BITS_INIT);
    let bits = fours.iter().fold(bits, |bits, four| F::combine_bits(bits, F32x4::load(four)));
    let bits = rest.iter().fold(bits, |bits, x| F::combine_bits(bits, F32x4::splat(*x)));
    may_have_nan(cell_sums) || F::needs_exact_pass(bits)
}

/// [`Streams::accumulate_blocks`].
fn accumulate_blocks<F: LaneReducer>(
    to: &mut [f32],
    from: &[f32],
    apart: usize,
    stride: usize,
    count: usize,
) {
    let width = to.len() / STREAM_COUNT;
    let mut cell_sums = [F32x4::zero(); 4];
    let (low, high) = to.split_at_mut(2 * width);
    let ((a, b), (c, d)) = (low.split_at_mut(width), high.split_at_mut(width));
    for i in 0..count {
        let rows: [&[f32]; STREAM_COUNT] = std::array::from_fn(|n| &from[n * apart + i * stride..][..width]);
        fold::<F, STREAM_COUNT, STREAM_COUNT>([a, b, c, d], rows, &mut cell_sums);
    }
    if F::HAS_FAST && needs_exact_pass::<F>(to, cell_sums) {
        for (n, to) in to.chunks_exact_mut(width).enumerate() {
            accumulate_rows::<F>(to, &from[n * apart..], stride, count);
        }
    }
}
