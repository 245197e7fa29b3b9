//! `bitcast-convert`: see [`BitcastConvert`].

use super::{
    Category, Example, ExportContext, Expression, Formula, History, Language, OpContext, OpDef, OpError,
    OpMeta, OpPart, Operands, Role, Rule, Semantics,
};
use xla_array::{Dims, ElementType, Shape, Value};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// Reinterprets the bits of each element as another type.
///
/// A narrower type adds a trailing dimension with the parts of an element, lowest bits first; a wider one combines the
/// elements of the last dimension, whose size must be the ratio of the widths. `pred` is one bit. Layouts do not
/// matter. Source: `ShapeInference::InferBitcastConvertShape`.
pub struct BitcastConvert;

static META: OpMeta = OpMeta {
    opcode: "bitcast-convert",
    title: "BitcastConvertType",
    search_terms: &["reinterpret_cast", "view as type"],
    sections: &["BitcastConvertType"],
    category: Category::Conversion,
    history: History::NEWER,
    summary: "op-bitcast-convert",
    formula: Formula::Words("formula-bitcast-convert"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[],
    rules: &[
        Rule {
            identifier: "bitcast-convert-1",
            description: "rule-bitcast-complex",
            violated_by: "x = c64[3] parameter(0) ROOT r = f64[3] bitcast-convert(x)",
        },
        Rule {
            identifier: "bitcast-convert-2",
            description: "rule-bitcast-widths",
            violated_by: "x = f32[3] parameter(0) ROOT r = f6e3m2fn[3,5] bitcast-convert(x)",
        },
        Rule {
            identifier: "bitcast-convert-3",
            description: "rule-bitcast-sizes",
            violated_by: "x = f32[3] parameter(0) ROOT r = s64[3] bitcast-convert(x)",
        },
    ],
    examples: &[
        Example {
            title: "shows-float-bits",
            hlo: "x = f32[] constant(1.5) ROOT r = s32[] bitcast-convert(x)",
            result: "s32[] 1069547520",
        },
        Example {
            title: "shows-float-bytes",
            hlo: "x = f32[2] constant({1, -2}) ROOT r = u8[2,4] bitcast-convert(x)",
            result: "u8[2,4] { {0, 0, 128, 63}, {0, 0, 0, 192} }",
        },
        Example {
            title: "shows-bytes-to-floats",
            hlo: "x = u8[2,4] constant({{0,0,128,63},{0,0,0,192}}) ROOT r = f32[2] bitcast-convert(x)",
            result: "f32[2] {1, -2}",
        },
        Example {
            title: "shows-nibbles",
            hlo: "x = u8[2] constant({33, 243}) ROOT r = s4[2,2] bitcast-convert(x)",
            result: "s4[2,2] { {1, 2}, {3, -1} }",
        },
    ],
};

impl BitcastConvert {
    fn sizes_error(cx: &OpContext, operand: &Shape, to: ElementType, fix: Option<&[i64]>) -> OpError {
        let message = Message::ops("op-bitcast-sizes")
            .with("operand", operand.human_string())
            .with("type", to.to_string())
            // Empty if no result shape is written.
            .with("found", cx.written.map(Shape::human_string).unwrap_or_default());
        let error = cx.error("bitcast-convert-3", message).at(OpPart::Result);
        match fix {
            Some(sizes) => {
                error.with_fix(OpPart::Result, format!("{to}[{}]", super::infer::comma_separated(sizes)))
            }
            None => error,
        }
    }
}

impl OpDef for BitcastConvert {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, result) = (cx.array(0)?, cx.explicit_result_array()?);
        let (from, to) = (operand.element_type, result.element_type);
        let types = |key| Message::ops(key).with("from", from.to_string()).with("to", to.to_string());
        if from.is_complex() != to.is_complex() {
            return Err(cx.error("bitcast-convert-1", types("op-bitcast-complex")).at(OpPart::Result));
        }
        let (narrow, wide) = (from.bits().min(to.bits()), from.bits().max(to.bits()));
        if !wide.is_multiple_of(narrow) {
            return Err(cx.error("bitcast-convert-2", types("op-bitcast-widths")).at(OpPart::Result));
        }
        let parts = i64::from(wide / narrow);
        let mut sizes = operand.dimensions.clone();
        if from.bits() > to.bits() {
            sizes.push(parts);
        } else if from.bits() < to.bits() && sizes.pop() != Some(parts) {
            return Err(Self::sizes_error(cx, cx.operand(0)?, to, None));
        }
        if result.dimensions != sizes {
            return Err(Self::sizes_error(cx, cx.operand(0)?, to, Some(&sizes)));
        }
        cx.result(to, sizes)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let (from, to) = (cx.array(0)?.element_type, cx.explicit_result_array()?.element_type);
        let (from_bits, to_bits) = (u32::from(from.bits()), u32::from(to.bits()));
        Ok(Semantics::per_element(move |out, read| {
            if to_bits < from_bits {
                let (part, index) =
                    out.split_last().or_bug((&0, &[]), "a narrower type without an added dimension");
                let bits = read.get(0, index, Role::Value).to_bits(from);
                // The part is below the ratio of the widths, so the shift is below the wider width.
                return Value::from_bits(
                    to,
                    bits >> (to_bits * u32::try_from(*part).or_bug(0, "a negative index")),
                );
            }
            if to_bits == from_bits {
                return Value::from_bits(to, read.get(0, out, Role::Value).to_bits(from));
            }
            let mut index: Dims = out.into();
            index.push(0);
            let mut bits = 0_u128;
            for part in 0..to_bits / from_bits {
                index[out.len()] = i64::from(part);
                bits |= read.get(0, &index, Role::Value).to_bits(from) << (from_bits * part);
            }
            Value::from_bits(to, bits)
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (x, from, into) = (to.name(0), to.array(0)?.element_type, to.result()?.element_type);
        let name = to.dtype(into)?;
        let whole_bytes = [from, into].iter().all(|t| t.bits() % 8 == 0);
        match to.language {
            Language::Jax if whole_bytes && !from.is_complex() && !into.is_complex() => {
                Some(format!("lax.bitcast_convert_type({x}, {name})").into())
            }
            Language::NumPy if whole_bytes && from.bits() == into.bits() => {
                Some(format!("{x}.view({name})").into())
            }
            _ => None,
        }
    }
}
