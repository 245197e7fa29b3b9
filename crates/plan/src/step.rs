//! The steps of a plan.

use xla_hlo::InstructionId;
use xla_kernels::task::Move;
use xla_kernels::{Kernel, Task, View};
use xla_ops::read::{ElementFn, ElementTupleFn};
use xla_ops::{ComputationId, WholeOp};

use crate::array::{Array, Node, ValueId};

/// The instruction that a step computes.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub at: (ComputationId, InstructionId),
    /// The instruction of the entry computation that is being run, and that computation.
    pub entry: (ComputationId, InstructionId),
}

/// Start indices that are known when the step runs.
#[derive(Clone, Debug)]
pub struct Starts {
    /// A scalar of each dimension, or one array of them all: the index of the read, and the cell.
    pub cells: Vec<(usize, usize)>,
    /// The maximum start of each dimension, and its stride.
    pub limits: Vec<(i64, isize)>,
}

/// What a step does.
#[allow(clippy::large_enum_variant, reason = "most steps are of the largest variants")]
pub enum Action {
    /// Runs a kernel.
    Kernel { kernel: &'static Kernel, task: Task },
    /// Copies a part of read 0 whose offset is known when the step runs.
    Slice { to: View, from: View, starts: Starts },
    /// Writes read 1 into a copy of read 0, at an offset that is known when the step runs. If both share a buffer, only the
    /// part is written.
    Update { task: Move, starts: Starts },
    /// Copies read 0 to the state with which a loop begins, which is written here first. If both share a buffer, nothing is done.
    Initialize { kernel: &'static Kernel, task: Task },
    /// The body of an op, cell by cell.
    Cells(ElementFn),
    /// The body of an op with several results, cell by cell.
    TupleCells(ElementTupleFn),
    /// The body of an op that is evaluated at once, on literals.
    Whole { op: Box<dyn WholeOp>, operands: Vec<Node>, shape: xla_array::Shape, opcode: &'static str },
    /// Swaps the buffers of two values, so that the second gets the cells of the first, which is not read again.
    Swap(ValueId, ValueId),
    /// Continues at a step if read 0, a scalar, is false.
    JumpUnless(usize),
    /// Continues at a step.
    Jump(usize),
    /// Continues at the step that read 0, a scalar, selects; at the last one if it is out of range. True selects the first.
    Switch(Vec<usize>),
}

/// The steps of a loop.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// The first step, of the condition.
    pub start: usize,
    /// The step that leaves the loop or continues with the body.
    pub exit: usize,
    /// The last step, which jumps to the first.
    pub end: usize,
}

/// A step.
pub struct Step {
    pub action: Action,
    pub reads: Vec<Array>,
    /// Whole values.
    pub writes: Vec<Array>,
    pub origin: Origin,
}

impl Step {
    /// The values that it writes.
    pub fn written(&self) -> impl Iterator<Item = ValueId> + '_ {
        let swapped = if let Action::Swap(_, to) = self.action { Some(to) } else { None };
        self.writes.iter().map(|array| array.value).chain(swapped)
    }

    /// The values that it reads.
    pub fn read(&self) -> impl Iterator<Item = ValueId> + '_ {
        let swapped = if let Action::Swap(from, _) = self.action { Some(from) } else { None };
        self.reads.iter().map(|array| array.value).chain(swapped)
    }
}
