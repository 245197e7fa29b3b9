//! The bytes that an instruction reads from memory and writes to it, by the definitions of XLA's `HloCostAnalysis`.

use super::bytes::{Size, Sizes};
use xla_array::Edition;
use xla_array::bitcast::{ElementTypes, transpose_is_bitcast};
use xla_hlo::{Computation, Instruction, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId};

/// Bytes read and written by an instruction that is not control flow.
pub(super) fn of(
    module: &Module,
    sizes: &Sizes,
    id: ComputationId,
    at: InstructionId,
    instruction: &Instruction,
) -> (u64, u64) {
    let size = |operand: usize| -> Size {
        instruction.operands.get(operand).map(|operand| sizes.get(id, *operand)).unwrap_or_default()
    };
    let operands = || {
        instruction
            .operands
            .iter()
            .fold(0, |sum: u64, operand| sum.saturating_add(sizes.get(id, *operand).operand()))
    };
    let result = sizes.get(id, at);
    let written = result.arrays.memory;
    match instruction.opcode.as_str() {
        "parameter" | "constant" | "get-tuple-element" | "bitcast" | "after-all" | "add-dependency"
        | "domain" => (0, 0),
        "tuple" => (0, result.table),
        "transpose" if is_free_transpose(module, id, instruction) => (0, 0),
        "slice" => (written, written),
        "dynamic-slice" | "gather" => (written.saturating_add(size(1).operand()), written),
        "dynamic-update-slice" => {
            let update = size(1).operand();
            (update.saturating_add(size(2).operand()), update)
        }
        "scatter" => {
            // Operands, indices, then as many updates as operands. The operands are updated in place.
            let count = instruction.operands.len() / 2;
            let updates = (count + 1..instruction.operands.len())
                .fold(0, |sum: u64, operand| sum.saturating_add(size(operand).operand()));
            (updates.saturating_mul(2).saturating_add(size(count).operand()), updates)
        }
        "triangular-solve" => (size(0).operand() / 2 + size(1).operand(), written),
        "cholesky" => {
            let half = size(0).operand() / 2;
            (half, half)
        }
        "infeed" => (0, written),
        "outfeed" => {
            let read =
                |sum: u64, operand: &InstructionId| sum.saturating_add(sizes.get(id, *operand).arrays.memory);
            (instruction.operands.iter().fold(0, read), 0)
        }
        "fusion" => match instruction.attrs.get("calls") {
            Some(AttrValue::Computation(called)) => match module.get(*called) {
                Some(fused) => of_fusion(module, sizes, *called, fused, result),
                None => (operands(), written),
            },
            _ => (operands(), written),
        },
        _ => (operands(), written),
    }
}

/// Whether a transpose moves no element, by XLA's predicate.
fn is_free_transpose(module: &Module, id: ComputationId, transpose: &Instruction) -> bool {
    let of = || {
        let computation = module.get(id)?;
        let operand = computation.get(*transpose.operands.first()?)?.shape.as_array()?;
        let Some(AttrValue::Ints(map)) = transpose.attrs.get("dimensions") else { return None };
        transpose_is_bitcast(
            operand,
            transpose.shape.as_array()?,
            map,
            ElementTypes::Ignore,
            Edition::Current,
        )
    };
    of().unwrap_or(false)
}

/// The traffic of a fusion: its result, the parts of its parameters that are read, and its array constants.
/// A dynamic update at the root is done in place.
fn of_fusion(
    module: &Module,
    sizes: &Sizes,
    id: ComputationId,
    fused: &Computation,
    result: Size,
) -> (u64, u64) {
    let written_by = |root: InstructionId| {
        let instruction = fused.get(root)?;
        let update = *instruction.operands.get(1).filter(|_| instruction.opcode == "dynamic-update-slice")?;
        Some(sizes.get(id, update).operand())
    };
    let mut written = result.arrays.memory;
    if let Some(root) = fused.root {
        let is_tuple = fused.get(root).is_some_and(|instruction| instruction.opcode == "tuple");
        let outputs: &[InstructionId] = match fused.get(root) {
            Some(instruction) if is_tuple => &instruction.operands,
            _ => std::slice::from_ref(&root),
        };
        written = outputs.iter().fold(0, |sum: u64, output| {
            let all = sizes.get(id, *output).arrays.memory;
            sum.saturating_add(written_by(*output).unwrap_or(all))
        });
    }
    let users = users(fused);
    let mut read = 0_u64;
    for (at, instruction) in fused.iter() {
        let bytes = match instruction.opcode.as_str() {
            "constant" if is_array_constant(instruction) => sizes.get(id, at).arrays.memory,
            "parameter" if instruction.shape.as_tuple().is_some() => 0,
            "parameter" => parameter_reads(module, sizes, id, fused, &users, at),
            "get-tuple-element" if is_parameter(fused, instruction) => {
                parameter_reads(module, sizes, id, fused, &users, at)
            }
            _ => 0,
        };
        read = read.saturating_add(bytes);
    }
    (read, written)
}

/// Whether a constant has more than one element; XLA embeds scalars in the code.
fn is_array_constant(constant: &Instruction) -> bool {
    constant.shape.as_array().and_then(xla_array::ArrayShape::elements).is_some_and(|count| count > 1)
}

/// Whether the operand of an instruction is a parameter.
fn is_parameter(computation: &Computation, instruction: &Instruction) -> bool {
    let operand = instruction.operands.first().and_then(|operand| computation.get(*operand));
    operand.is_some_and(|operand| operand.opcode == "parameter")
}

/// The users of each instruction, each once, in order.
pub(super) fn users(computation: &Computation) -> Vec<Vec<InstructionId>> {
    let mut users = vec![Vec::new(); computation.instructions.len()];
    for (at, instruction) in computation.iter() {
        for operand in &instruction.operands {
            if let Some(of_operand) = users.get_mut(operand.index())
                && of_operand.last() != Some(&at)
            {
                of_operand.push(at);
            }
        }
    }
    users
}

/// The bytes that a fusion reads of a parameter: slices read their part, reshapes and broadcasts read it for
/// themselves, and all other users share one read.
fn parameter_reads(
    module: &Module,
    sizes: &Sizes,
    id: ComputationId,
    fused: &Computation,
    users: &[Vec<InstructionId>],
    at: InstructionId,
) -> u64 {
    let all = sizes.get(id, at).operand();
    let mut is_read_whole = false;
    let mut bytes = 0_u64;
    for user in users.get(at.index()).into_iter().flatten() {
        let Some(instruction) = fused.get(*user) else { continue };
        let is_first = instruction.operands.first() == Some(&at);
        let read = match instruction.opcode.as_str() {
            "slice" => sizes.get(id, *user).operand(),
            "dynamic-slice" if is_first => sizes.get(id, *user).operand(),
            "dynamic-update-slice" if is_first => 0,
            "broadcast" | "reshape" => all,
            "fusion" => nested_reads(module, sizes, instruction, at).unwrap_or(all),
            _ if is_read_whole => 0,
            _ => {
                is_read_whole = true;
                all
            }
        };
        bytes = bytes.saturating_add(read);
    }
    bytes
}

/// The bytes that a nested fusion reads of an operand.
fn nested_reads(module: &Module, sizes: &Sizes, fusion: &Instruction, operand: InstructionId) -> Option<u64> {
    let Some(AttrValue::Computation(id)) = fusion.attrs.get("calls") else { return None };
    let fused = module.get(*id)?;
    let users = users(fused);
    let parameters = fusion.operands.iter().zip(&fused.parameters).filter(|(other, _)| **other == operand);
    // Callees precede callers, and the parser bounds the depth of calls.
    Some(parameters.fold(0, |sum: u64, (_, parameter)| {
        sum.saturating_add(parameter_reads(module, sizes, *id, fused, &users, *parameter))
    }))
}
