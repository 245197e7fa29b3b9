//! Which values a run can observe, and the ones that it copies.

use xla_hlo::{Instruction, InstructionId};
use xla_ops::{ComputationId, Data};

use crate::array::ValueTree;

/// The instructions whose values a plan shows while it runs.
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

/// An instruction whose value a plan shows, where one call of its computation is inlined.
pub struct ObservedInstruction {
    pub at: (ComputationId, InstructionId),
    pub value: ValueTree,
    /// The indices of its operands among the observed instructions.
    pub operands: Vec<usize>,
    /// Whether the program is given its value: it is a parameter or a constant.
    pub is_source: bool,
    /// Whether it may run other observed instructions.
    pub calls: bool,
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
            calls: matches!(opcode, "call" | "fusion" | "while" | "conditional"),
        }
    }
}

/// Copies the values of the observed instructions when they are executed for the `execution`-th time, from 0.
pub struct Capture {
    execution: u64,
    /// Per instruction, the executions so far, and its value.
    found: Vec<((ComputationId, InstructionId), u64, Option<Data>)>,
}

impl Capture {
    pub fn new(instructions: &[(ComputationId, InstructionId)], execution: u64) -> Self {
        Self { execution, found: instructions.iter().map(|at| (*at, 0, None)).collect() }
    }

    /// Counts an execution of an instruction; returns the place for its value if it is to be copied.
    pub fn reached(&mut self, at: (ComputationId, InstructionId)) -> Option<&mut Option<Data>> {
        let (_, executions, value) = self.found.iter_mut().find(|(of, ..)| *of == at)?;
        *executions += 1;
        (*executions == self.execution + 1).then_some(value)
    }

    /// Whether every value has been copied.
    pub fn is_complete(&self) -> bool {
        self.found.iter().all(|(.., value)| value.is_some())
    }

    /// The values, in the order of the instructions; `None` for those that were not executed so often.
    pub fn into_values(self) -> Vec<Option<Data>> {
        self.found.into_iter().map(|(.., value)| value).collect()
    }
}
