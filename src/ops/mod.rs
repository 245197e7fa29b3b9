//! The operations: each in one file, from which everything else about it is derived.
//!
//! An [`OpDef`] has three parts: [`OpMeta`] (names, operands, attributes, rules, examples), `infer` (its shape, by
//! labelled rules) and `bind` (the [`Body`] of one output cell). HLO text, evaluation, provenance, pages and forms
//! follow from these; adding an op is adding one file and one line of [`REGISTRY`].
//!
//! Invariant: a body reads operands only through [`Read`], so that value and provenance cannot disagree.
//! Read `transpose` for the simplest op, `reduce` for one that calls a computation, `call` for one that does not go
//! cell by cell, [`elementwise`] for the table of the rest; then `crate::hlo`.

pub mod attrs;
pub mod body;
pub mod data;
pub mod elementwise;
pub mod error;
pub mod infer;
pub mod meta;
pub mod read;
pub mod region;

mod batch_norm;
mod bitcast;
mod blocks;
mod broadcast;
mod call;
mod cholesky;
mod clamp;
mod compare;
mod concatenate;
mod conditional;
mod constant;
mod convert;
mod copy;
mod dot;
mod dynamic_size;
mod dynamic_slice;
mod fft;
mod field;
mod get_tuple_element;
mod iota;
mod map;
mod pad;
mod parameter;
mod ragged_dot;
mod reduce;
mod reshape;
mod reverse;
mod scaled_dot;
mod scan;
mod select;
mod slice;
mod stochastic_convert;
mod transpose;
mod triangular_solve;
mod tuple;
mod while_loop;

pub use attrs::{AttrKind, AttrSpec, AttrValue, Attrs, ComputationId};
pub use body::{Body, Run, Whole};
pub use data::Data;
pub use error::{At, OpError, OpHint};
pub use infer::{Computations, Infer, Signature};
pub use meta::{Category, Example, OpMeta, Operands, Rule};
pub use read::{CellAt, Read, Role, Source};
pub use region::Region;

use crate::array::Shape;

/// An operation.
pub trait OpDef: Sync {
    /// What is known of it without running it.
    fn meta(&self) -> &'static OpMeta;

    /// The shape of its result. Operand count and required attributes were checked before, and the shape that is
    /// written, if any, is held against the answer after. The layout of the answer is that of a text without one.
    fn infer(&self, cx: &Infer) -> Result<Shape, OpError>;

    /// What it does. `cx` is one that [`check`] let pass, its `written` shape the final one.
    fn bind(&self, cx: &Infer) -> Result<Body, OpError>;

    /// Whether an attribute says nothing beyond what holds without it, so that XLA does not print it.
    fn omits(&self, _name: &str, _cx: &Infer) -> bool {
        false
    }
}

/// Every op; the order is that of the gallery within a category.
pub static REGISTRY: &[&[&dyn OpDef]] = &[
    elementwise::UNARY,
    elementwise::REAL,
    elementwise::ANALYTIC,
    elementwise::BINARY,
    &[
        &batch_norm::BatchNormGrad,
        &batch_norm::BatchNormInference,
        &batch_norm::BatchNormTraining,
        &bitcast::Bitcast,
        &broadcast::Broadcast,
        &call::Call,
        &call::Fusion,
        &cholesky::Cholesky,
        &clamp::Clamp,
        &compare::Compare,
        &concatenate::Concatenate,
        &conditional::Conditional,
        &constant::Constant,
        &convert::Convert,
        &copy::Copy,
        &dot::Dot,
        &dynamic_size::DynamicReshape,
        &dynamic_slice::DynamicSlice,
        &dynamic_slice::DynamicUpdateSlice,
        &fft::Fft,
        &dynamic_size::GetDimensionSize,
        &get_tuple_element::GetTupleElement,
        &iota::Iota,
        &map::Map,
        &pad::Pad,
        &parameter::Parameter,
        &ragged_dot::RaggedDot,
        &reduce::Reduce,
        &reshape::Reshape,
        &reverse::Reverse,
        &scaled_dot::ScaledDot,
        &scan::Scan,
        &select::Select,
        &dynamic_size::SetDimensionSize,
        &slice::Slice,
        &stochastic_convert::StochasticConvert,
        &transpose::Transpose,
        &triangular_solve::TriangularSolve,
        &tuple::Tuple,
        &while_loop::While,
    ],
];

/// Every op.
pub fn all() -> impl Iterator<Item = &'static dyn OpDef> {
    REGISTRY.iter().flat_map(|group| group.iter().copied())
}

/// The op of this opcode.
pub fn find(opcode: &str) -> Option<&'static dyn OpDef> {
    all().find(|op| op.meta().opcode == opcode)
}

/// Checks an instruction by all its rules. Gives its shape: the written one where there is one, else the inferred.
pub fn check(op: &dyn OpDef, cx: &Infer) -> Result<Shape, OpError> {
    cx.check_count()?;
    cx.check_attrs()?;
    let inferred = op.infer(cx)?;
    cx.check_written(&inferred)?;
    Ok(cx.written.cloned().unwrap_or(inferred))
}
