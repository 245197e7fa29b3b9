//! Ops in two halves: `X-start` begins, `X-done` gives the result, and the compiler puts other work between them.
//!
//! Invariant: here the work is done at the start; the halves only differ from the op they wrap in the shapes of what
//! goes between them ([`Style`]). Those of collectives and copies are in the registry; those of any other op are made
//! of it when they are asked for ([`find`]).

mod named;

use std::sync::OnceLock;

pub(crate) use named::HALVES;

use super::body::{Caller, Calls, Entered, OpFuture};
use super::call;
use super::{
    AttrKind, AttrSpec, Attrs, Body, Category, CellAt, Data, Effect, Environment, Example, OpContext, OpDef,
    OpError, OpMeta, Operands, Role, Rule, Run, Source, WholeOp,
};
use crate::data::operand;
use xla_array::{ArrayShape, ElementType, Literal, Shape};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// The state passed from one half to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// The result.
    Same,
    /// The operands and the result, and perhaps numbers that mean nothing.
    Pair,
    /// The result, the operand, and such a number.
    Copied,
    /// The tuple of the operands, the result, and perhaps such numbers.
    Any,
}

/// The half of an asynchronous op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Start,
    Update,
    Done,
}

/// One half of an op.
pub(super) struct Half {
    inner: &'static dyn OpDef,
    style: Style,
    part: Part,
    opcode: &'static str,
    examples: &'static [Example],
    rules: &'static [Rule],
    meta: OnceLock<&'static OpMeta>,
}

/// The half of one of these ops, which has none of its own: `negate-start`, `reduce-scatter-done`,
/// `custom-call-update`.
pub(super) fn find(
    opcode: &str,
    ops: impl Iterator<Item = &'static dyn OpDef>,
) -> Option<&'static dyn OpDef> {
    static MADE: OnceLock<Vec<Half>> = OnceLock::new();
    let parts = [("-start", Part::Start), ("-update", Part::Update), ("-done", Part::Done)];
    parts.iter().find(|(suffix, _)| opcode.ends_with(suffix))?;
    let made = MADE.get_or_init(|| {
        let whole = |op: &&'static dyn OpDef| {
            let name = op.meta().opcode;
            op.meta().argument.is_none() && !parts.iter().any(|(suffix, _)| name.ends_with(suffix))
        };
        let halves = |inner: &'static dyn OpDef| {
            parts.map(|(suffix, part)| {
                // Made once, and as many as there are ops.
                let opcode = String::leak(format!("{}{suffix}", inner.meta().opcode));
                Half::new(inner, Style::Any, part, opcode, &[], &[])
            })
        };
        ops.filter(whole).flat_map(halves).collect()
    });
    made.iter().find(|half| half.opcode == opcode).map(|half| half as &dyn OpDef)
}

/// The number that means nothing.
fn context() -> Shape {
    Shape::Array(ArrayShape::new(ElementType::U32, []))
}

impl Half {
    const fn new(
        inner: &'static dyn OpDef,
        style: Style,
        part: Part,
        opcode: &'static str,
        examples: &'static [Example],
        rules: &'static [Rule],
    ) -> Self {
        Self { inner, style, part, opcode, examples, rules, meta: OnceLock::new() }
    }

    fn make_meta(&self) -> OpMeta {
        let inner = self.inner.meta();
        let thread = AttrSpec::optional("async_execution_thread", AttrKind::String, "attr-async-thread");
        let mut attrs: Vec<AttrSpec> = Vec::new();
        if self.style == Style::Any {
            attrs.push(thread);
        }
        if self.style == Style::Copied && self.part == Part::Start {
            attrs.push(AttrSpec::optional("cross_program_prefetch_index", AttrKind::Int, "attr-prefetch"));
        }
        // The later halves may repeat what the first said.
        let all = inner.attrs.iter().filter(|_| self.part == Part::Start || self.style == Style::Any);
        attrs.extend(all.map(|spec| AttrSpec {
            name: spec.name,
            kind: spec.kind,
            required: spec.required && self.part == Part::Start,
            description: spec.description,
        }));
        let state = Operands::exactly(&["started"]);
        OpMeta {
            opcode: self.opcode,
            title: inner.title,
            names: inner.names,
            sections: inner.sections,
            category: inner.category,
            summary: match self.part {
                Part::Start => "op-async-start",
                Part::Update => "op-async-update",
                Part::Done => "op-async-done",
            },
            formula: match self.part {
                Part::Start => "out = (operands, result, …)",
                Part::Update => "out = started",
                Part::Done => "out = result of started",
            },
            operands: if self.part == Part::Start { inner.operands } else { state },
            argument: None,
            attrs: Vec::leak(attrs),
            rules: self.rules,
            examples: self.examples,
        }
    }

    /// The part of the state that is the result.
    fn result_at(&self) -> Option<usize> {
        match self.style {
            Style::Same => None,
            Style::Pair | Style::Any => Some(1),
            Style::Copied => Some(0),
        }
    }

    /// The shape of the result, of that of the state.
    fn result_of<'a>(&self, state: &'a Shape) -> Option<&'a Shape> {
        match self.result_at() {
            None => Some(state),
            Some(at) => state.as_tuple().filter(|parts| parts.len() >= 2)?.get(at),
        }
    }

    /// The instruction of the op it wraps.
    fn inner<'a>(&self, cx: &OpContext<'a>) -> OpContext<'a> {
        OpContext {
            meta: self.inner.meta(),
            operands: cx.operands,
            attrs: cx.attrs,
            written: cx.written.and_then(|written| self.result_of(written)),
            computations: cx.computations,
            edition: cx.edition,
        }
    }

    /// The state that is the operand of a later half; `async-1` if it is not a state.
    fn state<'a>(&self, cx: &OpContext<'a>) -> Result<(&'a Shape, &'a Shape), OpError> {
        let state = cx.operand(0)?;
        self.result_of(state).map(|result| (state, result)).ok_or_else(|| {
            let message = Message::engine("op-async-operand").with("shape", state.human_string());
            cx.error("async-1", message).at_operand(0)
        })
    }
}

impl OpDef for Half {
    fn meta(&self) -> &'static OpMeta {
        // Allocated once per half, and never freed.
        self.meta.get_or_init(|| Box::leak(Box::new(self.make_meta())))
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        match self.part {
            Part::Update => return self.state(cx).map(|(state, _)| state.clone()),
            Part::Done => return self.state(cx).map(|(_, result)| result.clone()),
            Part::Start => {}
        }
        let inner = self.inner(cx);
        let result = super::check(self.inner, &inner)?;
        let operands: Vec<Shape> = cx.operands.iter().map(|shape| (*shape).clone()).collect();
        let numbers = || {
            let written = cx.written.and_then(Shape::as_tuple).and_then(|parts| parts.get(2..));
            let is_number = |shape: &&Shape| {
                shape.as_array().is_some_and(|a| a.rank() == 0 && a.element_type.is_integral())
            };
            written.map(|numbers| numbers.iter().filter(is_number).cloned().collect::<Vec<Shape>>())
        };
        Ok(match self.style {
            Style::Same => result,
            Style::Copied => Shape::Tuple([result].into_iter().chain(operands).chain([context()]).collect()),
            Style::Pair => {
                let operands =
                    if operands.len() == 1 { operands[0].clone() } else { Shape::Tuple(operands.into()) };
                Shape::Tuple([operands, result].into_iter().chain(numbers().unwrap_or_default()).collect())
            }
            Style::Any => {
                let numbers = numbers().unwrap_or_else(|| vec![context()]);
                Shape::Tuple([Shape::Tuple(operands.into()), result].into_iter().chain(numbers).collect())
            }
        })
    }

    fn bind(&self, cx: &OpContext) -> Result<Body, OpError> {
        if self.part != Part::Start {
            return Ok(Body::Whole(Box::new(Rest(self.result_at().filter(|_| self.part == Part::Done)))));
        }
        let written = cx.written_shape()?;
        let shape = self.result_of(written).cloned().ok_or_else(|| {
            let message = Message::engine("op-async-operand").with("shape", written.human_string());
            cx.error("async-1", message)
        })?;
        let body = self.inner.bind(&self.inner(cx))?;
        let numbers = written.as_tuple().and_then(|parts| parts.get(2..)).unwrap_or_default().to_vec();
        Ok(Body::Calls(Box::new(Started { body, shape, style: self.style, numbers })))
    }

    fn omits(&self, name: &str, cx: &OpContext) -> bool {
        self.inner.omits(name, &self.inner(cx))
    }

    fn needs_admission(&self) -> bool {
        self.part == Part::Start && self.inner.needs_admission()
    }

    fn effect(&self, attrs: &Attrs) -> Effect {
        if self.part == Part::Start { self.inner.effect(attrs) } else { Effect::None }
    }
}

/// The first half.
struct Started {
    body: Body,
    shape: Shape,
    style: Style,
    numbers: Vec<Shape>,
}

impl Calls for Started {
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn Caller) -> OpFuture<'a, Data> {
        Box::pin(async move {
            let result = run.perform(&self.body, &self.shape, operands).await?;
            let zeros = |shape: &Shape| Literal::zeros(shape).map(Data::from);
            let numbers: Result<Vec<Data>, _> = self.numbers.iter().map(zeros).collect();
            let numbers = numbers.map_err(|e| OpError::new("async-start", e.rule, e.message))?;
            let first = match (self.style, operands) {
                (Style::Same, _) => return Ok(result),
                (Style::Copied, [operand, ..]) => {
                    return Ok(Data::Tuple([result, operand.clone()].into_iter().chain(numbers).collect()));
                }
                (Style::Pair, [operand]) => operand.clone(),
                _ => Data::Tuple(operands.into()),
            };
            Ok(Data::Tuple([first, result].into_iter().chain(numbers).collect()))
        })
    }

    fn sources<'a>(
        &'a self,
        operands: &'a [Data],
        cell: &'a CellAt,
        run: &'a mut dyn Caller,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(async move {
            let (head, rest) =
                cell.path.split_first().map_or((None, &[][..]), |(head, rest)| (Some(*head), rest));
            let of = |operand: usize, path: &[usize]| {
                let cell = CellAt { path: path.into(), index: cell.index.clone() };
                Ok(vec![Source { operand, cell, role: Role::Value }])
            };
            let result = CellAt { path: rest.into(), index: cell.index.clone() };
            match (self.style, head) {
                (Style::Same, _) => run.perform_sources(&self.body, &self.shape, operands, cell).await,
                (Style::Copied, Some(0)) | (Style::Pair | Style::Any, Some(1)) => {
                    run.perform_sources(&self.body, &self.shape, operands, &result).await
                }
                (Style::Copied, Some(1)) => of(0, rest),
                (Style::Pair, Some(0)) if operands.len() == 1 => of(0, rest),
                (Style::Pair | Style::Any, Some(0)) => match rest.split_first() {
                    Some((operand, path)) => of(*operand, path),
                    None => Ok(Vec::new()),
                },
                _ => Ok(Vec::new()),
            }
        })
    }

    fn enters(&self, operands: &[Data], nth: u64, parameter: usize, cell: &CellAt) -> Entered {
        match &self.body {
            Body::Calls(calls) => calls.enters(operands, nth, parameter, cell),
            _ => Entered::Nowhere,
        }
    }

    fn admit(&self, world: &dyn Environment) -> Result<(), OpError> {
        match &self.body {
            Body::Calls(calls) => calls.admit(world),
            _ => Ok(()),
        }
    }
}

/// A later half: all of the state, or the part that is the result.
struct Rest(Option<usize>);

impl WholeOp for Rest {
    fn evaluate(&self, operands: &[Data], _: &mut dyn Run) -> Result<Data, OpError> {
        let state = operand("async-done", operands, 0)?.clone();
        Ok(match self.0 {
            Some(at) => state.part(&[at]).cloned().or_bug(Data::Token, "a state without its result"),
            None => state,
        })
    }

    fn sources(&self, _: &[Data], cell: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let cell = self.0.map_or_else(|| cell.clone(), |at| cell.within(at));
        Ok(vec![Source { operand: 0, cell, role: Role::Value }])
    }
}

/// A computation in two halves.
struct Wrapped;

static WRAPPED: OpMeta = OpMeta {
    opcode: "async",
    title: "Async",
    names: &[],
    sections: &[],
    category: Category::Control,
    summary: "op-async-start",
    formula: "out = calls(operand_0, operand_1, …)",
    operands: Operands::any("argument"),
    argument: None,
    attrs: &[AttrSpec::required("calls", AttrKind::Computation, "attr-to-apply")],
    rules: &[],
    examples: &[],
};

impl OpDef for Wrapped {
    fn meta(&self) -> &'static OpMeta {
        &WRAPPED
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        call::infer(cx, "calls")
    }

    fn bind(&self, cx: &OpContext) -> Result<Body, OpError> {
        call::bind(cx, "calls")
    }
}
