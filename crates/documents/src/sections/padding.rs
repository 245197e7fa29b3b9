//! Pad.

use crate::entry::{Entry, Section, argument};
use crate::example::{Example, ExpectedResult, example};

/// A matrix of 2 rows and 3 columns, padded.
const fn padded(
    call: &'static str,
    title: &'static str,
    instructions: &'static str,
    result: &'static [&'static str],
) -> Example {
    example(
        call,
        title,
        instructions,
        &[&["{{1, 2, 3}, {4, 5, 6}}", "0"]],
        ExpectedResult::Undocumented { reason: "reason-pad-figure", result },
    )
}

/// The section `Pad` of the 2017 Operation Semantics.
pub const PAD: Section = Section {
    name: "Pad",
    builder_method: Some("Pad"),
    entries: &[Entry {
        name: "Pad",
        opcode: "pad",
        signatures: &["Pad(operand, padding_value, padding_config)"],
        arguments: &[
            argument("operand", "ComputationDataHandle", "argument-array"),
            argument("padding_value", "ComputationDataHandle", "argument-pad-value"),
            argument("padding_config", "PaddingConfig", "argument-pad-config"),
            argument("edge_padding_low", "int64", "argument-pad-low"),
            argument("edge_padding_high", "int64", "argument-pad-high"),
            argument("interior_padding", "int64", "argument-pad-interior"),
        ],
        text: "entry-pad",
        current_docs_anchor: Some("pad"),
        search_words: &["padding", "zero padding", "border", "crop", "interleave zeros", "dilate"],
        examples: &[
            padded(
                "Pad(operand, 0, {(1, 2, 0), (0, 1, 0)})",
                "example-pad-edges",
                "operand = f32[2,3] parameter(0)
                 padding_value = f32[] parameter(1)
                 ROOT padded = f32[5,4] pad(operand, padding_value), padding=1_2x0_1",
                &["f32[5,4] {{0, 0, 0, 0}, {1, 2, 3, 0}, {4, 5, 6, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}"],
            ),
            padded(
                "Pad(operand, 0, {(0, 0, 2), (0, 0, 1)})",
                "example-pad-interior",
                "operand = f32[2,3] parameter(0)
                 padding_value = f32[] parameter(1)
                 ROOT padded = f32[4,5] pad(operand, padding_value), padding=0_0_2x0_0_1",
                &["f32[4,5] {{1, 0, 2, 0, 3}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {4, 0, 5, 0, 6}}"],
            ),
            padded(
                "Pad(operand, 0, {(1, 2, 0), (0, 0, 1)})",
                "example-pad-both",
                "operand = f32[2,3] parameter(0)
                 padding_value = f32[] parameter(1)
                 ROOT padded = f32[5,5] pad(operand, padding_value), padding=1_2_0x0_0_1",
                &[
                    "f32[5,5] {{0, 0, 0, 0, 0}, {1, 0, 2, 0, 3}, {4, 0, 5, 0, 6}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}",
                ],
            ),
            padded(
                "Pad(operand, 0, {(-1, 1, 0), (0, -1, 0)})",
                "example-pad-negative",
                "operand = f32[2,3] parameter(0)
                 padding_value = f32[] parameter(1)
                 ROOT padded = f32[2,2] pad(operand, padding_value), padding=-1_1x0_-1",
                &["f32[2,2] {{4, 5}, {0, 0}}"],
            ),
            padded(
                "Pad(operand, 0, {(0, 0, 2), (-1, 0, 1)})",
                "example-pad-interior-first",
                "operand = f32[2,3] parameter(0)
                 padding_value = f32[] parameter(1)
                 ROOT padded = f32[4,4] pad(operand, padding_value), padding=0_0_2x-1_0_1",
                &["f32[4,4] {{0, 2, 0, 3}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 5, 0, 6}}"],
            ),
            padded(
                "Pad(operand, 0, {(0, 0, 0), (0, 0, 0)})",
                "example-pad-none",
                "operand = f32[2,3] parameter(0)
                 padding_value = f32[] parameter(1)
                 ROOT padded = f32[2,3] pad(operand, padding_value), padding=0_0x0_0",
                &["f32[2,3] {{1, 2, 3}, {4, 5, 6}}"],
            ),
        ],
        ..Entry::EMPTY
    }],
};
