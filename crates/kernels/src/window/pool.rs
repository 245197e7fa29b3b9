//! Pooling of `f32` in two passes: a fast one, and an exact one for the positions where the fast result may be wrong.
//!
//! Max (and min) of numbers without NaN is one operation, the exact operator takes four. So positions are reduced with [`Fast`]
//! first, while their cells are summed: the sum is NaN if a cell is (or if there are infinities of both signs, which only costs
//! time). The results' bits are combined as well, which detects a zero whose sign may be wrong. For sums and products both passes
//! are the same operation, and what may be wrong is that a NaN is not canonical. Such positions are reduced again with [`Exact`].
//! Used by [`crate::window::pool_rows`] and [`crate::window::pool_channels`].

use std::marker::PhantomData;

use crate::accumulate::dimensions::{Dimension, each};
use crate::accumulate::operators::LaneReducer;
use crate::description::parts::Reducer;
use crate::ground::context::Context;
use crate::ground::stop::Stop;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;
use crate::window::row::Axis;

/// A function that pools elements of type `A`.
pub type Pooling<A> = fn(pool: Pool<A>, context: &mut Context) -> Result<(), Stop>;

/// The arguments of a pooling.
pub struct Pool<'a, A> {
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

impl<A> Pool<'_, A> {
    /// Calls `call` for each index of the dimensions before the last `inner`, along which the window does not slide: with the
    /// cells of the inner dimensions, the result, and the slot of the first position there. Errors: those of `call`.
    pub fn each(
        self,
        inner: usize,
        mut call: impl FnMut(&[A], &mut [A], isize) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let (outer, within) = self.axes.split_at(self.axes.len().saturating_sub(inner));
        let cells: usize = within.iter().map(|axis| axis.size).product();
        let mut stride = cells.cast_signed();
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
        each(&dimensions, 0, self.out_offset, |from, out_offset| {
            call(&self.x[from.cast_unsigned()..][..cells], self.out, out_offset)
        })
    }
}

/// A reduction operator on elements in their own form, not an accumulator's internal one, and how it detects wrong results.
pub trait Pass {
    /// The identity.
    const START: f32;
    /// Whether cells must be summed to detect NaN, which the operator may lose.
    const IS_CHECKED: bool;
    /// Whether results are always right, once NaN is canonicalized.
    const IS_EXACT: bool;
    /// The initial value of the combined bits of the results.
    const BITS_INIT: u32;
    /// The operator.
    fn join(a: F32x4, b: F32x4) -> F32x4;
    /// The combined bits with those of another result.
    fn combine_bits(bits: F32x4, result: F32x4) -> F32x4;
    /// Whether the combined bits show that a result may be wrong.
    fn needs_exact_pass(bits: F32x4) -> bool;
}

/// The pass of one operation, whose results may be wrong.
pub struct Fast<F>(PhantomData<F>);

/// The pass of the exact operator.
pub struct Exact<F>(PhantomData<F>);

impl<F: LaneReducer> Pass for Fast<F> {
    const START: f32 = F::IDENTITY;
    const IS_CHECKED: bool = F::HAS_FAST;
    const IS_EXACT: bool = false;
    const BITS_INIT: u32 = F::BITS_INIT;
    #[inline(always)]
    fn join(a: F32x4, b: F32x4) -> F32x4 {
        F::fast(a, b)
    }
    #[inline(always)]
    fn combine_bits(bits: F32x4, result: F32x4) -> F32x4 {
        F::combine_bits(bits, result)
    }
    #[inline(always)]
    fn needs_exact_pass(bits: F32x4) -> bool {
        F::needs_exact_pass(bits)
    }
}

impl<F: LaneReducer> Pass for Exact<F> {
    const START: f32 = F::IDENTITY;
    const IS_CHECKED: bool = false;
    const IS_EXACT: bool = true;
    const BITS_INIT: u32 = 0;
    #[inline(always)]
    fn join(a: F32x4, b: F32x4) -> F32x4 {
        let turning = F::turning();
        F::turn(F::join(F::turn(a, turning), F::turn(b, turning)), turning)
    }
    #[inline(always)]
    fn combine_bits(bits: F32x4, _: F32x4) -> F32x4 {
        bits
    }
    #[inline(always)]
    fn needs_exact_pass(_: F32x4) -> bool {
        false
    }
}

/// Whether results still have to be combined with the initial value.
#[inline(always)]
pub const fn has_init<P: Pass>() -> bool {
    !P::IS_CHECKED
}

/// Finishes results: combines them with the initial value, and canonicalizes NaN in the exact pass. Their bits are combined
/// into `bits`.
#[inline(always)]
pub fn ended<P: Pass>(sum: F32x4, [init, nan]: [F32x4; 2], bits: &mut F32x4) -> F32x4 {
    let sum = if has_init::<P>() { P::join(init, sum) } else { sum };
    *bits = P::combine_bits(*bits, sum);
    if P::IS_EXACT { sum.select(nan, sum.eq(sum)) } else { sum }
}

/// Detects wrong results: two sums of all cells, and the combined bits of the results.
#[derive(Clone, Copy)]
pub struct ResultCheck {
    /// Sums of cells.
    pub cell_sums: [F32x4; 2],
    /// The combined bits of results ([`Pass::combine_bits`]).
    pub result_bits: [F32x4; 2],
}

impl ResultCheck {
    /// No cells and no results yet.
    #[inline(always)]
    pub fn new<P: Pass>() -> Self {
        Self { cell_sums: [F32x4::zero(); 2], result_bits: [F32x4::splat_bits(P::BITS_INIT); 2] }
    }

    /// Whether a cell was NaN, or cells were infinities of both signs.
    #[inline(always)]
    pub fn may_have_nan(&self) -> bool {
        let sum = self.cell_sums[0].add(self.cell_sums[1]);
        sum.ne(sum).any()
    }

    /// Whether a result may be wrong.
    #[inline(always)]
    pub fn needs_exact_pass<P: Pass>(&self) -> bool {
        self.result_bits.into_iter().any(P::needs_exact_pass)
    }
}

/// Whether a cell is NaN, or cells are infinities of both signs.
pub fn may_have_nan(cells: &[f32]) -> bool {
    let (fours, rest) = cells.as_chunks::<4>();
    let sum = fours.iter().fold(F32x4::zero(), |sum, four| sum.add(F32x4::load(four)));
    sum.ne(sum).any() || rest.iter().any(|x| x.is_nan())
}
