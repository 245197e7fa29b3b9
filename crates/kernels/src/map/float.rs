//! Element-wise functions on rows of `f32`, with SIMD lanes.

use crate::map::task::{Binary, Unary};
use crate::map::wide;
use crate::simd::lanes::Lanes;
use crate::simd::math;
use crate::simd::native::F32x4;
use crate::simd::native::IS_SCALAR_BUILD;
use crate::simd::rows::{LANES, map, map_with_fast_path};
use crate::support::scalars::canonicalized_f32;

/// [`map`], unrolled: for functions cheaper than an iteration of the loop.
#[inline(always)]
fn map_unrolled(x: &[f32], out: &mut [f32], f: impl Fn(F32x4) -> F32x4) {
    let (blocks, x_rest) = x.as_chunks::<{ VECTORS_PER_ITERATION * LANES }>();
    let (outs, out_rest) = out.as_chunks_mut::<{ VECTORS_PER_ITERATION * LANES }>();
    for (x, out) in blocks.iter().zip(outs) {
        for (x, out) in x.as_chunks::<LANES>().0.iter().zip(out.as_chunks_mut::<LANES>().0) {
            f(F32x4::load(x)).store(out);
        }
    }
    map(x_rest, out_rest, f);
}

/// Applies a function to two rows, vector by vector.
#[inline(always)]
pub fn map_two(a: &[f32], b: &[f32], out: &mut [f32], f: impl Fn(F32x4, F32x4) -> F32x4) {
    let (a_blocks, x_rest) = a.as_chunks::<{ VECTORS_PER_ITERATION * LANES }>();
    let (b_blocks, y_rest) = b.as_chunks::<{ VECTORS_PER_ITERATION * LANES }>();
    let (outs, out_rest) = out.as_chunks_mut::<{ VECTORS_PER_ITERATION * LANES }>();
    for ((x, y), out) in a_blocks.iter().zip(b_blocks).zip(outs) {
        let (xs, ys) = (x.as_chunks::<LANES>().0, y.as_chunks::<LANES>().0);
        for ((x, y), out) in xs.iter().zip(ys).zip(out.as_chunks_mut::<LANES>().0) {
            f(F32x4::load(x), F32x4::load(y)).store(out);
        }
    }
    let ((xs, x_rest), (ys, y_rest)) = (x_rest.as_chunks::<LANES>(), y_rest.as_chunks::<LANES>());
    let (outs, out_rest) = out_rest.as_chunks_mut::<LANES>();
    for ((x, y), out) in xs.iter().zip(ys).zip(outs) {
        f(F32x4::load(x), F32x4::load(y)).store(out);
    }
    if !out_rest.is_empty() {
        let (mut last_x, mut last_y, mut to) = ([1.0; LANES], [1.0; LANES], [0.0; LANES]);
        last_x[..x_rest.len()].copy_from_slice(x_rest);
        last_y[..y_rest.len()].copy_from_slice(y_rest);
        f(F32x4::load(&last_x), F32x4::load(&last_y)).store(&mut to);
        out_rest.copy_from_slice(&to[..x_rest.len()]);
    }
}

/// Vectors per iteration of an unrolled loop.
const VECTORS_PER_ITERATION: usize = 8;
/// Floats whose results are checked for NaN together.
const NAN_CHECK_FLOATS: usize = 512;

/// Applies a function, and canonicalizes NaN. A sum of results is NaN if one of them is: only then a
/// block is recomputed with canonicalization, which is cheaper than canonicalizing every vector.
#[inline(always)]
fn map_canonicalized(x: &[f32], out: &mut [f32], f: impl Fn(F32x4) -> F32x4) {
    if IS_SCALAR_BUILD {
        return map(x, out, |x| f(x).canonicalized());
    }
    for (x, out) in x.chunks(NAN_CHECK_FLOATS).zip(out.chunks_mut(NAN_CHECK_FLOATS)) {
        let mut sums = [F32x4::zero(); VECTORS_PER_ITERATION];
        let outs = out.as_chunks_mut::<{ VECTORS_PER_ITERATION * LANES }>().0;
        for (x, out) in x.as_chunks::<{ VECTORS_PER_ITERATION * LANES }>().0.iter().zip(outs) {
            let vectors = x.as_chunks::<LANES>().0.iter().zip(out.as_chunks_mut::<LANES>().0);
            for ((x, out), sum) in vectors.zip(&mut sums) {
                let result = f(F32x4::load(x));
                *sum = sum.add(result);
                result.store(out);
            }
        }
        let sum = sums.into_iter().fold(F32x4::zero(), F32x4::add);
        let done = if sum.ne(sum).any() {
            0
        } else {
            x.len() / (VECTORS_PER_ITERATION * LANES) * (VECTORS_PER_ITERATION * LANES)
        };
        map(&x[done..], &mut out[done..], |x| f(x).canonicalized());
    }
}

/// Applies a function to two rows, and canonicalizes NaN. A one-element row is broadcast.
#[inline(always)]
fn map_two_canonicalized(a: &[f32], b: &[f32], out: &mut [f32], f: impl Fn(F32x4, F32x4) -> F32x4) {
    match (a, b) {
        ([a], [_, _, ..]) => {
            let a = F32x4::splat(*a);
            map_canonicalized(b, out, |b| f(a, b));
        }
        ([_, _, ..], [b]) => {
            let b = F32x4::splat(*b);
            map_canonicalized(a, out, |a| f(a, b));
        }
        ([a], [b]) => out.fill(f(F32x4::splat(*a), F32x4::splat(*b)).canonicalized().to_array()[0]),
        _ => map_two(a, b, out, |a, b| f(a, b).canonicalized()),
    }
}

fn log(x: &[f32], out: &mut [f32]) {
    let f = math::Log::with_constants();
    map(x, out, |x| f.apply(x));
}

/// A function of a row.
pub type UnaryRow = fn(&[f32], &mut [f32]);
/// A function of two rows.
pub type BinaryRow = fn(&[f32], &[f32], &mut [f32]);

/// The row function of an op, whether it is vectorized, and its error bound in ulp.
pub fn unary(f: Unary) -> Option<(UnaryRow, bool, f64)> {
    macro_rules! in_lanes {
        ($map:ident, $f:expr) => {{
            fn row(x: &[f32], out: &mut [f32]) {
                $map(x, out, $f);
            }
            row as UnaryRow
        }};
    }
    macro_rules! through_f64 {
        ($f:path) => {{
            fn row(x: &[f32], out: &mut [f32]) {
                wide::map(x, out, $f);
            }
            row as UnaryRow
        }};
    }
    Some(match f {
        Unary::Abs => (in_lanes!(map_unrolled, Lanes::abs), true, 0.0),
        Unary::Negate => (in_lanes!(map_unrolled, Lanes::neg), true, 0.0),
        Unary::Sign => (in_lanes!(map, math::sign), true, 0.0),
        Unary::Ceil => (in_lanes!(map_canonicalized, Lanes::ceil), true, 0.0),
        Unary::Floor => (in_lanes!(map_canonicalized, Lanes::floor), true, 0.0),
        Unary::RoundNearestEven => (in_lanes!(map_canonicalized, Lanes::nearest), true, 0.0),
        Unary::RoundNearestAfz => (in_lanes!(map, math::round_afz), true, 0.0),
        Unary::Exponential => (map_with_fast_path::<math::Exp<F32x4>> as UnaryRow, true, 1.1),
        Unary::Log => (log as UnaryRow, true, 1.0),
        Unary::Logistic => (map_with_fast_path::<math::Logistic<F32x4>> as UnaryRow, true, 2.5),
        Unary::Tanh => (map_with_fast_path::<math::Tanh<F32x4>> as UnaryRow, true, 6.0),
        Unary::Sqrt => (in_lanes!(map_canonicalized, Lanes::sqrt), true, 0.0),
        Unary::Rsqrt => (in_lanes!(map, math::rsqrt), true, 1.5),
        Unary::ExponentialMinusOne => (through_f64!(wide::expm1), false, 1.0),
        Unary::LogPlusOne => (through_f64!(wide::log1p), false, 1.0),
        Unary::Cbrt => (through_f64!(wide::cbrt), false, 1.0),
        Unary::Sine => (wide::sine as UnaryRow, false, 1.0),
        Unary::Cosine => (wide::cosine as UnaryRow, false, 1.0),
        Unary::Tan => (wide::tan as UnaryRow, false, 1.0),
        Unary::Erf => (through_f64!(wide::erf), false, 1.0),
        Unary::Not | Unary::PopulationCount | Unary::CountLeadingZeros | Unary::IsFinite => return None,
    })
}

/// The row function of an op, whether it is vectorized, and its error bound in ulp.
pub fn binary(f: Binary) -> Option<(BinaryRow, bool, f64)> {
    macro_rules! in_lanes {
        ($f:expr) => {{
            fn row(a: &[f32], b: &[f32], out: &mut [f32]) {
                map_two_canonicalized(a, b, out, $f);
            }
            row as BinaryRow
        }};
    }
    macro_rules! through_f64 {
        ($f:path) => {{
            fn row(a: &[f32], b: &[f32], out: &mut [f32]) {
                wide::map_two(a, b, out, $f);
            }
            row as BinaryRow
        }};
    }
    Some(match f {
        Binary::Add => (in_lanes!(|a: F32x4, b: F32x4| a.add(b)), true, 0.0),
        Binary::Subtract => (in_lanes!(|a: F32x4, b: F32x4| a.sub(b)), true, 0.0),
        Binary::Multiply => (in_lanes!(|a: F32x4, b: F32x4| a.mul(b)), true, 0.0),
        Binary::Divide => (in_lanes!(|a: F32x4, b: F32x4| a.div(b)), true, 0.0),
        Binary::Maximum => (in_lanes!(math::maximum_noncanonical), true, 0.0),
        Binary::Minimum => (in_lanes!(math::minimum_noncanonical), true, 0.0),
        Binary::Remainder => {
            fn row(a: &[f32], b: &[f32], out: &mut [f32]) {
                for ((a, b), out) in a.iter().zip(b).zip(out) {
                    *out = canonicalized_f32(a % b);
                }
            }
            (row as BinaryRow, false, 0.0)
        }
        Binary::Power => (through_f64!(wide::power), false, 1.0),
        Binary::Atan2 => (through_f64!(wide::atan2), false, 1.0),
        _ => return None,
    })
}
