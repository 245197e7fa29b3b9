//! Accumulators of windows along rows of `f32`. The maximum is computed as the negated minimum of negated elements.

use crate::accumulate::accumulator::Accumulator;
use crate::accumulate::float::accumulator;
use crate::accumulate::float_rows::{accumulate_into, fresh};
use crate::accumulate::operators::{LaneReducer, Max, Min};
use crate::accumulate::slide::slide;
use crate::description::parts::Reducer;
use crate::ground::context::Context;
use crate::ground::stop::Stop;
use crate::simd::lanes::Lanes;
use crate::simd::math::minimum_any_nan;
use crate::simd::native::F32x4;
use crate::window::pool::Pool;
use crate::window::row::Axis;
use crate::window::{pool_channels, pool_rows};

/// As [`fresh`] of the maximum, with negated results, which the accumulator of [`Min`] continues with.
fn enter_max(to: &mut [f32], from: &[f32], stride: usize, count: usize) {
    let width = to.len();
    let row = |i: usize| &from[i * stride..i * stride + width];
    match count {
        1 => accumulate_into::<Max, 1, true, true>(to, [row(0)]),
        2 => accumulate_into::<Max, 2, true, true>(to, [row(0), row(1)]),
        3 => accumulate_into::<Max, 3, true, true>(to, [row(0), row(1), row(2)]),
        _ => {
            fresh::<Max>(to, from, stride, count);
            for x in to.iter_mut() {
                *x = -*x;
            }
        }
    }
}

/// `Accumulator::finish` of results that [`enter_max`] began.
fn finish_max(results: &mut [f32], init: f32) {
    let (turning, init) = (Max::turning::<F32x4>(), F32x4::splat(init).neg());
    let [nan] = std::hint::black_box([f32::NAN]).map(F32x4::splat);
    let last = |x: F32x4| {
        let x = minimum_any_nan(init, x).xor(turning);
        x.select(nan, x.eq(x))
    };
    let (fours, rest) = results.as_chunks_mut::<4>();
    for four in fours {
        last(F32x4::load(four)).store(four);
    }
    for x in rest {
        [*x, ..] = last(F32x4::splat(*x)).to_array();
    }
}

/// As [`accumulator`], for windows: the maximum is negated until it is finished.
pub fn window_accumulator(reducer: Reducer) -> Accumulator<f32, f32> {
    let of = accumulator(if reducer == Reducer::Max { Reducer::Min } else { reducer });
    if reducer == Reducer::Max {
        Accumulator { enter: enter_max, finish: finish_max, slide: Some(slide::<Min, true>), ..of }
    } else {
        of
    }
}

/// Whether [`pool`] supports windows along these axes.
pub fn pools(axes: &[Axis]) -> bool {
    pool_rows::supports(axes) || pool_channels::supports(axes)
}

/// Pools with a window along two dimensions.
pub fn pool(of: Pool<f32>, context: &mut Context) -> Result<(), Stop> {
    let is_across = pool_channels::supports(of.axes);
    let pool = if is_across { pool_channels::pool } else { pool_rows::pool };
    pool(of, context)
}
