//! Arrays that are smaller than the bound in their shape: what an instruction does with the sizes there are.

use std::sync::Arc;

use super::Interpreter;
use crate::module::{Instruction, InstructionId};
use xla_array::Shape;
use xla_messages::i18n::Message;
use xla_ops::{Body, Category, ComputationId, Data, OpDef, OpError};

impl Interpreter<'_> {
    /// What an instruction does with these operands, and its shape where that is not the one it has in the text:
    /// an array may be smaller than its bound, and what is made of it is too.
    pub(super) fn bound(
        &mut self,
        computation: ComputationId,
        id: InstructionId,
        instruction: &Instruction,
        operands: &[Data],
    ) -> Result<(Arc<Body>, Option<Shape>), OpError> {
        let module = self.program.module;
        let declared = instruction.operands.iter().map(|id| module.get(computation)?.get(*id));
        let is_whole = |(data, declared): (&Data, Option<&Instruction>)| {
            let shape = declared.and_then(|declared| declared.shape.as_array());
            data.as_array()
                .zip(shape)
                .is_none_or(|(array, shape)| array.shape().dimensions == shape.dimensions)
        };
        let passes_on = |op: &dyn OpDef| matches!(op.meta().category, Category::Control | Category::Tuple);
        let op = instruction.op.filter(|op| !passes_on(*op));
        let (Some(op), false) = (op, operands.iter().zip(declared).all(is_whole)) else {
            return Ok((self.body(computation, id, instruction)?, None));
        };
        let shapes: Vec<Shape> = operands.iter().map(Data::shape).collect();
        let shapes: Vec<&Shape> = shapes.iter().collect();
        let with = |written| {
            let cx = module.infer(instruction, &shapes, written, self.program.edition);
            cx.ok_or_else(|| OpError::new("call", "region-missing", Message::engine("op-region-missing")))
        };
        let shape = match xla_ops::check(op, &with(None)?) {
            // What is read out of the text alone, and not cell by cell, goes with any operands.
            Err(error) if error.rule == "result-missing" => {
                let body = self.body(computation, id, instruction)?;
                let message = Message::engine("op-dynamic-fixed").with("op", op.meta().opcode);
                let fixed = || OpError::new(op.meta().opcode, "dynamic-size", message);
                return if matches!(&*body, Body::Whole(_)) { Ok((body, None)) } else { Err(fixed()) };
            }
            shape => shape?,
        };
        let body = op.bind(&with(Some(&shape))?)?;
        let before = self.budget.reserved_for_run();
        self.charge_body(instruction, &body)?;
        // The binding is not kept.
        self.budget.release_for_run_to(before);
        Ok((Arc::new(body), Some(shape)))
    }
}
