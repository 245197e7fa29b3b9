//! Reduction operators on lanes of `f32`.

use crate::simd::lanes::Lanes;
use crate::simd::math::minimum_noncanonical;

/// A reduction operator on lanes. Partial results may be in an internal form: the maximum is computed as the minimum of negated
/// elements, which takes three operations to propagate NaN and order zeros.
pub trait LaneReducer {
    /// The identity, in the internal form.
    const INTERNAL_IDENTITY: f32;
    /// The identity, in the form of elements.
    const IDENTITY: f32 = Self::INTERNAL_IDENTITY;
    /// The sign bits that differ in the internal form, all or none; computed once per call of a kernel.
    fn sign_mask<L: Lanes>() -> L {
        L::zero()
    }
    /// Converts to the internal form: negates where `sign_mask` has sign bits.
    fn to_internal<L: Lanes>(x: L, sign_mask: L) -> L;
    /// Converts from the internal form.
    #[inline(always)]
    fn from_internal<L: Lanes>(x: L, sign_mask: L) -> L {
        Self::to_internal(x, sign_mask)
    }
    /// The operator, in the internal form.
    fn combine<L: Lanes>(a: L, b: L) -> L;
    /// Whether [`Self::fast_combine`] is a faster operator that may lose a NaN or the sign of a zero. If not, it is
    /// [`Self::combine`].
    const FAST_COMBINE_IS_INEXACT: bool = false;
    /// The operator on elements, not in the internal form: exact if neither is NaN, up to the sign of a zero.
    #[inline(always)]
    fn fast_combine<L: Lanes>(a: L, b: L) -> L {
        Self::combine(a, b)
    }
    /// The initial value of the check of results, as bits; see [`Self::update_check`].
    const CHECK_INIT_BITS: u32 = 0;
    /// Accumulates a result of [`Self::fast_combine`] in a check, which [`Self::needs_exact_pass`] evaluates for all results at
    /// once. For min and max it is the minimum bit pattern, as unsigned or signed integers: that of the zero whose sign may be
    /// wrong. By default it is a sum, which is NaN if a result is.
    #[inline(always)]
    fn update_check<L: Lanes>(check: L, result: L) -> L {
        check.add(result)
    }
    /// Whether a checked result may be wrong: a zero of the wrong sign, or a NaN that is not canonical.
    #[inline(always)]
    fn needs_exact_pass<L: Lanes>(check: L) -> bool {
        check.ne(check).any()
    }
}

/// Reduces by addition.
#[derive(Debug)]
pub struct Add;
/// Reduces by multiplication.
#[derive(Debug)]
pub struct Mul;
/// Reduces to the minimum.
#[derive(Debug)]
pub struct Min;
/// Reduces to the maximum.
#[derive(Debug)]
pub struct Max;

impl LaneReducer for Add {
    const INTERNAL_IDENTITY: f32 = -0.0;
    #[inline(always)]
    fn to_internal<L: Lanes>(x: L, _: L) -> L {
        x
    }
    #[inline(always)]
    fn combine<L: Lanes>(a: L, b: L) -> L {
        a.add(b)
    }
}

impl LaneReducer for Mul {
    const INTERNAL_IDENTITY: f32 = 1.0;
    #[inline(always)]
    fn to_internal<L: Lanes>(x: L, _: L) -> L {
        x
    }
    #[inline(always)]
    fn combine<L: Lanes>(a: L, b: L) -> L {
        a.mul(b)
    }
}

impl LaneReducer for Min {
    const INTERNAL_IDENTITY: f32 = f32::INFINITY;
    #[inline(always)]
    fn to_internal<L: Lanes>(x: L, _: L) -> L {
        x
    }
    #[inline(always)]
    fn combine<L: Lanes>(a: L, b: L) -> L {
        minimum_noncanonical(a, b)
    }
    const FAST_COMBINE_IS_INEXACT: bool = true;
    #[inline(always)]
    fn fast_combine<L: Lanes>(a: L, b: L) -> L {
        a.min(b)
    }
    const CHECK_INIT_BITS: u32 = u32::MAX;
    #[inline(always)]
    fn update_check<L: Lanes>(check: L, result: L) -> L {
        check.min_u32(result)
    }
    #[inline(always)]
    fn needs_exact_pass<L: Lanes>(check: L) -> bool {
        // A result is 0, whose bits are the minimum `u32`: a -0 may have been lost.
        check.to_array().iter().any(|x| x.to_bits() == 0)
    }
}

impl LaneReducer for Max {
    const INTERNAL_IDENTITY: f32 = f32::INFINITY;
    const IDENTITY: f32 = f32::NEG_INFINITY;
    #[inline(always)]
    fn sign_mask<L: Lanes>() -> L {
        // Hidden from the compiler, which would rewrite the minimum of negated numbers at twice the operations.
        L::splat_bits(std::hint::black_box(0x8000_0000))
    }
    #[inline(always)]
    fn to_internal<L: Lanes>(x: L, sign_mask: L) -> L {
        x.xor(sign_mask)
    }
    #[inline(always)]
    fn combine<L: Lanes>(a: L, b: L) -> L {
        minimum_noncanonical(a, b)
    }
    const FAST_COMBINE_IS_INEXACT: bool = true;
    #[inline(always)]
    fn fast_combine<L: Lanes>(a: L, b: L) -> L {
        a.max(b)
    }
    #[inline(always)]
    fn update_check<L: Lanes>(check: L, result: L) -> L {
        check.min_i32(result)
    }
    #[inline(always)]
    fn needs_exact_pass<L: Lanes>(check: L) -> bool {
        // A result is -0, whose bits are the minimum `i32`: a 0 may have been lost.
        check.to_array().iter().any(|x| x.to_bits() == 0x8000_0000)
    }
}
