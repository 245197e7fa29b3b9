//! Kernels in a run: which instructions they compute, and why the others are left to the bodies.
//!
//! Invariant: the body of an op is the reference. A kernel computes an instruction if the op describes its task, a
//! kernel supports it, it is large enough to matter, and no observer wants each application; else the body runs.

use std::pin::Pin;
use std::rc::Rc;

use super::{Interpreter, literal_error};
use crate::eval::kernel::{ComputedBy, Kernels};
use crate::module::Instruction;
use xla_array::literal::{Buffer, LiteralTemplate};
use xla_array::{ArrayLiteral, ArrayShape, Shape, Value};
use xla_ops::readers::Meter as _;
use xla_ops::{Body, Data, Fallback, OpError, PlannedTask, Run as _, TaskContext};

/// What became of an instruction that was offered to the kernels.
enum Attempt {
    /// A kernel computed it.
    Done(Data, ComputedBy),
    /// It is left to the body.
    Left(Fallback),
}

impl<'r> Interpreter<'r> {
    /// The value of an instruction by a kernel, else by its body. Errors: those of the body and of the budget.
    pub(super) async fn kernel_or_body(
        &mut self,
        instruction: &Instruction,
        body: &Body,
        shape: &Shape,
        operands: &[Data],
    ) -> Result<(Data, ComputedBy), OpError> {
        let attempt = match self.kernels.as_ref().map(|settings| settings.kernels.clone()) {
            Some(kernels) => self.attempt(kernels, instruction, shape, operands).await?,
            None => Attempt::Left(Fallback::Off),
        };
        match attempt {
            Attempt::Done(data, by) => Ok((data, by)),
            Attempt::Left(why) => {
                if let (Body::Whole(_), Some(op)) = (body, instruction.op) {
                    self.charge_whole(op, shape, operands)?;
                }
                Ok((self.computed(body, shape, operands)?, ComputedBy::Body(why)))
            }
        }
    }

    /// [`Interpreter::run_kernel`] on the heap: its future is as deep as calls are nested, and stays small.
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
        if self.budget.meter.is_observed() {
            return Ok(Attempt::Left(Fallback::Observed));
        }
        let results = TaskContext::arrays_of(shape);
        let planned = match self.planned(instruction, shape, operands, &results) {
            Ok(planned) => planned,
            Err(why) => return Ok(Attempt::Left(why)),
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
        // A kernel may be a module that cannot call an observer: its steps are checked before it runs.
        let meter = &mut self.budget.meter;
        meter.cells = Some((0, as_count(cells as u64)));
        meter.check_budget(planned.task.steps())?;
        meter.report()?;
        let total = planned.task.steps().max(1);
        let (mut done, mut stopped) = (0u64, None);
        let mut tick = |steps: u64| {
            done = done.saturating_add(steps);
            let reached = u128::from(done.min(total)) * cells as u128 / u128::from(total);
            meter.cells =
                Some((as_count(u64::try_from(reached).unwrap_or(u64::MAX)), as_count(cells as u64)));
            match meter.spend(steps) {
                Ok(()) => true,
                Err(error) => {
                    stopped = Some(error);
                    false
                }
            }
        };
        let ran = if self.may_wait && kernels.is_shared(&planned.task) {
            kernels.run_shared(&planned.task, &read, &mut written).await
        } else {
            kernels.run(&planned.task, &read, &mut written, &mut tick).map(|name| (name, 1))
        };
        if let Some(error) = stopped {
            return Err(error);
        }
        let (name, workers) = match ran {
            Ok(ran) => ran,
            Err(refusal) => return Ok(Attempt::Left(refusal.fallback())),
        };
        // Steps that the kernel did not report are charged, too.
        self.spend(total.saturating_sub(done))?;
        let by = match kernels.replaced_build() {
            None => ComputedBy::Kernel(name, kernels.mode(), workers),
            Some((build, cause)) => ComputedBy::Substitute(name, build, cause),
        };
        let value = match shape {
            Shape::Tuple(_) => Data::Tuple(arrays.into_iter().map(Data::from).collect()),
            _ => Data::from(arrays.pop().ok_or_else(super::no_value)?),
        };
        Ok(Attempt::Done(value, by))
    }

    /// The task of an instruction.
    fn planned(
        &self,
        instruction: &Instruction,
        shape: &Shape,
        operands: &[Data],
        results: &[&ArrayShape],
    ) -> Result<PlannedTask, Fallback> {
        let op = instruction.op.ok_or(Fallback::NoKernel)?;
        let settings = self.kernels.as_ref().ok_or(Fallback::Off)?;
        // Kernels read arrays. The shape of a tuple would cost a visit of its leaves.
        if operands.iter().any(|operand| operand.as_array().is_none()) {
            return Err(Fallback::NoKernel);
        }
        let shapes: Vec<Shape> = operands.iter().map(Data::shape).collect();
        let shapes: Vec<&Shape> = shapes.iter().collect();
        let cx = self.program.module.infer(instruction, &shapes, Some(shape), self.program.edition);
        let cx = cx.ok_or(Fallback::NoKernel)?;
        let planned = op.task(&TaskContext { cx: &cx, operands, results })?;
        if planned.task.steps() < settings.min_steps {
            return Err(Fallback::Small);
        }
        Ok(planned)
    }
}

/// A number of cells as observers get it; more than an `i64` holds do not fit in memory.
fn as_count(cells: u64) -> i64 {
    i64::try_from(cells).unwrap_or(i64::MAX)
}
