//! `ReduceWindow`.

use super::computations::{ADD, MAX};
use crate::entry::{Entry, Section, argument};
use crate::example::{example, undocumented};

/// 1 to 24 as a matrix of 4 rows and 6 columns, and the least value of `f32`, which `LiteralUtil::MinValue(F32)` is.
const INPUT: &[&[&str]] = &[&[
    "{{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}, {13, 14, 15, 16, 17, 18}, {19, 20, 21, 22, 23, 24}}",
    "-inf",
]];

/// The section `ReduceWindow` of the 2017 Operation Semantics.
pub const REDUCE_WINDOW: Section = Section {
    name: "ReduceWindow",
    builder_method: Some("ReduceWindow"),
    entries: &[Entry {
        name: "ReduceWindow",
        opcode: "reduce-window",
        signatures: &[
            "ReduceWindow(operand, init_value, computation, window_dimensions, window_strides, padding)",
        ],
        arguments: &[
            argument("operand", "ComputationDataHandle", "argument-window-operand"),
            argument("init_value", "ComputationDataHandle", "argument-window-init"),
            argument("computation", "Computation", "argument-window-computation"),
            argument("window_dimensions", "ArraySlice<int64>", "argument-window-dimensions"),
            argument("window_strides", "ArraySlice<int64>", "argument-window-strides"),
            argument("padding", "Padding", "argument-window-padding"),
        ],
        text: "entry-reduce-window",
        current_docs_anchor: Some("reducewindow"),
        search_words: &[
            "pooling",
            "max pool",
            "max pooling",
            "maxpool",
            "average pool",
            "avg pool",
            "avgpool",
            "sliding window",
            "moving average",
            "cumsum",
            "prefix sum",
        ],
        examples: &[
            example(
                "ReduceWindow(input, MinValue(F32), max, {2, 3}, {2, 3}, kValid)",
                "example-window-apart",
                "input = f32[4,6] parameter(0)
                 init_val = f32[] parameter(1)
                 ROOT pooled = f32[2,2] reduce-window(input, init_val), window={size=2x3 stride=2x3}, to_apply=max",
                INPUT,
                undocumented!(reason: "reason-figure", "f32[2,2] {{9, 12}, {21, 24}}"),
            )
            .with_computations(&[MAX]),
            example(
                "ReduceWindow(input, MinValue(F32), max, {2, 3}, {1, 1}, kValid)",
                "example-window-overlapping",
                "input = f32[4,6] parameter(0)
                 init_val = f32[] parameter(1)
                 ROOT pooled = f32[3,4] reduce-window(input, init_val), window={size=2x3}, to_apply=max",
                INPUT,
                undocumented!(reason: "reason-figure",
                    "f32[3,4] {{9, 10, 11, 12}, {15, 16, 17, 18}, {21, 22, 23, 24}}"
                ),
            )
            .with_computations(&[MAX]),
            example(
                "ReduceWindow(input, MinValue(F32), max, {2, 3}, {1, 1}, kSame)",
                "example-window-same",
                "input = f32[4,6] parameter(0)
                 init_val = f32[] parameter(1)
                 ROOT pooled = f32[4,6] reduce-window(input, init_val), window={size=2x3 pad=0_1x1_1}, to_apply=max",
                INPUT,
                undocumented!(reason: "reason-docs-have-no-example",
                    "f32[4,6] {{8, 9, 10, 11, 12, 12}, {14, 15, 16, 17, 18, 18}, \
                     {20, 21, 22, 23, 24, 24}, {20, 21, 22, 23, 24, 24}}"
                ),
            )
            .with_computations(&[MAX]),
            example(
                "ReduceWindow(operand, 1, add, {3}, {1}, kSame)",
                "example-window-init-once",
                "operand = f32[5] parameter(0)
                 init_value = f32[] parameter(1)
                 ROOT sums = f32[5] reduce-window(operand, init_value), window={size=3 pad=1_1}, to_apply=add",
                &[&["{10, 11, 12, 13, 14}", "1"]],
                undocumented!(reason: "reason-any-order", "f32[5] {22, 34, 37, 40, 28}"),
            )
            .with_computations(&[ADD]),
            example(
                "ReduceWindow(operand, 0, add, {5}, {1}, {(4, 0)})",
                "example-window-cumsum",
                "operand = f32[5] parameter(0)
                 init_value = f32[] parameter(1)
                 ROOT sums = f32[5] reduce-window(operand, init_value), window={size=5 pad=4_0}, to_apply=add",
                &[&["{1, 2, 3, 4, 5}", "0"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[5] {1, 3, 6, 10, 15}"),
            )
            .with_computations(&[ADD]),
        ],
        ..Entry::EMPTY
    }],
};
