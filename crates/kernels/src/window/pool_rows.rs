//! Pooling of planes of `f32`: a square window of two or three taps along the two innermost dimensions.
//!
//! The rows that a window covers are combined in registers, then adjacent elements of the combined row; the order of a sum is
//! that of [`crate::window::nest`]. Rows outside of the operand are the identity. Rows that a pair shares are combined once.
//!
//! A plane is first reduced with the fast pass and, if results may be wrong ([`crate::window::pool`]), a second time as a whole
//! with the exact one. The sum that detects NaN includes each operand row once: with the first pair of rows that covers it.

#![allow(unsafe_code, reason = "overlapping reads of rows: bounds checks make it slower")]

use std::ops::Range;

use crate::accumulate::operators::{Add, LaneReducer, Max, Min, Mul};
use crate::description::parts::Reducer;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;
use crate::support::context::Context;
use crate::support::error::KernelError;
use crate::window::pool::{Exact, Fast, Pass, Pooling, ResultCheck, finish, may_have_nan, uses_init};
use crate::window::row::Axis;

/// Result rows that the fast pass reduces together.
const ROWS_PER_PASS: usize = 2;
/// Maximum number of operand rows that a block of output rows covers.
const MAX_ROWS: usize = 6;

/// Result rows that a pass reduces together.
#[inline(always)]
const fn rows_at_once<P: Pass>() -> usize {
    if P::IS_EXACT { 1 } else { ROWS_PER_PASS }
}

/// The parameters that all planes share.
struct Planes<'a> {
    axes: [Axis; 2],
    /// A row of the identity.
    identity_row: &'a [f32],
    init: f32,
}

/// Whether these loops support a window along these axes.
pub fn supports(axes: &[Axis]) -> bool {
    let [outer @ .., height_axis, width_axis] = axes else { return false };
    let is_small = |axis: &Axis| {
        let w = axis.window;
        let is_dense = w.dilation == 1 && w.base_dilation == 1;
        is_dense && matches!(w.size, 2 | 3) && matches!(w.stride, 1..=3) && matches!(w.low, 0 | 1)
    };
    outer.iter().all(Axis::is_unwindowed)
        && is_small(height_axis)
        && is_small(width_axis)
        && height_axis.window.size == width_axis.window.size
        && width_axis.out_stride == 1
        && width_axis.size >= 4
}

/// Pools the planes of an operand in row-major order.
pub fn pool(args: Pooling<f32>, context: &mut Context) -> Result<(), KernelError> {
    match args.reducer {
        // The fast pass is the same operation as the exact one, and products are rare.
        Reducer::Mul => pool_with::<Exact<Mul>, Mul>(args, context),
        Reducer::Min => pool_with::<Fast<Min>, Min>(args, context),
        Reducer::Max => pool_with::<Fast<Max>, Max>(args, context),
        _ => pool_with::<Fast<Add>, Add>(args, context),
    }
}

fn pool_with<Q: Pass, F: LaneReducer>(args: Pooling<f32>, context: &mut Context) -> Result<(), KernelError> {
    let [.., height_axis, width_axis] = *args.axes else { return Err(KernelError::InvalidTask) };
    let identity_row = vec![F::IDENTITY; width_axis.size];
    let planes = Planes { axes: [height_axis, width_axis], identity_row: &identity_row, init: args.init };
    // The window's size, its stride along a row, and the distance between the first rows that a pair of result rows covers:
    // the stride along the other dimension, or the window's size where the pair has no row in common.
    let [height_stride, width_stride] = planes.axes.map(|axis| axis.window.stride);
    let (fast, exact): (Plane, Plane) = match (width_axis.window.size, width_stride, height_stride) {
        (2, 1, 1) => (pool_plane::<Q, 2, 1, 1>, pool_plane::<Exact<F>, 2, 1, 2>),
        (2, 1, _) => (pool_plane::<Q, 2, 1, 2>, pool_plane::<Exact<F>, 2, 1, 2>),
        (2, 2, _) => (pool_plane::<Q, 2, 2, 2>, pool_plane::<Exact<F>, 2, 2, 2>),
        (2, _, _) => (pool_plane::<Q, 2, 3, 2>, pool_plane::<Exact<F>, 2, 3, 2>),
        (_, 1, 1) => (pool_plane::<Q, 3, 1, 1>, pool_plane::<Exact<F>, 3, 1, 3>),
        (_, 1, _) => (pool_plane::<Q, 3, 1, 3>, pool_plane::<Exact<F>, 3, 1, 3>),
        (_, 2, 2) => (pool_plane::<Q, 3, 2, 2>, pool_plane::<Exact<F>, 3, 2, 3>),
        (_, 2, _) => (pool_plane::<Q, 3, 2, 3>, pool_plane::<Exact<F>, 3, 2, 3>),
        _ => (pool_plane::<Q, 3, 3, 3>, pool_plane::<Exact<F>, 3, 3, 3>),
    };
    // A fast pass that sums elements ignores the initial value, which must be the identity.
    let has_fast = uses_init::<Q>() || args.init == F::IDENTITY;
    let mut spare_row = vec![0.0; width_axis.positions];
    let steps = planes.axes.map(|axis| axis.positions * axis.window.size);
    args.for_each_inner_slice(2, |elements, out, to| {
        if !has_fast || !fast(&planes, elements, out, to, &mut spare_row) {
            exact(&planes, elements, out, to, &mut spare_row);
        }
        context.tick((steps[0] * steps[1]) as u64)
    })
}

/// Reduces a plane; returns `false` if results may be wrong. `K` is the window's size, `S` its stride along a row; the second
/// result row of a pair covers rows from `V` on. `spare_row` receives the second row of an incomplete pair.
type Plane = fn(&Planes, &[f32], &mut [f32], isize, &mut [f32]) -> bool;

fn pool_plane<P: Pass, const K: usize, const S: usize, const V: usize>(
    planes: &Planes,
    elements: &[f32],
    out: &mut [f32],
    to: isize,
    spare_row: &mut [f32],
) -> bool {
    let [height_axis, width_axis] = planes.axes;
    let (width, positions, window) = (width_axis.size, width_axis.positions, height_axis.window);
    // The bounds of the result are checked here, once.
    let ends = [to, to + (height_axis.positions - 1).cast_signed() * height_axis.out_stride];
    assert!(ends.iter().all(|at| *at >= 0 && at.cast_unsigned() + positions <= out.len()));
    assert!(spare_row.len() == positions);
    let elements = &elements[..height_axis.size * width];
    let (out, spare_row) = (out.as_mut_ptr(), spare_row.as_mut_ptr());
    let mut check = ResultCheck::new::<P>();
    let vectors = vectors::<S>(width + usize::from(width_axis.window.low > 0), width, positions);
    // Result rows that cover no padding rows are reduced in one call if whole vectors cover all of their positions.
    let is_whole = S < 3 && 4 * (vectors[0] + vectors[1]) == positions;
    let last = height_axis.size.saturating_add_signed(window.low).checked_sub(K);
    let inside = last.map_or(0, |last| (last / window.stride + 1).min(height_axis.positions));
    let step = rows_at_once::<P>();
    let mut y = 0;
    while y < height_axis.positions {
        let rows: [&[f32]; MAX_ROWS] = std::array::from_fn(|i| {
            // Rows that both result rows cover are listed once.
            let (second, k) = (usize::from(i >= V), if i >= V { i - V } else { i });
            let at = ((y + second) * window.stride + k).cast_signed() - window.low;
            let at = usize::try_from(at).ok().filter(|at| *at < height_axis.size && i < V + K);
            at.map_or(planes.identity_row, |at| &elements[at * width..][..width])
        });
        let to: [*mut f32; ROWS_PER_PASS] = std::array::from_fn(|r| {
            let at = to + (y + r).cast_signed() * height_axis.out_stride;
            if y + r < height_axis.positions { out.wrapping_offset(at) } else { spare_row }
        });
        let is_inside = is_whole && (y * window.stride).cast_signed() >= window.low && y + step <= inside;
        let count = if is_inside { (inside - y) / step } else { 1 };
        let out_stride = step.cast_signed() * height_axis.out_stride;
        let repeat = RowRepeat { count, stride: step * window.stride * width, out_stride };
        let (rows, low) = ((elements, rows), width_axis.window.low);
        row::<P, K, S, V>(rows, low, (to, positions), (vectors, repeat), planes.init, &mut check);
        y += step * count;
    }
    if P::SUMS_ELEMENTS {
        // The rows before those that the first pair summed.
        let overlap = K.saturating_sub(V).saturating_add_signed(-window.low).min(height_axis.size);
        if check.may_have_nan() || may_have_nan(&elements[..overlap * width]) {
            return false;
        }
    }
    P::IS_EXACT || !check.needs_exact_pass::<P>()
}

/// The number of leading vectors of four positions that cover no element beyond the end of a row; and, at stride 2, 1 if the last
/// vector follows them and covers at most one element after its eight.
#[inline(always)]
fn vectors<const S: usize>(beyond: usize, width: usize, positions: usize) -> [usize; 2] {
    let count = if width < 8 { 0 } else { (beyond.saturating_sub(4) / (4 * S)).min(positions / 4) };
    let is_last = S == 2 && count > 0 && 4 * count + 4 == positions && 8 * count + 8 <= beyond;
    [count, usize::from(is_last)]
}

/// A repetition of result rows: the count, and the strides of source and destination in elements.
#[derive(Clone, Copy)]
struct RowRepeat {
    count: usize,
    stride: usize,
    out_stride: isize,
}

/// Combines four elements of each row from `at` on, for each result row; `at + 4` is at most the length of the rows. Adds the
/// rows that no earlier pair covers to `nan_sum`.
#[inline(always)]
fn reduce4<P: Pass, const K: usize, const V: usize>(
    from: [*const f32; MAX_ROWS],
    at: usize,
    nan_sum: &mut F32x4,
) -> [F32x4; ROWS_PER_PASS] {
    // SAFETY: `at + 4` is at most the length of each row.
    reduce_rows::<P, K, V>(|k| unsafe { F32x4::read(from[k].add(at)) }, nan_sum)
}

/// [`reduce4`] of one element of each row, broadcast.
#[inline(always)]
fn reduce1<P: Pass, const K: usize, const V: usize>(
    from: [*const f32; MAX_ROWS],
    at: usize,
    nan_sum: &mut F32x4,
) -> [F32x4; ROWS_PER_PASS] {
    // SAFETY: `at` is less than the length of each row.
    reduce_rows::<P, K, V>(|k| unsafe { F32x4::read_splat(from[k].add(at)) }, nan_sum)
}

/// Combines vectors of rows for each result row, and adds the rows that no earlier pair covers to `nan_sum`. Neither
/// correct results nor sums depend on the order of the two operands.
#[inline(always)]
fn reduce_rows<P: Pass, const K: usize, const V: usize>(
    row: impl Fn(usize) -> F32x4,
    nan_sum: &mut F32x4,
) -> [F32x4; ROWS_PER_PASS] {
    let row_count = if P::IS_EXACT { K } else { V + K };
    let x: [F32x4; MAX_ROWS] = std::array::from_fn(|k| if k < row_count { row(k) } else { F32x4::zero() });
    // The operand that is dead afterwards comes second: 3 % faster in Chromium on x64.
    let combine =
        |from: usize, to: usize, first: F32x4| x[from..to].iter().fold(first, |sum, x| P::combine(*x, sum));
    let overlap = K - V;
    if P::SUMS_ELEMENTS {
        *nan_sum = nan_sum.add(x[overlap + 1..V + K].iter().fold(x[overlap], |sum, x| sum.add(*x)));
        if overlap > 1 {
            // The rows that both result rows cover are combined first.
            let shared = combine(V + 1, K, x[V]);
            return [combine(1, V, P::combine(shared, x[0])), combine(K, V + K, shared)];
        }
    }
    let first = combine(1, K, x[0]);
    [first, if P::IS_EXACT { first } else { combine(V + 1, V + K, x[V]) }]
}

/// Combines two vectors for each result row that the pass reduces.
#[inline(always)]
fn zip_rows<P: Pass>(
    a: [F32x4; ROWS_PER_PASS],
    b: [F32x4; ROWS_PER_PASS],
    f: impl Fn(F32x4, F32x4) -> F32x4,
) -> [F32x4; ROWS_PER_PASS] {
    std::array::from_fn(|r| if r < rows_at_once::<P>() { f(a[r], b[r]) } else { a[r] })
}

/// Reduces a result row, or a pair, and the rows of `repeat` after it if whole vectors cover all of their positions: the
/// caller has checked that these are within the plane.
fn row<P: Pass, const K: usize, const S: usize, const V: usize>(
    (elements, rows): (&[f32], [&[f32]; MAX_ROWS]),
    low: isize,
    (to, positions): ([*mut f32; ROWS_PER_PASS], usize),
    (vectors, repeat): ([usize; 2], RowRepeat),
    init: f32,
    check: &mut ResultCheck,
) {
    let width = rows[0].len();
    assert!(width >= 4 && rows.iter().all(|row| row.len() == width), "rows have the same length");
    let padded = usize::from(low > 0);
    // Rows of `repeat` are read through pointers with the provenance of the whole plane, which rows of padding are not part of.
    let with_plane_provenance = |row: &[f32]| elements.as_ptr().with_addr(row.as_ptr().addr());
    let from = rows.map(|row| if repeat.count > 1 { with_plane_provenance(row) } else { row.as_ptr() });
    let after_first = from.map(|row| row.wrapping_add(4 - padded));
    let group = RowGroup { from, after_first, to, width, padded, init };
    let mut position = 0;
    if S == 3 {
        let count = ((width + padded) / 12).min(positions / 4);
        // SAFETY: vector `i` reads elements from `12 * i` to `12 * i + 12` of the padded row.
        unsafe { group.stride_three::<P, K, V>([0, count], check) };
        position = 4 * count;
        if position < positions && count > 0 && 3 * positions <= width + padded {
            // The last vector overlaps previous ones: positions are written twice, with the same bits.
            position = positions;
            // SAFETY: reads elements up to `3 * positions` of the padded row.
            unsafe { group.stride_three::<P, K, V>([positions - 4, 1], check) };
        }
    } else if vectors[0] > 0 {
        // SAFETY: vector `i` reads up to element `4 * S * i + 4 * S + 4` of the padded row, as `vectors` checked; `plane` counted
        // `repeat` so that rows and positions are within the plane.
        unsafe { group.whole_vectors::<P, K, S, V>(vectors, repeat, check) };
        position = 4 * (vectors[0] + vectors[1]);
    }
    while S < 3 && position < positions && positions >= 4 {
        // The last vector may overlap previous ones: positions are written twice, with the same bits.
        let at = position.min(positions - 4);
        if !group.supports::<K, S>(at) {
            break;
        }
        let sum = group.positions::<P, K, S, V>(at, check);
        let to = group.to.map(|to| to.wrapping_add(at));
        // SAFETY: there are four positions from `at` on.
        unsafe { store_results::<P>(sum, to, group.init_and_nan::<P>(), &mut check.result_checks) };
        position = at + 4;
    }
    if position < positions {
        group.one_by_one::<P, K, S, V>(&rows, position..positions, check);
    }
}

/// The rows of `width` elements that are reduced together, and their result rows.
struct RowGroup {
    from: [*const f32; MAX_ROWS],
    /// The addresses after the first four elements of the padded rows. Hoisted by hand: compilers leave them in the loop.
    after_first: [*const f32; MAX_ROWS],
    to: [*mut f32; ROWS_PER_PASS],
    width: usize,
    /// Padding elements before each row: 0 or 1.
    padded: usize,
    init: f32,
}

/// Writes four positions of each row.
///
/// # Safety
/// Four floats can be written at each pointer of `to`.
#[inline(always)]
unsafe fn store_results<P: Pass>(
    sum: [F32x4; ROWS_PER_PASS],
    to: [*mut f32; ROWS_PER_PASS],
    init_and_nan: [F32x4; 2],
    result_checks: &mut [F32x4; ROWS_PER_PASS],
) {
    for r in 0..rows_at_once::<P>() {
        // SAFETY: four positions can be written at each pointer.
        unsafe { finish::<P>(sum[r], init_and_nan, &mut result_checks[r]).write(to[r]) };
    }
}

impl RowGroup {
    /// The initial value and NaN, broadcast, for [`finish`].
    #[inline(always)]
    fn init_and_nan<P: Pass>(&self) -> [F32x4; 2] {
        // Hidden from the compiler, which would otherwise reload the constant for each vector.
        let nan = if P::IS_EXACT { std::hint::black_box(f32::NAN) } else { 0.0 };
        [self.init, nan].map(F32x4::splat)
    }

    /// Reduces `count` vectors of four positions from the first on, and, at stride 2, `last` (0 or 1) more that covers at most
    /// one element after its eight, in these rows and those of `repeat`.
    ///
    /// # Safety
    /// Rows have `4 + 4 * S * count` elements with padding, 4 more if `last` is 1. `4 * (count + last)` positions can be written.
    #[inline(never)]
    unsafe fn whole_vectors<P: Pass, const K: usize, const S: usize, const V: usize>(
        &self,
        [count, last]: [usize; 2],
        repeat: RowRepeat,
        total_check: &mut ResultCheck,
    ) {
        let (mut check, identity) = (*total_check, [F32x4::splat(P::IDENTITY); ROWS_PER_PASS]);
        let init_and_nan = self.init_and_nan::<P>();
        let [nan_sum, other_nan_sum] = &mut check.nan_sums;
        let (mut row, mut after_first, mut row_to) = (self.from, self.after_first, self.to);
        for _ in 0..repeat.count {
            // `reduce4` reads elements that the caller guarantees.
            let mut v0 = reduce4::<P, K, V>(row, 0, nan_sum);
            if self.padded > 0 {
                v0 = zip_rows::<P>(identity, v0, F32x4::concat_shift3);
            }
            let (mut from, mut to) = (after_first, row_to);
            for _ in 0..count {
                let v1 = reduce4::<P, K, V>(from, 0, nan_sum);
                let sum = if S == 1 {
                    let sum = zip_rows::<P>(v0, zip_rows::<P>(v0, v1, F32x4::concat_shift1), P::combine);
                    let third = zip_rows::<P>(v0, v1, F32x4::concat_shift2);
                    v0 = v1;
                    if K == 3 { zip_rows::<P>(sum, third, P::combine) } else { sum }
                } else {
                    let v2 = reduce4::<P, K, V>(from, 4, other_nan_sum);
                    let evens = zip_rows::<P>(v0, v1, F32x4::even);
                    let sum = zip_rows::<P>(evens, zip_rows::<P>(v0, v1, F32x4::odd), P::combine);
                    v0 = v2;
                    if K == 3 {
                        zip_rows::<P>(sum, zip_rows::<P>(evens, v2, F32x4::concat_shift1), P::combine)
                    } else {
                        sum
                    }
                };
                // SAFETY: `count` vectors of positions can be written.
                unsafe { store_results::<P>(sum, to, init_and_nan, &mut check.result_checks) };
                to = to.map(|to| to.wrapping_add(4));
                from = from.map(|row| row.wrapping_add(4 * S));
            }
            if S == 2 && last > 0 {
                let v1 = reduce4::<P, K, V>(from, 0, nan_sum);
                let evens = zip_rows::<P>(v0, v1, F32x4::even);
                let mut sum = zip_rows::<P>(evens, zip_rows::<P>(v0, v1, F32x4::odd), P::combine);
                if K == 3 {
                    let is_in_row = 4 + 8 * count - self.padded + 4 < self.width;
                    let v2 = if is_in_row { reduce1::<P, K, V>(from, 4, other_nan_sum) } else { identity };
                    sum = zip_rows::<P>(sum, zip_rows::<P>(evens, v2, F32x4::concat_shift1), P::combine);
                }
                // SAFETY: the positions of the last vector can be written too.
                unsafe { store_results::<P>(sum, to, init_and_nan, &mut check.result_checks) };
            }
            // After the last rows these may be out of bounds, and are not dereferenced.
            row = row.map(|row| row.wrapping_add(repeat.stride));
            after_first = after_first.map(|row| row.wrapping_add(repeat.stride));
            row_to = row_to.map(|to| to.wrapping_offset(repeat.out_stride));
        }
        *total_check = check;
    }

    /// Reduces `count` vectors of four positions from `position` on, at a stride of 3.
    ///
    /// # Safety
    /// Rows have `3 * (position + 4 * count)` elements including padding. `position + 4 * count` positions can be written.
    #[inline(never)]
    unsafe fn stride_three<P: Pass, const K: usize, const V: usize>(
        &self,
        [position, count]: [usize; 2],
        total_check: &mut ResultCheck,
    ) {
        let (mut check, identity) = (*total_check, [F32x4::splat(P::IDENTITY); ROWS_PER_PASS]);
        let init_and_nan = self.init_and_nan::<P>();
        // SAFETY: rows have three elements for each position, `position` among them.
        let mut from = self.after_first.map(|row| unsafe { row.add(3 * position) });
        for position in (position..position + 4 * count).step_by(4) {
            let v0 = if position == 0 && self.padded > 0 {
                let first = reduce4::<P, K, V>(self.from, 0, &mut check.nan_sums[0]);
                zip_rows::<P>(identity, first, F32x4::concat_shift3)
            } else {
                // SAFETY: `from` is at least four elements after the beginning of the row.
                reduce4::<P, K, V>(from.map(|row| unsafe { row.sub(4) }), 0, &mut check.nan_sums[0])
            };
            let v1 = reduce4::<P, K, V>(from, 0, &mut check.nan_sums[1]);
            let v2 = reduce4::<P, K, V>(from, 4, &mut check.nan_sums[0]);
            from = from.map(|row| row.wrapping_add(12));
            let sum = std::array::from_fn(|r| {
                if r >= rows_at_once::<P>() {
                    return v0[r];
                }
                let [first, second, third] = v0[r].deinterleave3(v1[r], v2[r]);
                let sum = P::combine(first, second);
                if K == 3 { P::combine(sum, third) } else { sum }
            });
            let to = self.to.map(|to| to.wrapping_add(position));
            // SAFETY: four positions from `position` on can be written.
            unsafe { store_results::<P>(sum, to, init_and_nan, &mut check.result_checks) };
        }
        *total_check = check;
    }

    /// Whether [`Self::positions`] supports four positions: they cover at most one element outside of the row on either side.
    fn supports<const K: usize, const S: usize>(&self, position: usize) -> bool {
        let end = S * (position + 3) + K;
        let beyond = self.width + self.padded;
        let reach = if S == 1 { end } else { S * position + 8 };
        end <= beyond + 1 && (S == 1 || reach <= beyond) && (S == 1 || position > 0 || beyond >= 8)
    }

    /// Reduces the four positions from `position` on.
    #[inline(never)]
    fn positions<P: Pass, const K: usize, const S: usize, const V: usize>(
        &self,
        position: usize,
        check: &mut ResultCheck,
    ) -> [F32x4; ROWS_PER_PASS] {
        let Self { from, width, padded, .. } = *self;
        let (identity, nan_sum) = ([F32x4::splat(P::IDENTITY); ROWS_PER_PASS], &mut check.nan_sums[0]);
        // Elements of the padded row from `at` on.
        let elements = |at: usize, nan_sum: &mut F32x4| {
            if at < padded {
                zip_rows::<P>(identity, reduce4::<P, K, V>(from, 0, nan_sum), F32x4::concat_shift3)
            } else if at + 4 > width + padded {
                zip_rows::<P>(reduce4::<P, K, V>(from, width - 4, nan_sum), identity, F32x4::concat_shift1)
            } else {
                reduce4::<P, K, V>(from, at - padded, nan_sum)
            }
        };
        let begin = S * position;
        let v0 = elements(begin, nan_sum);
        if S == 1 {
            return (1..K).fold(v0, |sum, k| zip_rows::<P>(sum, elements(begin + k, nan_sum), P::combine));
        }
        let v1 = elements(begin + 4, nan_sum);
        let evens = zip_rows::<P>(v0, v1, F32x4::even);
        let sum = zip_rows::<P>(evens, zip_rows::<P>(v0, v1, F32x4::odd), P::combine);
        if K < 3 {
            return sum;
        }
        let at = begin + 8 - padded;
        let v2 = if at < width { reduce1::<P, K, V>(from, at, nan_sum) } else { identity };
        zip_rows::<P>(sum, zip_rows::<P>(evens, v2, F32x4::concat_shift1), P::combine)
    }

    /// Reduces positions one by one.
    #[inline(never)]
    fn one_by_one<P: Pass, const K: usize, const S: usize, const V: usize>(
        &self,
        rows: &[&[f32]; MAX_ROWS],
        positions: Range<usize>,
        check: &mut ResultCheck,
    ) {
        let init_and_nan = self.init_and_nan::<P>();
        for position in positions {
            let columns = (S * position).max(self.padded)..(S * position + K).min(self.width + self.padded);
            for r in 0..rows_at_once::<P>() {
                let mut sum = F32x4::splat(P::IDENTITY);
                for at in columns.clone() {
                    let mut column = F32x4::splat(P::IDENTITY);
                    for row in &rows[r * V..r * V + K] {
                        let x = F32x4::splat(row[at - self.padded]);
                        if P::SUMS_ELEMENTS {
                            check.nan_sums[r] = check.nan_sums[r].add(x);
                        }
                        column = P::combine(column, x);
                    }
                    sum = P::combine(sum, column);
                }
                let [sum, ..] = finish::<P>(sum, init_and_nan, &mut check.result_checks[r]).to_array();
                // SAFETY: `position` is less than the number of positions of a row.
                unsafe { *self.to[r].add(position) = sum };
            }
        }
    }
}
