//! Element-wise comparison operations.

use super::binary::{BROADCASTING_ARGUMENTS, BROADCASTING_SIGNATURES};
use crate::entry::{Entry, Section};
use crate::example::{example, undocumented};

/// An entry of the heading: an example of numbers, and one with NaN.
macro_rules! row {
    ($name:literal, $direction:literal, $text:literal, $words:expr, $result:literal, $of_nan:literal) => {
        Entry {
            name: $name,
            opcode: "compare",
            signatures: BROADCASTING_SIGNATURES,
            arguments: BROADCASTING_ARGUMENTS,
            text: $text,
            current_docs_anchor: Some("compare"),
            search_words: $words,
            examples: &[
                example(
                    concat!($name, "(lhs, rhs)"),
                    "example-compare",
                    concat!(
                        "lhs = f32[3] parameter(0)\nrhs = f32[3] parameter(1)\n",
                        "ROOT out = pred[3] compare(lhs, rhs), direction=",
                        $direction
                    ),
                    &[&["{1, 2, 3}", "{2, 2, 2}"]],
                    undocumented!(reason: "reason-docs-have-no-example", $result),
                ),
                example(
                    concat!($name, "(matrix, vector, {1})"),
                    "example-compare-rows",
                    concat!(
                        "lhs = f32[2,3] parameter(0)\nrhs = f32[3] parameter(1)\n",
                        "rows = f32[2,3] broadcast(rhs), dimensions={1}\n",
                        "ROOT out = pred[2,3] compare(lhs, rows), direction=",
                        $direction
                    ),
                    &[&["{{1, 2, nan}, {3, nan, 2}}", "{2, 2, nan}"]],
                    undocumented!(reason: "reason-docs-have-no-example", $of_nan),
                ),
            ],
            ..Entry::EMPTY
        }
    };
}

/// Element-wise comparison operations.
pub const COMPARISON: Section = Section {
    name: "Element-wise comparison operations",
    builder_method: Some("Eq"),
    entries: &[
        row!(
            "Eq",
            "EQ",
            "entry-eq",
            &["equal", "=="],
            "pred[3] {false, true, false}",
            "pred[2,3] {{false, true, false}, {false, false, false}}"
        ),
        row!(
            "Ne",
            "NE",
            "entry-ne",
            &["not equal", "unequal", "!="],
            "pred[3] {true, false, true}",
            "pred[2,3] {{true, false, true}, {true, true, true}}"
        ),
        row!(
            "Ge",
            "GE",
            "entry-ge",
            &["greater or equal", ">="],
            "pred[3] {false, true, true}",
            "pred[2,3] {{false, true, false}, {true, false, false}}"
        ),
        row!(
            "Gt",
            "GT",
            "entry-gt",
            &["greater", ">"],
            "pred[3] {false, false, true}",
            "pred[2,3] {{false, false, false}, {true, false, false}}"
        ),
        row!(
            "Le",
            "LE",
            "entry-le",
            &["less or equal", "<="],
            "pred[3] {true, true, false}",
            "pred[2,3] {{true, true, false}, {false, false, false}}"
        ),
        row!(
            "Lt",
            "LT",
            "entry-lt",
            &["less", "<"],
            "pred[3] {true, false, false}",
            "pred[2,3] {{true, false, false}, {false, false, false}}"
        ),
    ],
};
