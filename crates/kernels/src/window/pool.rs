//! Pooling of `f32` in two passes: a quick one, and an exact one for the positions where the quick result may be wrong.
//!
//! Max (and min) of numbers without NaN is one operation, the exact operator takes four. So positions are reduced with [`Quick`]
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
use crate::simd::best::Best;
use crate::simd::lanes::Lanes;
use crate::window::row::Axis;

/// A function that pools elements of type `A`.
pub type Pooling<A> = fn(pool: Pool<A>, context: &mut Context) -> Result<(), Stop>;

/// The arguments of a pooling.
pub struct Pool<'a, A> {
    /// The reduction operator.
    pub fold: Reducer,
    /// The window along each dimension, major to minor.
    pub axes: &'a [Axis],
    /// The operand, in row-major order.
    pub x: &'a [A],
    /// The buffer of the result.
    pub out: &'a mut [A],
    /// The slot of the result's first position.
    pub to: isize,
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
        let mut from = cells.cast_signed();
        let mut kept: Vec<Dimension> = Vec::with_capacity(outer.len());
        for axis in outer.iter().rev() {
            kept.push(Dimension { size: axis.size, from, to: axis.to, is_reduced: false });
            from *= axis.size.cast_signed();
        }
        kept.reverse();
        each(&kept, 0, self.to, |from, to| call(&self.x[from.cast_unsigned()..][..cells], self.out, to))
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
    const KEPT: u32;
    /// The operator.
    fn join(a: Best, b: Best) -> Best;
    /// The combined bits with those of another result.
    fn keep(kept: Best, result: Best) -> Best;
    /// Whether the combined bits show that a result may be wrong.
    fn is_doubtful(kept: Best) -> bool;
}

/// The pass of one operation, whose results may be wrong.
pub struct Quick<F>(PhantomData<F>);

/// The pass of the exact operator.
pub struct Exact<F>(PhantomData<F>);

impl<F: LaneReducer> Pass for Quick<F> {
    const START: f32 = F::IDENTITY;
    const IS_CHECKED: bool = F::IS_QUICK;
    const IS_EXACT: bool = false;
    const KEPT: u32 = F::KEPT;
    #[inline(always)]
    fn join(a: Best, b: Best) -> Best {
        F::quick(a, b)
    }
    #[inline(always)]
    fn keep(kept: Best, result: Best) -> Best {
        F::keep(kept, result)
    }
    #[inline(always)]
    fn is_doubtful(kept: Best) -> bool {
        F::is_doubtful(kept)
    }
}

impl<F: LaneReducer> Pass for Exact<F> {
    const START: f32 = F::IDENTITY;
    const IS_CHECKED: bool = false;
    const IS_EXACT: bool = true;
    const KEPT: u32 = 0;
    #[inline(always)]
    fn join(a: Best, b: Best) -> Best {
        let turning = F::turning();
        F::turn(F::join(F::turn(a, turning), F::turn(b, turning)), turning)
    }
    #[inline(always)]
    fn keep(kept: Best, _: Best) -> Best {
        kept
    }
    #[inline(always)]
    fn is_doubtful(_: Best) -> bool {
        false
    }
}

/// Whether results still have to be combined with the initial value.
#[inline(always)]
pub const fn has_init<P: Pass>() -> bool {
    !P::IS_CHECKED
}

/// Finishes results: combines them with the initial value, and canonicalizes NaN in the exact pass. Their bits are added to
/// `kept`.
#[inline(always)]
pub fn ended<P: Pass>(sum: Best, [init, nan]: [Best; 2], kept: &mut Best) -> Best {
    let sum = if has_init::<P>() { P::join(init, sum) } else { sum };
    *kept = P::keep(*kept, sum);
    if P::IS_EXACT { sum.select(nan, sum.eq(sum)) } else { sum }
}

/// What detects wrong results: two sums of all cells, and the combined bits of the results.
#[derive(Clone, Copy)]
pub struct Seen {
    /// Sums of cells.
    pub cells: [Best; 2],
    /// The combined bits of [`Pass::keep`].
    pub results: [Best; 2],
}

impl Seen {
    /// No cells and no results yet.
    #[inline(always)]
    pub fn new<P: Pass>() -> Self {
        Self { cells: [Best::zero(); 2], results: [Best::splat_bits(P::KEPT); 2] }
    }

    /// Whether a cell was NaN, or cells were infinities of both signs.
    #[inline(always)]
    pub fn has_nan(&self) -> bool {
        let sum = self.cells[0].add(self.cells[1]);
        sum.ne(sum).any()
    }

    /// Whether a result may be wrong.
    #[inline(always)]
    pub fn is_doubtful<P: Pass>(&self) -> bool {
        self.results.into_iter().any(P::is_doubtful)
    }
}

/// Whether a cell is NaN, or cells are infinities of both signs.
pub fn has_nan(cells: &[f32]) -> bool {
    let (fours, rest) = cells.as_chunks::<4>();
    let sum = fours.iter().fold(Best::zero(), |sum, four| sum.add(Best::load(four)));
    sum.ne(sum).any() || rest.iter().any(|x| x.is_nan())
}
