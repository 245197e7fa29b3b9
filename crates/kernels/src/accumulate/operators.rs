//! Reduction operators on lanes of `f32`.

use crate::simd::lanes::Lanes;
use crate::simd::math::minimum_any_nan;

/// A reduction operator of lanes. Partial results may have an internal form: the maximum is the minimum of negated elements, which
/// in three operations propagates NaN and orders zeros.
pub trait LaneReducer {
    /// The identity, in the internal form.
    const START: f32;
    /// The identity.
    const IDENTITY: f32 = Self::START;
    /// The argument of [`Self::turn`], computed once a call.
    fn turning<L: Lanes>() -> L {
        L::zero()
    }
    /// Converts to the internal form, or back.
    fn turn<L: Lanes>(x: L, turning: L) -> L;
    /// The operator, in the internal form.
    fn join<L: Lanes>(a: L, b: L) -> L;
    /// Whether [`Self::fast`] differs from the exact operator.
    const HAS_FAST: bool = false;
    /// The operator on elements, not in the internal form: right where neither is NaN, up to the sign of a zero.
    #[inline(always)]
    fn fast<L: Lanes>(a: L, b: L) -> L {
        Self::join(a, b)
    }
    /// The initial value of the combined bits of results of [`Self::fast`].
    const BITS_INIT: u32 = 0;
    /// The combined bits with those of another result. By default a sum, which is NaN if a result is.
    #[inline(always)]
    fn combine_bits<L: Lanes>(bits: L, result: L) -> L {
        bits.add(result)
    }
    /// Whether the combined bits show that a result may be wrong: a zero of the wrong sign, or a NaN that is not canonical.
    #[inline(always)]
    fn needs_exact_pass<L: Lanes>(bits: L) -> bool {
        bits.ne(bits).any()
    }
}

/// Sum.
#[derive(Debug)]
pub struct Add;
/// Product.
#[derive(Debug)]
pub struct Mul;
/// Minimum.
#[derive(Debug)]
pub struct Min;
/// Maximum.
#[derive(Debug)]
pub struct Max;

impl LaneReducer for Add {
    const START: f32 = -0.0;
    #[inline(always)]
    fn turn<L: Lanes>(x: L, _: L) -> L {
        x
    }
    #[inline(always)]
    fn join<L: Lanes>(a: L, b: L) -> L {
        a.add(b)
    }
}

impl LaneReducer for Mul {
    const START: f32 = 1.0;
    #[inline(always)]
    fn turn<L: Lanes>(x: L, _: L) -> L {
        x
    }
    #[inline(always)]
    fn join<L: Lanes>(a: L, b: L) -> L {
        a.mul(b)
    }
}

impl LaneReducer for Min {
    const START: f32 = f32::INFINITY;
    #[inline(always)]
    fn turn<L: Lanes>(x: L, _: L) -> L {
        x
    }
    #[inline(always)]
    fn join<L: Lanes>(a: L, b: L) -> L {
        minimum_any_nan(a, b)
    }
    const HAS_FAST: bool = true;
    #[inline(always)]
    fn fast<L: Lanes>(a: L, b: L) -> L {
        a.min(b)
    }
    const BITS_INIT: u32 = u32::MAX;
    #[inline(always)]
    fn combine_bits<L: Lanes>(bits: L, result: L) -> L {
        bits.min_u32(result)
    }
    #[inline(always)]
    fn needs_exact_pass<L: Lanes>(bits: L) -> bool {
        // The minimum of all is zero, where a -0 may have been lost.
        bits.to_array().iter().any(|x| x.to_bits() == 0)
    }
}

impl LaneReducer for Max {
    const START: f32 = f32::INFINITY;
    const IDENTITY: f32 = f32::NEG_INFINITY;
    #[inline(always)]
    fn turning<L: Lanes>() -> L {
        // Hidden from the compiler, which would rewrite the minimum of negated numbers at twice the operations.
        L::splat_bits(std::hint::black_box(0x8000_0000))
    }
    #[inline(always)]
    fn turn<L: Lanes>(x: L, turning: L) -> L {
        x.xor(turning)
    }
    #[inline(always)]
    fn join<L: Lanes>(a: L, b: L) -> L {
        minimum_any_nan(a, b)
    }
    const HAS_FAST: bool = true;
    #[inline(always)]
    fn fast<L: Lanes>(a: L, b: L) -> L {
        a.max(b)
    }
    #[inline(always)]
    fn combine_bits<L: Lanes>(bits: L, result: L) -> L {
        bits.min_i32(result)
    }
    #[inline(always)]
    fn needs_exact_pass<L: Lanes>(bits: L) -> bool {
        // The least of all is -0, where a 0 may have been lost.
        bits.to_array().iter().any(|x| x.to_bits() == 0x8000_0000)
    }
}
