//! Functions of `f32`, four at a time.
//!
//! Each states how far it may be from the true value, in units of the last place (ulp) of the result, over all numbers;
//! `tests/kernels/math.rs` measures it against `f64`. Special values are those of IEEE: NaN gives the canonical NaN.
//! Operations are written out and rounded one by one; in the fast mode a product may be fused with a sum, which moves
//! results within the same bounds.

use super::lanes::Lanes;

/// `c[0] + x (c[1] + x (c[2] + …))`.
#[inline(always)]
pub fn polynomial<L: Lanes, const N: usize>(x: L, coefficients: [f32; N]) -> L {
    let mut rest = coefficients.iter().rev();
    let mut sum = L::splat(rest.next().copied().unwrap_or(0.0));
    for c in rest {
        sum = sum.madd(x, L::splat(*c));
    }
    sum
}

/// Adding it leaves the integer nearest to a number below 2^22 in the lowest bits.
const ROUNDING: f32 = 12_582_912.0;
const LN2_HIGH: f32 = 0.693_359_375;
const LN2_LOW: f32 = -2.121_944_4e-4;

/// `x = n ln 2 + r` with `r` within ±0.347: `e^r`, and `n` as the lowest bits of a float.
#[inline(always)]
fn exp_parts<L: Lanes>(x: L) -> (L, L) {
    let shifted = x.madd(L::splat(std::f32::consts::LOG2_E), L::splat(ROUNDING));
    let n = shifted.sub(L::splat(ROUNDING));
    let r = n.madd(L::splat(-LN2_HIGH), x);
    let r = n.madd(L::splat(-LN2_LOW), r);
    let rest =
        polynomial(r, [0.5, 1.666_666_5e-1, 4.166_579_6e-2, 8.333_452e-3, 1.398_199_9e-3, 1.987_569_1e-4]);
    (rest.madd(r.mul(r), r).add(L::splat(1.0)), shifted)
}

/// `e^x` where `|x| <= 87`, so that no exponent leaves its range.
#[inline(always)]
pub fn exp_near<L: Lanes>(x: L) -> L {
    let (scale, shifted) = exp_parts(x);
    scale.add_i32(shifted.shl(23))
}

/// `e^x` of any number: what is below the smallest normal is rounded once.
#[inline(never)]
pub fn exp_far<L: Lanes>(x: L) -> L {
    // The limits are beyond where the result is 0 or infinite; NaN stays.
    let x = x.smaller(L::splat(90.0)).larger(L::splat(-105.0));
    let (scale, shifted) = exp_parts(x);
    let n = shifted.sub_i32(L::splat(ROUNDING));
    let half = n.sar(1);
    let power = |n: L| n.add_i32(L::splat_bits(127)).shl(23);
    scale.mul(power(half)).mul(power(n.sub_i32(half))).settled()
}

/// Whether every lane is within the range of [`exp_near`].
#[inline(always)]
fn is_near<L: Lanes>(x: L) -> bool {
    // False of NaN too: the comparison is of what is not beyond.
    !L::splat(87.0).lt(x.abs()).or(x.ne(x)).any()
}

/// `e^x`: 1 ulp.
#[inline(always)]
pub fn exp<L: Lanes>(x: L) -> L {
    if is_near(x) { exp_near(x) } else { exp_far(x) }
}

/// `1 / (1 + e^-x)`: 2.5 ulp. Of `e^-|x|`, so that it does not overflow.
#[inline(always)]
pub fn logistic<L: Lanes>(x: L) -> L {
    let e = exp(x.abs().neg());
    let above = L::splat(1.0).select(e, L::zero().le(x));
    above.div(L::splat(1.0).add(e))
}

/// `tanh x`: 7 ulp. A quotient of polynomials up to where it is 1.
#[inline(always)]
pub fn tanh<L: Lanes>(x: L) -> L {
    let limit = L::splat(9.02);
    let near = x.smaller(limit).larger(limit.neg());
    let square = near.mul(near);
    let above = polynomial(
        square,
        [
            4.893_525e-3,
            6.372_619_3e-4,
            1.485_722_4e-5,
            5.122_297e-8,
            -8.604_672e-11,
            2.000_188e-13,
            -2.760_768_5e-16,
        ],
    );
    let below = polynomial(square, [4.893_525_2e-3, 2.268_434_6e-3, 1.185_347_1e-4, 1.198_258_4e-6]);
    let result = near.mul(above).div(below);
    // What is so small is its own tangent, and would be lost in the products.
    x.select(result, x.abs().lt(L::splat(2.4e-4))).settled()
}

/// The natural logarithm: 1 ulp.
#[inline(always)]
pub fn log<L: Lanes>(x: L) -> L {
    // Subnormal numbers are made normal first.
    let is_small = x.lt(L::splat(f32::MIN_POSITIVE));
    let scaled = x.mul(L::splat(8_388_608.0)).select(x, is_small);
    let offset = L::splat_bits(0x3f35_04f3);
    // The exponent from √½ on, and the rest from there to √2.
    let exponent = scaled.sub_i32(offset).sar(23);
    let m = scaled.sub_i32(exponent.shl(23));
    let e = exponent.from_i32().sub(L::splat(23.0).and(is_small));
    let f = m.sub(L::splat(1.0));
    let square = f.mul(f);
    let tail = polynomial(
        f,
        [
            3.333_333_1e-1,
            -2.499_999_4e-1,
            2.000_071_5e-1,
            -1.666_805_7e-1,
            1.424_932_3e-1,
            -1.242_014_1e-1,
            1.167_699_9e-1,
            -1.151_461e-1,
            7.037_683_6e-2,
        ],
    );
    let tail = tail.mul(f).mul(square);
    let tail = e.madd(L::splat(LN2_LOW), tail);
    let tail = square.madd(L::splat(-0.5), tail);
    let result = e.madd(L::splat(LN2_HIGH), f.add(tail));
    // Infinity stays; 0 gives -inf, what is below 0 or NaN gives NaN.
    let result = x.select(result, x.eq(L::splat(f32::INFINITY)));
    let result = L::splat(f32::NEG_INFINITY).select(result, x.eq(L::zero()));
    result.select(L::splat(f32::NAN), L::zero().le(x))
}

/// `1 / √x`: 1.5 ulp.
#[inline(always)]
pub fn rsqrt<L: Lanes>(x: L) -> L {
    L::splat(1.0).div(x.sqrt()).settled()
}

/// To the nearest integer, halves away from zero: exact.
#[inline(always)]
pub fn round_afz<L: Lanes>(x: L) -> L {
    let whole = x.trunc();
    let sign = L::splat(-0.0);
    let one = L::splat(1.0).or(x.and(sign));
    let is_up = L::splat(0.5).le(x.sub(whole).abs());
    // The sign of what becomes zero is that of x.
    whole.add(one.and(is_up)).or(x.and(sign)).settled()
}

/// -1, 0 or 1; the sign of zero stays: exact.
#[inline(always)]
pub fn sign<L: Lanes>(x: L) -> L {
    let one = L::splat(1.0).or(x.and(L::splat(-0.0)));
    x.select(one, x.eq(L::zero()).or(x.ne(x))).settled()
}

/// The smaller; NaN wins, -0 is below 0: exact. A NaN is settled by the caller.
#[inline(always)]
pub fn minimum_unsettled<L: Lanes>(a: L, b: L) -> L {
    // Each gives its left side where one is NaN or both are zero; together, NaN stays NaN and the sign stays set.
    a.smaller(b).or(b.smaller(a))
}

/// The larger; NaN wins, 0 is above -0: exact.
#[inline(always)]
pub fn maximum<L: Lanes>(a: L, b: L) -> L {
    minimum_unsettled(a.neg(), b.neg()).neg().settled()
}

/// The smaller; NaN wins, -0 is below 0: exact.
#[inline(always)]
pub fn minimum<L: Lanes>(a: L, b: L) -> L {
    minimum_unsettled(a, b).settled()
}
