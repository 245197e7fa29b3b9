//! Windows of 3 x 3 by Winograd's F(2x2, 3x3), in the fast module only: 16 products for four sums, not 36.
//!
//! Tiles of 4 x 4 cells are transformed (`Bᵀ d B`), and so are the kernels (`G g Gᵀ`); each of the 16 elements is a product of
//! matrices, kernels times tiles, whose results are transformed back (`Aᵀ m A`). Sums and differences of up to 16 cells precede
//! the products, and of 9 follow them, so that the error is up to about 8 times that of the direct sum, relative to the largest
//! product (measured: twice). A dilated convolution is split into several without dilation. An infinite or NaN cell would spread
//! over its tile: such a convolution falls back to the direct kernel.

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: matrices a and b, of m, n and k"
)]
#![allow(
    unsafe_code,
    reason = "the transforms read and write vectors whose bounds are proved once for a row"
)]

use crate::conv::im2col::Stage;
use crate::conv::plan::{Axis, Plan, boxes, position_box};
use crate::gemm::blocked::Work;
use crate::gemm::index_group::Group;
use crate::gemm::matrix::{MatrixOperand, Number, Out};
use crate::gemm::panels::PanelReuse;
use crate::ground::context::Context;
use crate::ground::element::Type;
use crate::ground::slice::Slice;
use crate::ground::stop::Stop;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// Elements of a transformed tile.
const ELEMENTS: usize = 16;
/// Maximum cells of the transformed tiles and of their products, together. Under Miri 16 tiles, the minimum of a box.
const MAX_TILE_CELLS: usize = if cfg!(miri) { 1 } else { 1 << 20 };
/// Maximum cells of the transformed kernels.
const MAX_KERNEL_CELLS: usize = 3 << 19;
/// Minimum tiles that amortize the transform of the kernels, and minimum features that amortize that of the tiles. Under Miri few
/// of both.
const MIN_TILES_AND_FEATURES: [usize; 2] = if cfg!(miri) { [8, 2] } else { [32, 16] };

/// Splits a dilated convolution into several without dilation: along each of the two minor axes, positions and elements with the
/// same remainder modulo the dilation are one. `None` where it is not dilated, or sizes or padding are no multiples of the
/// dilation.
fn undilated(plan: &Plan) -> Option<Plan> {
    let [outer @ .., rows, columns] = plan.axes.as_slice() else { return None };
    let is_apart = |axis: &Axis| {
        let by = axis.dilation;
        let is_multiple = axis.elements.is_multiple_of(by) && axis.positions.is_multiple_of(by);
        axis.stride == 1 && axis.base_dilation == 1 && is_multiple && axis.low % by.cast_signed() == 0
    };
    if rows.dilation * columns.dilation == 1 || !is_apart(rows) || !is_apart(columns) {
        return None;
    }
    let number = |axis: &Axis| Axis {
        positions: axis.dilation,
        size: 1,
        dilation: 1,
        low: 0,
        elements: axis.dilation,
        ..*axis
    };
    let every = |axis: &Axis| {
        let by = axis.dilation;
        let [input, out] = [axis.input, axis.out].map(|step| step * by.cast_signed());
        let low = axis.low / by.cast_signed();
        Axis {
            positions: axis.positions / by,
            elements: axis.elements / by,
            dilation: 1,
            low,
            input,
            out,
            ..*axis
        }
    };
    let numbers = [rows, columns].map(number);
    let axes = outer.iter().copied().chain(numbers).chain([rows, columns].map(every)).collect();
    Some(Plan { axes, rows: plan.rows.clone(), depth: plan.depth.clone(), ..*plan })
}

/// The plan of the tiles: the same convolution with windows of 4 x 4 and a stride of 2. `None` where the transform does not apply
/// or does not pay.
fn tiles(plan: &Plan) -> Option<Plan> {
    let [_, outer @ .., rows, columns] = plan.axes.as_slice() else { return None };
    let is_three =
        |axis: &Axis| axis.size == 3 && axis.stride == 1 && axis.dilation == 1 && !axis.is_reversed;
    let is_three_by_three = is_three(rows) && is_three(columns) && outer.iter().all(|axis| axis.size == 1);
    let tile = |axis: &Axis| Axis { positions: axis.positions.div_ceil(2), stride: 2, size: 4, ..*axis };
    let mut axes = plan.axes.clone();
    let count = axes.len();
    axes[count - 2] = tile(rows);
    axes[count - 1] = tile(columns);
    let all: usize = axes.iter().map(|axis| axis.positions).product();
    let [fewest, features] = MIN_TILES_AND_FEATURES;
    let pays = all >= fewest && plan.inputs.min(plan.outputs) >= features;
    (is_three_by_three && pays && plan.inputs * plan.outputs * ELEMENTS <= MAX_KERNEL_CELLS).then(|| Plan {
        axes,
        rows: plan.rows.clone(),
        depth: plan.depth.clone(),
        ..*plan
    })
}

/// Runs the convolution, if the transform pays; returns whether the result is complete. Errors: cancelled.
pub fn run_if_paying(
    plan: &Plan,
    cells: [&[f32]; 2],
    out: &mut [f32],
    context: &mut Context,
) -> Result<bool, Stop> {
    let undilated = undilated(plan);
    let plan = undilated.as_ref().unwrap_or(plan);
    tiles(plan).map_or(Ok(false), |tiles| run(plan, &tiles, cells, out, context))
}

/// Runs the convolution; returns `false` where a cell of the result is not finite, so that the direct kernel must compute all
/// cells. Errors: cancelled.
fn run(
    plan: &Plan,
    tiles: &Plan,
    [lhs, rhs]: [&[f32]; 2],
    out: &mut [f32],
    context: &mut Context,
) -> Result<bool, Stop> {
    let (inputs, outputs) = (plan.inputs, plan.outputs);
    let most = (MAX_TILE_CELLS / ELEMENTS / (inputs + outputs)).max(16);
    let (counts, count) = boxes(&tiles.axes, Stage::max_positions(tiles, most));
    let positions: usize = counts.iter().product();
    // 20 cells more: a vector of the last tiles may reach beyond them, and elements a power of two apart would compete for the
    // same sets of a cache.
    let pitches = [outputs * inputs + 20, inputs * positions + 20, outputs * positions + 20];
    let [mut kernels, mut seen, mut sums] = pitches.map(|pitch| context.scratch.floats(pitch * ELEMENTS));
    let mut nine = context.scratch.floats(inputs.next_multiple_of(4) * 9);
    let mut stage = Stage::new::<f32>(tiles, &counts, 0, 0, context.scratch);
    let transformed = PanelReuse { operand: 1, matrices: ELEMENTS * plan.groups, is_again: count > 1 };
    let mut work = Work::new::<f32>(context, [outputs, positions, inputs], [transformed, PanelReuse::ONCE]);
    let is_full = work.is_full(0);
    let outer = tiles.axes.len() - 1;
    let mut is_finite = true;
    for group in 0..plan.groups {
        let [input, kernel, result] = plan.group(group);
        let weights = matrix(rhs, kernel, &plan.rows[0], &plan.depth);
        if !is_full {
            transform_kernels::<F32x4>(
                plan,
                &weights,
                nine.as_mut_slice(),
                kernels.as_mut_slice(),
                pitches[0],
            );
            context.tick((outputs * inputs * ELEMENTS) as u64)?;
        }
        for number in 0..count {
            let position = position_box(&tiles.axes, &counts, number);
            stage.lay_out(tiles, &position, 0);
            let staged = stage.fill::<f32>(tiles, &matrix(lhs, input, &plan.rows[0], &plan.depth));
            let Slice::F32(cells) = staged.cells else { return Err(Stop::InvalidTask) };
            let width = position.count[outer];
            let own: usize = position.count.iter().product();
            let mut at = [0; ELEMENTS];
            for feature in 0..inputs {
                staged.depth.fill(feature * ELEMENTS, 0, &mut at);
                for row in (0..own).step_by(width) {
                    let from = staged.outer.at(row);
                    let to = &mut seen.as_mut_slice()[feature * own + row..];
                    transform::<F32x4>(cells, at.map(|at| at + from), to, pitches[1], width);
                }
            }
            let lines = [Group::of([(outputs, inputs.cast_signed())]), Group::of([(own, 1)])];
            let depth = [Group::of([(inputs, 1)]), Group::of([(inputs, own.cast_signed())])];
            let rows = Group::of([(outputs, own.cast_signed())]);
            for element in 0..ELEMENTS {
                let offset = |pitch: usize| (element * pitch).cast_signed();
                let a = matrix(kernels.as_slice(), offset(pitches[0]), &lines[0], &depth[0]);
                let b = matrix(seen.as_slice(), offset(pitches[1]), &lines[1], &depth[1]);
                let cells = sums.as_mut_slice();
                let matrix = group * ELEMENTS + element;
                work.choose([matrix, matrix * count + number]);
                let mut out = Out { cells, offset: offset(pitches[2]), rows: &rows, columns: &lines[1] };
                work.product(&a, &b, &mut out, context)?;
            }
            for output in 0..outputs {
                for row in (0..own).step_by(width) {
                    let (mut rest, mut slot) = (row / width, result + plan.rows[1].at(output));
                    let mut first = [0; 2];
                    for d in (0..outer).rev() {
                        let tile = position.first[d] + rest % position.count[d];
                        rest /= position.count[d];
                        let step = if d + 1 == outer { 2 } else { 1 };
                        slot += (tile * step).cast_signed() * plan.axes[d].out;
                        if d + 1 == outer {
                            first[0] = tile * 2;
                        }
                    }
                    first[1] = position.first[outer] * 2;
                    slot += first[1].cast_signed() * plan.axes[outer].out;
                    let from = &sums.as_slice()[output * own + row..];
                    let size = [
                        (plan.axes[outer - 1].positions - first[0]).min(2),
                        (plan.axes[outer].positions - first[1]).min(width * 2),
                    ];
                    let steps = [plan.axes[outer - 1].out, plan.axes[outer].out];
                    is_finite &= transform_back::<F32x4>(from, pitches[2], out, slot, size, steps);
                }
            }
            context.tick((own * (inputs + outputs) * ELEMENTS) as u64)?;
            if !is_finite {
                break;
            }
        }
    }
    work.release::<f32>(context);
    stage.release(context.scratch);
    for floats in [kernels, seen, sums, nine] {
        context.scratch.recycle(floats);
    }
    Ok(is_finite)
}

fn matrix<'a>(cells: &'a [f32], offset: isize, outer: &'a Group, depth: &'a Group) -> MatrixOperand<'a> {
    MatrixOperand { cells: Slice::F32(cells), ty: Type::F32, offset, outer, depth }
}

/// Transforms the kernels, `G g Gᵀ`, of four input features at a time; `nine` has room for the kernels of one output feature.
fn transform_kernels<L: Lanes>(
    plan: &Plan,
    side: &MatrixOperand,
    nine: &mut [f32],
    to: &mut [f32],
    pitch: usize,
) {
    let (inputs, outputs) = (plan.inputs, plan.outputs);
    let whole = inputs.next_multiple_of(4);
    let half = L::splat(0.5);
    let four = |[a, b, c]: [L; 3]| {
        let ends = a.add(c);
        [a, ends.add(b).mul(half), ends.sub(b).mul(half), c]
    };
    let (mut all, mut lines) = (vec![0; plan.depth.len()], vec![0; whole]);
    plan.depth.fill(0, 0, &mut all);
    let cells: Vec<isize> = all[..9].iter().map(|at| at - all[0]).collect();
    for output in 0..outputs {
        let line = side.offset + plan.rows[0].at(output);
        for (input, at) in lines.iter_mut().enumerate() {
            *at = line + all[input.min(inputs - 1) * 9];
        }
        f32::pack(side, &lines, &cells, 4, nine);
        for (number, nine) in nine.chunks_exact(36).take(whole / 4).enumerate() {
            let g = nine.as_chunks::<4>().0;
            let rows = [0, 1, 2].map(|x| four([0, 3, 6].map(|y| L::load(&g[y + x]))));
            let input = number * 4;
            for y in 0..4 {
                for (x, element) in four([rows[0][y], rows[1][y], rows[2][y]]).into_iter().enumerate() {
                    let to = &mut to[(y * 4 + x) * pitch + output * inputs + input..];
                    match to[..4.min(inputs - input)].as_mut_array::<4>() {
                        Some(to) => element.store(to),
                        None => to[..inputs - input].copy_from_slice(&element.to_array()[..inputs - input]),
                    }
                }
            }
        }
    }
}

/// Transforms adjacent tiles, `Bᵀ d B`, four at a time; `at` are the offsets of the first tile's cells.
fn transform<L: Lanes>(cells: &[f32], at: [isize; ELEMENTS], to: &mut [f32], pitch: usize, width: usize) {
    let whole = width.next_multiple_of(4);
    let from = at.map(|at| cells[at.cast_unsigned()..][..whole].as_ptr());
    let to = to[..(ELEMENTS - 1) * pitch + whole].as_mut_ptr();
    let four = |[a, b, c, d]: [L; 4]| [a.sub(c), b.add(c), c.sub(b), b.sub(d)];
    for x in (0..whole).step_by(4) {
        let mut rows = [[L::zero(); 4]; 4];
        for (j, row) in rows.iter_mut().enumerate() {
            // SAFETY: `x + 4 <= whole`, the length of each slice that `from` points to.
            *row = four([0, 1, 2, 3].map(|i| unsafe { L::read(from[i * 4 + j].add(x)) }));
        }
        let [a, b, c, d] = rows;
        for i in 0..4 {
            for (j, element) in four([a[i], b[i], c[i], d[i]]).into_iter().enumerate() {
                // SAFETY: `x + 4 <= whole`, and `to` has `whole` cells in its last row.
                unsafe { element.write(to.add((i * 4 + j) * pitch + x)) };
            }
        }
    }
}

/// Transforms the products of adjacent tiles back, `Aᵀ m A`, four at a time, to `height` rows and `width` columns of the result
/// from `slot` on. Returns whether all sums are finite.
fn transform_back<L: Lanes>(
    from: &[f32],
    pitch: usize,
    out: &mut [f32],
    slot: isize,
    [height, width]: [usize; 2],
    [row, column]: [isize; 2],
) -> bool {
    let tiles = width.div_ceil(2).next_multiple_of(4);
    let from = from[..(ELEMENTS - 1) * pitch + tiles].as_ptr();
    let two = |[a, b, c, d]: [L; 4]| [a.add(b).add(c), b.sub(c).sub(d)];
    let mut odd = L::zero();
    for x in (0..tiles).step_by(4) {
        let mut rows = [[L::zero(); 2]; 4];
        for (j, row) in rows.iter_mut().enumerate() {
            // SAFETY: `x + 4 <= tiles`, and `from` has `tiles` cells in its last row.
            *row = two([0, 1, 2, 3].map(|i| unsafe { L::read(from.add((i * 4 + j) * pitch + x)) }));
        }
        let [a, b, c, d] = rows;
        let some = (width - 2 * x).min(8);
        for y in 0..height {
            let [even, other] = two([a[y], b[y], c[y], d[y]]);
            let slot = slot + y.cast_signed() * row + (2 * x).cast_signed() * column;
            let eight = [even.zip_low(other), even.zip_high(other)];
            if some == 8 && column == 1 {
                let to = &mut out[slot.cast_unsigned()..][..8];
                for (sums, to) in eight.into_iter().zip(to.as_chunks_mut::<4>().0) {
                    // Zero times infinity or NaN is NaN.
                    odd = odd.or(sums.mul(L::zero()).ne(L::zero()));
                    sums.store(to);
                }
            } else {
                let [low, high] = eight.map(L::to_array);
                for (i, sum) in low.into_iter().chain(high).take(some).enumerate() {
                    odd = odd.or(L::splat_bits(if sum.is_finite() { 0 } else { u32::MAX }));
                    out[slot.strict_add(i.cast_signed() * column).cast_unsigned()] = sum;
                }
            }
        }
    }
    !odd.any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conv::task::Convolution;
    use crate::description::parts::{Array, Window};
    use crate::ground::context::{Context, PackedOperand};
    use crate::ground::scratch::Scratch;
    use crate::ground::view::View;

    #[test]
    fn as_the_direct_sum_within_the_bound() {
        let sizes = [
            (16, 17, [12, 11], 1, 1),
            (18, 16, [9, 30], 0, 1),
            (33, 20, [40, 41], 1, 1),
            (16, 16, [7, 64], 2, 1),
            (17, 16, [18, 26], 2, 2),
            (16, 18, [27, 36], 0, 3),
        ];
        // Two boxes; features and tiles with remainders of a vector, rows and columns of half a tile; then a dilated window.
        let small = [(5, 2, [3, 9], 1, 1), (2, 3, [4, 6], 2, 2)];
        for (inputs, outputs, [height, width], pad, dilation) in
            if cfg!(miri) { &small[..] } else { &sizes }.iter().copied()
        {
            let one = Window {
                size: 3,
                stride: 1,
                low: pad,
                high: pad,
                base_dilation: 1,
                dilation,
                is_reversed: false,
            };
            let positions = [height, width].map(|size| one.positions(size).unwrap());
            let array = |sizes: &[usize]| Array { ty: Type::F32, view: View::row_major(sizes) };
            let task = Convolution {
                lhs: array(&[2, inputs, height, width]),
                rhs: array(&[outputs, inputs, 3, 3]),
                out: array(&[2, outputs, positions[0], positions[1]]),
                window: vec![one, one],
                feature_groups: 1,
                batch_groups: 1,
            };
            let plan = Plan::of(&task);
            let apart = undilated(&plan);
            assert_eq!(apart.is_some(), dilation > 1);
            let plan = apart.unwrap_or(plan);
            let tiles = tiles(&plan).unwrap();
            let mut seed = 1_u32;
            let mut numbers = |count: usize| {
                let next = |_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    f32::from(u16::try_from(seed >> 16).unwrap()) / 32768.0 - 1.0
                };
                (0..count).map(next).collect::<Vec<f32>>()
            };
            let (mut lhs, rhs) = (numbers(2 * inputs * height * width), numbers(outputs * inputs * 9));
            let mut out = vec![7.0; 2 * outputs * positions[0] * positions[1]];
            let mut scratch = Scratch::default();
            let mut tick = |_| true;
            let mut context = Context { scratch: &mut scratch, tick: &mut tick, packed_operand: None };
            assert_eq!(run(&plan, &tiles, [&lhs, &rhs], &mut out, &mut context), Ok(true));
            // With constant kernels the bits are the same, also when they are no longer read.
            let mut packed = PackedOperand::of(1);
            let runs = [&rhs, &rhs, &vec![0.0; rhs.len()]];
            for kernels in runs.into_iter().skip(usize::from(cfg!(miri))) {
                let mut again = vec![7.0; out.len()];
                let mut context =
                    Context { scratch: &mut scratch, tick: &mut tick, packed_operand: Some(&mut packed) };
                assert_eq!(run(&plan, &tiles, [&lhs, kernels], &mut again, &mut context), Ok(true));
                assert_eq!(again, out);
            }
            let mut context = Context { scratch: &mut scratch, tick: &mut tick, packed_operand: None };
            let root = f32::from(u16::try_from(inputs * 9).unwrap()).sqrt();
            for (number, sum) in out.iter().enumerate() {
                let (x, rest) = (number % positions[1], number / positions[1]);
                let (y, rest) = (rest % positions[0], rest / positions[0]);
                let (output, batch) = (rest % outputs, rest / outputs);
                let mut exact = 0.0;
                for k in 0..inputs * 9 {
                    let (input, ky, kx) = (k / 9, k / 3 % 3, k % 3);
                    let at = (y + ky * dilation)
                        .checked_sub(pad.cast_unsigned())
                        .zip((x + kx * dilation).checked_sub(pad.cast_unsigned()));
                    if let Some((y, x)) = at.filter(|(y, x)| *y < height && *x < width) {
                        let cell = lhs[((batch * inputs + input) * height + y) * width + x];
                        exact +=
                            f64::from(cell) * f64::from(rhs[(output * inputs + input) * 9 + ky * 3 + kx]);
                    }
                }
                let error = (f64::from(*sum) - exact).abs();
                assert!(error <= f64::from(8.0 * f32::EPSILON * root), "{number}: {sum} for {exact}");
            }
            lhs[5] = f32::INFINITY;
            assert_eq!(run(&plan, &tiles, [&lhs, &rhs], &mut out, &mut context), Ok(false));
        }
    }
}
