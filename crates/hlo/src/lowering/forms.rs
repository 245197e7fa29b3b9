//! Recognizes builder forms, and lowers each by the builder's own method.

use super::arguments::{Arguments, COLLAPSE, broadcasts};
use super::{FormKind, LoweredForm};
use crate::builder::broadcasting::{MISSING_DIMENSIONS_RULE, suggest_dimensions};
use crate::builder::{ComputationBuilder, Op};
use crate::module::Module;
use xla_array::{ArrayShape, Edition, Shape, shape_util};
use xla_ops::{AttrValue, Attrs, Computations as _, OpError};

/// An instruction that may be a builder form.
pub struct Candidate<'a> {
    /// The opcode of the instruction.
    pub opcode: &'a str,
    /// The shapes of its distinct operands.
    pub shapes: &'a [&'a Shape],
    /// Its operands, as positions in `shapes`.
    pub operands: &'a [usize],
    /// The operands that `static_operands` names, as positions in `shapes`.
    pub static_operands: &'a [usize],
    /// The attributes of the instruction.
    pub attrs: &'a Attrs,
    /// Its builder arguments.
    pub arguments: &'a Arguments,
    /// The shape written before the opcode.
    pub written: Option<&'a Shape>,
    /// The module so far, with the computations it may call.
    pub module: &'a Module,
    /// The edition whose rules apply.
    pub edition: Edition,
}

/// Prefix of the names of computations that the text already has; their number follows.
pub(super) const EXISTING_PREFIX: &str = "existing.";
/// Prefix of the names given to computation bodies that are written inline.
pub(super) const INLINE_PREFIX: &str = "inline.";

/// The position of the first start index among the operands; `None` for operations without start indices.
fn first_start_index(opcode: &str) -> Option<usize> {
    match opcode {
        "dynamic-slice" => Some(1),
        "dynamic-update-slice" => Some(2),
        _ => None,
    }
}

impl Candidate<'_> {
    fn shape(&self, operand: usize) -> Option<&Shape> {
        self.shapes.get(*self.operands.get(operand)?).copied()
    }

    fn array(&self, operand: usize) -> Option<&ArrayShape> {
        self.shape(operand)?.as_array()
    }

    /// The position of the first operand that the called computation takes as a whole array; it and all further ones are static.
    fn first_static_operand(&self) -> Option<usize> {
        let AttrValue::Computation(callee) = self.attrs.get("to_apply")? else { return None };
        let (_, signature) = self.module.signature(*callee)?;
        let is_whole = |(parameter, operand): (&Shape, usize)| {
            let is_array = parameter.as_array().is_none_or(|array| array.rank() > 0);
            is_array && self.shape(operand).is_some_and(|shape| shape_util::compatible(parameter, shape))
        };
        let first = signature.parameters.iter().zip(0..).position(is_whole)?;
        (first > 0 && signature.parameters.len() == self.operands.len()).then_some(first)
    }

    fn kind(&self) -> Option<FormKind> {
        let arguments = self.arguments;
        match self.opcode {
            COLLAPSE => Some(FormKind::Collapse),
            "reshape" => arguments.dimensions.is_some().then_some(FormKind::ReshapeOrder),
            "broadcast" => {
                let is_sized = arguments.broadcast_sizes.is_some() && self.attrs.get("dimensions").is_none();
                is_sized.then_some(FormKind::BroadcastSizes)
            }
            "rng" => arguments.is_bernoulli.then_some(FormKind::Bernoulli),
            "map" => {
                let has_static_operands =
                    arguments.static_operands.is_some() || self.first_static_operand().is_some();
                has_static_operands.then_some(FormKind::StaticOperands)
            }
            opcode if broadcasts(opcode) && self.operands.len() == 2 => {
                let (a, b) = (self.array(0)?, self.array(1)?);
                let differ = a.element_type == b.element_type && a.dimensions != b.dimensions;
                (differ || arguments.broadcast_dimensions.is_some()).then_some(FormKind::Broadcasting)
            }
            opcode => {
                let from = first_start_index(opcode).filter(|_| self.edition == Edition::V2017)?;
                let mut starts = (from..self.operands.len()).map(|i| self.array(i));
                let are_scalars =
                    starts.len() > 0 && starts.all(|start| start.is_some_and(|s| s.rank() == 0));
                are_scalars.then_some(FormKind::ScalarStartIndices)
            }
        }
    }

    /// The called computation as a module, under names that identify the computations of the text.
    fn callee(&self) -> Option<Module> {
        let AttrValue::Computation(callee) = self.attrs.get("to_apply")? else { return None };
        let computations = self.module.computations.get(..=callee.0 as usize)?;
        let renamed = computations.iter().enumerate().map(|(i, computation)| {
            let mut computation = computation.clone();
            let prefix = if computation.name.is_empty() { INLINE_PREFIX } else { EXISTING_PREFIX };
            computation.name = format!("{prefix}{i}");
            computation
        });
        Some(Module { computations: renamed.collect(), entry: Some(*callee), ..Module::default() })
    }

    /// The result dimensions that those of the operand of lower rank probably become: for a fix, because XLA never guesses. In
    /// XLA 2017 the text may say them, and the builder's error has them as its fix.
    fn suggested_dimensions(&self) -> Option<Vec<i64>> {
        let (a, b) = (self.array(0)?, self.array(1)?);
        let (small, large) = if a.rank() < b.rank() { (a, b) } else { (b, a) };
        let guesses = self.edition == Edition::Current && small.rank() < large.rank();
        guesses.then(|| suggest_dimensions(&small.dimensions, &large.dimensions))?
    }

    /// Adds the form by the builder's method. `parameters` are the distinct operands. `None` if a required argument is missing.
    fn build(
        &self,
        kind: FormKind,
        b: &ComputationBuilder,
        parameters: &[Op],
    ) -> Option<Result<Op, OpError>> {
        let arguments = self.arguments;
        let at = |positions: &[usize]| -> Vec<Op> {
            positions.iter().filter_map(|i| parameters.get(*i).copied()).collect()
        };
        let operands = at(self.operands);
        Some(match kind {
            FormKind::Broadcasting => {
                let op = xla_ops::find(self.opcode)?.meta().opcode;
                let suggested = self.suggested_dimensions();
                let dimensions = arguments.broadcast_dimensions.as_deref().or(suggested.as_deref());
                b.binary(op, [operands[0], operands[1]], dimensions.unwrap_or_default(), self.attrs.clone())
            }
            FormKind::BroadcastSizes => {
                b.broadcast(*operands.first()?, arguments.broadcast_sizes.as_deref()?)
            }
            FormKind::Collapse => b.collapse(*operands.first()?, arguments.dimensions.as_deref()?),
            FormKind::ReshapeOrder => {
                let sizes = &self.written?.as_array()?.dimensions;
                b.reshape_with_dimensions(*operands.first()?, arguments.dimensions.as_deref()?, sizes)
            }
            FormKind::Bernoulli => b.rng_bernoulli(*operands.first()?, self.written?),
            FormKind::StaticOperands => {
                let callee = self.callee()?;
                let first_static = self.first_static_operand().filter(|_| self.static_operands.is_empty());
                let (mapped, statics) = operands.split_at(first_static.unwrap_or(operands.len()));
                let statics: Vec<Op> = statics.iter().copied().chain(at(self.static_operands)).collect();
                b.map(mapped, &callee, &statics)
            }
            FormKind::ScalarStartIndices => {
                let (arrays, starts) = operands.split_at(first_start_index(self.opcode)?);
                concatenated_start_indices(b, starts).and_then(|starts| match *arrays {
                    [operand] => {
                        b.instruction(self.opcode, &[operand, starts], self.attrs.clone(), self.written)
                    }
                    _ => {
                        b.instruction(self.opcode, &[arrays, &[starts]].concat(), Attrs::new(), self.written)
                    }
                })
            }
            // These are lowered by replacing an attribute value.
            FormKind::Padding | FormKind::Dimension => return None,
        })
    }
}

/// Concatenates scalar start indices to one vector.
fn concatenated_start_indices(b: &ComputationBuilder, starts: &[Op]) -> Result<Op, OpError> {
    let vectors = starts.iter().map(|start| b.reshape(*start, &[1])).collect::<Result<Vec<_>, _>>()?;
    match vectors[..] {
        [only] => Ok(only),
        _ => b.concat_in_dim(&vectors, 0),
    }
}

/// Recognizes and lowers the builder form of an instruction. Returns the error of the builder, or `None` for plain HLO and where
/// the op itself reports the error.
pub fn recognize(candidate: &Candidate) -> Option<Result<LoweredForm, OpError>> {
    let kind = candidate.kind()?;
    let b = ComputationBuilder::with_edition("form", candidate.edition);
    let parameters = candidate.shapes.iter().zip(0..).map(|(shape, i)| b.parameter(i, shape, ""));
    let parameters: Vec<Op> = parameters.collect::<Result<_, _>>().ok()?;
    let lowered = candidate.build(kind, &b, &parameters)?.and_then(|root| {
        let shape = b.shape(root)?;
        Ok(LoweredForm { kind, module: b.build_with_root(root)?, shape })
    });
    let is_builder_form = candidate.arguments.first_name().is_some() || kind == FormKind::Collapse;
    let is_repairable = |error: &OpError| {
        error.rule == MISSING_DIMENSIONS_RULE && error.hints.iter().any(|hint| hint.fix.is_some())
    };
    match lowered {
        // The error of the op is more helpful, unless an argument of the builder repairs the instruction.
        Err(error) if !is_builder_form && !is_repairable(&error) => None,
        lowered => Some(lowered),
    }
}
