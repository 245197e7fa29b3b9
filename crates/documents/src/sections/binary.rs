//! Element-wise binary arithmetic operations.

use crate::entry::{Argument, Entry, Section, argument};
use crate::example::{Example, ExpectedResult, example, undocumented};
use xla_array::Edition;

/// The calls of an operation that broadcasts its operands.
pub(super) const BROADCASTING_SIGNATURES: &[&str] = &["Op(lhs, rhs)", "Op(lhs, rhs, broadcast_dimensions)"];

/// The arguments of an operation that broadcasts its operands.
pub(super) const BROADCASTING_ARGUMENTS: &[Argument] = &[
    argument("lhs", "ComputationDataHandle", "argument-lhs"),
    argument("rhs", "ComputationDataHandle", "argument-rhs"),
    argument("broadcast_dimensions", "ArraySlice<int64>", "argument-broadcast-dimensions"),
];

/// An entry of the heading.
macro_rules! row {
    ($name:literal, $opcode:literal, $text:literal, $anchor:literal, $words:expr, $examples:expr) => {
        Entry {
            name: $name,
            opcode: $opcode,
            signatures: BROADCASTING_SIGNATURES,
            arguments: BROADCASTING_ARGUMENTS,
            text: $text,
            current_docs_anchor: Some($anchor),
            search_words: $words,
            examples: $examples,
            ..Entry::EMPTY
        }
    };
}

/// An example of two vectors of four elements.
const fn pair(
    call: &'static str,
    title: &'static str,
    instructions: &'static str,
    values: &'static [&'static [&'static str]],
    result: &'static [&'static str],
) -> Example {
    example(
        call,
        title,
        instructions,
        values,
        ExpectedResult::Undocumented { reason: "reason-docs-have-no-example", result },
    )
}

/// The instructions of an example of two vectors.
macro_rules! vectors {
    ($type:literal, $opcode:literal) => {
        concat!(
            "lhs = ",
            $type,
            "[4] parameter(0)\nrhs = ",
            $type,
            "[4] parameter(1)\n",
            "ROOT out = ",
            $type,
            "[4] ",
            $opcode,
            "(lhs, rhs)"
        )
    };
}

const ADD: Entry = row!(
    "Add",
    "add",
    "entry-add",
    "add",
    &["plus", "sum of arrays", "bias"],
    &[
        pair(
            "Add(lhs, rhs)",
            "example-add",
            vectors!("f32", "add"),
            &[&["{1, 2, 3, 4}", "{10, 20, 30, 40}"]],
            &["f32[4] {11, 22, 33, 44}"],
        ),
        example(
            "Add(lhs, 7)",
            "example-add-scalar",
            "lhs = f32[2,3] parameter(0)
         rhs = f32[] parameter(1)
         every = f32[2,3] broadcast(rhs), dimensions={}
         ROOT out = f32[2,3] add(lhs, every)",
            &[&["{{1, 2, 3}, {4, 5, 6}}", "7"]],
            undocumented!(reason: "reason-docs-give-no-values", "f32[2,3] {{8, 9, 10}, {11, 12, 13}}"),
        ),
        example(
            "Add(matrix, vector, {1})",
            "example-add-rows",
            "lhs = f32[2,3] parameter(0)
         rhs = f32[3] parameter(1)
         rows = f32[2,3] broadcast(rhs), dimensions={1}
         ROOT out = f32[2,3] add(lhs, rows)",
            &[&["{{1, 2, 3}, {4, 5, 6}}", "{7, 8, 9}"]],
            undocumented!(reason: "reason-docs-give-no-values", "f32[2,3] {{8, 10, 12}, {11, 13, 15}}"),
        ),
        pair(
            "Add(matrix, vector, {0})",
            "example-add-columns",
            "lhs = f32[2,3] parameter(0)
         rhs = f32[2] parameter(1)
         columns = f32[2,3] broadcast(rhs), dimensions={0}
         ROOT out = f32[2,3] add(lhs, columns)",
            &[&["{{1, 2, 3}, {4, 5, 6}}", "{10, 20}"]],
            &["f32[2,3] {{11, 12, 13}, {24, 25, 26}}"],
        ),
        example(
            "Add(column, row)",
            "example-add-degenerate",
            "lhs = f32[2,1] parameter(0)
         rhs = f32[1,3] parameter(1)
         column = f32[2] reshape(lhs)
         columns = f32[2,3] broadcast(column), dimensions={0}
         row = f32[3] reshape(rhs)
         rows = f32[2,3] broadcast(row), dimensions={1}
         ROOT out = f32[2,3] add(columns, rows)",
            &[&["{{10}, {20}}", "{{1, 2, 3}}"]],
            undocumented!(reason: "reason-docs-give-no-values", "f32[2,3] {{11, 12, 13}, {21, 22, 23}}"),
        ),
    ]
);

const SUB: Entry = row!(
    "Sub",
    "subtract",
    "entry-sub",
    "sub",
    &["minus", "subtract", "difference"],
    &[pair(
        "Sub(lhs, rhs)",
        "example-sub",
        vectors!("f32", "subtract"),
        &[&["{10, 20, 30, 40}", "{1, 2, 3, 4}"]],
        &["f32[4] {9, 18, 27, 36}"],
    )]
);

const MUL: Entry = row!(
    "Mul",
    "multiply",
    "entry-mul",
    "mul",
    &["times", "multiply", "hadamard", "scale"],
    &[pair(
        "Mul(lhs, rhs)",
        "example-mul",
        vectors!("f32", "multiply"),
        &[&["{1, 2, 3, 4}", "{10, 20, 30, 40}"]],
        &["f32[4] {10, 40, 90, 160}"],
    ),]
);

const DIV: Entry = row!(
    "Div",
    "divide",
    "entry-div",
    "div",
    &["quotient", "divide", "normalize"],
    &[
        pair(
            "Div(lhs, rhs)",
            "example-div",
            vectors!("f32", "divide"),
            &[&["{1, 2, 3, 4}", "{2, 2, 2, 2}"]],
            &["f32[4] {0.5, 1, 1.5, 2}"],
        ),
        pair(
            "Div(lhs, rhs)",
            "example-div-integers",
            vectors!("s32", "divide"),
            &[&["{7, -7, 7, -7}", "{2, 2, -2, -2}"]],
            &["s32[4] {3, -3, -3, 3}"],
        ),
    ]
);

const REM: Entry = row!(
    "Rem",
    "remainder",
    "entry-rem",
    "rem",
    &["modulo", "mod", "remainder", "fmod"],
    &[example(
        "Rem(lhs, rhs)",
        "example-rem",
        vectors!("s32", "remainder"),
        &[&["{7, -7, 7, -7}", "{3, 3, -3, -3}"]],
        undocumented!(reason: "reason-docs-give-no-values", "s32[4] {1, -1, 1, -1}"),
    )]
);

const MAX: Entry = row!(
    "Max",
    "maximum",
    "entry-max",
    "max",
    &["maximum", "relu", "larger"],
    &[
        pair(
            "Max(lhs, rhs)",
            "example-max",
            vectors!("f32", "maximum"),
            &[&["{1, 5, 3, 7}", "{4, 2, 6, 0}"]],
            &["f32[4] {4, 5, 6, 7}"],
        ),
        pair(
            "Max(x, 0)",
            "example-max-relu",
            "lhs = f32[4] parameter(0)
         rhs = f32[] parameter(1)
         zeros = f32[4] broadcast(rhs), dimensions={}
         ROOT out = f32[4] maximum(lhs, zeros)",
            &[&["{-2, -0.5, 0.5, 2}", "0"]],
            &["f32[4] {0, 0, 0.5, 2}"],
        ),
        pair(
            "Max(lhs, rhs)",
            "example-max-nan-2017",
            vectors!("f32", "maximum"),
            &[&["{nan, 1, nan, 4}", "{1, nan, 3, 2}"]],
            &["f32[4] {1, 1, 3, 4}"],
        )
        .for_edition(Edition::V2017),
        pair(
            "Max(lhs, rhs)",
            "example-max-nan-now",
            vectors!("f32", "maximum"),
            &[&["{nan, 1, nan, 4}", "{1, nan, 3, 2}"]],
            &["f32[4] {nan, nan, nan, 4}"],
        )
        .for_edition(Edition::Current),
    ]
);

const MIN: Entry = row!(
    "Min",
    "minimum",
    "entry-min",
    "min",
    &["minimum", "smaller", "clip"],
    &[pair(
        "Min(lhs, rhs)",
        "example-min",
        vectors!("f32", "minimum"),
        &[&["{1, 5, 3, 7}", "{4, 2, 6, 0}"]],
        &["f32[4] {1, 2, 3, 0}"],
    )]
);

const AND: Entry = row!(
    "LogicalAnd",
    "and",
    "entry-logical-and",
    "and",
    &["and", "conjunction", "mask"],
    &[pair(
        "LogicalAnd(lhs, rhs)",
        "example-and",
        vectors!("pred", "and"),
        &[&["{false, false, true, true}", "{false, true, false, true}"]],
        &["pred[4] {false, false, false, true}"],
    )]
);

const OR: Entry = row!(
    "LogicalOr",
    "or",
    "entry-logical-or",
    "or",
    &["or", "disjunction"],
    &[pair(
        "LogicalOr(lhs, rhs)",
        "example-or",
        vectors!("pred", "or"),
        &[&["{false, false, true, true}", "{false, true, false, true}"]],
        &["pred[4] {false, true, true, true}"],
    )]
);

/// Element-wise binary arithmetic operations.
pub const BINARY: Section = Section {
    name: "Element-wise binary arithmetic operations",
    builder_method: Some("Add"),
    entries: &[ADD, SUB, MUL, DIV, REM, MAX, MIN, AND, OR],
};
