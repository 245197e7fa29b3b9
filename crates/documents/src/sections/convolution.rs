//! Conv and `ConvWithGeneralPadding`.

use crate::entry::{Entry, Section, argument};
use crate::example::{Example, example, undocumented};

/// The operands: a 4×4 image (1 to 16) and a 2×2 filter (1 to 4).
const IMAGE_AND_FILTER: &[&[&str]] =
    &[&["{{{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}}}}", "{{{{1, 2}, {3, 4}}}}"]];

/// An example without a result in the documentation: convolves the image with the filter.
const fn undocumented_image_example(
    call: &'static str,
    title: &'static str,
    instructions: &'static str,
    result: &'static [&'static str],
) -> Example {
    example(
        call,
        title,
        instructions,
        IMAGE_AND_FILTER,
        crate::example::ExpectedResult::Undocumented { reason: "reason-docs-have-no-example", result },
    )
}

/// The section `Conv` of the 2017 Operation Semantics.
pub const CONV: Section = Section {
    name: "Conv (convolution)",
    builder_method: Some("Conv"),
    entries: &[Entry {
        name: "Conv",
        opcode: "convolution",
        signatures: &["Conv(lhs, rhs, window_strides, padding)"],
        arguments: &[
            argument("lhs", "ComputationDataHandle", "argument-conv-lhs"),
            argument("rhs", "ComputationDataHandle", "argument-conv-rhs"),
            argument("window_strides", "ArraySlice<int64>", "argument-conv-strides"),
            argument("padding", "Padding", "argument-conv-same-valid"),
        ],
        text: "entry-conv",
        current_docs_anchor: Some("conv_convolution"),
        search_words: &["convolve", "conv2d", "cnn", "same", "valid", "correlation", "filter", "kernel"],
        examples: &[
            undocumented_image_example(
                "Conv(lhs, rhs, {1, 1}, VALID)",
                "example-conv-valid",
                "lhs = f32[1,1,4,4] parameter(0)
                 rhs = f32[1,1,2,2] parameter(1)
                 ROOT valid = f32[1,1,3,3] convolution(lhs, rhs), window={size=2x2}, dim_labels=bf01_oi01->bf01",
                &["f32[1,1,3,3] {{{{44, 54, 64}, {84, 94, 104}, {124, 134, 144}}}}"],
            ),
            undocumented_image_example(
                "Conv(lhs, rhs, {1, 1}, SAME)",
                "example-conv-same",
                "lhs = f32[1,1,4,4] parameter(0)
                 rhs = f32[1,1,2,2] parameter(1)
                 ROOT same = f32[1,1,4,4] convolution(lhs, rhs), window={size=2x2 pad=0_1x0_1}, dim_labels=bf01_oi01->bf01",
                &["f32[1,1,4,4] {{{{44, 54, 64, 28}, {84, 94, 104, 44}, {124, 134, 144, 60}, {41, 44, 47, 16}}}}"],
            ),
            undocumented_image_example(
                "Conv(lhs, rhs, {3, 3}, SAME)",
                "example-conv-same-strided",
                "lhs = f32[1,1,4,4] parameter(0)
                 rhs = f32[1,1,2,2] parameter(1)
                 ROOT same = f32[1,1,2,2] convolution(lhs, rhs), window={size=2x2 stride=3x3 pad=0_1x0_1}, dim_labels=bf01_oi01->bf01",
                &["f32[1,1,2,2] {{{{44, 28}, {41, 16}}}}"],
            ),
        ],
        ..Entry::EMPTY
    }],
};

/// The section `ConvWithGeneralPadding` of the 2017 Operation Semantics.
pub const GENERAL: Section = Section {
    name: "ConvWithGeneralPadding (convolution)",
    builder_method: Some("ConvWithGeneralPadding"),
    entries: &[Entry {
        name: "ConvWithGeneralPadding",
        opcode: "convolution",
        signatures: &["ConvWithGeneralPadding(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation)"],
        arguments: &[
            argument("lhs", "ComputationDataHandle", "argument-conv-lhs"),
            argument("rhs", "ComputationDataHandle", "argument-conv-rhs"),
            argument("window_strides", "ArraySlice<int64>", "argument-conv-strides"),
            argument("padding", "ArraySlice<pair<int64, int64>>", "argument-conv-padding"),
            argument("lhs_dilation", "ArraySlice<int64>", "argument-conv-lhs-dilation"),
            argument("rhs_dilation", "ArraySlice<int64>", "argument-conv-rhs-dilation"),
        ],
        text: "entry-conv-with-general-padding",
        current_docs_anchor: Some("conv_convolution"),
        search_words: &[
            "atrous",
            "atrous convolution",
            "dilated convolution",
            "deconvolution",
            "transposed convolution",
            "conv_transpose",
            "fractionally strided",
            "convgeneraldilated",
            "conv2d",
            "stride",
        ],
        examples: &[
            undocumented_image_example(
                "ConvWithGeneralPadding(lhs, rhs, {1, 1}, {(1, 0), (0, 1)})",
                "example-conv-padding",
                "lhs = f32[1,1,4,4] parameter(0)
                 rhs = f32[1,1,2,2] parameter(1)
                 ROOT padded = f32[1,1,4,4] convolution(lhs, rhs), window={size=2x2 pad=1_0x0_1}, dim_labels=bf01_oi01->bf01",
                &["f32[1,1,4,4] {{{{11, 18, 25, 12}, {44, 54, 64, 28}, {84, 94, 104, 44}, {124, 134, 144, 60}}}}"],
            ),
            example(
                "ConvWithGeneralPadding(lhs, rhs, {1, 1}, {(0, 0), (2, 3)})",
                "example-conv-two-three",
                "lhs = f32[1,1,4,4] parameter(0)
                 rhs = f32[1,1,2,2] parameter(1)
                 ROOT padded = f32[1,1,3,8] convolution(lhs, rhs), window={size=2x2 pad=0_0x2_3}, dim_labels=bf01_oi01->bf01",
                IMAGE_AND_FILTER,
                undocumented!(reason: "reason-docs-give-no-values",
                    "f32[1,1,3,8] {{{{0, 22, 44, 54, 64, 28, 0, 0}, {0, 46, 84, 94, 104, 44, 0, 0}, \
                     {0, 70, 124, 134, 144, 60, 0, 0}}}}"
                ),
            ),
            undocumented_image_example(
                "ConvWithGeneralPadding(lhs, rhs, {1, 1}, {(-1, 0), (0, -1)})",
                "example-conv-negative-padding",
                "lhs = f32[1,1,4,4] parameter(0)
                 rhs = f32[1,1,2,2] parameter(1)
                 ROOT cropped = f32[1,1,2,2] convolution(lhs, rhs), window={size=2x2 pad=-1_0x0_-1}, dim_labels=bf01_oi01->bf01",
                &["f32[1,1,2,2] {{{{84, 94}, {124, 134}}}}"],
            ),
            example(
                "ConvWithGeneralPadding(lhs, rhs, {3, 1}, {(1, 1), (0, 0)})",
                "example-conv-stride",
                "lhs = f32[1,1,4,4] parameter(0)
                 rhs = f32[1,1,2,2] parameter(1)
                 ROOT strided = f32[1,1,2,3] convolution(lhs, rhs), window={size=2x2 stride=3x1 pad=1_1x0_0}, dim_labels=bf01_oi01->bf01",
                IMAGE_AND_FILTER,
                undocumented!(reason: "reason-docs-give-no-values", "f32[1,1,2,3] {{{{11, 18, 25}, {124, 134, 144}}}}"),
            ),
            undocumented_image_example(
                "ConvWithGeneralPadding(lhs, rhs, {1, 1}, {(0, 0), (0, 0)}, {2, 2}, {1, 1})",
                "example-conv-lhs-dilation",
                "lhs = f32[1,1,4,4] parameter(0)
                 rhs = f32[1,1,2,2] parameter(1)
                 ROOT dilated = f32[1,1,6,6] convolution(lhs, rhs), window={size=2x2 lhs_dilate=2x2}, dim_labels=bf01_oi01->bf01",
                &["f32[1,1,6,6] {{{{1, 4, 2, 6, 3, 8}, {15, 24, 18, 28, 21, 32}, {5, 12, 6, 14, 7, 16}, \
                   {27, 40, 30, 44, 33, 48}, {9, 20, 10, 22, 11, 24}, {39, 56, 42, 60, 45, 64}}}}"],
            ),
            undocumented_image_example(
                "ConvWithGeneralPadding(lhs, rhs, {1, 1}, {(0, 0), (0, 0)}, {1, 1}, {2, 2})",
                "example-conv-rhs-dilation",
                "lhs = f32[1,1,4,4] parameter(0)
                 rhs = f32[1,1,2,2] parameter(1)
                 ROOT atrous = f32[1,1,2,2] convolution(lhs, rhs), window={size=2x2 rhs_dilate=2x2}, dim_labels=bf01_oi01->bf01",
                &["f32[1,1,2,2] {{{{78, 88}, {118, 128}}}}"],
            ),
            example(
                "ConvWithGeneralPadding(lhs, rhs, {1, 1}, {(0, 0), (0, 0)})",
                "example-conv-features",
                "lhs = f32[1,2,2,2] parameter(0)
                 rhs = f32[5,2,1,1] parameter(1)
                 ROOT features = f32[1,5,2,2] convolution(lhs, rhs), window={size=1x1}, dim_labels=bf01_oi01->bf01",
                &[&[
                    "{{{{1, 2}, {3, 4}}, {{10, 20}, {30, 40}}}}",
                    "{{{{1}}, {{0}}}, {{{0}}, {{1}}}, {{{1}}, {{1}}}, {{{1}}, {{-1}}}, {{{2}}, {{3}}}}",
                ]],
                undocumented!(reason: "reason-docs-give-no-values",
                    "f32[1,5,2,2] {{{{1, 2}, {3, 4}}, {{10, 20}, {30, 40}}, {{11, 22}, {33, 44}}, \
                     {{-9, -18}, {-27, -36}}, {{32, 64}, {96, 128}}}}"
                ),
            ),
        ],
        ..Entry::EMPTY
    }],
};
