//! `conditional`: see [`Conditional`].

use super::call::check_shapes;
use super::{
    AttrKind, AttrSpec, AttrValue, Category, CellAt, CellOrigin, ComputationId, Data, Example, ExportContext,
    Expression, Formula, History, Language, OpContext, OpDef, OpError, OpFuture, OpMeta, Operands, Role,
    Rule, Semantics, Source, SuspendingOp, SuspendingRun,
};
use xla_array::{ElementType, Shape, Value};
use xla_messages::i18n::Message;

/// Runs one of several computations, each on its own operand.
///
/// A `pred` selects `true_computation` (operand 1) or `false_computation` (operand 2); an `s32` selects one of
/// `branch_computations`, the last one if it is out of range. Source:
/// `ShapeInference::InferConditionalShape`.
pub struct Conditional;

static META: OpMeta = OpMeta {
    opcode: "conditional",
    title: "Conditional",
    search_terms: &["if", "cond", "switch", "case"],
    sections: &["Conditional"],
    category: Category::Control,
    history: History::not_in_2017("instead-conditional"),
    summary: "op-conditional",
    formula: Formula::Symbols("out = branch[choice](operand[choice])"),
    operands: Operands::at_least(&["choice"], "argument"),
    inline_attr: None,
    attrs: &[
        AttrSpec::optional("true_computation", AttrKind::Computation, "attr-true-computation"),
        AttrSpec::optional("false_computation", AttrKind::Computation, "attr-false-computation"),
        AttrSpec::optional("branch_computations", AttrKind::Computations, "attr-branch-computations"),
    ],
    rules: &[
        Rule {
            identifier: "conditional-1",
            description: "rule-conditional-choice",
            violated_by: "p = f32[] parameter(0) ROOT r = conditional(p, p, p),
                        true_computation={ x = f32[] parameter(0) }, false_computation={ x = f32[] parameter(0) }",
        },
        Rule {
            identifier: "conditional-2",
            description: "rule-conditional-branches",
            violated_by: "p = pred[] parameter(0) ROOT r = conditional(p, p, p),
                        true_computation={ x = pred[] parameter(0) }",
        },
        Rule {
            identifier: "conditional-3",
            description: "rule-argument-count",
            violated_by: "p = pred[] parameter(0) ROOT r = conditional(p, p),
                        true_computation={ x = pred[] parameter(0) }, false_computation={ x = pred[] parameter(0) }",
        },
        Rule {
            identifier: "conditional-4",
            description: "rule-conditional-shapes",
            violated_by: "p = pred[] parameter(0) ROOT r = conditional(p, p, p),
                        true_computation={ x = pred[] parameter(0) }, false_computation={ x = s32[] parameter(0) }",
        },
    ],
    examples: &[
Example {
 title: "shows-if-else",
            hlo: "p = pred[] constant(true) v = f32[2] constant({1, 2})
                  ROOT r = conditional(p, v, v), true_computation={ x = f32[2] parameter(0) ROOT y = negate(x) },
                  false_computation={ x = f32[2] parameter(0) ROOT y = add(x, x) }",
            result: "f32[2] {-1, -2}",
        },
Example {
 title: "shows-by-index",
 hlo: "i = s32[] constant(0) v = f32[2] constant({1, 2})
                  ROOT r = conditional(i, v, v), branch_computations={
                  { x = f32[2] parameter(0) ROOT y = negate(x) }, { x = f32[2] parameter(0) ROOT y = add(x, x) } }",
 result: "f32[2] {-1, -2}",
 },
Example {
 title: "shows-index-outside",
            hlo: "i = s32[] constant(-1) v = f32[2] constant({1, 2})
                  ROOT r = conditional(i, v, v), branch_computations={
                  { x = f32[2] parameter(0) ROOT y = negate(x) }, { x = f32[2] parameter(0) ROOT y = add(x, x) } }",
            result: "f32[2] {2, 4}",
        },
],
};

/// The branches by number; of a `pred`, the branch for true first.
fn branches(cx: &OpContext) -> Result<Vec<ComputationId>, OpError> {
    let choice = cx.array(0)?;
    let is_scalar = choice.rank() == 0;
    let missing_branches = |attr: &'static str| {
        let message =
            Message::ops("op-conditional-branches").with("type", choice.human_string()).with("name", attr);
        cx.error("conditional-2", message)
    };
    match choice.element_type {
        ElementType::Pred if is_scalar => {
            if cx.attrs.get("branch_computations").is_some() {
                return Err(missing_branches("true_computation").at_attr("branch_computations"));
            }
            let branch = |attr| cx.computation(attr).map_err(|_| missing_branches(attr));
            Ok(vec![branch("true_computation")?, branch("false_computation")?])
        }
        ElementType::S32 if is_scalar => match cx.attrs.get("branch_computations") {
            Some(AttrValue::Computations(ids)) if !ids.is_empty() => Ok(ids.clone()),
            _ => Err(missing_branches("branch_computations")),
        },
        _ => {
            let message = Message::ops("op-conditional-choice").with("shape", choice.human_string());
            Err(cx.error("conditional-1", message).at_operand(0))
        }
    }
}

struct Branches(Vec<ComputationId>);

impl Branches {
    fn selected_branch(&self, operands: &[Data]) -> usize {
        let last = self.0.len().saturating_sub(1);
        match operands.first().and_then(Data::as_array).and_then(|array| array.get(&[])) {
            Some(Value::Pred(truth)) => usize::from(!truth),
            Some(Value::Int(number)) => usize::try_from(number).map_or(last, |number| number.min(last)),
            _ => last,
        }
    }
}

impl SuspendingOp for Branches {
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn SuspendingRun) -> OpFuture<'a, Data> {
        let selected = self.selected_branch(operands);
        run.call(0, self.0[selected], &operands[selected + 1..selected + 2])
    }

    fn sources<'a>(
        &'a self,
        operands: &'a [Data],
        cell: &'a CellAt,
        run: &'a mut dyn SuspendingRun,
    ) -> OpFuture<'a, Vec<Source>> {
        let selected = self.selected_branch(operands);
        Box::pin(async move {
            let mut sources = vec![Source { operand: 0, cell: CellAt::default(), role: Role::Choice }];
            let in_branch =
                run.trace(0, self.0[selected], &operands[selected + 1..selected + 2], cell).await?;
            sources.extend(in_branch.into_iter().map(|source| Source { operand: selected + 1, ..source }));
            Ok(sources)
        })
    }

    fn parameter_origin(&self, operands: &[Data], _: u64, _: usize, cell: &CellAt) -> CellOrigin {
        CellOrigin::Operand(self.selected_branch(operands) + 1, cell.clone())
    }

    fn result_origins(
        &self,
        operands: &[Data],
        _: &mut dyn FnMut() -> Result<u64, OpError>,
        cell: &CellAt,
    ) -> Result<Vec<CellOrigin>, OpError> {
        let choice = CellOrigin::Operand(0, CellAt::default());
        let branch = self.0[self.selected_branch(operands)];
        Ok(vec![choice, CellOrigin::Result(0, branch, cell.clone())])
    }
}

impl OpDef for Conditional {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let branches = branches(cx)?;
        if cx.operands.len() != branches.len() + 1 {
            let message = Message::ops("op-argument-count")
                .with("name", cx.meta.opcode)
                .with("expected", branches.len() + 1)
                .with("found", cx.operands.len());
            return Err(cx.error("conditional-3", message));
        }
        let mut result: Option<Shape> = None;
        for (i, id) in branches.iter().enumerate() {
            let Some((name, signature)) = cx.computations.signature(*id) else { continue };
            let attr = match (cx.attrs.get("branch_computations"), i) {
                (Some(_), _) => "branch_computations",
                (None, 0) => "true_computation",
                (None, _) => "false_computation",
            };
            let name = if name.is_empty() { attr } else { name };
            let operand = std::slice::from_ref(cx.operand(i + 1)?);
            check_shapes(cx, "conditional-4", attr, name, operand, &signature.parameters)?;
            let first = result.get_or_insert_with(|| signature.result.clone());
            let first = std::slice::from_ref(first);
            check_shapes(cx, "conditional-4", attr, name, first, std::slice::from_ref(&signature.result))?;
        }
        Ok(result.unwrap_or(Shape::tuple([])))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Ok(Semantics::Suspending(Box::new(Branches(branches(cx)?))))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        if to.language == Language::Rust {
            return None;
        }
        let calls = branches(&to.cx).ok()?;
        let calls: Vec<String> = (1..)
            .zip(calls)
            .map(|(i, id)| format!("{}({})", to.functions.function(id), to.name(i)))
            .collect();
        let choice = to.name(0);
        let is_pred = to.array(0)?.element_type == ElementType::Pred;
        if let ([on_true, on_false], true) = (calls.as_slice(), is_pred) {
            return Some(match to.language {
                Language::Jax => format!("lax.cond({choice}, lambda: {on_true}, lambda: {on_false})").into(),
                _ => format!("{on_true} if {choice} else {on_false}").into(),
            });
        }
        // A number that is out of range selects the last branch.
        let (last, count) = (calls.len().checked_sub(1)?, calls.len());
        let lambdas = calls.iter().map(|call| format!("lambda: {call}")).collect::<Vec<_>>().join(", ");
        Some(match to.language {
            Language::Jax => {
                let index = format!("jnp.where(({choice} >= 0) & ({choice} < {count}), {choice}, {last})");
                format!("lax.switch({index}, [{lambdas}])").into()
            }
            _ => format!("[{lambdas}][{choice} if 0 <= {choice} < {count} else {last}]()").into(),
        })
    }
}
