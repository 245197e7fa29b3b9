//! Accumulators of `f32` at memory bandwidth.
//!
//! Several interleaved streams of reads are faster than one if they are in different pages (4 kB), and slower within one page.
//! Max (or min) of numbers without NaN is one operation, the exact operator takes four: so a row or a column is first reduced
//! with the former, while its numbers are summed to detect NaN. If a number is NaN, or there are infinities of both
//! signs, or the result is a zero whose sign may be wrong, it is reduced again with the exact operator. Either way the bits are
//! those of the order in [`crate::accumulate::float`].

#![allow(unsafe_code, reason = "slices are iterated together: bounds checks make it slower")]

use crate::accumulate::accumulator::{CHUNK_CELLS, Streams};
use crate::accumulate::float_columns::{accumulate_columns, splat};
use crate::accumulate::operators::LaneReducer;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// Floats of a page. Under Miri the minimum length of a long row.
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
struct PartialResults {
    partials: [F32x4; 8],
    cell_sums: [F32x4; 4],
}

impl PartialResults {
    /// All partial results are the identity; in the internal form unless `FAST`.
    #[inline(always)]
    fn identity<F: LaneReducer, const FAST: bool>() -> Self {
        let identity = if FAST { F::IDENTITY } else { F::INTERNAL_IDENTITY };
        Self { partials: [F32x4::splat(identity); 8], cell_sums: [F32x4::zero(); 4] }
    }

    #[inline(always)]
    fn accumulate_vector<F: LaneReducer, const FAST: bool>(
        &mut self,
        i: usize,
        x: &[f32; 4],
        flip_mask: F32x4,
    ) {
        let x = F32x4::load(x);
        if FAST {
            // The order does not matter: half of the partials suffice, since some engines spill twelve vectors to memory.
            self.partials[i % 4] = F::fast_combine(self.partials[i % 4], x);
            self.cell_sums[i % 4] = self.cell_sums[i % 4].add(x);
        } else {
            self.partials[i] = F::combine(self.partials[i], F::flip(x, flip_mask));
        }
    }

    #[inline(always)]
    fn accumulate<F: LaneReducer, const FAST: bool>(&mut self, x: &[f32], flip_mask: F32x4) {
        let mut local = *self;
        let (blocks, rest) = x.as_chunks::<32>();
        for block in blocks {
            for (i, vector) in block.as_chunks::<4>().0.iter().enumerate() {
                local.accumulate_vector::<F, FAST>(i, vector, flip_mask);
            }
        }
        for (i, vector) in rest.as_chunks::<4>().0.iter().enumerate() {
            local.accumulate_vector::<F, FAST>(i, vector, flip_mask);
        }
        *self = local;
    }

    /// The result in the internal form, broadcast; `None` if it may be wrong.
    #[inline(always)]
    fn finish<F: LaneReducer, const FAST: bool>(self, flip_mask: F32x4) -> Option<F32x4> {
        let combine = |a, b| if FAST { F::fast_combine(a, b) } else { F::combine(a, b) };
        let [a, b, c, d, e, f, g, h] = self.partials;
        let low = combine(combine(a, e), combine(c, g));
        let high = combine(combine(b, f), combine(d, h));
        let [a, b, c, d] = F32x4::transposed([combine(low, high); 4]);
        let sum = combine(combine(a, c), combine(b, d));
        if !FAST {
            return Some(sum);
        }
        let needs_exact_pass = may_have_nan(self.cell_sums)
            || F::needs_exact_pass(F::combine_bits(F32x4::splat_bits(F::BITS_INIT), sum));
        (!needs_exact_pass).then(|| F::flip(sum, flip_mask))
    }
}

/// Reduces a long row, whose length is a multiple of four; the result is in the internal form, broadcast.
#[inline(always)]
pub fn reduce_long_row<F: LaneReducer>(x: &[f32], flip_mask: F32x4) -> F32x4 {
    if F::HAS_FAST_COMBINE {
        let mut partials = PartialResults::identity::<F, true>();
        partials.accumulate::<F, true>(x, flip_mask);
        if let Some(sum) = partials.finish::<F, true>(flip_mask) {
            return sum;
        }
    }
    reduce_row_exact::<F>(x, flip_mask)
}

fn reduce_row_exact<F: LaneReducer>(x: &[f32], flip_mask: F32x4) -> F32x4 {
    let mut partials = PartialResults::identity::<F, false>();
    partials.accumulate::<F, false>(x, flip_mask);
    partials.finish::<F, false>(flip_mask).unwrap_or(F32x4::splat(F::INTERNAL_IDENTITY))
}

/// [`Streams::accumulate_chunks`].
fn accumulate_chunks<F: LaneReducer>(to: &mut f32, from: &[f32]) {
    if F::HAS_FAST_COMBINE {
        interleaved_chunks::<F, true>(to, from);
    } else {
        interleaved_chunks::<F, false>(to, from);
    }
}

#[inline(always)]
fn interleaved_chunks<F: LaneReducer, const FAST: bool>(to: &mut f32, from: &[f32]) {
    let flip_mask = F::flip_mask();
    let mut streams = [PartialResults::identity::<F, FAST>(); STREAM_COUNT];
    for page in (0..CHUNK_CELLS).step_by(PAGE_FLOATS) {
        for (partials, chunk) in streams.iter_mut().zip(from.chunks_exact(CHUNK_CELLS)) {
            partials.accumulate::<F, FAST>(&chunk[page..page + PAGE_FLOATS], flip_mask);
        }
    }
    for (partials, chunk) in streams.iter().zip(from.chunks_exact(CHUNK_CELLS)) {
        let sum =
            partials.finish::<F, FAST>(flip_mask).unwrap_or_else(|| reduce_row_exact::<F>(chunk, flip_mask));
        [*to, ..] = F::flip(F::combine(splat::<F>(*to, flip_mask), sum), flip_mask).to_array();
    }
}

/// Rows that are accumulated into the results at once.
const ROWS_AT_ONCE: usize = 4;
/// Minimum rows: with more, a second pass over the results costs little.
const MIN_FAST_ROWS: usize = 8;

/// Accumulates rows into the results with the fast operator, if that is worthwhile. Returns `false` if the results may be wrong:
/// they have lost at most a NaN or the sign of a zero, which accumulating all rows a second time corrects.
pub fn fast_columns<F: LaneReducer>(to: &mut [f32], from: &[f32], stride: usize, count: usize) -> bool {
    if !F::HAS_FAST_COMBINE || count < MIN_FAST_ROWS || to.len() < 16 {
        return false;
    }
    let (width, mut cell_sums) = (to.len(), [F32x4::zero(); 4]);
    let row = |i: usize| &from[i * stride..i * stride + width];
    let rows = count / ROWS_AT_ONCE * ROWS_AT_ONCE;
    for i in (0..rows).step_by(ROWS_AT_ONCE) {
        fast_rows::<F, ROWS_AT_ONCE, 1>([to], std::array::from_fn(|r| row(i + r)), &mut cell_sums);
    }
    for i in rows..count {
        fast_rows::<F, 1, 1>([to], [row(i)], &mut cell_sums);
    }
    !needs_exact_pass::<F>(to, cell_sums)
}

/// Accumulates `N` rows in order into one row of results (`M` is 1), or each row into its own (`M` is `N`).
#[inline(always)]
fn fast_rows<F: LaneReducer, const N: usize, const M: usize>(
    to: [&mut [f32]; M],
    rows: [&[f32]; N],
    cell_sums: &mut [F32x4; 4],
) {
    // Without rows there is nothing to accumulate.
    let width = rows.first().map_or(0, |row| row.len());
    assert!(to.iter().all(|to| to.len() == width) && rows.iter().all(|row| row.len() == width));
    let (to, rows) = (to.map(<[f32]>::as_mut_ptr), rows.map(<[f32]>::as_ptr));
    let mut sums = *cell_sums;
    let combine = |a: F32x4, x: F32x4, cell_sum: &mut F32x4| {
        if F::HAS_FAST_COMBINE {
            *cell_sum = cell_sum.add(x);
        }
        F::fast_combine(a, x)
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
                        result = combine(result, F32x4::read(row.add(4 * k)), cell_sum);
                    }
                    result.write(to.add(4 * k));
                }
            } else {
                for (to, row) in to.iter().zip(&rows) {
                    let (to, row) = (to.add(i), row.add(i));
                    for (k, cell_sum) in sums.iter_mut().enumerate() {
                        let to = to.add(4 * k);
                        combine(F32x4::read(to), F32x4::read(row.add(4 * k)), cell_sum).write(to);
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
                    let result = combine(F32x4::splat(*to.add(i)), F32x4::splat(*row.add(i)), &mut sums[0]);
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
    block_stride: usize,
    stride: usize,
    count: usize,
) {
    let width = to.len() / STREAM_COUNT;
    let mut cell_sums = [F32x4::zero(); 4];
    let (low, high) = to.split_at_mut(2 * width);
    let ((a, b), (c, d)) = (low.split_at_mut(width), high.split_at_mut(width));
    for i in 0..count {
        let rows: [&[f32]; STREAM_COUNT] =
            std::array::from_fn(|n| &from[n * block_stride + i * stride..][..width]);
        fast_rows::<F, STREAM_COUNT, STREAM_COUNT>([a, b, c, d], rows, &mut cell_sums);
    }
    if F::HAS_FAST_COMBINE && needs_exact_pass::<F>(to, cell_sums) {
        for (n, to) in to.chunks_exact_mut(width).enumerate() {
            accumulate_columns::<F>(to, &from[n * block_stride..], stride, count);
        }
    }
}
