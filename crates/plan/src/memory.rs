//! The buffers of a run.

use std::borrow::Cow;

use xla_array::literal::{Buffer, LiteralError};
use xla_array::{ArrayLiteral, Value};
use xla_hlo::eval::kernel::slice;
use xla_kernels::Slice;
use xla_messages::bug::OrBug as _;

use crate::array::{Array, ValueId};
use crate::buffer_assignment::Allocation;
use crate::plan::{BufferId, Plan};

/// Buffers that a runner reuses in every run.
#[derive(Debug, Default)]
pub struct Buffers {
    pub allocations: Vec<Buffer>,
    pub precomputed: Vec<Buffer>,
}

fn allocate_buffer(allocation: &Allocation) -> Result<Buffer, LiteralError> {
    let Allocation { element_type, elements } = *allocation;
    Buffer::filled(element_type, elements, Value::from_bits(element_type, 0))
}

impl Buffers {
    /// Allocates the buffers of a plan.
    pub fn allocate(plan: &Plan) -> Result<Self, LiteralError> {
        Ok(Self {
            allocations: plan.allocations.iter().map(allocate_buffer).collect::<Result<_, _>>()?,
            precomputed: plan.precomputed.iter().map(allocate_buffer).collect::<Result<_, _>>()?,
        })
    }
}

impl Buffers {
    /// The bytes of the allocation of a value; `None` if it has none.
    pub fn allocation_bytes(&self, plan: &Plan, value: ValueId) -> Option<&[u8]> {
        let Some(BufferId::Allocation(number)) = plan.buffer_ids.get(value.0) else { return None };
        Some(slice(self.allocations.get(*number)?).as_bytes())
    }
}

/// An empty buffer.
static EMPTY_BUFFER: Buffer = Buffer::U8(Vec::new());

/// The memory of a run.
pub struct Memory<'a> {
    pub plan: &'a Plan,
    pub arguments: &'a [Cow<'a, ArrayLiteral>],
    pub buffers: &'a mut Buffers,
}

impl Memory<'_> {
    /// The buffer of a value.
    pub fn buffer(&self, value: ValueId) -> &Buffer {
        let buffer = match self.plan.buffer_ids.get(value.0) {
            Some(BufferId::Argument(number)) => self.arguments.get(*number).map(|array| array.buffer()),
            Some(BufferId::Constant(number)) => self
                .plan
                .constants
                .get(*number)
                .and_then(|literal| literal.as_array())
                .map(ArrayLiteral::buffer),
            Some(BufferId::Precomputed(number)) => self.buffers.precomputed.get(*number),
            Some(BufferId::Allocation(number)) => self.buffers.allocations.get(*number),
            None => None,
        };
        buffer.or_bug(&EMPTY_BUFFER, "a value without a buffer")
    }

    /// All elements of an array's value.
    pub fn elements(&self, array: &Array) -> Slice<'_> {
        self.value_elements(array.value)
    }

    /// All elements of a value.
    pub fn value_elements(&self, value: ValueId) -> Slice<'_> {
        slice(self.buffer(value)).part(0, self.plan.values[value.0].elements)
    }

    /// The element of an array's value at an offset.
    pub fn element(&self, array: &Array, offset: usize) -> Value {
        let element_type = array.shape.element_type;
        self.buffer(array.value)
            .get(element_type, offset)
            .or_bug(Value::Int(0), "an element outside of its buffer")
    }

    /// The buffer of a value that is not shared with arguments or the module.
    fn buffer_mut(&mut self, value: ValueId) -> Option<&mut Buffer> {
        match self.plan.buffer_ids.get(value.0)? {
            BufferId::Precomputed(number) => self.buffers.precomputed.get_mut(*number),
            BufferId::Allocation(number) => self.buffers.allocations.get_mut(*number),
            BufferId::Argument(_) | BufferId::Constant(_) => None,
        }
    }

    /// Takes the buffer of a value, so that it can be written while others are read. [`Self::put`] returns it.
    pub fn take(&mut self, value: ValueId) -> Buffer {
        let empty = || Buffer::U8(Vec::new());
        self.buffer_mut(value).map_or_else(empty, |buffer| std::mem::replace(buffer, empty()))
    }

    /// Returns a buffer that was taken.
    pub fn put(&mut self, value: ValueId, taken: Buffer) {
        if let Some(buffer) = self.buffer_mut(value) {
            *buffer = taken;
        }
    }

    /// Swaps the buffers of two values.
    pub fn swap(&mut self, a: ValueId, b: ValueId) {
        if let (Some(BufferId::Allocation(a)), Some(BufferId::Allocation(b))) =
            (self.plan.buffer_ids.get(a.0), self.plan.buffer_ids.get(b.0))
        {
            self.buffers.allocations.swap(*a, *b);
        }
    }

    /// Whether two values share a buffer.
    pub fn have_same_buffer(&self, a: ValueId, b: ValueId) -> bool {
        self.plan.buffer_ids.get(a.0) == self.plan.buffer_ids.get(b.0)
    }
}
