//! Data movement: which instructions move bytes, and which only reinterpret them.

use std::collections::BTreeMap;

use super::bytes::Bytes;
use super::bytes::Sizes;
use super::slots::{reshape_is_free, transpose_is_free, with_layout};
use super::traffic;
use super::{InstructionRef, instruction, synchronous_opcode};
use xla_array::{ArrayShape, Shape};
use xla_hlo::{Computation, Instruction, Module};
use xla_ops::{AttrValue, ComputationId};

/// The data movement of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// It computes new values.
    Computes,
    /// It moves nothing: a bitcast, or a reshape or transpose whose layouts make it one.
    Free,
    /// It copies bytes without changing the order of dimensions in memory.
    Copies {
        /// Bytes read.
        read: u64,
        /// Bytes written.
        written: u64,
    },
    /// It copies bytes into another order in memory.
    Relayout {
        /// Bytes read.
        read: u64,
        /// Bytes written.
        written: u64,
    },
}

impl Movement {
    /// Bytes read and written.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Computes | Self::Free => 0,
            Self::Copies { read, written } | Self::Relayout { read, written } => read.saturating_add(written),
        }
    }
}

/// An array that an instruction reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayInMemory {
    /// The array with its layout; the default one if it has none.
    pub array: ArrayShape,
    /// Its bytes.
    pub bytes: Bytes,
}

/// Maximum number of arrays that [`arrays`] returns.
pub const MAX_ARRAYS: usize = 256;

/// The arrays of a shape, in order, at most [`MAX_ARRAYS`].
pub fn arrays(shape: &Shape) -> Vec<ArrayInMemory> {
    let mut arrays = Vec::new();
    let mut pending = vec![shape];
    while let Some(shape) = pending.pop() {
        match shape {
            Shape::Tuple(elements) => pending.extend(elements.iter().rev().take(MAX_ARRAYS)),
            Shape::Array(array) => {
                arrays.push(ArrayInMemory { array: with_layout(array), bytes: Bytes::of_array(array) });
            }
            _ => {}
        }
        if arrays.len() >= MAX_ARRAYS {
            break;
        }
    }
    arrays
}

/// The arrays of the operands of an instruction, and those of its result.
pub fn operands_and_result(
    module: &Module,
    at: InstructionRef,
) -> Option<(Vec<Vec<ArrayInMemory>>, Vec<ArrayInMemory>)> {
    let instruction = instruction(module, at)?;
    let operands = Module::operand_shapes(module.get(at.0)?, instruction);
    Some((operands.into_iter().map(arrays).collect(), arrays(&instruction.shape)))
}

/// The movement of an instruction, by the layouts that its operands and its result have.
pub fn movement(module: &Module, sizes: &Sizes, at: InstructionRef) -> Movement {
    movement_with(module, sizes, at, &mut FusedKinds::default())
}

/// The movement of fusions by their computation, so that each computation is analysed once.
pub(super) type FusedKinds = BTreeMap<ComputationId, Option<Kind>>;

/// Like [`movement`], for many instructions of a module.
pub(super) fn movement_with(
    module: &Module,
    sizes: &Sizes,
    at: InstructionRef,
    fused: &mut FusedKinds,
) -> Movement {
    let mut known_movement = || {
        let computation = module.get(at.0)?;
        let instruction = computation.get(at.1)?;
        let (read, written) = traffic::read_and_written(module, sizes, at.0, at.1, instruction);
        // XLA's figures assume that a transpose with a free layout is replaced by a bitcast; ours compare slots.
        let all = sizes.get(at.0, at.1).arrays.memory;
        Some(match kind(module, computation, instruction, fused)? {
            Kind::Free => Movement::Free,
            Kind::Copies => Movement::Copies { read, written },
            Kind::Relayout if read + written == 0 => Movement::Relayout { read: all, written: all },
            Kind::Relayout => Movement::Relayout { read, written },
        })
    };
    known_movement().unwrap_or(Movement::Computes)
}

/// A [`Movement`] without bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Free,
    Copies,
    Relayout,
}

/// The kind of movement; `None` if the instruction computes.
fn kind(
    module: &Module,
    computation: &Computation,
    instruction: &Instruction,
    fused: &mut FusedKinds,
) -> Option<Kind> {
    let operand = || computation.get(*instruction.operands.first()?)?.shape.as_array();
    let result = instruction.shape.as_array();
    if instruction.opcode.ends_with("-done") || instruction.opcode.ends_with("-update") {
        return matches!(synchronous_opcode(&instruction.opcode), "copy" | "slice").then_some(Kind::Free);
    }
    Some(match synchronous_opcode(&instruction.opcode) {
        "bitcast" | "get-tuple-element" | "tuple" | "opt-barrier" | "after-all" | "add-dependency"
        | "domain" => Kind::Free,
        "reshape" => free_if(reshape_is_free(operand()?, result?)),
        "bitcast-convert" => free_if(bitcast_convert_is_free(operand()?, result?)),
        "transpose" => match instruction.attrs.get("dimensions") {
            Some(AttrValue::Ints(map)) => free_if(transpose_is_free(operand()?, result?, map)),
            _ => return None,
        },
        "copy" => match (operand(), copy_result(&instruction.shape)) {
            // XLA inserts a copy where a value is needed in another layout, or in a buffer of its own.
            (Some(from), Some(to)) if !has_same_order(from, to) => Kind::Relayout,
            _ => Kind::Copies,
        },
        "broadcast"
        | "slice"
        | "concatenate"
        | "pad"
        | "reverse"
        | "dynamic-slice"
        | "dynamic-update-slice"
        | "gather" => Kind::Copies,
        "fusion" => {
            let Some(AttrValue::Computation(id)) = instruction.attrs.get("calls") else { return None };
            if let Some(kind) = fused.get(id) {
                return *kind;
            }
            let kind = fused_kind(module, module.get(*id)?);
            fused.insert(*id, kind);
            return kind;
        }
        _ => return None,
    })
}

/// The movement of a fusion whose instructions only move data: a relayout if one of them is. `None` if it computes, as a fusion
/// with nested fusions is assumed to do.
fn fused_kind(module: &Module, fused: &Computation) -> Option<Kind> {
    let mut kind_of_all = Kind::Free;
    for instruction in &fused.instructions {
        let kind = match instruction.opcode.as_str() {
            "parameter" | "constant" | "iota" => continue,
            "fusion" => return None,
            _ => kind(module, fused, instruction, &mut FusedKinds::default())?,
        };
        kind_of_all = match (kind_of_all, kind) {
            (Kind::Relayout, _) | (_, Kind::Relayout) => Kind::Relayout,
            (Kind::Copies, _) | (_, Kind::Copies) => Kind::Copies,
            _ => Kind::Free,
        };
    }
    // A fusion writes its result in any case.
    Some(if kind_of_all == Kind::Free { Kind::Copies } else { kind_of_all })
}

fn free_if(is_free: bool) -> Kind {
    if is_free { Kind::Free } else { Kind::Relayout }
}

/// The array that a copy writes: its result, or the first element of the state of a `copy-start`.
fn copy_result(shape: &Shape) -> Option<&ArrayShape> {
    shape.as_array().or_else(|| shape.as_tuple()?.first()?.as_array())
}

/// Whether two arrays of the same sizes have their elements in the same order in memory.
fn has_same_order(from: &ArrayShape, to: &ArrayShape) -> bool {
    let identity: Vec<i64> = (0..).take(from.rank()).collect();
    transpose_is_free(from, to, &identity)
}

/// Whether the bits of every element keep their address. A change of the width adds or removes a dimension, which must
/// be the most minor one.
fn bitcast_convert_is_free(from: &ArrayShape, to: &ArrayShape) -> bool {
    let (from, to) = (with_layout(from), with_layout(to));
    if from.rank() == to.rank() {
        return has_same_order(&from, &ArrayShape { element_type: from.element_type, ..to });
    }
    let (short, long) = if from.rank() < to.rank() { (&from, &to) } else { (&to, &from) };
    let (Some(short), Some(long)) = (&short.layout, &long.layout) else { return false };
    let added = (0..).zip(0..=short.minor_to_major.len()).last().map(|(d, _): (i64, _)| d);
    short.tiles.is_empty()
        && long.tiles.is_empty()
        && long.minor_to_major.first().copied() == added
        && long.minor_to_major.get(1..) == Some(&short.minor_to_major[..])
}
