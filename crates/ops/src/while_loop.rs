//! `while`: see [`While`].

use std::collections::BTreeMap;

use super::call::check_shapes;
use super::data::operand;
use super::{
    AttrKind, AttrSpec, Category, CellAt, CellOrigin, Change, ComputationId, Data, EditionExample, Example,
    ExampleOutcome, ExportContext, Expression, Formula, History, Language, OpContext, OpDef, OpError,
    OpFuture, OpMeta, Operands, RandomPosition, Role, Rule, Semantics, Source, SuspendingOp, SuspendingRun,
};
use xla_array::{ElementType, Shape, Value};
use xla_messages::i18n::Message;

/// Repeats `body` on a value while `condition` is true for it.
///
/// The result is the value after the last iteration, or the operand if the condition is false initially. Every iteration
/// charges a step to the budget; an endless loop fails with `budget-steps`. A result cell's provenance goes back
/// through all iterations, and includes the cells that the conditions read, since they decide their number. Source:
/// "While" of XLA's operation semantics; `ShapeInference::InferWhileShape`.
pub struct While;

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: None,
    v2017: "then-while",
    current: "now-while",
    example: EditionExample {
        title: "difference-while",
        hlo: "n = s32[] constant(0)
              ROOT r = while(n),
              condition={ a = s32[] parameter(0) ten = s32[] constant(10) ROOT c = compare(a, ten), direction=LT },
              body={
                b = s32[] parameter(0)
                inner = while(b),
                condition={ a = s32[] parameter(0) five = s32[] constant(5) ROOT c = compare(a, five), direction=LT },
                body={ d = s32[] parameter(0) one = s32[] constant(1) ROOT e = add(d, one) }
                one = s32[] constant(1) ROOT next = add(inner, one) }",
        v2017: ExampleOutcome::Error("while-nested"),
        current: ExampleOutcome::Value("s32[] 10"),
    },
};

static META: OpMeta = OpMeta {
    opcode: "while",
    title: "While",
    search_terms: &[],
    sections: &["While"],
    category: Category::Control,
    history: History::changed(&CHANGE),
    summary: "op-while",
    formula: Formula::Symbols("out = operand; while condition(out): out = body(out)"),
    operands: Operands::exactly(&["init"]),
    inline_attr: None,
    attrs: &[
        AttrSpec::required("condition", AttrKind::Computation, "attr-condition"),
        AttrSpec::required("body", AttrKind::Computation, "attr-body"),
    ],
    rules: &[
        Rule {
            identifier: "while-1",
            description: "rule-while-condition",
            violated_by: "x = s32[] parameter(0)
                        ROOT r = while(x), condition={ a = s32[] parameter(0) }, body={ b = s32[] parameter(0) }",
        },
        Rule {
            identifier: "while-2",
            description: "rule-while-shapes",
            violated_by: "x = s32[] parameter(0)
                        ROOT r = while(x), condition={ a = s32[] parameter(0) ROOT p = pred[] constant(true) },
                        body={ b = s32[] parameter(0) ROOT c = f32[] convert(b) }",
        },
    ],
    examples: &[
Example {
 title: "shows-doubling",
        hlo: "x = s32[] constant(1)
              ROOT r = while(x),
              condition={ a = s32[] parameter(0) limit = s32[] constant(100) ROOT c = compare(a, limit), direction=LT },
              body={ b = s32[] parameter(0) ROOT d = add(b, b) }",
        result: "s32[] 128",
    },
Example {
 title: "shows-counting",
        hlo: "n = s32[] constant(0) v = f32[10] constant({0,0,0,0,0,0,0,0,0,0}) t = tuple(n, v)
              ROOT r = while(t),
              condition={
                a = (s32[], f32[10]) parameter(0) i = get-tuple-element(a), index=0
                limit = s32[] constant(1000) ROOT c = compare(i, limit), direction=LT },
              body={
                b = (s32[], f32[10]) parameter(0)
                i = get-tuple-element(b), index=0 one = s32[] constant(1) next = add(i, one)
                w = get-tuple-element(b), index=1 ones = f32[10] constant({1,1,1,1,1,1,1,1,1,1}) sum = add(w, ones)
                ROOT u = tuple(next, sum) }",
        result: "(s32[], f32[10]) ( 1000, {1000,1000,1000,1000,1000,1000,1000,1000,1000,1000} )",
    },
Example {
 title: "shows-counting-to-five",
        hlo: "x = s32[] constant(0)
              ROOT r = while(x),
              condition={ a = s32[] parameter(0) limit = s32[] constant(5) ROOT c = compare(a, limit), direction=LT },
              body={ b = s32[] parameter(0) one = s32[] constant(1) ROOT next = add(b, one) }",
        result: "s32[] 5",
    },
],
};

struct BoundWhile {
    condition: ComputationId,
    body: ComputationId,
}

impl BoundWhile {
    /// The value after the last iteration. If `states` is given, pushes the value of each evaluation of the condition.
    /// In iteration `i`, the condition is call 2i and the body is call 2i + 1.
    async fn run(
        &self,
        operands: &[Data],
        run: &mut dyn SuspendingRun,
        mut states: Option<&mut Vec<State>>,
    ) -> Result<Data, OpError> {
        let mut value = operand("while", operands, 0)?.clone();
        let mut calls = 0;
        loop {
            run.spend(1)?;
            let before_condition = run.random_position();
            let condition = run.call(calls, self.condition, std::slice::from_ref(&value)).await?;
            if let Some(states) = &mut states {
                run.reserve_bytes(size_of::<State>() as u64 + STATE_BYTES)?;
                states.push(State {
                    value: value.clone(),
                    before_condition,
                    before_body: run.random_position(),
                });
            }
            if condition.as_array().and_then(|array| array.get(&[])) != Some(Value::Pred(true)) {
                return Ok(value);
            }
            value = run.call(calls + 1, self.body, std::slice::from_ref(&value)).await?;
            calls += 2;
        }
    }

    /// The cells of the operand that a result cell came from, including those that the conditions read.
    async fn cell_sources(
        &self,
        operands: &[Data],
        cell: &CellAt,
        run: &mut dyn SuspendingRun,
    ) -> Result<Vec<Source>, OpError> {
        let mut states = Vec::new();
        self.run(operands, run, Some(&mut states)).await?;
        // Trace backwards from the last iteration: the source cells in the value before each.
        let mut cells = BTreeMap::from([(cell.clone(), Role::Value)]);
        let condition_cell = CellAt::array(&[]);
        for (i, state) in (0..states.len() as u64).zip(&states).collect::<Vec<_>>().into_iter().rev() {
            let value = std::slice::from_ref(&state.value);
            if i + 1 < states.len() as u64 {
                let mut previous = BTreeMap::new();
                for (cell, role) in &cells {
                    run.rewind(state.before_body);
                    for source in run.trace(2 * i + 1, self.body, value, cell).await? {
                        let found = previous.entry(source.cell).or_insert(*role);
                        *found = (*found).min(*role);
                    }
                }
                cells = previous;
            }
            run.rewind(state.before_condition);
            for source in run.trace(2 * i, self.condition, value, &condition_cell).await? {
                cells.entry(source.cell).or_insert(Role::Choice);
            }
            run.spend(cells.len() as u64)?;
        }
        Ok(cells.into_iter().map(|(cell, role)| Source { operand: 0, cell, role }).collect())
    }
}

/// Estimated bytes of a recorded value, without its arrays, which are charged when they are allocated.
const STATE_BYTES: u64 = 512;

/// The value before an iteration, with the random positions before its condition and before its body.
struct State {
    value: Data,
    before_condition: RandomPosition,
    before_body: RandomPosition,
}

impl SuspendingOp for BoundWhile {
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn SuspendingRun) -> OpFuture<'a, Data> {
        Box::pin(self.run(operands, run, None))
    }

    fn sources<'a>(
        &'a self,
        operands: &'a [Data],
        cell: &'a CellAt,
        run: &'a mut dyn SuspendingRun,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(self.cell_sources(operands, cell, run))
    }

    fn parameter_origin(&self, _: &[Data], nth: u64, _: usize, cell: &CellAt) -> CellOrigin {
        match nth.checked_sub(2) {
            // The result of the body in the previous iteration.
            Some(before) => CellOrigin::Result(before | 1, self.body, cell.clone()),
            None => CellOrigin::Operand(0, cell.clone()),
        }
    }

    fn result_origins(
        &self,
        _: &[Data],
        calls: &mut dyn FnMut() -> Result<u64, OpError>,
        cell: &CellAt,
    ) -> Result<Vec<CellOrigin>, OpError> {
        // The last call is of the condition, which is false; the one before is of the body.
        Ok(vec![match calls()?.checked_sub(2) {
            Some(last) => CellOrigin::Result(last, self.body, cell.clone()),
            None => CellOrigin::Operand(0, cell.clone()),
        }])
    }
}

/// A Python function, because Python has no expression for a loop.
const WHILE_LOOP: &str = "\
def while_loop(condition, body, value):
    while condition(value):
        value = body(value)
    return value
";

impl OpDef for While {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let init = cx.operand(0)?;
        let (condition_name, condition) = cx.signature("condition")?;
        let is_pred = |shape: &Shape| {
            shape.as_array().is_some_and(|array| array.rank() == 0 && array.element_type == ElementType::Pred)
        };
        if !is_pred(&condition.result) {
            let message = Message::ops("op-while-condition")
                .with("name", condition_name)
                .with("found", condition.result.human_string());
            return Err(cx.error("while-1", message).at_attr("condition"));
        }
        let (body_name, body) = cx.signature("body")?;
        for (name, attr, parameters) in
            [(condition_name, "condition", &condition.parameters), (body_name, "body", &body.parameters)]
        {
            check_shapes(cx, "while-2", attr, name, std::slice::from_ref(init), parameters)?;
        }
        check_shapes(
            cx,
            "while-2",
            "body",
            body_name,
            std::slice::from_ref(init),
            std::slice::from_ref(&body.result),
        )?;
        Ok(init.clone())
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let (condition, body) = (cx.computation("condition")?, cx.computation("body")?);
        Ok(Semantics::Suspending(Box::new(BoundWhile { condition, body })))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (condition, body) = (to.function("condition")?, to.function("body")?);
        let init = to.name(0);
        let text = match to.language {
            Language::Rust => format!("b.while_({condition}, {body}, {init})"),
            Language::Jax => format!("lax.while_loop({condition}, {body}, {init})"),
            Language::NumPy => format!("while_loop({condition}, {body}, {init})"),
        };
        let prelude = if to.language == Language::NumPy { WHILE_LOOP } else { "" };
        Some(Expression { text, prelude })
    }
}
