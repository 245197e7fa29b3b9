//! `while`: see [`While`].

use std::collections::BTreeSet;

use super::call::same_shapes;
use super::{
    AttrKind, AttrSpec, Body, Caller, Calls, Category, CellAt, Code, Coding, ComputationId, Data, Drawn,
    Entered, Example, Infer, Language, Later, OpDef, OpError, OpMeta, Operands, Role, Rule, Source,
};
use crate::array::{ElementType, Shape, Value};
use crate::i18n::Message;

/// Runs `body` on a value, again and again, as long as `condition` holds of it.
///
/// The result is the value after the last run, or the operand where the condition does not hold at once. Every
/// call takes a step out of the budget, so that a loop without end ends with `budget-steps`. A result cell's
/// provenance goes back through every iteration; what only the condition reads is no part of it. Source: "While" of
/// the documents; `ShapeInference::InferWhileShape`.
pub struct While;

static META: OpMeta = OpMeta {
    opcode: "while",
    title: "While",
    category: Category::Control,
    summary: "op-while",
    formula: "out = operand; while condition(out): out = body(out)",
    operands: Operands::exactly(&["init"]),
    argument: None,
    attrs: &[
        AttrSpec::required("condition", AttrKind::Computation, "attr-condition"),
        AttrSpec::required("body", AttrKind::Computation, "attr-body"),
    ],
    rules: &[
        Rule {
            label: "while-1",
            says: "rule-while-condition",
            broken_by: "x = s32[] parameter(0)
                        ROOT r = while(x), condition={ a = s32[] parameter(0) }, body={ b = s32[] parameter(0) }",
        },
        Rule {
            label: "while-2",
            says: "rule-while-shapes",
            broken_by: "x = s32[] parameter(0)
                        ROOT r = while(x), condition={ a = s32[] parameter(0) ROOT p = pred[] constant(true) },
                        body={ b = s32[] parameter(0) ROOT c = f32[] convert(b) }",
        },
    ],
    examples: &[Example {
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
    }],
};

struct Loop {
    condition: ComputationId,
    body: ComputationId,
}

impl Loop {
    /// The value after the last iteration; the value before each, and what was drawn until then, goes to `states`, if
    /// they are wanted. Iteration
    /// `i` calls the condition as call 2i and the body as call 2i + 1.
    async fn run(
        &self,
        operands: &[Data],
        run: &mut dyn Caller,
        mut states: Option<&mut Vec<(Data, Drawn)>>,
    ) -> Result<Data, OpError> {
        let mut state = operands.first().cloned().unwrap_or(Data::Token);
        let mut calls = 0;
        loop {
            run.spend(1)?;
            let holds = run.call(calls, self.condition, std::slice::from_ref(&state)).await?;
            if holds.as_array().and_then(|array| array.get(&[])) != Some(Value::Pred(true)) {
                return Ok(state);
            }
            if let Some(states) = &mut states {
                states.push((state.clone(), run.drawn()));
            }
            state = run.call(calls + 1, self.body, std::slice::from_ref(&state)).await?;
            calls += 2;
        }
    }
}

impl Calls for Loop {
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn Caller) -> Later<'a, Data> {
        Box::pin(self.run(operands, run, None))
    }

    fn sources<'a>(
        &'a self,
        operands: &'a [Data],
        cell: &'a CellAt,
        run: &'a mut dyn Caller,
    ) -> Later<'a, Vec<Source>> {
        Box::pin(async move {
            let mut states = Vec::new();
            self.run(operands, run, Some(&mut states)).await?;
            let mut cells = vec![cell.clone()];
            for (call, (state, drawn)) in
                (0..).map(|i: u64| 2 * i + 1).zip(&states).collect::<Vec<_>>().into_iter().rev()
            {
                let mut before = BTreeSet::new();
                for cell in &cells {
                    run.rewind(*drawn);
                    let sources = run.trace(call, self.body, std::slice::from_ref(state), cell).await?;
                    before.extend(sources.into_iter().map(|source| source.cell));
                }
                run.spend(before.len() as u64)?;
                cells = before.into_iter().collect();
            }
            Ok(cells.into_iter().map(|cell| Source { operand: 0, cell, role: Role::Value }).collect())
        })
    }

    fn enters(&self, _: &[Data], nth: u64, _: usize, cell: &CellAt) -> Entered {
        match nth.checked_sub(2) {
            // The body of the iteration before.
            Some(before) => Entered::Result(before | 1, self.body, cell.clone()),
            None => Entered::Operand(0, cell.clone()),
        }
    }
}

/// What Python has no expression for.
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

    fn infer(&self, cx: &Infer) -> Result<Shape, OpError> {
        let init = cx.operand(0)?;
        let (condition_name, condition) = cx.signature("condition")?;
        let is_pred = |shape: &Shape| {
            shape.as_array().is_some_and(|array| array.rank() == 0 && array.element_type == ElementType::Pred)
        };
        if !is_pred(&condition.result) {
            let message = Message::engine("op-while-condition")
                .with("name", condition_name)
                .with("found", condition.result.human_string());
            return Err(cx.error("while-1", message).at_attr("condition"));
        }
        let (body_name, body) = cx.signature("body")?;
        for (name, attr, parameters) in
            [(condition_name, "condition", &condition.parameters), (body_name, "body", &body.parameters)]
        {
            same_shapes(cx, "while-2", attr, name, std::slice::from_ref(init), parameters)?;
        }
        same_shapes(cx, "while-2", "body", body_name, std::slice::from_ref(init), &[body.result])?;
        Ok(init.clone())
    }

    fn bind(&self, cx: &Infer) -> Result<Body, OpError> {
        let (condition, body) = (cx.computation("condition")?, cx.computation("body")?);
        Ok(Body::Calls(Box::new(Loop { condition, body })))
    }

    fn code(&self, to: &Coding) -> Option<Code> {
        let (condition, body) = (to.function("condition")?, to.function("body")?);
        let init = to.name(0);
        let text = match to.language {
            Language::Rust => format!("b.while_({condition}, {body}, {init})"),
            Language::Jax => format!("lax.while_loop({condition}, {body}, {init})"),
            Language::NumPy => format!("while_loop({condition}, {body}, {init})"),
        };
        let prelude = if to.language == Language::NumPy { WHILE_LOOP } else { "" };
        Some(Code { text, prelude })
    }
}
