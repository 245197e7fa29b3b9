//! The asynchronous ops of the registry.

use super::{AsyncCall, AsyncOp, Phase, StateLayout};
use crate::collective::{AllGather, AllReduce, CollectivePermute};
use crate::copy::Copy;
use crate::{Example, OpDef, Rule};

const ALL_REDUCE: &str =
    "x = f32[2] constant({1, 2}) s = f32[2] all-reduce-start(x), replica_groups={}, to_apply={
    a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) } ROOT r = f32[2] all-reduce-done(s)";
const ALL_GATHER: &str = "x = f32[2] constant({1, 2})
    s = (f32[2], f32[2]) all-gather-start(x), replica_groups={{0}}, dimensions={0}
    ROOT r = f32[2] all-gather-done(s)";
const COLLECTIVE_PERMUTE: &str = "x = f32[2] constant({1, 2})
    s = (f32[2], f32[2], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,0}}
    ROOT r = f32[2] collective-permute-done(s)";
const COPY: &str = "x = f32[2] constant({1, 2}) s = (f32[2], f32[2], u32[]) copy-start(x)
    ROOT r = f32[2] copy-done(s)";
const ASYNC: &str = "x = f32[2] constant({1, 2})
    s = ((f32[2]), f32[2], u32[]) async-start(x), calls={ y = f32[2] parameter(0) ROOT n = negate(y) }
    u = ((f32[2]), f32[2], u32[]) async-update(s) ROOT r = f32[2] async-done(u)";

const SAME_VECTOR: &str = "f32[2] {1, 2}";

/// The description of the rule `async-1`: the operand of `-done` is a state.
const OPERAND_IS_STATE: &str = "rule-async-operand";

/// The asynchronous ops of collectives and copies, and `async-start`, `async-update` and `async-done`.
pub(crate) static ASYNC_OPS: &[&dyn OpDef] = &[
    &ENTRIES[0],
    &ENTRIES[1],
    &ENTRIES[2],
    &ENTRIES[3],
    &ENTRIES[4],
    &ENTRIES[5],
    &ENTRIES[6],
    &ENTRIES[7],
    &ENTRIES[8],
    &ENTRIES[9],
    &ENTRIES[10],
];

static ENTRIES: [AsyncOp; 11] = [
    AsyncOp::new(&AllReduce, StateLayout::Result, Phase::Start, "all-reduce-start", &[Example { title: "shows-started-finished", hlo: ALL_REDUCE, result: SAME_VECTOR }], &[]),
    AsyncOp::new(&AllReduce, StateLayout::Result, Phase::Done, "all-reduce-done", &[Example { title: "shows-started-finished", hlo: ALL_REDUCE, result: SAME_VECTOR }], &[]),
    AsyncOp::new(
        &AllGather,
        StateLayout::OperandsResult,
        Phase::Start,
        "all-gather-start",
        &[Example { title: "shows-started-finished", hlo: ALL_GATHER, result: SAME_VECTOR }],
        &[],
    ),
    AsyncOp::new(
        &AllGather,
        StateLayout::OperandsResult,
        Phase::Done,
        "all-gather-done",
        &[Example { title: "shows-started-finished", hlo: ALL_GATHER, result: SAME_VECTOR }],
        &[Rule {
            identifier: "async-1",
            description: OPERAND_IS_STATE,
            violated_by: "x = f32[2] parameter(0) ROOT r = f32[2] all-gather-done(x)",
        }],
    ),
    AsyncOp::new(
        &CollectivePermute,
        StateLayout::OperandsResult,
        Phase::Start,
        "collective-permute-start",
        &[Example { title: "shows-started-finished", hlo: COLLECTIVE_PERMUTE, result: SAME_VECTOR }],
        &[],
    ),
    AsyncOp::new(
        &CollectivePermute,
        StateLayout::OperandsResult,
        Phase::Done,
        "collective-permute-done",
        &[Example { title: "shows-started-finished", hlo: COLLECTIVE_PERMUTE, result: SAME_VECTOR }],
        &[Rule {
            identifier: "async-1",
            description: OPERAND_IS_STATE,
            violated_by: "x = f32[2] parameter(0) ROOT r = f32[2] collective-permute-done(x)",
        }],
    ),
    AsyncOp::new(&Copy, StateLayout::ResultOperand, Phase::Start, "copy-start", &[Example { title: "shows-started-finished", hlo: COPY, result: SAME_VECTOR }], &[]),
    AsyncOp::new(
        &Copy,
        StateLayout::ResultOperand,
        Phase::Done,
        "copy-done",
        &[Example { title: "shows-started-finished", hlo: COPY, result: SAME_VECTOR }],
        &[Rule {
            identifier: "async-1",
            description: OPERAND_IS_STATE,
            violated_by: "x = f32[2] parameter(0) ROOT r = f32[2] copy-done(x)",
        }],
    ),
    AsyncOp::new(
        &AsyncCall,
        StateLayout::OperandTupleResult,
        Phase::Start,
        "async-start",
        &[Example { title: "shows-started-finished", hlo: ASYNC, result: "f32[2] {-1, -2}" }],
        &[Rule {
            identifier: "call-1",
            description: "rule-argument-count",
            violated_by: "x = f32[] parameter(0)
                        ROOT r = ((f32[], f32[]), f32[], u32[]) async-start(x, x), calls={ ROOT y = f32[] parameter(0) }",
        }],
    ),
    AsyncOp::new(
        &AsyncCall,
        StateLayout::OperandTupleResult,
        Phase::Update,
        "async-update",
        &[Example { title: "shows-started-finished", hlo: ASYNC, result: "f32[2] {-1, -2}" }],
        &[Rule {
            identifier: "async-1",
            description: OPERAND_IS_STATE,
            violated_by: "x = f32[2] parameter(0) ROOT r = f32[2] async-update(x)",
        }],
    ),
    AsyncOp::new(
        &AsyncCall,
        StateLayout::OperandTupleResult,
        Phase::Done,
        "async-done",
        &[Example { title: "shows-started-finished", hlo: ASYNC, result: "f32[2] {-1, -2}" }],
        &[Rule {
            identifier: "async-1",
            description: OPERAND_IS_STATE,
            violated_by: "x = f32[2] parameter(0) ROOT r = f32[2] async-done(x)",
        }],
    ),
];
