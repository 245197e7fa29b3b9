//! Pooling of planes of `f32`: a square window of two or three cells along the two innermost dimensions.
//!
//! Rows that a window sees are read where they lie and made one in registers, then neighbours of that row; of a sum the order
//! is that of [`super::window`]. Rows outside of the operand are rows of what changes nothing.
//!
//! The largest (and the smallest) of numbers without NaN is one operation; so a plane is first gone through with that, while
//! its numbers are added up, which shows a NaN. A plane that has one, or infinities of both signs, or zeros whose sign
//! may be wrong, is gone through once more with the exact operation.

#![allow(unsafe_code, reason = "overlapping reads of rows: looks at their bounds make it slower")]

use super::Best;
use super::kernel::{Context, Stop};
use super::lanes::Lanes;
use super::reduce_float::{Add, Max, Min, Mul, OfLanes};
use super::task::Fold;
use super::window_row::Axis;

/// A fold for planes that may be checked afterwards.
trait Pooled {
    /// What changes nothing.
    const START: f32;
    /// Whether cells are added up, to show a NaN.
    const IS_CHECKED: bool;
    /// Whether the initial value is still to be joined to a sum.
    const HAS_INIT: bool;
    /// Whether a NaN is made the canonical one right away.
    const IS_SETTLED: bool;
    /// Two made one.
    fn join(a: Best, b: Best) -> Best;
    /// Bits where the result may be another.
    fn doubt(x: Best) -> Best;
}

struct Exact<F>(F);
struct Sum;
struct Largest;
struct Smallest;

impl Pooled for Sum {
    const START: f32 = Add::IDENTITY;
    const IS_CHECKED: bool = false;
    const HAS_INIT: bool = true;
    const IS_SETTLED: bool = false;
    #[inline(always)]
    fn join(a: Best, b: Best) -> Best {
        a.add(b)
    }
    #[inline(always)]
    fn doubt(x: Best) -> Best {
        x.ne(x)
    }
}

impl<F: OfLanes> Pooled for Exact<F> {
    const START: f32 = F::IDENTITY;
    const IS_CHECKED: bool = false;
    const HAS_INIT: bool = true;
    const IS_SETTLED: bool = true;
    #[inline(always)]
    fn join(a: Best, b: Best) -> Best {
        let turning = F::turning();
        F::turn(F::join(F::turn(a, turning), F::turn(b, turning)), turning)
    }
    #[inline(always)]
    fn doubt(_: Best) -> Best {
        Best::zero()
    }
}

impl Pooled for Largest {
    const START: f32 = f32::NEG_INFINITY;
    const IS_CHECKED: bool = true;
    const HAS_INIT: bool = false;
    const IS_SETTLED: bool = false;
    #[inline(always)]
    fn join(a: Best, b: Best) -> Best {
        a.larger(b)
    }
    #[inline(always)]
    fn doubt(x: Best) -> Best {
        // A zero that is negative, where another may not have been.
        x.eq(Best::zero()).and(x)
    }
}

impl Pooled for Smallest {
    const START: f32 = f32::INFINITY;
    const IS_CHECKED: bool = true;
    const HAS_INIT: bool = false;
    const IS_SETTLED: bool = false;
    #[inline(always)]
    fn join(a: Best, b: Best) -> Best {
        a.smaller(b)
    }
    #[inline(always)]
    fn doubt(x: Best) -> Best {
        x.eq(Best::zero()).and_not(x)
    }
}

/// Planes of rows of cells, and where the window goes.
struct Planes<'a> {
    axes: [Axis; 2],
    /// As long as a row, of what changes nothing.
    none: &'a [f32],
    init: f32,
}

/// Whether the window is one of those.
pub fn serves(axes: &[Axis]) -> bool {
    let [outer @ .., high, wide] = axes else { return false };
    let is_small = |axis: &Axis| {
        let w = axis.window;
        matches!(w.size, 2 | 3)
            && matches!(w.stride, 1..=3)
            && w.dilation == 1
            && w.base_dilation == 1
            && matches!(w.low, 0 | 1)
    };
    outer.iter().all(Axis::is_plain)
        && is_small(high)
        && is_small(wide)
        && high.window.size == wide.window.size
        && wide.to == 1
        && wide.size >= 4
}

/// Pools the planes of an operand that lies row after row.
pub fn pool(
    fold: Fold,
    axes: &[Axis],
    x: &[f32],
    out: &mut [f32],
    to: isize,
    init: f32,
    context: &mut Context,
) -> Result<(), Stop> {
    match fold {
        Fold::Mul => planes::<Exact<Mul>, Exact<Mul>>(axes, x, out, to, init, context),
        Fold::Min => planes::<Smallest, Exact<Min>>(axes, x, out, to, init, context),
        Fold::Max => planes::<Largest, Exact<Max>>(axes, x, out, to, init, context),
        _ => planes::<Sum, Exact<Add>>(axes, x, out, to, init, context),
    }
}

fn planes<F: Pooled, X: Pooled>(
    axes: &[Axis],
    x: &[f32],
    out: &mut [f32],
    to: isize,
    init: f32,
    context: &mut Context,
) -> Result<(), Stop> {
    let [outer @ .., high, wide] = axes else { return Err(Stop::Invalid) };
    let none = vec![F::START; wide.size];
    let planes = Planes { axes: [*high, *wide], none: &none, init };
    let (of_fast, of_exact): (Plane, Plane) = match (wide.window.size, wide.window.stride) {
        (2, 1) => (plane::<F, 2, 1>, plane::<X, 2, 1>),
        (2, 2) => (plane::<F, 2, 2>, plane::<X, 2, 2>),
        (2, _) => (plane::<F, 2, 3>, plane::<X, 2, 3>),
        (_, 1) => (plane::<F, 3, 1>, plane::<X, 3, 1>),
        (_, 2) => (plane::<F, 3, 2>, plane::<X, 3, 2>),
        _ => (plane::<F, 3, 3>, plane::<X, 3, 3>),
    };
    // An initial value that counts is left to the exact operation.
    let is_plain = F::HAS_INIT || init == F::START;
    let mut at = vec![0; outer.len()];
    let mut to = to;
    for cells in x.chunks_exact(high.size * wide.size) {
        if !is_plain || !of_fast(&planes, cells, out, to) {
            of_exact(&planes, cells, out, to);
        }
        context.tick((cells.len() * 3) as u64)?;
        for (at, axis) in at.iter_mut().zip(outer).rev() {
            *at += 1;
            to += axis.to;
            if *at < axis.size {
                break;
            }
            *at = 0;
            to -= axis.to * axis.size.cast_signed();
        }
    }
    Ok(())
}

/// A plane; `false` where the results are in doubt.
type Plane = fn(&Planes, &[f32], &mut [f32], isize) -> bool;

fn plane<F: Pooled, const K: usize, const S: usize>(
    planes: &Planes,
    cells: &[f32],
    out: &mut [f32],
    to: isize,
) -> bool {
    let [high, wide] = planes.axes;
    let width = wide.size;
    let mut doubt = Best::zero();
    let mut to = to.cast_unsigned();
    for y in 0..high.places {
        let first = (y * high.window.stride).cast_signed() - high.window.low;
        let rows: [&[f32]; K] = std::array::from_fn(|k| {
            let row = usize::try_from(first + k.cast_signed()).ok().filter(|row| *row < high.size);
            row.map_or(planes.none, |row| &cells[row * width..][..width])
        });
        doubt = doubt.or(row::<F, K, S>(rows, wide.window.low, &mut out[to..to + wide.places], planes.init));
        to = to.wrapping_add_signed(high.to);
    }
    F::IS_SETTLED || !doubt.any()
}

/// Four cells of each row, made one; `at + 4` is at most their length. What was seen is added up.
#[inline(always)]
fn down<F: Pooled, const K: usize>(from: [*const f32; K], at: usize, seen: &mut [Best; K]) -> Best {
    // SAFETY: the callers have looked that four cells are there.
    joined::<F, K>(from.map(|row| unsafe { Best::read(row.add(at)) }), seen)
}

#[inline(always)]
fn joined<F: Pooled, const K: usize>(cells: [Best; K], seen: &mut [Best; K]) -> Best {
    let mut all = cells[0];
    for k in 0..K {
        if F::IS_CHECKED {
            seen[k] = seen[k].add(cells[k]);
        }
        if k > 0 {
            all = F::join(all, cells[k]);
        }
    }
    all
}

/// A row of places. Answers bits where results are in doubt.
fn row<F: Pooled, const K: usize, const S: usize>(
    rows: [&[f32]; K],
    low: isize,
    to: &mut [f32],
    init: f32,
) -> Best {
    let (width, places) = (rows[0].len(), to.len());
    assert!(width >= 4 && rows.iter().all(|row| row.len() == width), "rows are equally long");
    let padded = usize::from(low > 0);
    let edge = Edge { from: rows.map(<[f32]>::as_ptr), width, padded };
    let mut seen = [Best::zero(); K];
    let mut doubt = Best::zero();
    let all = to.as_mut_ptr();
    let mut place = 0;
    // As many vectors as see no more than the row's cells and the one before: four from the first, of stride 2 eight, and four more.
    let beyond = width + padded;
    let count = (beyond.saturating_sub(4) / (4 * S)).min(places / 4);
    if S == 3 {
        let count = (beyond / 12).min(places / 4);
        // SAFETY: vector `i` reads cells from `12 * i` to `12 * i + 12` of the padded row.
        doubt = doubt.or(unsafe { thirds::<F, K>(&edge, all, [0, count], init, &mut seen) });
        place = 4 * count;
        if place < places && count > 0 && 3 * places <= beyond {
            // The last takes in some that are there already.
            place = places;
            // SAFETY: it reads cells up to `3 * places` of the padded row.
            doubt = doubt.or(unsafe { thirds::<F, K>(&edge, all, [places - 4, 1], init, &mut seen) });
        }
    } else if count > 0 && width >= 8 {
        // Of stride 2, one more may see a last cell behind those, or nothing.
        let is_last = S == 2 && place + 4 * count + 4 == places && 8 * count + 8 <= beyond;
        // SAFETY: vector `i` reads up to `4 * S * i + 4 * S + 4` of the padded row, the last one as it was looked at.
        doubt =
            doubt.or(unsafe { inner::<F, K, S>(&edge, all, [count, usize::from(is_last)], init, &mut seen) });
        place = 4 * (count + usize::from(is_last));
    }
    while S < 3 && place < places && places >= 4 {
        // The last may take in some that are there already.
        let at = place.min(places - 4);
        if !edge.serves::<K, S>(at) {
            break;
        }
        // SAFETY: there are four places from `at` on.
        let to = unsafe { all.add(at) };
        doubt = doubt.or(put::<F>(edge.places::<F, S>(at, &mut seen), init, to));
        place = at + 4;
    }
    if F::IS_CHECKED {
        let seen = seen.into_iter().fold(Best::zero(), Best::add);
        doubt = doubt.or(seen.ne(seen));
    }
    if place < places { doubt.or(single::<F, K, S>(rows, low, to, place, init)) } else { doubt }
}

/// What is written of a sum.
#[inline(always)]
fn ended<F: Pooled>(sum: Best, init: Best, nan: Best) -> Best {
    let sum = if F::HAS_INIT { F::join(init, sum) } else { sum };
    if F::IS_SETTLED { sum.select(nan, sum.eq(sum)) } else { sum }
}

/// Writes four places, and answers bits where they are in doubt. The caller has looked that there are so many.
fn put<F: Pooled>(sum: Best, init: f32, to: *mut f32) -> Best {
    let [nan] = std::hint::black_box([f32::NAN]).map(Best::splat);
    let sum = ended::<F>(sum, Best::splat(init), nan);
    // SAFETY: by the caller.
    unsafe { sum.write(to) };
    F::doubt(sum)
}

/// Vectors of four places from the first on, and, of stride 2, one more that sees one cell behind its eight at most.
///
/// # Safety
/// With the cell of padding rows have `4 + 4 * S * count` cells, for the last one 4 more; so many places can be written.
#[inline(never)]
unsafe fn inner<F: Pooled, const K: usize, const S: usize>(
    edge: &Edge<K>,
    to: *mut f32,
    [count, last]: [usize; 2],
    init: f32,
    all_seen: &mut [Best; K],
) -> Best {
    let first = Best::splat(init);
    let nan = if F::IS_SETTLED { std::hint::black_box(f32::NAN) } else { 0.0 };
    let nan = Best::splat(nan);
    let (mut seen, mut doubt, mut to) = (*all_seen, Best::zero(), to);
    // SAFETY: by the caller, as all that follows.
    let mut near = down::<F, K>(edge.from, 0, &mut seen);
    if edge.padded > 0 {
        near = Best::splat(F::START).before(near);
    }
    // SAFETY: as above; rows have more than four cells.
    let mut from = edge.from.map(|row| unsafe { row.add(4 - edge.padded) });
    for _ in 0..count {
        let next = down::<F, K>(from, 0, &mut seen);
        let sum = if S == 1 {
            let sum = F::join(near, near.after(next));
            let sum = if K == 3 { F::join(sum, near.between(next)) } else { sum };
            near = next;
            sum
        } else {
            let far = down::<F, K>(from, 4, &mut seen);
            let even = near.even(next);
            let sum = F::join(even, near.odd(next));
            let sum = if K == 3 { F::join(sum, even.after(far)) } else { sum };
            near = far;
            sum
        };
        let sum = ended::<F>(sum, first, nan);
        doubt = doubt.or(F::doubt(sum));
        // SAFETY: by the caller; what was read lies beyond where the next begins.
        unsafe {
            sum.write(to);
            to = to.add(4);
            from = from.map(|row| row.add(4 * S));
        }
    }
    if S == 2 && last > 0 {
        let next = down::<F, K>(from, 0, &mut seen);
        let even = near.even(next);
        let mut sum = F::join(even, near.odd(next));
        let at = 4 + 8 * count - edge.padded + 4;
        if K == 3 {
            let far = if at < edge.width {
                // SAFETY: `at` is less than the rows' length.
                joined::<F, K>(from.map(|row| unsafe { Best::read_splat(row.add(4)) }), &mut seen)
            } else {
                Best::splat(F::START)
            };
            sum = F::join(sum, even.after(far));
        }
        let sum = ended::<F>(sum, first, nan);
        doubt = doubt.or(F::doubt(sum));
        // SAFETY: by the caller.
        unsafe { sum.write(to) };
    }
    *all_seen = seen;
    doubt
}

/// `count` vectors of four places from one on, three cells from one place to the next.
///
/// # Safety
/// With the cell of padding rows have three cells for each place up to the last of these; so many places can be written.
#[inline(never)]
unsafe fn thirds<F: Pooled, const K: usize>(
    edge: &Edge<K>,
    to: *mut f32,
    [place, count]: [usize; 2],
    init: f32,
    all_seen: &mut [Best; K],
) -> Best {
    let [nan, init] = std::hint::black_box([f32::NAN, init]).map(Best::splat);
    let (mut seen, mut doubt) = (*all_seen, Best::zero());
    for place in (place..place + 4 * count).step_by(4) {
        let at = 3 * place;
        let near = down::<F, K>(edge.from, at.saturating_sub(edge.padded), &mut seen);
        let near = if at < edge.padded { Best::splat(F::START).before(near) } else { near };
        let next = down::<F, K>(edge.from, at + 4 - edge.padded, &mut seen);
        let far = down::<F, K>(edge.from, at + 8 - edge.padded, &mut seen);
        let [first, second, third] = near.thirds(next, far);
        let sum = F::join(first, second);
        let sum = if K == 3 { F::join(sum, third) } else { sum };
        let sum = ended::<F>(sum, init, nan);
        doubt = doubt.or(F::doubt(sum));
        // SAFETY: by the caller.
        unsafe { sum.write(to.add(place)) };
    }
    *all_seen = seen;
    doubt
}

/// Rows, and whether a cell of padding lies before them.
struct Edge<const K: usize> {
    from: [*const f32; K],
    width: usize,
    padded: usize,
}

impl<const K: usize> Edge<K> {
    /// Whether [`Self::places`] does the four places from this on: no more than one cell is out of the row on either side.
    fn serves<const N: usize, const S: usize>(&self, place: usize) -> bool {
        let end = S * (place + 3) + N;
        let beyond = self.width + self.padded;
        let reach = if S == 1 { end } else { S * place + 8 };
        end <= beyond + 1 && (S == 1 || reach <= beyond) && (S == 1 || place > 0 || beyond >= 8)
    }

    /// Four places.
    #[inline(never)]
    fn places<F: Pooled, const S: usize>(&self, place: usize, seen: &mut [Best; K]) -> Best {
        let Self { from, width, padded } = *self;
        let start = Best::splat(F::START);
        // Cells of the padded row from `at` on.
        let cells = |at: usize, seen: &mut [Best; K]| {
            if at < padded {
                start.before(down::<F, K>(from, 0, seen))
            } else if at + 4 > width + padded {
                down::<F, K>(from, width - 4, seen).after(start)
            } else {
                down::<F, K>(from, at - padded, seen)
            }
        };
        let begin = S * place;
        let near = cells(begin, seen);
        if S == 1 {
            return (1..K).fold(near, |sum, k| F::join(sum, cells(begin + k, seen)));
        }
        let next = cells(begin + 4, seen);
        let even = near.even(next);
        let sum = F::join(even, near.odd(next));
        if K < 3 {
            return sum;
        }
        let at = begin + 8 - padded;
        let far = if at < width {
            // SAFETY: the cell is there.
            joined::<F, K>(from.map(|row| unsafe { Best::read_splat(row.add(at)) }), seen)
        } else {
            start
        };
        F::join(sum, even.after(far))
    }
}

/// Places one by one, from one on. Answers bits where results are in doubt.
#[inline(never)]
fn single<F: Pooled, const K: usize, const S: usize>(
    rows: [&[f32]; K],
    low: isize,
    to: &mut [f32],
    place: usize,
    init: f32,
) -> Best {
    let width = rows[0].len();
    let mut doubt = Best::zero();
    for (place, to) in to.iter_mut().enumerate().skip(place) {
        let begin = (place * S).cast_signed() - low;
        let mut sum = Best::splat(F::START);
        for k in 0..K.cast_signed() {
            let Some(at) = usize::try_from(begin + k).ok().filter(|at| *at < width) else { continue };
            let mut column = Best::splat(F::START);
            for row in rows {
                let x = Best::splat(row[at]);
                doubt = doubt.or(x.ne(x));
                column = F::join(column, x);
            }
            sum = F::join(sum, column);
        }
        doubt = doubt.or(F::doubt(sum));
        let mut four = [0.0; 4];
        put::<F>(sum, init, four.as_mut_ptr());
        *to = four[0];
    }
    doubt
}
