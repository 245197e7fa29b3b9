//! `compare`: see [`Compare`].

use std::cmp::Ordering;

use super::tasks::{self, Fallback, PlannedTask, TaskContext};
use super::{
    AttrKind, AttrSpec, Category, Change, EditionExample, Example, ExampleOutcome, ExportContext, Expression,
    Formula, History, Language, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Semantics,
};
use xla_array::{Class, ElementType, Shape, Value};
use xla_kernels::Task;
use xla_kernels::task::Map;
use xla_messages::i18n::Message;

/// Compares two arrays element by element (`Eq Ne Ge Gt Le Lt`).
///
/// Comparisons with NaN are false except `NE`; with `type=TOTALORDER`, -NaN < -inf < … < -0 < +0 < … < inf < NaN.
/// Complex numbers are unordered. Source: XLA's operation semantics, "Element-wise comparison operations".
pub struct Compare;

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: None,
    v2017: "then-compare",
    current: "now-compare",
    example: EditionExample {
        title: "difference-compare",
        hlo: "a = f32[2] constant({nan, -0.0}) b = f32[2] constant({1, 0})
              ROOT r = compare(a, b), direction=GT, type=TOTALORDER",
        v2017: ExampleOutcome::Error("edition-attribute"),
        current: ExampleOutcome::Value("pred[2] {1, 0}"),
    },
};

static META: OpMeta = OpMeta {
    opcode: "compare",
    title: "Compare",
    search_terms: &["Eq", "Ne", "Ge", "Gt", "Le", "Lt"],
    sections: &["Compare"],
    category: Category::Binary,
    history: History::changed(&CHANGE),
    summary: "op-compare",
    formula: Formula::Symbols("out[i] = lhs[i] direction rhs[i]"),
    operands: Operands::exactly(&["lhs", "rhs"]),
    inline_attr: None,
    attrs: &[
        AttrSpec::required(
            "direction",
            AttrKind::Keyword(&["EQ", "NE", "GE", "GT", "LE", "LT"]),
            "attr-direction",
        ),
        AttrSpec::optional(
            "type",
            AttrKind::Keyword(&["FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"]),
            "attr-compare-type",
        )
        .current_only(),
    ],
    rules: &[
        Rule {
            identifier: "compare-1",
            description: "rule-same-type",
            violated_by: "x = f32[2] parameter(0) y = s32[2] parameter(1) ROOT r = compare(x, y), direction=LT",
        },
        Rule {
            identifier: "compare-2",
            description: "rule-same-sizes",
            violated_by: "x = f32[3] parameter(0) y = f32[4] parameter(1) ROOT r = compare(x, y), direction=LT",
        },
        Rule {
            identifier: "compare-3",
            description: "rule-compare-complex",
            violated_by: "x = c64[3] parameter(0) ROOT r = compare(x, x), direction=LT",
        },
        Rule {
            identifier: "compare-4",
            description: "rule-compare-type",
            violated_by: "x = f32[3] parameter(0) ROOT r = compare(x, x), direction=LT, type=UNSIGNED",
        },
    ],
    examples: &[
        Example {
            title: "shows-less",
            hlo: "x = s32[4] constant({1, 5, 3, 2}) y = s32[4] constant({2, 4, 3, 2}) ROOT r = compare(x, y), direction=LT",
            result: "pred[4] {1, 0, 0, 0}",
        },
        Example {
            title: "shows-nan-zero",
            hlo: "x = f32[3] constant({1, nan, -0.0}) y = f32[3] constant({2, nan, 0}) ROOT r = compare(x, y), direction=LT",
            result: "pred[3] {1, 0, 0}",
        },
        Example {
            title: "shows-total-order",
            hlo: "x = f32[2] constant({nan, -0.0}) y = f32[2] constant({inf, 0})
                  ROOT r = compare(x, y), direction=GT, type=TOTALORDER",
            result: "pred[2] {1, 0}",
        },
    ],
};

/// The default type of a comparison.
fn default_type(element_type: ElementType) -> &'static str {
    match element_type.class() {
        Class::Float | Class::Complex => "FLOAT",
        Class::Signed => "SIGNED",
        Class::Boolean | Class::Unsigned => "UNSIGNED",
    }
}

/// Compares two values of the same type; `None` if they are unordered: NaN, or different complex numbers.
fn compare(a: Value, b: Value, is_total_order: bool) -> Option<Ordering> {
    match (a, b) {
        (Value::Pred(a), Value::Pred(b)) => Some(a.cmp(&b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(&b)),
        (Value::Uint(a), Value::Uint(b)) => Some(a.cmp(&b)),
        (Value::Float(a), Value::Float(b)) if is_total_order => Some(a.total_cmp(&b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b),
        _ => (a == b).then_some(Ordering::Equal),
    }
}

impl OpDef for Compare {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (a, b) = (cx.array(0)?, cx.array(1)?);
        if a.element_type != b.element_type {
            return Err(cx.type_mismatch("compare-1", 1));
        }
        if a.dimensions != b.dimensions {
            return Err(cx.size_mismatch("compare-2", 1, 0));
        }
        // Reported as missing, if it is.
        let direction = cx.keyword("direction").unwrap_or("EQ");
        if a.element_type.is_complex() && !matches!(direction, "EQ" | "NE") {
            let message = Message::ops("op-compare-complex").with("direction", direction);
            return Err(cx
                .error("compare-3", message)
                .at_attr("direction")
                .with_fix(OpPart::Attr("direction"), "EQ"));
        }
        let default = default_type(a.element_type);
        if let Some(found) = cx.keyword("type")
            && found != default
            && !(found == "TOTALORDER" && a.element_type.is_floating())
        {
            let message = Message::ops("op-compare-type")
                .with("found", found)
                .with("expected", default)
                .with("type", a.element_type.name());
            return Err(cx
                .error("compare-4", message)
                .at_attr("type")
                .with_fix(OpPart::Attr("type"), default));
        }
        let mut shape = a.clone();
        shape.element_type = ElementType::Pred;
        Ok(Shape::Array(shape))
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        let is_total_order = context.cx.keyword("type") == Some("TOTALORDER");
        let direction = tasks::direction(context.cx.keyword("direction")).filter(|_| !is_total_order);
        let f = direction.ok_or(Fallback::NoKernel)?;
        let task =
            Task::Compare(Map { operands: [context.array(0)?, context.array(1)?], out: context.out()?, f });
        Ok(PlannedTask { task, reads: vec![0, 1] })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let direction = cx.keyword("direction").unwrap_or("EQ");
        let is_total_order = cx.keyword("type") == Some("TOTALORDER");
        let satisfies: fn(Option<Ordering>) -> bool = match direction {
            "NE" => |o| o != Some(Ordering::Equal),
            "GE" => |o| matches!(o, Some(Ordering::Greater | Ordering::Equal)),
            "GT" => |o| o == Some(Ordering::Greater),
            "LE" => |o| matches!(o, Some(Ordering::Less | Ordering::Equal)),
            "LT" => |o| o == Some(Ordering::Less),
            _ => |o| o == Some(Ordering::Equal),
        };
        Ok(Semantics::per_element(move |out, read| {
            let a = read.get(0, out, Role::Lhs);
            let b = read.get(1, out, Role::Rhs);
            Value::Pred(satisfies(compare(a, b, is_total_order)))
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let direction = to.cx.keyword("direction")?;
        if to.cx.keyword("type") == Some("TOTALORDER") {
            return None;
        }
        let operands = to.joined_names();
        let numpy = match direction {
            "EQ" => "equal",
            "NE" => "not_equal",
            "GE" => "greater_equal",
            "GT" => "greater",
            "LE" => "less_equal",
            _ => "less",
        };
        match to.language {
            Language::Rust if to.cx.keyword("type").is_none() => {
                Some(format!("b.{}({operands}, &[])", direction.to_lowercase()).into())
            }
            Language::Rust => None,
            Language::Jax => Some(format!("lax.{}({operands})", direction.to_lowercase()).into()),
            Language::NumPy => Some(format!("np.{numpy}({operands})").into()),
        }
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        name == "type" && cx.array(0).is_ok_and(|a| cx.keyword("type") == Some(default_type(a.element_type)))
    }
}
