//! Padding is not an operand: an infinite or NaN weight must not be multiplied by its zeros, which would be NaN. Cells that are
//! NaN, possibly by such a product, are summed again without the padding.

use crate::conv::plan::{Axis, Plan, PositionBox};
use crate::conv::task::Convolution;
use crate::gemm::index_group::Group;
use crate::gemm::matrix::{KC, MatrixOperand};
use crate::gemm::typed::SumType;
use crate::ground::context::Context;
use crate::ground::element::Type;
use crate::ground::slice::Slice;
use crate::ground::stop::Stop;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// Detects and recomputes cells that products with padding may have made NaN.
pub struct PaddingRepair {
    /// Whether there is padding, or gaps of dilation.
    is_padded: bool,
    /// Whether a weight is infinite or NaN; `None` until the weights are examined.
    has_nonfinite_weight: Option<bool>,
}

impl PaddingRepair {
    /// Examines the weights, if they are fewer than the cells of the result; otherwise they are examined when a cell is NaN.
    pub fn of<E: SumType>(plan: &Plan, kernel: Slice, task: &Convolution) -> Self {
        let is_padded = !plan.axes.iter().all(Axis::is_full);
        let mut repair = Self { is_padded, has_nonfinite_weight: None };
        let elements = task.out.view.elements();
        // The common case, that all weights are finite, takes one vectorized pass.
        if let Slice::F32(weights) = kernel
            && is_padded
            && weights.len() <= 4 * elements
            && are_finite(weights)
        {
            repair.has_nonfinite_weight = Some(false);
            return repair;
        }
        if is_padded && plan.depth.len() * plan.outputs * plan.groups <= elements {
            repair.examine_weights::<E>(plan, kernel, task.lhs.ty);
        }
        repair
    }

    /// Returns whether a weight is infinite or NaN.
    fn examine_weights<E: SumType>(&mut self, plan: &Plan, cells: Slice, ty: Type) -> bool {
        if let Some(is_nonfinite) = self.has_nonfinite_weight {
            return is_nonfinite;
        }
        let mut is_nonfinite = false;
        let (mut depth, mut numbers) = (vec![0; KC], vec![E::default(); KC]);
        for group in 0..plan.groups {
            let [_, offset, _] = plan.group(group);
            let side = MatrixOperand { cells, ty, offset, outer: &plan.rows[0], depth: &plan.depth };
            for row in 0..plan.outputs {
                let line = offset + plan.rows[0].at(row);
                for first_depth in (0..plan.depth.len()).step_by(KC) {
                    let kc = KC.min(plan.depth.len() - first_depth);
                    plan.depth.fill(first_depth, 0, &mut depth[..kc]);
                    E::gather(&side, &[line], &depth[..kc], 1, &mut numbers[..kc]);
                    // Zero times infinity or NaN is NaN, zero times a finite number is not.
                    let odd = |x: &E| E::default().plus_product(E::default(), *x).is_nan();
                    is_nonfinite |= numbers[..kc].iter().any(odd);
                }
            }
        }
        self.has_nonfinite_weight = Some(is_nonfinite);
        is_nonfinite
    }

    /// Recomputes the cells of a box of positions that products with padding may have made NaN. Errors: cancelled.
    pub fn repair_cells<E: SumType>(
        &mut self,
        plan: &Plan,
        sides: [&MatrixOperand; 2],
        position: &PositionBox,
        (cells, offset, [rows, positions]): (&mut [E], isize, [&Group; 2]),
        context: &mut Context,
    ) -> Result<(), Stop> {
        if !self.is_padded || self.has_nonfinite_weight == Some(false) {
            return Ok(());
        }
        let mut columns = vec![0; positions.len()];
        positions.fill(0, offset, &mut columns);
        for row in 0..plan.outputs {
            let line = rows.at(row);
            for (i, column) in columns.iter().enumerate() {
                let cell = &mut cells[(column + line).cast_unsigned()];
                if !cell.is_nan() {
                    continue;
                }
                if !self.examine_weights::<E>(plan, sides[1].cells, sides[1].ty) {
                    return Ok(());
                }
                let (mut rest, mut at) = (i, position.first.clone());
                for (at, count) in at.iter_mut().zip(&position.count).rev() {
                    *at += rest % count;
                    rest /= count;
                }
                *cell = plan.cell(sides, &at, row);
                context.tick(0)?;
            }
        }
        Ok(())
    }
}

/// Whether no number is infinite or NaN: zero times each number is zero.
fn are_finite(all: &[f32]) -> bool {
    let (fours, rest) = all.as_chunks::<4>();
    let mut sums = [F32x4::zero(); 4];
    for fours in fours.chunks(4) {
        for (sum, four) in sums.iter_mut().zip(fours) {
            *sum = sum.add(F32x4::load(four).mul(F32x4::zero()));
        }
    }
    let [a, b, c, d] = sums;
    let sum = a.add(b).add(c.add(d));
    !sum.ne(sum).any() && rest.iter().all(|x| x.is_finite())
}
