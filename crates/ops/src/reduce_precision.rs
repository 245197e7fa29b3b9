//! `reduce-precision`: see [`ReducePrecision`].

#![allow(clippy::cast_possible_truncation, reason = "the codes of floats fit 64 bits")]

use super::{
    AttrKind, AttrSpec, Category, Example, ExportContext, Expression, Formula, History, Language, OpContext,
    OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Semantics,
};
use xla_array::float_format::FloatFormat;
use xla_array::{ElementType, Shape, Value};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// Rounds floats to the values of a format with fewer bits, in the same element type.
///
/// The mantissa is rounded to nearest, ties to even. A number too large for `exponent_bits` becomes infinity, one too
/// small becomes zero: the narrower format has no subnormals. More bits than those of the type have no effect. Source:
/// `ReducePrecision` of XLA's operation semantics; `ShapeInference::InferReducePrecisionShape`, XLA's
/// `EmitReducePrecisionIR`.
pub struct ReducePrecision;

static META: OpMeta = OpMeta {
    opcode: "reduce-precision",
    title: "ReducePrecision",
    search_terms: &[],
    sections: &["ReducePrecision"],
    category: Category::Conversion,
    history: History::NEWER,
    summary: "op-reduce-precision",
    formula: Formula::Words("formula-reduce-precision"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[
        AttrSpec::required("exponent_bits", AttrKind::Int, "attr-exponent-bits"),
        AttrSpec::required("mantissa_bits", AttrKind::Int, "attr-mantissa-bits"),
    ],
    rules: &[
        Rule {
            identifier: "reduce-precision-1",
            description: "rule-float",
            violated_by: "x = s32[3] parameter(0) ROOT r = s32[3] reduce-precision(x), exponent_bits=5, mantissa_bits=10",
        },
        Rule {
            identifier: "reduce-precision-2",
            description: "rule-exponent-bits",
            violated_by: "x = f32[3] parameter(0) ROOT r = f32[3] reduce-precision(x), exponent_bits=0, mantissa_bits=10",
        },
        Rule {
            identifier: "reduce-precision-3",
            description: "rule-mantissa-bits",
            violated_by: "x = f32[3] parameter(0) ROOT r = f32[3] reduce-precision(x), exponent_bits=5, mantissa_bits=-1",
        },
    ],
    examples: &[
        Example {
            title: "shows-as-bf16",
            hlo: "x = f32[2] constant({3.14159, 0.1})
                  ROOT r = f32[2] reduce-precision(x), exponent_bits=8, mantissa_bits=7",
            result: "f32[2] {3.140625, 0.10009765625}",
        },
        Example {
            title: "shows-as-f16",
            hlo: "x = f32[6] constant({65519.98828125, 65520, 1e-8, 6e-5, 6.2e-5, 1.00048828125})
              ROOT r = f32[6] reduce-precision(x), exponent_bits=5, mantissa_bits=10",
            result: "f32[6] {65504, inf, 0, 0, 6.198883e-5, 1}",
        },
    ],
};

/// The format of the element type, and the exponent and mantissa bits of the narrower format.
#[derive(Clone, Copy)]
struct Rounding {
    element_type: ElementType,
    format: FloatFormat,
    exponent_bits: u8,
    mantissa_bits: u8,
}

impl Rounding {
    fn round(self, value: Value) -> Value {
        let Self { element_type, format, .. } = self;
        let code = value.to_bits(element_type) as u64;
        if format.is_nan(code) {
            return value;
        }
        let sign = code & format.sign_mask();
        let mut magnitude = code & format.magnitude_mask();
        let dropped_bits = format.mantissa_bits.saturating_sub(self.mantissa_bits);
        if dropped_bits > 0 {
            let half = 1_u64 << (dropped_bits - 1);
            let odd = magnitude >> dropped_bits & 1;
            // A carry out of the mantissa increments the exponent, and that of the maximum becomes infinity.
            magnitude = (magnitude + half - 1 + odd) >> dropped_bits << dropped_bits;
        }
        if self.exponent_bits < format.exponent_bits {
            let bias = i64::from(format.bias);
            let reduced_bias = (1_i64 << (self.exponent_bits - 1)) - 1;
            let exponent = i64::try_from(magnitude >> format.mantissa_bits)
                .or_bug(i64::MAX, "an exponent field of 64 bits");
            if exponent > bias + reduced_bias {
                // A format without infinity overflows to its maximum.
                magnitude = format.infinity().unwrap_or(format.max());
            } else if exponent <= bias - reduced_bias {
                magnitude = 0;
            }
        }
        let magnitude = magnitude.min(format.infinity().unwrap_or(format.max()));
        // In a format without -0, its code is NaN.
        let code = if magnitude == 0 && format.is_nan(sign) { 0 } else { sign | magnitude };
        Value::from_bits(element_type, code.into())
    }
}

impl OpDef for ReducePrecision {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let operand = cx.array(0)?;
        cx.require_result_shape()?;
        if !operand.element_type.is_floating() {
            let message = Message::ops("op-element-type")
                .with("op", cx.meta.opcode)
                .with("found", operand.element_type.name())
                .with("supported", "floating");
            let error = cx.error("reduce-precision-1", message).at_operand(0);
            return Err(cx.with_conversion(error, 0, ElementType::F32));
        }
        let format = FloatFormat::of(operand.element_type);
        for (rule, name, min, type_bits) in [
            ("reduce-precision-2", "exponent_bits", 1_i64, format.map(|format| format.exponent_bits)),
            ("reduce-precision-3", "mantissa_bits", 0, format.map(|format| format.mantissa_bits)),
        ] {
            let found = cx.int(name)?;
            if found < min {
                let message =
                    Message::ops("op-at-least").with("name", name).with("least", min).with("found", found);
                return Err(cx
                    .error(rule, message)
                    .at_attr(name)
                    .with_fix(OpPart::Attr(name), min.to_string()));
            }
            // XLA stores both numbers in 32 bits.
            if i32::try_from(found).is_err() {
                let message = Message::ops("op-at-most")
                    .with("name", name)
                    .with("most", i64::from(i32::MAX))
                    .with("found", found.to_string());
                let fix = type_bits.map_or(min, i64::from).to_string();
                return Err(cx.error(rule, message).at_attr(name).with_fix(OpPart::Attr(name), fix));
            }
        }
        Ok(Shape::Array(operand.clone()))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let element_type = cx.array(0)?.element_type;
        // More bits than those of the type have no effect, so the number may saturate.
        let bits = |name| cx.int(name).map(|bits| u8::try_from(bits).unwrap_or(u8::MAX));
        let Some(format) = FloatFormat::of(element_type) else {
            return Err(cx.error("reduce-precision-1", Message::ops("op-hint-convert")));
        };
        let (exponent_bits, mantissa_bits) = (bits("exponent_bits")?, bits("mantissa_bits")?);
        let rounding = Rounding { element_type, format, exponent_bits, mantissa_bits };
        Ok(Semantics::per_element(move |out, read| rounding.round(read.get(0, out, Role::Value))))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (exponent, mantissa) = (to.cx.int("exponent_bits").ok()?, to.cx.int("mantissa_bits").ok()?);
        (to.language == Language::Jax)
            .then(|| format!("lax.reduce_precision({}, {exponent}, {mantissa})", to.name(0)).into())
    }
}
