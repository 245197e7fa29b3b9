//! `stochastic-convert`: see [`StochasticConvert`].

use super::{
    Category, Example, Formula, History, OpContext, OpDef, OpError, OpMeta, Operands, Role, Rule, Semantics,
};
use xla_array::value::integer_range;
use xla_array::{Class, Shape, Value};
use xla_messages::bug;
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Rounds floats to integers up or down, by random bits: away from zero if `random / 2^bits` is below the fraction.
///
/// NaN becomes 0, and numbers out of range become the minimum or maximum of the type. The result must be a signed
/// integer, as on XLA's CPU. The shape must be written. Source: `ShapeInference::InferStochasticConvertShape`,
/// `HloEvaluator::HandleStochasticConvert`.
pub struct StochasticConvert;

static META: OpMeta = OpMeta {
    opcode: "stochastic-convert",
    title: "StochasticConvert",
    search_terms: &[],
    sections: &[],
    category: Category::Conversion,
    history: History::NEWER,
    summary: "op-stochastic-convert",
    formula: Formula::Words("formula-stochastic-convert"),
    operands: Operands::exactly(&["operand", "random"]),
    inline_attr: None,
    attrs: &[],
    rules: &[
        Rule {
            identifier: "stochastic-convert-1",
            description: "rule-float",
            violated_by: "x = s32[2] parameter(0) n = u32[2] parameter(1) ROOT r = s8[2] stochastic-convert(x, n)",
        },
        Rule {
            identifier: "stochastic-convert-2",
            description: "rule-random-type",
            violated_by: "x = f32[2] parameter(0) n = u16[2] parameter(1) ROOT r = s8[2] stochastic-convert(x, n)",
        },
        Rule {
            identifier: "stochastic-convert-3",
            description: "rule-same-sizes",
            violated_by: "x = f32[2] parameter(0) n = u32[3] parameter(1) ROOT r = s8[2] stochastic-convert(x, n)",
        },
        Rule {
            identifier: "stochastic-convert-4",
            description: "rule-stochastic-result",
            violated_by: "x = f32[2] parameter(0) n = u32[2] parameter(1) ROOT r = u8[2] stochastic-convert(x, n)",
        },
    ],
    examples: &[Example {
        title: "shows-random-rounding",
        hlo: "x = f32[4] constant({1.25, 1.25, -1.25, 300})
              n = u32[4] constant({1073741823, 1073741824, 0, 0}) ROOT r = s8[4] stochastic-convert(x, n)",
        result: "s8[4] {2, 1, -2, 127}",
    }],
};

/// `random` is the random number divided by `2^bits`, in `[0, 1)`. It is compared with the fraction as an integer of
/// that width, which a double represents exactly except for the lowest bits of 64.
fn convert(x: f64, random: u64, bits: u16, min: i128, max: i128) -> Value {
    #[allow(clippy::cast_possible_truncation, reason = "bounds fit an i64, and what is below them does too")]
    let int = |n: i128| Value::Int(n as i64);
    #[allow(clippy::cast_precision_loss, reason = "XLA compares with the bound rounded too")]
    let (low, high) = (min as f64, max as f64);
    // As in XLA.
    if x.is_nan() {
        return Value::Int(0);
    }
    if x >= high || x <= low {
        return int(if x >= high { max } else { min });
    }
    let whole = x.abs().trunc();
    // The product is less than 2^bits, so the conversion saturates only if it was rounded up.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the fraction is in [0, 1)")]
    let fraction = libm::ldexp(x.abs() - whole, i32::from(bits)) as u64;
    #[allow(clippy::cast_possible_truncation, reason = "within the bounds of the type")]
    let magnitude = whole as i128 + i128::from(random < fraction);
    int(if x < 0.0 { -magnitude } else { magnitude })
}

impl OpDef for StochasticConvert {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, random) = (cx.array(0)?, cx.array(1)?);
        if operand.element_type.class() != Class::Float {
            let message = Message::ops("op-element-type")
                .with("op", cx.meta.opcode)
                .with("found", operand.element_type.name())
                .with("supported", "floating");
            return Err(cx.error("stochastic-convert-1", message).at_operand(0));
        }
        if random.element_type.class() != Class::Unsigned
            || random.element_type.bits() != operand.element_type.bits()
        {
            let message = Message::ops("op-random-type")
                .with("expected", format!("u{}", operand.element_type.bits()))
                .with("found", random.element_type.name());
            return Err(cx.error("stochastic-convert-2", message).at_operand(1));
        }
        if random.dimensions != operand.dimensions {
            return Err(cx.size_mismatch("stochastic-convert-3", 1, 0));
        }
        let result = cx.explicit_result_array()?;
        if result.element_type.class() != Class::Signed {
            let message = Message::ops("op-element-type")
                .with("op", cx.meta.opcode)
                .with("found", result.element_type.name())
                .with("supported", "signed");
            return Err(cx.error("stochastic-convert-4", message).at(super::OpPart::Result));
        }
        cx.result(result.element_type, operand.dimensions.iter().copied())
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let bits = cx.array(1)?.element_type.bits();
        let (min, max) =
            integer_range(cx.explicit_result_array()?.element_type).or_bug((0, 0), "not an integer type");
        Ok(Semantics::per_element(move |out, read| {
            let x = read.get(0, out, Role::Value);
            let random = read.get(1, out, Role::Choice);
            match (x, random) {
                (Value::Float(x), Value::Uint(random)) => convert(x, random, u16::from(bits), min, max),
                (x, random) => {
                    bug!("{x:?} is rounded by {random:?}");
                    Value::Int(0)
                }
            }
        }))
    }
}
