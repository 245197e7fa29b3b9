//! `clamp`: see [`Clamp`].

use super::tasks::{Fallback, PlannedTask, TaskContext};
use super::{
    Category, Change, EditionExample, Example, ExampleOutcome, ExportContext, Expression, Formula, History,
    Language, OpContext, OpDef, OpError, OpMeta, Operands, Role, Rule, Semantics,
};
use xla_array::{Edition, Shape, Value};
use xla_kernels::Task;
use xla_kernels::task::Map;

/// Clamps every element to a lower bound, then to an upper bound, which wins if the bounds cross.
///
/// The result is NaN if an argument is NaN: the NaN of the lower bound, else of the operand, else of the upper bound.
/// XLA 2017 ignored NaN. Bounds are scalars or have the operand's sizes. Source: `ShapeInference::InferClampShape`.
pub struct Clamp;

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: None,
    v2017: "then-clamp",
    current: "now-clamp",
    example: EditionExample {
        title: "difference-nan",
        hlo: "low = f32[] constant(0) x = f32[3] constant({-1, nan, 5}) high = f32[] constant(3)
              ROOT r = clamp(low, x, high)",
        v2017: ExampleOutcome::Value("f32[3] {0, 0, 3}"),
        current: ExampleOutcome::Value("f32[3] {0, nan, 3}"),
    },
};

static META: OpMeta = OpMeta {
    opcode: "clamp",
    title: "Clamp",
    search_terms: &["clip", "relu6"],
    sections: &["Clamp"],
    // With the unary ops: the bounds are usually constants.
    category: Category::Binary,
    history: History::changed(&CHANGE),
    summary: "op-clamp",
    formula: Formula::Symbols("out[i] = min(max(low[i], operand[i]), high[i])"),
    operands: Operands::exactly(&["low", "operand", "high"]),
    inline_attr: None,
    attrs: &[],
    rules: &[
        Rule {
            identifier: "clamp-1",
            description: "rule-same-type",
            violated_by: "l = f32[] parameter(0) x = f32[3] parameter(1) h = s32[] parameter(2) ROOT r = clamp(l, x, h)",
        },
        Rule {
            identifier: "clamp-2",
            description: "rule-clamp-sizes",
            violated_by: "l = f32[4] parameter(0) x = f32[3] parameter(1) ROOT r = clamp(l, x, l)",
        },
        Rule {
            identifier: "clamp-3",
            description: "rule-ordered",
            violated_by: "x = c64[3] parameter(0) ROOT r = clamp(x, x, x)",
        },
    ],
    examples: &[Example {
        title: "shows-clamped",
        hlo: "l = s32[] constant(0) x = s32[4] constant({-5, 3, 9, 6}) h = s32[] constant(6) ROOT r = clamp(l, x, h)",
        result: "s32[4] {0, 3, 6, 6}",
    }],
};

/// Whether `a < b`, with -0 below 0. Both have one type, and neither is NaN.
fn is_less(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Pred(a), Value::Pred(b)) => !a & b,
        (Value::Int(a), Value::Int(b)) => a < b,
        (Value::Uint(a), Value::Uint(b)) => a < b,
        (Value::Float(a), Value::Float(b)) => {
            a < b || a <= b && a.is_sign_negative() && !b.is_sign_negative()
        }
        _ => false,
    }
}

/// The minimum (`is_min`) or maximum of two values, with the NaN rules of the edition.
fn min_or_max(edition: Edition, a: Value, b: Value, is_min: bool) -> Value {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => {
            if edition == Edition::Current {
                a
            } else {
                b
            }
        }
        (_, true) => {
            if edition == Edition::Current {
                b
            } else {
                a
            }
        }
        _ => {
            if is_less(b, a) == is_min {
                b
            } else {
                a
            }
        }
    }
}

impl OpDef for Clamp {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let operand = cx.array(1)?;
        for i in [0, 2] {
            let bound = cx.array(i)?;
            if bound.element_type != operand.element_type {
                // The message compares with operand 0.
                return Err(cx.type_mismatch("clamp-1", if i == 0 { 1 } else { i }));
            }
            if bound.rank() != 0 && bound.dimensions != operand.dimensions {
                return Err(cx.size_mismatch("clamp-2", i, 1));
            }
        }
        if operand.element_type.is_complex() {
            let message =
                xla_messages::i18n::Message::ops("op-ordered").with("found", operand.element_type.name());
            return Err(cx.error("clamp-3", message).at_operand(1));
        }
        Ok(Shape::Array(operand.clone()))
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        context.require_current_edition()?;
        let operands = [context.broadcast_array(0)?, context.array(1)?, context.broadcast_array(2)?];
        let task = Task::Clamp(Map { operands, out: context.out()?, f: xla_kernels::task::Clamp });
        Ok(PlannedTask { task, reads: vec![0, 1, 2] })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let edition = cx.edition;
        let are_scalar = [cx.array(0)?.rank() == 0, cx.array(2)?.rank() == 0];
        Ok(Semantics::per_element(move |out, read| {
            let bound_index = |is_scalar: bool| if is_scalar { &[] } else { out };
            let low = read.get(0, bound_index(are_scalar[0]), Role::Low);
            let value = read.get(1, out, Role::Value);
            let high = read.get(2, bound_index(are_scalar[1]), Role::High);
            min_or_max(edition, min_or_max(edition, low, value, false), high, true)
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (low, x, high) = (to.name(0), to.name(1), to.name(2));
        match to.language {
            Language::Rust => None,
            Language::Jax => Some(format!("lax.clamp({low}, {x}, {high})").into()),
            Language::NumPy => Some(format!("np.minimum(np.maximum({low}, {x}), {high})").into()),
        }
    }
}
