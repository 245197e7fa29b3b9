//! Functions of `f32`, four at a time.
//!
//! Each states how far it may be from the true value, in units of the last place (ulp) of the result, over all numbers;
//! `map/against_definition/math.rs` measures it against `f64`. Special values are those of IEEE: NaN gives the canonical NaN.
//! Operations are written out and rounded one by one; in the fast mode a product may be fused with a sum, which moves
//! results within the same bounds.

use crate::simd::lanes::Lanes;

/// Numbers in every lane, made once a row and hidden from the compiler, which would write each out where it is used: for
/// that, some machines' code takes three instructions each time.
#[inline(always)]
fn hidden<L: Lanes, const N: usize>(numbers: [f32; N]) -> [L; N] {
    std::hint::black_box(numbers).map(L::splat)
}

/// Numbers in every lane, left to the compiler.
#[inline(always)]
fn plain<L: Lanes, const N: usize>(numbers: [f32; N]) -> [L; N] {
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

/// A function that takes few operations where `x` is near to zero, as most numbers are, and more elsewhere. Whoever computes
/// many looks once at what was seen of all of them, not at each.
pub trait Near<L: Lanes> {
    /// The most that is seen, as bits, where every `x` is near.
    const MAX_NEAR_BITS: u32;
    /// Its numbers.
    fn prepared() -> Self;
    /// Of each lane, where `x` is near. `seen`, zero at first, becomes the most that was seen.
    #[must_use]
    fn near(&self, x: L, seen: &mut L) -> L;
    /// Of each lane; to the same bits where `x` is near.
    #[must_use]
    fn far(&self, x: L) -> L;

    /// Whether a number was seen that is not near.
    #[inline(always)]
    fn is_far(seen: L) -> bool {
        let most = L::splat_bits(Self::MAX_NEAR_BITS);
        seen.max_u32(most).xor(most).any()
    }
}

/// Adding it leaves the integer nearest to a number below 2^22 in the lowest bits.
const ROUNDING: f32 = 12_582_912.0;
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;

/// `e^x`: 1.1 ulp.
#[derive(Clone, Copy, Debug)]
pub struct Exp<L> {
    log2_e: L,
    rounding: L,
    ln2: [L; 2],
    tail: [L; 5],
    one: L,
}

impl<L: Lanes> Exp<L> {
    /// The exponents of powers that are normal numbers whatever is left of `x` are from -125 to 127.
    const LEAST: u32 = ROUNDING.to_bits() - 125;

    /// `x = n ln 2 + r` with `r` within ±0.347: `e^r`, and `n` as the lowest bits of a float.
    #[inline(always)]
    fn parts(&self, x: L) -> (L, L) {
        let shifted = x.madd(self.log2_e, self.rounding);
        let n = shifted.sub(self.rounding);
        let r = n.madd(self.ln2[0], x);
        let r = n.madd(self.ln2[1], r);
        let square = r.mul(r);
        let [a, b, c, d, e] = self.tail;
        let rest = e.madd(square, d.madd(r, c)).madd(square, b.madd(r, a));
        (rest.madd(square, r).add(self.one), shifted)
    }
}

impl<L: Lanes> Near<L> for Exp<L> {
    const MAX_NEAR_BITS: u32 = 252;

    #[inline(always)]
    fn prepared() -> Self {
        let [log2_e, rounding, high, low, one] =
            hidden([std::f32::consts::LOG2_E, ROUNDING, -LN2_HIGH, -LN2_LOW, 1.0]);
        // (e^r - 1 - r) / r², within 2^-26 of e^r.
        let tail = hidden([0.5, 0.166_665_76, 0.041_666_463, 0.008_363_295, 0.001_393_382_3]);
        Self { log2_e, rounding, ln2: [high, low], tail, one }
    }

    #[inline(always)]
    fn near(&self, x: L, seen: &mut L) -> L {
        let (scale, shifted) = self.parts(x);
        // Of NaN, of infinity and of any other number the bits are far from these.
        *seen = seen.max_u32(shifted.sub_i32(L::splat_bits(Self::LEAST)));
        scale.add_i32(shifted.shl(23))
    }

    /// What is below the smallest normal is rounded once.
    #[inline(always)]
    fn far(&self, x: L) -> L {
        // The limits are beyond where the result is 0 or infinite; NaN stays.
        let x = x.min(L::splat(90.0)).max(L::splat(-105.0));
        let (scale, shifted) = self.parts(x);
        let n = shifted.sub_i32(self.rounding);
        let half = n.sar(1);
        let power = |n: L| n.add_i32(L::splat_bits(127)).shl(23);
        scale.mul(power(half)).mul(power(n.sub_i32(half))).canonicalized()
    }
}

/// `1 / (1 + e^-x)`: 2.5 ulp. Of `e^-|x|`, so that it does not overflow.
#[derive(Clone, Copy, Debug)]
pub struct Logistic<L>(Exp<L>);

impl<L: Lanes> Logistic<L> {
    #[inline(always)]
    fn made(one: L, x: L, of: impl FnOnce(L) -> L) -> L {
        let e = of(x.abs().neg());
        let above = one.select(e, L::zero().le(x));
        above.div(one.add(e))
    }
}

impl<L: Lanes> Near<L> for Logistic<L> {
    const MAX_NEAR_BITS: u32 = Exp::<L>::MAX_NEAR_BITS;

    #[inline(always)]
    fn prepared() -> Self {
        Self(Exp::prepared())
    }

    #[inline(always)]
    fn near(&self, x: L, seen: &mut L) -> L {
        Self::made(self.0.one, x, |x| self.0.near(x, seen))
    }

    #[inline(always)]
    fn far(&self, x: L) -> L {
        Self::made(self.0.one, x, |x| self.0.far(x))
    }
}

/// [`ROUNDING`], and in 64ths the exponent that a float of 2 has; less half of what straight lines between powers of two are at
/// most too high by, so that they are off as much either way.
const BIASED: f32 = ROUNDING + 128.0 * 64.0 - 3.0;

/// `tanh x`: 6 ulp. A quotient of polynomials up to ±7, beyond which it is `1 - 2 e^-2x`.
#[derive(Clone, Copy, Debug)]
pub struct Tanh<L> {
    above: [L; 5],
    below: [L; 4],
}

impl<L: Lanes> Near<L> for Tanh<L> {
    const MAX_NEAR_BITS: u32 = 7f32.to_bits();

    #[inline(always)]
    fn prepared() -> Self {
        // Both begin with 1, so that what is small is not lost in the products.
        let above = plain([1.0, 0.127_876_82, 0.002_774_297_3, 7.771_89e-6, -7.311_06e-9]);
        let below = plain([1.0, 0.461_209_57, 0.023_178_4, 2.069_238_5e-4]);
        Self { above, below }
    }

    #[inline(always)]
    fn near(&self, x: L, seen: &mut L) -> L {
        *seen = seen.max_u32(x.abs());
        let square = x.mul(x);
        let fourth = square.mul(square);
        let [a, b, c, d, e] = self.above;
        let above = e.madd(fourth, d.madd(square, c)).madd(fourth, b.madd(square, a));
        let [a, b, c, d] = self.below;
        let below = d.madd(square, c).madd(fourth, b.madd(square, a));
        x.mul(above).div(below)
    }

    #[inline(always)]
    fn far(&self, x: L) -> L {
        let size = x.abs();
        let near = self.near(x, &mut L::zero());
        // 2 e^-2|x| to a thirtieth, which is half an ulp of 1 less it: -2 |x| log2 e in 64ths, as an exponent and digits of a
        // float. From 10 on it is too small to count.
        let shifted = size.min(L::splat(10.0)).madd(L::splat(-184.664_97), L::splat(BIASED));
        let beyond = L::splat(1.0).sub(shifted.shl(17)).or(x.and(L::splat(-0.0)));
        let result = near.select(beyond, size.le(L::splat_bits(Self::MAX_NEAR_BITS)));
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
    /// Its numbers.
    #[inline(always)]
    pub fn prepared() -> Self {
        let [high, low, one, small] = hidden([LN2_HIGH, LN2_LOW, 1.0, f32::MIN_POSITIVE]);
        let tail = hidden([
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

    /// Of each lane.
    #[inline(always)]
    pub fn of(&self, x: L) -> L {
        // Subnormal numbers are made normal first.
        let is_small = x.lt(self.small);
        let scaled = x.mul(L::splat(8_388_608.0)).select(x, is_small);
        // The exponent from √½ on, and the rest from there to √2.
        let exponent = scaled.sub_i32(L::splat_bits(0x3f35_04f3)).sar(23);
        let m = scaled.sub_i32(exponent.shl(23));
        let e = exponent.from_i32().sub(L::splat(23.0).and(is_small));
        let f = m.sub(self.one);
        let square = f.mul(f);
        let tail = polynomial(f, &self.tail).mul(f).mul(square);
        let tail = e.madd(self.ln2[1], tail);
        let tail = square.madd(L::splat(-0.5), tail);
        let result = e.madd(self.ln2[0], f.add(tail));
        // Infinity stays; 0 gives -inf, what is below 0 or NaN gives NaN.
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
    let whole = x.trunc();
    let sign = L::splat(-0.0);
    let one = L::splat(1.0).or(x.and(sign));
    let is_up = L::splat(0.5).le(x.sub(whole).abs());
    // The sign of what becomes zero is that of x.
    whole.add(one.and(is_up)).or(x.and(sign)).canonicalized()
}

/// -1, 0 or 1; the sign of zero stays: exact.
#[inline(always)]
pub fn sign<L: Lanes>(x: L) -> L {
    let one = L::splat(1.0).or(x.and(L::splat(-0.0)));
    x.select(one, x.eq(L::zero()).or(x.ne(x))).canonicalized()
}

/// The minimum; NaN wins, -0 is below 0: exact. The caller canonicalizes NaN.
#[inline(always)]
pub fn minimum_any_nan<L: Lanes>(a: L, b: L) -> L {
    // Each gives its left side where one is NaN or both are zero; together, NaN stays NaN and the sign stays set.
    a.min(b).or(b.min(a))
}

/// The maximum; NaN wins, 0 is above -0: exact. The caller canonicalizes NaN.
#[inline(always)]
pub fn maximum_any_nan<L: Lanes>(a: L, b: L) -> L {
    minimum_any_nan(a.neg(), b.neg()).neg()
}

/// [`maximum_any_nan`], canonicalized.
#[inline(always)]
pub fn maximum<L: Lanes>(a: L, b: L) -> L {
    maximum_any_nan(a, b).canonicalized()
}

/// [`minimum_any_nan`], canonicalized.
#[inline(always)]
pub fn minimum<L: Lanes>(a: L, b: L) -> L {
    minimum_any_nan(a, b).canonicalized()
}
