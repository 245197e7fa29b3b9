//! Convolutions: any rank, strides, padding, dilations, reversal, groups and layout.
//!
//! A convolution is a product of matrices: rows are output features, columns are the positions of the window (batch and
//! spatial dimensions of the result), depth is input features and taps of the window, in the order of the weights'
//! dimensions. The columns are divided into boxes whose input fits a cache; it is copied with padding into a layout in which
//! neighbouring positions read adjacent elements ([`crate::conv::im2col`]). A window of one tap needs no copy. Sums are in the
//! order of [`crate::gemm::blocked`].
//!
//! Padding is not an operand: an infinite or NaN weight must not be multiplied by its zeros. An element that such a
//! product made NaN is summed again without the padding ([`crate::conv::padding`]).

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: matrices a and b, of m, n and k"
)]

use crate::conv::depthwise;
use crate::conv::few_positions;
use crate::conv::im2col::{CopyPadding, Im2colBuffer, Im2colMatrix};
use crate::conv::padding::PaddingRepair;
use crate::conv::plan::{Axis, Plan, WEIGHTS, position_box, split_into_boxes};
use crate::conv::task::Convolution;
use crate::conv::winograd;
use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelEntry, only_in_kernel_builds};
use crate::gemm::accumulator_type::{AccumulatorType, accumulator_type, supports_result};
use crate::gemm::blocked::Workspace;
use crate::gemm::matrix::{KC, MatrixOperand, NC, OperandSlice, Out, elements_of, scratch_for};
use crate::gemm::offset_map::OffsetMap;
use crate::gemm::panels::PanelReuse;
use crate::gemm::typed::AccumulatorScalar;
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::{Slice, SliceMut};

/// The kernels of [`Convolution`].
pub static KERNELS: &[KernelEntry<Convolution>] = &[
    kernel("convolution f32", true, if cfg!(target_feature = "relaxed-simd") { 8.0 } else { 1.0 }, |task| {
        matches!(types(task), Some((Type::F32, Type::F32)))
    }),
    kernel("convolution f16 bf16 in f32", true, 1.0, |task| {
        let is_half = |ty| matches!(ty, Type::F16 | Type::BF16);
        types(task)
            .is_some_and(|(operand, result)| is_half(operand) && (is_half(result) || result == Type::F32))
    }),
    kernel("convolution f64 complex", false, 2.0, |task| {
        types(task).is_some_and(|(_, result)| {
            matches!(
                accumulator_type(result),
                AccumulatorType::F64 | AccumulatorType::C64 | AccumulatorType::C128
            )
        })
    }),
    kernel("convolution integer", false, 0.0, |task| types(task).is_some()),
];

const fn kernel(
    name: &'static str,
    is_vector: bool,
    error_bound_ulp: f64,
    supports: fn(&Convolution) -> bool,
) -> KernelEntry<Convolution> {
    KernelEntry {
        kernel: Kernel { name, is_vector, error_bound_ulp },
        supports,
        run: only_in_kernel_builds(run),
    }
}

/// The types of the operands and of the result, if kernels support them.
fn types(convolution: &Convolution) -> Option<(Type, Type)> {
    let (operand, result) = (convolution.lhs.ty, convolution.out.ty);
    (operand == convolution.rhs.ty && supports_result(operand, result)).then_some((operand, result))
}

fn run(task: CheckedTask<Convolution>, context: &mut Context) -> Result<(), KernelError> {
    let (convolution, [lhs, rhs], [out]) = task.into_parts() else { return Err(KernelError::InvalidTask) };
    let operands = [*lhs, *rhs];
    match accumulator_type(convolution.out.ty) {
        AccumulatorType::F32 => run_typed::<f32>(convolution, operands, out, context),
        AccumulatorType::F64 => run_typed::<f64>(convolution, operands, out, context),
        AccumulatorType::I32 => run_typed::<i32>(convolution, operands, out, context),
        AccumulatorType::I64 => run_typed::<i64>(convolution, operands, out, context),
        AccumulatorType::C64 => run_typed::<[f32; 2]>(convolution, operands, out, context),
        AccumulatorType::C128 => run_typed::<[f64; 2]>(convolution, operands, out, context),
    }
}

/// Runs a specialized `f32` algorithm, if one applies; returns whether it did. Fails only if cancelled.
fn run_specialized(
    task: &Convolution,
    plan: &Plan,
    operands: [Slice; 2],
    out: &mut SliceMut,
    context: &mut Context,
) -> Result<bool, KernelError> {
    let ([Slice::F32(lhs), Slice::F32(rhs)], SliceMut::F32(out)) = (operands, out) else { return Ok(false) };
    if depthwise::supports(plan) {
        let mut repair = PaddingRepair::new::<f32>(plan, operands[WEIGHTS], task);
        return depthwise::run(plan, [lhs, rhs], out, &mut repair, context).map(|()| true);
    }
    if few_positions::run(plan, [lhs, rhs], out, context)? {
        return Ok(true);
    }
    Ok(cfg!(target_feature = "relaxed-simd") && winograd::run_if_profitable(plan, [lhs, rhs], out, context)?)
}

/// Runs the convolution as products of weights and windows, with sums in `E`. Fails only if cancelled.
fn run_typed<E: AccumulatorScalar>(
    task: &Convolution,
    operands: [Slice; 2],
    out: &mut SliceMut,
    context: &mut Context,
) -> Result<(), KernelError> {
    if task.out.view.sizes.contains(&0) {
        return Ok(());
    }
    let plan = Plan::new(task);
    let ty = task.lhs.ty;
    if run_specialized(task, &plan, operands, out, context)? {
        return Ok(());
    }
    let reads_input_directly = plan.axes.iter().all(|axis| axis.size == 1 && axis.covers_only_elements());
    let k = plan.depth.len();
    // With less depth, a box may have more positions for a copy of the same size.
    let box_columns = NC * (KC / k.max(1)).clamp(1, 16);
    let max_positions =
        if reads_input_directly { usize::MAX } else { Im2colBuffer::max_positions(&plan, box_columns) };
    let (counts, box_count) = split_into_boxes(&plan.axes, max_positions);
    let positions: usize = counts.iter().product();
    // If features are adjacent in the result, the transposed product is computed: tiles then write contiguous elements.
    let is_transposed = plan.out_features.minor_stride() == 1
        && plan.outputs > 1
        && plan.axes.last().is_some_and(|axis| axis.out_stride != 1);
    let is_narrowed = E::view_mut(out).is_none() || task.out.ty == Type::Pred;
    let (m, n) = if is_transposed { (positions, plan.outputs) } else { (plan.outputs, positions) };
    let weight_reuse = PanelReuse { operand: WEIGHTS, matrices: plan.groups, is_reused: box_count > 1 };
    let reuse =
        if is_transposed { [PanelReuse::ONCE, weight_reuse] } else { [weight_reuse, PanelReuse::ONCE] };
    let mut workspace = Workspace::new::<E>(context, [m, n, k], reuse);
    let mut input_copy = (!reads_input_directly)
        .then(|| Im2colBuffer::new::<E>(&plan, &counts, CopyPadding::default(), context.scratch));
    let mut sums = scratch_for::<E>(context.scratch, if is_narrowed { positions * plan.outputs } else { 0 });
    let mut repair = PaddingRepair::new::<E>(&plan, operands[WEIGHTS], task);
    for group in 0..plan.groups {
        let [input_offset, weight_offset, out_offset] = plan.group_offsets(group);
        for box_index in 0..box_count {
            let position_box = position_box(&plan.axes, &counts, box_index);
            let windows_matrix = group * box_count + box_index;
            let matrices = if is_transposed { [windows_matrix, group] } else { [group, windows_matrix] };
            workspace.select_matrices(matrices);
            let (free, depth) = (&plan.weight_features, &plan.depth);
            let weights =
                MatrixOperand { elements: operands[WEIGHTS], ty, offset: weight_offset, free, depth };
            let input = OperandSlice { elements: operands[0], ty, offset: input_offset };
            let (window_positions, window_depth);
            let windows = if let Some(input_copy) = &mut input_copy {
                input_copy.lay_out(&plan, &position_box);
                let Im2colMatrix { elements, positions, depth } = input_copy.fill::<E>(&plan, input);
                MatrixOperand { elements, ty: E::TYPE, offset: 0, free: positions, depth }
            } else {
                let stride = |axis: &Axis| axis.stride.cast_signed() * axis.input_stride;
                window_positions =
                    OffsetMap::new(plan.axes.iter().map(|axis| (axis.positions, stride(axis))));
                window_depth = OffsetMap::new([(plan.inputs, plan.feature_stride)]);
                let padding_offset: isize = plan.axes.iter().map(|axis| -axis.low * axis.input_stride).sum();
                MatrixOperand {
                    elements: input.elements,
                    ty,
                    offset: input_offset + padding_offset,
                    free: &window_positions,
                    depth: &window_depth,
                }
            };
            let box_positions = position_box.count.iter().product::<usize>();
            let out_features = &plan.out_features;
            let out_positions = OffsetMap::new(
                plan.axes.iter().zip(&position_box.count).map(|(axis, count)| (*count, axis.out_stride)),
            );
            let first = plan.axes.iter().zip(&position_box.first);
            let box_offset =
                out_offset + first.map(|(axis, first)| first.cast_signed() * axis.out_stride).sum::<isize>();
            // The sums of a narrower result are first written to scratch memory, features x positions.
            let scratch_features = OffsetMap::new([(plan.outputs, box_positions.cast_signed())]);
            let scratch_positions = OffsetMap::new([(box_positions, 1)]);
            let (sum_elements, offset, features, positions) = if is_narrowed {
                (elements_of::<E>(&mut sums), 0, &scratch_features, &scratch_positions)
            } else {
                let out = E::view_mut(out).ok_or(KernelError::InvalidTask)?;
                (out, box_offset, out_features, &out_positions)
            };
            let (a, b, rows, columns) = if is_transposed {
                (&windows, &weights, positions, features)
            } else {
                (&weights, &windows, features, positions)
            };
            workspace.multiply(a, b, &mut Out { elements: sum_elements, offset, rows, columns }, context)?;
            repair.recompute_nans::<E>(
                &plan,
                [input, weights.operand_slice()],
                &position_box,
                (sum_elements, offset, [features, positions]),
                context,
            )?;
            if is_narrowed {
                let destinations = [out_features, &out_positions];
                narrow_box(elements_of::<E>(&mut sums), destinations, box_offset, task.out.ty, out);
            }
        }
    }
    workspace.release::<E>(context);
    context.scratch.recycle(sums);
    if let Some(input_copy) = input_copy {
        input_copy.release(context.scratch);
    }
    Ok(())
}

/// Writes the sums of a box, features x positions, to the slots of a result of a narrower type.
fn narrow_box<E: AccumulatorScalar>(
    sums: &[E],
    [features, positions]: [&OffsetMap; 2],
    offset: isize,
    ty: Type,
    out: &mut SliceMut,
) {
    let position_slots: Vec<isize> = (0..positions.len()).map(|i| offset + positions.offset(i)).collect();
    for (feature, sums) in (0..features.len()).zip(sums.chunks_exact(positions.len())) {
        let feature_offset = features.offset(feature);
        let slots: Vec<usize> =
            position_slots.iter().map(|slot| (slot + feature_offset).cast_unsigned()).collect();
        E::narrow(sums, ty, &slots, out);
    }
}
