//! Assembles a module from an entry computation and the computations that it calls.

use std::collections::{BTreeMap, BTreeSet};

use super::types::CutError;
use xla_hlo::{Computation, Instruction, InstructionId, Module, PrintOptions, parse};
use xla_ops::{AttrValue, Attrs, ComputationId};

/// Attributes of the header that concern the devices, not the interface or the schedule.
const KEPT_HEADER: &[&str] = &["replica_count", "num_partitions"];

/// A module of `entry` and the computations of `module` that it calls: printed and parsed, so that it has passed every check.
/// Returns the names of the instructions of `entry`, too, in the order given: those of the module are in another order.
pub(super) fn assemble(
    module: &Module,
    mut entry: Computation,
    keeps_annotations: bool,
) -> Result<(Module, Vec<String>), CutError> {
    let order = called(module, &entry);
    let numbers: BTreeMap<ComputationId, ComputationId> =
        order.iter().copied().zip((0..).map(ComputationId)).collect();
    let mut computations: Vec<Computation> = order.iter().filter_map(|id| module.get(*id).cloned()).collect();
    entry.parameters = parameters(&entry);
    computations.push(entry);
    // From the entry on, whose names are kept.
    let mut names = Names::default();
    for instruction in computations.iter_mut().rev().flat_map(|c| &mut c.instructions) {
        instruction.name = names.unique(&instruction.name, &instruction.opcode);
        renumber(&mut instruction.attrs, &numbers);
        if !keeps_annotations && instruction.op.is_some() {
            instruction.annotations.clear();
        }
    }
    let entry = computations.last().map_or(&[][..], |entry| &entry.instructions);
    let names = entry.iter().map(|instruction| instruction.name.clone()).collect();
    let is_kept = |(name, _): &&(String, String)| KEPT_HEADER.contains(&name.as_str());
    let mut assembled = Module {
        name: module.name.clone(),
        header: module.header.iter().filter(is_kept).cloned().collect(),
        entry: (0..).map(ComputationId).take(computations.len()).last(),
        computations,
        locations: module.locations.clone(),
        ..Module::default()
    };
    assembled.prune_locations();
    let text = assembled.text(PrintOptions { annotations: keeps_annotations, ..PrintOptions::SHORT });
    match parse(&text).into_module() {
        Ok(parsed) => Ok((parsed, names)),
        Err(error) => Err(CutError::Invalid(error, text)),
    }
}

/// The parameters by number.
fn parameters(entry: &Computation) -> Vec<InstructionId> {
    let number = |instruction: &Instruction| match instruction.attrs.get("parameter_number") {
        Some(AttrValue::Int(number)) if instruction.opcode == "parameter" => Some(*number),
        _ => None,
    };
    let numbered = entry.iter().filter_map(|(id, instruction)| Some((number(instruction)?, id)));
    let mut numbered: Vec<(i64, InstructionId)> = numbered.collect();
    numbered.sort_unstable();
    numbered.into_iter().map(|(_, id)| id).collect()
}

/// The computations that a computation calls, directly or not, in the order of the module.
fn called(module: &Module, entry: &Computation) -> BTreeSet<ComputationId> {
    let mut called = BTreeSet::new();
    let mut worklist: Vec<ComputationId> =
        entry.instructions.iter().flat_map(|i| i.attrs.computations()).collect();
    while let Some(id) = worklist.pop() {
        if called.insert(id)
            && let Some(computation) = module.get(id)
        {
            worklist.extend(computation.instructions.iter().flat_map(|i| i.attrs.computations()));
        }
    }
    called
}

/// Assigns names that the printer does not change: it distinguishes names by the text before the last dot and the number after it.
#[derive(Default)]
struct Names {
    /// The numbers in use, by the text before them, and the next number to try.
    taken: BTreeMap<String, (BTreeSet<u64>, u64)>,
}

impl Names {
    /// The name itself, or with another number if it is taken; `stem` if there is none.
    fn unique(&mut self, name: &str, stem: &str) -> String {
        let name = if name.is_empty() { stem } else { name };
        let numbered = name
            .rsplit_once('.')
            .and_then(|(root, number)| Some((root, number.parse::<u64>().ok()?)))
            .filter(|(root, _)| !root.is_empty());
        let (root, number) = numbered.unwrap_or((name, 0));
        let (used, next) = self.taken.entry(root.to_owned()).or_default();
        if used.insert(number) {
            return if numbered.is_some() { format!("{root}.{number}") } else { root.to_owned() };
        }
        while !used.insert(*next) {
            *next += 1;
        }
        format!("{root}.{next}")
    }
}

fn renumber(attrs: &mut Attrs, numbers: &BTreeMap<ComputationId, ComputationId>) {
    let number = |id: &ComputationId| numbers.get(id).copied().unwrap_or(*id);
    let changed: Vec<(&'static str, AttrValue)> = attrs
        .iter()
        .filter_map(|(name, value)| match value {
            AttrValue::Computation(id) => Some((name, AttrValue::Computation(number(id)))),
            AttrValue::Computations(ids) => {
                Some((name, AttrValue::Computations(ids.iter().map(number).collect())))
            }
            _ => None,
        })
        .collect();
    for (name, value) in changed {
        attrs.set(name, value);
    }
}
