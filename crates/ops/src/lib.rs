//! The operations of HLO, one per file: parsing, evaluation, provenance and pages are derived from these definitions.
//!
//! An [`OpDef`] has three parts: [`OpMeta`] (names, operands, attributes, rules, examples), `infer` (the shape of the result, or
//! the rule that the instruction violates) and `bind` (the [`Semantics`]: how a cell of the result is computed).
//! `docs/adding-an-op.md` lists the files that change for a new op.
//!
//! Invariant: semantics read operands only through [`Read`], so that value and provenance cannot disagree. The modules
//! below the ops, from the bottom: [`attrs`], [`provenance`] (source cells), [`read`] (how semantics read, and the
//! regions it calls), [`host`], [`semantics`], [`readers`] (for values and for provenance), [`computations`], [`infer`],
//! [`tasks`], [`mod@op_def`], [`since`], [`rules`].
//! Read `reverse` for the shortest op, `reduce` for one that calls a computation, `call` for one that is not computed
//! cell by cell, [`elementwise`] for the table of the rest; then `xla_hlo`.

pub mod attrs;
pub mod base_area;
pub mod computations;
pub mod copied_slice;
pub mod data;
pub mod elementwise;
pub mod error;
pub mod export;
pub mod host;
pub mod infer;
pub mod meta;
pub mod op_def;
pub mod provenance;
pub mod random;
pub mod read;
pub mod readers;
pub mod rules;
pub mod semantics;
pub mod since;
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
mod precision;
mod products;
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

pub use attrs::{AttrKind, AttrSpec, AttrValue, Attrs, ComputationId, DimensionsOf};
pub use base_area::{BaseArea, BaseAxis};
pub use collective::replica_groups;
pub use computations::{Computations, Signature, SingleBinaryOp};
pub use copied_slice::CopiedSlice;
pub use data::Data;
pub use error::{OpError, OpHint, OpPart};
pub use export::{ExportContext, Expression, Language};
pub use host::{DevicePosition, Distribution, Effect, Environment, HostExample, HostSetup, Request};
pub use infer::OpContext;
pub use meta::{
    Category, Change, EditionExample, Example, ExampleOutcome, Formula, History, OpMeta, Operands, Rule,
    anchor_address, section_address,
};
pub use op_def::OpDef;
pub use precision::{bind, check, check_uniform};
pub use provenance::{CellAt, Role, ScalarCall, Source};
pub use read::{Read, Region};
pub use semantics::{
    CellOrigin, EagerOp, OpFuture, RandomPosition, Run, Semantics, SuspendingOp, SuspendingRun,
};
pub use tasks::{Fallback, PlannedTask, TaskContext, TaskOperand};

use std::collections::HashMap;
use std::sync::OnceLock;

/// Every op, in the order in which the Ops screen lists those of a category.
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
    asynchronous::ASYNC_OPS,
];

/// All ops that are implemented.
pub fn all() -> impl Iterator<Item = &'static dyn OpDef> {
    REGISTRY.iter().flat_map(|group| group.iter().copied())
}

/// The op of this opcode.
pub fn find(opcode: &str) -> Option<&'static dyn OpDef> {
    static BY_OPCODE: OnceLock<HashMap<&str, &dyn OpDef>> = OnceLock::new();
    let named = BY_OPCODE.get_or_init(|| all().map(|op| (op.meta().opcode, op)).collect());
    named.get(opcode).copied().or_else(|| asynchronous::find(opcode, all()))
}
