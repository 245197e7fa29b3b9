//! The number of iterations of a loop.
//!
//! It is known if the loop's `backend_config` has a `known_trip_count`, or if the loop has an induction variable: an integer that
//! starts at a constant, changes by a constant in each iteration, and is compared with a constant.

use super::InstructionRef;
use xla_array::{Literal, Value};
use xla_hlo::{Instruction, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId};

/// Maximum number of instructions that are followed to find the definitions of the values of one loop.
const MAX_FOLLOWED_INSTRUCTIONS: usize = 256;

/// The number of iterations of a `while`, if it is known.
pub fn trip_count(module: &Module, at: InstructionRef) -> Option<u64> {
    let instruction = super::instruction(module, at).filter(|instruction| instruction.opcode == "while")?;
    annotated_trip_count(instruction).or_else(|| inferred_trip_count(module, at.0, instruction))
}

/// The `known_trip_count` of the backend's configuration: `"known_trip_count":{"n":"10"}`.
fn annotated_trip_count(instruction: &Instruction) -> Option<u64> {
    let (_, after) = instruction.annotation("backend_config")?.split_once("known_trip_count")?;
    let digits = after.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '}');
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The definition of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Definition {
    /// An integer constant.
    Constant(i64),
    /// Element `.1` of parameter `.0`; `None` for the parameter itself.
    Parameter(usize, Option<i64>),
    /// The instruction that computes it.
    Computed(ComputationId, InstructionId),
}

/// Follows values to their definitions, through copies, tuples, fusions and calls.
struct Resolver<'m> {
    module: &'m Module,
    followed_instructions: usize,
}

impl<'m> Resolver<'m> {
    fn new(module: &'m Module) -> Self {
        Self { module, followed_instructions: 0 }
    }

    /// The definition of an instruction's value. `callers` are the calls around the computation, the innermost last; they are
    /// returned for the computation of the definition. Parameters of the outermost computation are definitions.
    fn definition(
        &mut self,
        callers: &[InstructionRef],
        computation: ComputationId,
        id: InstructionId,
    ) -> Option<(Definition, Vec<InstructionRef>)> {
        let mut callers = callers.to_vec();
        let (mut computation, mut id) = (computation, id);
        // The indices of get-tuple-elements that are still to be applied, the next one last.
        let mut indices: Vec<i64> = Vec::new();
        loop {
            self.followed_instructions += 1;
            if self.followed_instructions > MAX_FOLLOWED_INSTRUCTIONS {
                return None;
            }
            let body = self.module.get(computation)?;
            let instruction = body.get(id)?;
            match instruction.opcode.as_str() {
                "copy" | "bitcast" | "reshape" | "opt-barrier" => id = *instruction.operands.first()?,
                "broadcast" if instruction.shape.as_array()?.rank() == 0 => {
                    id = *instruction.operands.first()?;
                }
                "get-tuple-element" => {
                    indices.push(int_attr(instruction, "index")?);
                    id = *instruction.operands.first()?;
                }
                "tuple" => {
                    let index = usize::try_from(indices.pop()?).ok()?;
                    id = *instruction.operands.get(index)?;
                }
                "fusion" | "call" => {
                    let name = if instruction.opcode == "fusion" { "calls" } else { "to_apply" };
                    let Some(AttrValue::Computation(called)) = instruction.attrs.get(name) else {
                        return None;
                    };
                    callers.push((computation, id));
                    computation = *called;
                    id = self.module.get(computation)?.root?;
                }
                "parameter" => {
                    let number = body.parameters.iter().position(|parameter| *parameter == id)?;
                    if let Some((caller, call)) = callers.pop() {
                        let call = self.module.get(caller)?.get(call)?;
                        (computation, id) = (caller, *call.operands.get(number)?);
                        continue;
                    }
                    let definition = match indices.as_slice() {
                        [] => Definition::Parameter(number, None),
                        [index] => Definition::Parameter(number, Some(*index)),
                        _ => return None,
                    };
                    return Some((definition, callers));
                }
                "constant" if indices.is_empty() => {
                    return Some((Definition::Constant(integer_constant(instruction)?), callers));
                }
                _ if indices.is_empty() => return Some((Definition::Computed(computation, id), callers)),
                _ => return None,
            }
        }
    }
}

fn int_attr(instruction: &Instruction, name: &str) -> Option<i64> {
    match instruction.attrs.get(name) {
        Some(AttrValue::Int(int)) => Some(*int),
        _ => None,
    }
}

/// The value of a constant integer, or of the first element of an array of integers.
fn integer_constant(constant: &Instruction) -> Option<i64> {
    let (_, value) = constant.attrs.iter().find(|(_, value)| matches!(value, AttrValue::Literal(_)))?;
    let AttrValue::Literal(literal) = value else { return None };
    let Literal::Array(array) = literal.as_ref() else { return None };
    match array.get(&vec![0; array.shape().rank()])? {
        Value::Int(value) => Some(value),
        Value::Uint(value) => i64::try_from(value).ok(),
        _ => None,
    }
}

/// The trip count of a loop whose induction variable counts by a constant, up or down to a constant.
fn inferred_trip_count(module: &Module, id: ComputationId, instruction: &Instruction) -> Option<u64> {
    let called = |name: &str| match instruction.attrs.get(name) {
        Some(AttrValue::Computation(id)) => Some(*id),
        _ => None,
    };
    let (condition, body) = (called("condition")?, called("body")?);
    let mut resolver = Resolver::new(module);

    // The comparison of the induction variable with the limit.
    let root = module.get(condition)?.root?;
    let (Definition::Computed(compare_computation, compare), callers) =
        resolver.definition(&[], condition, root)?
    else {
        return None;
    };
    let compare = module.get(compare_computation)?.get(compare)?;
    let Some(AttrValue::Keyword(direction)) = compare.attrs.get("direction") else { return None };
    let [left, right] = compare.operands.as_slice() else { return None };
    let left = resolver.definition(&callers, compare_computation, *left)?.0;
    let right = resolver.definition(&callers, compare_computation, *right)?.0;
    let (element, limit, direction) = match (left, right) {
        (Definition::Parameter(0, element), Definition::Constant(limit)) => (element, limit, *direction),
        (Definition::Constant(limit), Definition::Parameter(0, element)) => {
            (element, limit, with_swapped_operands(direction))
        }
        _ => return None,
    };

    // The update of the induction variable in an iteration.
    let root = module.get(body)?.root?;
    let (Definition::Computed(update_computation, update), callers) =
        element_definition(&mut resolver, body, root, element)?
    else {
        return None;
    };
    let update = module.get(update_computation)?.get(update)?;
    let [left, right] = update.operands.as_slice() else { return None };
    let left = resolver.definition(&callers, update_computation, *left)?.0;
    let right = resolver.definition(&callers, update_computation, *right)?.0;
    let induction_variable = Definition::Parameter(0, element);
    let step = match (update.opcode.as_str(), left, right) {
        ("add", Definition::Constant(step), other) | ("add", other, Definition::Constant(step))
            if other == induction_variable =>
        {
            step
        }
        ("subtract", other, Definition::Constant(step)) if other == induction_variable => {
            step.checked_neg()?
        }
        _ => return None,
    };

    // The initial value.
    let (Definition::Constant(start), _) =
        element_definition(&mut resolver, id, *instruction.operands.first()?, element)?
    else {
        return None;
    };
    iterations(start, step, limit, direction)
}

/// The definition of an element of a tuple; of a value that is not a tuple if `element` is `None`.
fn element_definition(
    resolver: &mut Resolver,
    computation: ComputationId,
    id: InstructionId,
    element: Option<i64>,
) -> Option<(Definition, Vec<InstructionRef>)> {
    let Some(element) = element else { return resolver.definition(&[], computation, id) };
    let (mut id, index) = (id, usize::try_from(element).ok()?);
    // The state is a tuple, or a copy or barrier of one.
    for _ in 0..MAX_FOLLOWED_INSTRUCTIONS {
        let instruction = resolver.module.get(computation)?.get(id)?;
        match instruction.opcode.as_str() {
            "tuple" => return resolver.definition(&[], computation, *instruction.operands.get(index)?),
            "copy" | "opt-barrier" => id = *instruction.operands.first()?,
            _ => return None,
        }
    }
    None
}

/// The direction that compares the same if the operands are swapped.
fn with_swapped_operands(direction: &str) -> &str {
    match direction {
        "LT" => "GT",
        "LE" => "GE",
        "GT" => "LT",
        "GE" => "LE",
        other => other,
    }
}

/// How often `start + i · step` satisfies the comparison with `limit` before it first fails; `None` if it never fails.
fn iterations(start: i64, step: i64, limit: i64, direction: &str) -> Option<u64> {
    let (start, step, limit) = (i128::from(start), i128::from(step), i128::from(limit));
    let distance = match direction {
        "LT" => limit - start,
        "LE" => limit - start + 1,
        "GT" => start - limit,
        "GE" => start - limit + 1,
        "NE" => {
            let is_reached = if step == 0 { start == limit } else { (limit - start) % step == 0 };
            let count = if step == 0 { 0 } else { (limit - start) / step };
            return u64::try_from(count).ok().filter(|_| is_reached);
        }
        "EQ" => {
            return if start != limit {
                Some(0)
            } else if step != 0 {
                Some(1)
            } else {
                None
            };
        }
        _ => return None,
    };
    if distance <= 0 {
        return Some(0);
    }
    let approach = if matches!(direction, "LT" | "LE") { step } else { -step };
    (approach > 0).then(|| u64::try_from((distance + approach - 1) / approach).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_iterations_in_every_direction() {
        for (start, step, limit, direction, expected) in [
            (0, 1, 10, "LT", Some(10)),
            (0, 3, 10, "LT", Some(4)),
            (0, 3, 9, "LE", Some(4)),
            (10, -1, 0, "GT", Some(10)),
            (10, -4, 0, "GE", Some(3)),
            (0, 2, 10, "NE", Some(5)),
            (0, 3, 10, "NE", None),
            (0, -1, 10, "LT", None),
            (5, 1, 5, "LT", Some(0)),
            (0, 0, 1, "LT", None),
            (4, 1, 4, "EQ", Some(1)),
            (i64::MIN, 1, i64::MAX, "LT", Some(u64::MAX)),
        ] {
            assert_eq!(
                iterations(start, step, limit, direction),
                expected,
                "{start} {step} {direction} {limit}"
            );
        }
    }
}
