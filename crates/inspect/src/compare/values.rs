//! Finds the instructions at which the values of two programs begin to differ.

use std::collections::BTreeMap;

use super::matching::Matching;
use crate::instruction_at::InstructionAt;
use crate::values::{Difference, Tolerance, compare};
use xla_hlo::{Computation, InstructionId, Module};
use xla_ops::{ComputationId, Data};

/// Two instructions whose values differ by more than the tolerance.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueDifference {
    /// The instruction.
    pub a: InstructionId,
    /// The instruction that it is compared with; the same one if recorded values are compared with those of a run.
    pub b: InstructionId,
    /// The comparison of their values.
    pub difference: Difference,
    /// Whether the difference begins here: no operand differs, directly or through instructions without compared values.
    pub is_origin: bool,
}

/// The comparison of the values of one computation with others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueComparison {
    /// Number of instructions whose values were compared.
    pub compared: usize,
    /// Number of instructions without a value to compare.
    pub missing: usize,
    /// The instructions that differ, in the order of the data flow: the first is the first instruction that differs.
    pub different: Vec<ValueDifference>,
}

impl ValueComparison {
    /// The first instruction that differs.
    pub fn first_difference(&self) -> Option<&ValueDifference> {
        self.different.first()
    }

    /// The instructions at which differences begin: all their operands are equal.
    pub fn origins(&self) -> impl Iterator<Item = &ValueDifference> {
        self.different.iter().filter(|found| found.is_origin)
    }
}

/// The pairs of instructions of two computations whose values can be compared, in the order of the first: those that are
/// matched; an instruction and the fusion or call of whose computation it is the root; and the roots, which are the same
/// result however they are computed.
pub fn pairs(
    matching: &Matching,
    modules: [&Module; 2],
    [a, b]: [ComputationId; 2],
) -> Vec<(InstructionId, InstructionId)> {
    let [Some(first), Some(second)] = [modules[0].get(a), modules[1].get(b)] else { return Vec::new() };
    let callers = [callers(modules[0], first), callers(modules[1], second)];
    let mut is_taken = vec![false; second.instructions.len()];
    let mut partners: Vec<Option<InstructionId>> = vec![None; first.instructions.len()];
    let mut pair = |from: InstructionId, to: InstructionId| {
        if let (Some(partner @ None), Some(is_taken @ false)) =
            (partners.get_mut(from.index()), is_taken.get_mut(to.index()))
        {
            (*partner, *is_taken) = (Some(to), true);
        }
    };
    let at = |computation, instruction| InstructionAt { computation, instruction };
    for (id, _) in first.iter() {
        if let Some(other) = matching.instruction_in_b(at(a, id)).filter(|other| other.computation == b) {
            pair(id, other.instruction);
        }
    }
    for (id, _) in first.iter() {
        if let Some(caller) = matching.instruction_in_b(at(a, id)).and_then(|other| callers[1].get(&other)) {
            pair(id, *caller);
        }
    }
    for (id, _) in second.iter() {
        if let Some(caller) = matching.instruction_in_a(at(b, id)).and_then(|other| callers[0].get(&other)) {
            pair(*caller, id);
        }
    }
    if let (Some(root), Some(other)) = (first.root, second.root) {
        pair(root, other);
    }
    (0..).map(InstructionId).zip(partners).filter_map(|(id, partner)| Some((id, partner?))).collect()
}

/// The fusions and calls of a computation, by the root of the computation that only they call, which has the same value.
fn callers(module: &Module, computation: &Computation) -> BTreeMap<InstructionAt, InstructionId> {
    let mut callers: BTreeMap<ComputationId, Vec<InstructionId>> = BTreeMap::new();
    for (id, instruction) in computation.iter() {
        if matches!(instruction.opcode.as_str(), "fusion" | "call") {
            for callee in instruction.attrs.computations() {
                callers.entry(callee).or_default().push(id);
            }
        }
    }
    let only = |(computation, callers): (ComputationId, Vec<InstructionId>)| {
        let [caller] = callers[..] else { return None };
        let instruction = module.get(computation)?.root?;
        Some((InstructionAt { computation, instruction }, caller))
    };
    callers.into_iter().filter_map(only).collect()
}

/// Compares the values of pairs of instructions in the order of the data flow of `computation`, to which the first of each
/// pair belongs. `values` returns the values of a pair, or `None` if either has none; values are not kept.
pub fn compare_values(
    computation: &Computation,
    pairs: &[(InstructionId, InstructionId)],
    tolerance: &Tolerance,
    mut values: impl FnMut(InstructionId, InstructionId) -> Option<(Data, Data)>,
) -> ValueComparison {
    arrange(computation, pairs, |a, b| {
        let (x, y) = values(a, b)?;
        Some(compare(&x, &y, tolerance))
    })
}

/// Arranges comparisons of values in the order of the data flow, and finds the instructions at which differences begin.
/// `difference` returns the comparison of a pair, or `None` if either value is missing.
pub fn arrange(
    computation: &Computation,
    pairs: &[(InstructionId, InstructionId)],
    mut difference: impl FnMut(InstructionId, InstructionId) -> Option<Difference>,
) -> ValueComparison {
    let mut partners = vec![None; computation.instructions.len()];
    for (a, b) in pairs {
        if let Some(partner) = partners.get_mut(a.index()) {
            *partner = Some(*b);
        }
    }
    let mut comparison = ValueComparison::default();
    // Whether a value differs, or would if it were known.
    let mut is_affected = vec![false; partners.len()];
    for (id, instruction) in computation.iter() {
        let has_affected_operand =
            instruction.operands.iter().any(|o| is_affected.get(o.index()) == Some(&true));
        let partner = partners.get(id.index()).copied().flatten();
        let Some((b, difference)) = partner.and_then(|b| Some((b, difference(id, b)?))) else {
            comparison.missing += 1;
            is_affected[id.index()] = has_affected_operand;
            continue;
        };
        comparison.compared += 1;
        if !difference.is_within() {
            is_affected[id.index()] = true;
            comparison.different.push(ValueDifference {
                a: id,
                b,
                difference,
                is_origin: !has_affected_operand,
            });
        }
    }
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::diff;
    use xla_hlo::{Evaluator, Module, parse};

    fn module(body: &str) -> Module {
        parse(&format!("HloModule m ENTRY e {{ {body} }}")).into_module().unwrap()
    }

    #[test]
    fn the_first_difference_is_where_the_programs_differ() {
        let a = module(
            "x = f32[3] constant({1, 2, 3}) y = exponential(x) z = multiply(y, y) w = negate(x)
            ROOT t = tuple(z, w)",
        );
        let b = module(
            "x.9 = f32[3] constant({1, 2, 3}) n = negate(x.9) e = exponential(x.9) c = add(e, x.9)
            m = multiply(c, e) ROOT t = tuple(m, n)",
        );
        let found = diff(&a, &b);
        let [ea, eb] = [&a, &b].map(|module| module.entry.unwrap());
        let computation = a.get(ea).unwrap();
        let pairs = pairs(&found.matching, [&a, &b], [ea, eb]);
        let run = |module: &Module| Evaluator::new(module).run_with_values(&[]).unwrap().values;
        let (va, vb) = (run(&a), run(&b));
        let values = |x, y| Some((va.get(x)?.clone(), vb.get(y)?.clone()));
        let result = compare_values(computation, &pairs, &Tolerance::new(4), values);
        let name = |id: InstructionId| computation.get(id).unwrap().name.as_str();
        assert_eq!(result.first_difference().map(|first| name(first.a)), Some("z"));
        let all: Vec<_> = result.different.iter().map(|d| (name(d.a), d.is_origin)).collect();
        assert_eq!(all, [("z", true), ("t", false)]);
        assert_eq!((result.compared, result.missing), (5, 0));
    }

    #[test]
    fn roots_are_compared_however_they_are_computed() {
        let a = module("x = f32[3] parameter(0) c = cosine(x) ROOT y = negate(c)");
        let b = module("x = f32[3] parameter(0) n = abs(x) ROOT t = tanh(n)");
        let [ea, eb] = [&a, &b].map(|module| module.entry.unwrap());
        let found = pairs(&diff(&a, &b).matching, [&a, &b], [ea, eb]);
        assert_eq!(found.last(), Some(&(InstructionId(2), InstructionId(2))), "{found:?}");
    }

    #[test]
    fn a_fusion_has_the_value_of_its_root() {
        let a = module("x = f32[3] parameter(0) c = cosine(x) s = sine(c) ROOT y = negate(s)");
        let text = "HloModule m f { p = f32[3] parameter(0) q = cosine(p) ROOT r = sine(q) }
            ENTRY e { x = f32[3] parameter(0) g = f32[3] fusion(x), kind=kLoop, calls=f ROOT n = negate(g) }";
        let b = parse(text).into_module().unwrap();
        let [ea, eb] = [&a, &b].map(|module| module.entry.unwrap());
        let ids = |pairs: Vec<(InstructionId, InstructionId)>| -> Vec<(u32, u32)> {
            pairs.into_iter().map(|(a, b)| (a.0, b.0)).collect()
        };
        // `s` and the fusion, either way.
        assert_eq!(ids(pairs(&diff(&a, &b).matching, [&a, &b], [ea, eb])), [(0, 0), (2, 1), (3, 2)]);
        assert_eq!(ids(pairs(&diff(&b, &a).matching, [&b, &a], [eb, ea])), [(0, 0), (1, 2), (2, 3)]);
    }

    #[test]
    fn a_missing_value_does_not_hide_the_origin() {
        let a = module("x = f32[] constant(1) y = negate(x) z = negate(y) ROOT w = negate(z)");
        let entry = a.entry_computation().unwrap();
        let scalar = |x: f32| Data::from(xla_array::ArrayLiteral::from_slice([], &[x]).unwrap());
        let pairs: Vec<_> = entry.iter().map(|(id, _)| (id, id)).collect();
        let result = compare_values(entry, &pairs, &Tolerance::default(), |id, _| match id.0 {
            1 => Some((scalar(1.0), scalar(2.0))),
            2 => None,
            _ => Some((scalar(1.0), scalar(if id.0 == 3 { 3.0 } else { 1.0 }))),
        });
        assert_eq!(result.origins().map(|o| o.a.0).collect::<Vec<_>>(), [1]);
        assert_eq!(result.different.len(), 2);
    }
}
