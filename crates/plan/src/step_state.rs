//! The state that a runner keeps for a step between its executions.

use xla_kernels::{PackedOperand, PreparedTask, Task};

use crate::array::Array;
use crate::plan::Plan;
use crate::step::{Action, Step};

/// The state of a step.
pub enum StepState {
    /// None.
    Stateless,
    /// The task of a small step, which is checked and planned once: steps of a loop are executed many times.
    Prepared(PreparedTask),
    /// The packed operand of a dot or convolution that is the same in every run. It is packed by the second execution: the first
    /// may be the only one, which the allocation and a pass over all weights would slow down by several times.
    Packed { operand: PackedOperand, was_executed: bool },
}

impl StepState {
    /// The state of a step before its first execution.
    pub fn new(step: &Step, plan: &Plan) -> Self {
        match &step.action {
            Action::Kernel { task, .. } => Self::of_task(task, &step.reads, plan),
            _ => Self::Stateless,
        }
    }

    /// The state of a step that runs this task.
    pub fn of_task(task: &Task, reads: &[Array], plan: &Plan) -> Self {
        if let Some(prepared) = PreparedTask::new(task) {
            return Self::Prepared(prepared);
        }
        let is_constant = |i: &usize| reads.get(*i).is_some_and(|array| plan.value_info(array).is_constant);
        match task {
            Task::Dot(_) | Task::Convolution(_) if plan.constant_parameters > 0 => {
                let constant = [1, 0].into_iter().find(is_constant).map(PackedOperand::new);
                constant.map_or(Self::Stateless, |operand| Self::Packed { operand, was_executed: false })
            }
            _ => Self::Stateless,
        }
    }
}
