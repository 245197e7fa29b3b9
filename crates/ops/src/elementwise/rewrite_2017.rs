//! Rewrites element-wise ops that XLA 2017 lacks into ops that it supports.

use super::super::infer::OpContext;
use xla_array::{ArrayShape, ElementType};

/// The HLO text of an operand: `number`, broadcast to the type and sizes of `like`.
fn constant_array(like: &ArrayShape, number: &str) -> String {
    let scalar = format!("{}[] constant({number})", like.element_type);
    if like.rank() == 0 {
        return scalar;
    }
    let sizes: Vec<String> = like.dimensions.iter().map(i64::to_string).collect();
    format!("{}[{}] broadcast({scalar})", like.element_type, sizes.join(","))
}

/// An equivalent operation of XLA 2017; `$0` and `$1` stand for the operands.
pub(super) fn rewrite(cx: &OpContext) -> Option<String> {
    let operand = cx.array(0).ok()?;
    if operand.first_newer_feature().is_some() {
        return None;
    }
    let constant = |number| constant_array(operand, number);
    let one = constant("1");
    if cx.meta.opcode == "xor" {
        let is_logical = operand.element_type == ElementType::Pred;
        return is_logical.then(|| "compare($0, $1), direction=NE".to_owned());
    }
    if !operand.element_type.is_floating() {
        return None;
    }
    Some(match cx.meta.opcode {
        "sqrt" => format!("power($0, {})", constant("0.5")),
        "rsqrt" => format!("power($0, {})", constant("-0.5")),
        "exponential-minus-one" => format!("subtract(exponential($0), {one})"),
        "log-plus-one" => format!("log(add($0, {one}))"),
        "logistic" => format!("divide({one}, add({one}, exponential(negate($0))))"),
        "sine" => format!("cosine(subtract($0, {}))", constant("1.57079632679489662")),
        "round-nearest-afz" => {
            format!("multiply(sign($0), floor(add(abs($0), {})))", constant("0.5"))
        }
        _ => return None,
    })
}
