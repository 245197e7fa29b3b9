//! Replaces a dimension size by a smaller one throughout a program, and crops its arguments and constants.
//!
//! Dimensions of the same size are usually the same dimension. If shape inference rejects the changed program, it is not a
//! candidate.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::bypass::with_entry;
use crate::cut::types::Program;
use xla_array::{ArrayLiteral, ArrayShape, Literal, Shape};
use xla_hlo::{Computation, Module};
use xla_ops::attrs::SliceDim;
use xla_ops::{AttrValue, Attrs, Data};

/// Maximum nesting of tuples whose sizes are changed.
const MAX_TUPLE_DEPTH: usize = 32;

/// The sizes of the dimensions in the entry computation that are larger than 1, the largest first.
pub(super) fn sizes(program: &Program) -> Vec<i64> {
    let mut sizes = BTreeSet::new();
    let entry = program.module.entry_computation();
    for instruction in entry.into_iter().flat_map(|entry| &entry.instructions) {
        let mut worklist = vec![&instruction.shape];
        while let Some(shape) = worklist.pop() {
            match shape {
                Shape::Array(array) => {
                    sizes.extend(array.dimensions.iter().copied().filter(|size| *size > 1));
                }
                Shape::Tuple(elements) => worklist.extend(elements.iter()),
                Shape::Token | Shape::Opaque | Shape::Buffer(_) => {}
            }
        }
    }
    sizes.into_iter().rev().collect()
}

/// Smaller sizes to try, the smallest first.
pub(super) fn replacements(size: i64) -> Vec<i64> {
    let smaller: BTreeSet<i64> = [1, 2, size / 2].into_iter().filter(|to| (1..size).contains(to)).collect();
    smaller.into_iter().collect()
}

/// The program with one size replaced by another, if it is valid.
pub(super) fn resized(program: &Program, from: i64, to: i64) -> Option<Program> {
    let size = |size: i64| if size == from { to } else { size };
    let mut module = Module::clone(&program.module);
    for computation in &mut module.computations {
        resize(computation, &size)?;
    }
    let entry = module.entry_computation()?.clone();
    let arguments = program.arguments.iter().map(|argument| match argument {
        Some(data) => Some(Some(Data::from(cropped(&data.to_literal(), &size, 0)?))),
        None => Some(None),
    });
    let changed = Program { arguments: arguments.collect::<Option<_>>()?, module };
    with_entry(&changed, entry)
}

fn resize(computation: &mut Computation, size: &impl Fn(i64) -> i64) -> Option<()> {
    for instruction in &mut computation.instructions {
        instruction.shape = resized_shape(&instruction.shape, size, 0)?;
        let mut attrs: Vec<(&'static str, AttrValue)> = Vec::new();
        for (name, value) in instruction.attrs.iter() {
            let changed = match value {
                AttrValue::Literal(literal) => AttrValue::Literal(Arc::new(cropped(literal, size, 0)?)),
                AttrValue::Ints(ints) if name.ends_with("slice_sizes") => {
                    AttrValue::Ints(ints.iter().map(|n| size(*n)).collect())
                }
                AttrValue::Slice(dims) => AttrValue::Slice(
                    dims.iter().map(|dim| SliceDim { limit: size(dim.limit), ..*dim }).collect(),
                ),
                _ => continue,
            };
            attrs.push((name, changed));
        }
        let mut all: Attrs = instruction.attrs.clone();
        for (name, value) in attrs {
            all.set(name, value);
        }
        instruction.attrs = all;
    }
    Some(())
}

fn resized_array(array: &ArrayShape, size: &impl Fn(i64) -> i64) -> ArrayShape {
    ArrayShape { dimensions: array.dimensions.iter().map(|n| size(*n)).collect(), ..array.clone() }
}

fn resized_shape(shape: &Shape, size: &impl Fn(i64) -> i64, depth: usize) -> Option<Shape> {
    match shape {
        Shape::Array(array) => Some(Shape::Array(resized_array(array, size))),
        Shape::Tuple(elements) if depth < MAX_TUPLE_DEPTH => {
            let elements = elements.iter().map(|shape| resized_shape(shape, size, depth + 1));
            elements.collect::<Option<_>>().map(Shape::Tuple)
        }
        Shape::Tuple(_) => None,
        other => Some(other.clone()),
    }
}

/// A literal cropped to the first elements of every dimension.
fn cropped(literal: &Literal, size: &impl Fn(i64) -> i64, depth: usize) -> Option<Literal> {
    match literal {
        Literal::Array(array) => {
            let shape = resized_array(array.shape(), size);
            if shape == *array.shape() {
                return Some(literal.clone());
            }
            let zero = xla_array::Value::from_bits(shape.element_type, 0);
            // Every index of the smaller array is one of the larger.
            let element = |_: i64, index: &[i64]| array.get(index).unwrap_or(zero);
            ArrayLiteral::from_fn(shape, element).ok().map(Literal::Array)
        }
        Literal::Tuple(elements) if depth < MAX_TUPLE_DEPTH => {
            let elements = elements.iter().map(|element| cropped(element, size, depth + 1));
            elements.collect::<Option<_>>().map(Literal::Tuple)
        }
        Literal::Tuple(_) => None,
        Literal::Token => Some(Literal::Token),
    }
}
