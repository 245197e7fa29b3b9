//! Column reductions of `f32`: rows are accumulated element by element into a row of results.

use crate::accumulate::operators::LaneReducer;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// Broadcasts a number in the internal form.
#[inline(always)]
pub fn splat_internal<F: LaneReducer>(x: f32, sign_mask: F32x4) -> F32x4 {
    F::to_internal(F32x4::splat(x), sign_mask)
}

/// Rows that are accumulated in one pass over the results; more would need more addresses than there are registers.
const ROWS_PER_PASS: usize = 4;

/// Accumulates `count` rows into the results, in order; rows begin `stride` elements from each other.
pub fn accumulate_columns<F: LaneReducer>(to: &mut [f32], from: &[f32], stride: usize, count: usize) {
    let width = to.len();
    let row = |i: usize| &from[i * stride..i * stride + width];
    let mut i = 0;
    while i + ROWS_PER_PASS <= count {
        accumulate_into::<F, ROWS_PER_PASS, false, false>(to, std::array::from_fn(|r| row(i + r)));
        i += ROWS_PER_PASS;
    }
    match count - i {
        3 => accumulate_into::<F, 3, false, false>(to, std::array::from_fn(|r| row(i + r))),
        2 => accumulate_into::<F, 2, false, false>(to, std::array::from_fn(|r| row(i + r))),
        1 => accumulate_into::<F, 1, false, false>(to, [row(i)]),
        _ => {}
    }
}

/// [`Accumulator::overwrite_columns`].
pub fn overwrite_columns<F: LaneReducer>(to: &mut [f32], from: &[f32], stride: usize, count: usize) {
    let width = to.len();
    let row = |i: usize| &from[i * stride..i * stride + width];
    let done = match count {
        // A loop: rows are too short for a call of `memory.copy`.
        1 => {
            accumulate_into::<F, 1, true, false>(to, [row(0)]);
            1
        }
        2 => {
            accumulate_into::<F, 2, true, false>(to, [row(0), row(1)]);
            2
        }
        _ => {
            accumulate_into::<F, 3, true, false>(to, [row(0), row(1), row(2)]);
            3
        }
    };
    if count > done {
        accumulate_columns::<F>(to, &from[done * stride..], stride, count - done);
    }
}

/// Accumulates rows into the results, or with `OVERWRITE` into the identity; with `KEEPS_INTERNAL` results stay in the internal
/// form.
#[inline(always)]
#[allow(unsafe_code, reason = "slices are iterated together: bounds checks make it slower")]
pub fn accumulate_into<F: LaneReducer, const N: usize, const OVERWRITE: bool, const KEEPS_INTERNAL: bool>(
    to: &mut [f32],
    rows: [&[f32]; N],
) {
    let (width, sign_mask) = (to.len(), F::sign_mask());
    let whole = width & !3;
    assert!(rows.iter().all(|row| row.len() == width), "rows have the length of the results");
    let (to, rows) = (to.as_mut_ptr(), rows.map(<[f32]>::as_ptr));
    let to_result = |sum: F32x4| if KEEPS_INTERNAL { sum } else { F::from_internal(sum, sign_mask) };
    let first = usize::from(OVERWRITE);
    let begin = if OVERWRITE { rows[0] } else { to.cast_const() };
    let mut i = 0;
    while i + 16 <= width {
        // SAFETY: i + 16 <= width, the length of each row and of the results.
        unsafe {
            let (begin, to) = (begin.add(i), to.add(i));
            let mut sums: [F32x4; 4] =
                std::array::from_fn(|k| F::to_internal(F32x4::read(begin.add(4 * k)), sign_mask));
            for row in &rows[first..] {
                let row = row.add(i);
                for (k, sum) in sums.iter_mut().enumerate() {
                    *sum = F::combine(*sum, F::to_internal(F32x4::read(row.add(4 * k)), sign_mask));
                }
            }
            for (k, sum) in sums.iter().enumerate() {
                to_result(*sum).write(to.add(4 * k));
            }
        }
        i += 16;
    }
    while i < whole {
        // SAFETY: i + 4 <= width, the length of each row and of the results.
        unsafe {
            let mut sum = F::to_internal(F32x4::read(begin.add(i)), sign_mask);
            for row in &rows[first..] {
                sum = F::combine(sum, F::to_internal(F32x4::read(row.add(i)), sign_mask));
            }
            to_result(sum).write(to.add(i));
        }
        i += 4;
    }
    for i in whole..width {
        // SAFETY: i < width.
        unsafe {
            let mut sum = splat_internal::<F>(*begin.add(i), sign_mask);
            for row in &rows[first..] {
                sum = F::combine(sum, splat_internal::<F>(*row.add(i), sign_mask));
            }
            let [result, ..] = to_result(sum).to_array();
            *to.add(i) = result;
        }
    }
}
