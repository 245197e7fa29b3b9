//! Functions of `f32` computed in `f64` and rounded once: those for which four lanes of `f32` are slower or less accurate.
//!
//! The relative error before rounding is at most 2^-36, so that the result is correctly rounded except in rare cases, where it is
//! off by 1 ulp. The code is branch-free, so that the compiler can vectorize it; rows with large angles use another argument
//! reduction.

#![allow(clippy::unreadable_literal, reason = "the digits of a fit, as printed")]

use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, PI};

/// Applies a function to a row; canonicalizes NaN.
#[inline(always)]
pub fn map(x: &[f32], out: &mut [f32], f: impl Fn(f64) -> f64) {
    for (x, out) in x.iter().zip(out) {
        *out = round_to_f32(f(f64::from(*x)));
    }
}

/// Applies a function to two rows; canonicalizes NaN.
#[inline(always)]
pub fn map_two(a: &[f32], b: &[f32], out: &mut [f32], f: impl Fn(f64, f64) -> f64) {
    for ((a, b), out) in a.iter().zip(b).zip(out) {
        *out = round_to_f32(f(f64::from(*a), f64::from(*b)));
    }
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "the only rounding")]
fn round_to_f32(x: f64) -> f32 {
    if x.is_nan() { f32::NAN } else { x as f32 }
}

/// Added to a number, it leaves the nearest integer in the lowest bits.
const MAGIC_BIAS: f64 = 6_755_399_441_055_744.0;

#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// `x = n ln 2 + r`, `x` within ±500: `e^r - 1` and `2^n`.
#[inline(always)]
fn exp_parts(x: f64) -> (f64, f64) {
    let shifted = x * LOG2_E + MAGIC_BIAS;
    let n = shifted - MAGIC_BIAS;
    // ln 2 in two parts, the first with zeros at its end.
    let r = x - n * 0.693_147_180_369_123_8 - n * 1.908_214_929_270_587_7e-10;
    let rest = polynomial(
        r,
        [
            0.5,
            1.0 / 6.0,
            1.0 / 24.0,
            1.0 / 120.0,
            1.0 / 720.0,
            1.0 / 5040.0,
            1.0 / 40320.0,
            1.0 / 362_880.0,
            1.0 / 3_628_800.0,
        ],
    );
    (r + r * r * rest, f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52))
}

/// Clamps; keeps NaN.
#[inline(always)]
fn clamp_keeping_nan(x: f64, low: f64, high: f64) -> f64 {
    let clamped = if x < low { low } else { x };
    let clamped = if clamped > high { high } else { clamped };
    // The compiler may lower these comparisons to relaxed min and max, which do not define NaN.
    if x.is_nan() { x } else { clamped }
}

#[inline(always)]
fn exp(x: f64) -> f64 {
    let (rest, scale) = exp_parts(clamp_keeping_nan(x, -200.0, 200.0));
    if x.is_nan() { x } else { scale + scale * rest }
}

/// `e^x - 1`.
#[inline(always)]
pub fn expm1(x: f64) -> f64 {
    let (rest, scale) = exp_parts(clamp_keeping_nan(x, -60.0, 200.0));
    let result = scale * rest + (scale - 1.0);
    // Zero keeps its sign.
    if x == 0.0 || x.is_nan() { x } else { result }
}

/// The natural logarithm of an `f32`, or of 1 plus an `f32`.
#[inline(always)]
fn log(x: f64) -> f64 {
    let bits = x.to_bits();
    // From √½ to √2, and the exponent, biased.
    let exponent = bits.wrapping_sub(0x3fe6_a09e << 32).wrapping_add(1023 << 52) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(exponent.wrapping_sub(1023) << 52));
    let e = f64::from_bits(exponent | 0x4330 << 48) - (4_503_599_627_370_496.0 + 1023.0);
    let s = (m - 1.0) / (m + 1.0);
    let tail = polynomial(
        s * s,
        [1.0, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0, 1.0 / 17.0],
    );
    let result = e * LN_2 + 2.0 * s * tail;
    let result = if x == f64::INFINITY { x } else { result };
    let result = if x == 0.0 { f64::NEG_INFINITY } else { result };
    if x >= 0.0 { result } else { f64::NAN }
}

/// `ln (1 + x)`.
#[inline(always)]
pub fn log1p(x: f64) -> f64 {
    let sum = 1.0 + x;
    // The rounding error of x + 1.
    let rounding_error = x - (sum - 1.0);
    let result = log(sum) + if rounding_error == 0.0 { 0.0 } else { rounding_error / sum };
    let result = if x == f64::INFINITY { x } else { result };
    if x == 0.0 { x } else { result }
}

/// The cube root.
#[inline(always)]
pub fn cbrt(x: f64) -> f64 {
    let a = x.abs();
    let high = a.to_bits() >> 32;
    // A third of the exponent; then Halley's method, which triples the good digits: 5 bits, 15, 45.
    let mut root = f64::from_bits((high / 3 + 715_094_163) << 32);
    for _ in 0..2 {
        let cube = root * root * root;
        root *= (cube + 2.0 * a) / (2.0 * cube + a);
    }
    if x == 0.0 || !x.is_finite() { x } else { root.copysign(x) }
}

/// The maximum angle that [`reduce_small`] handles.
const MAX_SMALL_ANGLE: f32 = 1e6;

/// A reduced angle: a multiple of π/2, of which only the lowest two bits are valid, and the remainder.
type Angle = (u64, f64);

/// Argument reduction by a π/2 in two parts (Cody–Waite).
#[inline(always)]
fn reduce_small(x: f64) -> Angle {
    let shifted = x * std::f64::consts::FRAC_2_PI + MAGIC_BIAS;
    let n = shifted - MAGIC_BIAS;
    // The first part of π/2 has 33 bits, so that its product with `n` is exact.
    let rest = x - n * 1.570_796_326_734_125_6 - n * 6.077_100_506_506_192e-11;
    (shifted.to_bits(), if x == 0.0 { x } else { rest })
}

/// Argument reduction of any `f32` by the digits of 2/π that matter for its exponent (Payne–Hanek).
#[allow(clippy::cast_possible_truncation, reason = "an f32 that was widened")]
#[allow(clippy::cast_precision_loss, reason = "what is denominator the 53 leading bits does not count")]
fn reduce_large(x: f64) -> Angle {
    /// The binary digits of 2/π, after 32 zeros.
    const DIGITS: [u32; 9] = [
        0,
        0xa2f9_836e,
        0x4e44_1529,
        0xfc27_57d1,
        0xf534_ddc0,
        0xdb62_9599,
        0x3c43_9041,
        0xfe51_63ab,
        0xdebb_c561,
    ];
    let bits = (x as f32).to_bits();
    let exponent = (bits >> 23 & 0xff) as usize;
    if exponent == 0xff {
        return (0, f64::NAN);
    }
    if exponent < 146 {
        return reduce_small(x);
    }
    // |x| = mantissa · 2^(exponent - 150). Multiples of 4 quarter turns have no effect, so digits above them are skipped.
    let mantissa = u128::from(bits & 0x7f_ffff | 0x80_0000);
    let from = exponent - 120;
    let words =
        DIGITS[from / 32..from / 32 + 4].iter().fold(0, |words, word| words << 32 | u128::from(*word));
    let window = (words << (from % 32)) >> 32;
    let product = (mantissa * window) & ((1 << 96) - 1);
    // In units of 2^-94: the nearest integer and the remainder.
    let whole = (product + (1 << 93)) >> 94;
    let remainder = product.cast_signed() - (whole << 94).cast_signed();
    let rest = (remainder >> 32) as f64 / (1u64 << 62) as f64 * FRAC_PI_2;
    let whole = whole as u64 & 3;
    if x < 0.0 { (whole.wrapping_neg() & 3, -rest) } else { (whole, rest) }
}

#[inline(always)]
fn sine_and_cosine(r: f64) -> (f64, f64) {
    let z = r * r;
    let sine = polynomial(
        z,
        [-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0, 1.0 / 6_227_020_800.0],
    );
    let cosine = polynomial(
        z,
        [
            1.0,
            -0.5,
            1.0 / 24.0,
            -1.0 / 720.0,
            1.0 / 40320.0,
            -1.0 / 3_628_800.0,
            1.0 / 479_001_600.0,
            -1.0 / 87_178_291_200.0,
        ],
    );
    // As a product, so that zero keeps its sign.
    (r * (1.0 + z * sine), cosine)
}

/// A row of a function of an angle.
#[inline(always)]
fn map_angles(x: &[f32], out: &mut [f32], f: impl Fn(Angle) -> f64) {
    let max_bits = x.iter().fold(0, |max: u32, x| max.max(x.to_bits() & 0x7fff_ffff));
    if max_bits <= MAX_SMALL_ANGLE.to_bits() {
        map(x, out, |x| f(reduce_small(x)));
    } else {
        map(x, out, |x| f(reduce_large(x)));
    }
}

/// A row of sines.
pub fn sine(x: &[f32], out: &mut [f32]) {
    map_angles(x, out, |(n, r)| {
        let (sine, cosine) = sine_and_cosine(r);
        let value = if n & 1 == 0 { sine } else { cosine };
        if n & 2 == 0 { value } else { -value }
    });
}

/// A row of cosines.
pub fn cosine(x: &[f32], out: &mut [f32]) {
    map_angles(x, out, |(n, r)| {
        let (sine, cosine) = sine_and_cosine(r);
        let value = if n & 1 == 0 { cosine } else { sine };
        if n.wrapping_add(1) & 2 == 0 { value } else { -value }
    });
}

/// A row of tangents.
pub fn tan(x: &[f32], out: &mut [f32]) {
    map_angles(x, out, |(n, r)| {
        let (sine, cosine) = sine_and_cosine(r);
        let (numerator, denominator) = if n & 1 == 0 { (sine, cosine) } else { (-cosine, sine) };
        numerator / denominator
    });
}

/// `2/√π ∫ e^-t² dt` from 0 to x: `erf x / x` is a polynomial of `x²`, up to where it is 1.
#[inline(always)]
pub fn erf(x: f64) -> f64 {
    let clamped = clamp_keeping_nan(x, -4.0, 4.0);
    let ratio = polynomial(clamped * clamped / 8.0 - 1.0, ERF);
    let result = clamped * ratio;
    if x > 4.0 {
        1.0
    } else if x < -4.0 {
        -1.0
    } else {
        result
    }
}

/// Of `u = x²/8 - 1`, within ±1: a series of Chebyshev polynomials, gathered by powers; within 2^-35 of the ratio.
const ERF: [f64; 21] = [
    0.353_530_995_644_114_83,
    -0.176_576_233_212_084_32,
    0.131_675_116_723_687_5,
    -0.107_710_449_039_452_07,
    0.090_209_000_915_493_93,
    -0.074_727_726_079_066_91,
    0.059_886_799_554_842_794,
    -0.045_766_481_893_171_99,
    0.033_061_469_085_845_94,
    -0.022_466_183_651_420_685,
    0.014_345_737_232_924_876,
    -0.008_630_037_203_570_282,
    0.004_864_627_077_104_159,
    -0.002_530_357_338_227_987,
    0.001_272_324_785_622_914,
    -0.000_673_085_833_368_531_9,
    0.000_299_180_509_755_387_9,
    -7.231_718_962_430_026e-5,
    3.107_461_234_321_818e-5,
    -3.671_403_042_972_088e-5,
    1.325_547_811_575_234e-5,
];

/// The angle of the point `(x, y)`, from -π to π.
#[inline(always)]
pub fn atan2(y: f64, x: f64) -> f64 {
    let (a, b) = (x.abs(), y.abs());
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    let ratio = small / large;
    let ratio = if large == 0.0 { 0.0 } else { ratio };
    let ratio = if small == f64::INFINITY { 1.0 } else { ratio };
    // Above tan(π/8) the angle is reduced by π/4, so that |t| <= 0.4143.
    let is_steep = ratio > std::f64::consts::SQRT_2 - 1.0;
    let (numerator, denominator) = if is_steep { (ratio - 1.0, ratio + 1.0) } else { (ratio, 1.0) };
    let t = numerator / denominator;
    let z = t * t;
    let tail = polynomial(
        z,
        [
            1.0,
            -1.0 / 3.0,
            1.0 / 5.0,
            -1.0 / 7.0,
            1.0 / 9.0,
            -1.0 / 11.0,
            1.0 / 13.0,
            -1.0 / 15.0,
            1.0 / 17.0,
            -1.0 / 19.0,
            1.0 / 21.0,
            -1.0 / 23.0,
            1.0 / 25.0,
        ],
    );
    let angle = t * tail + if is_steep { PI / 4.0 } else { 0.0 };
    let angle = if a < b { FRAC_PI_2 - angle } else { angle };
    let angle = if x.is_sign_negative() { PI - angle } else { angle };
    if x.is_nan() || y.is_nan() { f64::NAN } else { angle.copysign(y) }
}

/// `x` to the power of `y`, with the special cases of IEEE's `pow`.
#[inline(always)]
pub fn power(x: f64, y: f64) -> f64 {
    let size = exp(y * log(x.abs()));
    // Beyond 2^53 every f64 is even; infinities count as even.
    let is_whole = y == y.trunc();
    let is_odd = is_whole && (y * 0.5) != (y * 0.5).trunc();
    let size = if x.is_sign_negative() && is_odd { -size } else { size };
    let is_negative_finite = x < 0.0 && x != f64::NEG_INFINITY;
    let size = if is_negative_finite && !is_whole { f64::NAN } else { size };
    let is_one = x == 1.0 || y == 0.0 || x == -1.0 && y.is_infinite();
    if is_one { 1.0 } else { size }
}
