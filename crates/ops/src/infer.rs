//! The context of shape inference: an instruction's operands and attributes, and the rules that all ops share.
//!
//! Rules: `operand-count`, `operand-array`, `attribute-missing`, `result-missing`, `result-differs`,
//! `call-signature`; those of single ops are in their [`OpMeta`].

use std::collections::HashSet;
use std::sync::Arc;

use super::attrs::{AttrValue, ComputationId, PaddingDim, SliceDim, WindowDim};
use super::computations::{Computations, Signature};
use super::error::{OpError, OpPart};
use super::read::Region;
use super::{Attrs, OpMeta};
use xla_array::{ArrayShape, Dims, Edition, ElementType, Shape, shape_util, validate};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// An instruction whose shape is to be inferred, or which is to be run.
pub struct OpContext<'a> {
    /// The metadata of its op.
    pub meta: &'static OpMeta,
    /// The shapes of its operands.
    pub operands: &'a [&'a Shape],
    /// The attributes of the instruction.
    pub attrs: &'a Attrs,
    /// The shape written before the opcode, if there is one.
    pub written: Option<&'a Shape>,
    /// The computations it may call.
    pub computations: &'a dyn Computations,
    /// The edition of XLA.
    pub edition: Edition,
}

/// Numbers separated by commas, as in the braces of an attribute.
pub fn comma_separated(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

impl<'a> OpContext<'a> {
    /// The error that the instruction violates a rule.
    pub fn error(&self, rule: &'static str, message: Message) -> OpError {
        OpError::new(self.meta.opcode, rule, message)
    }

    /// The shape of an operand.
    pub fn operand(&self, i: usize) -> Result<&'a Shape, OpError> {
        self.operands.get(i).copied().ok_or_else(|| self.operand_count_error())
    }

    /// The name of an operand in messages, numbered if several have the same name.
    pub fn label(&self, i: usize) -> String {
        self.meta.operands.label(i, self.operands.len())
    }

    fn operand_count_error(&self) -> OpError {
        let names = self.meta.operands.fixed_in(self.edition);
        let message = Message::ops("op-operand-count")
            .with("op", self.meta.opcode)
            .with("expected", names.len())
            .with("names", names.join(", "))
            .with("found", self.operands.len());
        self.error("operand-count", message)
    }

    /// Checks the number of operands.
    pub fn check_operand_count(&self) -> Result<(), OpError> {
        if self.meta.operands.allows_count(self.operands.len(), self.edition) {
            Ok(())
        } else {
            Err(self.operand_count_error())
        }
    }

    /// The shape of an operand, which must be an array.
    pub fn array(&self, i: usize) -> Result<&'a ArrayShape, OpError> {
        let shape = self.operand(i)?;
        shape.as_array().ok_or_else(|| {
            let message = Message::ops("op-operand-array")
                .with("operand", self.label(i))
                .with("shape", shape.human_string());
            self.error("operand-array", message).at_operand(i)
        })
    }

    /// The shapes of all operands, which must be arrays.
    pub fn arrays(&self) -> Result<Vec<&'a ArrayShape>, OpError> {
        (0..self.operands.len()).map(|i| self.array(i)).collect()
    }

    /// The result shape written before the opcode; an error if it is missing.
    pub fn require_result_shape(&self) -> Result<&'a Shape, OpError> {
        self.written.ok_or_else(|| {
            let message = Message::ops("op-result-missing").with("op", self.meta.opcode);
            let advice = Message::ops("op-hint-result").with("op", self.meta.opcode);
            self.error("result-missing", message).at(OpPart::Opcode).with_hint(advice)
        })
    }

    /// The explicit result shape, written before the opcode: for ops whose shape cannot be inferred. An error if it is missing
    /// or not an array.
    pub fn explicit_result_array(&self) -> Result<&'a ArrayShape, OpError> {
        let shape = self.require_result_shape()?;
        shape.as_array().ok_or_else(|| {
            let message = Message::ops("op-result-array").with("shape", shape.human_string());
            self.error("result-array", message).at(OpPart::Result)
        })
    }

    /// An array of this type and sizes, with the default layout.
    pub fn result(
        &self,
        element_type: ElementType,
        dimensions: impl IntoIterator<Item = i64>,
    ) -> Result<Shape, OpError> {
        let shape = ArrayShape::new(element_type, dimensions);
        match validate::rank(shape.rank()).and_then(|()| validate::sizes(&shape)) {
            Ok(()) => Ok(Shape::Array(shape)),
            Err(violation) => Err(self.error(violation.rule, violation.message)),
        }
    }

    /// Checks that an explicit result shape is the inferred one, except for layouts.
    pub fn check_written(&self, inferred: &Shape) -> Result<(), OpError> {
        let Some(written) = self.written.filter(|written| !shape_util::compatible(written, inferred)) else {
            return Ok(());
        };
        let message = Message::ops("op-result-differs")
            .with("inferred", inferred.human_string())
            .with("written", written.human_string());
        Err(self
            .error("result-differs", message)
            .at(OpPart::Result)
            .with_fix(OpPart::Result, inferred.human_string()))
    }

    fn missing_attribute(&self, name: &'static str) -> OpError {
        let message = Message::ops("op-attribute-missing").with("op", self.meta.opcode).with("name", name);
        self.error("attribute-missing", message)
    }

    /// Checks that required attributes are present.
    pub fn check_required_attrs(&self) -> Result<(), OpError> {
        let specs = self.meta.attrs.iter().chain(&self.meta.inline_attr);
        match specs.filter(|spec| spec.required).find(|spec| self.attrs.get(spec.name).is_none()) {
            Some(spec) => Err(self.missing_attribute(spec.name)),
            None => Ok(()),
        }
    }

    /// The numbers of an attribute; empty if it is omitted.
    pub fn ints(&self, name: &'static str) -> &'a [i64] {
        if let Some(AttrValue::Ints(ints)) = self.attrs.get(name) { ints } else { &[] }
    }

    /// The number of an attribute.
    pub fn int(&self, name: &'static str) -> Result<i64, OpError> {
        if let Some(AttrValue::Int(n)) = self.attrs.get(name) {
            Ok(*n)
        } else {
            Err(self.missing_attribute(name))
        }
    }

    /// A keyword, if the attribute is written.
    pub fn keyword(&self, name: &str) -> Option<&'static str> {
        if let Some(AttrValue::Keyword(word)) = self.attrs.get(name) { Some(word) } else { None }
    }

    /// A boolean; false if it is omitted.
    pub fn flag(&self, name: &str) -> bool {
        self.attrs.get(name) == Some(&AttrValue::Bool(true))
    }

    /// Whether a boolean attribute is false, which XLA does not print.
    pub(super) fn is_false(&self, name: &str) -> bool {
        self.attrs.get(name) == Some(&AttrValue::Bool(false))
    }

    /// Padding, one entry per dimension.
    pub fn padding(&self, name: &'static str) -> Result<&'a [PaddingDim], OpError> {
        if let Some(AttrValue::Padding(dims)) = self.attrs.get(name) {
            Ok(dims)
        } else {
            Err(self.missing_attribute(name))
        }
    }

    /// A window, one entry per dimension; empty if it is omitted.
    pub fn window(&self, name: &str) -> &'a [WindowDim] {
        if let Some(AttrValue::Window(dims)) = self.attrs.get(name) { dims } else { &[] }
    }

    /// Ranges, one per dimension.
    pub fn slice(&self, name: &'static str) -> Result<&'a [SliceDim], OpError> {
        if let Some(AttrValue::Slice(dims)) = self.attrs.get(name) {
            Ok(dims)
        } else {
            Err(self.missing_attribute(name))
        }
    }

    /// A called computation.
    pub fn computation(&self, name: &'static str) -> Result<ComputationId, OpError> {
        if let Some(AttrValue::Computation(id)) = self.attrs.get(name) {
            Ok(*id)
        } else {
            Err(self.missing_attribute(name))
        }
    }

    /// The name and the signature of a called computation.
    pub fn signature(&self, name: &'static str) -> Result<(&'a str, &'a Signature), OpError> {
        let id = self.computation(name)?;
        let (computation, signature) =
            self.computations.signature(id).ok_or_else(|| self.missing_attribute(name))?;
        Ok((if computation.is_empty() { name } else { computation }, signature))
    }

    /// A called computation, compiled for scalars.
    pub fn region(&self, name: &'static str) -> Result<Arc<Region>, OpError> {
        self.computations.region(self.computation(name)?, self.edition)
    }

    /// The dimension numbers of an attribute, which must all be dimensions of an array of this rank, each once.
    /// `rules`: that of a number out of range, and that of a duplicate.
    pub fn dimensions(
        &self,
        name: &'static str,
        rank: usize,
        rules: [&'static str; 2],
    ) -> Result<Vec<usize>, OpError> {
        validate::rank(rank)
            .map_err(|violation| self.error(violation.rule, violation.message).at_attr(name))?;
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        for &d in self.ints(name) {
            let Some(dimension) = usize::try_from(d).ok().filter(|d| *d < rank) else {
                return Err(self.out_of_range(rules[0], name, d, rank));
            };
            if !seen.insert(dimension) {
                let message = Message::ops("op-dimension-repeated").with("name", name).with("dimension", d);
                let mut kept = HashSet::new();
                let once: Vec<i64> = self.ints(name).iter().copied().filter(|d| kept.insert(*d)).collect();
                let fix = format!("{{{}}}", comma_separated(&once));
                return Err(self.error(rules[1], message).at_attr(name).with_fix(OpPart::Attr(name), fix));
            }
            found.push(dimension);
        }
        Ok(found)
    }

    /// The error that a dimension number is out of range for this rank.
    pub fn out_of_range(&self, rule: &'static str, name: &'static str, d: i64, rank: usize) -> OpError {
        let message =
            Message::ops("op-dimension-range").with("name", name).with("dimension", d).with("rank", rank);
        let error = self.error(rule, message).at_attr(name);
        // One beyond the last dimension is usually a dimension counted from 1.
        let is_next = usize::try_from(d) == Ok(rank) && !self.ints(name).contains(&(d - 1));
        if !is_next || d == 0 {
            return error;
        }
        let corrected: Vec<i64> =
            self.ints(name).iter().map(|other| if *other == d { d - 1 } else { *other }).collect();
        if corrected.is_empty() {
            return error;
        }
        error.with_fix(OpPart::Attr(name), format!("{{{}}}", comma_separated(&corrected)))
    }

    /// The error that operand `i` does not have the element type of operand 0.
    pub fn type_mismatch(&self, rule: &'static str, i: usize) -> OpError {
        let shown = |i: usize| {
            self.operands.get(i).map(|s| s.human_string()).or_bug(String::new(), "no such operand")
        };
        let message = Message::ops("op-other-type")
            .with("operand", self.label(i))
            .with("found", shown(i))
            .with("other", self.label(0))
            .with("expected", shown(0));
        let error = self.error(rule, message).at_operand(i);
        let error = match self.operands.first().and_then(|shape| shape.as_array()) {
            Some(array) => self.with_type_fix(error, i, array.element_type),
            None => error,
        };
        match self.operands.first().and_then(|shape| shape.as_array()) {
            Some(array) => self.with_conversion(error, i, array.element_type),
            None => error,
        }
    }

    /// The error that operand `i` does not have the sizes of operand `expected`.
    pub fn size_mismatch(&self, rule: &'static str, i: usize, expected: usize) -> OpError {
        let shown = |i: usize| {
            self.operands.get(i).map(|s| s.human_string()).or_bug(String::new(), "no such operand")
        };
        let message = Message::ops("op-other-sizes")
            .with("operand", self.label(i))
            .with("found", shown(i))
            .with("other", self.label(expected))
            .with("expected", shown(expected));
        let error = self.error(rule, message).at_operand(i);
        let sizes = self
            .operands
            .get(expected)
            .and_then(|shape| shape.as_array())
            .map(|array| array.dimensions.clone());
        match sizes {
            Some(sizes) => {
                let fixed = self.with_resize_fix(error, i, sizes);
                fixed.with_hint(Message::ops("op-hint-broadcast-instead"))
            }
            None => error.with_hint(Message::ops("op-hint-broadcast")),
        }
    }

    /// Adds the fix that changes the sizes of an operand.
    pub fn with_resize_fix(&self, error: OpError, operand: usize, sizes: Dims) -> OpError {
        let Some(array) = self.operands.get(operand).and_then(|shape| shape.as_array()) else { return error };
        self.with_shape_fix(error, operand, ArrayShape::new(array.element_type, sizes))
    }

    /// Adds the fix that changes the element type of an operand.
    pub fn with_type_fix(&self, error: OpError, operand: usize, element_type: ElementType) -> OpError {
        let Some(array) = self.operands.get(operand).and_then(|shape| shape.as_array()) else { return error };
        self.with_shape_fix(error, operand, ArrayShape::new(element_type, array.dimensions.clone()))
    }

    /// Adds the fix that converts an operand by an instruction before it; a suggestion alone where XLA has no such conversion.
    pub fn with_conversion(&self, error: OpError, operand: usize, element_type: ElementType) -> OpError {
        let array = self.operands.get(operand).and_then(|shape| shape.as_array());
        let is_real = |t: ElementType| !t.is_complex();
        let convertible = array.filter(|array| is_real(array.element_type) || !is_real(element_type));
        let Some(array) = convertible else { return error.with_hint(Message::ops("op-hint-convert")) };
        let shape = Shape::Array(ArrayShape::new(element_type, array.dimensions.clone())).human_string();
        let message = Message::ops("op-hint-convert-to").with("shape", shape.as_str());
        error.with_described_fix(message, OpPart::Converted(operand), shape)
    }

    fn with_shape_fix(&self, error: OpError, operand: usize, shape: ArrayShape) -> OpError {
        let shape = Shape::Array(shape).human_string();
        let message = Message::ops("op-hint-operand-shape")
            .with("operand", self.label(operand))
            .with("shape", shape.as_str());
        error.with_described_fix(message, OpPart::OperandShape(operand), shape)
    }
}
