//! Replaces the value of an argument or a constant by a simpler one: all zeros, all ones, or one of its elements everywhere.

use std::sync::Arc;

use super::bypass::with_entry;
use crate::cut::types::Program;
use crate::values::Statistics;
use xla_array::{ArrayLiteral, Literal, Value};
use xla_hlo::{Computation, InstructionId};
use xla_ops::{AttrValue, Data};

/// The number of simpler values that are tried per argument or constant.
pub(super) const REPLACEMENTS_PER_SOURCE: usize = 4;

/// The number of arguments and constants of the entry computation.
pub(super) fn count(program: &Program) -> usize {
    program.arguments.len() + constants(program).len()
}

fn constants(program: &Program) -> Vec<InstructionId> {
    let entry = program.module.entry_computation().into_iter();
    let constants = entry.flat_map(Computation::iter).filter(|(_, i)| i.opcode == "constant");
    constants.map(|(id, _)| id).collect()
}

/// The program with a simpler value of an argument or a constant, if there is one.
pub(super) fn simplified(program: &Program, source: usize, replacement: usize) -> Option<Program> {
    if let Some(argument) = program.arguments.get(source) {
        let simpler = simpler(argument.as_ref()?.as_array()?, replacement)?;
        let mut changed = program.clone();
        *changed.arguments.get_mut(source)? = Some(Data::from(simpler));
        return Some(changed);
    }
    let id = *constants(program).get(source.checked_sub(program.arguments.len())?)?;
    let mut entry = program.module.entry_computation()?.clone();
    let instruction = entry.instructions.get_mut(id.index())?;
    let Some(AttrValue::Literal(literal)) = instruction.attrs.get("literal") else { return None };
    let simpler = Literal::Array(simpler(literal.as_array()?, replacement)?);
    instruction.attrs.set("literal", AttrValue::Literal(Arc::new(simpler)));
    with_entry(program, entry)
}

/// The complexity of a value, from 0 for zeros.
fn complexity(array: &ArrayLiteral) -> usize {
    let mut values = array.values();
    let Some(first) = values.next() else { return 0 };
    let is_number = |number: i64| first.same(Value::Int(number).convert(array.element_type()));
    if !values.all(|value| value.same(first)) {
        3
    } else if is_number(0) {
        0
    } else if is_number(1) {
        1
    } else {
        2
    }
}

/// A simpler value of the same shape.
fn simpler(array: &ArrayLiteral, replacement: usize) -> Option<ArrayLiteral> {
    let statistics = Statistics::of(array);
    let element = match replacement {
        0 => Value::Int(0),
        1 => Value::Int(1),
        2 => statistics.max.filter(|_| !array.element_type().is_complex())?,
        _ => statistics.min.filter(|_| !array.element_type().is_complex())?,
    };
    let simpler = ArrayLiteral::filled(array.shape().clone(), element.convert(array.element_type())).ok()?;
    (complexity(&simpler) < complexity(array)).then_some(simpler)
}
