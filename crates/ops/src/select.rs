//! `select`: see [`Select`].

use super::data::operand;
use super::tasks::{Fallback, PlannedTask, TaskContext};
use super::{
    Category, CellAt, Change, Data, EagerOp, EditionExample, Example, ExampleOutcome, ExportContext,
    Expression, Formula, History, Language, OpContext, OpDef, OpError, OpMeta, Operands, Role, Rule, Run,
    Semantics, Source,
};
use xla_array::{Edition, ElementType, Shape, Value, shape_util};
use xla_kernels::Task;
use xla_kernels::task::Map;
use xla_messages::i18n::Message;

/// Selects each element from one of two arrays, by a predicate.
///
/// A scalar predicate selects a whole array. XLA 2017 also selects between tuples, current XLA only arrays. Source:
/// XLA's operation semantics, "Select"; `ShapeInference::InferSelectShape`.
pub struct Select;

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: None,
    v2017: "then-select",
    current: "now-select",
    example: EditionExample {
        title: "difference-select",
        hlo: "p = pred[] constant(false) x = s32[2] constant({1, 2}) y = s32[2] constant({3, 4})
              t = tuple(x, y) u = tuple(y, x) ROOT r = select(p, t, u)",
        v2017: ExampleOutcome::Value("(s32[2], s32[2]) ( {3, 4}, {1, 2} )"),
        current: ExampleOutcome::Error("operand-array"),
    },
};

static META: OpMeta = OpMeta {
    opcode: "select",
    title: "Select",
    search_terms: &[],
    sections: &["Select"],
    category: Category::Movement,
    history: History::changed(&CHANGE),
    summary: "op-select",
    formula: Formula::Symbols("out[i] = predicate[i] ? on_true[i] : on_false[i]"),
    operands: Operands::exactly(&["predicate", "on_true", "on_false"]),
    inline_attr: None,
    attrs: &[],
    rules: &[
        Rule {
            identifier: "select-1",
            description: "rule-pred",
            violated_by: "p = s32[2] parameter(0) ROOT r = select(p, p, p)",
        },
        Rule {
            identifier: "select-2",
            description: "rule-same-shape",
            violated_by: "p = pred[3] parameter(0) x = f32[3] parameter(1) y = f32[4] parameter(2) ROOT r = select(p, x, y)",
        },
        Rule {
            identifier: "select-3",
            description: "rule-select-sizes",
            violated_by: "p = pred[3] parameter(0) x = f32[] parameter(1) ROOT r = select(p, x, x)",
        },
    ],
    examples: &[
        Example {
            title: "shows-choose-each",
            hlo: "p = pred[4] constant({1, 0, 0, 1}) a = s32[4] constant({1, 2, 3, 4})
                  b = s32[4] constant({100, 200, 300, 400}) ROOT r = select(p, a, b)",
            result: "s32[4] {1, 200, 300, 4}",
        },
        Example {
            title: "shows-choose-all",
            hlo: "p = pred[] constant(true) a = s32[4] constant({1, 2, 3, 4})
                  b = s32[4] constant({100, 200, 300, 400}) ROOT r = select(p, a, b)",
            result: "s32[4] {1, 2, 3, 4}",
        },
    ],
};

/// A scalar predicate that selects one of two tuples, as in 2017.
struct TupleSelect;

impl TupleSelect {
    fn selected_operand(operands: &[Data]) -> usize {
        let predicate = operands.first().and_then(Data::as_array).and_then(|array| array.get(&[]));
        if predicate == Some(Value::Pred(true)) { 1 } else { 2 }
    }
}

impl EagerOp for TupleSelect {
    fn evaluate(&self, operands: &[Data], _: &mut dyn Run) -> Result<Data, OpError> {
        operand("select", operands, Self::selected_operand(operands)).cloned()
    }

    fn sources(&self, operands: &[Data], cell: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let choice = Source { operand: 0, cell: CellAt::array(&[]), role: Role::Choice };
        let selected =
            Source { operand: Self::selected_operand(operands), cell: cell.clone(), role: Role::Value };
        Ok(vec![choice, selected])
    }
}

/// Whether it selects between tuples, as in XLA 2017.
fn selects_tuples(cx: &OpContext) -> Result<bool, OpError> {
    Ok(cx.edition == Edition::V2017 && cx.operand(1)?.as_tuple().is_some())
}

impl OpDef for Select {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let predicate = cx.array(0)?;
        if predicate.element_type != ElementType::Pred {
            let message = Message::ops("op-pred").with("shape", predicate.human_string());
            return Err(cx.error("select-1", message).at_operand(0));
        }
        if selects_tuples(cx)? {
            if !shape_util::compatible(cx.operand(1)?, cx.operand(2)?) {
                return Err(cx.size_mismatch("select-2", 2, 1));
            }
            if predicate.rank() != 0 {
                return Err(cx.size_mismatch("select-3", 0, 1));
            }
            return cx.operand(1).cloned();
        }
        let (on_true, on_false) = (cx.array(1)?, cx.array(2)?);
        if on_true.element_type != on_false.element_type || on_true.dimensions != on_false.dimensions {
            return Err(cx.size_mismatch("select-2", 2, 1));
        }
        if predicate.rank() != 0 && predicate.dimensions != on_true.dimensions {
            return Err(cx.size_mismatch("select-3", 0, 1));
        }
        Ok(Shape::Array(on_true.clone()))
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        let operands = [context.broadcast_array(0)?, context.array(1)?, context.array(2)?];
        let task = Task::Select(Map { operands, out: context.out()?, f: xla_kernels::task::Select });
        Ok(PlannedTask { task, reads: vec![0, 1, 2] })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        if selects_tuples(cx)? {
            return Ok(Semantics::Eager(Box::new(TupleSelect)));
        }
        let is_scalar = cx.array(0)?.rank() == 0;
        Ok(Semantics::per_element(move |out, read| {
            let at = if is_scalar { &[] } else { out };
            let selected = if read.get(0, at, Role::Choice) == Value::Pred(true) { 1 } else { 2 };
            read.get(selected, out, Role::Value)
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let operands = to.joined_names();
        to.result()?;
        let text = match to.language {
            Language::Rust => format!("b.select({operands})"),
            Language::Jax => format!("lax.select({operands})"),
            Language::NumPy => format!("np.where({operands})"),
        };
        Some(text.into())
    }
}
