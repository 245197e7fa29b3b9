//! Convolutions with few output features in a group (depthwise ones above all), of `f32`: too few rows for panels to pay.
//!
//! What the windows of a box see is laid out for one group, and each output feature is summed from there directly: in
//! windows of 3 x 3 by tiles of 4 x 8 places with one pointer and constant offsets, in others row by row.

#![allow(unsafe_code, reason = "inner loops read what was laid out through pointers proved once for a row or a tile")]

use super::Best;
use super::convolution::{Axis, Mending, Place, Plan, boxes, place};
use super::convolution_stage::Stage;
use super::gemm::{DEPTH, Side};
use super::group::Group;
use super::kernel::{Context, Stop};
use super::lanes::Lanes;
use super::slice::Slice;
use super::task::Type;

/// Cells of a row that tiles of 3 x 3 read: constant, so that distances are.
const PITCH: usize = 128;
/// Rows and columns of such a tile.
const TILE: [usize; 2] = [4, 8];
/// The most places of a box.
const MOST: usize = 6144;

/// Whether groups have few outputs, of a depth that is one block, and places lie side by side in the result.
pub fn serves(plan: &Plan) -> bool {
    let is_side_by_side = plan.axes.last().is_some_and(|axis| axis.out == 1 && axis.places >= 4);
    plan.outputs <= 3 && plan.depth.len() <= DEPTH && plan.depth.len() > 0 && is_side_by_side
}

/// The stride, if tiles of 3 x 3 can do it.
fn stride_of_three(plan: &Plan) -> Option<usize> {
    let [_, outer @ .., rows, columns] = plan.axes.as_slice() else { return None };
    let is_three = |axis: &Axis| axis.size == 3 && axis.dilation == 1 && axis.stride == columns.stride;
    let is_one = plan.inputs == 1 && outer.iter().all(|axis| axis.size == 1);
    (is_one && is_three(rows) && is_three(columns) && columns.stride <= 2)
        .then_some(columns.stride)
}

/// Does the convolution. Errors: cancelled.
pub fn run(
    plan: &Plan,
    [lhs, rhs]: [&[f32]; 2],
    out: &mut [f32],
    mending: &mut Mending,
    context: &mut Context,
) -> Result<(), Stop> {
    let three = stride_of_three(plan);
    let part = three.map_or(0, |stride| PITCH / stride);
    let mut axes = plan.axes.clone();
    let outer = axes.len() - 1;
    // The widest box, and of one image: an axis before is cut first.
    let widest = if three.is_some() { part - 8 } else { 1 << 12 };
    let columns = axes[outer].places.div_ceil(axes[outer].places.div_ceil(widest));
    axes[outer].places = columns;
    let (mut counts, _) = boxes(&axes, Stage::most(plan, MOST).max(columns));
    counts[outer] = columns;
    let count = counts.iter().zip(&plan.axes).map(|(count, axis)| axis.places.div_ceil(*count)).product();
    let more = three.map_or(0, |stride| (TILE[0] * stride + 3) * PITCH);
    let mut stage = Stage::new::<f32>(plan, &counts, part, more, context.scratch);
    let depth = plan.depth.len();
    let mut kernel = vec![0; depth];
    plan.depth.fill(0, 0, &mut kernel);
    let (mut seen, mut weights) = (vec![0; depth], vec![0.0; depth]);
    let mut done = 0;
    for number in 0..count {
        let place = place(&plan.axes, &counts, number);
        stage.set(plan, &place, part);
        let first = plan.axes.iter().zip(&place.first);
        let moved: isize = first.map(|(axis, first)| first.cast_signed() * axis.out).sum();
        let rows: usize = place.count[..outer].iter().product();
        let size = [rows, place.count[outer]];
        for group in 0..plan.groups {
            let [input, weight, result] = plan.group(group);
            let side = |cells, offset| Side {
                cells: Slice::F32(cells),
                ty: Type::F32,
                offset,
                lines: &plan.rows[0],
                depth: &plan.depth,
            };
            let sides = [&side(lhs, input), &side(rhs, weight)];
            let staged = stage.fill::<f32>(plan, sides[0]);
            let Slice::F32(cells) = staged.cells else { return Err(Stop::Invalid) };
            staged.depth.fill(0, 0, &mut seen);
            for output in 0..plan.outputs {
                let line = weight + plan.rows[0].at(output);
                for (weight, at) in weights.iter_mut().zip(&kernel) {
                    *weight = rhs[(line + at).cast_unsigned()];
                }
                let offset = result + moved + plan.rows[1].at(output);
                let own = Lines { plan, place: &place, lines: staged.lines, offset, size };
                match (three, weights.as_slice().try_into()) {
                    (Some(1), Ok(nine)) => own.tiles::<1>(cells, nine, &seen, out),
                    (Some(_), Ok(nine)) => own.tiles::<2>(cells, nine, &seen, out),
                    _ => own.rows(cells, &weights, &seen, out),
                }
            }
            let places = Group::of(plan.axes.iter().zip(&place.count).map(|(axis, count)| (*count, axis.out)));
            mending.mend::<f32>(plan, sides, &place, (out, result + moved, [&plan.rows[1], &places]), context)?;
            done += size[0] * size[1] * depth * plan.outputs;
            if done > 1 << 22 {
                context.tick(std::mem::take(&mut done) as u64)?;
            }
        }
    }
    stage.done(context.scratch);
    Ok(())
}

/// One output feature at the places of a box.
struct Lines<'a> {
    plan: &'a Plan,
    place: &'a Place,
    /// Places in what was laid out.
    lines: &'a Group,
    /// The slot of the first place in the result.
    offset: isize,
    /// Rows of places, and places of a row.
    size: [usize; 2],
}

impl Lines<'_> {
    /// The slot in the result where a row of places begins.
    fn row(&self, number: usize) -> usize {
        let (mut rest, mut slot) = (number, self.offset);
        let outer = self.plan.axes.len() - 1;
        for (axis, count) in self.plan.axes[..outer].iter().zip(&self.place.count).rev() {
            slot += (rest % count).cast_signed() * axis.out;
            rest /= count;
        }
        slot.cast_unsigned()
    }

    /// Row by row.
    fn rows(&self, cells: &[f32], weights: &[f32], seen: &[isize], out: &mut [f32]) {
        let [rows, width] = self.size;
        for number in 0..rows {
            let from = self.lines.at(number * width).cast_unsigned();
            let to = &mut out[self.row(number)..][..width];
            row::<Best>(&cells[from..], weights, seen, to);
        }
    }

    /// By tiles of 3 x 3.
    fn tiles<const S: usize>(&self, cells: &[f32], weights: &[f32; 9], seen: &[isize], out: &mut [f32]) {
        let [rows, width] = self.size;
        let count = self.place.count[self.place.count.len() - 2].max(1);
        // Reversed windows see the same cells in another order.
        let order = |k: usize| {
            let at = |ky: usize, kx: usize| (ky * PITCH + kx % S * (PITCH / S) + kx / S).cast_signed();
            seen.iter().position(|seen| *seen == at(k / 3, k % 3))
        };
        let is_same = (0..9).all(|k| order(k) == Some(k));
        if !is_same {
            return self.rows(cells, weights, seen, out);
        }
        for image in (0..rows).step_by(count) {
            let from = self.lines.at(image * width).cast_unsigned();
            for top in (0..count).step_by(TILE[0]) {
                let height = TILE[0].min(count - top);
                let mut slots = [0; TILE[0]];
                for (r, slot) in slots[..height].iter_mut().enumerate() {
                    *slot = self.row(image + top + r);
                }
                for left in (0..width).step_by(TILE[1]) {
                    let some = TILE[1].min(width - left);
                    let seen = &cells[from + top * S * PITCH + left..][..((TILE[0] - 1) * S + 3) * PITCH];
                    let mut own = [[0.0; TILE[1]]; TILE[0]];
                    let mut to = own.each_mut().map(|row| row.as_mut_ptr());
                    if height == TILE[0] && some == TILE[1] {
                        to = slots.map(|slot| out[slot + left..][..TILE[1]].as_mut_ptr());
                        // SAFETY: so many rows of `PITCH` cells are there, and 8 cells from each pointer, as just looked up.
                        unsafe { three::<Best, S>(seen.as_ptr(), weights, to) };
                        continue;
                    }
                    // SAFETY: so many rows of `PITCH` cells are there, and `own` has rows of 8 cells.
                    unsafe { three::<Best, S>(seen.as_ptr(), weights, to) };
                    for (slot, sums) in slots[..height].iter().zip(&own) {
                        out[slot + left..][..some].copy_from_slice(&sums[..some]);
                    }
                }
            }
        }
    }
}

/// A row of places, 16 at a time.
#[inline(never)]
fn row<L: Lanes>(cells: &[f32], weights: &[f32], seen: &[isize], to: &mut [f32]) {
    const AT_ONCE: usize = 16;
    let reach = seen.iter().max().map_or(0, |at| at.cast_unsigned());
    // The bounds are looked at here, once: each weight sees as many cells as there are places.
    let cells = &cells[..reach + to.len()];
    let whole = to.len() / AT_ONCE * AT_ONCE;
    for x in (0..whole).step_by(AT_ONCE) {
        let mut sums = [L::zero(); 4];
        for (weight, at) in weights.iter().zip(seen) {
            let weight = L::splat(*weight);
            // SAFETY: `x + 16` is at most the number of places.
            unsafe {
                let from = cells.as_ptr().offset(*at).add(x);
                for (v, sum) in sums.iter_mut().enumerate() {
                    *sum = weight.madd(L::read(from.add(4 * v)), *sum);
                }
            }
        }
        for (sum, to) in sums.into_iter().zip(to[x..].as_chunks_mut::<4>().0) {
            sum.settled().store(to);
        }
    }
    for (x, to) in to.iter_mut().enumerate().skip(whole) {
        let each = weights.iter().zip(seen);
        let sum = each.fold(L::zero(), |sum, (weight, at)| {
            L::splat(*weight).madd(L::splat(cells[at.cast_unsigned() + x]), sum)
        });
        *to = sum.settled().to_array()[0];
    }
}

/// A tile of 4 rows of 8 places, `S` apart.
///
/// # Safety
/// `(4 - 1) * S + 3` rows of [`PITCH`] cells can be read from `cells` on, and 8 cells written from each pointer on.
#[inline(never)]
unsafe fn three<L: Lanes, const S: usize>(cells: *const f32, weights: &[f32; 9], to: [*mut f32; TILE[0]]) {
    let mut sums = [[L::zero(); 2]; TILE[0]];
    for ky in 0..3 {
        for kx in 0..3 {
            let weight = L::splat(weights[ky * 3 + kx]);
            for (r, sums) in sums.iter_mut().enumerate() {
                for (v, sum) in sums.iter_mut().enumerate() {
                    let at = (r * S + ky) * PITCH + kx % S * (PITCH / S) + kx / S + 4 * v;
                    // SAFETY: within the rows the caller vouches for; the last row is followed by none that is read beyond it.
                    *sum = weight.madd(unsafe { L::read(cells.add(at)) }, *sum);
                }
            }
        }
    }
    for (sums, to) in sums.into_iter().zip(to) {
        for (v, sum) in sums.into_iter().enumerate() {
            // SAFETY: the caller vouches for eight cells.
            unsafe { sum.settled().write(to.add(4 * v)) };
        }
    }
}
