//! The steps of a plan.

use xla_hlo::InstructionId;
use xla_kernels::task::Move;
use xla_kernels::{Kernel, Task, View};
use xla_ops::read::{ElementFn, ElementTupleFn};
use xla_ops::{ComputationId, EagerOp};

use crate::array::{Array, ValueId, ValueTree};

/// The instruction that a step computes.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub at: (ComputationId, InstructionId),
    /// The entry computation, and its instruction that is being run: the step's own, or the one whose body contains it.
    pub entry: (ComputationId, InstructionId),
}

/// Start indices that are only known when the step runs.
#[derive(Clone, Debug)]
pub struct StartIndices {
    /// Per dimension, the location of its start index: the index of the read, and the offset in that.
    pub locations: Vec<(usize, usize)>,
    /// Per dimension, the maximum start index, and the stride of the array.
    pub max_starts_and_strides: Vec<(i64, isize)>,
}

/// The operation of a step.
#[allow(clippy::large_enum_variant, reason = "most steps are of the largest variants")]
pub enum Action {
    /// Runs a kernel.
    Kernel { kernel: &'static Kernel, task: Task },
    /// Copies the slice of read 0 at these start indices.
    ///
    /// `contiguous_elements` is the number of elements if they are contiguous in both arrays.
    Slice { to: View, from: View, starts: StartIndices, contiguous_elements: Option<usize> },
    /// Writes read 1 into a copy of read 0, at these start indices. If read 0 and the result share a buffer, nothing is copied.
    ///
    /// `contiguous_elements` is the number of elements of read 1 if they are contiguous in both arrays.
    Update { task: Move, starts: StartIndices, contiguous_elements: Option<usize> },
    /// Copies read 0 to the initial state of a loop. If both share a buffer, does nothing.
    Initialize { kernel: &'static Kernel, task: Task },
    /// Interprets an op: computes each element with its reference semantics.
    PerElement(ElementFn),
    /// Like [`Self::PerElement`], for an op with several results.
    PerElementTuple(ElementTupleFn),
    /// Runs the semantics of an op that computes all of its results eagerly, on literals.
    Eager { op: Box<dyn EagerOp>, operands: Vec<ValueTree>, shape: xla_array::Shape, opcode: &'static str },
    /// Moves the first value to the second, by swapping their buffers. The first is not read afterwards.
    Swap(ValueId, ValueId),
    /// Passes the value of an observed instruction to the run's observer. The index of the instruction in the plan's `observed`.
    Observe(usize),
    /// Jumps to a step if read 0, a scalar, is false.
    JumpUnless(usize),
    /// Jumps to a step.
    Jump(usize),
    /// Jumps to the step that read 0, a scalar, selects: the last one if it is out of range. True selects the first, false the
    /// second.
    Switch(Vec<usize>),
}

/// The steps of a loop.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// The first step, of the condition.
    pub start: usize,
    /// The step that exits the loop if the condition is false.
    pub exit: usize,
    /// The last step, which jumps to the first.
    pub end: usize,
}

/// A step: an action, and the arrays it reads and writes.
pub struct Step {
    pub action: Action,
    pub reads: Vec<Array>,
    /// Each covers all elements of its value.
    pub writes: Vec<Array>,
    pub origin: Origin,
}

impl Step {
    /// The written values.
    pub fn written(&self) -> impl Iterator<Item = ValueId> + '_ {
        let swapped = if let Action::Swap(_, to) = self.action { Some(to) } else { None };
        self.writes.iter().map(|array| array.value).chain(swapped)
    }

    /// The read values.
    pub fn read(&self) -> impl Iterator<Item = ValueId> + '_ {
        let swapped = if let Action::Swap(from, _) = self.action { Some(from) } else { None };
        self.reads.iter().map(|array| array.value).chain(swapped)
    }
}
