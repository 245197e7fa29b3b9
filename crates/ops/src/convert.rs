//! Conversions to another element type.

use super::tasks::{Fallback, PlannedTask, TaskContext};
use super::{
    Category, Change, EditionExample, Example, ExampleOutcome, ExportContext, Expression, Formula, History,
    Language, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Semantics,
};
use xla_array::{Class, Edition, ElementType, Shape};
use xla_kernels::Task;
use xla_kernels::task::Map;
use xla_messages::i18n::Message;

/// Converts every element to another type (`ConvertElementType`).
///
/// Float to integer truncates and saturates, NaN becomes 0; integer to integer keeps the low bits; conversions to
/// floats round to nearest even; to `pred` is `x != 0`. XLA 2017 extended integers by the signedness of the new type
/// (`u8` 200 to `s32` was -56), current XLA by that of the operand. The result shape must be explicit. Source: XLA's operation
/// semantics, `ConvertElementType`; [`Value::convert`](xla_array::Value::convert) has the rules.
pub struct Convert;

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: None,
    v2017: "then-convert",
    current: "now-convert",
    example: EditionExample {
        title: "difference-convert",
        hlo: "x = u8[2] constant({200, 7}) ROOT r = s32[2] convert(x)",
        v2017: ExampleOutcome::Value("s32[2] {-56, 7}"),
        current: ExampleOutcome::Value("s32[2] {200, 7}"),
    },
};

static META: OpMeta = OpMeta {
    opcode: "convert",
    title: "ConvertElementType",
    search_terms: &[],
    sections: &["ConvertElementType"],
    category: Category::Conversion,
    history: History::changed(&CHANGE),
    summary: "op-convert",
    formula: Formula::Symbols("out[i] = T(operand[i])"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[],
    rules: &[Rule {
        identifier: "convert-1",
        description: "rule-same-sizes",
        violated_by: "x = f32[2,3] parameter(0) ROOT r = s32[3,2] convert(x)",
    }],
    examples: &[
        Example {
            title: "shows-truncated",
            hlo: "a = f32[4] constant({1.7, -1.7, 2.5, 3}) ROOT b = s32[4] convert(a)",
            result: "s32[4] {1, -1, 2, 3}",
        },
        Example {
            title: "shows-integers-to-floats",
            hlo: "a = s32[3] constant({0, 1, 2}) ROOT b = f32[3] convert(a)",
            result: "f32[3] {0, 1, 2}",
        },
        Example {
            title: "shows-saturated",
            hlo: "a = f32[4] constant({-1.7, 300, nan, 2.5}) ROOT b = u8[4] convert(a)",
            result: "u8[4] {0, 255, 0, 2}",
        },
    ],
};

/// The integer type with the width of `of` and the signedness of `to`.
fn with_signedness_of(width: ElementType, to: ElementType) -> Option<ElementType> {
    let sign = if to.class() == Class::Signed { 's' } else { 'u' };
    ElementType::from_name(&format!("{sign}{}", width.bits()))
}

impl OpDef for Convert {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, result) = (cx.array(0)?, cx.explicit_result_array()?);
        if operand.dimensions != result.dimensions {
            let message = Message::ops("op-convert-sizes")
                .with("operand", operand.human_string())
                .with("result", result.human_string());
            let mut fixed = operand.clone();
            fixed.element_type = result.element_type;
            let fix = fixed.human_string();
            return Err(cx.error("convert-1", message).at(OpPart::Result).with_fix(OpPart::Result, fix));
        }
        Ok(Shape::Array(result.clone()))
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        context.require_current_edition()?;
        let task = Task::Convert(Map {
            operands: [context.array(0)?],
            out: context.out()?,
            f: xla_kernels::task::Convert,
        });
        Ok(PlannedTask { task, reads: vec![0] })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let (from, to) = (cx.array(0)?.element_type, cx.explicit_result_array()?.element_type);
        let widens = from.is_integral() && to.is_integral() && to.bits() > from.bits();
        if let Some(intermediate) =
            with_signedness_of(from, to).filter(|_| widens && cx.edition == Edition::V2017)
        {
            return Ok(Semantics::per_element(move |out, read| {
                read.get(0, out, Role::Value).convert(intermediate).convert(to)
            }));
        }
        Ok(Semantics::per_element(move |out, read| read.get(0, out, Role::Value).convert(to)))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (x, from, into) = (to.name(0), to.array(0)?.element_type, to.result()?.element_type);
        let name = to.dtype(into)?;
        match to.language {
            Language::Rust => Some(format!("b.convert_element_type({x}, ElementType::{name})").into()),
            Language::Jax => Some(format!("lax.convert_element_type({x}, {name})").into()),
            // In NumPy, a float that does not fit into an integer has an undefined result, and lost imaginary parts
            // cause a warning.
            Language::NumPy if from.is_floating() && into.is_integral() => None,
            Language::NumPy if from.is_complex() && !into.is_complex() => None,
            Language::NumPy => Some(format!("{x}.astype({name})").into()),
        }
    }
}
