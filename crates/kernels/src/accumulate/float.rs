//! Accumulators of `f32`: rows and columns, in lanes.

use crate::accumulate::accumulator::{Accumulator, write};
use crate::accumulate::fast_float;
use crate::accumulate::float_columns::{accumulate_columns, overwrite_columns, splat_internal};
use crate::accumulate::operators::{Add, LaneReducer, Max, Min, Mul};
use crate::accumulate::slide;
use crate::description::parts::Reducer;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// Minimum length of a row to be reduced with 32 partial results.
const MIN_LONG_ROW_ELEMENTS: usize = 128;

#[inline(always)]
fn load<F: LaneReducer>(from: &[f32; 4], sign_mask: F32x4) -> F32x4 {
    F::to_internal(F32x4::load(from), sign_mask)
}

/// Combines the lanes of each vector, as `(0 + 2) + (1 + 3)`: lane `i` of the result is that of vector `i`.
#[inline(always)]
fn reduce_lanes<F: LaneReducer>(lanes: [F32x4; 4]) -> F32x4 {
    let [a, b, c, d] = F32x4::transposed(lanes);
    F::combine(F::combine(a, c), F::combine(b, d))
}

/// Reduces a long row; the result is in the internal form, broadcast.
#[inline(always)]
fn reduce_long_row<F: LaneReducer>(x: &[f32], sign_mask: F32x4) -> F32x4 {
    let (vectors, rest) = x.split_at(x.len() & !3);
    let sum = fast_float::reduce_long_row::<F>(vectors, sign_mask);
    rest.iter().fold(sum, |sum, x| F::combine(sum, splat_internal::<F>(*x, sign_mask)))
}

pub fn rows<F: LaneReducer>(to: &mut [f32], from: &[f32], stride: usize, length: usize) {
    let sign_mask = F::sign_mask();
    if length >= MIN_LONG_ROW_ELEMENTS {
        for (j, to) in to.iter_mut().enumerate() {
            let sum = reduce_long_row::<F>(&from[j * stride..j * stride + length], sign_mask);
            let [result, ..] =
                F::from_internal(F::combine(splat_internal::<F>(*to, sign_mask), sum), sign_mask).to_array();
            *to = result;
        }
        return;
    }
    if length < 4 {
        for (j, to) in to.iter_mut().enumerate() {
            let row = &from[j * stride..j * stride + length];
            let sum = row.iter().fold(F32x4::splat(F::INTERNAL_IDENTITY), |sum, x| {
                F::combine(sum, splat_internal::<F>(*x, sign_mask))
            });
            let [result, ..] =
                F::from_internal(F::combine(splat_internal::<F>(*to, sign_mask), sum), sign_mask).to_array();
            *to = result;
        }
        return;
    }
    // Four rows at a time, then one by one: each has four partial results, then its remaining elements in order.
    let (fours, rest) = to.as_chunks_mut::<4>();
    for (j, to) in fours.iter_mut().enumerate() {
        let row = |i: usize| &from[(4 * j + i) * stride..(4 * j + i) * stride + length];
        let rows = [row(0), row(1), row(2), row(3)];
        F::from_internal(
            F::combine(load::<F>(to, sign_mask), reduce_short_rows::<F>(rows, sign_mask)),
            sign_mask,
        )
        .store(to);
    }
    let first = fours.len() * 4;
    for (j, to) in rest.iter_mut().enumerate() {
        let row = &from[(first + j) * stride..(first + j) * stride + length];
        let [result, ..] = F::from_internal(
            F::combine(splat_internal::<F>(*to, sign_mask), reduce_short_rows::<F>([row; 4], sign_mask)),
            sign_mask,
        )
        .to_array();
        *to = result;
    }
}

/// Reduces four short rows of one length; lane `i` is the result of row `i`, in the internal form.
#[inline(always)]
fn reduce_short_rows<F: LaneReducer>(rows: [&[f32]; 4], sign_mask: F32x4) -> F32x4 {
    let [(a, a_rest), (b, b_rest), (c, c_rest), (d, d_rest)] = rows.map(|row| row.as_chunks::<4>());
    let mut sum = F32x4::splat(F::INTERNAL_IDENTITY);
    if !a.is_empty() {
        let mut sums = [sum; 4];
        for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
            sums[0] = F::combine(sums[0], load::<F>(a, sign_mask));
            sums[1] = F::combine(sums[1], load::<F>(b, sign_mask));
            sums[2] = F::combine(sums[2], load::<F>(c, sign_mask));
            sums[3] = F::combine(sums[3], load::<F>(d, sign_mask));
        }
        sum = reduce_lanes::<F>(sums);
    }
    for (((a, b), c), d) in a_rest.iter().zip(b_rest).zip(c_rest).zip(d_rest) {
        sum = F::combine(sum, load::<F>(&[*a, *b, *c, *d], sign_mask));
    }
    sum
}

/// Contiguous rows with fewer elements than this are accumulated as blocks of this many rows, so that vectors are full.
const NARROW_ROW_ELEMENTS: usize = 16;

fn columns<F: LaneReducer>(to: &mut [f32], from: &[f32], stride: usize, count: usize) {
    let width = to.len();
    let mut from = from;
    let mut count = count;
    if width < NARROW_ROW_ELEMENTS && stride == width && count >= 4 * NARROW_ROW_ELEMENTS {
        // First row `r` of each block into partial results `r`, then the sixteen rows of partial results in order.
        let mut wide = [F::from_internal(F32x4::splat(F::INTERNAL_IDENTITY), F::sign_mask()).to_array()[0];
            NARROW_ROW_ELEMENTS * NARROW_ROW_ELEMENTS];
        let wide = &mut wide[..NARROW_ROW_ELEMENTS * width];
        let blocks = count / NARROW_ROW_ELEMENTS;
        accumulate_columns::<F>(wide, from, NARROW_ROW_ELEMENTS * width, blocks);
        accumulate_columns::<F>(to, wide, width, NARROW_ROW_ELEMENTS);
        from = &from[blocks * NARROW_ROW_ELEMENTS * width..];
        count -= blocks * NARROW_ROW_ELEMENTS;
    }
    if !fast_float::try_fast_columns::<F>(to, from, stride, count) {
        accumulate_columns::<F>(to, from, stride, count);
    }
}

fn deinterleave(from: &[f32], even: &mut [f32], odd: &mut [f32]) {
    let (pairs, _) = from.as_chunks::<2>();
    let (eights, rest) = pairs.as_chunks::<4>();
    let (even, even_rest) = even.split_at_mut(eights.len() * 4);
    let (odd, odd_rest) = odd.split_at_mut(eights.len() * 4);
    let (evens, odds) = (even.as_chunks_mut::<4>().0, odd.as_chunks_mut::<4>().0);
    for ((eight, even), odd) in eights.iter().zip(evens).zip(odds) {
        if let [low, high] = eight.as_flattened().as_chunks::<4>().0 {
            let (low, high) = (F32x4::load(low), F32x4::load(high));
            low.even(high).store(even);
            low.odd(high).store(odd);
        }
    }
    for (([a, b], even), odd) in rest.iter().zip(even_rest).zip(odd_rest) {
        (*even, *odd) = (*a, *b);
    }
}

pub fn finish<F: LaneReducer>(results: &mut [f32], init: f32) {
    let sign_mask = F::sign_mask();
    let init = splat_internal::<F>(init, sign_mask);
    let (fours, rest) = results.as_chunks_mut::<4>();
    for four in fours {
        F::from_internal(F::combine(init, load::<F>(four, sign_mask)), sign_mask).canonicalized().store(four);
    }
    for x in rest {
        let [result, ..] = F::from_internal(F::combine(init, splat_internal::<F>(*x, sign_mask)), sign_mask)
            .canonicalized()
            .to_array();
        *x = result;
    }
}

/// Accumulators of `f32`. Bitwise reducers, which floats do not support, fall back to the sum.
pub fn accumulator(reducer: Reducer) -> Accumulator<f32, f32> {
    fn with_operator<F: LaneReducer>(identity: f32) -> Accumulator<f32, f32> {
        Accumulator {
            identity,
            rows: rows::<F>,
            columns: columns::<F>,
            overwrite_columns: overwrite_columns::<F>,
            begin_columns: overwrite_columns::<F>,
            slide: Some(slide::slide::<F, false>),
            interleaved: Some(fast_float::interleaved_functions::<F>()),
            finish: finish::<F>,
            deinterleave,
            widen: |x| x,
            narrow: |x| x,
            write,
        }
    }
    match reducer {
        Reducer::Mul => with_operator::<Mul>(1.0),
        Reducer::Min => with_operator::<Min>(f32::INFINITY),
        Reducer::Max => with_operator::<Max>(f32::NEG_INFINITY),
        _ => with_operator::<Add>(-0.0),
    }
}
