//! A bitcast, which reads memory as another array. `StableHLO` has no layouts: there it is a change of type, and a reshape
//! between two transposes, which lay the elements out as they are in memory.

use super::attributes::array;
use super::{Printer, Scope, Value};
use xla_array::{ArrayShape, Dims, Shape};
use xla_hlo::module::Instruction;

/// The dimensions from major to minor, if the elements lie in memory in that order without gaps.
fn major_to_minor(shape: &ArrayShape) -> Option<Dims> {
    let Some(layout) = &shape.layout else { return Some((0..).take(shape.rank()).collect()) };
    let has_gaps = layout.padding.as_ref().is_some_and(|padding| !padding.dimensions.is_empty());
    let is_dense = layout.tiles.is_empty() && !has_gaps && layout.element_size_in_bits == 0;
    is_dense.then(|| layout.minor_to_major.iter().rev().copied().collect())
}

fn permuted(sizes: &[i64], order: &[i64]) -> Option<Dims> {
    order.iter().map(|dimension| sizes.get(usize::try_from(*dimension).ok()?).copied()).collect()
}

fn is_identity(order: &[i64]) -> bool {
    (0..).zip(order).all(|(position, dimension)| position == *dimension)
}

fn permutation(order: &[i64]) -> String {
    format!("permutation = {}", array(order.iter().copied()))
}

impl Printer<'_> {
    /// Prints a bitcast between arrays of elements of the same width; `None` for others, and for layouts with gaps.
    pub(super) fn bitcast(
        &mut self,
        scope: &mut Scope,
        instruction: &Instruction,
        operand: &Value,
    ) -> Option<Value> {
        let Value::Single(_, from) = operand else { return None };
        let from = from.as_array()?;
        let to = instruction.shape.as_array()?;
        if from.element_type.bits() != to.element_type.bits() {
            return None;
        }
        let (from_order, to_order) = (major_to_minor(from)?, major_to_minor(to)?);
        let (in_memory, target) =
            (permuted(&from.dimensions, &from_order)?, permuted(&to.dimensions, &to_order)?);
        let mut value = operand.clone();
        let mut step = |value: &mut Value, name: &str, attributes: &str, sizes: &Dims| {
            let shape = Shape::Array(ArrayShape::new(to.element_type, sizes.clone()));
            *value = self.op_of(scope, instruction, name, &value.leaves(), attributes, &[], &shape)?;
            Some(())
        };
        if from.element_type != to.element_type {
            step(&mut value, "stablehlo.bitcast_convert", "", &from.dimensions)?;
        }
        if !is_identity(&from_order) {
            step(&mut value, "stablehlo.transpose", &permutation(&from_order), &in_memory)?;
        }
        if in_memory != target {
            step(&mut value, "stablehlo.reshape", "", &target)?;
        }
        // The inverse: where each dimension of the result is in memory.
        let dimensions = (0..).take(to_order.len());
        let back: Dims = dimensions
            .map(|dimension| {
                (0..).zip(&to_order).find(|(_, d)| **d == dimension).map(|(position, _)| position)
            })
            .collect::<Option<_>>()?;
        if !is_identity(&back) {
            step(&mut value, "stablehlo.transpose", &permutation(&back), &to.dimensions)?;
        }
        Some(value.with_shape(&instruction.shape))
    }
}
