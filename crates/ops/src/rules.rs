//! The check of an instruction by the rules of its op and of its edition.

use super::error::OpError;
use super::infer::OpContext;
use super::op_def::OpDef;
use super::since;
use xla_array::{Shape, validate};
use xla_messages::i18n::Message;

/// Checks an instruction by all its rules, without mixed precision. Returns its shape: the written one if there is one,
/// else the inferred one.
pub(super) fn check_without_mixed_precision(op: &dyn OpDef, cx: &OpContext) -> Result<Shape, OpError> {
    let inferred = infer(op, cx)?;
    // Checked before anything visits the leaves: a short text can declare arbitrarily many.
    validate::extent(&inferred).map_err(|violation| {
        let error = cx.error(violation.rule, violation.message);
        error.with_hint(Message::ops("hlo-hint-leaves"))
    })?;
    if op.requires_written_shape() {
        cx.require_result_shape()?;
    }
    cx.check_written(&inferred)?;
    let shape = cx.written.cloned().unwrap_or(inferred);
    since::check_shape(cx, &shape)?;
    Ok(shape)
}

/// Checks an instruction whose shape is not written, and returns the inferred one.
pub fn infer(op: &dyn OpDef, cx: &OpContext) -> Result<Shape, OpError> {
    since::check_availability(op, cx)?;
    cx.check_operand_count()?;
    cx.check_required_attrs()?;
    op.infer(cx)
}
