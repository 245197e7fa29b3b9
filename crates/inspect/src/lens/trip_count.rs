//! The number of iterations of a loop.
//!
//! Known from `known_trip_count` in the loop's `backend_config`, or if an integer starts at a constant, changes by a
//! constant in each iteration, and is compared with a constant.

use super::At;
use xla_array::{Literal, Value};
use xla_hlo::{Instruction, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId};

/// Bound on the instructions that are followed to find where a value comes from.
const MAX_STEPS: usize = 256;

/// The number of iterations of a `while`, if it is known.
pub fn trip_count(module: &Module, at: At) -> Option<u64> {
    let instruction = super::instruction(module, at).filter(|instruction| instruction.opcode == "while")?;
    stated(instruction).or_else(|| counted(module, at.0, instruction))
}

/// The `known_trip_count` of the backend's configuration: `"known_trip_count":{"n":"10"}`.
fn stated(instruction: &Instruction) -> Option<u64> {
    let (_, after) = instruction.annotation("backend_config")?.split_once("known_trip_count")?;
    let digits = after.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '}');
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The value that a name in a computation stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    /// An integer constant.
    Constant(i64),
    /// Element `.1` of parameter `.0`; the parameter itself if it is not a tuple.
    Parameter(usize, Option<i64>),
    /// An instruction that computes.
    Computed(ComputationId, InstructionId),
}

/// Follows values to their origins, through copies, tuples, fusions and calls.
struct Resolver<'m> {
    module: &'m Module,
    steps: usize,
}

impl<'m> Resolver<'m> {
    fn new(module: &'m Module) -> Self {
        Self { module, steps: 0 }
    }

    /// The origin of an instruction's value, or of the element `element` of it. `callers` are the calls around the
    /// computation, the innermost last; parameters of the outermost computation are origins.
    fn origin(
        &mut self,
        callers: &[At],
        computation: ComputationId,
        at: InstructionId,
    ) -> Option<(Origin, Vec<At>)> {
        let mut callers = callers.to_vec();
        let (mut computation, mut at) = (computation, at);
        // The indices of get-tuple-elements that are still to be applied, the next one last.
        let mut indices: Vec<i64> = Vec::new();
        loop {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return None;
            }
            let body = self.module.get(computation)?;
            let instruction = body.get(at)?;
            match instruction.opcode.as_str() {
                "copy" | "bitcast" | "reshape" | "opt-barrier" => at = *instruction.operands.first()?,
                "broadcast" if instruction.shape.as_array()?.rank() == 0 => {
                    at = *instruction.operands.first()?;
                }
                "get-tuple-element" => {
                    indices.push(int(instruction, "index")?);
                    at = *instruction.operands.first()?;
                }
                "tuple" => {
                    let index = usize::try_from(indices.pop()?).ok()?;
                    at = *instruction.operands.get(index)?;
                }
                "fusion" | "call" => {
                    let name = if instruction.opcode == "fusion" { "calls" } else { "to_apply" };
                    let Some(AttrValue::Computation(called)) = instruction.attrs.get(name) else {
                        return None;
                    };
                    callers.push((computation, at));
                    computation = *called;
                    at = self.module.get(computation)?.root?;
                }
                "parameter" => {
                    let number = body.parameters.iter().position(|parameter| *parameter == at)?;
                    if let Some((caller, call)) = callers.pop() {
                        let call = self.module.get(caller)?.get(call)?;
                        (computation, at) = (caller, *call.operands.get(number)?);
                        continue;
                    }
                    let origin = match indices.as_slice() {
                        [] => Origin::Parameter(number, None),
                        [index] => Origin::Parameter(number, Some(*index)),
                        _ => return None,
                    };
                    return Some((origin, callers));
                }
                "constant" if indices.is_empty() => {
                    return Some((Origin::Constant(integer(instruction)?), callers));
                }
                _ if indices.is_empty() => return Some((Origin::Computed(computation, at), callers)),
                _ => return None,
            }
        }
    }
}

fn int(instruction: &Instruction, name: &str) -> Option<i64> {
    match instruction.attrs.get(name) {
        Some(AttrValue::Int(int)) => Some(*int),
        _ => None,
    }
}

/// The value of a constant that is one integer.
fn integer(constant: &Instruction) -> Option<i64> {
    let (_, value) = constant.attrs.iter().find(|(_, value)| matches!(value, AttrValue::Literal(_)))?;
    let AttrValue::Literal(literal) = value else { return None };
    let Literal::Array(array) = literal.as_ref() else { return None };
    match array.get(&vec![0; array.shape().rank()])? {
        Value::Int(value) => Some(value),
        Value::Uint(value) => i64::try_from(value).ok(),
        _ => None,
    }
}

/// The trip count of a loop that counts by a constant up or down to a constant.
fn counted(module: &Module, id: ComputationId, instruction: &Instruction) -> Option<u64> {
    let called = |name: &str| match instruction.attrs.get(name) {
        Some(AttrValue::Computation(id)) => Some(*id),
        _ => None,
    };
    let (condition, body) = (called("condition")?, called("body")?);
    let mut resolver = Resolver::new(module);

    // The comparison of the counter with the limit.
    let root = module.get(condition)?.root?;
    let (Origin::Computed(compares, compare), callers) = resolver.origin(&[], condition, root)? else {
        return None;
    };
    let compare = module.get(compares)?.get(compare)?;
    let Some(AttrValue::Keyword(direction)) = compare.attrs.get("direction") else { return None };
    let [left, right] = compare.operands.as_slice() else { return None };
    let left = resolver.origin(&callers, compares, *left)?.0;
    let right = resolver.origin(&callers, compares, *right)?.0;
    let (element, limit, direction) = match (left, right) {
        (Origin::Parameter(0, element), Origin::Constant(limit)) => (element, limit, *direction),
        (Origin::Constant(limit), Origin::Parameter(0, element)) => (element, limit, mirrored(direction)),
        _ => return None,
    };

    // The change in an iteration.
    let root = module.get(body)?.root?;
    let (Origin::Computed(adds, add), callers) = element_origin(&mut resolver, body, root, element)? else {
        return None;
    };
    let add = module.get(adds)?.get(add)?;
    let [left, right] = add.operands.as_slice() else { return None };
    let left = resolver.origin(&callers, adds, *left)?.0;
    let right = resolver.origin(&callers, adds, *right)?.0;
    let counter = Origin::Parameter(0, element);
    let step = match (add.opcode.as_str(), left, right) {
        ("add", Origin::Constant(step), other) | ("add", other, Origin::Constant(step))
            if other == counter =>
        {
            step
        }
        ("subtract", other, Origin::Constant(step)) if other == counter => step.checked_neg()?,
        _ => return None,
    };

    // The initial value.
    let (Origin::Constant(start), _) =
        element_origin(&mut resolver, id, *instruction.operands.first()?, element)?
    else {
        return None;
    };
    iterations(start, step, limit, direction)
}

/// The origin of an element of a tuple, or of a value that is not a tuple.
fn element_origin(
    resolver: &mut Resolver,
    computation: ComputationId,
    at: InstructionId,
    element: Option<i64>,
) -> Option<(Origin, Vec<At>)> {
    let Some(element) = element else { return resolver.origin(&[], computation, at) };
    let (mut at, index) = (at, usize::try_from(element).ok()?);
    // A state that is a copy of a tuple is copied element by element in practice.
    for _ in 0..MAX_STEPS {
        let instruction = resolver.module.get(computation)?.get(at)?;
        match instruction.opcode.as_str() {
            "tuple" => return resolver.origin(&[], computation, *instruction.operands.get(index)?),
            "copy" | "opt-barrier" => at = *instruction.operands.first()?,
            _ => return None,
        }
    }
    None
}

/// The direction with its operands exchanged.
fn mirrored(direction: &str) -> &str {
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
    let towards = if matches!(direction, "LT" | "LE") { step } else { -step };
    (towards > 0).then(|| u64::try_from((distance + towards - 1) / towards).ok())?
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
