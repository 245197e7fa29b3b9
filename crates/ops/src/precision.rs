//! Mixed precision: floating-point types of at most 32 bits that differ within one instruction.
//!
//! XLA's shape inference allows them, and its verifier on request, because the pass `FloatNormalization` unifies the
//! types before a backend sees them (it does not handle `f64`). No backend runs the instruction as it is, so the text
//! is valid, but a run rejects it. Contractions, whose types may differ in a run, check their types themselves. Source:
//! `ShapeVerifier::CheckShape`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::attrs::ComputationId;
use super::computations::{Computations, Signature};
use super::error::OpError;
use super::infer::OpContext;
use super::op_def::OpDef;
use super::products::higher_precision;
use super::read::Region;
use super::rules;
use super::semantics::Semantics;
use xla_array::{Class, Dynamic, Edition, ElementType, Shape, shape_util};
use xla_messages::i18n::Message;

/// Ops that return their operands unchanged, or whose types XLA compares exactly.
const OPS_WITH_EXACT_TYPES: [&str; 22] = [
    "bitcast",
    "broadcast",
    "call",
    "complex",
    "conditional",
    "constant",
    "copy-done",
    "copy-start",
    "custom-call",
    "domain",
    "dynamic-reshape",
    "fusion",
    "get-tuple-element",
    "infeed",
    "opt-barrier",
    "outfeed",
    "reshape",
    "stochastic-convert",
    "triangular-solve",
    "tuple",
    "while",
    "rng-bit-generator",
];

/// Whether types of mixed precision may include this one.
fn can_be_mixed(element_type: ElementType) -> bool {
    element_type.class() == Class::Float && element_type.bits() <= 32
}

/// Calls `f` with the element type of every array in a shape.
fn for_each_type(shape: &Shape, f: &mut dyn FnMut(ElementType)) {
    match shape {
        Shape::Array(array) => f(array.element_type),
        Shape::Tuple(elements) => elements.iter().for_each(|element| for_each_type(element, f)),
        _ => {}
    }
}

/// Whether operands, written result and called computations have floating-point types that differ only in precision.
fn has_mixed_precision(cx: &OpContext) -> bool {
    if cx.edition == Edition::V2017
        || OPS_WITH_EXACT_TYPES.contains(&cx.meta.opcode)
        || ["-start", "-update", "-done"].iter().any(|end| cx.meta.opcode.ends_with(end))
    {
        return false;
    }
    let (mut first, mut differs) = (None, false);
    let mut visit = |element_type: ElementType| {
        if can_be_mixed(element_type) {
            differs |= *first.get_or_insert(element_type) != element_type;
        }
    };
    cx.operands.iter().copied().chain(cx.written).for_each(|shape| for_each_type(shape, &mut visit));
    for id in cx.attrs.computations() {
        let Some((_, signature)) = cx.computations.signature(id) else { continue };
        let shapes = signature.parameters.iter().chain([&signature.result]);
        shapes.for_each(|shape| for_each_type(shape, &mut visit));
    }
    differs
}

/// A shape with `f32` in place of every type for which [`can_be_mixed`] holds.
fn promoted_to_f32(shape: &Shape) -> Shape {
    match shape {
        Shape::Array(array) if can_be_mixed(array.element_type) => {
            let mut array = array.clone();
            array.element_type = ElementType::F32;
            Shape::Array(array)
        }
        Shape::Tuple(elements) => Shape::tuple(elements.iter().map(promoted_to_f32)),
        other => other.clone(),
    }
}

/// The computations that an instruction calls, with signatures promoted to `f32`.
struct PromotedComputations<'a> {
    computations: &'a dyn Computations,
    signatures: BTreeMap<ComputationId, (&'a str, Signature)>,
}

impl Computations for PromotedComputations<'_> {
    fn signature(&self, id: ComputationId) -> Option<(&str, &Signature)> {
        self.signatures.get(&id).map(|(name, signature)| (*name, signature))
    }

    fn region(&self, id: ComputationId, edition: Edition) -> Result<Arc<Region>, OpError> {
        self.computations.region(id, edition)
    }
}

/// Checks an instruction by all its rules. Returns its shape: the written one if there is one, else the inferred one.
/// Types that differ only in precision are allowed: [`check_uniform`] rejects them.
pub fn check(op: &dyn OpDef, cx: &OpContext) -> Result<Shape, OpError> {
    let shape = rules::check_without_mixed_precision(op, cx);
    let shape = shape.or_else(|error| mixed_shape(op, cx).ok_or(error));
    shape.map_err(|error| unbounded_operand(cx).unwrap_or(error))
}

/// The error of an op with an operand of unknown size, instead of one about the number that stands for that size.
fn unbounded_operand(cx: &OpContext) -> Option<OpError> {
    let unbounded_dimension = |shape: &Shape| {
        let shape = shape.as_array()?;
        (0..shape.rank()).find(|d| shape.dynamic_of(*d) == Dynamic::Unbounded)
    };
    let mut operands = cx.operands.iter().enumerate();
    let (operand, dimension) = operands.find_map(|(i, shape)| Some((i, unbounded_dimension(shape)?)))?;
    let message = Message::ops("op-unbounded").with("op", cx.meta.opcode).with("dimension", dimension);
    let error = cx.error("unbounded-dimension", message).at_operand(operand);
    Some(error.with_hint(Message::ops("op-hint-static")))
}

/// The shape of an instruction that is valid but for the precision of its types; `None` if it is invalid.
fn mixed_shape(op: &dyn OpDef, cx: &OpContext) -> Option<Shape> {
    if !has_mixed_precision(cx) {
        return None;
    }
    let operands: Vec<Shape> = cx.operands.iter().map(|shape| promoted_to_f32(shape)).collect();
    let operands: Vec<&Shape> = operands.iter().collect();
    let mut signatures = BTreeMap::new();
    for id in cx.attrs.computations() {
        let (name, signature) = cx.computations.signature(id)?;
        let parameters = signature.parameters.iter().map(promoted_to_f32).collect();
        signatures.insert(id, (name, Signature { parameters, result: promoted_to_f32(&signature.result) }));
    }
    let written = cx.written.map(promoted_to_f32);
    let computations = PromotedComputations { computations: cx.computations, signatures };
    let promoted_cx = OpContext {
        meta: cx.meta,
        operands: &operands,
        attrs: cx.attrs,
        written: written.as_ref(),
        computations: &computations,
        edition: cx.edition,
    };
    let shape = rules::check_without_mixed_precision(op, &promoted_cx).ok()?;
    let Some(written) = cx.written else { return Some(with_inferred_types(cx, &shape)) };
    // An update happens in place.
    let is_in_place = cx.meta.opcode == "dynamic-update-slice";
    if is_in_place && !cx.operands.first().is_some_and(|operand| shape_util::compatible(written, operand)) {
        return None;
    }
    Some(written.clone())
}

/// The type of result `k` of an instruction whose shape is not written.
fn result_type(cx: &OpContext, k: usize) -> Option<ElementType> {
    let of_operand = |i: usize| cx.operands.get(i)?.as_array().map(|array| array.element_type);
    match cx.meta.opcode {
        "reduce" | "map" => {
            let id = cx.attrs.computations().next()?;
            let (_, signature) = cx.computations.signature(id)?;
            let result = match &signature.result {
                Shape::Tuple(results) => results.get(k)?,
                result => result,
            };
            result.as_array().map(|array| array.element_type)
        }
        "sort" | "all-reduce" | "reduce-window" | "scatter" | "all-gather" | "all-to-all" => of_operand(k),
        "clamp" => of_operand(1),
        "dynamic-update-slice" | "select-and-scatter" => of_operand(0),
        opcode if opcode.starts_with("batch-norm") => of_operand(0),
        _ => (0..cx.operands.len())
            .filter_map(of_operand)
            .filter(|t| can_be_mixed(*t))
            .reduce(higher_precision),
    }
}

/// An inferred shape with the types that XLA infers in place of `f32`.
fn with_inferred_types(cx: &OpContext, shape: &Shape) -> Shape {
    let with_type = |k: usize, shape: &Shape| match shape {
        Shape::Array(array) if array.element_type == ElementType::F32 => {
            let mut array = array.clone();
            array.element_type = result_type(cx, k).unwrap_or(ElementType::F32);
            Shape::Array(array)
        }
        other => other.clone(),
    };
    match shape {
        Shape::Tuple(elements) => Shape::tuple(elements.iter().enumerate().map(|(k, e)| with_type(k, e))),
        single => with_type(0, single),
    }
}

/// Rejects an instruction that is valid but for the precision of its types, which no backend runs.
pub fn check_uniform(op: &dyn OpDef, cx: &OpContext) -> Result<(), OpError> {
    if !has_mixed_precision(cx) || rules::check_without_mixed_precision(op, cx).is_ok() {
        return Ok(());
    }
    let mut names: Vec<&str> = Vec::new();
    let mut visit = |element_type: ElementType| {
        if can_be_mixed(element_type) && !names.contains(&element_type.name()) {
            names.push(element_type.name());
        }
    };
    cx.operands.iter().copied().chain(cx.written).for_each(|shape| for_each_type(shape, &mut visit));
    let message =
        Message::ops("op-mixed-precision").with("op", cx.meta.opcode).with("types", names.join(", "));
    Err(cx.error("mixed-precision", message).with_hint(Message::ops("op-hint-convert")))
}

/// The semantics of an instruction, which must have passed [`check`](super::check).
pub fn bind(op: &dyn OpDef, cx: &OpContext) -> Result<Semantics, OpError> {
    check_uniform(op, cx)?;
    op.bind(cx)
}
