//! Bytes that tiles waste: for each shape, and for the whole module.

use std::collections::HashMap;

use super::bytes::Bytes;
use super::movement::arrays;
use super::roles::ComputationRoles;
use super::{InstructionRef, computations};
use xla_array::ArrayShape;
use xla_hlo::Module;

/// A padded shape of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaddedShape {
    /// The array with its layout.
    pub array: ArrayShape,
    /// The bytes of one value.
    pub bytes: Bytes,
    /// The number of values of this shape.
    pub count: u64,
    /// The first instruction with such a value.
    pub first: InstructionRef,
}

/// The padding of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Padding {
    /// The padded shapes, those with the most bytes of padding in all values first.
    pub shapes: Vec<PaddedShape>,
    /// The bytes of all values in memory, padded or not.
    pub total: Bytes,
}

/// Ops whose result is not a new value.
const FORWARDING: &[&str] =
    &["add-dependency", "bitcast", "domain", "get-tuple-element", "opt-barrier", "tuple", "while"];

/// The padding of the values that a module keeps in memory. Values within fusions are not in memory, and a value that is
/// passed to a computation counts where it is defined.
pub fn padding(module: &Module, roles: &ComputationRoles) -> Padding {
    let mut padding = Padding::default();
    let mut indices: HashMap<ArrayShape, usize> = HashMap::new();
    for (id, computation) in computations(module) {
        if !roles.role(id).materializes_values() {
            continue;
        }
        for (at, instruction) in computation.iter() {
            let is_new = match instruction.opcode.as_str() {
                "parameter" => module.entry == Some(id),
                opcode => FORWARDING.binary_search(&opcode).is_err() && !opcode.ends_with("-done"),
            };
            if !is_new {
                continue;
            }
            for value in arrays(&instruction.shape) {
                padding.total = padding.total.plus(value.bytes);
                if value.bytes.padding() == 0 {
                    continue;
                }
                let next = padding.shapes.len();
                let index = *indices.entry(value.array.clone()).or_insert(next);
                match padding.shapes.get_mut(index) {
                    Some(shape) => shape.count += 1,
                    None => padding.shapes.push(PaddedShape {
                        array: value.array,
                        bytes: value.bytes,
                        count: 1,
                        first: (id, at),
                    }),
                }
            }
        }
    }
    let waste = |shape: &PaddedShape| shape.bytes.padding().saturating_mul(shape.count);
    padding.shapes.sort_by_key(|shape| (std::cmp::Reverse(waste(shape)), shape.first));
    padding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_for_binary_search() {
        assert!(FORWARDING.is_sorted());
    }
}
