//! The bytes that an instruction reads from memory and writes to it, by the definitions of XLA's `HloCostAnalysis`.

use std::collections::{BTreeMap, BTreeSet};

use super::bytes::{FusionBytes, Size, Sizes};
use xla_array::Edition;
use xla_array::bitcast::{ElementTypes, transpose_is_bitcast};
use xla_hlo::{Computation, Instruction, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId};

impl Sizes {
    /// The sizes of a module's values.
    pub fn of(module: &Module) -> Self {
        let mut sizes = Self::of_values(module);
        let instructions = module.computations.iter().flat_map(|computation| &computation.instructions);
        let fusions = instructions.filter(|instruction| instruction.opcode == "fusion");
        let fused: BTreeSet<ComputationId> = fusions.flat_map(|fusion| fusion.attrs.computations()).collect();
        // In order: callees precede callers, so that nested fusions are complete.
        for id in fused {
            if let Some(computation) = module.get(id) {
                let bytes = fusion_traffic(&sizes, id, computation);
                sizes.set_fusion(id, bytes);
            }
        }
        sizes
    }
}

/// The bytes read and written by an instruction that is not control flow.
pub(super) fn read_and_written(
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
            .fold(0, |sum: u64, operand| sum.saturating_add(sizes.get(id, *operand).operand_bytes()))
    };
    let result = sizes.get(id, at);
    let written = result.arrays.memory;
    match instruction.opcode.as_str() {
        "parameter" | "constant" | "get-tuple-element" | "bitcast" | "after-all" | "add-dependency"
        | "domain" => (0, 0),
        "tuple" => (0, result.table),
        "transpose" if is_free_transpose(module, id, instruction) => (0, 0),
        "slice" => (written, written),
        "dynamic-slice" | "gather" => (written.saturating_add(size(1).operand_bytes()), written),
        "dynamic-update-slice" => {
            let update = size(1).operand_bytes();
            (update.saturating_add(size(2).operand_bytes()), update)
        }
        "scatter" => {
            // Operands, indices, then as many updates as operands. The operands are updated in place.
            let count = instruction.operands.len() / 2;
            let updates = (count + 1..instruction.operands.len())
                .fold(0, |sum: u64, operand| sum.saturating_add(size(operand).operand_bytes()));
            (updates.saturating_mul(2).saturating_add(size(count).operand_bytes()), updates)
        }
        "triangular-solve" => (size(0).operand_bytes() / 2 + size(1).operand_bytes(), written),
        "cholesky" => {
            let half = size(0).operand_bytes() / 2;
            (half, half)
        }
        "infeed" => (0, written),
        "outfeed" => {
            let read =
                |sum: u64, operand: &InstructionId| sum.saturating_add(sizes.get(id, *operand).arrays.memory);
            (instruction.operands.iter().fold(0, read), 0)
        }
        "fusion" => {
            let fusion = match instruction.attrs.get("calls") {
                Some(AttrValue::Computation(called)) => sizes.fusion(*called),
                _ => None,
            };
            fusion.map_or_else(|| (operands(), written), |fusion| (fusion.read, fusion.written))
        }
        _ => (operands(), written),
    }
}

/// Whether a transpose moves no element, by XLA's predicate.
fn is_free_transpose(module: &Module, id: ComputationId, transpose: &Instruction) -> bool {
    let is_bitcast = || {
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
    is_bitcast().unwrap_or(false)
}

/// The traffic of a fusion: its result, the slices of its parameters that are read, and its array constants. A dynamic update at
/// the root is in place. Nested fusions must have been analysed before.
fn fusion_traffic(sizes: &Sizes, id: ComputationId, fused: &Computation) -> FusionBytes {
    let update = |output: InstructionId| {
        let instruction = fused.get(output)?;
        let update = instruction.operands.get(1).filter(|_| instruction.opcode == "dynamic-update-slice")?;
        Some(sizes.get(id, *update).operand_bytes())
    };
    let mut written = 0_u64;
    if let Some((root, instruction)) = fused.root.and_then(|root| Some((root, fused.get(root)?))) {
        let outputs: &[InstructionId] =
            if instruction.opcode == "tuple" { &instruction.operands } else { std::slice::from_ref(&root) };
        written = outputs.iter().fold(0, |sum: u64, output| {
            sum.saturating_add(update(*output).unwrap_or_else(|| sizes.get(id, *output).arrays.memory))
        });
    }
    let users = users(fused);
    let mut parameters = vec![0_u64; fused.parameters.len()];
    let numbers: BTreeMap<InstructionId, usize> =
        fused.parameters.iter().enumerate().map(|(number, at)| (*at, number)).collect();
    let mut add = |parameter: InstructionId, bytes: u64| {
        if let Some(slot) = numbers.get(&parameter).and_then(|number| parameters.get_mut(*number)) {
            *slot = slot.saturating_add(bytes);
        }
    };
    let mut constants = 0_u64;
    for (at, instruction) in fused.iter() {
        match instruction.opcode.as_str() {
            "constant" if is_array_constant(instruction) => {
                constants = constants.saturating_add(sizes.get(id, at).arrays.memory);
            }
            "parameter" if instruction.shape.as_tuple().is_none() => {
                add(at, parameter_reads(sizes, id, fused, &users, at));
            }
            "get-tuple-element" => {
                let tuple = instruction.operands.first().copied();
                let is_parameter =
                    |id: &InstructionId| fused.get(*id).is_some_and(|i| i.opcode == "parameter");
                if let Some(parameter) = tuple.filter(is_parameter) {
                    add(parameter, parameter_reads(sizes, id, fused, &users, at));
                }
            }
            _ => {}
        }
    }
    let read = parameters.iter().fold(constants, |sum, bytes| sum.saturating_add(*bytes));
    FusionBytes { parameters, read, written }
}

/// Whether a constant has more than one element; XLA embeds scalars in the code.
fn is_array_constant(constant: &Instruction) -> bool {
    constant.shape.as_array().and_then(xla_array::ArrayShape::elements).is_some_and(|count| count > 1)
}

/// The users of each instruction, without duplicates, in order.
pub(super) fn users(computation: &Computation) -> Vec<Vec<InstructionId>> {
    let mut users = vec![Vec::new(); computation.instructions.len()];
    for (at, instruction) in computation.iter() {
        for operand in &instruction.operands {
            if let Some(operand_users) = users.get_mut(operand.index())
                && operand_users.last() != Some(&at)
            {
                operand_users.push(at);
            }
        }
    }
    users
}

/// The bytes that a fusion reads of a parameter: slices read what they return, every reshape and broadcast reads all of it, and
/// the other users share one read.
fn parameter_reads(
    sizes: &Sizes,
    id: ComputationId,
    fused: &Computation,
    users: &[Vec<InstructionId>],
    at: InstructionId,
) -> u64 {
    let all = sizes.get(id, at).operand_bytes();
    let mut is_read_whole = false;
    let mut bytes = 0_u64;
    for user in users.get(at.index()).into_iter().flatten() {
        let Some(instruction) = fused.get(*user) else { continue };
        let is_first = instruction.operands.first() == Some(&at);
        let read = match instruction.opcode.as_str() {
            "slice" => sizes.get(id, *user).operand_bytes(),
            "dynamic-slice" if is_first => sizes.get(id, *user).operand_bytes(),
            "dynamic-update-slice" if is_first => 0,
            "broadcast" | "reshape" => all,
            "fusion" => nested_reads(sizes, instruction, at).unwrap_or(all),
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
fn nested_reads(sizes: &Sizes, fusion: &Instruction, operand: InstructionId) -> Option<u64> {
    let Some(AttrValue::Computation(id)) = fusion.attrs.get("calls") else { return None };
    let reads = &sizes.fusion(*id)?.parameters;
    let operand_reads = fusion.operands.iter().zip(reads).filter(|(other, _)| **other == operand);
    Some(operand_reads.fold(0, |sum: u64, (_, bytes)| sum.saturating_add(*bytes)))
}
