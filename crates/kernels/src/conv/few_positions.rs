//! 1 x 1 convolutions of `f32` at up to four positions: products of as many vectors with the matrix of weights, which is read
//! once and in place ([`crate::gemm::few_rows`]).

use crate::conv::plan::{Axis, Plan};
use crate::gemm::few_rows::{FewRows, MAX_ROWS};
use crate::gemm::index_group::Group;
use crate::gemm::matrix::{MatrixOperand, Out};
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::Slice;

/// Runs the convolution, if it has this form; returns whether it did. Errors: cancelled.
pub fn run(
    plan: &Plan,
    [lhs, rhs]: [&[f32]; 2],
    out: &mut [f32],
    context: &mut Context,
) -> Result<bool, KernelError> {
    let positions: usize = plan.axes.iter().map(|axis| axis.positions).product();
    if positions > MAX_ROWS
        || plan.outputs <= MAX_ROWS
        || !plan.axes.iter().all(|axis| axis.size == 1 && axis.is_full())
    {
        return Ok(false);
    }
    let group =
        |step: fn(&Axis) -> isize| Group::of(plan.axes.iter().map(|axis| (axis.positions, step(axis))));
    let seen = group(|axis| axis.stride.cast_signed() * axis.input);
    let rows = group(|axis| axis.out);
    let depth = Group::of([(plan.inputs, plan.feature)]);
    let low: isize = plan.axes.iter().map(|axis| -axis.low * axis.input).sum();
    for number in 0..plan.groups {
        let [input, kernel, offset] = plan.group(number);
        let matrix = |cells, offset, outer, depth| MatrixOperand {
            cells: Slice::F32(cells),
            ty: Type::F32,
            offset,
            outer,
            depth,
        };
        let a = matrix(lhs, input + low, &seen, &depth);
        let b = matrix(rhs, kernel, &plan.rows[0], &plan.depth);
        let Some(mut few) = FewRows::of(&a, &b, [positions, plan.outputs, plan.inputs], context) else {
            return Ok(false);
        };
        let mut out = Out { cells: &mut *out, offset, rows: &rows, columns: &plan.rows[1] };
        few.product(&a, &b, &mut out, context)?;
        few.release(context);
    }
    Ok(true)
}
