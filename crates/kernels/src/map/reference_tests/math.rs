//! The functions of `f32`: errors over the whole range, and special values.

use crate::task::{Array, Binary, Map, Unary};
use crate::{Task, Type, View};

use crate::testing::{Random, floats_of};

fn apply_unary(f: Unary, x: &[f32]) -> Vec<f32> {
    let array = || Array { ty: Type::F32, view: View::row_major(&[x.len()]) };
    floats_of(&Task::Unary(Map { operands: [array()], out: array(), f }), &[x], x.len())
}

fn apply_binary(f: Binary, a: &[f32], b: &[f32]) -> Vec<f32> {
    let array = || Array { ty: Type::F32, view: View::row_major(&[a.len()]) };
    floats_of(&Task::Binary(Map { operands: [array(), array()], out: array(), f }), &[a, b], a.len())
}

/// The error of a float in ulp of the true value.
fn ulps(x: f32, truth: f64) -> f64 {
    let rounded = truth as f32;
    if rounded.is_nan() || x.is_nan() {
        return if rounded.is_nan() && x.to_bits() == f32::NAN.to_bits() { 0.0 } else { f64::INFINITY };
    }
    if rounded.is_infinite() || rounded == 0.0 || x.is_infinite() {
        if x.to_bits() == rounded.to_bits() {
            return 0.0;
        }
        // `MAX` instead of infinity, or the least subnormal instead of zero, is an error of one ulp.
        let near = (i64::from(x.to_bits()) - i64::from(rounded.to_bits())).abs();
        return near as f64;
    }
    let size = truth.abs().max(f64::from(f32::MIN_POSITIVE));
    let ulp = 2f64.powi(size.log2().floor() as i32 - 23);
    if (x == 0.0 || rounded == 0.0) && x.is_sign_negative() != truth.is_sign_negative() {
        return f64::INFINITY;
    }
    (f64::from(x) - truth).abs() / ulp
}

/// Numbers of every exponent and both signs, special ones, and neighbours of the points where functions change their algorithm.
fn numbers() -> Vec<f32> {
    let mut random = Random::new(21);
    let mut all: Vec<f32> = (0..400_000).map(|_| f32::from_bits((random.bits() >> 32) as u32)).collect();
    all.extend((0..200_000).map(|_| random.unit() * 2.0));
    all.extend((0..200_000).map(|_| random.unit() * 110.0));
    all.extend((0..50_000).map(|_| 1.0 + random.unit() / 100.0));
    for x in [
        0.0,
        1.0,
        7.0,
        10.0,
        86.6,
        87.3,
        88.72,
        103.9,
        104.1,
        9.02,
        4.0,
        1e6,
        std::f32::consts::PI,
        f32::MAX,
        f32::MIN_POSITIVE,
        1e-45,
        f32::INFINITY,
    ] {
        let bits = x.to_bits();
        for near in bits.saturating_sub(40)..=(bits + 40).min(0x7f80_0001) {
            all.extend([f32::from_bits(near), -f32::from_bits(near)]);
        }
    }
    all.extend([f32::NAN, -f32::NAN]);
    all
}

fn max_error(f: Unary, truth: impl Fn(f64) -> f64) -> (f64, f32) {
    let numbers = numbers();
    let results = apply_unary(f, &numbers);
    let mut worst = (0.0, 0.0);
    for (x, y) in numbers.iter().zip(results) {
        let ulps = ulps(y, truth(f64::from(*x)));
        if ulps > worst.0 {
            worst = (ulps, *x);
        }
    }
    worst
}

/// Functions take the fast path block by block: a number out of its range must not change the results of the others.
#[test]
fn the_slow_path_of_one_number_does_not_change_others() {
    let mut random = Random::new(23);
    for (f, max) in [(Unary::Exponential, 86.0), (Unary::Logistic, 86.0), (Unary::Tanh, 7.0)] {
        let x: Vec<f32> = (0..64 * 64).map(|_| random.unit() * max).collect();
        let alone = apply_unary(f, &x);
        let specials = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, -100.0, 89.0, 7.1, -8.7e6];
        for (block, special) in specials.into_iter().cycle().take(64).enumerate() {
            let mut with_special = x.clone();
            let position = 64 * block + random.below(64);
            with_special[position] = special;
            for (i, (a, b)) in alone.iter().zip(apply_unary(f, &with_special)).enumerate() {
                assert!(i == position || a.to_bits() == b.to_bits(), "{f:?}({:e}) next to {special:e}", x[i]);
            }
        }
    }
}

/// The error function by its series in `f64`, good to 1e-13.
fn erf(x: f64) -> f64 {
    if x.is_nan() || x.abs() > 6.0 {
        return if x.is_nan() { x } else { x.signum() };
    }
    let (mut sum, mut term, mut n) = (x, x, 0.0);
    while f64::abs(term) > 1e-17 * f64::abs(sum) {
        n += 1.0;
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
    }
    sum * 2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp()
}

#[test]
fn functions_are_within_their_bounds() {
    let cases: [(Unary, f64, fn(f64) -> f64); 16] = [
        (Unary::Exponential, 1.1, f64::exp),
        (Unary::Log, 1.0, f64::ln),
        (Unary::Logistic, 2.5, |x| 1.0 / (1.0 + (-x).exp())),
        (Unary::Tanh, 6.0, f64::tanh),
        (Unary::Rsqrt, 1.5, |x| 1.0 / x.sqrt()),
        (Unary::Sqrt, 0.51, f64::sqrt),
        (Unary::ExponentialMinusOne, 0.51, f64::exp_m1),
        (Unary::LogPlusOne, 0.51, f64::ln_1p),
        (Unary::Cbrt, 0.51, f64::cbrt),
        (Unary::Sine, 0.51, f64::sin),
        (Unary::Cosine, 0.51, f64::cos),
        (Unary::Tan, 0.51, f64::tan),
        (Unary::Erf, 0.51, erf),
        (Unary::RoundNearestAfz, 0.0, f64::round),
        (Unary::RoundNearestEven, 0.0, f64::round_ties_even),
        (Unary::Sign, 0.0, |x| if x == 0.0 || x.is_nan() { x } else { x.signum() }),
    ];
    let mut failed = false;
    for (f, bound, truth) in cases {
        let (ulps, at) = max_error(f, truth);
        println!("{f:?}: {ulps} ulp at {at:e}");
        failed |= ulps > bound;
    }
    assert!(!failed);
}

#[test]
fn binary_functions_are_within_their_bounds() {
    let mut random = Random::new(22);
    let special =
        [0.0, 1.0, 0.5, 2.0, 3.0, f32::INFINITY, f32::NAN, 1e-45, f32::MAX, 1e30, 16_777_217.0, 0.333];
    let mut pairs: Vec<(f32, f32)> = Vec::new();
    for a in special {
        for b in special {
            pairs.extend([(a, b), (-a, b), (a, -b), (-a, -b)]);
        }
    }
    for _ in 0..300_000 {
        pairs.push((
            f32::from_bits((random.bits() >> 32) as u32),
            f32::from_bits((random.bits() >> 32) as u32),
        ));
        pairs.push((random.unit().abs() * 4.0, random.unit() * 80.0));
        pairs.push((random.unit() * 3.0, (random.below(40) as f32) - 20.0));
    }
    let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
    let cases: [(Binary, fn(f64, f64) -> f64); 2] = [(Binary::Power, f64::powf), (Binary::Atan2, f64::atan2)];
    for (f, truth) in cases {
        let out = apply_binary(f, &a, &b);
        for ((a, b), out) in a.iter().zip(&b).zip(out) {
            let truth = truth(f64::from(*a), f64::from(*b));
            assert!(ulps(out, truth) <= 0.51, "{f:?}({a:e}, {b:e}) = {out:e}, not {truth:e}");
        }
    }
}
