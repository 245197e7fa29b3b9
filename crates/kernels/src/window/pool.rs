//! Accumulators of windows that pool `f32`: a quick one first, and the exact one where that leaves a doubt.
//!
//! The maximum (and the minimum) of numbers without NaN is one operation, the exact one takes four. So places are reduced with
//! [`Quick`] first, while their cells are added up: the sum is NaN if a cell is (or if there are infinities of both signs, which
//! only costs time). Their results are combined as well, which shows a zero whose sign may be wrong. For sums and products both
//! passes are the same operation: the doubt is whether a NaN is the canonical one. Places in doubt are reduced again with
//! [`Exact`]. Used by [`crate::window::pool_rows`] and [`crate::window::pool_channels`].

use std::marker::PhantomData;

use crate::accumulate::dimensions::{Dimension, each};
use crate::accumulate::operators::LaneReducer;
use crate::description::parts::Reducer;
use crate::ground::context::Context;
use crate::ground::stop::Stop;
use crate::simd::best::Best;
use crate::simd::lanes::Lanes;
use crate::window::row::Axis;

/// A function that pools `f32`, or another type.
pub type Pooling<A> = fn(pool: Pool<A>, context: &mut Context) -> Result<(), Stop>;

/// A pooling: an operand in row-major order, and the places of the result from `to` on.
pub struct Pool<'a, A> {
    /// The operation.
    pub fold: Reducer,
    /// How the window slides, from the outermost dimension to the innermost.
    pub axes: &'a [Axis],
    /// The operand.
    pub x: &'a [A],
    /// The result.
    pub out: &'a mut [A],
    /// Its first place.
    pub to: isize,
    /// The initial value.
    pub init: A,
}

impl<A> Pool<'_, A> {
    /// Visits each index of the dimensions before the last `inner`, along which nothing slides: the cells within it, the
    /// result, and the slot of its first place there. Errors: those of `call`.
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

/// A reduction operator on elements as they are, not in an inner form, and the bits that show whether results are in doubt.
pub trait Pass {
    /// The identity.
    const START: f32;
    /// Whether cells are to be added up, to show a NaN; else it shows in the results.
    const IS_CHECKED: bool;
    /// Whether there is never a doubt, but NaN is to be canonicalized.
    const IS_EXACT: bool;
    /// The bits that are kept of the results, at first.
    const KEPT: u32;
    /// Two combined.
    fn join(a: Best, b: Best) -> Best;
    /// The bits that are kept, with those of another result.
    fn keep(kept: Best, result: Best) -> Best;
    /// Whether the bits that were kept show that a result may be wrong.
    fn is_odd(kept: Best) -> bool;
}

/// The pass whose results may be in doubt.
pub struct Quick<F>(PhantomData<F>);

/// The pass that leaves no doubt.
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
    fn is_odd(kept: Best) -> bool {
        F::is_odd(kept)
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
    fn is_odd(_: Best) -> bool {
        false
    }
}

/// Whether the initial value is still to be joined to results.
#[inline(always)]
pub const fn has_init<P: Pass>() -> bool {
    !P::IS_CHECKED
}

/// The results of joined cells: with the initial value and the canonical NaN. Their bits are added to `kept`.
#[inline(always)]
pub fn ended<P: Pass>(sum: Best, [init, nan]: [Best; 2], kept: &mut Best) -> Best {
    let sum = if has_init::<P>() { P::join(init, sum) } else { sum };
    *kept = P::keep(*kept, sum);
    if P::IS_EXACT { sum.select(nan, sum.eq(sum)) } else { sum }
}

/// What shows a doubt: two sums of all cells, and the bits that are kept of results.
#[derive(Clone, Copy)]
pub struct Seen {
    /// Sums of cells.
    pub cells: [Best; 2],
    /// What [`Pass::keep`] keeps.
    pub results: [Best; 2],
}

impl Seen {
    /// Nothing yet.
    #[inline(always)]
    pub fn new<P: Pass>() -> Self {
        Self { cells: [Best::zero(); 2], results: [Best::splat_bits(P::KEPT); 2] }
    }

    /// Whether a NaN was among the cells, or infinities of both signs.
    #[inline(always)]
    pub fn has_nan(&self) -> bool {
        let sum = self.cells[0].add(self.cells[1]);
        sum.ne(sum).any()
    }

    /// Whether a result may be wrong.
    #[inline(always)]
    pub fn is_odd<P: Pass>(&self) -> bool {
        self.results.into_iter().any(P::is_odd)
    }
}

/// Whether a NaN is among cells, or infinities of both signs.
pub fn has_nan(cells: &[f32]) -> bool {
    let (fours, rest) = cells.as_chunks::<4>();
    let sum = fours.iter().fold(Best::zero(), |sum, four| sum.add(Best::load(four)));
    sum.ne(sum).any() || rest.iter().any(|x| x.is_nan())
}
