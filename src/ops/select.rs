//! `select`: see [`Select`].

use super::{Body, Category, Example, Infer, OpDef, OpError, OpMeta, Operands, Role, Rule};
use crate::array::{ElementType, Shape, Value};
use crate::i18n::Message;

/// Takes every element from one of two arrays, as a predicate says.
///
/// A scalar predicate takes all of one array. In 2017 it could choose between tuples too; today's XLA takes arrays
/// only. Source: "Select" of the documents; `ShapeInference::InferSelectShape`.
pub struct Select;

static META: OpMeta = OpMeta {
    opcode: "select",
    title: "Select",
    category: Category::Movement,
    summary: "op-select",
    formula: "out[i] = predicate[i] ? on_true[i] : on_false[i]",
    operands: Operands::exactly(&["predicate", "on_true", "on_false"]),
    argument: None,
    attrs: &[],
    rules: &[
        Rule {
            label: "select-1",
            says: "rule-pred",
            broken_by: "p = s32[2] parameter(0) ROOT r = select(p, p, p)",
        },
        Rule {
            label: "select-2",
            says: "rule-same-shape",
            broken_by: "p = pred[3] parameter(0) x = f32[3] parameter(1) y = f32[4] parameter(2) ROOT r = select(p, x, y)",
        },
        Rule {
            label: "select-3",
            says: "rule-select-sizes",
            broken_by: "p = pred[3] parameter(0) x = f32[] parameter(1) ROOT r = select(p, x, x)",
        },
    ],
    examples: &[Example {
        hlo: "p = pred[4] constant({1, 0, 0, 1}) a = s32[4] constant({1, 2, 3, 4}) b = s32[4] constant({100, 200, 300, 400})
              ROOT r = select(p, a, b)",
        result: "s32[4] {1, 200, 300, 4}",
    }],
};

impl OpDef for Select {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &Infer) -> Result<Shape, OpError> {
        let (predicate, on_true, on_false) = (cx.array(0)?, cx.array(1)?, cx.array(2)?);
        if predicate.element_type != ElementType::Pred {
            let message = Message::engine("op-pred").with("shape", predicate.human_string());
            return Err(cx.error("select-1", message).at_operand(0));
        }
        if on_true.element_type != on_false.element_type || on_true.dimensions != on_false.dimensions {
            return Err(cx.other_sizes("select-2", 2, 1));
        }
        if predicate.rank() != 0 && predicate.dimensions != on_true.dimensions {
            return Err(cx.other_sizes("select-3", 0, 1));
        }
        Ok(Shape::Array(on_true.clone()))
    }

    fn bind(&self, cx: &Infer) -> Result<Body, OpError> {
        let is_scalar = cx.array(0)?.rank() == 0;
        Ok(Body::cell(move |out, read| {
            let at = if is_scalar { &[] } else { out };
            let taken = if read.get(0, at, Role::Choice) == Value::Pred(true) { 1 } else { 2 };
            read.get(taken, out, Role::Value)
        }))
    }
}
