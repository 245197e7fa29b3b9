//! Accumulators of `f32`: rows and columns by lanes.

use crate::accumulate::accumulator::{Accumulator, write};
use crate::accumulate::float_rows::{accumulate_rows, fresh, splat};
use crate::accumulate::operators::{Add, LaneReducer, Max, Min, Mul};
use crate::accumulate::slide;
use crate::accumulate::streams;
use crate::description::parts::Reducer;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// Minimum elements of a row for 32 partial results.
const MIN_LONG_ROW: usize = 128;

#[inline(always)]
fn load<F: LaneReducer>(from: &[f32; 4], turning: F32x4) -> F32x4 {
    F::turn(F32x4::load(from), turning)
}

/// Combines the lanes of each vector, as `(0 + 2) + (1 + 3)`: lane `i` of the result is that of vector `i`.
#[inline(always)]
fn across<F: LaneReducer>(lanes: [F32x4; 4]) -> F32x4 {
    let [a, b, c, d] = F32x4::transposed(lanes);
    F::join(F::join(a, c), F::join(b, d))
}

/// Reduces a long row; the result is in the internal form, broadcast.
#[inline(always)]
fn long<F: LaneReducer>(x: &[f32], turning: F32x4) -> F32x4 {
    let (vectors, rest) = x.split_at(x.len() & !3);
    let sum = streams::long::<F>(vectors, turning);
    rest.iter().fold(sum, |sum, x| F::join(sum, splat::<F>(*x, turning)))
}

pub fn rows<F: LaneReducer>(to: &mut [f32], from: &[f32], stride: usize, length: usize) {
    let turning = F::turning();
    if length >= MIN_LONG_ROW {
        for (j, to) in to.iter_mut().enumerate() {
            let sum = long::<F>(&from[j * stride..j * stride + length], turning);
            let [result, ..] = F::turn(F::join(splat::<F>(*to, turning), sum), turning).to_array();
            *to = result;
        }
        return;
    }
    if length < 4 {
        for (j, to) in to.iter_mut().enumerate() {
            let row = &from[j * stride..j * stride + length];
            let sum = row.iter().fold(F32x4::splat(F::START), |sum, x| F::join(sum, splat::<F>(*x, turning)));
            let [result, ..] = F::turn(F::join(splat::<F>(*to, turning), sum), turning).to_array();
            *to = result;
        }
        return;
    }
    // Four rows at a time, then one by one: each has four partial results, then its remaining elements in order.
    let (fours, rest) = to.as_chunks_mut::<4>();
    for (j, to) in fours.iter_mut().enumerate() {
        let row = |i: usize| &from[(4 * j + i) * stride..(4 * j + i) * stride + length];
        let of = [row(0), row(1), row(2), row(3)];
        F::turn(F::join(load::<F>(to, turning), short::<F>(of, turning)), turning).store(to);
    }
    let first = fours.len() * 4;
    for (j, to) in rest.iter_mut().enumerate() {
        let row = &from[(first + j) * stride..(first + j) * stride + length];
        let [result, ..] =
            F::turn(F::join(splat::<F>(*to, turning), short::<F>([row; 4], turning)), turning).to_array();
        *to = result;
    }
}

/// Reduces four short rows of one length; lane `i` is the result of row `i`, in the internal form.
#[inline(always)]
fn short<F: LaneReducer>(rows: [&[f32]; 4], turning: F32x4) -> F32x4 {
    let [(a, a_rest), (b, b_rest), (c, c_rest), (d, d_rest)] = rows.map(|row| row.as_chunks::<4>());
    let mut sum = F32x4::splat(F::START);
    if !a.is_empty() {
        let mut sums = [sum; 4];
        for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
            sums[0] = F::join(sums[0], load::<F>(a, turning));
            sums[1] = F::join(sums[1], load::<F>(b, turning));
            sums[2] = F::join(sums[2], load::<F>(c, turning));
            sums[3] = F::join(sums[3], load::<F>(d, turning));
        }
        sum = across::<F>(sums);
    }
    for (((a, b), c), d) in a_rest.iter().zip(b_rest).zip(c_rest).zip(d_rest) {
        sum = F::join(sum, load::<F>(&[*a, *b, *c, *d], turning));
    }
    sum
}

/// Contiguous rows with fewer cells than this are accumulated as blocks of this many rows.
const NARROW_ROW: usize = 16;

fn columns<F: LaneReducer>(to: &mut [f32], from: &[f32], stride: usize, count: usize) {
    let width = to.len();
    let mut from = from;
    let mut count = count;
    if width < NARROW_ROW && stride == width && count >= 4 * NARROW_ROW {
        // First element `i` of every sixteenth row, then the sixteen partial results of each element in order.
        let mut wide = [F::turn(F32x4::splat(F::START), F::turning()).to_array()[0]; NARROW_ROW * NARROW_ROW];
        let wide = &mut wide[..NARROW_ROW * width];
        let blocks = count / NARROW_ROW;
        accumulate_rows::<F>(wide, from, NARROW_ROW * width, blocks);
        accumulate_rows::<F>(to, wide, width, NARROW_ROW);
        from = &from[blocks * NARROW_ROW * width..];
        count -= blocks * NARROW_ROW;
    }
    if !streams::fast_columns::<F>(to, from, stride, count) {
        accumulate_rows::<F>(to, from, stride, count);
    }
}

fn split(from: &[f32], even: &mut [f32], odd: &mut [f32]) {
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
    let turning = F::turning();
    let init = splat::<F>(init, turning);
    let (fours, rest) = results.as_chunks_mut::<4>();
    for four in fours {
        F::turn(F::join(init, load::<F>(four, turning)), turning).canonicalized().store(four);
    }
    for x in rest {
        let [result, ..] =
            F::turn(F::join(init, splat::<F>(*x, turning)), turning).canonicalized().to_array();
        *x = result;
    }
}

/// Accumulators of `f32`. Bitwise reducers, which floats do not have, give the sum.
pub fn accumulator(fold: Reducer) -> Accumulator<f32, f32> {
    fn of<F: LaneReducer>(start: f32) -> Accumulator<f32, f32> {
        Accumulator {
            start,
            rows: rows::<F>,
            columns: columns::<F>,
            fresh: fresh::<F>,
            enter: fresh::<F>,
            slide: Some(slide::slide::<F, false>),
            streams: Some(streams::streams::<F>()),
            finish: finish::<F>,
            split,
            widen: |x| x,
            narrow: |x| x,
            write,
        }
    }
    match fold {
        Reducer::Mul => of::<Mul>(1.0),
        Reducer::Min => of::<Min>(f32::INFINITY),
        Reducer::Max => of::<Max>(f32::NEG_INFINITY),
        _ => of::<Add>(-0.0),
    }
}
