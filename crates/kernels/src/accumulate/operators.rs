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
    /// Whether [`Self::fast_combine`] differs from the exact operator.
    const HAS_FAST_COMBINE: bool = false;
    /// The operator on elements, not in the internal form: exact if neither is NaN, up to the sign of a zero.
    #[inline(always)]
    fn fast_combine<L: Lanes>(a: L, b: L) -> L {
        Self::combine(a, b)
    }
    /// The initial value of the check bits, which [`Self::combine_check_bits`] accumulates over results of
    /// [`Self::fast_combine`].
    const CHECK_BITS_INIT: u32 = 0;
    /// Accumulates the bits of another result: for min and max the least bit pattern, which shows whether a result is a zero of a
    /// doubtful sign. By default a sum, which is NaN if a result is.
    #[inline(always)]
    fn combine_check_bits<L: Lanes>(bits: L, result: L) -> L {
        bits.add(result)
    }
    /// Whether the check bits show that a result may be wrong: a zero of the wrong sign, or a NaN that is not canonical.
    #[inline(always)]
    fn needs_exact_pass<L: Lanes>(bits: L) -> bool {
        bits.ne(bits).any()
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
    const HAS_FAST_COMBINE: bool = true;
    #[inline(always)]
    fn fast_combine<L: Lanes>(a: L, b: L) -> L {
        a.min(b)
    }
    const CHECK_BITS_INIT: u32 = u32::MAX;
    #[inline(always)]
    fn combine_check_bits<L: Lanes>(bits: L, result: L) -> L {
        bits.min_u32(result)
    }
    #[inline(always)]
    fn needs_exact_pass<L: Lanes>(bits: L) -> bool {
        // The minimum of all is zero, where a -0 may have been lost.
        bits.to_array().iter().any(|x| x.to_bits() == 0)
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
    const HAS_FAST_COMBINE: bool = true;
    #[inline(always)]
    fn fast_combine<L: Lanes>(a: L, b: L) -> L {
        a.max(b)
    }
    #[inline(always)]
    fn combine_check_bits<L: Lanes>(bits: L, result: L) -> L {
        bits.min_i32(result)
    }
    #[inline(always)]
    fn needs_exact_pass<L: Lanes>(bits: L) -> bool {
        // The minimum as `i32` is -0, where a 0 may have been lost.
        bits.to_array().iter().any(|x| x.to_bits() == 0x8000_0000)
    }
}
