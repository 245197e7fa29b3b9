//! Accumulators of windows along rows of `f32`. The maximum is the negated minimum of negated elements.

use crate::accumulate::accumulator::Accumulator;
use crate::accumulate::float::accumulator;
use crate::accumulate::float_columns::{accumulate_into, overwrite_columns};
use crate::accumulate::operators::{LaneReducer, Max, Min};
use crate::accumulate::slide::slide;
use crate::description::parts::Reducer;
use crate::simd::lanes::Lanes;
use crate::simd::math::minimum_noncanonical;
use crate::simd::native::F32x4;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::window::pool::Pooling;
use crate::window::row::Axis;
use crate::window::{pool_channels, pool_rows};

/// [`overwrite_columns`] of the maximum, with negated results, from which the accumulator of [`Min`] continues.
fn begin_max_columns(to: &mut [f32], from: &[f32], stride: usize, count: usize) {
    let width = to.len();
    let row = |i: usize| &from[i * stride..i * stride + width];
    match count {
        1 => accumulate_into::<Max, 1, true, true>(to, [row(0)]),
        2 => accumulate_into::<Max, 2, true, true>(to, [row(0), row(1)]),
        3 => accumulate_into::<Max, 3, true, true>(to, [row(0), row(1), row(2)]),
        _ => {
            overwrite_columns::<Max>(to, from, stride, count);
            for x in to.iter_mut() {
                *x = -*x;
            }
        }
    }
}

/// [`Accumulator::finish`] of results of [`begin_max_columns`].
fn finish_max(results: &mut [f32], init: f32) {
    let (sign_mask, init) = (Max::sign_mask::<F32x4>(), F32x4::splat(init).neg());
    let [nan] = std::hint::black_box([f32::NAN]).map(F32x4::splat);
    let finish = |x: F32x4| {
        let x = minimum_noncanonical(init, x).xor(sign_mask);
        x.select(nan, x.eq(x))
    };
    let (fours, rest) = results.as_chunks_mut::<4>();
    for four in fours {
        finish(F32x4::load(four)).store(four);
    }
    for x in rest {
        [*x, ..] = finish(F32x4::splat(*x)).to_array();
    }
}

/// [`accumulator`] for windows: partial maxima are negated.
pub fn window_accumulator(reducer: Reducer) -> Accumulator<f32, f32> {
    let base = accumulator(if reducer == Reducer::Max { Reducer::Min } else { reducer });
    if reducer == Reducer::Max {
        Accumulator {
            begin_columns: begin_max_columns,
            finish: finish_max,
            slide: Some(slide::<Min, true>),
            ..base
        }
    } else {
        base
    }
}

/// Whether [`pool`] supports windows along these axes.
pub fn supports_pooling(axes: &[Axis]) -> bool {
    pool_rows::supports(axes) || pool_channels::supports(axes)
}

/// Pools with a window along two dimensions.
pub fn pool(args: Pooling<f32>, context: &mut Context) -> Result<(), KernelError> {
    let has_contiguous_channels = pool_channels::supports(args.axes);
    let pool_function = if has_contiguous_channels { pool_channels::pool } else { pool_rows::pool };
    pool_function(args, context)
}
