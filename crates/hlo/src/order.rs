//! Names and orders of XLA's printed text: unique names, operands before users, callees before callers.

use std::collections::{HashMap, HashSet};

use super::module::{Computation, Instruction, InstructionId, Module};
use xla_array::Shape;
use xla_ops::{ComputationId, Effect};

/// Numbers that were given to one name.
#[derive(Default)]
struct Numbers {
    used: HashSet<u64>,
    next: u64,
}

impl Numbers {
    /// The number itself if it is free, else the next free one.
    fn take(&mut self, wanted: u64) -> u64 {
        if self.used.insert(wanted) {
            return wanted;
        }
        while !self.used.insert(self.next) {
            self.next += 1;
        }
        self.next
    }
}

/// Names of which each is there once: of a name and the one to use where that is empty. A name that is taken gets
/// the next free number behind a point (XLA's `NameUniquer`).
pub(super) fn unique_names<'a>(given: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut taken: HashMap<&str, Numbers> = HashMap::new();
    let of = |(name, stem): (&'a str, &'a str)| {
        let name = if name.is_empty() { stem } else { name };
        let suffix = name.rsplit_once('.').filter(|(root, _)| !root.is_empty());
        let numbered = suffix.and_then(|(root, suffix)| Some((root, suffix.parse::<u64>().ok()?)));
        let (root, wanted) = numbered.unwrap_or((name, 0));
        match taken.entry(root).or_default().take(wanted) {
            0 if numbered.is_none() => root.to_owned(),
            number => format!("{root}.{number}"),
        }
    };
    given.map(of).collect()
}

/// What must run before an instruction, its operands and its control predecessors; `names` are those of
/// [`names`].
pub(super) fn before(
    of: &Computation,
    id: InstructionId,
    names: &HashMap<&str, InstructionId>,
) -> Vec<InstructionId> {
    let Some(instruction) = of.get(id) else { return Vec::new() };
    let control = instruction.annotation("control-predecessors").unwrap_or_default();
    let names = control.split(|c: char| "{}%, ".contains(c)).filter_map(|name| names.get(name).copied());
    // Only what stands above: there are no cycles then.
    instruction.operands.iter().copied().chain(names).filter(|other| *other < id).collect()
}

/// The instructions that have a name.
pub(super) fn names(of: &Computation) -> HashMap<&str, InstructionId> {
    of.iter().filter(|(_, i)| !i.name.is_empty()).map(|(id, i)| (i.name.as_str(), id)).collect()
}

/// The order of instructions: operands before users, in the order in which the users name them, from every
/// instruction without users on.
pub(super) fn operands_first(of: &Computation) -> Vec<InstructionId> {
    let by_name = names(of);
    let before = |id: InstructionId| before(of, id, &by_name);
    let mut is_used = vec![false; of.instructions.len()];
    for (id, _) in of.iter() {
        for other in before(id) {
            is_used[other.index()] = true;
        }
    }
    let mut order = Vec::new();
    let mut seen = vec![false; of.instructions.len()];
    let mut open: Vec<(InstructionId, bool)> = Vec::new();
    for (root, _) in of.iter().filter(|(id, _)| !is_used[id.index()]) {
        open.push((root, false));
        while let Some((id, is_ready)) = open.pop() {
            if is_ready {
                order.push(id);
            } else if !std::mem::replace(&mut seen[id.index()], true) {
                open.push((id, true));
                open.extend(before(id).into_iter().rev().map(|other| (other, false)));
            }
        }
    }
    order
}

/// The order of computations: callees before callers, in the order in which those call them.
pub(super) fn called_first(module: &Module) -> Vec<usize> {
    // XLA counts the body of a loop before its condition.
    let callees = |number: usize| -> Vec<ComputationId> {
        let instructions = module.computations.get(number).map_or(&[][..], |c| &c.instructions);
        let of = |instruction: &Instruction| {
            let mut ids: Vec<ComputationId> = instruction.attrs.computations().collect();
            let first = ["body"].iter().find_map(|name| instruction.attrs.get(name));
            if let Some(xla_ops::AttrValue::Computation(body)) = first {
                ids.sort_by_key(|id| id != body);
            }
            ids
        };
        instructions.iter().flat_map(of).collect()
    };
    let count = module.computations.len();
    let mut is_called = vec![false; count];
    for number in 0..count {
        for id in callees(number) {
            is_called[id.0 as usize] = true;
        }
    }
    let (mut order, mut seen) = (Vec::new(), vec![false; count]);
    let mut open: Vec<(usize, bool)> = Vec::new();
    for root in (0..count).filter(|number| !is_called[*number]) {
        open.push((root, false));
        while let Some((number, is_ready)) = open.pop() {
            if is_ready {
                order.push(number);
            } else if !std::mem::replace(&mut seen[number], true) {
                open.push((number, true));
                open.extend(callees(number).into_iter().rev().map(|id| (id.0 as usize, false)));
            }
        }
    }
    order
}

/// What an instruction does beside giving its value, itself or through what it calls; `effects` are those of the
/// computations before.
pub(super) fn effect(instruction: &Instruction, effects: &[Effect]) -> Effect {
    let own = instruction.op.map_or(Effect::None, |op| op.effect(&instruction.attrs));
    // An infeed of an empty tuple reads nothing.
    let item = instruction.shape.as_tuple().and_then(|elements| elements.first()).and_then(Shape::as_tuple);
    let own = if own == Effect::Feeds && item.is_some_and(<[Shape]>::is_empty) { Effect::None } else { own };
    let of = |id: ComputationId| effects.get(id.0 as usize).copied().unwrap_or(Effect::None);
    instruction.attrs.computations().map(of).fold(own, Effect::max)
}

/// What each computation does beside giving its value.
pub(super) fn effects(module: &Module) -> Vec<Effect> {
    let mut found = Vec::new();
    for computation in &module.computations {
        // Callees stand before callers.
        let most = computation.instructions.iter().map(|i| effect(i, &found)).max();
        found.push(most.unwrap_or(Effect::None));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_as_xla_numbers_them() {
        let given = ["s", "s", "s.1", "s", "a.b", "a.b", "x.0", "x", ""];
        let unique = unique_names(given.iter().map(|name| (*name, "add")));
        assert_eq!(unique, ["s", "s.1", "s.2", "s.3", "a.b", "a.b.1", "x.0", "x.1", "add"]);
    }
}
