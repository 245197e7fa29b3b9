//! The halves that stand in the registry.

use super::{Half, Part, Style, Wrapped};
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

/// A `-done` of what is no tuple of a `-start`.
const BROKEN: &str = "rule-async-operand";

/// The halves of collectives and copies, and those of a computation.
pub(crate) static HALVES: &[&dyn OpDef] = &[
    &NAMED[0], &NAMED[1], &NAMED[2], &NAMED[3], &NAMED[4], &NAMED[5], &NAMED[6], &NAMED[7], &NAMED[8],
    &NAMED[9], &NAMED[10],
];

static NAMED: [Half; 11] = [
    Half::new(&AllReduce, Style::Same, Part::Start, "all-reduce-start", &[Example { hlo: FOLD, result: PLAIN }], &[]),
    Half::new(&AllReduce, Style::Same, Part::Done, "all-reduce-done", &[Example { hlo: FOLD, result: PLAIN }], &[]),
    Half::new(
        &AllGather,
        Style::Pair,
        Part::Start,
        "all-gather-start",
        &[Example { hlo: GATHER, result: PLAIN }],
        &[],
    ),
    Half::new(
        &AllGather,
        Style::Pair,
        Part::Done,
        "all-gather-done",
        &[Example { hlo: GATHER, result: PLAIN }],
        &[Rule {
            label: "async-1",
            description: BROKEN,
            broken_by: "x = f32[2] parameter(0) ROOT r = f32[2] all-gather-done(x)",
        }],
    ),
    Half::new(
        &CollectivePermute,
        Style::Pair,
        Part::Start,
        "collective-permute-start",
        &[Example { hlo: PERMUTE, result: PLAIN }],
        &[],
    ),
    Half::new(
        &CollectivePermute,
        Style::Pair,
        Part::Done,
        "collective-permute-done",
        &[Example { hlo: PERMUTE, result: PLAIN }],
        &[Rule {
            label: "async-1",
            description: BROKEN,
            broken_by: "x = f32[2] parameter(0) ROOT r = f32[2] collective-permute-done(x)",
        }],
    ),
    Half::new(&Copy, Style::Copied, Part::Start, "copy-start", &[Example { hlo: COPY, result: PLAIN }], &[]),
    Half::new(
        &Copy,
        Style::Copied,
        Part::Done,
        "copy-done",
        &[Example { hlo: COPY, result: PLAIN }],
        &[Rule {
            label: "async-1",
            description: BROKEN,
            broken_by: "x = f32[2] parameter(0) ROOT r = f32[2] copy-done(x)",
        }],
    ),
    Half::new(
        &Wrapped,
        Style::Any,
        Part::Start,
        "async-start",
        &[Example { hlo: ASYNC, result: "f32[2] {-1, -2}" }],
        &[Rule {
            label: "call-1",
            description: "rule-argument-count",
            broken_by: "x = f32[] parameter(0)
                        ROOT r = ((f32[], f32[]), f32[], u32[]) async-start(x, x), calls={ ROOT y = f32[] parameter(0) }",
        }],
    ),
    Half::new(
        &Wrapped,
        Style::Any,
        Part::Update,
        "async-update",
        &[Example { hlo: ASYNC, result: "f32[2] {-1, -2}" }],
        &[Rule {
            label: "async-1",
            description: BROKEN,
            broken_by: "x = f32[2] parameter(0) ROOT r = f32[2] async-update(x)",
        }],
    ),
    Half::new(
        &Wrapped,
        Style::Any,
        Part::Done,
        "async-done",
        &[Example { hlo: ASYNC, result: "f32[2] {-1, -2}" }],
        &[Rule {
            label: "async-1",
            description: BROKEN,
            broken_by: "x = f32[2] parameter(0) ROOT r = f32[2] async-done(x)",
        }],
    ),
];
