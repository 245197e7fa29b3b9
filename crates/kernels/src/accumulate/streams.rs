//! Accumulators of `f32` at memory bandwidth.
//!
//! Several interleaved streams of reads are faster than one, as long as they are in different pages (4 kB); within one page they
//! are slower. Max (or min) of numbers without NaN is one operation, where the exact operator takes four: so a row or a column is
//! first reduced with that, while its numbers are summed, which detects NaN. If a number is NaN, or there are infinities of both
//! signs, or the result is a zero whose sign may be wrong, it is reduced again with the exact operator. Either way the bits are
//! those of the order in [`crate::accumulate::float`].

#![allow(unsafe_code, reason = "slices walked together: bounds checks make it slower")]

use crate::accumulate::accumulator::{PIECE_CELLS, Streams};
use crate::accumulate::float_rows::{accumulate_rows, splat};
use crate::accumulate::operators::LaneReducer;
use crate::simd::best::Best;
use crate::simd::lanes::Lanes;

/// Floats of a page. Under Miri the minimum of a long row.
pub const PAGE_FLOATS: usize = if cfg!(miri) { 1 << 7 } else { 1 << 10 };
/// Pieces that are visited interleaved, a page of each.
const PIECES_AT_ONCE: usize = 4;

/// The functions that [`crate::reduce::nest`] uses for large operands.
pub fn streams<F: LaneReducer>() -> &'static Streams<f32, f32> {
    &Streams { together: PIECES_AT_ONCE, pieces: pieces::<F>, blocks: blocks::<F> }
}

/// The 32 partial results of a row, and sums that detect NaN.
#[derive(Clone, Copy)]
struct Parts {
    parts: [Best; 8],
    seen: [Best; 4],
}

impl Parts {
    /// The identities: of elements if `QUICK`, else in the internal form.
    #[inline(always)]
    fn start<F: LaneReducer, const QUICK: bool>() -> Self {
        let start = if QUICK { F::IDENTITY } else { F::START };
        Self { parts: [Best::splat(start); 8], seen: [Best::zero(); 4] }
    }

    #[inline(always)]
    fn take<F: LaneReducer, const QUICK: bool>(&mut self, i: usize, x: &[f32; 4], turning: Best) {
        let x = Best::load(x);
        if QUICK {
            // The order does not matter: half of the parts suffice, since some engines spill twelve vectors to memory.
            self.parts[i % 4] = F::quick(self.parts[i % 4], x);
            self.seen[i % 4] = self.seen[i % 4].add(x);
        } else {
            self.parts[i] = F::join(self.parts[i], F::turn(x, turning));
        }
    }

    #[inline(always)]
    fn fold<F: LaneReducer, const QUICK: bool>(&mut self, x: &[f32], turning: Best) {
        let mut own = *self;
        let (blocks, rest) = x.as_chunks::<32>();
        for block in blocks {
            for (i, vector) in block.as_chunks::<4>().0.iter().enumerate() {
                own.take::<F, QUICK>(i, vector, turning);
            }
        }
        for (i, vector) in rest.as_chunks::<4>().0.iter().enumerate() {
            own.take::<F, QUICK>(i, vector, turning);
        }
        *self = own;
    }

    /// The result in the internal form, broadcast; `None` where it may be wrong.
    #[inline(always)]
    fn end<F: LaneReducer, const QUICK: bool>(self, turning: Best) -> Option<Best> {
        let join = |a, b| if QUICK { F::quick(a, b) } else { F::join(a, b) };
        let [a, b, c, d, e, f, g, h] = self.parts;
        let low = join(join(a, e), join(c, g));
        let high = join(join(b, f), join(d, h));
        let [a, b, c, d] = Best::transposed([join(low, high); 4]);
        let sum = join(join(a, c), join(b, d));
        if !QUICK {
            return Some(sum);
        }
        let is_doubtful = has_nan(self.seen) || F::is_doubtful(F::keep(Best::splat_bits(F::KEPT), sum));
        (!is_doubtful).then(|| F::turn(sum, turning))
    }
}

/// Reduces a long row, a multiple of four elements; the result is in the internal form, broadcast.
#[inline(always)]
pub fn long<F: LaneReducer>(x: &[f32], turning: Best) -> Best {
    if F::IS_QUICK {
        let mut parts = Parts::start::<F, true>();
        parts.fold::<F, true>(x, turning);
        if let Some(sum) = parts.end::<F, true>(turning) {
            return sum;
        }
    }
    exact::<F>(x, turning)
}

fn exact<F: LaneReducer>(x: &[f32], turning: Best) -> Best {
    let mut parts = Parts::start::<F, false>();
    parts.fold::<F, false>(x, turning);
    parts.end::<F, false>(turning).unwrap_or(Best::splat(F::START))
}

/// [`Streams::pieces`].
fn pieces<F: LaneReducer>(to: &mut f32, from: &[f32]) {
    if F::IS_QUICK { some_pieces::<F, true>(to, from) } else { some_pieces::<F, false>(to, from) }
}

#[inline(always)]
fn some_pieces<F: LaneReducer, const QUICK: bool>(to: &mut f32, from: &[f32]) {
    let turning = F::turning();
    let mut all = [Parts::start::<F, QUICK>(); PIECES_AT_ONCE];
    for page in (0..PIECE_CELLS).step_by(PAGE_FLOATS) {
        for (parts, piece) in all.iter_mut().zip(from.chunks_exact(PIECE_CELLS)) {
            parts.fold::<F, QUICK>(&piece[page..page + PAGE_FLOATS], turning);
        }
    }
    for (parts, piece) in all.iter().zip(from.chunks_exact(PIECE_CELLS)) {
        let sum = parts.end::<F, QUICK>(turning).unwrap_or_else(|| exact::<F>(piece, turning));
        [*to, ..] = F::turn(F::join(splat::<F>(*to, turning), sum), turning).to_array();
    }
}

/// Rows that are accumulated into the results at once.
const ROWS_AT_ONCE: usize = 4;
/// Minimum rows: from here on, a second pass over the results costs little.
const MIN_QUICK_ROWS: usize = 8;

/// Accumulates rows into the results with the quick operator, if that pays. Returns `false` where the results may be wrong: they
/// have lost at most a NaN or the sign of a zero, which accumulating all rows once more corrects.
pub fn quick_columns<F: LaneReducer>(to: &mut [f32], from: &[f32], stride: usize, count: usize) -> bool {
    if !F::IS_QUICK || count < MIN_QUICK_ROWS || to.len() < 16 {
        return false;
    }
    let (width, mut seen) = (to.len(), [Best::zero(); 4]);
    let row = |i: usize| &from[i * stride..i * stride + width];
    let rows = count / ROWS_AT_ONCE * ROWS_AT_ONCE;
    for i in (0..rows).step_by(ROWS_AT_ONCE) {
        fold::<F, ROWS_AT_ONCE, 1>([to], std::array::from_fn(|r| row(i + r)), &mut seen);
    }
    for i in rows..count {
        fold::<F, 1, 1>([to], [row(i)], &mut seen);
    }
    !is_doubtful::<F>(to, seen)
}

/// Accumulates `N` rows in order into one row of results (`M` is 1), or each row into its own (`M` is `N`).
#[inline(always)]
fn fold<F: LaneReducer, const N: usize, const M: usize>(
    to: [&mut [f32]; M],
    rows: [&[f32]; N],
    seen: &mut [Best; 4],
) {
    // Without rows there is nothing to accumulate.
    let width = rows.first().map_or(0, |row| row.len());
    assert!(to.iter().all(|to| to.len() == width) && rows.iter().all(|row| row.len() == width));
    let (to, rows) = (to.map(<[f32]>::as_mut_ptr), rows.map(<[f32]>::as_ptr));
    let mut sums = *seen;
    let join = |a: Best, x: Best, seen: &mut Best| {
        if F::IS_QUICK {
            *seen = seen.add(x);
        }
        F::quick(a, x)
    };
    let mut i = 0;
    while i + 16 <= width {
        // SAFETY: i + 16 <= width, the length of each row and of the results.
        unsafe {
            if M == 1 {
                let (to, rows) = (to[0].add(i), rows.map(|row| row.add(i)));
                // Vector by vector: row by row, some engines spill most of the results to memory.
                for (k, seen) in sums.iter_mut().enumerate() {
                    let mut result = Best::read(to.add(4 * k));
                    for row in rows {
                        result = join(result, Best::read(row.add(4 * k)), seen);
                    }
                    result.write(to.add(4 * k));
                }
            } else {
                for (to, row) in to.iter().zip(&rows) {
                    let (to, row) = (to.add(i), row.add(i));
                    for (k, seen) in sums.iter_mut().enumerate() {
                        let to = to.add(4 * k);
                        join(Best::read(to), Best::read(row.add(4 * k)), seen).write(to);
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
                    let result = join(Best::splat(*to.add(i)), Best::splat(*row.add(i)), &mut sums[0]);
                    [*to.add(i), ..] = result.to_array();
                }
            }
        }
        i += 1;
    }
    *seen = sums;
}

/// Whether one of the summed numbers was NaN.
#[inline(always)]
fn has_nan([a, b, c, d]: [Best; 4]) -> bool {
    let seen = a.add(b).add(c.add(d));
    seen.ne(seen).any()
}

/// Whether a NaN was summed, or a result may be wrong.
fn is_doubtful<F: LaneReducer>(results: &[f32], seen: [Best; 4]) -> bool {
    let (fours, rest) = results.as_chunks::<4>();
    let kept = fours.iter().fold(Best::splat_bits(F::KEPT), |kept, four| F::keep(kept, Best::load(four)));
    let kept = rest.iter().fold(kept, |kept, x| F::keep(kept, Best::splat(*x)));
    has_nan(seen) || F::is_doubtful(kept)
}

/// [`Streams::blocks`].
fn blocks<F: LaneReducer>(to: &mut [f32], from: &[f32], apart: usize, stride: usize, count: usize) {
    let width = to.len() / PIECES_AT_ONCE;
    let mut seen = [Best::zero(); 4];
    let (low, high) = to.split_at_mut(2 * width);
    let ((a, b), (c, d)) = (low.split_at_mut(width), high.split_at_mut(width));
    for i in 0..count {
        let rows: [&[f32]; PIECES_AT_ONCE] =
            std::array::from_fn(|n| &from[n * apart + i * stride..][..width]);
        fold::<F, PIECES_AT_ONCE, PIECES_AT_ONCE>([a, b, c, d], rows, &mut seen);
    }
    if F::IS_QUICK && is_doubtful::<F>(to, seen) {
        for (n, to) in to.chunks_exact_mut(width).enumerate() {
            accumulate_rows::<F>(to, &from[n * apart..], stride, count);
        }
    }
}
