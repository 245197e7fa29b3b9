//! `call` and `fusion`: see [`Call`] and [`Fusion`].

use super::read::UNSET;
use super::{
    AttrKind, AttrSpec, Category, CellAt, CellOrigin, ComputationId, Data, Example, ExportContext,
    Expression, Formula, History, Language, OpContext, OpDef, OpError, OpFuture, OpMeta, Operands, Role,
    Rule, Semantics, Source, SuspendingOp, SuspendingRun,
};
use xla_array::{Shape, Value, shape_util};
use xla_messages::i18n::Message;

/// Calls a computation with the operands as its arguments.
///
/// Source: XLA's operation semantics, "Call"; `ShapeInference::InferCallShape`.
pub struct Call;

static META: OpMeta = OpMeta {
    opcode: "call",
    title: "Call",
    search_terms: &[],
    sections: &["Call", "CompositeCall"],
    category: Category::Control,
    history: History::UNCHANGED,
    summary: "op-call",
    formula: Formula::Symbols("out = to_apply(operand_0, operand_1, …)"),
    operands: Operands::any("argument"),
    inline_attr: None,
    attrs: &[
        AttrSpec::required("to_apply", AttrKind::Computation, "attr-to-apply"),
        AttrSpec::optional("is_composite", AttrKind::Bool, "attr-is-composite").current_only(),
    ],
    rules: &[
        Rule {
            identifier: "call-1",
            description: "rule-argument-count",
            violated_by: "x = f32[] parameter(0) ROOT r = call(x, x), to_apply={ ROOT y = f32[] parameter(0) }",
        },
        Rule {
            identifier: "call-2",
            description: "rule-argument-shape",
            violated_by: "x = f32[] parameter(0) ROOT r = call(x), to_apply={ ROOT y = f32[2] parameter(0) }",
        },
    ],
    examples: &[Example {
        title: "shows-square",
        hlo: "x = f32[2] constant({1, 2})
              ROOT r = call(x), to_apply={ y = f32[2] parameter(0) ROOT s = multiply(y, y) }",
        result: "f32[2] {1, 4}",
    }],
};

/// Calls a fused computation: several instructions that the compiler runs as one kernel.
///
/// `kind` and `backend_config` do not change values. Source: `HloFusionInstruction` of XLA.
pub struct Fusion;

static FUSION: OpMeta = OpMeta {
    opcode: "fusion",
    title: "Fusion",
    search_terms: &[],
    sections: &["Fusion"],
    category: Category::Control,
    history: History::not_in_2017("instead-call"),
    summary: "op-fusion",
    formula: Formula::Symbols("out = calls(operand_0, operand_1, …)"),
    operands: Operands::any("argument"),
    inline_attr: None,
    attrs: &[
        AttrSpec::required(
            "kind",
            AttrKind::Keyword(&["kLoop", "kInput", "kOutput", "kCustom"]),
            "attr-fusion-kind",
        ),
        AttrSpec::optional("output_to_operand_aliasing", AttrKind::Text, "attr-aliasing"),
        AttrSpec::required("calls", AttrKind::Computation, "attr-to-apply"),
    ],
    rules: &[
        Rule {
            identifier: "call-1",
            description: "rule-argument-count",
            violated_by: "x = f32[] parameter(0)
                        ROOT r = f32[] fusion(x, x), kind=kLoop, calls={ ROOT y = f32[] parameter(0) }",
        },
        Rule {
            identifier: "call-2",
            description: "rule-argument-shape",
            violated_by: "x = f32[] parameter(0)
                        ROOT r = f32[2] fusion(x), kind=kLoop, calls={ ROOT y = f32[2] parameter(0) }",
        },
    ],
    examples: &[Example {
        title: "shows-fused",
        hlo: "x = f32[2] constant({1, 2})
              ROOT r = f32[2] fusion(x), kind=kLoop, calls={ y = f32[2] parameter(0) ROOT s = negate(y) }",
        result: "f32[2] {-1, -2}",
    }],
};

struct CallSemantics(ComputationId);

impl SuspendingOp for CallSemantics {
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn SuspendingRun) -> OpFuture<'a, Data> {
        run.call(0, self.0, operands)
    }

    fn sources<'a>(
        &'a self,
        operands: &'a [Data],
        cell: &'a CellAt,
        run: &'a mut dyn SuspendingRun,
    ) -> OpFuture<'a, Vec<Source>> {
        run.trace(0, self.0, operands, cell)
    }

    fn parameter_origin(&self, _: &[Data], _: u64, parameter: usize, cell: &CellAt) -> CellOrigin {
        CellOrigin::Operand(parameter, cell.clone())
    }

    fn result_origins(
        &self,
        _: &[Data],
        _: &mut dyn FnMut() -> Result<u64, OpError>,
        cell: &CellAt,
    ) -> Result<Vec<CellOrigin>, OpError> {
        Ok(vec![CellOrigin::Result(0, self.0, cell.clone())])
    }
}

/// Checks the arguments of the called computation, and returns its result shape. Rules: `call-1`, `call-2`.
pub(super) fn infer(cx: &OpContext, attr: &'static str) -> Result<Shape, OpError> {
    let (name, signature) = cx.signature(attr)?;
    if signature.parameters.len() != cx.operands.len() {
        let message = Message::ops("op-argument-count")
            .with("name", name)
            .with("expected", signature.parameters.len())
            .with("found", cx.operands.len());
        return Err(cx.error("call-1", message));
    }
    for (i, (parameter, operand)) in signature.parameters.iter().zip(cx.operands).enumerate() {
        if !shape_util::compatible(parameter, operand) {
            let message = Message::ops("op-argument-shape")
                .with("name", name)
                .with("number", i)
                .with("expected", parameter.human_string())
                .with("found", operand.human_string());
            return Err(cx.error("call-2", message).at_operand(i));
        }
    }
    Ok(signature.result.clone())
}

/// Checks the shapes of a computation's parameters or results against those that the instruction needs.
pub(super) fn check_shapes(
    cx: &OpContext,
    rule: &'static str,
    attr: &'static str,
    name: &str,
    wanted: &[Shape],
    found: &[Shape],
) -> Result<(), OpError> {
    let matches = |(a, b): (&Shape, &Shape)| shape_util::compatible(a, b);
    if wanted.len() == found.len() && wanted.iter().zip(found).all(matches) {
        return Ok(());
    }
    let list = |shapes: &[Shape]| shapes.iter().map(Shape::human_string).collect::<Vec<_>>().join(", ");
    let message = Message::ops("op-called-shapes")
        .with("name", name)
        .with("expected", list(wanted))
        .with("found", list(found));
    Err(cx.error(rule, message).at_attr(attr))
}

fn is_scalar(shape: &Shape) -> bool {
    shape.as_array().is_some_and(|array| array.rank() == 0)
}

/// The semantics of a call of the computation that is the attribute `attr`.
pub(super) fn bind(cx: &OpContext, attr: &'static str) -> Result<Semantics, OpError> {
    let id = cx.computation(attr)?;
    // A call on scalars is computed per element, so it can be compiled to a region.
    let are_scalars = cx.operands.iter().all(|shape| is_scalar(shape)) && cx.written.is_some_and(is_scalar);
    if let Some(region) = are_scalars.then(|| cx.region(attr).ok()).flatten() {
        let count = cx.operands.len();
        return Ok(Semantics::per_element(move |out, read| {
            let arguments: Vec<Value> = (0..count).map(|i| read.get(i, out, Role::Value)).collect();
            let mut result = [UNSET];
            read.apply(&region, &arguments, &mut result);
            result[0]
        }));
    }
    Ok(Semantics::Suspending(Box::new(CallSemantics(id))))
}

/// The call in another language.
fn call_expression(to: &ExportContext, attr: &'static str) -> Option<Expression> {
    let (f, arguments) = (to.function(attr)?, to.joined_names());
    let text = match to.language {
        Language::Rust => format!("b.call({f}, &[{arguments}])"),
        Language::Jax | Language::NumPy => format!("{f}({arguments})"),
    };
    Some(text.into())
}

impl OpDef for Call {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        infer(cx, "to_apply")
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        bind(cx, "to_apply")
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        call_expression(to, "to_apply")
            .filter(|_| !to.cx.flag("is_composite") || to.language != Language::Rust)
    }
}

impl OpDef for Fusion {
    fn meta(&self) -> &'static OpMeta {
        &FUSION
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        cx.require_result_shape()?;
        infer(cx, "calls")
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        bind(cx, "calls")
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        // Only HLO can express the kind of a fusion.
        call_expression(to, "calls").filter(|_| to.language != Language::Rust)
    }
}
