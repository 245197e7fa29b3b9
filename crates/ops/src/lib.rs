//! The operations: each in one file, from which everything else about it is derived.
//!
//! An [`OpDef`] has three parts: [`OpMeta`] (names, operands, attributes, rules, examples), `infer` (its shape, by
//! labelled rules) and `bind` (the [`Body`] of one output cell). HLO text, evaluation, provenance, pages and forms
//! follow from these; adding an op is adding one file and one line of [`REGISTRY`].
//!
//! Invariant: a body reads operands only through [`Read`], so that value and provenance cannot disagree.
//! Read `transpose` for the simplest op, `reduce` for one that calls a computation, `call` for one that does not go
//! cell by cell, [`elementwise`] for the table of the rest; then `xla_hlo`.

pub mod attrs;
pub mod base;
pub mod body;
pub mod code;
pub mod computations;
pub mod data;
pub mod elementwise;
pub mod error;
pub mod host;
pub mod infer;
pub mod meta;
pub mod provenance;
pub mod random;
pub mod read;
pub mod readers;
pub mod tasks;
pub mod window;

mod asynchronous;
mod batch_norm;
mod bitcast;
mod bitcast_convert;
mod blocks;
mod broadcast;
mod call;
mod cholesky;
mod clamp;
mod collective;
mod compare;
mod concatenate;
mod conditional;
mod constant;
mod convert;
mod convolution;
mod copy;
mod custom_call;
mod dot;
mod dynamic_size;
mod dynamic_slice;
mod feed;
mod fft;
mod field;
mod fill;
mod gather;
mod get_tuple_element;
mod indexing;
mod iota;
mod map;
mod pad;
mod parameter;
mod ragged_dot;
mod reduce;
mod reduce_precision;
mod reduce_window;
mod reshape;
mod reverse;
mod rng;
mod rng_bit_generator;
mod rng_get_and_update_state;
mod scaled_dot;
mod scan;
mod scatter;
mod scatter_rules;
mod select;
mod select_and_scatter;
mod slice;
mod sort;
mod sort_order;
mod stochastic_convert;
mod token;
mod topk;
mod transfer;
mod transpose;
mod triangular_solve;
mod tuple;
mod while_loop;

pub use attrs::{AttrKind, AttrSpec, AttrValue, Attrs, ComputationId};
pub use base::{Base, BaseAxis};
pub use body::{Body, Caller, Calls, Entered, OpFuture, RandomPosition, Run, WholeOp};
pub use code::{Code, Coding, Language};
pub use computations::{Computations, Signature, Simple};
pub use data::Data;
pub use error::{At, OpError, OpHint};
pub use host::{DevicePosition, Distribution, Effect, Environment, HostNeeds, Request, Staged};
pub use infer::OpContext;
pub use meta::{Category, Example, OpMeta, Operands, Rule, section_address};
pub use provenance::{Applied, CellAt, Role, Source};
pub use read::{Read, Region};
pub use tasks::{Fallback, PlannedTask, TaskContext};

use std::collections::HashMap;
use std::sync::OnceLock;

use xla_array::{Shape, validate};
use xla_messages::i18n::Message;

/// An operation.
pub trait OpDef: Sync {
    /// What is known of it without running it.
    fn meta(&self) -> &'static OpMeta;

    /// The shape of its result. Operand count and required attributes were checked before, and the shape that is
    /// written, if any, is held against the answer after. The layout of the answer is that of a text without one.
    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError>;

    /// What it does. `cx` is one that [`check`] let pass, its `written` shape the final one.
    fn bind(&self, cx: &OpContext) -> Result<Body, OpError>;

    /// Whether XLA's text writes the shape of the result even where it follows from the operands.
    fn is_written(&self) -> bool {
        false
    }

    /// Whether an attribute says nothing beyond what holds without it, so that XLA does not print it.
    fn omits(&self, _name: &str, _cx: &OpContext) -> bool {
        false
    }

    /// Whether its body is to be asked before a run ([`Calls::admit`]).
    fn needs_admission(&self) -> bool {
        false
    }

    /// The instruction as an expression of another language; `None` where none gives the same values.
    fn code(&self, _to: &Coding) -> Option<Code> {
        None
    }

    /// The operand that a window slides over or that padding is laid around, where there is one. `cx` is one that
    /// [`check`] let pass.
    fn base(&self, _cx: &OpContext) -> Option<Base> {
        None
    }

    /// What it does as a task for kernels. `context` is of an instruction that [`check`] let pass, which is about to
    /// run on these operands. Errors: why it is left to the body.
    fn task(&self, _tasking: &TaskContext) -> Result<PlannedTask, Fallback> {
        Err(Fallback::NoKernel)
    }

    /// What it does beside giving its value.
    fn effect(&self, _attrs: &Attrs) -> Effect {
        Effect::None
    }

    /// What an instruction with these attributes and this shape needs of the host and of other devices.
    fn host_needs(&self, attrs: &Attrs, _shape: &Shape) -> HostNeeds {
        if self.effect(attrs) == Effect::Meets { HostNeeds::Devices } else { HostNeeds::Nothing }
    }

    /// What its numbers are drawn from, where they are random.
    fn distribution(&self, _attrs: &Attrs, _operands: &[Data]) -> Option<Distribution> {
        None
    }

    /// Examples that need a host or other devices.
    fn staged(&self) -> &'static [Staged] {
        &[]
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
        &bitcast_convert::BitcastConvert,
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
        &convolution::Convolution,
        &copy::Copy,
        &dot::Dot,
        &dynamic_size::DynamicReshape,
        &dynamic_slice::DynamicSlice,
        &dynamic_slice::DynamicUpdateSlice,
        &gather::Gather,
        &fft::Fft,
        &dynamic_size::GetDimensionSize,
        &get_tuple_element::GetTupleElement,
        &iota::Iota,
        &map::Map,
        &pad::Pad,
        &parameter::Parameter,
        &ragged_dot::RaggedDot,
        &reduce::Reduce,
        &reduce_window::ReduceWindow,
        &reduce_precision::ReducePrecision,
        &reshape::Reshape,
        &reverse::Reverse,
        &rng::Rng,
        &rng_bit_generator::RngBitGenerator,
        &rng_get_and_update_state::RngGetAndUpdateState,
        &scatter::Scatter,
        &select::Select,
        &select_and_scatter::SelectAndScatter,
        &slice::Slice,
        &sort::Sort,
        &topk::TopK,
        &scaled_dot::ScaledDot,
        &scan::Scan,
        &dynamic_size::SetDimensionSize,
        &stochastic_convert::StochasticConvert,
        &transpose::Transpose,
        &triangular_solve::TriangularSolve,
        &tuple::Tuple,
        &while_loop::While,
    ],
    &[
        &collective::AllGather,
        &collective::AllReduce,
        &collective::AllToAll,
        &collective::CollectiveBroadcast,
        &collective::CollectivePermute,
        &collective::PartitionId,
        &collective::RaggedAllToAll,
        &collective::ReduceScatter,
        &collective::ReplicaId,
        &custom_call::CustomCall,
        &feed::Infeed,
        &feed::Outfeed,
        &token::AddDependency,
        &token::AfterAll,
        &token::Domain,
        &token::OptBarrier,
        &transfer::Recv,
        &transfer::RecvDone,
        &transfer::Send,
        &transfer::SendDone,
    ],
    asynchronous::HALVES,
];

/// Every op.
pub fn all() -> impl Iterator<Item = &'static dyn OpDef> {
    REGISTRY.iter().flat_map(|group| group.iter().copied())
}

/// The op of this opcode.
pub fn find(opcode: &str) -> Option<&'static dyn OpDef> {
    static BY_OPCODE: OnceLock<HashMap<&str, &dyn OpDef>> = OnceLock::new();
    let named = BY_OPCODE.get_or_init(|| all().map(|op| (op.meta().opcode, op)).collect());
    named.get(opcode).copied().or_else(|| asynchronous::find(opcode))
}

/// Checks an instruction by all its rules. Gives its shape: the written one where there is one, else the inferred.
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
        cx.needed()?;
    }
    cx.check_written(&inferred)?;
    Ok(cx.written.cloned().unwrap_or(inferred))
}
