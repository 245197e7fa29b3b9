//! The values that a run can observe, and those that it copies.

use xla_hlo::{Instruction, InstructionId};
use xla_ops::{ComputationId, Data};

use crate::array::ValueTree;

/// The instructions whose values a run can observe.
#[derive(Clone, Copy, Debug)]
pub enum Observed<'a> {
    /// None: the plan is the fastest.
    Nothing,
    /// Every instruction that the result needs.
    Everything,
    /// These instructions.
    Instructions(&'a [(ComputationId, InstructionId)]),
}

impl<'a> Observed<'a> {
    /// The instructions that are observed by name.
    pub(crate) fn by_name(self) -> &'a [(ComputationId, InstructionId)] {
        if let Self::Instructions(instructions) = self { instructions } else { &[] }
    }

    /// Whether an instruction is observed.
    pub(crate) fn includes(self, at: (ComputationId, InstructionId)) -> bool {
        matches!(self, Self::Everything) || self.by_name().contains(&at)
    }
}

/// An observable instruction, in one inlined call of its computation.
pub struct ObservedInstruction {
    pub at: (ComputationId, InstructionId),
    pub value: ValueTree,
    /// The indices of its operands among the observed instructions.
    pub operands: Vec<usize>,
    /// Whether it is a parameter or a constant.
    pub is_source: bool,
    /// Whether it calls computations, whose instructions may be observed.
    pub has_calls: bool,
}

impl ObservedInstruction {
    pub fn new(
        at: (ComputationId, InstructionId),
        instruction: &Instruction,
        operands: Vec<usize>,
        value: ValueTree,
    ) -> Self {
        let opcode = instruction.opcode.as_str();
        Self {
            at,
            value,
            operands,
            is_source: matches!(opcode, "parameter" | "constant"),
            has_calls: matches!(opcode, "call" | "fusion" | "while" | "conditional"),
        }
    }
}

/// Copies the values of the observed instructions when they are executed for the `execution`-th time, from 0.
pub struct Capture {
    execution: u64,
    /// The instructions, each with the number of its executions so far, and its value.
    captured: Vec<((ComputationId, InstructionId), u64, Option<Data>)>,
}

impl Capture {
    pub fn new(instructions: &[(ComputationId, InstructionId)], execution: u64) -> Self {
        Self { execution, captured: instructions.iter().map(|at| (*at, 0, None)).collect() }
    }

    /// Counts an execution of an instruction; returns where to store its value if this is the execution to capture.
    pub fn reached(&mut self, at: (ComputationId, InstructionId)) -> Option<&mut Option<Data>> {
        let (_, executions, value) = self.captured.iter_mut().find(|(captured, ..)| *captured == at)?;
        *executions += 1;
        (*executions == self.execution + 1).then_some(value)
    }

    /// Whether every value has been copied.
    pub fn is_complete(&self) -> bool {
        self.captured.iter().all(|(.., value)| value.is_some())
    }

    /// The values, in the order of the instructions; `None` for those that were not executed so often.
    pub fn into_values(self) -> Vec<Option<Data>> {
        self.captured.into_iter().map(|(.., value)| value).collect()
    }
}
