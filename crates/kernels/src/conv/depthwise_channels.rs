//! Depthwise convolutions of `f32` whose groups are adjacent in input and result: channels minor.
//!
//! A vector holds four groups. Windows of 3 x 3 that cover no padding are summed four groups at a time over a few rows of
//! positions, with the nine weights in registers: each row of elements is read once and added to each position that covers it. At
//! borders, and for other windows, positions are summed one by one from a list of the elements that they cover, without padding.
//! Every sum is in the order of the window.

#![allow(
    unsafe_code,
    reason = "inner loops read through pointers whose bounds are checked once per row of positions"
)]

use std::ops::Range;

use crate::conv::plan::{Axis, Plan};
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;
use crate::support::context::Context;
use crate::support::error::KernelError;

/// Rows of positions that are summed for four groups before the next four: their elements stay in the L1 cache. Few, since rows
/// are often a power of two apart, and then evict one another.
const TILE_ROWS: usize = 4;
/// Columns of elements that a tile of positions covers, approximately.
const TILE_COLUMNS: usize = 16;
/// Multiply-adds between cancellation checks.
const CANCEL_CHECK_INTERVAL_MULTIPLY_ADDS: usize = 1 << 22;

/// The elements that the window covers at a position: the offset of the first group's, and the tap that covers them.
type Covered = Vec<(isize, usize)>;

/// Whether each group has one input and one output feature, and groups are adjacent.
pub fn supports(plan: &Plan) -> bool {
    let [input, _, result] = plan.group_strides;
    plan.groups >= 4 && plan.inputs == 1 && plan.outputs == 1 && input == 1 && result == 1
}

/// The stride, if the two minor axes are those of a window of 3 x 3 that is read in order.
fn stride_3x3(plan: &Plan) -> Option<usize> {
    let [other_axes @ .., rows, columns] = plan.axes.as_slice() else { return None };
    let is_size_3 = |axis: &Axis| {
        axis.size == 3
            && axis.dilation == 1
            && axis.base_dilation == 1
            && !axis.is_reversed
            && axis.stride == columns.stride
    };
    let is_planar = other_axes.iter().all(|axis| axis.size == 1);
    (is_planar && is_size_3(rows) && is_size_3(columns) && columns.stride <= 2).then_some(columns.stride)
}

/// The positions at which all three taps cover elements.
fn unpadded_positions(axis: &Axis) -> Range<usize> {
    // Negative padding crops: the first position covers none.
    let first = usize::try_from(axis.low).map_or(0, |low| low.div_ceil(axis.stride));
    let last = axis.elements.cast_signed() + axis.low - 3;
    // An input smaller than the window has no such position.
    let end = usize::try_from(last).map_or(0, |last| last / axis.stride + 1).min(axis.positions);
    first.min(end)..end
}

/// Runs the convolution. Fails only if cancelled.
pub fn run(
    plan: &Plan,
    [lhs, rhs]: [&[f32]; 2],
    out: &mut [f32],
    context: &mut Context,
) -> Result<(), KernelError> {
    let (groups, depth) = (plan.groups, plan.depth.len());
    let mut weights = context.scratch.floats(depth * groups);
    for (k, weights) in weights.as_mut_slice().chunks_exact_mut(groups).enumerate() {
        for (group, weight) in weights.iter_mut().enumerate() {
            let [_, offset, _] = plan.group_offsets(group);
            *weight = rhs[(offset + plan.weight_features.offset(0) + plan.depth.offset(k)).cast_unsigned()];
        }
    }
    let result = ChannelsMinor { plan, lhs, weights: weights.as_slice(), groups }.run(out, context);
    context.scratch.recycle(weights);
    result
}

/// A depthwise convolution with channels minor.
struct ChannelsMinor<'a> {
    plan: &'a Plan,
    lhs: &'a [f32],
    /// For each tap, the weights of all groups.
    weights: &'a [f32],
    groups: usize,
}

impl ChannelsMinor<'_> {
    fn run(&self, out: &mut [f32], context: &mut Context) -> Result<(), KernelError> {
        let Some((columns, outer_axes)) = self.plan.axes.split_last() else {
            return Err(KernelError::InvalidTask);
        };
        let stride_3x3 = stride_3x3(self.plan);
        let (unpadded_rows, unpadded_columns) = match (stride_3x3, outer_axes.last()) {
            (Some(_), Some(rows)) => (unpadded_positions(rows), unpadded_positions(columns)),
            _ => (0..0, 0..0),
        };
        let border_columns: Vec<usize> =
            (0..columns.positions).filter(|x| !unpadded_columns.contains(x)).collect();
        let all_columns: Vec<usize> = (0..columns.positions).collect();
        let covered: Vec<Covered> =
            all_columns.iter().map(|x| covered_elements(columns, *x).collect()).collect();
        let rows: usize = outer_axes.iter().map(|axis| axis.positions).product();
        let height = outer_axes.last().map_or(1, |axis| axis.positions);
        let (mut position, mut row_covered, mut buffer, mut position_covered) =
            (vec![0; outer_axes.len()], Covered::new(), Covered::new(), Covered::new());
        let mut unreported_steps = 0;
        for row in 0..rows {
            let y = row % height;
            let to = self.list_covered(outer_axes, row, &mut position, &mut row_covered, &mut buffer);
            // Along an outer axis the position may cover only padding: then `row_covered` is empty.
            let is_unpadded_row =
                unpadded_rows.contains(&y) && !unpadded_columns.is_empty() && !row_covered.is_empty();
            if let (true, Some(stride), Some((from, _))) = (is_unpadded_row, stride_3x3, row_covered.first())
                && (y - unpadded_rows.start).is_multiple_of(TILE_ROWS)
            {
                let count = TILE_ROWS.min(unpadded_rows.end - y);
                self.sum_unpadded([*from, to], &unpadded_columns, [stride, count], out);
            }
            for x in if is_unpadded_row { &border_columns } else { &all_columns } {
                position_covered.clear();
                for (from, k) in &row_covered {
                    position_covered
                        .extend(covered[*x].iter().map(|(at, tap)| (from + at, k * columns.size + tap)));
                }
                let slot = (to + x.cast_signed() * columns.out_stride).cast_unsigned();
                sum_position::<F32x4>(
                    self.lhs,
                    &position_covered,
                    self.weights,
                    &mut out[slot..][..self.groups],
                );
            }
            unreported_steps += columns.positions * self.plan.depth.len() * self.groups;
            if unreported_steps > CANCEL_CHECK_INTERVAL_MULTIPLY_ADDS {
                context.tick(std::mem::take(&mut unreported_steps) as u64)?;
            }
        }
        Ok(())
    }

    /// Lists in `row_covered` the elements that a row of positions covers along the outer axes; returns the slot of its first
    /// position. `position` and `buffer` are reused memory.
    fn list_covered(
        &self,
        outer_axes: &[Axis],
        row: usize,
        position: &mut [usize],
        row_covered: &mut Covered,
        buffer: &mut Covered,
    ) -> isize {
        let [input, _, mut to] = self.plan.offsets;
        let mut rest = row;
        for (index, axis) in position.iter_mut().zip(outer_axes).rev() {
            *index = rest % axis.positions;
            to += index.cast_signed() * axis.out_stride;
            rest /= axis.positions;
        }
        row_covered.clear();
        row_covered.push((input, 0));
        for (index, axis) in position.iter().zip(outer_axes) {
            buffer.clear();
            for (from, k) in row_covered.iter() {
                buffer
                    .extend(covered_elements(axis, *index).map(|(at, tap)| (from + at, k * axis.size + tap)));
            }
            std::mem::swap(row_covered, buffer);
        }
        to
    }

    /// Sums rows of positions whose windows of 3 x 3 cover no padding. `from` is the slot of the first row's top tap at element 0
    /// of the columns, `to` that of the row's first position.
    fn sum_unpadded(
        &self,
        [from, to]: [isize; 2],
        positions: &Range<usize>,
        [stride, height]: [usize; 2],
        out: &mut [f32],
    ) {
        let [.., rows, columns] = self.plan.axes.as_slice() else { return };
        let first = (positions.start * stride).cast_signed() - columns.low;
        let (from, to) =
            (from + first * columns.input_stride, to + positions.start.cast_signed() * columns.out_stride);
        // The bounds are checked here, once: of the elements that are read, and of those that are written.
        let is_in_bounds = |at: isize, ends: [isize; 2], length: usize| {
            let low = at + ends.iter().map(|end| (*end).min(0)).sum::<isize>();
            let high = at + ends.iter().map(|end| (*end).max(0)).sum::<isize>();
            low >= 0 && high + self.groups.cast_signed() <= length.cast_signed()
        };
        let last = [height - 1, positions.len() - 1].map(usize::cast_signed);
        let [down, right] = last.map(|last| last * stride.cast_signed() + 2);
        let reads_in_bounds =
            is_in_bounds(from, [down * rows.input_stride, right * columns.input_stride], self.lhs.len());
        let writes_in_bounds =
            is_in_bounds(to, [last[0] * rows.out_stride, last[1] * columns.out_stride], out.len());
        assert!(
            reads_in_bounds && writes_in_bounds && self.weights.len() >= 9 * self.groups && self.groups >= 4
        );
        let strip = if stride == 1 { strip::<F32x4, 1> } else { strip::<F32x4, 2> };
        let max_width = TILE_COLUMNS / stride;
        for begin in (0..positions.len()).step_by(max_width) {
            let width = max_width.min(positions.len() - begin);
            let begin = begin.cast_signed();
            let (from, to) =
                (from + begin * stride.cast_signed() * columns.input_stride, to + begin * columns.out_stride);
            for group in (0..self.groups).step_by(4) {
                // The last vector may overlap the one before: those sums are written twice, with the same bits.
                let group = group.min(self.groups - 4);
                // SAFETY: reads and writes were just asserted to be in bounds, for all positions of these rows and all groups.
                unsafe {
                    strip(
                        self.lhs.as_ptr().offset(from).add(group),
                        [rows.input_stride, columns.input_stride],
                        (self.weights.as_ptr().add(group), self.groups),
                        out.as_mut_ptr().offset(to).add(group),
                        [rows.out_stride, columns.out_stride],
                        [height, width],
                    );
                }
            }
        }
    }
}

/// The elements that the window covers at a position of one axis: the offset of each, and the tap that covers it.
fn covered_elements(axis: &Axis, position: usize) -> impl Iterator<Item = (isize, usize)> {
    (0..axis.size).filter_map(move |tap| {
        let element = axis.element((position * axis.stride + axis.tap_offset(tap)).cast_signed())?;
        Some((element.cast_signed() * axis.input_stride, tap))
    })
}

/// Adds the products of three input vectors with each sum's three weights.
///
/// Inputs are loaded one at a time: the registers hold nine weights, three sums, an input and a product.
///
/// # Safety
/// Vectors can be read at `from`, `from + stride` and `from + 2 * stride`.
#[inline(always)]
unsafe fn add_row<L: Lanes, const N: usize>(sums: [(&mut L, &[L]); N], from: *const f32, stride: isize) {
    let mut sums = sums;
    for (k, at) in [0, stride, 2 * stride].into_iter().enumerate() {
        // SAFETY: three vectors can be read, `stride` elements apart.
        let input = unsafe { L::read(from.wrapping_offset(at)) };
        for (sum, weights) in &mut sums {
            let weight = weights[k];
            **sum = if cfg!(target_feature = "relaxed-simd") {
                weight.madd(input, **sum)
            } else {
                // Unlike `madd`, this keeps compilers from holding more than one product at a time.
                sum.add(weight.mul(input))
            };
        }
    }
}

/// Sums four groups at `width` positions of `height` rows, for a window of 3 x 3 with stride `S`.
///
/// # Safety
/// All elements that these windows cover can be read, four groups each, at the strides `row` and `column` from `from` on. Nine
/// vectors of weights can be read, `pitch` elements apart. All positions can be written, four groups each, at the strides
/// `to_row` and `to_position` from `to` on.
#[inline(never)]
unsafe fn strip<L: Lanes, const S: usize>(
    from: *const f32,
    [row, column]: [isize; 2],
    (weights, pitch): (*const f32, usize),
    to: *mut f32,
    [to_row, to_position]: [isize; 2],
    [height, width]: [usize; 2],
) {
    // SAFETY: nine rows of weights can be read, `pitch` elements apart.
    let weight: [L; 9] = std::array::from_fn(|k| unsafe { L::read(weights.add(k * pitch)) });
    let (top, middle, bottom) = (&weight[..3], &weight[3..6], &weight[6..]);
    let (first, mut from, mut to) = (to, from, to);
    // The total of all sums is NaN if one of them is: usually there is nothing to canonicalize.
    let mut total = L::zero();
    for _ in 0..width {
        let (mut below, mut position) = (from, to);
        let [mut current, mut next] = [L::zero(); 2];
        // SAFETY: all elements that windows at `width` positions of `height` rows cover can be read, all positions be written.
        unsafe {
            add_row([(&mut current, top)], below, column);
            below = below.wrapping_offset(row);
            if S == 1 {
                add_row([(&mut current, middle), (&mut next, top)], below, column);
            } else {
                add_row([(&mut current, middle)], below, column);
            }
            for remaining in (0..height).rev() {
                below = below.wrapping_offset(row);
                let mut sum = std::mem::replace(&mut current, next);
                next = L::zero();
                if S == 1 {
                    add_row([(&mut sum, bottom), (&mut current, middle), (&mut next, top)], below, column);
                } else {
                    add_row([(&mut sum, bottom), (&mut current, top)], below, column);
                    if remaining > 0 {
                        below = below.wrapping_offset(row);
                        add_row([(&mut current, middle)], below, column);
                    }
                }
                total = total.add(sum);
                sum.write(position);
                position = position.wrapping_offset(to_row);
            }
        }
        (from, to) = (from.wrapping_offset(S.cast_signed() * column), to.wrapping_offset(to_position));
    }
    if total.ne(total).any() {
        for position in 0..height * width {
            let (row, position) = ((position / width).cast_signed(), (position % width).cast_signed());
            let to = first.wrapping_offset(row * to_row + position * to_position);
            // SAFETY: these were just written.
            unsafe { L::read(to).canonicalized().write(to) };
        }
    }
}

/// Sums all groups at a position: `covered` lists the first group's elements; the other groups' are adjacent to each.
#[inline(never)]
fn sum_position<L: Lanes>(lhs: &[f32], covered: &[(isize, usize)], weights: &[f32], to: &mut [f32]) {
    let groups = to.len();
    // The bounds are checked here, once.
    let is_in_bounds = |(at, k): &(isize, usize)| {
        lhs[at.cast_unsigned()..].len() >= groups && weights[k * groups..].len() >= groups
    };
    assert!(covered.iter().all(is_in_bounds));
    let whole = groups / 4 * 4;
    let mut sum_vectors = |first: usize, count: usize| {
        let mut sums = [L::zero(); 4];
        for (at, k) in covered {
            for (v, sum) in sums[..count].iter_mut().enumerate() {
                // SAFETY: `first + 4 * count` is at most the number of groups.
                unsafe {
                    let input = L::read(lhs.as_ptr().offset(*at).add(first + 4 * v));
                    *sum = L::read(weights.as_ptr().add(k * groups + first + 4 * v)).madd(input, *sum);
                }
            }
        }
        for (sum, to) in sums[..count].iter().zip(to[first..].as_chunks_mut::<4>().0) {
            sum.canonicalized().store(to);
        }
    };
    let whole_16 = groups / 16 * 16;
    for first in (0..whole_16).step_by(16) {
        sum_vectors(first, 4);
    }
    for first in (whole_16..whole).step_by(4) {
        sum_vectors(first, 1);
    }
    for (group, to) in to.iter_mut().enumerate().skip(whole) {
        let sum = covered.iter().fold(L::zero(), |sum, (at, k)| {
            L::splat(weights[k * groups + group]).madd(L::splat(lhs[at.cast_unsigned() + group]), sum)
        });
        *to = sum.canonicalized().to_array()[0];
    }
}
