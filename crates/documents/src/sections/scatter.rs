//! `SelectAndScatter`.

use super::computations::{ADD, GE, GT};
use crate::entry::{Entry, Section, argument};
use crate::example::{example, undocumented};

/// The section `SelectAndScatter` of the 2017 Operation Semantics.
pub const SELECT_AND_SCATTER: Section = Section {
    name: "SelectAndScatter",
    builder_method: Some("SelectAndScatter"),
    entries: &[Entry {
        name: "SelectAndScatter",
        opcode: "select-and-scatter",
        signatures: &[
            "SelectAndScatter(operand, select, window_dimensions, window_strides, padding, source, init_value, scatter)",
        ],
        arguments: &[
            argument("operand", "ComputationDataHandle", "argument-scatter-operand"),
            argument("select", "Computation", "argument-scatter-select"),
            argument("window_dimensions", "ArraySlice<int64>", "argument-window-dimensions"),
            argument("window_strides", "ArraySlice<int64>", "argument-window-strides"),
            argument("padding", "Padding", "argument-window-padding"),
            argument("source", "ComputationDataHandle", "argument-scatter-source"),
            argument("init_value", "ComputationDataHandle", "argument-scatter-init"),
            argument("scatter", "Computation", "argument-scatter-scatter"),
        ],
        text: "entry-select-and-scatter",
        current_docs_anchor: Some("selectandscatter"),
        search_words: &["max pool gradient", "pooling gradient", "backpropagation", "unpooling", "maxpoolgrad"],
        examples: &[
            example(
                "SelectAndScatter(operand, ge, {2, 3}, {2, 3}, kValid, source, 0, add)",
                "example-scatter-apart",
                "operand = f32[4,6] parameter(0)
                 source = f32[2,2] parameter(1)
                 init_value = f32[] parameter(2)
                 ROOT out = f32[4,6] select-and-scatter(operand, source, init_value), window={size=2x3 stride=2x3}, select=ge, scatter=add",
                &[&[
                    "{{7, 2, 5, 3, 10, 2}, {3, 8, 9, 3, 4, 2}, {1, 5, 7, 5, 6, 1}, {0, 6, 2, 7, 2, 8}}",
                    "{{2, 6}, {3, 1}}",
                    "0",
                ]],
                undocumented!(reason: "reason-figure",
                    "f32[4,6] {{0, 0, 0, 0, 6, 0}, {0, 0, 2, 0, 0, 0}, {0, 0, 3, 0, 0, 0}, {0, 0, 0, 0, 0, 1}}"
                ),
            )
            .with_computations(&[GE, ADD]),
            example(
                "SelectAndScatter(operand, ge, {2, 3}, {2, 2}, kValid, source, 0, add)",
                "example-scatter-overlapping",
                "operand = f32[4,5] parameter(0)
                 source = f32[2,2] parameter(1)
                 init_value = f32[] parameter(2)
                 ROOT out = f32[4,5] select-and-scatter(operand, source, init_value), window={size=2x3 stride=2x2}, select=ge, scatter=add",
                &[&[
                    "{{7, 2, 5, 3, 8}, {3, 8, 9, 3, 4}, {1, 5, 7, 5, 6}, {0, 6, 2, 10, 2}}",
                    "{{2, 6}, {3, 1}}",
                    "0",
                ]],
                undocumented!(reason: "reason-figure",
                    "f32[4,5] {{0, 0, 0, 0, 0}, {0, 0, 8, 0, 0}, {0, 0, 3, 0, 0}, {0, 0, 0, 1, 0}}"
                ),
            )
            .with_computations(&[GE, ADD]),
            example(
                "SelectAndScatter(operand, ge, {2}, {2}, kValid, source, 0, add)",
                "example-scatter-first-of-equals",
                "operand = f32[4] parameter(0)
                 source = f32[2] parameter(1)
                 init_value = f32[] parameter(2)
                 ROOT out = f32[4] select-and-scatter(operand, source, init_value), window={size=2 stride=2}, select=ge, scatter=add",
                &[&["{5, 5, 5, 5}", "{1, 2}", "0"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[4] {1, 0, 2, 0}"),
            )
            .with_computations(&[GE, ADD]),
            example(
                "SelectAndScatter(operand, gt, {2}, {2}, kValid, source, 0, add)",
                "example-scatter-last-of-equals",
                "operand = f32[4] parameter(0)
                 source = f32[2] parameter(1)
                 init_value = f32[] parameter(2)
                 ROOT out = f32[4] select-and-scatter(operand, source, init_value), window={size=2 stride=2}, select=gt, scatter=add",
                &[&["{5, 5, 5, 5}", "{1, 2}", "0"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[4] {0, 1, 0, 2}"),
            )
            .with_computations(&[GT, ADD]),
        ],
        ..Entry::EMPTY
    }],
};
