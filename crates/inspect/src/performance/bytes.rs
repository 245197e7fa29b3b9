//! The bytes of a value: those of its elements, and those that its layout occupies.

use std::collections::HashMap;

use super::unsigned;
use xla_array::{ArrayShape, MemoryMap, Shape};
use xla_hlo::{Computation, InstructionId, Module};
use xla_ops::ComputationId;

/// The size of an entry of a tuple's table, in bytes. XLA counts tables as memory.
pub const POINTER_BYTES: u64 = 8;

/// The bytes of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// The bytes of the elements.
    pub data: u64,
    /// The bytes in memory: those of the elements and of the padding by tiles.
    pub memory: u64,
}

impl Bytes {
    /// The bytes of an array; none if its layout is invalid or a dimension has no bound.
    pub fn of_array(array: &ArrayShape) -> Self {
        let Ok(map) = MemoryMap::new(array) else { return Self::default() };
        // No overflow: the bits of all slots fit an i64, and there are no more elements than slots.
        let data = unsigned((map.elements() * map.bits_per_slot() + 7) / 8);
        Self { data, memory: unsigned(map.bytes()) }
    }

    /// The bytes of padding.
    pub fn padding(self) -> u64 {
        self.memory.saturating_sub(self.data)
    }

    /// The sum, saturating.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { data: self.data.saturating_add(other.data), memory: self.memory.saturating_add(other.memory) }
    }

    /// This many times as much, saturating.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        Self { data: self.data.saturating_mul(count), memory: self.memory.saturating_mul(count) }
    }
}

/// The size of the value of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// The arrays of the value, at any depth.
    pub arrays: Bytes,
    /// The bytes of the table, if it is a tuple; else 0.
    pub table: u64,
}

impl Size {
    /// The bytes that an instruction reads of an operand with this value: those of the array, or of the table of a tuple.
    pub fn operand_bytes(self) -> u64 {
        if self.table > 0 { self.table } else { self.arrays.memory }
    }
}

/// Computes the sizes of shapes. A tuple that several shapes share is visited once.
#[derive(Default)]
struct SizeCache {
    /// The sums of tuples, by the address of their elements, which the module keeps alive.
    tuples: HashMap<usize, Bytes>,
}

impl SizeCache {
    fn arrays(&mut self, shape: &Shape) -> Bytes {
        match shape {
            Shape::Array(array) => Bytes::of_array(array),
            Shape::Buffer(array) => Bytes::of_array(array),
            Shape::Token | Shape::Opaque => Bytes::default(),
            // The parser bounds the depth of a tuple.
            Shape::Tuple(elements) => {
                let address = elements.as_ptr().addr();
                if let Some(sum) = self.tuples.get(&address) {
                    return *sum;
                }
                let sum =
                    elements.iter().fold(Bytes::default(), |sum, element| sum.plus(self.arrays(element)));
                self.tuples.insert(address, sum);
                sum
            }
        }
    }

    fn size(&mut self, shape: &Shape) -> Size {
        let table = shape.as_tuple().map_or(0, |elements| elements.len() as u64 * POINTER_BYTES);
        Size { arrays: self.arrays(shape), table }
    }
}

/// The bytes of the arrays of a shape, at any depth.
pub fn shape_bytes(shape: &Shape) -> Bytes {
    SizeCache::default().arrays(shape)
}

/// The bytes that a fusion accesses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FusionBytes {
    /// The bytes read of each parameter.
    pub parameters: Vec<u64>,
    /// All bytes read: of parameters and of array constants.
    pub read: u64,
    /// The bytes written.
    pub written: u64,
}

/// The sizes of the values of every instruction of a module.
pub struct Sizes {
    instructions: Vec<Vec<Size>>,
    /// The memory traffic of each fused computation; empty for computations that are not fused.
    fusions: Vec<FusionBytes>,
}

impl Sizes {
    /// The sizes of a module's values, without the traffic of fusions.
    pub(super) fn of_values(module: &Module) -> Self {
        let mut cache = SizeCache::default();
        let mut sizes = |computation: &Computation| {
            computation.instructions.iter().map(|instruction| cache.size(&instruction.shape)).collect()
        };
        let instructions = module.computations.iter().map(&mut sizes).collect();
        Self { instructions, fusions: vec![FusionBytes::default(); module.computations.len()] }
    }

    /// Sets the memory traffic of a fused computation.
    pub(super) fn set_fusion(&mut self, id: ComputationId, bytes: FusionBytes) {
        if let Some(slot) = self.fusions.get_mut(id.0 as usize) {
            *slot = bytes;
        }
    }

    /// The size of an instruction's value; nothing if there is no such instruction.
    pub fn get(&self, computation: ComputationId, instruction: InstructionId) -> Size {
        let sizes = self.instructions.get(computation.0 as usize);
        sizes.and_then(|sizes| sizes.get(instruction.index())).copied().unwrap_or_default()
    }

    /// The memory traffic of a fused computation.
    pub(super) fn fusion(&self, id: ComputationId) -> Option<&FusionBytes> {
        self.fusions.get(id.0 as usize)
    }
}
