//! Convolutions of `f32` with few output features per group, mainly depthwise ones: too few rows to amortize packed panels.
//! Where groups are adjacent, [`crate::conv::depthwise_channels`] runs them.
//!
//! The input of a box of positions is copied for one group ([`crate::conv::im2col`]), and each output feature is summed from the
//! copy: windows of 3 x 3 by strips of 8 positions, through one pointer with constant offsets, others row by row.

#![allow(
    unsafe_code,
    reason = "inner loops read the copied input through pointers whose bounds are checked once per row or strip"
)]

use crate::conv::depthwise_channels;
use crate::conv::im2col::{CopyPadding, Im2colBuffer};
use crate::conv::padding::PaddingRepair;
use crate::conv::plan::{Axis, Plan, PositionBox, position_box, split_into_boxes};
use crate::gemm::matrix::{KC, OperandSlice};
use crate::gemm::offset_map::OffsetMap;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::Slice;

/// The pitch of the rows that strips of 3 x 3 read, in elements: a constant, which makes offsets constants; not a power of two,
/// with which rows would compete for the same cache sets. Under Miri just enough for two strips with stride 2.
const PITCH_ELEMENTS: usize = if cfg!(miri) { 40 } else { 144 };
/// The positions of a strip's rows.
const STRIP_COLUMNS: usize = 8;
/// Maximum number of rows of a strip that is wider than the result. Under Miri the six rows of an example are two
/// strips.
const NARROW_STRIP_ROWS: usize = if cfg!(miri) { 4 } else { 32 };
/// Maximum number of positions of a box. Under Miri the positions of an example are two boxes.
const MAX_BOX_POSITIONS: usize = if cfg!(miri) { 40 } else { 6144 };

/// Maximum number of positions of a row of a box, if it is not summed in strips.
const MAX_ROW_POSITIONS: usize = 1 << 12;
/// Multiply-adds between cancellation checks.
const CANCEL_CHECK_INTERVAL_MULTIPLY_ADDS: usize = 1 << 22;

/// Whether groups have at most three output features, depth is one block, and positions or groups are adjacent in the result.
pub fn supports(plan: &Plan) -> bool {
    let is_contiguous = plan.axes.last().is_some_and(|axis| axis.out_stride == 1 && axis.positions >= 4);
    (1..=KC).contains(&plan.depth.len())
        && (plan.outputs <= 3 && is_contiguous || depthwise_channels::supports(plan))
}

/// The stride, if strips of 3 x 3 windows support this convolution.
fn strip_stride(plan: &Plan) -> Option<usize> {
    let [_, other_axes @ .., rows, columns] = plan.axes.as_slice() else { return None };
    let is_size_3 = |axis: &Axis| axis.size == 3 && axis.dilation == 1 && axis.stride == columns.stride;
    let is_planar = plan.inputs == 1 && other_axes.iter().all(|axis| axis.size == 1);
    (is_planar && is_size_3(rows) && is_size_3(columns) && columns.stride <= 2).then_some(columns.stride)
}

/// Runs the convolution. Fails only if cancelled.
pub fn run(
    plan: &Plan,
    [lhs, rhs]: [&[f32]; 2],
    out: &mut [f32],
    repair: &mut PaddingRepair,
    context: &mut Context,
) -> Result<(), KernelError> {
    if depthwise_channels::supports(plan) {
        return depthwise_channels::run(plan, [lhs, rhs], out, context);
    }
    let strip_stride = strip_stride(plan);
    // Other windows have no strips and need no minimum.
    let min_phase_size = strip_stride.map_or(0, |stride| PITCH_ELEMENTS / stride);
    let mut axes = plan.axes.clone();
    let minor = axes.len() - 1;
    // A row is divided evenly into boxes of at most this width; the axes before it are divided first.
    let max_columns = if strip_stride.is_some() { min_phase_size - STRIP_COLUMNS } else { MAX_ROW_POSITIONS };
    let columns = axes[minor].positions.div_ceil(axes[minor].positions.div_ceil(max_columns));
    axes[minor].positions = columns;
    let (mut counts, _) =
        split_into_boxes(&axes, Im2colBuffer::max_positions(plan, MAX_BOX_POSITIONS).max(columns));
    counts[minor] = columns;
    let box_count =
        counts.iter().zip(&plan.axes).map(|(count, axis)| axis.positions.div_ceil(*count)).product();
    // Strips read up to four rows after the last.
    let extra_elements = strip_stride.map_or(0, |_| 4 * PITCH_ELEMENTS);
    let mut input_copy = Im2colBuffer::new::<f32>(
        plan,
        &counts,
        CopyPadding { min_phase_size, extra_elements },
        context.scratch,
    );
    let depth = plan.depth.len();
    let mut weight_offsets = vec![0; depth];
    plan.depth.fill(0, 0, &mut weight_offsets);
    // The offset of each tap in the copied input, and its weight.
    let (mut taps, mut weights) = (vec![0; depth], vec![0.0; depth]);
    let mut unreported_steps = 0;
    for box_index in 0..box_count {
        let position_box = position_box(&plan.axes, &counts, box_index);
        input_copy.lay_out(plan, &position_box);
        let first = plan.axes.iter().zip(&position_box.first);
        let box_offset: isize = first.map(|(axis, first)| first.cast_signed() * axis.out_stride).sum();
        let rows: usize = position_box.count[..minor].iter().product();
        let size = [rows, position_box.count[minor]];
        for group in 0..plan.groups {
            let [input_offset, weight_offset, out_offset] = plan.group_offsets(group);
            let operand =
                |elements, offset| OperandSlice { elements: Slice::F32(elements), ty: Type::F32, offset };
            let operands = [operand(lhs, input_offset), operand(rhs, weight_offset)];
            let copied = input_copy.fill::<f32>(plan, operands[0]);
            let Slice::F32(elements) = copied.elements else { return Err(KernelError::InvalidTask) };
            copied.depth.fill(0, 0, &mut taps);
            for output in 0..plan.outputs {
                let feature_at = weight_offset + plan.weight_features.offset(output);
                for (weight, at) in weights.iter_mut().zip(&weight_offsets) {
                    *weight = rhs[(feature_at + at).cast_unsigned()];
                }
                let offset = out_offset + box_offset + plan.out_features.offset(output);
                let feature = OutputFeature {
                    plan,
                    position_box: &position_box,
                    copied_positions: copied.positions,
                    offset,
                    size,
                };
                match (strip_stride, weights.as_slice().try_into()) {
                    (Some(1), Ok(weights)) => feature.sum_strips::<1>(elements, weights, &taps, out),
                    (Some(_), Ok(weights)) => feature.sum_strips::<2>(elements, weights, &taps, out),
                    _ => feature.sum_rows(elements, &weights, &taps, out),
                }
            }
            let positions = OffsetMap::new(
                plan.axes.iter().zip(&position_box.count).map(|(axis, count)| (*count, axis.out_stride)),
            );
            repair.recompute_nans::<f32>(
                plan,
                operands,
                &position_box,
                (out, out_offset + box_offset, [&plan.out_features, &positions]),
                context,
            )?;
            unreported_steps += size[0] * size[1] * depth * plan.outputs;
            if unreported_steps > CANCEL_CHECK_INTERVAL_MULTIPLY_ADDS {
                context.tick(std::mem::take(&mut unreported_steps) as u64)?;
            }
        }
    }
    input_copy.release(context.scratch);
    Ok(())
}

/// One output feature at the positions of a box.
struct OutputFeature<'a> {
    plan: &'a Plan,
    position_box: &'a PositionBox,
    /// The offsets of the positions in the copied input.
    copied_positions: &'a OffsetMap,
    /// The slot of the first position in the result.
    offset: isize,
    /// The number of rows, and of positions in a row.
    size: [usize; 2],
}

impl OutputFeature<'_> {
    /// The slot in the result where a row of positions begins.
    fn row_slot(&self, row: usize) -> usize {
        let (mut rest, mut slot) = (row, self.offset);
        let minor = self.plan.axes.len() - 1;
        for (axis, count) in self.plan.axes[..minor].iter().zip(&self.position_box.count).rev() {
            slot += (rest % count).cast_signed() * axis.out_stride;
            rest /= count;
        }
        slot.cast_unsigned()
    }

    /// Sums row by row. `taps` are the offsets of the taps in the copied input.
    fn sum_rows(&self, elements: &[f32], weights: &[f32], taps: &[isize], out: &mut [f32]) {
        let [rows, width] = self.size;
        for row in 0..rows {
            let from = self.copied_positions.offset(row * width).cast_unsigned();
            let to = &mut out[self.row_slot(row)..][..width];
            sum_row::<F32x4>(&elements[from..], weights, taps, to);
        }
    }

    /// Sums by strips of windows of 3 x 3.
    fn sum_strips<const S: usize>(
        &self,
        elements: &[f32],
        weights: &[f32; 9],
        taps: &[isize],
        out: &mut [f32],
    ) {
        let [rows, width] = self.size;
        let count = self.position_box.count[self.position_box.count.len() - 2].max(1);
        // A reversed window has its taps in another order than the strips sum them in.
        let tap_at = |k: usize| {
            let at = |ky: usize, kx: usize| {
                (ky * PITCH_ELEMENTS + kx % S * (PITCH_ELEMENTS / S) + kx / S).cast_signed()
            };
            taps.iter().position(|tap| *tap == at(k / 3, k % 3))
        };
        let is_in_strip_order = (0..9).all(|k| tap_at(k) == Some(k));
        if !is_in_strip_order {
            return self.sum_rows(elements, weights, taps, out);
        }
        let pitch = self.plan.axes[self.plan.axes.len() - 2].out_stride;
        for image in (0..rows).step_by(count) {
            let from = self.copied_positions.offset(image * width).cast_unsigned();
            let first = self.row_slot(image);
            let last = first.strict_add_signed((count - 1).cast_signed() * pitch);
            let reach = (count - 1) * S * PITCH_ELEMENTS + 4 * PITCH_ELEMENTS;
            if width < STRIP_COLUMNS {
                for first_row in (0..count).step_by(NARROW_STRIP_ROWS) {
                    let mut sums = [[0.0; STRIP_COLUMNS]; NARROW_STRIP_ROWS];
                    let height = NARROW_STRIP_ROWS.min(count - first_row);
                    let covered = &elements[from + first_row * S * PITCH_ELEMENTS..]
                        [..((height - 1) * S + 4) * PITCH_ELEMENTS];
                    // SAFETY: `covered` has `(height - 1) * S + 4` rows of `PITCH_ELEMENTS` elements; `sums` has at least
                    // `height` rows.
                    unsafe {
                        sum_strip::<F32x4, S>(
                            covered,
                            weights,
                            height,
                            sums.as_mut_ptr().cast(),
                            STRIP_COLUMNS.cast_signed(),
                        );
                    };
                    for (r, sums) in sums[..height].iter().enumerate() {
                        let slot = first.strict_add_signed((first_row + r).cast_signed() * pitch);
                        out[slot..][..width].copy_from_slice(&sums[..width]);
                    }
                }
                continue;
            }
            for left in (0..width).step_by(STRIP_COLUMNS) {
                // The last strip may overlap the one before: those sums are written twice, with the same bits.
                let left = left.min(width - STRIP_COLUMNS);
                let covered = &elements[from + left..][..reach];
                assert!(first.max(last) + left + STRIP_COLUMNS <= out.len());
                // SAFETY: `covered` has `reach` elements, four rows of `PITCH_ELEMENTS` more than the strip steps over. The
                // eight elements of the first and of the last row are within `out`, as was just asserted, and so are those of
                // the rows between.
                unsafe {
                    sum_strip::<F32x4, S>(covered, weights, count, out.as_mut_ptr().add(first + left), pitch);
                }
            }
        }
    }
}

/// Sums a row of positions, 16 at a time.
#[inline(never)]
fn sum_row<L: Lanes>(elements: &[f32], weights: &[f32], taps: &[isize], to: &mut [f32]) {
    /// Positions whose sums are in registers together.
    const POSITIONS_PER_ITERATION: usize = 16;
    // A row without taps reads no element.
    let reach = taps.iter().max().map_or(0, |at| at.cast_unsigned());
    // The bounds are checked here, once: from each tap on, as many elements as there are positions.
    let elements = &elements[..reach + to.len()];
    let whole = to.len() / POSITIONS_PER_ITERATION * POSITIONS_PER_ITERATION;
    for x in (0..whole).step_by(POSITIONS_PER_ITERATION) {
        let mut sums = [L::zero(); 4];
        for (weight, at) in weights.iter().zip(taps) {
            let weight = L::splat(*weight);
            // SAFETY: `x + 16` is at most the number of positions.
            unsafe {
                let from = elements.as_ptr().offset(*at).add(x);
                for (v, sum) in sums.iter_mut().enumerate() {
                    *sum = weight.madd(L::read(from.add(4 * v)), *sum);
                }
            }
        }
        for (sum, to) in sums.into_iter().zip(to[x..].as_chunks_mut::<4>().0) {
            sum.canonicalized().store(to);
        }
    }
    for (x, to) in to.iter_mut().enumerate().skip(whole) {
        let products = weights.iter().zip(taps);
        let sum = products.fold(L::zero(), |sum, (weight, at)| {
            L::splat(*weight).madd(L::splat(elements[at.cast_unsigned() + x]), sum)
        });
        *to = sum.canonicalized().to_array()[0];
    }
}

/// Sums `height` rows of 8 positions of windows of 3 x 3 with stride `S`. Each row of elements is read once, from top to
/// bottom, and added to each row of positions that covers it: the order of a sum is that of the window.
///
/// # Safety
/// `elements` has `(height - 1) * S + 4` rows of [`PITCH_ELEMENTS`] elements. 8 elements can be written in each of `height`
/// rows, the first from `to` on, each `pitch` after the previous one.
#[inline(never)]
unsafe fn sum_strip<L: Lanes, const S: usize>(
    elements: &[f32],
    weights: &[f32; 9],
    height: usize,
    to: *mut f32,
    pitch: isize,
) {
    let weight = weights.map(L::splat);
    let (mut from, mut to) = (elements.as_ptr(), to);
    let add = |sums: &mut [L; 2], from: *const f32, y: usize, ky: usize| {
        for kx in 0..3 {
            for (v, sum) in sums.iter_mut().enumerate() {
                // SAFETY: row `y <= 3` from `from` on is one of the `(height - 1) * S + 4` rows, `PITCH_ELEMENTS` elements long.
                let elements = unsafe {
                    L::read(from.add(y * PITCH_ELEMENTS + kx % S * (PITCH_ELEMENTS / S) + kx / S + 4 * v))
                };
                *sum = weight[ky * 3 + kx].madd(elements, *sum);
            }
        }
    };
    let mut sums = [[L::zero(); 2]; 2];
    if S == 1 {
        add(&mut sums[0], from, 0, 0);
        add(&mut sums[0], from, 1, 1);
        add(&mut sums[1], from, 1, 0);
    } else {
        add(&mut sums[0], from, 0, 0);
        add(&mut sums[0], from, 1, 1);
    }
    for _ in 0..height {
        let [mut complete, mut next] = sums;
        let mut last = [L::zero(); 2];
        add(&mut complete, from, 2, 2);
        for (v, sum) in complete.into_iter().enumerate() {
            // SAFETY: eight elements can be written in each of `height` rows, of which this is one.
            unsafe { sum.canonicalized().write(to.add(4 * v)) };
        }
        if S == 1 {
            add(&mut next, from, 2, 1);
            add(&mut last, from, 2, 0);
            sums = [next, last];
        } else {
            add(&mut last, from, 2, 0);
            add(&mut last, from, 3, 1);
            sums = [last, last];
        }
        // SAFETY: within the rows, or beyond the last.
        (from, to) = unsafe { (from.add(S * PITCH_ELEMENTS), to.wrapping_offset(pitch)) };
    }
}
