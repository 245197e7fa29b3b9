//! Rows of `f32` by lanes.

use crate::map::task::{Binary, Unary};
use crate::map::wide;
use crate::simd::best::Best;
use crate::simd::best::IS_SCALAR_BUILD;
use crate::simd::lanes::Lanes;
use crate::simd::math;
use crate::simd::rows::{WIDE, of_near, of_one};

/// [`of_one`], some vectors a turn: where a function takes less than to go on to the next one.
#[inline(always)]
fn of_one_in_turns(x: &[f32], out: &mut [f32], f: impl Fn(Best) -> Best) {
    let (turns, x_rest) = x.as_chunks::<{ TURN * WIDE }>();
    let (outs, out_rest) = out.as_chunks_mut::<{ TURN * WIDE }>();
    for (x, out) in turns.iter().zip(outs) {
        for (x, out) in x.as_chunks::<WIDE>().0.iter().zip(out.as_chunks_mut::<WIDE>().0) {
            f(Best::load(x)).store(out);
        }
    }
    of_one(x_rest, out_rest, f);
}

/// A row made of two rows.
#[inline(always)]
pub fn of_two(a: &[f32], b: &[f32], out: &mut [f32], f: impl Fn(Best, Best) -> Best) {
    let (x_turns, x_rest) = a.as_chunks::<{ TURN * WIDE }>();
    let (y_turns, y_rest) = b.as_chunks::<{ TURN * WIDE }>();
    let (outs, out_rest) = out.as_chunks_mut::<{ TURN * WIDE }>();
    for ((x, y), out) in x_turns.iter().zip(y_turns).zip(outs) {
        let (xs, ys) = (x.as_chunks::<WIDE>().0, y.as_chunks::<WIDE>().0);
        for ((x, y), out) in xs.iter().zip(ys).zip(out.as_chunks_mut::<WIDE>().0) {
            f(Best::load(x), Best::load(y)).store(out);
        }
    }
    let ((xs, x_rest), (ys, y_rest)) = (x_rest.as_chunks::<WIDE>(), y_rest.as_chunks::<WIDE>());
    let (outs, out_rest) = out_rest.as_chunks_mut::<WIDE>();
    for ((x, y), out) in xs.iter().zip(ys).zip(outs) {
        f(Best::load(x), Best::load(y)).store(out);
    }
    if !out_rest.is_empty() {
        let (mut last_x, mut last_y, mut to) = ([1.0; WIDE], [1.0; WIDE], [0.0; WIDE]);
        last_x[..x_rest.len()].copy_from_slice(x_rest);
        last_y[..y_rest.len()].copy_from_slice(y_rest);
        f(Best::load(&last_x), Best::load(&last_y)).store(&mut to);
        out_rest.copy_from_slice(&to[..x_rest.len()]);
    }
}

/// Vectors a turn.
const TURN: usize = 8;
/// Floats whose results are looked at for NaN together.
const PART: usize = 512;

/// A row made of one row by a function whose NaN are any; the row's are the canonical one: where the sum of some results shows
/// that one of them may be, these are made once more.
#[inline(always)]
fn settled_one(x: &[f32], out: &mut [f32], f: impl Fn(Best) -> Best) {
    if IS_SCALAR_BUILD {
        return of_one(x, out, |x| f(x).settled());
    }
    for (x, out) in x.chunks(PART).zip(out.chunks_mut(PART)) {
        let mut seen = [Best::zero(); TURN];
        let outs = out.as_chunks_mut::<{ TURN * WIDE }>().0;
        for (x, out) in x.as_chunks::<{ TURN * WIDE }>().0.iter().zip(outs) {
            let vectors = x.as_chunks::<WIDE>().0.iter().zip(out.as_chunks_mut::<WIDE>().0);
            for ((x, out), seen) in vectors.zip(&mut seen) {
                let result = f(Best::load(x));
                *seen = seen.add(result);
                result.store(out);
            }
        }
        let sum = seen.into_iter().fold(Best::zero(), Best::add);
        let done = if sum.ne(sum).any() { 0 } else { x.len() / (TURN * WIDE) * (TURN * WIDE) };
        of_one(&x[done..], &mut out[done..], |x| f(x).settled());
    }
}

/// A row made of two rows, of which one may be a number that stands for as many; NaN is the canonical one.
#[inline(always)]
fn settled_two(a: &[f32], b: &[f32], out: &mut [f32], f: impl Fn(Best, Best) -> Best) {
    match (a, b) {
        ([a], [_, _, ..]) => {
            let a = Best::splat(*a);
            settled_one(b, out, |b| f(a, b));
        }
        ([_, _, ..], [b]) => {
            let b = Best::splat(*b);
            settled_one(a, out, |a| f(a, b));
        }
        ([a], [b]) => out.fill(f(Best::splat(*a), Best::splat(*b)).settled().to_array()[0]),
        _ => of_two(a, b, out, |a, b| f(a, b).settled()),
    }
}

fn log(x: &[f32], out: &mut [f32]) {
    let f = math::Log::prepared();
    of_one(x, out, |x| f.of(x));
}

/// A function of a row.
pub type OfOne = fn(&[f32], &mut [f32]);
/// A function of two rows.
pub type OfTwo = fn(&[f32], &[f32], &mut [f32]);

/// Of one row; whether it runs on lanes, and its bound in ulp.
pub fn unary(f: Unary) -> Option<(OfOne, bool, f64)> {
    macro_rules! lanes {
        ($way:ident, $f:expr) => {{
            fn row(x: &[f32], out: &mut [f32]) {
                $way(x, out, $f);
            }
            row as OfOne
        }};
    }
    macro_rules! doubles {
        ($f:path) => {{
            fn row(x: &[f32], out: &mut [f32]) {
                wide::of_one(x, out, $f);
            }
            row as OfOne
        }};
    }
    Some(match f {
        Unary::Abs => (lanes!(of_one_in_turns, Lanes::abs), true, 0.0),
        Unary::Negate => (lanes!(of_one_in_turns, Lanes::neg), true, 0.0),
        Unary::Sign => (lanes!(of_one, math::sign), true, 0.0),
        Unary::Ceil => (lanes!(settled_one, Lanes::ceil), true, 0.0),
        Unary::Floor => (lanes!(settled_one, Lanes::floor), true, 0.0),
        Unary::RoundNearestEven => (lanes!(settled_one, Lanes::nearest), true, 0.0),
        Unary::RoundNearestAfz => (lanes!(of_one, math::round_afz), true, 0.0),
        Unary::Exponential => (of_near::<math::Exp<Best>> as OfOne, true, 1.0),
        Unary::Log => (log as OfOne, true, 1.0),
        Unary::Logistic => (of_near::<math::Logistic<Best>> as OfOne, true, 3.0),
        Unary::Tanh => (of_near::<math::Tanh<Best>> as OfOne, true, 6.0),
        Unary::Sqrt => (lanes!(settled_one, Lanes::sqrt), true, 0.0),
        Unary::Rsqrt => (lanes!(of_one, math::rsqrt), true, 2.0),
        Unary::ExponentialMinusOne => (doubles!(wide::expm1), false, 1.0),
        Unary::LogPlusOne => (doubles!(wide::log1p), false, 1.0),
        Unary::Cbrt => (doubles!(wide::cbrt), false, 1.0),
        Unary::Sine => (wide::sine as OfOne, false, 1.0),
        Unary::Cosine => (wide::cosine as OfOne, false, 1.0),
        Unary::Tan => (wide::tan as OfOne, false, 1.0),
        Unary::Erf => (doubles!(wide::erf), false, 1.0),
        Unary::Not | Unary::PopulationCount | Unary::CountLeadingZeros | Unary::IsFinite => return None,
    })
}

/// Of two rows; whether it runs on lanes, and its bound in ulp.
pub fn binary(f: Binary) -> Option<(OfTwo, bool, f64)> {
    macro_rules! lanes {
        ($f:expr) => {{
            fn row(a: &[f32], b: &[f32], out: &mut [f32]) {
                settled_two(a, b, out, $f);
            }
            row as OfTwo
        }};
    }
    macro_rules! doubles {
        ($f:path) => {{
            fn row(a: &[f32], b: &[f32], out: &mut [f32]) {
                wide::of_two(a, b, out, $f);
            }
            row as OfTwo
        }};
    }
    Some(match f {
        Binary::Add => (lanes!(|a: Best, b: Best| a.add(b)), true, 0.0),
        Binary::Subtract => (lanes!(|a: Best, b: Best| a.sub(b)), true, 0.0),
        Binary::Multiply => (lanes!(|a: Best, b: Best| a.mul(b)), true, 0.0),
        Binary::Divide => (lanes!(|a: Best, b: Best| a.div(b)), true, 0.0),
        Binary::Maximum => (lanes!(math::maximum_unsettled), true, 0.0),
        Binary::Minimum => (lanes!(math::minimum_unsettled), true, 0.0),
        Binary::Remainder => {
            fn row(a: &[f32], b: &[f32], out: &mut [f32]) {
                for ((a, b), out) in a.iter().zip(b).zip(out) {
                    let rest = a % b;
                    *out = if rest.is_nan() { f32::NAN } else { rest };
                }
            }
            (row as OfTwo, false, 0.0)
        }
        Binary::Power => (doubles!(wide::power), false, 1.0),
        Binary::Atan2 => (doubles!(wide::atan2), false, 1.0),
        _ => return None,
    })
}
