//! Windows along rows of `f32`, by lanes; the maximum is held negated all the way.

use crate::simd::best::Best;
use crate::task::kernel::{Context, Stop};
use crate::simd::lanes::Lanes;
use crate::simd::math::minimum_unsettled;
use crate::reduce::nest::{Folder, Pooling, SLACK};
use crate::accumulate::float::{Max, Min, OfLanes, folder, fresh, some};
use crate::task::description::Fold;
use crate::window::pool::Pool;
use crate::window::row::Axis;
use crate::window::pool_channels;
use crate::window::pool_rows;

/// As [`fresh`] of the maximum; the results are negated, as are those that its [`Min`] folds go on with.
fn enter_max(to: &mut [f32], from: &[f32], stride: usize, count: usize) {
    let width = to.len();
    let row = |i: usize| &from[i * stride..i * stride + width];
    match count {
        1 => some::<Max, 1, true, true>(to, [row(0)]),
        2 => some::<Max, 2, true, true>(to, [row(0), row(1)]),
        3 => some::<Max, 3, true, true>(to, [row(0), row(1), row(2)]),
        _ => {
            fresh::<Max>(to, from, stride, count);
            for x in to.iter_mut() {
                *x = -*x;
            }
        }
    }
}

/// As [`finish`] of what [`enter_max`] began.
fn finish_max(results: &mut [f32], init: f32) {
    let (turning, init) = (Max::turning::<Best>(), Best::splat(init).neg());
    let [nan] = std::hint::black_box([f32::NAN]).map(Best::splat);
    let last = |x: Best| {
        let x = minimum_unsettled(init, x).xor(turning);
        x.select(nan, x.eq(x))
    };
    let (fours, rest) = results.as_chunks_mut::<4>();
    for four in fours {
        last(Best::load(four)).store(four);
    }
    for x in rest {
        [*x, ..] = last(Best::splat(*x)).to_array();
    }
}

/// As [`folder`], for windows: the maximum is held negated all the way.
pub fn window_folder(fold: Fold) -> Folder<f32, f32> {
    let of = folder(if fold == Fold::Max { Fold::Min } else { fold });
    let pool = Some(pool as Pooling<f32>);
    if fold == Fold::Max {
        Folder { enter: enter_max, finish: finish_max, slide: Some(slide::<Min, true>), pool, ..of }
    } else {
        Folder { pool, ..of }
    }
}

/// Whether [`Folder::pool`] does windows along these axes.
pub fn pools(axes: &[Axis]) -> bool {
    pool_rows::serves(axes) || pool_channels::serves(axes)
}

/// [`Folder::pool`].
fn pool(of: Pool<f32>, context: &mut Context) -> Result<(), Stop> {
    let is_across = pool_channels::serves(of.axes);
    let pool = if is_across { pool_channels::pool } else { pool_rows::pool };
    pool(of, context)
}

/// [`Folder::slide`]; with `NEGATED` the row holds negated numbers. Windows of pooling have loops of their own.
pub fn slide<F: OfLanes, const NEGATED: bool>(
    from: &[f32],
    to: &mut [f32],
    size: usize,
    stride: usize,
    apart: usize,
    init: f32,
) {
    match (size, stride) {
        (2, 2) => sweep::<F, NEGATED, 2, 2>(from, to, size, apart, init),
        (3, 2) => sweep::<F, NEGATED, 3, 2>(from, to, size, apart, init),
        (_, 2) => sweep::<F, NEGATED, 0, 2>(from, to, size, apart, init),
        (3, _) => sweep::<F, NEGATED, 3, 1>(from, to, size, apart, init),
        _ => sweep::<F, NEGATED, 0, 1>(from, to, size, apart, init),
    }
}

/// A row of windows of `SIZE` cells, or of `size` where that is 0.
#[allow(unsafe_code, reason = "overlapping reads of one row: looks at its bounds make it slower")]
fn sweep<F: OfLanes, const NEGATED: bool, const SIZE: usize, const STRIDE: usize>(
    from: &[f32],
    to: &mut [f32],
    size: usize,
    apart: usize,
    init: f32,
) {
    let size = if SIZE == 0 { size } else { SIZE };
    let reach = to.len().saturating_sub(1) * STRIDE + size.saturating_sub(1) * apart + 1;
    assert!(
        from.len() >= reach + SLACK && size > 0 && (STRIDE == 1 || apart == 1),
        "a row that is long enough"
    );
    let (turning, sign) = (F::turning(), Best::splat_bits(std::hint::black_box(0x8000_0000)));
    let [nan] = std::hint::black_box([f32::NAN]).map(Best::splat);
    let turn = |x: Best| if NEGATED { x.xor(sign) } else { F::turn(x, turning) };
    let first = turn(Best::splat(init));
    // Mostly the initial value changes nothing.
    let is_none = first.to_array()[0].to_bits() == F::START.to_bits();
    let start = from.as_ptr();
    let at = |i: usize| {
        let load = |x: Best| turn_in::<F, NEGATED>(x, turning);
        let mut sum;
        // SAFETY: i < places. With stride 1 the furthest read ends 3 cells beyond the reach; with 2, no more than 8 cells
        // beyond the last place's cells: both within the slack.
        unsafe {
            let from = start.add(STRIDE * i);
            if STRIDE == 1 {
                sum = load(Best::read(from));
                for k in 1..size {
                    sum = F::join(sum, load(Best::read(from.add(k * apart))));
                }
            } else {
                let (low, high) = (Best::read(from), Best::read(from.add(4)));
                sum = load(low.even(high));
                if size > 1 {
                    sum = F::join(sum, load(low.odd(high)));
                }
                for k in (2..size).step_by(2) {
                    let (low, high) = (Best::read(from.add(k)), Best::read(from.add(k + 4)));
                    sum = F::join(sum, load(low.even(high)));
                    if k + 1 < size {
                        sum = F::join(sum, load(low.odd(high)));
                    }
                }
            }
        }
        let sum = turn(if is_none { sum } else { F::join(first, sum) });
        sum.select(nan, sum.eq(sum))
    };
    let (fours, rest) = to.as_chunks_mut::<4>();
    let whole = 4 * fours.len();
    for (i, four) in fours.iter_mut().enumerate() {
        at(4 * i).store(four);
    }
    if !rest.is_empty() {
        let last = at(whole).to_array();
        rest.iter_mut().zip(last).for_each(|(to, x)| *to = x);
    }
}

/// A number of a row in the inner form.
#[inline(always)]
fn turn_in<F: OfLanes, const NEGATED: bool>(x: Best, turning: Best) -> Best {
    if NEGATED { x } else { F::turn(x, turning) }
}
