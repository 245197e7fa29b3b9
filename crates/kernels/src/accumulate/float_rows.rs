//! Rows of `f32` accumulated into rows of results.

use crate::accumulate::operators::LaneReducer;
use crate::simd::best::Best;
use crate::simd::lanes::Lanes;

/// A number in every lane, in the inner form.
#[inline(always)]
pub fn splat<F: LaneReducer>(x: f32, turning: Best) -> Best {
    F::turn(Best::splat(x), turning)
}

/// Rows that are accumulated into the results at once; more would keep more addresses than there are registers.
const ROWS_AT_ONCE: usize = 4;
/// Accumulates rows into the results, in their order.
pub fn behind<F: LaneReducer>(to: &mut [f32], from: &[f32], stride: usize, count: usize) {
    let width = to.len();
    let row = |i: usize| &from[i * stride..i * stride + width];
    let mut i = 0;
    while i + ROWS_AT_ONCE <= count {
        some::<F, ROWS_AT_ONCE, false, false>(to, std::array::from_fn(|r| row(i + r)));
        i += ROWS_AT_ONCE;
    }
    match count - i {
        3 => some::<F, 3, false, false>(to, std::array::from_fn(|r| row(i + r))),
        2 => some::<F, 2, false, false>(to, std::array::from_fn(|r| row(i + r))),
        1 => some::<F, 1, false, false>(to, [row(i)]),
        _ => {}
    }
}

/// [`Accumulator::fresh`].
pub fn fresh<F: LaneReducer>(to: &mut [f32], from: &[f32], stride: usize, count: usize) {
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

/// Accumulates rows into the results; with `FRESH` what they were before does not count, with `STAYS` they stay in the inner
/// form.
#[inline(always)]
#[allow(unsafe_code, reason = "slices walked together: bounds checks make it slower")]
pub fn some<F: LaneReducer, const N: usize, const FRESH: bool, const STAYS: bool>(
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
