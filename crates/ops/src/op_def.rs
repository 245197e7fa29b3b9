//! The definition of an op.

use super::attrs::Attrs;
use super::base_area::BaseArea;
use super::copied_slice::CopiedSlice;
use super::data::Data;
use super::error::OpError;
use super::export::{ExportContext, Expression};
use super::host::{Distribution, Effect, HostExample, HostSetup};
use super::infer::OpContext;
use super::meta::OpMeta;
use super::semantics::Semantics;
use super::tasks::{Fallback, PlannedTask, TaskContext};
use xla_array::{Edition, Shape};

/// The definition of an operation: its metadata, shape inference, semantics, kernels and exports.
pub trait OpDef: Sync {
    /// Names, operands, attributes, rules and examples.
    fn meta(&self) -> &'static OpMeta;

    /// The shape of the result, with default layouts. [`check`](super::check) checks the operand count and required
    /// attributes before, and compares the written shape, if there is one, afterwards.
    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError>;

    /// Binds the reference semantics to an instruction: to its attributes and to the shapes of its operands and result, not to
    /// the values. `cx` has passed [`check`](super::check), and its `written` shape is the final one.
    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError>;

    /// Whether HLO text must state the result shape, even if it follows from the operands.
    fn requires_written_shape(&self) -> bool {
        false
    }

    /// Whether an attribute has its default value, which XLA does not print.
    fn is_default_attr(&self, _name: &str, _cx: &OpContext) -> bool {
        false
    }

    /// The element types that an element-wise op supports in an edition; `None` for other ops.
    fn element_types(&self, _edition: Edition) -> Option<String> {
        None
    }

    /// The equivalent in XLA 2017 of an op that came later, as text that replaces
    /// [`OpPart::Operation`](super::OpPart::Operation). `cx` has not been checked.
    fn in_2017(&self, _cx: &OpContext) -> Option<String> {
        None
    }

    /// Whether [`SuspendingOp::check_environment`](super::SuspendingOp::check_environment) must be called before a run, with
    /// the simulated devices and host.
    fn needs_environment_check(&self) -> bool {
        false
    }

    /// The instruction as an expression of another language; `None` if the language has none with the same values.
    fn export(&self, _to: &ExportContext) -> Option<Expression> {
        None
    }

    /// The operand over which a window slides or which is padded, if there is one. `cx` has passed
    /// [`check`](super::check).
    fn base_area(&self, _cx: &OpContext) -> Option<BaseArea> {
        None
    }

    /// The slice of an operand that the output cell at index `out` is copied from, if the op copies slices. `cx` has passed
    /// [`check`](super::check).
    fn copied_slice(&self, _cx: &OpContext, _out: &[i64]) -> Option<CopiedSlice> {
        None
    }

    /// The kernel task of an instruction that has passed [`check`](super::check) and is about to run, or the reason for
    /// the fallback to the semantics.
    fn task(&self, _context: &TaskContext) -> Result<PlannedTask, Fallback> {
        Err(Fallback::NoKernel)
    }

    /// The side effect.
    fn effect(&self, _attrs: &Attrs) -> Effect {
        Effect::None
    }

    /// What an instruction with these attributes and this shape needs of the host or other devices.
    fn host_setup(&self, attrs: &Attrs, _shape: &Shape) -> HostSetup {
        if self.effect(attrs) == Effect::Rendezvous { HostSetup::Devices } else { HostSetup::Nothing }
    }

    /// The distribution of its random numbers, if it draws any.
    fn distribution(&self, _attrs: &Attrs, _operands: &[Data]) -> Option<Distribution> {
        None
    }

    /// Examples that need a host or other devices.
    fn host_examples(&self) -> &'static [HostExample] {
        &[]
    }
}
