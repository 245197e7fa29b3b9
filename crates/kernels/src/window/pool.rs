//! Pooling of `f32` in two passes: a fast one, and an exact one for the positions where the fast result may be wrong.
//!
//! Without NaN, max (or min) takes one instruction; the exact operator takes four. So positions are reduced by [`Fast`] first,
//! while their elements are summed: the sum is NaN if an element is (or if infinities of both signs are added, which only costs
//! time). Results are checked as well, to detect a zero whose sign may be wrong ([`LaneReducer::update_check`]). For sums and
//! products both passes are the same operation, and the fast pass only leaves NaN uncanonicalized. Positions with possibly
//! wrong results are reduced again by [`Exact`]. Used by [`crate::window::pool_rows`] and [`crate::window::pool_channels`].

use std::marker::PhantomData;

use crate::accumulate::dimensions::{Dimension, for_each_offset};
use crate::accumulate::operators::LaneReducer;
use crate::description::parts::Reducer;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::window::row::Axis;

/// A function that pools elements of type `A`.
pub type PoolingFn<A> = fn(args: Pooling<A>, context: &mut Context) -> Result<(), KernelError>;

/// The arguments of a pooling operation.
pub struct Pooling<'a, A> {
    /// The reduction operator.
    pub reducer: Reducer,
    /// The window along each dimension, major to minor.
    pub axes: &'a [Axis],
    /// The operand, in row-major order.
    pub x: &'a [A],
    /// The buffer of the result.
    pub out: &'a mut [A],
    /// The slot of the result's first position.
    pub out_offset: isize,
    /// The initial value.
    pub init: A,
}

impl<A> Pooling<'_, A> {
    /// Calls `visit` for each index of the dimensions before the last `inner_rank`, which have no window. It gets the operand's
    /// slice of the inner dimensions, the result, and the slot of the slice's first result. Errors: those of `visit`.
    pub fn for_each_inner_slice(
        self,
        inner_rank: usize,
        mut visit: impl FnMut(&[A], &mut [A], isize) -> Result<(), KernelError>,
    ) -> Result<(), KernelError> {
        let (outer, inner) = self.axes.split_at(self.axes.len().saturating_sub(inner_rank));
        let elements: usize = inner.iter().map(|axis| axis.size).product();
        let mut stride = elements.cast_signed();
        let mut dimensions: Vec<Dimension> = Vec::with_capacity(outer.len());
        for axis in outer.iter().rev() {
            dimensions.push(Dimension {
                size: axis.size,
                stride,
                out_stride: axis.out_stride,
                is_reduced: false,
            });
            stride *= axis.size.cast_signed();
        }
        dimensions.reverse();
        for_each_offset(&dimensions, 0, self.out_offset, |from, out_offset| {
            visit(&self.x[from.cast_unsigned()..][..elements], self.out, out_offset)
        })
    }
}

/// A pass: a reduction operator on elements, not in an accumulator's internal form, and its detection of wrong results.
pub trait Pass {
    /// The identity of the operator.
    const IDENTITY: f32;
    /// Whether the pass sums elements to detect NaN, which the operator may lose.
    const SUMS_ELEMENTS: bool;
    /// Whether results are correct once NaN is canonicalized.
    const IS_EXACT: bool;
    /// The initial value of the check of results, as bits ([`LaneReducer::update_check`]).
    const CHECK_INIT_BITS: u32;
    /// Applies the operator to each lane.
    fn combine(a: F32x4, b: F32x4) -> F32x4;
    /// Adds a result to the check.
    fn update_check(check: F32x4, result: F32x4) -> F32x4;
    /// Whether a checked result may be wrong.
    fn needs_exact_pass(check: F32x4) -> bool;
}

/// The pass with one operation per element, whose results may be wrong.
pub struct Fast<F>(PhantomData<F>);

/// The pass with the exact operator.
pub struct Exact<F>(PhantomData<F>);

impl<F: LaneReducer> Pass for Fast<F> {
    const IDENTITY: f32 = F::IDENTITY;
    const SUMS_ELEMENTS: bool = F::FAST_COMBINE_IS_INEXACT;
    const IS_EXACT: bool = false;
    const CHECK_INIT_BITS: u32 = F::CHECK_INIT_BITS;
    #[inline(always)]
    fn combine(a: F32x4, b: F32x4) -> F32x4 {
        F::fast_combine(a, b)
    }
    #[inline(always)]
    fn update_check(check: F32x4, result: F32x4) -> F32x4 {
        F::update_check(check, result)
    }
    #[inline(always)]
    fn needs_exact_pass(check: F32x4) -> bool {
        F::needs_exact_pass(check)
    }
}

impl<F: LaneReducer> Pass for Exact<F> {
    const IDENTITY: f32 = F::IDENTITY;
    const SUMS_ELEMENTS: bool = false;
    const IS_EXACT: bool = true;
    const CHECK_INIT_BITS: u32 = 0;
    #[inline(always)]
    fn combine(a: F32x4, b: F32x4) -> F32x4 {
        let sign_mask = F::sign_mask();
        F::from_internal(F::combine(F::to_internal(a, sign_mask), F::to_internal(b, sign_mask)), sign_mask)
    }
    #[inline(always)]
    fn update_check(check: F32x4, _: F32x4) -> F32x4 {
        check
    }
    #[inline(always)]
    fn needs_exact_pass(_: F32x4) -> bool {
        false
    }
}

/// Whether the pass combines results with the initial value. A pass that sums elements does not, as its sums would not detect
/// that the initial value is NaN: that must be the identity.
#[inline(always)]
pub const fn uses_init<P: Pass>() -> bool {
    !P::SUMS_ELEMENTS
}

/// Finishes results: combines them with the initial value, and canonicalizes NaN in the exact pass. Adds them to
/// `check`.
#[inline(always)]
pub fn finish<P: Pass>(acc: F32x4, [init, nan]: [F32x4; 2], check: &mut F32x4) -> F32x4 {
    let acc = if uses_init::<P>() { P::combine(init, acc) } else { acc };
    *check = P::update_check(*check, acc);
    if P::IS_EXACT { acc.select(nan, acc.eq(acc)) } else { acc }
}

/// Detects wrong results. Each part is two vectors, so that consecutive additions are independent.
#[derive(Clone, Copy)]
pub struct ResultCheck {
    /// Sums of elements: NaN if an element is.
    pub nan_sums: [F32x4; 2],
    /// The check of results ([`Pass::update_check`]).
    pub result_checks: [F32x4; 2],
}

impl ResultCheck {
    /// No elements and no results yet.
    #[inline(always)]
    pub fn new<P: Pass>() -> Self {
        Self { nan_sums: [F32x4::zero(); 2], result_checks: [F32x4::splat_bits(P::CHECK_INIT_BITS); 2] }
    }

    /// Whether an element may have been NaN. Infinities of opposite signs are a false positive.
    #[inline(always)]
    pub fn may_have_nan(&self) -> bool {
        let sum = self.nan_sums[0].add(self.nan_sums[1]);
        sum.ne(sum).any()
    }

    /// Whether a result may be wrong.
    #[inline(always)]
    pub fn needs_exact_pass<P: Pass>(&self) -> bool {
        self.result_checks.into_iter().any(P::needs_exact_pass)
    }
}

/// Whether an element may be NaN. Infinities of opposite signs are a false positive.
pub fn may_have_nan(elements: &[f32]) -> bool {
    let (fours, rest) = elements.as_chunks::<4>();
    let sum = fours.iter().fold(F32x4::zero(), |sum, four| sum.add(F32x4::load(four)));
    sum.ne(sum).any() || rest.iter().any(|x| x.is_nan())
}
