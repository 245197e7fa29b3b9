//! What every op defines, and the check of an instruction by its rules.

use super::attrs::Attrs;
use super::base::Base;
use super::body::Body;
use super::code::{Code, Coding};
use super::data::Data;
use super::error::OpError;
use super::host::{Distribution, Effect, HostNeeds, Staged};
use super::infer::OpContext;
use super::meta::OpMeta;
use super::tasks::{Fallback, PlannedTask, TaskContext};
use xla_array::{Shape, validate};
use xla_messages::i18n::Message;

/// An operation.
pub trait OpDef: Sync {
    /// The metadata.
    fn meta(&self) -> &'static OpMeta;

    /// The shape of its result. Operand count and required attributes were checked before, and the shape that is
    /// written, if any, is held against the answer after. The layout of the answer is that of a text without one.
    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError>;

    /// The body. `cx` has passed [`check`], and its `written` shape is the final one.
    fn bind(&self, cx: &OpContext) -> Result<Body, OpError>;

    /// Whether XLA's text writes the shape of the result even if it follows from the operands.
    fn is_written(&self) -> bool {
        false
    }

    /// Whether an attribute says nothing beyond what holds without it, so that XLA does not print it.
    fn omits(&self, _name: &str, _cx: &OpContext) -> bool {
        false
    }

    /// Whether its body is to be asked before a run ([`Calls::admit`](super::Calls::admit)).
    fn needs_admission(&self) -> bool {
        false
    }

    /// The instruction as an expression of another language; `None` if none gives the same values.
    fn code(&self, _to: &Coding) -> Option<Code> {
        None
    }

    /// The operand over which a window slides or which is padded, if there is one. `cx` is one that
    /// [`check`] let pass.
    fn base(&self, _cx: &OpContext) -> Option<Base> {
        None
    }

    /// The task for kernels. `context` is of an instruction that has passed [`check`] and is about to
    /// run on these operands; otherwise the reason for the fallback to the body.
    fn task(&self, _tasking: &TaskContext) -> Result<PlannedTask, Fallback> {
        Err(Fallback::NoKernel)
    }

    /// The side effect.
    fn effect(&self, _attrs: &Attrs) -> Effect {
        Effect::None
    }

    /// The needs of an instruction, with these attributes and this shape, of host and other devices.
    fn host_needs(&self, attrs: &Attrs, _shape: &Shape) -> HostNeeds {
        if self.effect(attrs) == Effect::Meets { HostNeeds::Devices } else { HostNeeds::Nothing }
    }

    /// The source of its random numbers, if it draws any.
    fn distribution(&self, _attrs: &Attrs, _operands: &[Data]) -> Option<Distribution> {
        None
    }

    /// Examples that need a host or other devices.
    fn staged(&self) -> &'static [Staged] {
        &[]
    }
}

/// Checks an instruction by all its rules. Returns its shape: the written one if there is one, else the inferred one.
pub fn check(op: &dyn OpDef, cx: &OpContext) -> Result<Shape, OpError> {
    cx.check_count()?;
    cx.check_attrs()?;
    let inferred = op.infer(cx)?;
    // Before anything walks its leaves, of which a short text can make any number.
    validate::extent(&inferred).map_err(|violation| {
        let error = cx.error(violation.rule, violation.message);
        error.advise(Message::engine("hlo-hint-leaves"))
    })?;
    if op.is_written() {
        cx.written_shape()?;
    }
    cx.check_written(&inferred)?;
    Ok(cx.written.cloned().unwrap_or(inferred))
}
