//! The asynchronous ops of the registry.

use super::{AsyncCall, AsyncOp, Phase, StateLayout};
use crate::collective::{AllGather, AllReduce, CollectivePermute};
use crate::copy::Copy;
use crate::{Example, OpDef, Rule};

const FOLD: &str = "x = f32[2] constant({1, 2}) s = f32[2] all-reduce-start(x), replica_groups={}, to_apply={
    a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) } ROOT r = f32[2] all-reduce-done(s)";
const GATHER: &str = "x = f32[2] constant({1, 2})
    s = (f32[2], f32[2]) all-gather-start(x), replica_groups={{0}}, dimensions={0}
    ROOT r = f32[2] all-gather-done(s)";
const PERMUTE: &str = "x = f32[2] constant({1, 2})
    s = (f32[2], f32[2], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,0}}
    ROOT r = f32[2] collective-permute-done(s)";
const COPY: &str = "x = f32[2] constant({1, 2}) s = (f32[2], f32[2], u32[]) copy-start(x)
    ROOT r = f32[2] copy-done(s)";
const ASYNC: &str = "x = f32[2] constant({1, 2})
    s = ((f32[2]), f32[2], u32[]) async-start(x), calls={ y = f32[2] parameter(0) ROOT n = negate(y) }
    u = ((f32[2]), f32[2], u32[]) async-update(s) ROOT r = f32[2] async-done(u)";

const PLAIN: &str = "f32[2] {1, 2}";

/// The rule that the operand of `-done` is a state.
const BROKEN: &str = "rule-async-operand";

/// The asynchronous ops of collectives and copies, and `async-start`, `async-update` and `async-done`.
pub(crate) static ASYNC_OPS: &[&dyn OpDef] = &[
    &NAMED[0], &NAMED[1], &NAMED[2], &NAMED[3], &NAMED[4], &NAMED[5], &NAMED[6], &NAMED[7], &NAMED[8],
    &NAMED[9], &NAMED[10],
];

static NAMED: [AsyncOp; 11] = [
    AsyncOp::new(&AllReduce, StateLayout::Result, Phase::Start, "all-reduce-start", &[Example { title: "shows-started-finished", hlo: FOLD, result: PLAIN }], &[]),
    AsyncOp::new(&AllReduce, StateLayout::Result, Phase::Done, "all-reduce-done", &[Example { title: "shows-started-finished", hlo: FOLD, result: PLAIN }], &[]),
    AsyncOp::new(
        &AllGather,
        StateLayout::OperandsResult,
        Phase::Start,
        "all-gather-start",
        &[Example { title: "shows-started-finished", hlo: GATHER, result: PLAIN }],
        &[],
    ),
    AsyncOp::new(
        &AllGather,
        StateLayout::OperandsResult,
        Phase::Done,
        "all-gather-done",
        &[Example { title: "shows-started-finished", hlo: GATHER, result: PLAIN }],
        &[Rule {
            label: "async-1",
            description: BROKEN,
            broken_by: "x = f32[2] parameter(0) ROOT r = f32[2] all-gather-done(x)",
        }],
    ),
    AsyncOp::new(
        &CollectivePermute,
        StateLayout::OperandsResult,
        Phase::Start,
        "collective-permute-start",
        &[Example { title: "shows-started-finished", hlo: PERMUTE, result: PLAIN }],
        &[],
    ),
    AsyncOp::new(
        &CollectivePermute,
        StateLayout::OperandsResult,
        Phase::Done,
        "collective-permute-done",
        &[Example { title: "shows-started-finished", hlo: PERMUTE, result: PLAIN }],
        &[Rule {
            label: "async-1",
            description: BROKEN,
            broken_by: "x = f32[2] parameter(0) ROOT r = f32[2] collective-permute-done(x)",
        }],
    ),
    AsyncOp::new(&Copy, StateLayout::ResultOperand, Phase::Start, "copy-start", &[Example { title: "shows-started-finished", hlo: COPY, result: PLAIN }], &[]),
    AsyncOp::new(
        &Copy,
        StateLayout::ResultOperand,
        Phase::Done,
        "copy-done",
        &[Example { title: "shows-started-finished", hlo: COPY, result: PLAIN }],
        &[Rule {
            label: "async-1",
            description: BROKEN,
            broken_by: "x = f32[2] parameter(0) ROOT r = f32[2] copy-done(x)",
        }],
    ),
    AsyncOp::new(
        &AsyncCall,
        StateLayout::OperandTupleResult,
        Phase::Start,
        "async-start",
        &[Example { title: "shows-started-finished", hlo: ASYNC, result: "f32[2] {-1, -2}" }],
        &[Rule {
            label: "call-1",
            description: "rule-argument-count",
            broken_by: "x = f32[] parameter(0)
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
            label: "async-1",
            description: BROKEN,
            broken_by: "x = f32[2] parameter(0) ROOT r = f32[2] async-update(x)",
        }],
    ),
    AsyncOp::new(
        &AsyncCall,
        StateLayout::OperandTupleResult,
        Phase::Done,
        "async-done",
        &[Example { title: "shows-started-finished", hlo: ASYNC, result: "f32[2] {-1, -2}" }],
        &[Rule {
            label: "async-1",
            description: BROKEN,
            broken_by: "x = f32[2] parameter(0) ROOT r = f32[2] async-done(x)",
        }],
    ),
];
