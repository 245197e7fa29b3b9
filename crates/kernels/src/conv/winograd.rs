//! Windows of 3 x 3 by Winograd's F(2x2, 3x3), in the fast module only: 16 products for four sums instead of 36.
//!
//! Tiles of 4 x 4 elements are transformed (`Bᵀ d B`), and so are the weights (`G g Gᵀ`); each of the 16 elements is a product
//! of matrices, weights times tiles, whose results are transformed back (`Aᵀ m A`). Sums and differences of up to 16 elements
//! precede the products, and of 9 follow them, so that the error is up to about 8 times that of the direct sum, relative to the
//! largest product (measured: twice). A dilated convolution is split into several without dilation. An infinite or NaN element
//! would spread over its tile: such a convolution falls back to the direct kernel.

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: matrices a and b, of m, n and k"
)]
#![allow(
    unsafe_code,
    reason = "the transforms read and write vectors whose bounds are checked once per row of tiles"
)]

use crate::conv::im2col::{CopyPadding, Im2colBuffer};
use crate::conv::plan::{Axis, Plan, WEIGHTS, position_box, split_into_boxes};
use crate::gemm::blocked::Workspace;
use crate::gemm::matrix::{GemmScalar, MatrixOperand, OperandSlice, Out};
use crate::gemm::offset_map::OffsetMap;
use crate::gemm::panels::PanelReuse;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::Slice;

/// Elements of a transformed tile.
const TILE_ELEMENTS: usize = 16;
/// Maximum number of elements of the transformed tiles and of their products, together. Under Miri 16 tiles, the minimum
/// of a box.
const MAX_TRANSFORMED_ELEMENTS: usize = if cfg!(miri) { 1 } else { 1 << 20 };
/// Maximum number of elements of the transformed weights.
const MAX_WEIGHT_ELEMENTS: usize = 3 << 19;
/// Minimum number of tiles to amortize the transform of the weights. Under Miri few.
const MIN_TILES: usize = if cfg!(miri) { 8 } else { 32 };
/// Minimum input and output features to amortize the transforms of the tiles. Under Miri few.
const MIN_FEATURES: usize = if cfg!(miri) { 2 } else { 16 };

/// Splits a dilated convolution into several without dilation: along each of the two minor axes, the positions and elements with
/// the same remainder modulo the dilation (a phase) are one convolution. `None` if it is not dilated, or if sizes or padding are
/// not multiples of the dilation.
fn split_dilated(plan: &Plan) -> Option<Plan> {
    let [other_axes @ .., rows, columns] = plan.axes.as_slice() else { return None };
    let is_divisible = |axis: &Axis| {
        let by = axis.dilation;
        let is_multiple = axis.elements.is_multiple_of(by) && axis.positions.is_multiple_of(by);
        axis.stride == 1 && axis.base_dilation == 1 && is_multiple && axis.low % by.cast_signed() == 0
    };
    if rows.dilation * columns.dilation == 1 || !is_divisible(rows) || !is_divisible(columns) {
        return None;
    }
    let phase_axis = |axis: &Axis| Axis {
        positions: axis.dilation,
        size: 1,
        dilation: 1,
        low: 0,
        elements: axis.dilation,
        ..*axis
    };
    let axis_of_phase = |axis: &Axis| {
        let by = axis.dilation;
        let [input_stride, out_stride] =
            [axis.input_stride, axis.out_stride].map(|stride| stride * by.cast_signed());
        let low = axis.low / by.cast_signed();
        Axis {
            positions: axis.positions / by,
            elements: axis.elements / by,
            dilation: 1,
            low,
            input_stride,
            out_stride,
            ..*axis
        }
    };
    let phase_axes = [rows, columns].map(phase_axis);
    let axes =
        other_axes.iter().copied().chain(phase_axes).chain([rows, columns].map(axis_of_phase)).collect();
    Some(Plan {
        axes,
        weight_features: plan.weight_features.clone(),
        out_features: plan.out_features.clone(),
        depth: plan.depth.clone(),
        ..*plan
    })
}

/// The plan of the tiles: the same convolution with windows of 4 x 4 and a stride of 2. `None` if the transform does not apply
/// or is not profitable.
fn plan_tiles(plan: &Plan) -> Option<Plan> {
    let [_, other_axes @ .., rows, columns] = plan.axes.as_slice() else { return None };
    let is_size_3 =
        |axis: &Axis| axis.size == 3 && axis.stride == 1 && axis.dilation == 1 && !axis.is_reversed;
    let is_3x3 = is_size_3(rows) && is_size_3(columns) && other_axes.iter().all(|axis| axis.size == 1);
    let tile = |axis: &Axis| Axis { positions: axis.positions.div_ceil(2), stride: 2, size: 4, ..*axis };
    let mut axes = plan.axes.clone();
    let count = axes.len();
    axes[count - 2] = tile(rows);
    axes[count - 1] = tile(columns);
    let tile_count: usize = axes.iter().map(|axis| axis.positions).product();
    let is_profitable = tile_count >= MIN_TILES
        && plan.inputs.min(plan.outputs) >= MIN_FEATURES
        && plan.inputs * plan.outputs * TILE_ELEMENTS <= MAX_WEIGHT_ELEMENTS;
    (is_3x3 && is_profitable).then(|| Plan {
        axes,
        weight_features: plan.weight_features.clone(),
        out_features: plan.out_features.clone(),
        depth: plan.depth.clone(),
        ..*plan
    })
}

/// Runs the convolution, if the transform is profitable; returns whether the result is complete. Fails only if cancelled.
pub fn run_if_profitable(
    plan: &Plan,
    operands: [&[f32]; 2],
    out: &mut [f32],
    context: &mut Context,
) -> Result<bool, KernelError> {
    let undilated = split_dilated(plan);
    let plan = undilated.as_ref().unwrap_or(plan);
    plan_tiles(plan).map_or(Ok(false), |tiles| run(plan, &tiles, operands, out, context))
}

/// Runs the convolution; returns `false` if the result is not finite: then the direct kernel must compute all of it. Fails only
/// if cancelled.
fn run(
    plan: &Plan,
    tiles: &Plan,
    [lhs, rhs]: [&[f32]; 2],
    out: &mut [f32],
    context: &mut Context,
) -> Result<bool, KernelError> {
    let (inputs, outputs) = (plan.inputs, plan.outputs);
    let max_tiles = (MAX_TRANSFORMED_ELEMENTS / TILE_ELEMENTS / (inputs + outputs)).max(16);
    let (counts, box_count) = split_into_boxes(&tiles.axes, Im2colBuffer::max_positions(tiles, max_tiles));
    let positions: usize = counts.iter().product();
    // 20 elements more: a vector of the last tiles may extend beyond them, and elements a power of two apart would compete for
    // the same cache sets.
    let pitches = [outputs * inputs + 20, inputs * positions + 20, outputs * positions + 20];
    let [mut transformed_weights, mut transformed_tiles, mut sums] =
        pitches.map(|pitch| context.scratch.floats(pitch * TILE_ELEMENTS));
    let mut weight_block = context.scratch.floats(inputs.next_multiple_of(4) * 9);
    let mut input_copy = Im2colBuffer::new::<f32>(tiles, &counts, CopyPadding::default(), context.scratch);
    let weight_reuse =
        PanelReuse { operand: WEIGHTS, matrices: TILE_ELEMENTS * plan.groups, is_reused: box_count > 1 };
    let mut workspace =
        Workspace::new::<f32>(context, [outputs, positions, inputs], [weight_reuse, PanelReuse::ONCE]);
    let has_packed_weights = workspace.is_fully_packed(0);
    let minor = tiles.axes.len() - 1;
    let mut is_finite = true;
    for group in 0..plan.groups {
        let [input_offset, weight_offset, out_offset] = plan.group_offsets(group);
        let weights = matrix(rhs, weight_offset, &plan.weight_features, &plan.depth);
        if !has_packed_weights {
            transform_weights::<F32x4>(
                plan,
                &weights,
                weight_block.as_mut_slice(),
                transformed_weights.as_mut_slice(),
                pitches[0],
            );
            context.tick((outputs * inputs * TILE_ELEMENTS) as u64)?;
        }
        for box_index in 0..box_count {
            let tile_box = position_box(&tiles.axes, &counts, box_index);
            input_copy.lay_out(tiles, &tile_box);
            let copied = input_copy.fill::<f32>(tiles, operand_slice(lhs, input_offset));
            let Slice::F32(input) = copied.elements else { return Err(KernelError::InvalidTask) };
            let width = tile_box.count[minor];
            let box_tiles: usize = tile_box.count.iter().product();
            let mut tile_offsets = [0; TILE_ELEMENTS];
            for feature in 0..inputs {
                copied.depth.fill(feature * TILE_ELEMENTS, 0, &mut tile_offsets);
                for row in (0..box_tiles).step_by(width) {
                    let from = copied.positions.offset(row);
                    let to = &mut transformed_tiles.as_mut_slice()[feature * box_tiles + row..];
                    let at = tile_offsets.map(|offset| offset + from);
                    transform::<F32x4>(input, at, to, pitches[1], width);
                }
            }
            let free = [OffsetMap::new([(outputs, inputs.cast_signed())]), OffsetMap::new([(box_tiles, 1)])];
            let depth = [OffsetMap::new([(inputs, 1)]), OffsetMap::new([(inputs, box_tiles.cast_signed())])];
            let rows = OffsetMap::new([(outputs, box_tiles.cast_signed())]);
            for element in 0..TILE_ELEMENTS {
                let offset = |pitch: usize| (element * pitch).cast_signed();
                let a = matrix(transformed_weights.as_slice(), offset(pitches[0]), &free[0], &depth[0]);
                let b = matrix(transformed_tiles.as_slice(), offset(pitches[1]), &free[1], &depth[1]);
                let sums = sums.as_mut_slice();
                let weights_index = group * TILE_ELEMENTS + element;
                workspace.select_matrices([weights_index, weights_index * box_count + box_index]);
                let mut out =
                    Out { elements: sums, offset: offset(pitches[2]), rows: &rows, columns: &free[1] };
                workspace.multiply(&a, &b, &mut out, context)?;
            }
            for output in 0..outputs {
                for row in (0..box_tiles).step_by(width) {
                    let (mut rest, mut slot) = (row / width, out_offset + plan.out_features.offset(output));
                    let mut first_position = [0; 2];
                    for d in (0..minor).rev() {
                        let tile = tile_box.first[d] + rest % tile_box.count[d];
                        rest /= tile_box.count[d];
                        let positions_per_tile = if d + 1 == minor { 2 } else { 1 };
                        slot += (tile * positions_per_tile).cast_signed() * plan.axes[d].out_stride;
                        if d + 1 == minor {
                            first_position[0] = tile * 2;
                        }
                    }
                    first_position[1] = tile_box.first[minor] * 2;
                    slot += first_position[1].cast_signed() * plan.axes[minor].out_stride;
                    let from = &sums.as_slice()[output * box_tiles + row..];
                    let size = [
                        (plan.axes[minor - 1].positions - first_position[0]).min(2),
                        (plan.axes[minor].positions - first_position[1]).min(width * 2),
                    ];
                    let strides = [plan.axes[minor - 1].out_stride, plan.axes[minor].out_stride];
                    is_finite &= transform_back::<F32x4>(from, pitches[2], out, slot, size, strides);
                }
            }
            context.tick((box_tiles * (inputs + outputs) * TILE_ELEMENTS) as u64)?;
            if !is_finite {
                break;
            }
        }
    }
    workspace.release::<f32>(context);
    input_copy.release(context.scratch);
    for floats in [transformed_weights, transformed_tiles, sums, weight_block] {
        context.scratch.recycle(floats);
    }
    Ok(is_finite)
}

fn operand_slice(elements: &[f32], offset: isize) -> OperandSlice<'_> {
    OperandSlice { elements: Slice::F32(elements), ty: Type::F32, offset }
}

fn matrix<'a>(
    elements: &'a [f32],
    offset: isize,
    free: &'a OffsetMap,
    depth: &'a OffsetMap,
) -> MatrixOperand<'a> {
    MatrixOperand { elements: Slice::F32(elements), ty: Type::F32, offset, free, depth }
}

/// Transforms the weights, `G g Gᵀ`, of four input features at a time; `block` holds the packed weights of one output feature.
fn transform_weights<L: Lanes>(
    plan: &Plan,
    weights: &MatrixOperand,
    block: &mut [f32],
    to: &mut [f32],
    pitch: usize,
) {
    let (inputs, outputs) = (plan.inputs, plan.outputs);
    let whole = inputs.next_multiple_of(4);
    let half = L::splat(0.5);
    let transform_1d = |[a, b, c]: [L; 3]| {
        let ends = a.add(c);
        [a, ends.add(b).mul(half), ends.sub(b).mul(half), c]
    };
    let (mut depth_offsets, mut feature_offsets) = (vec![0; plan.depth.len()], vec![0; whole]);
    plan.depth.fill(0, 0, &mut depth_offsets);
    let tap_offsets: Vec<isize> = depth_offsets[..9].iter().map(|at| at - depth_offsets[0]).collect();
    for output in 0..outputs {
        let output_offset = weights.offset + plan.weight_features.offset(output);
        for (input, at) in feature_offsets.iter_mut().enumerate() {
            *at = output_offset + depth_offsets[input.min(inputs - 1) * 9];
        }
        f32::pack(weights, &feature_offsets, &tap_offsets, 4, block);
        for (index, block) in block.chunks_exact(36).take(whole / 4).enumerate() {
            let g = block.as_chunks::<4>().0;
            let rows = [0, 1, 2].map(|x| transform_1d([0, 3, 6].map(|y| L::load(&g[y + x]))));
            let input = index * 4;
            for y in 0..4 {
                for (x, element) in transform_1d([rows[0][y], rows[1][y], rows[2][y]]).into_iter().enumerate()
                {
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

/// Transforms adjacent tiles, `Bᵀ d B`, four at a time; `at` are the offsets of the first tile's elements.
fn transform<L: Lanes>(
    input: &[f32],
    at: [isize; TILE_ELEMENTS],
    to: &mut [f32],
    pitch: usize,
    width: usize,
) {
    let whole = width.next_multiple_of(4);
    let from = at.map(|at| input[at.cast_unsigned()..][..whole].as_ptr());
    let to = to[..(TILE_ELEMENTS - 1) * pitch + whole].as_mut_ptr();
    let transform_1d = |[a, b, c, d]: [L; 4]| [a.sub(c), b.add(c), c.sub(b), b.sub(d)];
    for x in (0..whole).step_by(4) {
        let mut rows = [[L::zero(); 4]; 4];
        for (j, row) in rows.iter_mut().enumerate() {
            // SAFETY: `x + 4 <= whole`, the length of each slice that `from` points to.
            *row = transform_1d([0, 1, 2, 3].map(|i| unsafe { L::read(from[i * 4 + j].add(x)) }));
        }
        let [a, b, c, d] = rows;
        for i in 0..4 {
            for (j, element) in transform_1d([a[i], b[i], c[i], d[i]]).into_iter().enumerate() {
                // SAFETY: `x + 4 <= whole`, and `to` has `whole` elements in its last row.
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
    let from = from[..(TILE_ELEMENTS - 1) * pitch + tiles].as_ptr();
    let transform_1d = |[a, b, c, d]: [L; 4]| [a.add(b).add(c), b.sub(c).sub(d)];
    let mut is_nonfinite = L::zero();
    for x in (0..tiles).step_by(4) {
        let mut rows = [[L::zero(); 2]; 4];
        for (j, row) in rows.iter_mut().enumerate() {
            // SAFETY: `x + 4 <= tiles`, and `from` has `tiles` elements in its last row.
            *row = transform_1d([0, 1, 2, 3].map(|i| unsafe { L::read(from.add((i * 4 + j) * pitch + x)) }));
        }
        let [a, b, c, d] = rows;
        let columns = (width - 2 * x).min(8);
        for y in 0..height {
            let [even, odd] = transform_1d([a[y], b[y], c[y], d[y]]);
            let slot = slot + y.cast_signed() * row + (2 * x).cast_signed() * column;
            let eight = [even.zip_low(odd), even.zip_high(odd)];
            if columns == 8 && column == 1 {
                let to = &mut out[slot.cast_unsigned()..][..8];
                for (sums, to) in eight.into_iter().zip(to.as_chunks_mut::<4>().0) {
                    // Zero times infinity or NaN is NaN.
                    is_nonfinite = is_nonfinite.or(sums.mul(L::zero()).ne(L::zero()));
                    sums.store(to);
                }
            } else {
                let [low, high] = eight.map(L::to_array);
                for (i, sum) in low.into_iter().chain(high).take(columns).enumerate() {
                    is_nonfinite = is_nonfinite.or(L::splat_bits(if sum.is_finite() { 0 } else { u32::MAX }));
                    out[slot.strict_add(i.cast_signed() * column).cast_unsigned()] = sum;
                }
            }
        }
    }
    !is_nonfinite.any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conv::task::Convolution;
    use crate::description::parts::{Array, Window};
    use crate::support::context::{Context, PackedOperand};
    use crate::support::scratch::Scratch;
    use crate::support::view::View;

    #[test]
    fn sums_are_within_the_error_bound() {
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
            let plan = Plan::new(&task);
            let split = split_dilated(&plan);
            assert_eq!(split.is_some(), dilation > 1);
            let plan = split.unwrap_or(plan);
            let tiles = plan_tiles(&plan).unwrap();
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
            // Packed constant weights give the same bits; once packed, the operand is no longer read.
            let mut packed = PackedOperand::new(1);
            let runs = [&rhs, &rhs, &vec![0.0; rhs.len()]];
            for weights in runs.into_iter().skip(usize::from(cfg!(miri))) {
                let mut rerun = vec![7.0; out.len()];
                let mut context =
                    Context { scratch: &mut scratch, tick: &mut tick, packed_operand: Some(&mut packed) };
                assert_eq!(run(&plan, &tiles, [&lhs, weights], &mut rerun, &mut context), Ok(true));
                assert_eq!(rerun, out);
            }
            let mut context = Context { scratch: &mut scratch, tick: &mut tick, packed_operand: None };
            let root = f32::from(u16::try_from(inputs * 9).unwrap()).sqrt();
            for (index, sum) in out.iter().enumerate() {
                let (x, rest) = (index % positions[1], index / positions[1]);
                let (y, rest) = (rest % positions[0], rest / positions[0]);
                let (output, batch) = (rest % outputs, rest / outputs);
                let mut exact = 0.0;
                for k in 0..inputs * 9 {
                    let (input, ky, kx) = (k / 9, k / 3 % 3, k % 3);
                    let at = (y + ky * dilation)
                        .checked_sub(pad.cast_unsigned())
                        .zip((x + kx * dilation).checked_sub(pad.cast_unsigned()));
                    if let Some((y, x)) = at.filter(|(y, x)| *y < height && *x < width) {
                        let value = lhs[((batch * inputs + input) * height + y) * width + x];
                        exact +=
                            f64::from(value) * f64::from(rhs[(output * inputs + input) * 9 + ky * 3 + kx]);
                    }
                }
                let error = (f64::from(*sum) - exact).abs();
                assert!(error <= f64::from(8.0 * f32::EPSILON * root), "{index}: {sum} for {exact}");
            }
            lhs[5] = f32::INFINITY;
            assert_eq!(run(&plan, &tiles, [&lhs, &rhs], &mut out, &mut context), Ok(false));
        }
    }
}
