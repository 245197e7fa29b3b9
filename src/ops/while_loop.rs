//! `while`: see [`While`].

use super::call::same_shapes;
use super::{
    AttrKind, AttrSpec, Body, Category, CellAt, ComputationId, Data, Drawn, Example, Infer, OpDef, OpError,
    OpMeta, Operands, Role, Rule, Run, Source, Whole,
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
        hlo: "n = s32[] constant(0) v = f32[3] constant({0, 0, 0}) t = tuple(n, v)
              ROOT r = while(t),
              condition={
                a = (s32[], f32[3]) parameter(0) i = get-tuple-element(a), index=0
                limit = s32[] constant(1000) ROOT c = compare(i, limit), direction=LT },
              body={
                b = (s32[], f32[3]) parameter(0)
                i = get-tuple-element(b), index=0 one = s32[] constant(1) next = add(i, one)
                w = get-tuple-element(b), index=1 ones = f32[3] constant({1, 1, 1}) sum = add(w, ones)
                ROOT u = tuple(next, sum) }",
        result: "(s32[], f32[3]) ( 1000, {1000, 1000, 1000} )",
    }],
};

struct Loop {
    condition: ComputationId,
    body: ComputationId,
}

impl Loop {
    /// Calls `visit` with the value before each iteration and what was drawn until then; gives the value after the last.
    fn run(
        &self,
        operands: &[Data],
        run: &mut dyn Run,
        mut visit: impl FnMut(&Data, Drawn),
    ) -> Result<Data, OpError> {
        let mut state = operands.first().cloned().unwrap_or(Data::Token);
        loop {
            run.spend(1)?;
            let holds = run.call(self.condition, std::slice::from_ref(&state))?;
            if holds.as_array().and_then(|array| array.get(&[])) != Some(Value::Pred(true)) {
                return Ok(state);
            }
            visit(&state, run.drawn());
            state = run.call(self.body, std::slice::from_ref(&state))?;
        }
    }
}

impl Whole for Loop {
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        self.run(operands, run, |_, _| ())
    }

    fn sources(&self, operands: &[Data], cell: &CellAt, run: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let mut states = Vec::new();
        self.run(operands, run, |state, drawn| states.push((state.clone(), drawn)))?;
        let mut cells = vec![cell.clone()];
        for (state, drawn) in states.iter().rev() {
            let mut before = std::collections::BTreeSet::new();
            for cell in &cells {
                run.rewind(*drawn);
                let sources = run.trace(self.body, std::slice::from_ref(state), cell)?;
                before.extend(sources.into_iter().map(|source| source.cell));
            }
            run.spend(before.len() as u64)?;
            cells = before.into_iter().collect();
        }
        Ok(cells.into_iter().map(|cell| Source { operand: 0, cell, role: Role::Value }).collect())
    }
}

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
        Ok(Body::Whole(Box::new(Loop { condition, body })))
    }
}
