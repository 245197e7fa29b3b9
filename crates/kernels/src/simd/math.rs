//! Functions of `f32`, four at a time.
//!
//! Each documents its maximum error over all inputs, in ulp of the result; `map/reference_tests/math.rs` measures it against
//! `f64`. Special values follow IEEE 754, with canonical NaN. Each operation is rounded separately; the fast mode may fuse
//! multiplications with additions, within the same error bounds.

use crate::simd::lanes::Lanes;

/// Broadcast constants in registers: opaque to the compiler, which would rematerialize each at every use, with three instructions
/// on some machines.
#[inline(always)]
fn opaque_constants<L: Lanes, const N: usize>(numbers: [f32; N]) -> [L; N] {
    std::hint::black_box(numbers).map(L::splat)
}

/// Broadcast constants that the compiler may rematerialize at every use.
#[inline(always)]
fn constants<L: Lanes, const N: usize>(numbers: [f32; N]) -> [L; N] {
    numbers.map(L::splat)
}

/// `c[0] + x (c[1] + x (c[2] + …))`.
#[inline(always)]
fn polynomial<L: Lanes, const N: usize>(x: L, coefficients: &[L; N]) -> L {
    let mut rest = coefficients.iter().rev();
    let mut sum = rest.next().copied().unwrap_or(x);
    for c in rest {
        sum = sum.madd(x, *c);
    }
    sum
}

/// A function with a fast path for inputs near zero, as most are, and a slow path for all inputs. The range is accumulated over a
/// block of inputs and checked once.
pub trait FastPath<L: Lanes> {
    /// The maximum range of inputs of the fast path, as bits.
    const MAX_FAST_BITS: u32;
    /// Loads the constants.
    fn with_constants() -> Self;
    /// The fast path. `range`, initially zero, becomes the maximum range over all calls.
    #[must_use]
    fn fast(&self, x: L, range: &mut L) -> L;
    /// The slow path, with the same bits for inputs in the fast path's range.
    #[must_use]
    fn slow(&self, x: L) -> L;

    /// Whether an input was out of the fast path's range.
    #[inline(always)]
    fn is_out_of_range(range: L) -> bool {
        let max = L::splat_bits(Self::MAX_FAST_BITS);
        range.max_u32(max).xor(max).any()
    }
}

/// Added to a number below 2^22, it leaves the nearest integer in the lowest bits.
const MAGIC_BIAS: f32 = 12_582_912.0;
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;

/// `e^x`: 1.1 ulp.
#[derive(Clone, Copy, Debug)]
pub struct Exp<L> {
    log2_e: L,
    magic_bias: L,
    ln2: [L; 2],
    tail: [L; 5],
    one: L,
}

impl<L: Lanes> Exp<L> {
    /// The exponents `n` with which the result is normal for every `r` are -125 to 127.
    const MIN_EXPONENT_BITS: u32 = MAGIC_BIAS.to_bits() - 125;

    /// `x = n ln 2 + r` with `r` within ±0.347: `e^r`, and `n` as the lowest bits of a float.
    #[inline(always)]
    fn parts(&self, x: L) -> (L, L) {
        let shifted = x.madd(self.log2_e, self.magic_bias);
        let n = shifted.sub(self.magic_bias);
        let r = n.madd(self.ln2[0], x);
        let r = n.madd(self.ln2[1], r);
        let square = r.mul(r);
        let [a, b, c, d, e] = self.tail;
        let rest = e.madd(square, d.madd(r, c)).madd(square, b.madd(r, a));
        (rest.madd(square, r).add(self.one), shifted)
    }
}

impl<L: Lanes> FastPath<L> for Exp<L> {
    const MAX_FAST_BITS: u32 = 252;

    #[inline(always)]
    fn with_constants() -> Self {
        let [log2_e, magic_bias, high, low, one] =
            opaque_constants([std::f32::consts::LOG2_E, MAGIC_BIAS, -LN2_HIGH, -LN2_LOW, 1.0]);
        // (e^r - 1 - r) / r², within 2^-26 of e^r.
        let tail = opaque_constants([0.5, 0.166_665_76, 0.041_666_463, 0.008_363_295, 0.001_393_382_3]);
        Self { log2_e, magic_bias, ln2: [high, low], tail, one }
    }

    #[inline(always)]
    fn fast(&self, x: L, range: &mut L) -> L {
        let (scale, shifted) = self.parts(x);
        // NaN, infinity and all other numbers have bits out of range.
        *range = range.max_u32(shifted.sub_i32(L::splat_bits(Self::MIN_EXPONENT_BITS)));
        scale.add_i32(shifted.shl(23))
    }

    /// Subnormal results are rounded once.
    #[inline(always)]
    fn slow(&self, x: L) -> L {
        // At the bounds the result is already 0 or infinite. NaN is kept.
        let x = x.min(L::splat(90.0)).max(L::splat(-105.0));
        let (scale, shifted) = self.parts(x);
        let n = shifted.sub_i32(self.magic_bias);
        let half = n.sar(1);
        let power = |n: L| n.add_i32(L::splat_bits(127)).shl(23);
        scale.mul(power(half)).mul(power(n.sub_i32(half))).canonicalized()
    }
}

/// `1 / (1 + e^-x)`: 2.5 ulp. Computed from `e^-|x|`, which does not overflow.
#[derive(Clone, Copy, Debug)]
pub struct Logistic<L>(Exp<L>);

impl<L: Lanes> Logistic<L> {
    #[inline(always)]
    fn from_exp(one: L, x: L, exp: impl FnOnce(L) -> L) -> L {
        let e = exp(x.abs().neg());
        let numerator = one.select(e, L::zero().le(x));
        numerator.div(one.add(e))
    }
}

impl<L: Lanes> FastPath<L> for Logistic<L> {
    const MAX_FAST_BITS: u32 = Exp::<L>::MAX_FAST_BITS;

    #[inline(always)]
    fn with_constants() -> Self {
        Self(Exp::with_constants())
    }

    #[inline(always)]
    fn fast(&self, x: L, range: &mut L) -> L {
        Self::from_exp(self.0.one, x, |x| self.0.fast(x, range))
    }

    #[inline(always)]
    fn slow(&self, x: L) -> L {
        Self::from_exp(self.0.one, x, |x| self.0.slow(x))
    }
}

/// [`MAGIC_BIAS`], plus the exponent field of 2.0 in 64ths; minus half the maximum error of linear interpolation between powers of
/// two, so that the error is symmetric.
const TANH_MAGIC_BIAS: f32 = MAGIC_BIAS + 128.0 * 64.0 - 3.0;

/// `tanh x`: 6 ulp. A quotient of polynomials up to ±7, beyond which it is `1 - 2 e^-2x`.
#[derive(Clone, Copy, Debug)]
pub struct Tanh<L> {
    numerator: [L; 5],
    denominator: [L; 4],
}

impl<L: Lanes> FastPath<L> for Tanh<L> {
    const MAX_FAST_BITS: u32 = 7f32.to_bits();

    #[inline(always)]
    fn with_constants() -> Self {
        // Both constant terms are 1, so that tiny inputs do not lose precision in the products.
        let numerator = constants([1.0, 0.127_876_82, 0.002_774_297_3, 7.771_89e-6, -7.311_06e-9]);
        let denominator = constants([1.0, 0.461_209_57, 0.023_178_4, 2.069_238_5e-4]);
        Self { numerator, denominator }
    }

    #[inline(always)]
    fn fast(&self, x: L, range: &mut L) -> L {
        *range = range.max_u32(x.abs());
        let square = x.mul(x);
        let fourth = square.mul(square);
        let [a, b, c, d, e] = self.numerator;
        let numerator = e.madd(fourth, d.madd(square, c)).madd(fourth, b.madd(square, a));
        let [a, b, c, d] = self.denominator;
        let denominator = d.madd(square, c).madd(fourth, b.madd(square, a));
        x.mul(numerator).div(denominator)
    }

    #[inline(always)]
    fn slow(&self, x: L) -> L {
        let magnitude = x.abs();
        let fast = self.fast(x, &mut L::zero());
        // 2 e^-2|x| with a relative error of 1/30, half an ulp after the subtraction from 1: -2 |x| log2 e in 64ths becomes the
        // exponent and mantissa of a float. From 10 on the result is 1.
        let shifted = magnitude.min(L::splat(10.0)).madd(L::splat(-184.664_97), L::splat(TANH_MAGIC_BIAS));
        let asymptotic = L::splat(1.0).sub(shifted.shl(17)).or(x.and(L::splat(-0.0)));
        let result = fast.select(asymptotic, magnitude.le(L::splat_bits(Self::MAX_FAST_BITS)));
        result.select(L::splat(f32::NAN), x.eq(x))
    }
}

/// The natural logarithm: 1 ulp.
#[derive(Clone, Copy, Debug)]
pub struct Log<L> {
    tail: [L; 9],
    ln2: [L; 2],
    one: L,
    small: L,
}

impl<L: Lanes> Log<L> {
    /// Loads the constants.
    #[inline(always)]
    pub fn with_constants() -> Self {
        let [high, low, one, small] = opaque_constants([LN2_HIGH, LN2_LOW, 1.0, f32::MIN_POSITIVE]);
        let tail = opaque_constants([
            3.333_333e-1,
            -2.499_999_4e-1,
            2.000_071_5e-1,
            -1.666_805_7e-1,
            1.424_932_3e-1,
            -1.242_014_1e-1,
            1.167_699_9e-1,
            -1.151_461e-1,
            7.037_683_6e-2,
        ]);
        Self { tail, ln2: [high, low], one, small }
    }

    /// The logarithm of each lane.
    #[inline(always)]
    pub fn apply(&self, x: L) -> L {
        // Subnormal numbers are scaled to normal ones first.
        let is_small = x.lt(self.small);
        let scaled = x.mul(L::splat(8_388_608.0)).select(x, is_small);
        // The exponent, and a mantissa between √½ and √2.
        let exponent = scaled.sub_i32(L::splat_bits(0x3f35_04f3)).sar(23);
        let m = scaled.sub_i32(exponent.shl(23));
        let e = exponent.from_i32().sub(L::splat(23.0).and(is_small));
        let f = m.sub(self.one);
        let square = f.mul(f);
        let tail = polynomial(f, &self.tail).mul(f).mul(square);
        let tail = e.madd(self.ln2[1], tail);
        let tail = square.madd(L::splat(-0.5), tail);
        let result = e.madd(self.ln2[0], f.add(tail));
        // The logarithm of infinity is infinity, of 0 is -inf, of negative numbers and NaN is NaN.
        let result = x.select(result, x.eq(L::splat(f32::INFINITY)));
        let result = L::splat(f32::NEG_INFINITY).select(result, x.eq(L::zero()));
        result.select(L::splat(f32::NAN), L::zero().le(x))
    }
}

/// `1 / √x`: 1.5 ulp.
#[inline(always)]
pub fn rsqrt<L: Lanes>(x: L) -> L {
    L::splat(1.0).div(x.sqrt()).canonicalized()
}

/// To the nearest integer, halves away from zero: exact.
#[inline(always)]
pub fn round_afz<L: Lanes>(x: L) -> L {
    let truncated = x.trunc();
    let sign = L::splat(-0.0);
    let one = L::splat(1.0).or(x.and(sign));
    let rounds_away = L::splat(0.5).le(x.sub(truncated).abs());
    // A result of zero has the sign of x.
    truncated.add(one.and(rounds_away)).or(x.and(sign)).canonicalized()
}

/// -1, 1 or a zero of the same sign: exact.
#[inline(always)]
pub fn sign<L: Lanes>(x: L) -> L {
    let one = L::splat(1.0).or(x.and(L::splat(-0.0)));
    x.select(one, x.eq(L::zero()).or(x.ne(x))).canonicalized()
}

/// The minimum, which propagates NaN and orders -0 below 0: exact. The caller canonicalizes NaN.
#[inline(always)]
pub fn minimum_noncanonical<L: Lanes>(a: L, b: L) -> L {
    // `min` returns its left side if one is NaN or both are zero: the `or` of both keeps NaN and a sign bit that is set.
    a.min(b).or(b.min(a))
}

/// The maximum, which propagates NaN and orders 0 above -0: exact. The caller canonicalizes NaN.
#[inline(always)]
pub fn maximum_noncanonical<L: Lanes>(a: L, b: L) -> L {
    minimum_noncanonical(a.neg(), b.neg()).neg()
}

/// [`maximum_noncanonical`], canonicalized.
#[inline(always)]
pub fn maximum<L: Lanes>(a: L, b: L) -> L {
    maximum_noncanonical(a, b).canonicalized()
}

/// [`minimum_noncanonical`], canonicalized.
#[inline(always)]
pub fn minimum<L: Lanes>(a: L, b: L) -> L {
    minimum_noncanonical(a, b).canonicalized()
}
