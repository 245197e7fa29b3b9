//! Instructions and their costs by file, line, function or operation name.
//!
//! An instruction that calls computations is charged only for its own work. So the costs of all groups add up to that of the
//! program, except with conditionals: their cost is that of the most expensive branch, while the groups have all branches.

use std::collections::BTreeMap;

use super::{SourceRange, Sources};
use crate::performance::cost::{Cost, Costs};
use crate::performance::roles::{ComputationRole, ComputationRoles};
use crate::performance::{InstructionRef, computations};
use xla_hlo::Module;

/// The property by which instructions are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// The file.
    File,
    /// The first line, in its file.
    Line,
    /// The function, in its file.
    Function,
    /// The first components of the `op_name`, this many.
    OpName(usize),
}

/// The common property of the instructions of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupKey {
    /// An index of [`Sources::files`].
    File(usize),
    /// A file and a line.
    Line(usize, u32),
    /// A file and an index of [`Sources::functions`].
    Function(usize, usize),
    /// The beginning of the `op_name`.
    OpName(String),
    /// The property of the instructions is unknown.
    Unknown,
}

/// A group of instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Their common property.
    pub key: GroupKey,
    /// The instructions, in order.
    pub instructions: Vec<InstructionRef>,
    /// Their cost in a run of the program.
    pub cost: Cost,
}

/// The groups of a module, those with the most FLOPs first, then those with the most bytes. Reducers and comparators are part
/// of the instructions that apply them.
pub fn groups(
    module: &Module,
    sources: &Sources,
    costs: &Costs,
    roles: &ComputationRoles,
    by: GroupBy,
) -> Vec<Group> {
    let mut groups: BTreeMap<GroupKey, (Vec<InstructionRef>, Cost)> = BTreeMap::new();
    for (id, computation) in computations(module) {
        if matches!(roles.role(id), ComputationRole::Unused | ComputationRole::Applied) {
            continue;
        }
        for (at, instruction) in computation.iter() {
            let key = match by {
                GroupBy::OpName(depth) => {
                    instruction.op_name().map(|name| GroupKey::OpName(prefix(&name, depth)))
                }
                _ => sources.innermost((id, at)).and_then(|range| range_key(range, by)),
            };
            let group = groups.entry(key.unwrap_or(GroupKey::Unknown)).or_default();
            group.0.push((id, at));
            group.1 = group.1.plus(own_cost(module, costs, roles, (id, at)));
        }
    }
    let mut groups: Vec<Group> =
        groups.into_iter().map(|(key, (instructions, cost))| Group { key, instructions, cost }).collect();
    // A stable sort: equal groups stay in the order of their keys.
    groups.sort_by_key(|group| std::cmp::Reverse((group.cost.flops, group.cost.bytes())));
    groups
}

/// The cost of all executions of an instruction, without that of the computations that it calls.
pub fn own_cost(module: &Module, costs: &Costs, roles: &ComputationRoles, at: InstructionRef) -> Cost {
    let Some(instruction) = crate::performance::instruction(module, at) else { return Cost::default() };
    let cost = costs.instruction(at.0, at.1);
    let own = match (instruction.opcode.as_str(), roles.role(at.0)) {
        ("while" | "call" | "conditional" | "async-start", _)
        | (_, ComputationRole::Unused | ComputationRole::Applied) => {
            return Cost::default();
        }
        // The instructions of a fusion compute, the fusion accesses memory.
        ("fusion", ComputationRole::Fused) => return Cost::default(),
        ("fusion", _) => Cost { flops: 0, transcendentals: 0, unknown: 0, ..cost },
        (_, ComputationRole::Fused) => Cost { bytes_read: 0, bytes_written: 0, ..cost },
        _ => cost,
    };
    own.times(roles.executions(at.0))
}

fn range_key(range: SourceRange, by: GroupBy) -> Option<GroupKey> {
    match by {
        GroupBy::File => Some(GroupKey::File(range.file)),
        GroupBy::Line => Some(GroupKey::Line(range.file, range.line)),
        GroupBy::Function => Some(GroupKey::Function(range.file, range.function?)),
        GroupBy::OpName(_) => None,
    }
}

/// The first components of an operation name, which slashes separate outside of parentheses.
fn prefix(name: &str, depth: usize) -> String {
    let mut nesting = 0_usize;
    let mut components = 0;
    for (at, c) in name.char_indices() {
        match c {
            '(' | '[' => nesting += 1,
            ')' | ']' => nesting = nesting.saturating_sub(1),
            '/' if nesting == 0 => {
                components += 1;
                if components >= depth {
                    return name.get(..at).unwrap_or(name).to_owned();
                }
            }
            _ => {}
        }
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operation_names_are_cut_between_components() {
        assert_eq!(prefix("jit(f)/transpose(jvp(a/b))/dot_general", 2), "jit(f)/transpose(jvp(a/b))");
        assert_eq!(prefix("jit(f)/add", 1), "jit(f)");
        assert_eq!(prefix("jit(f)/add", 9), "jit(f)/add");
    }
}
