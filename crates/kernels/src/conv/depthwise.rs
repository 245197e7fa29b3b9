//! Convolutions of `f32` with few output features per group, mainly depthwise ones: too few rows for packed panels to pay off.
//! Where groups are adjacent, [`crate::conv::depthwise_channels`] runs them.
//!
//! The input of a box of positions is copied for one group ([`crate::conv::im2col`]), and each output feature is summed from the
//! copy: windows of 3 x 3 by strips of 8 positions, through one pointer with constant offsets, others row by row.

#![allow(
    unsafe_code,
    reason = "inner loops read the copied input through pointers whose bounds are proved once for a row or a strip"
)]

use crate::conv::depthwise_channels;
use crate::conv::im2col::Stage;
use crate::conv::padding::PaddingRepair;
use crate::conv::plan::{Axis, Plan, PositionBox, boxes, position_box};
use crate::gemm::index_group::Group;
use crate::gemm::matrix::{KC, MatrixOperand};
use crate::ground::context::Context;
use crate::ground::element::Type;
use crate::ground::slice::Slice;
use crate::ground::stop::Stop;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// The pitch of the rows that strips of 3 x 3 read, in cells: a constant, so that offsets are; not a power of two, so that rows
/// do not compete for the same sets of a cache. Under Miri just enough for two strips with stride 2.
const PITCH_CELLS: usize = if cfg!(miri) { 40 } else { 144 };
/// The positions of a strip's rows.
const STRIP_COLUMNS: usize = 8;
/// Maximum rows of a strip that is wider than the result. Under Miri the six rows of an example are two strips.
const NARROW_STRIP_ROWS: usize = if cfg!(miri) { 4 } else { 32 };
/// Maximum positions of a box. Under Miri the positions of an example are two boxes.
const MAX_BOX_POSITIONS: usize = if cfg!(miri) { 40 } else { 6144 };

/// Whether groups have at most three output features, depth is one block, and positions or groups are adjacent in the result.
pub fn supports(plan: &Plan) -> bool {
    let is_contiguous = plan.axes.last().is_some_and(|axis| axis.out == 1 && axis.positions >= 4);
    (1..=KC).contains(&plan.depth.len())
        && (plan.outputs <= 3 && is_contiguous || depthwise_channels::supports(plan))
}

/// The stride, if strips of 3 x 3 windows support this convolution.
fn strip_stride(plan: &Plan) -> Option<usize> {
    let [_, outer @ .., rows, columns] = plan.axes.as_slice() else { return None };
    let is_three = |axis: &Axis| axis.size == 3 && axis.dilation == 1 && axis.stride == columns.stride;
    let is_planar = plan.inputs == 1 && outer.iter().all(|axis| axis.size == 1);
    (is_planar && is_three(rows) && is_three(columns) && columns.stride <= 2).then_some(columns.stride)
}

/// Runs the convolution. Errors: cancelled.
pub fn run(
    plan: &Plan,
    [lhs, rhs]: [&[f32]; 2],
    out: &mut [f32],
    repair: &mut PaddingRepair,
    context: &mut Context,
) -> Result<(), Stop> {
    if depthwise_channels::supports(plan) {
        return depthwise_channels::run(plan, [lhs, rhs], out, context);
    }
    let strip_stride = strip_stride(plan);
    // Other windows have no strips and need no minimum.
    let min_phase_cells = strip_stride.map_or(0, |stride| PITCH_CELLS / stride);
    let mut axes = plan.axes.clone();
    let outer = axes.len() - 1;
    // A row is divided evenly into boxes of at most this width; the axes before it are divided first.
    let max_columns = if strip_stride.is_some() { min_phase_cells - STRIP_COLUMNS } else { 1 << 12 };
    let columns = axes[outer].positions.div_ceil(axes[outer].positions.div_ceil(max_columns));
    axes[outer].positions = columns;
    let (mut counts, _) = boxes(&axes, Stage::max_positions(plan, MAX_BOX_POSITIONS).max(columns));
    counts[outer] = columns;
    let count = counts.iter().zip(&plan.axes).map(|(count, axis)| axis.positions.div_ceil(*count)).product();
    // Strips read up to four rows after the last.
    let extra_cells = strip_stride.map_or(0, |_| 4 * PITCH_CELLS);
    let mut stage = Stage::new::<f32>(plan, &counts, min_phase_cells, extra_cells, context.scratch);
    let depth = plan.depth.len();
    let mut kernel = vec![0; depth];
    plan.depth.fill(0, 0, &mut kernel);
    // The offset of each cell of the window in the copied input, and its weight.
    let (mut taps, mut weights) = (vec![0; depth], vec![0.0; depth]);
    let mut done = 0;
    for number in 0..count {
        let position = position_box(&plan.axes, &counts, number);
        stage.lay_out(plan, &position, min_phase_cells);
        let first = plan.axes.iter().zip(&position.first);
        let box_offset: isize = first.map(|(axis, first)| first.cast_signed() * axis.out).sum();
        let rows: usize = position.count[..outer].iter().product();
        let size = [rows, position.count[outer]];
        for group in 0..plan.groups {
            let [input, weight, result] = plan.group(group);
            let matrix = |cells, offset| MatrixOperand {
                cells: Slice::F32(cells),
                ty: Type::F32,
                offset,
                outer: &plan.rows[0],
                depth: &plan.depth,
            };
            let sides = [&matrix(lhs, input), &matrix(rhs, weight)];
            let staged = stage.fill::<f32>(plan, sides[0]);
            let Slice::F32(cells) = staged.cells else { return Err(Stop::InvalidTask) };
            staged.depth.fill(0, 0, &mut taps);
            for output in 0..plan.outputs {
                let line = weight + plan.rows[0].at(output);
                for (weight, at) in weights.iter_mut().zip(&kernel) {
                    *weight = rhs[(line + at).cast_unsigned()];
                }
                let offset = result + box_offset + plan.rows[1].at(output);
                let feature = OutputFeature { plan, position: &position, staged: staged.outer, offset, size };
                match (strip_stride, weights.as_slice().try_into()) {
                    (Some(1), Ok(nine)) => feature.strips::<1>(cells, nine, &taps, out),
                    (Some(_), Ok(nine)) => feature.strips::<2>(cells, nine, &taps, out),
                    _ => feature.rows(cells, &weights, &taps, out),
                }
            }
            let positions =
                Group::of(plan.axes.iter().zip(&position.count).map(|(axis, count)| (*count, axis.out)));
            repair.repair_cells::<f32>(
                plan,
                sides,
                &position,
                (out, result + box_offset, [&plan.rows[1], &positions]),
                context,
            )?;
            done += size[0] * size[1] * depth * plan.outputs;
            if done > 1 << 22 {
                context.tick(std::mem::take(&mut done) as u64)?;
            }
        }
    }
    stage.release(context.scratch);
    Ok(())
}

/// One output feature at the positions of a box.
struct OutputFeature<'a> {
    plan: &'a Plan,
    position: &'a PositionBox,
    /// The offsets of the positions in the copied input.
    staged: &'a Group,
    /// The slot of the first position in the result.
    offset: isize,
    /// The number of rows, and of positions in a row.
    size: [usize; 2],
}

impl OutputFeature<'_> {
    /// The slot in the result where a row of positions begins.
    fn row(&self, number: usize) -> usize {
        let (mut rest, mut slot) = (number, self.offset);
        let outer = self.plan.axes.len() - 1;
        for (axis, count) in self.plan.axes[..outer].iter().zip(&self.position.count).rev() {
            slot += (rest % count).cast_signed() * axis.out;
            rest /= count;
        }
        slot.cast_unsigned()
    }

    /// Sums row by row. `taps` are the offsets of the window's cells in the copied input.
    fn rows(&self, cells: &[f32], weights: &[f32], taps: &[isize], out: &mut [f32]) {
        let [rows, width] = self.size;
        for number in 0..rows {
            let from = self.staged.at(number * width).cast_unsigned();
            let to = &mut out[self.row(number)..][..width];
            row::<F32x4>(&cells[from..], weights, taps, to);
        }
    }

    /// Sums by strips of windows of 3 x 3.
    fn strips<const S: usize>(&self, cells: &[f32], weights: &[f32; 9], taps: &[isize], out: &mut [f32]) {
        let [rows, width] = self.size;
        let count = self.position.count[self.position.count.len() - 2].max(1);
        // A reversed window covers its cells in another order than the strips sum them in.
        let tap_at = |k: usize| {
            let at =
                |ky: usize, kx: usize| (ky * PITCH_CELLS + kx % S * (PITCH_CELLS / S) + kx / S).cast_signed();
            taps.iter().position(|tap| *tap == at(k / 3, k % 3))
        };
        let is_in_strip_order = (0..9).all(|k| tap_at(k) == Some(k));
        if !is_in_strip_order {
            return self.rows(cells, weights, taps, out);
        }
        let pitch = self.plan.axes[self.plan.axes.len() - 2].out;
        for image in (0..rows).step_by(count) {
            let from = self.staged.at(image * width).cast_unsigned();
            let first = self.row(image);
            let last = first.strict_add_signed((count - 1).cast_signed() * pitch);
            let reach = (count - 1) * S * PITCH_CELLS + 4 * PITCH_CELLS;
            if width < STRIP_COLUMNS {
                for first_row in (0..count).step_by(NARROW_STRIP_ROWS) {
                    let mut sums = [[0.0; STRIP_COLUMNS]; NARROW_STRIP_ROWS];
                    let height = NARROW_STRIP_ROWS.min(count - first_row);
                    let covered =
                        &cells[from + first_row * S * PITCH_CELLS..][..((height - 1) * S + 4) * PITCH_CELLS];
                    // SAFETY: `covered` has `(height - 1) * S + 4` rows of `PITCH_CELLS` cells; `sums` has at least `height` rows.
                    unsafe {
                        strip::<F32x4, S>(
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
                // The last may overlap the one before: those sums are written twice, with the same bits.
                let left = left.min(width - STRIP_COLUMNS);
                let covered = &cells[from + left..][..reach];
                assert!(first.max(last) + left + STRIP_COLUMNS <= out.len());
                // SAFETY: `covered` has `reach` cells, four rows of `PITCH_CELLS` more than the strip steps over. The eight cells
                // of the first and of the last row are within `out`, as was just asserted, and so are those of the rows between.
                unsafe {
                    strip::<F32x4, S>(covered, weights, count, out.as_mut_ptr().add(first + left), pitch);
                }
            }
        }
    }
}

/// Sums a row of positions, 16 at a time.
#[inline(never)]
fn row<L: Lanes>(cells: &[f32], weights: &[f32], taps: &[isize], to: &mut [f32]) {
    const POSITIONS_AT_ONCE: usize = 16;
    // A row without taps reads no cell.
    let reach = taps.iter().max().map_or(0, |at| at.cast_unsigned());
    // The bounds are checked here, once: from each tap on, as many cells as there are positions.
    let cells = &cells[..reach + to.len()];
    let whole = to.len() / POSITIONS_AT_ONCE * POSITIONS_AT_ONCE;
    for x in (0..whole).step_by(POSITIONS_AT_ONCE) {
        let mut sums = [L::zero(); 4];
        for (weight, at) in weights.iter().zip(taps) {
            let weight = L::splat(*weight);
            // SAFETY: `x + 16` is at most the number of positions.
            unsafe {
                let from = cells.as_ptr().offset(*at).add(x);
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
        let each = weights.iter().zip(taps);
        let sum = each.fold(L::zero(), |sum, (weight, at)| {
            L::splat(*weight).madd(L::splat(cells[at.cast_unsigned() + x]), sum)
        });
        *to = sum.canonicalized().to_array()[0];
    }
}

/// Sums `height` rows of 8 positions of windows of 3 x 3 with stride `S`. Each row of cells is read once, from top to bottom, and
/// added to each row of positions that covers it: the order of a sum is that of the window.
///
/// # Safety
/// `cells` has `(height - 1) * S + 4` rows of [`PITCH_CELLS`] cells. 8 cells can be written in each of `height` rows, the first
/// from `to` on, each `pitch` after the previous one.
#[inline(never)]
unsafe fn strip<L: Lanes, const S: usize>(
    cells: &[f32],
    weights: &[f32; 9],
    height: usize,
    to: *mut f32,
    pitch: isize,
) {
    let weight = weights.map(L::splat);
    let (mut from, mut to) = (cells.as_ptr(), to);
    let add = |sums: &mut [L; 2], from: *const f32, y: usize, ky: usize| {
        for kx in 0..3 {
            for (v, sum) in sums.iter_mut().enumerate() {
                // SAFETY: row `y <= 3` from `from` on is one of the `(height - 1) * S + 4` rows, `PITCH_CELLS` cells long.
                let cells = unsafe {
                    L::read(from.add(y * PITCH_CELLS + kx % S * (PITCH_CELLS / S) + kx / S + 4 * v))
                };
                *sum = weight[ky * 3 + kx].madd(cells, *sum);
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
        let [mut done, mut next] = sums;
        let mut last = [L::zero(); 2];
        add(&mut done, from, 2, 2);
        for (v, sum) in done.into_iter().enumerate() {
            // SAFETY: eight cells can be written in each of `height` rows, of which this is one.
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
        (from, to) = unsafe { (from.add(S * PITCH_CELLS), to.wrapping_offset(pitch)) };
    }
}
