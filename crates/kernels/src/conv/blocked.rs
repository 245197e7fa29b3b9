//! Convolutions: any rank, strides, padding, dilations, reversal, groups and layout.
//!
//! A convolution is a product of matrices: rows are output features, columns are the positions of the window (batch and
//! spatial dimensions of the result), depth is input features and cells of the window, in the order of the kernel's
//! dimensions. The columns are divided into boxes; the input under a box is copied with padding, so that neighbouring positions
//! read adjacent cells ([`crate::conv::im2col`]) and the copy fits a cache. A window of one cell needs no copy. Sums are in the
//! order of [`crate::gemm::blocked`].
//!
//! Padding is not an operand: an infinite or NaN weight must not be multiplied by its zeros. A cell that is NaN by such a product
//! is summed again without the padding ([`crate::conv::padding`]).

#![allow(
    clippy::many_single_char_names,
    reason = "the names of the formulas: matrices a and b, of m, n and k"
)]

use crate::conv::depthwise;
use crate::conv::few_positions;
use crate::conv::im2col::{Stage, Staged};
use crate::conv::padding::PaddingRepair;
use crate::conv::plan::{Axis, Plan, boxes, position_box};
use crate::conv::task::Convolution;
use crate::conv::winograd;
use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelOf, in_kernel_builds};
use crate::gemm::blocked::Work;
use crate::gemm::index_group::Group;
use crate::gemm::matrix::{KC, MatrixOperand, NC, Out, cells_of, room};
use crate::gemm::panels::PanelReuse;
use crate::gemm::sum::{Sum, is_wider, sum_of};
use crate::gemm::typed::SumType;
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::{Slice, SliceMut};

/// The kernels of [`Convolution`].
pub static KERNELS: &[KernelOf<Convolution>] = &[
    kernel("convolution f32", true, if cfg!(target_feature = "relaxed-simd") { 8.0 } else { 1.0 }, |task| {
        matches!(types(task), Some((Type::F32, Type::F32)))
    }),
    kernel("convolution f16 bf16 in f32", true, 1.0, |task| {
        let is_half = |ty| matches!(ty, Type::F16 | Type::BF16);
        types(task).is_some_and(|(from, to)| is_half(from) && (is_half(to) || to == Type::F32))
    }),
    kernel("convolution f64 complex", false, 2.0, |task| {
        types(task).is_some_and(|(_, to)| matches!(sum_of(to), Sum::F64 | Sum::C64 | Sum::C128))
    }),
    kernel("convolution integer", false, 0.0, |task| types(task).is_some()),
];

const fn kernel(
    name: &'static str,
    is_vector: bool,
    error_bound_ulp: f64,
    supports: fn(&Convolution) -> bool,
) -> KernelOf<Convolution> {
    KernelOf { kernel: Kernel { name, is_vector, error_bound_ulp }, supports, run: in_kernel_builds(run) }
}

/// The type of both operands, and that of the result, where there is a kernel for them.
fn types(convolution: &Convolution) -> Option<(Type, Type)> {
    let (from, to) = (convolution.lhs.ty, convolution.out.ty);
    (from == convolution.rhs.ty && is_wider(from, to)).then_some((from, to))
}

fn run(task: CheckedTask<Convolution>, context: &mut Context) -> Result<(), KernelError> {
    let (convolution, [lhs, rhs], [out]) = task.into_parts() else { return Err(KernelError::InvalidTask) };
    let cells = [*lhs, *rhs];
    match sum_of(convolution.out.ty) {
        Sum::F32 => typed::<f32>(convolution, cells, out, context),
        Sum::F64 => typed::<f64>(convolution, cells, out, context),
        Sum::I32 => typed::<i32>(convolution, cells, out, context),
        Sum::I64 => typed::<i64>(convolution, cells, out, context),
        Sum::C64 => typed::<[f32; 2]>(convolution, cells, out, context),
        Sum::C128 => typed::<[f64; 2]>(convolution, cells, out, context),
    }
}

/// Runs a specialised algorithm of `f32`, if one applies; returns whether it did. Errors: cancelled.
fn special(
    task: &Convolution,
    plan: &Plan,
    cells: [Slice; 2],
    out: &mut SliceMut,
    context: &mut Context,
) -> Result<bool, KernelError> {
    let ([Slice::F32(lhs), Slice::F32(rhs)], SliceMut::F32(out)) = (cells, out) else { return Ok(false) };
    if depthwise::supports(plan) {
        let mut repair = PaddingRepair::of::<f32>(plan, cells[1], task);
        return depthwise::run(plan, [lhs, rhs], out, &mut repair, context).map(|()| true);
    }
    if few_positions::run(plan, [lhs, rhs], out, context)? {
        return Ok(true);
    }
    Ok(cfg!(target_feature = "relaxed-simd") && winograd::run_if_paying(plan, [lhs, rhs], out, context)?)
}

fn typed<E: SumType>(
    task: &Convolution,
    cells: [Slice; 2],
    out: &mut SliceMut,
    context: &mut Context,
) -> Result<(), KernelError> {
    if task.out.view.sizes.contains(&0) {
        return Ok(());
    }
    let plan = Plan::of(task);
    let ty = task.lhs.ty;
    if special(task, &plan, cells, out, context)? {
        return Ok(());
    }
    let is_direct = plan.axes.iter().all(|axis| axis.size == 1 && axis.is_full());
    let k = plan.depth.len();
    // With less depth, a box may have more positions for a copy of the same size.
    let wide = NC * (KC / k.max(1)).clamp(1, 16);
    let most = if is_direct { usize::MAX } else { Stage::max_positions(&plan, wide) };
    let (counts, count) = boxes(&plan.axes, most);
    let columns: usize = counts.iter().product();
    // Where features are adjacent in the result, positions become the rows, so that tiles write contiguous cells.
    let is_exchanged =
        plan.rows[1].minor() == 1 && plan.outputs > 1 && plan.axes.last().is_some_and(|a| a.out != 1);
    let is_narrow = E::view_mut(out).is_none() || task.out.ty == Type::Pred;
    let (m, n) = if is_exchanged { (columns, plan.outputs) } else { (plan.outputs, columns) };
    let weights = PanelReuse { operand: 1, matrices: plan.groups, is_again: count > 1 };
    let exchange = |pair: [PanelReuse; 2]| if is_exchanged { [pair[1], pair[0]] } else { pair };
    let mut work = Work::new::<E>(context, [m, n, k], exchange([weights, PanelReuse::ONCE]));
    let mut stage = (!is_direct).then(|| Stage::new::<E>(&plan, &counts, 0, 0, context.scratch));
    let mut sums = room::<E>(context.scratch, if is_narrow { columns * plan.outputs } else { 0 });
    let mut repair = PaddingRepair::of::<E>(&plan, cells[1], task);
    for group in 0..plan.groups {
        let [input, kernel, result] = plan.group(group);
        for number in 0..count {
            let position = position_box(&plan.axes, &counts, number);
            let seen = group * count + number;
            work.choose(if is_exchanged { [seen, group] } else { [group, seen] });
            let (outer, depth) = (&plan.rows[0], &plan.depth);
            let weights = MatrixOperand { cells: cells[1], ty, offset: kernel, outer, depth };
            let all = MatrixOperand { cells: cells[0], ty, offset: input, outer, depth };
            let lines;
            let depth;
            let seen = if let Some(stage) = &mut stage {
                stage.lay_out(&plan, &position, 0);
                let Staged { cells, outer, depth } = stage.fill::<E>(&plan, &all);
                MatrixOperand { cells, ty: E::TYPE, offset: 0, outer, depth }
            } else {
                let step = |axis: &Axis| axis.stride.cast_signed() * axis.input;
                lines = Group::of(plan.axes.iter().map(|axis| (axis.positions, step(axis))));
                depth = Group::of([(plan.inputs, plan.feature)]);
                let low: isize = plan.axes.iter().map(|axis| -axis.low * axis.input).sum();
                MatrixOperand { offset: input + low, outer: &lines, depth: &depth, ..all }
            };
            let axes = plan.axes.iter().zip(&position.count);
            let mut rows = plan.rows[1].clone();
            let mut positions = Group::of(axes.map(|(axis, count)| (*count, axis.out)));
            let first = plan.axes.iter().zip(&position.first);
            let mut offset =
                result + first.map(|(axis, first)| first.cast_signed() * axis.out).sum::<isize>();
            let own = position.count.iter().product::<usize>();
            let slots = (rows.clone(), positions.clone(), offset);
            if is_narrow {
                rows = Group::of([(plan.outputs, own.cast_signed())]);
                positions = Group::of([(own, 1)]);
                offset = 0;
            }
            let cells = if is_narrow {
                cells_of::<E>(&mut sums)
            } else {
                E::view_mut(out).ok_or(KernelError::InvalidTask)?
            };
            let (a, b) = if is_exchanged { (&seen, &weights) } else { (&weights, &seen) };
            let (of_a, of_b) = if is_exchanged { (&positions, &rows) } else { (&rows, &positions) };
            work.product(a, b, &mut Out { cells, offset, rows: of_a, columns: of_b }, context)?;
            repair.repair_cells::<E>(
                &plan,
                [&all, &weights],
                &position,
                (cells, offset, [&rows, &positions]),
                context,
            )?;
            if is_narrow {
                let (rows, positions, offset) = slots;
                let columns: Vec<isize> = (0..own).map(|i| offset + positions.at(i)).collect();
                let sums = cells_of::<E>(&mut sums);
                for (row, sums) in (0..plan.outputs).zip(sums.chunks_exact(own)) {
                    let at = rows.at(row);
                    let slots: Vec<usize> =
                        columns.iter().map(|column| (at + column).cast_unsigned()).collect();
                    E::narrow(sums, task.out.ty, &slots, out);
                }
            }
        }
    }
    work.release::<E>(context);
    context.scratch.recycle(sums);
    if let Some(stage) = stage {
        stage.release(context.scratch);
    }
    Ok(())
}
