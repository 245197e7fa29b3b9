//! Kernels in a run: which instructions they compute, and why the others fall back to the op's semantics.
//!
//! Invariant: the semantics of an op are the reference. A kernel computes an instruction if the op describes its task, a
//! kernel supports the task, the task has enough steps, and no observer wants the scalar applications.

use std::pin::Pin;
use std::rc::Rc;

use super::{Interpreter, literal_error};
use crate::eval::kernel::{ComputedBy, Kernels};
use crate::module::Instruction;
use xla_array::literal::{Buffer, LiteralTemplate};
use xla_array::{ArrayLiteral, ArrayShape, Shape, Value};
use xla_messages::bug::OrBug as _;
use xla_ops::readers::Meter as _;
use xla_ops::{Data, Fallback, OpError, PlannedTask, Run as _, Semantics, TaskContext, TaskOperand};

/// The result of an attempt to compute an instruction by a kernel.
enum Attempt {
    Computed(Data, ComputedBy),
    /// The op's semantics have to run instead.
    Fallback(Fallback),
}

impl<'r> Interpreter<'r> {
    /// Computes an instruction by a kernel if possible, else by its semantics.
    pub(super) async fn kernel_or_semantics(
        &mut self,
        instruction: &Instruction,
        semantics: &Semantics,
        shape: &Shape,
        operands: &[Data],
    ) -> Result<(Data, ComputedBy), OpError> {
        let attempt = match self.kernels.as_ref().map(|settings| settings.kernels.clone()) {
            Some(kernels) => self.attempt(kernels, instruction, shape, operands).await?,
            None => Attempt::Fallback(Fallback::KernelsOff),
        };
        match attempt {
            Attempt::Computed(data, by) => Ok((data, by)),
            Attempt::Fallback(why) => {
                if let (Semantics::Eager(_), Some(op)) = (semantics, instruction.op) {
                    self.charge_eager(op, shape, operands)?;
                }
                Ok((self.compute(semantics, shape, operands)?, ComputedBy::Reference(why)))
            }
        }
    }

    /// [`Interpreter::run_kernel`] boxed: the futures of nested calls contain each other, so they have to stay small.
    fn attempt<'a>(
        &'a mut self,
        kernels: Rc<dyn Kernels + 'r>,
        instruction: &'a Instruction,
        shape: &'a Shape,
        operands: &'a [Data],
    ) -> Pin<Box<dyn Future<Output = Result<Attempt, OpError>> + 'a>> {
        Box::pin(self.run_kernel(kernels, instruction, shape, operands))
    }

    async fn run_kernel(
        &mut self,
        kernels: Rc<dyn Kernels + 'r>,
        instruction: &Instruction,
        shape: &Shape,
        operands: &[Data],
    ) -> Result<Attempt, OpError> {
        if self.budget.meter.reports_calls() {
            return Ok(Attempt::Fallback(Fallback::Observed));
        }
        let results = TaskContext::arrays_of(shape);
        let planned = match self.plan_task(instruction, shape, operands, &results) {
            Ok(planned) => planned,
            Err(why) => return Ok(Attempt::Fallback(why)),
        };
        let opcode = self.opcode();
        let mut arrays = Vec::new();
        for shape in &results {
            let template =
                LiteralTemplate::new((*shape).clone()).map_err(|error| literal_error(opcode, error))?;
            self.reserve_bytes(template.held_bytes())?;
            let zero = Value::from_bits(shape.element_type, 0);
            arrays.push(template.filled(zero).map_err(|error| literal_error(opcode, error))?);
        }
        let read: Vec<&Buffer> = planned
            .reads
            .iter()
            .filter_map(|i| operands.get(*i)?.as_array())
            .map(ArrayLiteral::buffer)
            .collect();
        if kernels.copies_buffers() {
            let written = arrays.iter().map(ArrayLiteral::buffer);
            self.reserve_bytes(read.iter().copied().chain(written).map(Buffer::bytes).sum::<u64>())?;
        }
        let mut written: Vec<&mut Buffer> = arrays.iter_mut().map(ArrayLiteral::buffer_mut).collect();
        let cells = written.iter().map(|buffer| buffer.len()).sum::<usize>();
        // A kernel in a WebAssembly module may be unable to call back, so the budget is checked before it runs.
        let meter = &mut self.budget.meter;
        meter.cells = Some((0, as_count(cells as u64)));
        meter.check_budget(planned.task.steps())?;
        meter.report_progress_now()?;
        let total = planned.task.steps().max(1);
        let (mut steps_done, mut stopped) = (0u64, None);
        let mut tick = |steps: u64| {
            steps_done = steps_done.saturating_add(steps);
            // At most `cells`, because at most `total` steps are counted.
            let cells_done = u128::from(steps_done.min(total)) * cells as u128 / u128::from(total);
            let cells_done = u64::try_from(cells_done).or_bug(u64::MAX, "more cells done than there are");
            meter.cells = Some((as_count(cells_done), as_count(cells as u64)));
            match meter.spend(steps) {
                Ok(()) => true,
                Err(error) => {
                    stopped = Some(error);
                    false
                }
            }
        };
        let outcome = if self.may_wait && kernels.is_sharded(&planned.task) {
            kernels.run_sharded(&planned.task, &read, &mut written).await
        } else {
            kernels.run(&planned.task, &read, &mut written, &mut tick).map(|name| (name, 1))
        };
        if let Some(error) = stopped {
            return Err(error);
        }
        let (name, workers) = match outcome {
            Ok(kernel) => kernel,
            Err(error) => return Ok(Attempt::Fallback(error.fallback())),
        };
        // Charge the steps that the kernel did not report.
        self.spend(total.saturating_sub(steps_done))?;
        let by = match kernels.substitute_build() {
            None => ComputedBy::Kernel(name, kernels.mode(), workers),
            Some((build, cause)) => ComputedBy::Substitute { kernel: name, build, cause },
        };
        let value = match shape {
            Shape::Tuple(_) => Data::Tuple(arrays.into_iter().map(Data::from).collect()),
            _ => Data::from(arrays.pop().ok_or_else(super::no_value)?),
        };
        Ok(Attempt::Computed(value, by))
    }

    /// Describes an instruction as a task for a kernel.
    fn plan_task(
        &self,
        instruction: &Instruction,
        shape: &Shape,
        operands: &[Data],
        results: &[&ArrayShape],
    ) -> Result<PlannedTask, Fallback> {
        let op = instruction.op.ok_or(Fallback::NoKernel)?;
        let settings = self.kernels.as_ref().ok_or(Fallback::KernelsOff)?;
        // Kernels read arrays only; checked first because the shape of a tuple would visit all its leaves.
        if operands.iter().any(|operand| operand.as_array().is_none()) {
            return Err(Fallback::NoKernel);
        }
        let shapes: Vec<Shape> = operands.iter().map(Data::shape).collect();
        let shapes: Vec<&Shape> = shapes.iter().collect();
        let cx = self.program.module.infer(instruction, &shapes, Some(shape), self.program.edition);
        let cx = cx.ok_or(Fallback::NoKernel)?;
        let arrays: Vec<TaskOperand> = operands
            .iter()
            .filter_map(Data::as_array)
            .map(|array| TaskOperand::from_map(array.memory_map()))
            .collect();
        let planned =
            op.task(&TaskContext { cx: &cx, operands: &arrays, values: Some(operands), results })?;
        if planned.task.steps() < settings.min_work.in_computation(self.position().0) {
            return Err(Fallback::TooSmall);
        }
        Ok(planned)
    }
}

/// A cell count as observers get it; larger counts do not fit in memory.
fn as_count(cells: u64) -> i64 {
    i64::try_from(cells).unwrap_or(i64::MAX)
}
