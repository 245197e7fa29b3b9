//! Inlines a called computation: that of a call or a fusion, one iteration of a loop, or one branch of a conditional.

use super::bypass::with_entry;
use crate::cut::types::Program;
use xla_hlo::{Computation, Instruction, InstructionId};
use xla_ops::{AttrValue, ComputationId};

/// A computation that can replace the instruction that calls it, and its arguments.
pub(super) struct Callee {
    computation: ComputationId,
    arguments: Vec<InstructionId>,
}

/// The computations that can replace an instruction.
pub(super) fn callees(program: &Program, id: InstructionId) -> Vec<Callee> {
    let entry = program.module.entry_computation();
    let Some(instruction) = entry.and_then(|entry| entry.get(id)) else { return Vec::new() };
    let computation = |name: &str| match instruction.attrs.get(name) {
        Some(AttrValue::Computation(id)) => Some(*id),
        _ => None,
    };
    let all = || instruction.operands.to_vec();
    match instruction.opcode.as_str() {
        "call" => {
            computation("to_apply").map(|c| Callee { computation: c, arguments: all() }).into_iter().collect()
        }
        "fusion" => {
            computation("calls").map(|c| Callee { computation: c, arguments: all() }).into_iter().collect()
        }
        "while" => {
            computation("body").map(|c| Callee { computation: c, arguments: all() }).into_iter().collect()
        }
        "conditional" => {
            let branches = instruction.attrs.computations();
            let arguments = instruction.operands.iter().skip(1);
            let branch = |(computation, argument): (ComputationId, &InstructionId)| Callee {
                computation,
                arguments: vec![*argument],
            };
            branches.zip(arguments).map(branch).collect()
        }
        _ => Vec::new(),
    }
}

/// The program with a callee in place of an instruction.
pub(super) fn inlined(
    program: &Program,
    id: InstructionId,
    callee: &Callee,
    limit: usize,
) -> Option<Program> {
    let entry = program.module.entry_computation()?;
    let body = program.module.get(callee.computation)?;
    let instruction = entry.get(id)?;
    let is_too_large = entry.instructions.len().saturating_add(body.instructions.len()) > limit;
    let has_same_result = body.root_instruction()?.shape == instruction.shape;
    if is_too_large || !has_same_result || body.parameters.len() != callee.arguments.len() {
        return None;
    }
    let mut changed = Computation::default();
    changed.name.clone_from(&entry.name);
    let mut new_ids: Vec<InstructionId> = Vec::with_capacity(entry.instructions.len());
    for (old, instruction) in entry.iter() {
        let new = if old == id {
            let arguments = callee.arguments.iter().map(|id| new_ids.get(id.index()).copied());
            inline(&mut changed, body, &arguments.collect::<Option<Vec<_>>>()?)?
        } else {
            push(&mut changed, instruction, &new_ids)?
        };
        new_ids.push(new);
    }
    changed.root = new_ids.get(entry.root?.index()).copied();
    with_entry(program, changed)
}

/// Appends a copy of an instruction, with the new ids of its operands.
fn push(to: &mut Computation, instruction: &Instruction, new_ids: &[InstructionId]) -> Option<InstructionId> {
    let mut instruction = instruction.clone();
    for operand in &mut instruction.operands {
        *operand = *new_ids.get(operand.index())?;
    }
    instruction.annotations.retain(|(name, _)| name != "control-predecessors");
    let id = InstructionId(u32::try_from(to.instructions.len()).ok()?);
    to.instructions.push(instruction);
    Some(id)
}

/// Appends the instructions of a body; returns its root.
fn inline(to: &mut Computation, body: &Computation, arguments: &[InstructionId]) -> Option<InstructionId> {
    let mut new_ids: Vec<InstructionId> = Vec::with_capacity(body.instructions.len());
    for (id, instruction) in body.iter() {
        let number = body.parameters.iter().position(|parameter| *parameter == id);
        let new = match number {
            Some(number) => *arguments.get(number)?,
            None => push(to, instruction, &new_ids)?,
        };
        new_ids.push(new);
    }
    new_ids.get(body.root?.index()).copied()
}
