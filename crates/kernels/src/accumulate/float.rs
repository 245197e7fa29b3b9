//! Folds of `f32` by lanes, and of `f16` and `bf16` through them.

use crate::simd::best::Best;
use crate::simd::lanes::Lanes;
use crate::simd::math::minimum_unsettled;
use crate::reduce::nest::{Folder, write};
use crate::accumulate::streams;
use crate::task::description::Fold;
use crate::window::float;

/// A fold of lanes. Inside, elements may be held in another form: the maximum as the minimum of what is negated, because
/// that is how NaN wins and zeros have an order in three operations.
pub trait OfLanes {
    /// What changes nothing, in the inner form.
    const START: f32;
    /// What changes nothing.
    const IDENTITY: f32 = Self::START;
    /// What turns elements to the inner form, made once a call.
    fn turning<L: Lanes>() -> L {
        L::zero()
    }
    /// To the inner form, or from it.
    fn turn<L: Lanes>(x: L, turning: L) -> L;
    /// Two made one, in the inner form.
    fn join<L: Lanes>(a: L, b: L) -> L;
    /// Whether [`Self::quick`] is another operation than the exact one.
    const IS_QUICK: bool = false;
    /// Two elements made one, not in the inner form, where neither is NaN and none of two zeros is the right one.
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

impl OfLanes for Add {
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

impl OfLanes for Mul {
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

impl OfLanes for Min {
    const START: f32 = f32::INFINITY;
    #[inline(always)]
    fn turn<L: Lanes>(x: L, _: L) -> L {
        x
    }
    #[inline(always)]
    fn join<L: Lanes>(a: L, b: L) -> L {
        minimum_unsettled(a, b)
    }
    const IS_QUICK: bool = true;
    #[inline(always)]
    fn quick<L: Lanes>(a: L, b: L) -> L {
        a.smaller(b)
    }
    const KEPT: u32 = u32::MAX;
    #[inline(always)]
    fn keep<L: Lanes>(kept: L, result: L) -> L {
        kept.smaller_u32(result)
    }
    #[inline(always)]
    fn is_odd<L: Lanes>(kept: L) -> bool {
        // The least of all is zero, where -0 may have been seen.
        kept.to_array().iter().any(|x| x.to_bits() == 0)
    }
}

impl OfLanes for Max {
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
        minimum_unsettled(a, b)
    }
    const IS_QUICK: bool = true;
    #[inline(always)]
    fn quick<L: Lanes>(a: L, b: L) -> L {
        a.larger(b)
    }
    #[inline(always)]
    fn keep<L: Lanes>(kept: L, result: L) -> L {
        kept.smaller_i32(result)
    }
    #[inline(always)]
    fn is_odd<L: Lanes>(kept: L) -> bool {
        // The least of all is -0, where zero may have been seen.
        kept.to_array().iter().any(|x| x.to_bits() == 0x8000_0000)
    }
}

/// Rows at least so long have 32 partial results.
const LONG: usize = 128;

#[inline(always)]
fn load<F: OfLanes>(from: &[f32; 4], turning: Best) -> Best {
    F::turn(Best::load(from), turning)
}

/// A number in every lane, in the inner form.
#[inline(always)]
pub fn splat<F: OfLanes>(x: f32, turning: Best) -> Best {
    F::turn(Best::splat(x), turning)
}

/// Columns of lanes made one: `(0 + 2) + (1 + 3)`.
#[inline(always)]
fn across<F: OfLanes>(lanes: [Best; 4]) -> Best {
    let [a, b, c, d] = Best::transposed(lanes);
    F::join(F::join(a, c), F::join(b, d))
}

/// A long row, in the inner form, in each lane the same.
#[inline(always)]
fn long<F: OfLanes>(x: &[f32], turning: Best) -> Best {
    let (vectors, rest) = x.split_at(x.len() & !3);
    let sum = streams::long::<F>(vectors, turning);
    rest.iter().fold(sum, |sum, x| F::join(sum, splat::<F>(*x, turning)))
}

pub fn rows<F: OfLanes>(to: &mut [f32], from: &[f32], stride: usize, length: usize) {
    let turning = F::turning();
    if length >= LONG {
        for (j, to) in to.iter_mut().enumerate() {
            let sum = long::<F>(&from[j * stride..j * stride + length], turning);
            let [result, ..] = F::turn(F::join(splat::<F>(*to, turning), sum), turning).to_array();
            *to = result;
        }
        return;
    }
    if length < 4 {
        for (j, to) in to.iter_mut().enumerate() {
            let row = &from[j * stride..j * stride + length];
            let sum = row.iter().fold(Best::splat(F::START), |sum, x| F::join(sum, splat::<F>(*x, turning)));
            let [result, ..] = F::turn(F::join(splat::<F>(*to, turning), sum), turning).to_array();
            *to = result;
        }
        return;
    }
    // Four rows at a time, then one by one: each has four partial results, then what is left, one after the other.
    let (fours, rest) = to.as_chunks_mut::<4>();
    for (j, to) in fours.iter_mut().enumerate() {
        let row = |i: usize| &from[(4 * j + i) * stride..(4 * j + i) * stride + length];
        let of = [row(0), row(1), row(2), row(3)];
        F::turn(F::join(load::<F>(to, turning), short::<F>(of, turning)), turning).store(to);
    }
    let first = fours.len() * 4;
    for (j, to) in rest.iter_mut().enumerate() {
        let row = &from[(first + j) * stride..(first + j) * stride + length];
        let [result, ..] =
            F::turn(F::join(splat::<F>(*to, turning), short::<F>([row; 4], turning)), turning).to_array();
        *to = result;
    }
}

/// Four short rows of one length, in the inner form, a lane for each.
#[inline(always)]
fn short<F: OfLanes>(rows: [&[f32]; 4], turning: Best) -> Best {
    let [(a, a_rest), (b, b_rest), (c, c_rest), (d, d_rest)] = rows.map(|row| row.as_chunks::<4>());
    let mut sum = Best::splat(F::START);
    if !a.is_empty() {
        let mut sums = [sum; 4];
        for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
            sums[0] = F::join(sums[0], load::<F>(a, turning));
            sums[1] = F::join(sums[1], load::<F>(b, turning));
            sums[2] = F::join(sums[2], load::<F>(c, turning));
            sums[3] = F::join(sums[3], load::<F>(d, turning));
        }
        sum = across::<F>(sums);
    }
    for (((a, b), c), d) in a_rest.iter().zip(b_rest).zip(c_rest).zip(d_rest) {
        sum = F::join(sum, load::<F>(&[*a, *b, *c, *d], turning));
    }
    sum
}

/// Rows that are folded into the results at once; more would keep more addresses than there are registers.
const ROWS: usize = 4;
/// Results as few as that, one row behind the other, are folded sixteen rows beside one another.
const NARROW: usize = 16;

fn columns<F: OfLanes>(to: &mut [f32], from: &[f32], stride: usize, count: usize) {
    let width = to.len();
    let mut from = from;
    let mut count = count;
    if width < NARROW && stride == width && count >= 4 * NARROW {
        // Element i of every sixteenth row together; then those of one row, one after the other.
        let mut wide = [F::turn(Best::splat(F::START), F::turning()).to_array()[0]; NARROW * NARROW];
        let wide = &mut wide[..NARROW * width];
        let blocks = count / NARROW;
        behind::<F>(wide, from, NARROW * width, blocks);
        behind::<F>(to, wide, width, NARROW);
        from = &from[blocks * NARROW * width..];
        count -= blocks * NARROW;
    }
    if !streams::quick_columns::<F>(to, from, stride, count) {
        behind::<F>(to, from, stride, count);
    }
}

/// Folds rows into the results, in their order.
pub fn behind<F: OfLanes>(to: &mut [f32], from: &[f32], stride: usize, count: usize) {
    let width = to.len();
    let row = |i: usize| &from[i * stride..i * stride + width];
    let mut i = 0;
    while i + ROWS <= count {
        some::<F, ROWS, false, false>(to, std::array::from_fn(|r| row(i + r)));
        i += ROWS;
    }
    match count - i {
        3 => some::<F, 3, false, false>(to, std::array::from_fn(|r| row(i + r))),
        2 => some::<F, 2, false, false>(to, std::array::from_fn(|r| row(i + r))),
        1 => some::<F, 1, false, false>(to, [row(i)]),
        _ => {}
    }
}

/// [`Folder::fresh`].
pub fn fresh<F: OfLanes>(to: &mut [f32], from: &[f32], stride: usize, count: usize) {
    let width = to.len();
    let row = |i: usize| &from[i * stride..i * stride + width];
    let done = match count {
        // A loop: what copies memory is a call, and rows are short.
        1 => {
            some::<F, 1, true, false>(to, [row(0)]);
            1
        }
        2 => {
            some::<F, 2, true, false>(to, [row(0), row(1)]);
            2
        }
        _ => {
            some::<F, 3, true, false>(to, [row(0), row(1), row(2)]);
            3
        }
    };
    if count > done {
        behind::<F>(to, &from[done * stride..], stride, count - done);
    }
}

fn split(from: &[f32], even: &mut [f32], odd: &mut [f32]) {
    let (pairs, _) = from.as_chunks::<2>();
    let (eights, rest) = pairs.as_chunks::<4>();
    let (even, even_rest) = even.split_at_mut(eights.len() * 4);
    let (odd, odd_rest) = odd.split_at_mut(eights.len() * 4);
    let (evens, odds) = (even.as_chunks_mut::<4>().0, odd.as_chunks_mut::<4>().0);
    for ((eight, even), odd) in eights.iter().zip(evens).zip(odds) {
        if let [low, high] = eight.as_flattened().as_chunks::<4>().0 {
            let (low, high) = (Best::load(low), Best::load(high));
            low.even(high).store(even);
            low.odd(high).store(odd);
        }
    }
    for (([a, b], even), odd) in rest.iter().zip(even_rest).zip(odd_rest) {
        (*even, *odd) = (*a, *b);
    }
}

/// Folds rows into the results; with `FRESH` what they were before does not count, with `STAYS` they stay in the inner
/// form.
#[inline(always)]
#[allow(unsafe_code, reason = "slices walked together: looks at their bounds make it slower")]
pub fn some<F: OfLanes, const N: usize, const FRESH: bool, const STAYS: bool>(
    to: &mut [f32],
    rows: [&[f32]; N],
) {
    let (width, turning) = (to.len(), F::turning());
    let whole = width & !3;
    assert!(rows.iter().all(|row| row.len() == width), "rows are as long as the results");
    let (to, rows) = (to.as_mut_ptr(), rows.map(<[f32]>::as_ptr));
    let turned = |sum: Best| if STAYS { sum } else { F::turn(sum, turning) };
    let first = usize::from(FRESH);
    let begin = if FRESH { rows[0] } else { to.cast_const() };
    let mut i = 0;
    while i + 16 <= width {
        // SAFETY: i + 16 <= width, the length of each row and of the results.
        unsafe {
            let (begin, to) = (begin.add(i), to.add(i));
            let mut sums: [Best; 4] = std::array::from_fn(|k| F::turn(Best::read(begin.add(4 * k)), turning));
            for row in &rows[first..] {
                let row = row.add(i);
                for (k, sum) in sums.iter_mut().enumerate() {
                    *sum = F::join(*sum, F::turn(Best::read(row.add(4 * k)), turning));
                }
            }
            for (k, sum) in sums.iter().enumerate() {
                turned(*sum).write(to.add(4 * k));
            }
        }
        i += 16;
    }
    while i < whole {
        // SAFETY: i + 4 <= width, the length of each row and of the results.
        unsafe {
            let mut sum = F::turn(Best::read(begin.add(i)), turning);
            for row in &rows[first..] {
                sum = F::join(sum, F::turn(Best::read(row.add(i)), turning));
            }
            turned(sum).write(to.add(i));
        }
        i += 4;
    }
    for i in whole..width {
        // SAFETY: i < width.
        unsafe {
            let mut sum = splat::<F>(*begin.add(i), turning);
            for row in &rows[first..] {
                sum = F::join(sum, splat::<F>(*row.add(i), turning));
            }
            let [result, ..] = turned(sum).to_array();
            *to.add(i) = result;
        }
    }
}

pub fn finish<F: OfLanes>(results: &mut [f32], init: f32) {
    let turning = F::turning();
    let init = splat::<F>(init, turning);
    let (fours, rest) = results.as_chunks_mut::<4>();
    for four in fours {
        F::turn(F::join(init, load::<F>(four, turning)), turning).settled().store(four);
    }
    for x in rest {
        let [result, ..] = F::turn(F::join(init, splat::<F>(*x, turning)), turning).settled().to_array();
        *x = result;
    }
}

/// Folds of `f32`; those of bits are no folds of floats, and sum.
pub fn folder(fold: Fold) -> Folder<f32, f32> {
    fn of<F: OfLanes>(start: f32) -> Folder<f32, f32> {
        Folder {
            start,
            rows: rows::<F>,
            columns: columns::<F>,
            fresh: fresh::<F>,
            enter: fresh::<F>,
            slide: Some(float::slide::<F, false>),
            pool: None,
            streams: Some(streams::streams::<F>()),
            finish: finish::<F>,
            split,
            widen: |x| x,
            narrow: |x| x,
            write,
        }
    }
    match fold {
        Fold::Mul => of::<Mul>(1.0),
        Fold::Min => of::<Min>(f32::INFINITY),
        Fold::Max => of::<Max>(f32::NEG_INFINITY),
        _ => of::<Add>(-0.0),
    }
}
