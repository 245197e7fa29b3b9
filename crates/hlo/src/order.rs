//! Names and orders of XLA's printed text (unique names, post-order), and the side effects of instructions.

use std::collections::{HashMap, HashSet};

use super::module::{Computation, Instruction, InstructionId, Module};
use xla_array::Shape;
use xla_ops::{ComputationId, Effect};

/// The number suffixes in use for one name.
#[derive(Default)]
struct Suffixes {
    used: HashSet<u64>,
    next: u64,
}

impl Suffixes {
    /// Reserves the preferred number if it is free, else the next free one.
    fn reserve(&mut self, preferred: u64) -> u64 {
        if self.used.insert(preferred) {
            return preferred;
        }
        while !self.used.insert(self.next) {
            self.next += 1;
        }
        self.next
    }
}

/// Makes names unique like XLA's `NameUniquer`: a duplicate gets the next free number after a dot. Each item is a name, and
/// the stem to use if the name is empty.
pub(super) fn unique_names<'a>(given: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut taken: HashMap<&str, Suffixes> = HashMap::new();
    let unique = |(name, stem): (&'a str, &'a str)| {
        let name = if name.is_empty() { stem } else { name };
        let suffix = name.rsplit_once('.').filter(|(root, _)| !root.is_empty());
        let numbered = suffix.and_then(|(root, suffix)| Some((root, suffix.parse::<u64>().ok()?)));
        let (root, preferred) = numbered.unwrap_or((name, 0));
        match taken.entry(root).or_default().reserve(preferred) {
            0 if numbered.is_none() => root.to_owned(),
            number => format!("{root}.{number}"),
        }
    };
    given.map(unique).collect()
}

/// The operands and control predecessors of an instruction; `names` is the result of [`ids_by_name`].
pub(super) fn predecessors(
    computation: &Computation,
    id: InstructionId,
    names: &HashMap<&str, InstructionId>,
) -> Vec<InstructionId> {
    let Some(instruction) = computation.get(id) else { return Vec::new() };
    let control = instruction.annotation("control-predecessors").unwrap_or_default();
    let names = control.split(|c: char| "{}%, ".contains(c)).filter_map(|name| names.get(name).copied());
    // Only preceding instructions, so that there are no cycles.
    instruction.operands.iter().copied().chain(names).filter(|other| *other < id).collect()
}

/// The named instructions of a computation.
pub(super) fn ids_by_name(computation: &Computation) -> HashMap<&str, InstructionId> {
    computation.iter().filter(|(_, i)| !i.name.is_empty()).map(|(id, i)| (i.name.as_str(), id)).collect()
}

/// Post-order of the instructions: a depth-first search along operands, from every instruction without users.
pub(super) fn post_order(computation: &Computation) -> Vec<InstructionId> {
    let names = ids_by_name(computation);
    let predecessors = |id: InstructionId| predecessors(computation, id, &names);
    let mut is_used = vec![false; computation.instructions.len()];
    for (id, _) in computation.iter() {
        for other in predecessors(id) {
            is_used[other.index()] = true;
        }
    }
    let mut order = Vec::new();
    let mut visited = vec![false; computation.instructions.len()];
    let mut stack: Vec<(InstructionId, bool)> = Vec::new();
    for (root, _) in computation.iter().filter(|(id, _)| !is_used[id.index()]) {
        stack.push((root, false));
        while let Some((id, is_expanded)) = stack.pop() {
            if is_expanded {
                order.push(id);
            } else if !std::mem::replace(&mut visited[id.index()], true) {
                stack.push((id, true));
                stack.extend(predecessors(id).into_iter().rev().map(|other| (other, false)));
            }
        }
    }
    order
}

/// Post-order of the call graph: callees before callers, in call order.
pub(super) fn computation_post_order(module: &Module) -> Vec<usize> {
    // XLA lists the body of a loop before its condition.
    let callees = |index: usize| -> Vec<ComputationId> {
        let instructions = module.computations.get(index).map_or(&[][..], |c| &c.instructions);
        let called = |instruction: &Instruction| {
            let mut ids: Vec<ComputationId> = instruction.attrs.computations().collect();
            if let Some(xla_ops::AttrValue::Computation(body)) = instruction.attrs.get("body") {
                ids.sort_by_key(|id| id != body);
            }
            ids
        };
        instructions.iter().flat_map(called).collect()
    };
    let count = module.computations.len();
    let mut is_called = vec![false; count];
    for index in 0..count {
        for id in callees(index) {
            is_called[id.0 as usize] = true;
        }
    }
    let (mut order, mut visited) = (Vec::new(), vec![false; count]);
    let mut stack: Vec<(usize, bool)> = Vec::new();
    for root in (0..count).filter(|index| !is_called[*index]) {
        stack.push((root, false));
        while let Some((index, is_expanded)) = stack.pop() {
            if is_expanded {
                order.push(index);
            } else if !std::mem::replace(&mut visited[index], true) {
                stack.push((index, true));
                stack.extend(callees(index).into_iter().rev().map(|id| (id.0 as usize, false)));
            }
        }
    }
    order
}

/// The side effect of an instruction, including the computations it calls; `effects` has one entry per computation.
pub(super) fn effect(instruction: &Instruction, effects: &[Effect]) -> Effect {
    let op_effect = instruction.op.map_or(Effect::None, |op| op.effect(&instruction.attrs));
    // An infeed of an empty tuple reads nothing; in 2017 the item is the whole result.
    let is_empty = match instruction.shape.as_tuple() {
        Some([]) => true,
        Some([Shape::Tuple(item), Shape::Token]) => item.is_empty(),
        _ => false,
    };
    let op_effect = if op_effect == Effect::Ordered && is_empty { Effect::None } else { op_effect };
    let callee_effect = |id: ComputationId| effects.get(id.0 as usize).copied().unwrap_or(Effect::None);
    instruction.attrs.computations().map(callee_effect).fold(op_effect, Effect::max)
}

/// The side effect of each computation.
pub(super) fn effects(module: &Module) -> Vec<Effect> {
    let mut effects = Vec::new();
    for computation in &module.computations {
        // Callees precede callers, so their effects are known.
        let strongest = computation.instructions.iter().map(|i| effect(i, &effects)).max();
        effects.push(strongest.unwrap_or(Effect::None));
    }
    effects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_names_are_numbered_like_in_xla() {
        let given = ["s", "s", "s.1", "s", "a.b", "a.b", "x.0", "x", ""];
        let unique = unique_names(given.iter().map(|name| (*name, "add")));
        assert_eq!(unique, ["s", "s.1", "s.2", "s.3", "a.b", "a.b.1", "x.0", "x.1", "add"]);
    }
}
