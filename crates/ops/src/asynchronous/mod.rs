//! Asynchronous ops: `X-start` starts op `X` and returns a state, `X-done` returns the result of the state, and the
//! compiler schedules other work between them.
//!
//! Invariant: here `X-start` computes the result; the asynchronous ops differ from `X` only in the shape of the state
//! ([`StateLayout`]). Those of collectives and copies are in the registry; those of any other op are created on demand
//! ([`find`]).

mod registered;

use std::sync::OnceLock;

pub(crate) use registered::ASYNC_OPS;

use super::call;
use super::semantics::{CellOrigin, OpFuture, SuspendingOp, SuspendingRun};
use super::{
    AttrKind, AttrSpec, Attrs, Category, CellAt, Data, EagerOp, Effect, Environment, Example, Formula,
    History, OpContext, OpDef, OpError, OpMeta, Operands, Role, Rule, Run, Semantics, Source,
};
use crate::data::operand;
use xla_array::{ArrayShape, ElementType, Literal, Shape};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// The shape of the state. Its last elements are XLA's contexts, which are 0 here and have no meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StateLayout {
    /// Only the result.
    Result,
    /// The only operand, or a tuple of several; the result; any contexts.
    OperandsResult,
    /// The result, the operand, a context.
    ResultOperand,
    /// The tuple of the operands, the result, any contexts.
    OperandTupleResult,
}

/// The phase of an asynchronous op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Start,
    Update,
    Done,
}

/// An asynchronous op, `X-start`, `X-update` or `X-done`.
pub(super) struct AsyncOp {
    wrapped: &'static dyn OpDef,
    layout: StateLayout,
    phase: Phase,
    opcode: &'static str,
    examples: &'static [Example],
    rules: &'static [Rule],
    meta: OnceLock<&'static OpMeta>,
}

/// The asynchronous op with this opcode, of one of `ops`: `negate-start`, `reduce-scatter-done`, `custom-call-update`.
pub(super) fn find(
    opcode: &str,
    ops: impl Iterator<Item = &'static dyn OpDef>,
) -> Option<&'static dyn OpDef> {
    static ON_DEMAND: OnceLock<Vec<AsyncOp>> = OnceLock::new();
    let suffixes = [("-start", Phase::Start), ("-update", Phase::Update), ("-done", Phase::Done)];
    suffixes.iter().find(|(suffix, _)| opcode.ends_with(suffix))?;
    let ops = ON_DEMAND.get_or_init(|| {
        let is_synchronous = |op: &&'static dyn OpDef| {
            let name = op.meta().opcode;
            op.meta().inline_attr.is_none() && !suffixes.iter().any(|(suffix, _)| name.ends_with(suffix))
        };
        let phases_of = |wrapped: &'static dyn OpDef| {
            suffixes.map(|(suffix, phase)| {
                // Leaked once per op.
                let opcode = String::leak(format!("{}{suffix}", wrapped.meta().opcode));
                AsyncOp::new(wrapped, StateLayout::OperandTupleResult, phase, opcode, &[], &[])
            })
        };
        ops.filter(is_synchronous).flat_map(phases_of).collect()
    });
    ops.iter().find(|op| op.opcode == opcode).map(|op| op as &dyn OpDef)
}

/// The default shape of a context.
fn default_context() -> Shape {
    Shape::Array(ArrayShape::new(ElementType::U32, []))
}

impl AsyncOp {
    const fn new(
        wrapped: &'static dyn OpDef,
        layout: StateLayout,
        phase: Phase,
        opcode: &'static str,
        examples: &'static [Example],
        rules: &'static [Rule],
    ) -> Self {
        Self { wrapped, layout, phase, opcode, examples, rules, meta: OnceLock::new() }
    }

    fn build_meta(&self) -> OpMeta {
        let wrapped = self.wrapped.meta();
        let thread = AttrSpec::optional("async_execution_thread", AttrKind::String, "attr-async-thread");
        let mut attrs: Vec<AttrSpec> = Vec::new();
        if self.layout == StateLayout::OperandTupleResult {
            attrs.push(thread);
        }
        if self.layout == StateLayout::ResultOperand && self.phase == Phase::Start {
            attrs.push(AttrSpec::optional("cross_program_prefetch_index", AttrKind::Int, "attr-prefetch"));
        }
        // Updates and dones may repeat the attributes of the start.
        let repeated = wrapped
            .attrs
            .iter()
            .filter(|_| self.phase == Phase::Start || self.layout == StateLayout::OperandTupleResult);
        attrs.extend(repeated.map(|spec| AttrSpec {
            name: spec.name,
            kind: spec.kind,
            required: spec.required && self.phase == Phase::Start,
            description: spec.description,
            since: spec.since,
            dimensions_of: spec.dimensions_of,
        }));
        let state = Operands::exactly(&["started"]);
        OpMeta {
            opcode: self.opcode,
            title: wrapped.title,
            search_terms: wrapped.search_terms,
            sections: wrapped.sections,
            category: wrapped.category,
            history: History::not_in_2017("instead-async"),
            summary: match self.phase {
                Phase::Start => "op-async-start",
                Phase::Update => "op-async-update",
                Phase::Done => "op-async-done",
            },
            formula: match self.phase {
                Phase::Start => Formula::Symbols("out = (operands, result, …)"),
                Phase::Update => Formula::Symbols("out = started"),
                Phase::Done => Formula::Words("formula-done"),
            },
            operands: if self.phase == Phase::Start { wrapped.operands } else { state },
            inline_attr: None,
            attrs: Vec::leak(attrs),
            rules: self.rules,
            examples: self.examples,
        }
    }

    /// The tuple index of the result in the state; `None` if the state is the result.
    fn result_index(&self) -> Option<usize> {
        match self.layout {
            StateLayout::Result => None,
            StateLayout::OperandsResult | StateLayout::OperandTupleResult => Some(1),
            StateLayout::ResultOperand => Some(0),
        }
    }

    /// The shape of the result in a state of this shape.
    fn result_of<'a>(&self, state: &'a Shape) -> Option<&'a Shape> {
        match self.result_index() {
            None => Some(state),
            Some(at) => state.as_tuple().filter(|parts| parts.len() >= 2)?.get(at),
        }
    }

    /// The context of the wrapped op.
    fn wrapped_context<'a>(&self, cx: &OpContext<'a>) -> OpContext<'a> {
        OpContext {
            meta: self.wrapped.meta(),
            operands: cx.operands,
            attrs: cx.attrs,
            written: cx.written.and_then(|written| self.result_of(written)),
            computations: cx.computations,
            edition: cx.edition,
        }
    }

    /// The shapes of the state that is the operand of an update or done, and of its result; `async-1` if it is not a
    /// state.
    fn state<'a>(&self, cx: &OpContext<'a>) -> Result<(&'a Shape, &'a Shape), OpError> {
        let state = cx.operand(0)?;
        self.result_of(state).map(|result| (state, result)).ok_or_else(|| {
            let message = Message::ops("op-async-operand").with("shape", state.human_string());
            cx.error("async-1", message).at_operand(0)
        })
    }
}

impl OpDef for AsyncOp {
    fn meta(&self) -> &'static OpMeta {
        // Allocated once per op, and never freed.
        self.meta.get_or_init(|| Box::leak(Box::new(self.build_meta())))
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        match self.phase {
            Phase::Update => return self.state(cx).map(|(state, _)| state.clone()),
            Phase::Done => return self.state(cx).map(|(_, result)| result.clone()),
            Phase::Start => {}
        }
        let wrapped_cx = self.wrapped_context(cx);
        let result = super::check(self.wrapped, &wrapped_cx)?;
        let operands: Vec<Shape> = cx.operands.iter().map(|shape| (*shape).clone()).collect();
        let contexts = || {
            let written = cx.written.and_then(Shape::as_tuple).and_then(|parts| parts.get(2..));
            written.map(<[Shape]>::to_vec)
        };
        Ok(match self.layout {
            StateLayout::Result => result,
            StateLayout::ResultOperand => {
                Shape::Tuple([result].into_iter().chain(operands).chain([default_context()]).collect())
            }
            StateLayout::OperandsResult => {
                // An in-place permutation has two buffers: the state holds the input, the result is the output.
                let is_single = operands.len() == 1 || cx.attrs.get("slice_sizes").is_some();
                let operands = match operands.first() {
                    Some(single) if is_single => single.clone(),
                    _ => Shape::Tuple(operands.into()),
                };
                Shape::Tuple([operands, result].into_iter().chain(contexts().unwrap_or_default()).collect())
            }
            StateLayout::OperandTupleResult => {
                let contexts = contexts().unwrap_or_else(|| vec![default_context()]);
                Shape::Tuple([Shape::Tuple(operands.into()), result].into_iter().chain(contexts).collect())
            }
        })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        if self.phase != Phase::Start {
            return Ok(Semantics::Eager(Box::new(StateElement {
                opcode: self.opcode,
                element: self.result_index().filter(|_| self.phase == Phase::Done),
            })));
        }
        let written = cx.require_result_shape()?;
        let shape = self.result_of(written).cloned().ok_or_else(|| {
            let message = Message::ops("op-async-operand").with("shape", written.human_string());
            cx.error("async-1", message)
        })?;
        let semantics = self.wrapped.bind(&self.wrapped_context(cx))?;
        let contexts = written.as_tuple().and_then(|parts| parts.get(2..)).unwrap_or_default().to_vec();
        Ok(Semantics::Suspending(Box::new(StartSemantics {
            opcode: self.opcode,
            semantics,
            shape,
            layout: self.layout,
            contexts,
        })))
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        self.wrapped.is_default_attr(name, &self.wrapped_context(cx))
    }

    fn needs_environment_check(&self) -> bool {
        self.phase == Phase::Start && self.wrapped.needs_environment_check()
    }

    fn effect(&self, attrs: &Attrs) -> Effect {
        if self.phase == Phase::Start { self.wrapped.effect(attrs) } else { Effect::None }
    }
}

/// The semantics of a start.
struct StartSemantics {
    opcode: &'static str,
    semantics: Semantics,
    shape: Shape,
    layout: StateLayout,
    contexts: Vec<Shape>,
}

impl SuspendingOp for StartSemantics {
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn SuspendingRun) -> OpFuture<'a, Data> {
        Box::pin(async move {
            let result = run.evaluate_semantics(&self.semantics, &self.shape, operands).await?;
            let zeros = |shape: &Shape| Literal::zeros(shape).map(Data::from);
            let contexts: Result<Vec<Data>, _> = self.contexts.iter().map(zeros).collect();
            let contexts = contexts.map_err(|e| OpError::new(self.opcode, e.rule, e.message))?;
            let first = match (self.layout, operands) {
                (StateLayout::Result, _) => return Ok(result),
                (StateLayout::ResultOperand, [operand, ..]) => {
                    return Ok(Data::Tuple([result, operand.clone()].into_iter().chain(contexts).collect()));
                }
                (StateLayout::OperandsResult, [operand]) => operand.clone(),
                _ => Data::Tuple(operands.into()),
            };
            Ok(Data::Tuple([first, result].into_iter().chain(contexts).collect()))
        })
    }

    fn sources<'a>(
        &'a self,
        operands: &'a [Data],
        cell: &'a CellAt,
        run: &'a mut dyn SuspendingRun,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(async move {
            let (head, rest) =
                cell.path.split_first().map_or((None, &[][..]), |(head, rest)| (Some(*head), rest));
            let operand_cell = |operand: usize, path: &[usize]| {
                let cell = CellAt { path: path.into(), index: cell.index.clone() };
                Ok(vec![Source { operand, cell, role: Role::Value }])
            };
            let result = CellAt { path: rest.into(), index: cell.index.clone() };
            match (self.layout, head) {
                (StateLayout::Result, _) => {
                    run.trace_semantics(&self.semantics, &self.shape, operands, cell).await
                }
                (StateLayout::ResultOperand, Some(0))
                | (StateLayout::OperandsResult | StateLayout::OperandTupleResult, Some(1)) => {
                    run.trace_semantics(&self.semantics, &self.shape, operands, &result).await
                }
                (StateLayout::ResultOperand, Some(1)) => operand_cell(0, rest),
                (StateLayout::OperandsResult, Some(0)) if operands.len() == 1 => operand_cell(0, rest),
                (StateLayout::OperandsResult | StateLayout::OperandTupleResult, Some(0)) => {
                    match rest.split_first() {
                        Some((operand, path)) => operand_cell(*operand, path),
                        None => Ok(Vec::new()),
                    }
                }
                _ => Ok(Vec::new()),
            }
        })
    }

    fn parameter_origin(&self, operands: &[Data], nth: u64, parameter: usize, cell: &CellAt) -> CellOrigin {
        match &self.semantics {
            Semantics::Suspending(calls) => calls.parameter_origin(operands, nth, parameter, cell),
            _ => CellOrigin::None,
        }
    }

    fn check_environment(&self, environment: &dyn Environment) -> Result<(), OpError> {
        match &self.semantics {
            Semantics::Suspending(calls) => calls.check_environment(environment),
            _ => Ok(()),
        }
    }
}

/// The semantics of an update or done.
struct StateElement {
    opcode: &'static str,
    /// The tuple index of the returned element of the state; `None` for the whole state.
    element: Option<usize>,
}

impl EagerOp for StateElement {
    fn evaluate(&self, operands: &[Data], _: &mut dyn Run) -> Result<Data, OpError> {
        let state = operand(self.opcode, operands, 0)?.clone();
        Ok(match self.element {
            Some(at) => state.part(&[at]).cloned().or_bug(Data::Token, "a state without its result"),
            None => state,
        })
    }

    fn sources(&self, _: &[Data], cell: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let cell = self.element.map_or_else(|| cell.clone(), |at| cell.in_tuple(at));
        Ok(vec![Source { operand: 0, cell, role: Role::Value }])
    }
}

/// The synchronous op of `async-start` and `async-done`: a call of a computation.
struct AsyncCall;

static ASYNC_CALL: OpMeta = OpMeta {
    opcode: "async",
    title: "Async",
    search_terms: &[],
    sections: &[],
    category: Category::Control,
    history: History::not_in_2017("instead-async"),
    summary: "op-async-start",
    formula: Formula::Symbols("out = calls(operand_0, operand_1, …)"),
    operands: Operands::any("argument"),
    inline_attr: None,
    attrs: &[AttrSpec::required("calls", AttrKind::Computation, "attr-to-apply")],
    rules: &[],
    examples: &[],
};

impl OpDef for AsyncCall {
    fn meta(&self) -> &'static OpMeta {
        &ASYNC_CALL
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        call::infer(cx, "calls")
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        call::bind(cx, "calls")
    }
}
