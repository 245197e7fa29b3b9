//! Collapse, Reshape and Transpose: the same array of 24 elements in other sizes and orders.

use crate::entry::{Entry, Section, argument};
use crate::example::{Example, ExpectedResult, documented, example, undocumented};

/// The documentation's array `v`.
const V: &[&[&str]] = &[&["{{{10, 11, 12}, {15, 16, 17}}, {{20, 21, 22}, {25, 26, 27}}, \
                          {{30, 31, 32}, {35, 36, 37}}, {{40, 41, 42}, {45, 46, 47}}}"]];

const FLAT: &str = "f32[24] {10, 11, 12, 15, 16, 17, 20, 21, 22, 25, 26, 27, \
                    30, 31, 32, 35, 36, 37, 40, 41, 42, 45, 46, 47}";

const EIGHT_ROWS: &str = "f32[8,3] {{10, 11, 12}, {15, 16, 17}, {20, 21, 22}, {25, 26, 27}, \
                          {30, 31, 32}, {35, 36, 37}, {40, 41, 42}, {45, 46, 47}}";

const FOUR_ROWS: &str = "f32[4,6] {{10, 11, 12, 15, 16, 17}, {20, 21, 22, 25, 26, 27}, \
                         {30, 31, 32, 35, 36, 37}, {40, 41, 42, 45, 46, 47}}";

/// The section `Collapse` of the 2017 Operation Semantics.
pub const COLLAPSE: Section = Section {
    name: "Collapse",
    builder_method: Some("Collapse"),
    entries: &[Entry {
        name: "Collapse",
        opcode: "reshape",
        signatures: &["Collapse(operand, dimensions)"],
        arguments: &[
            argument("operand", "ComputationDataHandle", "argument-array"),
            argument("dimensions", "int64 vector", "argument-collapse-dimensions"),
        ],
        text: "entry-collapse",
        current_docs_anchor: Some("collapse"),
        search_words: &["flatten", "ravel", "merge dimensions"],
        examples: &[
            example(
                "Collapse(v, {0,1,2})",
                "example-collapse-all",
                "v = f32[4,2,3] parameter(0)
                 ROOT v012 = f32[24] reshape(v)",
                V,
                documented!(FLAT),
            ),
            example(
                "Collapse(v, {0,1})",
                "example-collapse-low",
                "v = f32[4,2,3] parameter(0)
                 ROOT v01 = f32[8,3] reshape(v)",
                V,
                ExpectedResult::IncorrectlyDocumented {
                    documented: FOUR_ROWS,
                    correct: EIGHT_ROWS,
                    reason: "reason-collapse-exchanged",
                },
            ),
            example(
                "Collapse(v, {1,2})",
                "example-collapse-high",
                "v = f32[4,2,3] parameter(0)
                 ROOT v12 = f32[4,6] reshape(v)",
                V,
                ExpectedResult::IncorrectlyDocumented {
                    documented: EIGHT_ROWS,
                    correct: FOUR_ROWS,
                    reason: "reason-collapse-exchanged",
                },
            ),
        ],
        ..Entry::EMPTY
    }],
};

/// A reshape of `v` in the order {1,2,0}.
const fn reordered(
    call: &'static str,
    title: &'static str,
    instructions: &'static str,
    result: &'static [&'static str],
) -> Example {
    example(call, title, instructions, V, ExpectedResult::Documented(result))
}

/// The section `Reshape` of the 2017 Operation Semantics.
pub const RESHAPE: Section = Section {
    name: "Reshape",
    builder_method: Some("Reshape"),
    entries: &[Entry {
        name: "Reshape",
        opcode: "reshape",
        signatures: &["Reshape(operand, new_sizes)", "Reshape(operand, dimensions, new_sizes)"],
        arguments: &[
            argument("operand", "ComputationDataHandle", "argument-array"),
            argument("dimensions", "int64 vector", "argument-reshape-dimensions"),
            argument("new_sizes", "int64 vector", "argument-reshape-sizes"),
        ],
        text: "entry-reshape",
        current_docs_anchor: Some("reshape"),
        search_words: &["flatten", "view", "ravel", "squeeze", "expand_dims", "unsqueeze"],
        examples: &[
            example(
                "Reshape(v, {0,1,2}, {24})",
                "example-reshape-in-order",
                "v = f32[4,2,3] parameter(0)
                 ROOT v012_24 = f32[24] reshape(v)",
                V,
                documented!(FLAT),
            ),
            example(
                "Reshape(v, {0,1,2}, {8,3})",
                "example-reshape-in-order-rows",
                "v = f32[4,2,3] parameter(0)
                 ROOT v012_83 = f32[8,3] reshape(v)",
                V,
                documented!(EIGHT_ROWS),
            ),
            reordered(
                "Reshape(v, {1,2,0}, {24})",
                "example-reshape-out-of-order",
                "v = f32[4,2,3] parameter(0)
                 v120 = f32[2,3,4] transpose(v), dimensions={1,2,0}
                 ROOT v021_24 = f32[24] reshape(v120)",
                &["f32[24] {10, 20, 30, 40, 11, 21, 31, 41, 12, 22, 32, 42, \
                   15, 25, 35, 45, 16, 26, 36, 46, 17, 27, 37, 47}"],
            ),
            reordered(
                "Reshape(v, {1,2,0}, {8,3})",
                "example-reshape-out-of-order-rows",
                "v = f32[4,2,3] parameter(0)
                 v120 = f32[2,3,4] transpose(v), dimensions={1,2,0}
                 ROOT v021_83 = f32[8,3] reshape(v120)",
                &["f32[8,3] {{10, 20, 30}, {40, 11, 21}, {31, 41, 12}, {22, 32, 42}, \
                   {15, 25, 35}, {45, 16, 26}, {36, 46, 17}, {27, 37, 47}}"],
            ),
            reordered(
                "Reshape(v, {1,2,0}, {2,6,2})",
                "example-reshape-out-of-order-cube",
                "v = f32[4,2,3] parameter(0)
                 v120 = f32[2,3,4] transpose(v), dimensions={1,2,0}
                 ROOT v021_262 = f32[2,6,2] reshape(v120)",
                &["f32[2,6,2] {{{10, 20}, {30, 40}, {11, 21}, {31, 41}, {12, 22}, {32, 42}}, \
                   {{15, 25}, {35, 45}, {16, 26}, {36, 46}, {17, 27}, {37, 47}}}"],
            ),
            example(
                "Reshape(f32[1x1] { {5}}, {0,1}, {})",
                "example-reshape-to-scalar",
                "operand = f32[1,1] parameter(0)
                 ROOT scalar = f32[] reshape(operand)",
                &[&["{{5}}"]],
                documented!("f32[] 5"),
            ),
            example(
                "Reshape(5, {}, {1,1})",
                "example-reshape-from-scalar",
                "operand = f32[] parameter(0)
                 ROOT matrix = f32[1,1] reshape(operand)",
                &[&["5"]],
                documented!("f32[1,1] {{5}}"),
            ),
        ],
        ..Entry::EMPTY
    }],
};

/// The section `Transpose` of the 2017 Operation Semantics.
pub const TRANSPOSE: Section = Section {
    name: "Transpose",
    builder_method: None,
    entries: &[Entry {
        name: "Transpose",
        opcode: "transpose",
        signatures: &["Transpose(operand)"],
        arguments: &[
            argument("operand", "ComputationDataHandle", "argument-transpose-operand"),
            argument("permutation", "ArraySlice<int64>", "argument-transpose-permutation"),
        ],
        text: "entry-transpose",
        current_docs_anchor: Some("transpose"),
        search_words: &["permute", "swapaxes", "moveaxis", "matrix transpose"],
        examples: &[
            example(
                "Transpose(operand, {1, 0})",
                "example-transpose-matrix",
                "operand = f32[2,3] parameter(0)
                 ROOT transposed = f32[3,2] transpose(operand), dimensions={1,0}",
                &[&["{{1, 2, 3}, {4, 5, 6}}"]],
                undocumented!(reason: "reason-docs-have-no-example", "f32[3,2] {{1, 4}, {2, 5}, {3, 6}}"),
            ),
            example(
                "Reshape(v, {1,2,0}, {2,3,4})",
                "example-transpose-as-reshape",
                "v = f32[4,2,3] parameter(0)
                 ROOT v120 = f32[2,3,4] transpose(v), dimensions={1,2,0}",
                V,
                undocumented!(reason: "reason-docs-give-no-values",
                    "f32[2,3,4] {{{10, 20, 30, 40}, {11, 21, 31, 41}, {12, 22, 32, 42}}, \
                     {{15, 25, 35, 45}, {16, 26, 36, 46}, {17, 27, 37, 47}}}"
                ),
            ),
        ],
        ..Entry::EMPTY
    }],
};
