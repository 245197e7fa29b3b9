//! Reduction operators on lanes of `f32`.

use crate::simd::lanes::Lanes;
use crate::simd::math::minimum_any_nan;

/// A reduction operator of lanes. Inside, elements may be held in another form: the maximum as the minimum of what is negated, because
/// that is how NaN wins and zeros have an order in three operations.
pub trait LaneReducer {
    /// The identity, in the inner form.
    const START: f32;
    /// The identity.
    const IDENTITY: f32 = Self::START;
    /// What turns elements to the inner form, made once a call.
    fn turning<L: Lanes>() -> L {
        L::zero()
    }
    /// To the inner form, or from it.
    fn turn<L: Lanes>(x: L, turning: L) -> L;
    /// Two combined, in the inner form.
    fn join<L: Lanes>(a: L, b: L) -> L;
    /// Whether [`Self::quick`] is another operation than the exact one.
    const IS_QUICK: bool = false;
    /// Two elements combined, not in the inner form, where neither is NaN and none of two zeros is the right one.
    #[inline(always)]
    fn quick<L: Lanes>(a: L, b: L) -> L {
        Self::join(a, b)
    }
    /// What is kept of results of [`Self::quick`], at first: bits.
    const KEPT: u32 = 0;
    /// What is kept, with another result: a NaN shows in a sum of them all.
    #[inline(always)]
    fn keep<L: Lanes>(kept: L, result: L) -> L {
        kept.add(result)
    }
    /// Whether what was kept shows that a result may be another: the wrong zero, or a NaN that is not the canonical one.
    #[inline(always)]
    fn is_odd<L: Lanes>(kept: L) -> bool {
        kept.ne(kept).any()
    }
}

/// Sum.
#[derive(Debug)]
pub struct Add;
/// Product.
#[derive(Debug)]
pub struct Mul;
/// The smallest.
#[derive(Debug)]
pub struct Min;
/// The largest.
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
    const IS_QUICK: bool = true;
    #[inline(always)]
    fn quick<L: Lanes>(a: L, b: L) -> L {
        a.min(b)
    }
    const KEPT: u32 = u32::MAX;
    #[inline(always)]
    fn keep<L: Lanes>(kept: L, result: L) -> L {
        kept.min_u32(result)
    }
    #[inline(always)]
    fn is_odd<L: Lanes>(kept: L) -> bool {
        // The least of all is zero, where -0 may have been seen.
        kept.to_array().iter().any(|x| x.to_bits() == 0)
    }
}

impl LaneReducer for Max {
    const START: f32 = f32::INFINITY;
    const IDENTITY: f32 = f32::NEG_INFINITY;
    #[inline(always)]
    fn turning<L: Lanes>() -> L {
        // Hidden from the compiler, which would take the minimum of negated numbers apart again, at twice the operations.
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
    const IS_QUICK: bool = true;
    #[inline(always)]
    fn quick<L: Lanes>(a: L, b: L) -> L {
        a.max(b)
    }
    #[inline(always)]
    fn keep<L: Lanes>(kept: L, result: L) -> L {
        kept.min_i32(result)
    }
    #[inline(always)]
    fn is_odd<L: Lanes>(kept: L) -> bool {
        // The least of all is -0, where zero may have been seen.
        kept.to_array().iter().any(|x| x.to_bits() == 0x8000_0000)
    }
}
