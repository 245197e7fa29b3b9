//! Bounded dynamic arrays: rebinds instructions to operands that are smaller than the bounds in their shapes.

use std::sync::Arc;

use super::Interpreter;
use crate::eval::values::run_error;
use crate::module::{Instruction, InstructionId};
use xla_array::Shape;
use xla_messages::i18n::Message;
use xla_ops::{Category, ComputationId, Data, OpDef, OpError, Semantics};

impl Interpreter<'_> {
    /// The semantics of an instruction for these operands. If an operand is smaller than its bound, also returns the shape
    /// inferred from the actual operands, as the result may be smaller, too.
    pub(super) fn bind_to_operands(
        &mut self,
        computation: ComputationId,
        id: InstructionId,
        instruction: &Instruction,
        operands: &[Data],
    ) -> Result<(Arc<Semantics>, Option<Shape>), OpError> {
        let module = self.program.module;
        let declared = instruction.operands.iter().map(|id| module.get(computation)?.get(*id));
        let has_declared_sizes = |(data, declared): (&Data, Option<&Instruction>)| {
            let shape = declared.and_then(|declared| declared.shape.as_array());
            data.as_array()
                .zip(shape)
                .is_none_or(|(array, shape)| array.shape().dimensions == shape.dimensions)
        };
        let forwards_values =
            |op: &dyn OpDef| matches!(op.meta().category, Category::Control | Category::Tuple);
        let op = instruction.op.filter(|op| !forwards_values(*op));
        let (Some(op), false) = (op, operands.iter().zip(declared).all(has_declared_sizes)) else {
            return Ok((self.semantics(computation, id, instruction)?, None));
        };
        let shapes: Vec<Shape> = operands.iter().map(Data::shape).collect();
        let shapes: Vec<&Shape> = shapes.iter().collect();
        let infer = |written| {
            let cx = module.infer(instruction, &shapes, written, self.program.edition);
            cx.ok_or_else(|| run_error("region-missing", Message::ops("op-region-missing")))
        };
        let shape = match xla_ops::check(op, &infer(None)?) {
            // The shape is only known from the text, which is enough for semantics that compute the value as a whole.
            Err(error) if error.rule == "result-missing" => {
                let semantics = self.semantics(computation, id, instruction)?;
                let message = Message::ops("op-dynamic-fixed").with("op", op.meta().opcode);
                let fixed_size = || OpError::new(op.meta().opcode, "dynamic-size", message);
                return if matches!(&*semantics, Semantics::Eager(_)) {
                    Ok((semantics, None))
                } else {
                    Err(fixed_size())
                };
            }
            shape => shape?,
        };
        let semantics = op.bind(&infer(Some(&shape))?)?;
        let reserved = self.budget.reserved_for_run();
        self.charge_semantics(instruction, &semantics)?;
        // This binding is not cached, so its charge ends here.
        self.budget.release_for_run_to(reserved);
        Ok((Arc::new(semantics), Some(shape)))
    }
}
