//! Element-wise unary functions.

use crate::entry::{Argument, Entry, Section, argument};
use crate::example::{example, undocumented};

const ARGUMENTS: &[Argument] = &[argument("operand", "ComputationDataHandle", "argument-unary-operand")];

/// `"Name" "opcode" "anchor", "text", words, "title", type[size] => type, "values" => "result";`
macro_rules! row {
    ($name:literal $opcode:literal $anchor:literal, $text:literal, $words:expr, $title:literal,
     $from:literal => $to:literal, $values:literal => $result:literal) => {
        Entry {
            name: $name,
            opcode: $opcode,
            signatures: &[concat!($name, "(operand)")],
            arguments: ARGUMENTS,
            text: $text,
            current_docs_anchor: Some($anchor),
            search_words: $words,
            examples: &[example(
                concat!($name, "(operand)"),
                $title,
                concat!("operand = ", $from, " parameter(0)\nROOT out = ", $to, " ", $opcode, "(operand)"),
                &[&[$values]],
                undocumented!(reason: "reason-docs-have-no-example", concat!($to, " ", $result)),
            )],
            ..Entry::EMPTY
        }
    };
}

/// Element-wise unary functions.
pub const UNARY: Section = Section {
    name: "Element-wise unary functions",
    builder_method: None,
    entries: &[
        row!("Abs" "abs" "abs", "entry-abs", &["absolute value", "magnitude"], "example-abs",
            "f32[4]" => "f32[4]", "{-1.5, -0.0, 2, -inf}" => "{1.5, 0, 2, inf}"),
        row!("Ceil" "ceil" "ceil", "entry-ceil", &["ceiling", "round up"], "example-ceil",
            "f32[4]" => "f32[4]", "{1.25, -1.25, 2, -0.5}" => "{2, -1, 2, -0.0}"),
        row!("Exp" "exponential" "exp", "entry-exp", &["exponential", "softmax", "e^x"], "example-exp",
            "f32[3]" => "f32[3]", "{0, 1, -inf}" => "{1, 2.7182817, 0}"),
        row!("Floor" "floor" "floor", "entry-floor", &["round down"], "example-floor",
            "f32[4]" => "f32[4]", "{1.25, -1.25, 2, -0.5}" => "{1, -2, 2, -1}"),
        row!("IsFinite" "is-finite" "isfinite", "entry-is-finite", &["nan", "infinity", "isnan", "isinf"], "example-is-finite",
            "f32[4]" => "pred[4]", "{1, inf, -inf, nan}" => "{true, false, false, false}"),
        row!("Log" "log" "log", "entry-log", &["logarithm", "ln", "cross entropy"], "example-log",
            "f32[3]" => "f32[3]", "{1, 0, -1}" => "{0, -inf, nan}"),
        row!("LogicalNot" "not" "not", "entry-logical-not", &["not", "negation", "invert"], "example-not",
            "pred[2]" => "pred[2]", "{false, true}" => "{true, false}"),
        row!("Neg" "negate" "neg", "entry-neg", &["negate", "minus", "negative"], "example-neg",
            "f32[3]" => "f32[3]", "{1, -2, 0}" => "{-1, 2, -0.0}"),
        row!("Sign" "sign" "sign", "entry-sign", &["sgn", "signum"], "example-sign",
            "f32[3]" => "f32[3]", "{-7, 0, 2}" => "{-1, 0, 1}"),
        row!("Tanh" "tanh" "tanh", "entry-tanh", &["hyperbolic tangent", "activation"], "example-tanh",
            "f32[3]" => "f32[3]", "{0, inf, -inf}" => "{0, 1, -1}"),
    ],
};
