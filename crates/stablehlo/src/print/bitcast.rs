//! Prints a bitcast, which reinterprets memory as another array. As `StableHLO` has no layouts, it becomes a `bitcast_convert`,
//! a transpose to the operand's memory order, a reshape, and a transpose from the result's memory order.

use super::attributes::array;
use super::{Printer, Scope, Value};
use xla_array::{ArrayShape, Dims, Shape};
use xla_hlo::module::Instruction;

/// The dimensions from major to minor, if the elements are contiguous in memory.
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
        let (memory_sizes, target_sizes) =
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
            step(&mut value, "stablehlo.transpose", &permutation(&from_order), &memory_sizes)?;
        }
        if memory_sizes != target_sizes {
            step(&mut value, "stablehlo.reshape", "", &target_sizes)?;
        }
        // The inverse permutation, from memory order to the result's dimensions.
        let dimensions = (0..).take(to_order.len());
        let inverse: Dims = dimensions
            .map(|dimension| {
                (0..).zip(&to_order).find(|(_, d)| **d == dimension).map(|(position, _)| position)
            })
            .collect::<Option<_>>()?;
        if !is_identity(&inverse) {
            step(&mut value, "stablehlo.transpose", &permutation(&inverse), &to.dimensions)?;
        }
        Some(value.with_shape(&instruction.shape))
    }
}
