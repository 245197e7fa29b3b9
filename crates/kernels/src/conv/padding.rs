//! Padding is not an operand: an infinite or NaN weight must not be multiplied by its zeros, which would be NaN. Elements that
//! are NaN, possibly by such a product, are summed again without the padding.

use crate::conv::plan::{Axis, Plan, PositionBox};
use crate::conv::task::Convolution;
use crate::gemm::matrix::{KC, OperandSlice};
use crate::gemm::offset_map::OffsetMap;
use crate::gemm::typed::AccumulatorScalar;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::Slice;

/// Detects and recomputes elements that products with padding may have made NaN.
pub struct PaddingRepair {
    /// Whether there is padding, or gaps of dilation.
    is_padded: bool,
    /// Whether a weight is infinite or NaN; `None` until the weights are examined.
    has_nonfinite_weight: Option<bool>,
}

impl PaddingRepair {
    /// Examines the weights, if they are fewer than the elements of the result; otherwise they are examined when one of these
    /// is NaN.
    pub fn new<E: AccumulatorScalar>(plan: &Plan, weights: Slice, task: &Convolution) -> Self {
        let is_padded = !plan.axes.iter().all(Axis::covers_only_elements);
        let mut repair = Self { is_padded, has_nonfinite_weight: None };
        let result_elements = task.out.view.elements();
        // The common case, that all weights are finite, takes one vectorized pass.
        if let Slice::F32(weights) = weights
            && is_padded
            && weights.len() <= 4 * result_elements
            && are_finite(weights)
        {
            repair.has_nonfinite_weight = Some(false);
            return repair;
        }
        if is_padded && plan.depth.len() * plan.outputs * plan.groups <= result_elements {
            repair.examine_weights::<E>(plan, weights, task.lhs.ty);
        }
        repair
    }

    /// Returns whether a weight is infinite or NaN; examines the weights in the first call.
    fn examine_weights<E: AccumulatorScalar>(&mut self, plan: &Plan, weights: Slice, ty: Type) -> bool {
        if let Some(has_nonfinite) = self.has_nonfinite_weight {
            return has_nonfinite;
        }
        let mut has_nonfinite = false;
        let (mut depth, mut numbers) = (vec![0; KC], vec![E::default(); KC]);
        for group in 0..plan.groups {
            let [_, offset, _] = plan.group_offsets(group);
            let weights = OperandSlice { elements: weights, ty, offset };
            for output in 0..plan.outputs {
                let row_offset = offset + plan.weight_features.offset(output);
                for first_depth in (0..plan.depth.len()).step_by(KC) {
                    let kc = KC.min(plan.depth.len() - first_depth);
                    plan.depth.fill(first_depth, 0, &mut depth[..kc]);
                    E::gather(weights, &[row_offset], &depth[..kc], 1, &mut numbers[..kc]);
                    // Zero times infinity or NaN is NaN, zero times a finite number is not.
                    let is_nonfinite_number = |x: &E| E::default().plus_product(E::default(), *x).is_nan();
                    has_nonfinite |= numbers[..kc].iter().any(is_nonfinite_number);
                }
            }
        }
        self.has_nonfinite_weight = Some(has_nonfinite);
        has_nonfinite
    }

    /// Recomputes the elements of a box of positions that products with padding may have made NaN. Fails only if cancelled.
    pub fn recompute_nans<E: AccumulatorScalar>(
        &mut self,
        plan: &Plan,
        operands: [OperandSlice; 2],
        position_box: &PositionBox,
        (sums, offset, [features, positions]): (&mut [E], isize, [&OffsetMap; 2]),
        context: &mut Context,
    ) -> Result<(), KernelError> {
        if !self.is_padded || self.has_nonfinite_weight == Some(false) {
            return Ok(());
        }
        let mut position_offsets = vec![0; positions.len()];
        positions.fill(0, offset, &mut position_offsets);
        for output in 0..plan.outputs {
            let feature_offset = features.offset(output);
            for (i, position_offset) in position_offsets.iter().enumerate() {
                let sum = &mut sums[(position_offset + feature_offset).cast_unsigned()];
                if !sum.is_nan() {
                    continue;
                }
                if !self.examine_weights::<E>(plan, operands[1].elements, operands[1].ty) {
                    return Ok(());
                }
                let (mut rest, mut position) = (i, position_box.first.clone());
                for (index, count) in position.iter_mut().zip(&position_box.count).rev() {
                    *index += rest % count;
                    rest /= count;
                }
                *sum = plan.sum_without_padding(operands, &position, output);
                context.check_cancelled()?;
            }
        }
        Ok(())
    }
}

/// Whether no number is infinite or NaN: zero times each number is zero.
fn are_finite(numbers: &[f32]) -> bool {
    let (fours, rest) = numbers.as_chunks::<4>();
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
