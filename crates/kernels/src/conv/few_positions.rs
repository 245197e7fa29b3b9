//! 1 x 1 convolutions of `f32` at up to four positions: products of a few rows of input with the matrix of weights, which is read
//! once and in place ([`crate::gemm::few_rows`]).

use crate::conv::plan::{Axis, Plan};
use crate::gemm::few_rows::{FewRows, MAX_ROWS};
use crate::gemm::matrix::{MatrixOperand, Out};
use crate::gemm::offset_map::OffsetMap;
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::Slice;

/// Runs the convolution, if it has this form; returns whether it did. Fails only if cancelled.
pub fn run(
    plan: &Plan,
    [lhs, rhs]: [&[f32]; 2],
    out: &mut [f32],
    context: &mut Context,
) -> Result<bool, KernelError> {
    let positions: usize = plan.axes.iter().map(|axis| axis.positions).product();
    if positions > MAX_ROWS
        || plan.outputs <= MAX_ROWS
        || !plan.axes.iter().all(|axis| axis.size == 1 && axis.covers_only_elements())
    {
        return Ok(false);
    }
    let positions_with = |stride: fn(&Axis) -> isize| {
        OffsetMap::new(plan.axes.iter().map(|axis| (axis.positions, stride(axis))))
    };
    let input_positions = positions_with(|axis| axis.stride.cast_signed() * axis.input_stride);
    let out_positions = positions_with(|axis| axis.out_stride);
    let depth = OffsetMap::new([(plan.inputs, plan.feature_stride)]);
    let padding_offset: isize = plan.axes.iter().map(|axis| -axis.low * axis.input_stride).sum();
    for group in 0..plan.groups {
        let [input, weights, offset] = plan.group_offsets(group);
        let matrix = |elements, offset, free, depth| MatrixOperand {
            elements: Slice::F32(elements),
            ty: Type::F32,
            offset,
            free,
            depth,
        };
        let a = matrix(lhs, input + padding_offset, &input_positions, &depth);
        let b = matrix(rhs, weights, &plan.weight_features, &plan.depth);
        let Some(mut few_rows) = FewRows::new(&a, &b, [positions, plan.outputs, plan.inputs], context) else {
            return Ok(false);
        };
        let mut out = Out { elements: &mut *out, offset, rows: &out_positions, columns: &plan.out_features };
        few_rows.multiply(&a, &b, &mut out, context)?;
        few_rows.release(context);
    }
    Ok(true)
}
