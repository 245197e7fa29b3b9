//! Recognises the forms of an instruction, and lowers each by the builder's own method.

use super::arguments::{Arguments, COLLAPSE, broadcasts};
use super::{Form, Kind};
use crate::builder::{ComputationBuilder, Op};
use crate::module::Module;
use xla_array::{ArrayShape, Edition, Shape, shape_util};
use xla_ops::{AttrValue, Attrs, Computations as _, OpError};

/// An instruction that may be a form.
pub struct Request<'a> {
    /// Its opcode.
    pub opcode: &'a str,
    /// The shapes of its operands, each once.
    pub shapes: &'a [&'a Shape],
    /// Its operands, as positions in `shapes`.
    pub operands: &'a [usize],
    /// The operands that `static_operands` names.
    pub static_operands: &'a [usize],
    /// Its attributes.
    pub attrs: &'a Attrs,
    /// Its arguments of the builder.
    pub arguments: &'a Arguments,
    /// The shape that is written before the opcode.
    pub written: Option<&'a Shape>,
    /// The computations that it may call.
    pub module: &'a Module,
    /// The edition whose rules apply.
    pub edition: Edition,
}

/// The beginning of the names of computations that the text already has, followed by their number.
pub(super) const EXISTING: &str = "existing.";
/// The beginning of the names given to bodies that are written in place of a name.
pub(super) const INLINE: &str = "inline.";

/// The operations with start indices, and the number of operands before them.
fn starts_at(opcode: &str) -> Option<usize> {
    match opcode {
        "dynamic-slice" => Some(1),
        "dynamic-update-slice" => Some(2),
        _ => None,
    }
}

impl Request<'_> {
    fn shape(&self, operand: usize) -> Option<&Shape> {
        self.shapes.get(*self.operands.get(operand)?).copied()
    }

    fn array(&self, operand: usize) -> Option<&ArrayShape> {
        self.shape(operand)?.as_array()
    }

    /// The position of the first operand that the called computation takes as a whole; all further ones are static.
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

    fn kind(&self) -> Option<Kind> {
        let arguments = self.arguments;
        match self.opcode {
            COLLAPSE => Some(Kind::Collapse),
            "reshape" => arguments.dimensions.is_some().then_some(Kind::ReshapeOrder),
            "broadcast" => {
                let is_sized = arguments.broadcast_sizes.is_some() && self.attrs.get("dimensions").is_none();
                is_sized.then_some(Kind::BroadcastSizes)
            }
            "rng" => arguments.is_bernoulli.then_some(Kind::Bernoulli),
            "map" => {
                let has_some = arguments.static_operands.is_some() || self.first_static_operand().is_some();
                has_some.then_some(Kind::StaticOperands)
            }
            opcode if broadcasts(opcode) && self.operands.len() == 2 => {
                let (a, b) = (self.array(0)?, self.array(1)?);
                let differ = a.element_type == b.element_type && a.dimensions != b.dimensions;
                (differ || arguments.broadcast_dimensions.is_some()).then_some(Kind::Broadcasting)
            }
            opcode => {
                let from = starts_at(opcode).filter(|_| self.edition == Edition::V2017)?;
                let mut starts = (from..self.operands.len()).map(|i| self.array(i));
                let are_scalars =
                    starts.len() > 0 && starts.all(|start| start.is_some_and(|s| s.rank() == 0));
                are_scalars.then_some(Kind::Starts)
            }
        }
    }

    /// A module whose entry is a computation of the text.
    fn callee(&self) -> Option<Module> {
        let AttrValue::Computation(callee) = self.attrs.get("to_apply")? else { return None };
        let computations = self.module.computations.get(..=callee.0 as usize)?;
        let renamed = computations.iter().enumerate().map(|(i, computation)| {
            let mut computation = computation.clone();
            let prefix = if computation.name.is_empty() { INLINE } else { EXISTING };
            computation.name = format!("{prefix}{i}");
            computation
        });
        Some(Module { computations: renamed.collect(), entry: Some(*callee), ..Module::default() })
    }

    /// Adds the form, whose operands are `operands`, by the builder's method.
    fn build(&self, kind: Kind, b: &ComputationBuilder, parameters: &[Op]) -> Option<Result<Op, OpError>> {
        let arguments = self.arguments;
        let at = |positions: &[usize]| -> Vec<Op> {
            positions.iter().filter_map(|i| parameters.get(*i).copied()).collect()
        };
        let operands = at(self.operands);
        Some(match kind {
            Kind::Broadcasting => {
                let op = xla_ops::find(self.opcode)?.meta().opcode;
                let dimensions = arguments.broadcast_dimensions.as_deref().unwrap_or_default();
                b.binary(op, [operands[0], operands[1]], dimensions, self.attrs.clone())
            }
            Kind::BroadcastSizes => b.broadcast(*operands.first()?, arguments.broadcast_sizes.as_deref()?),
            Kind::Collapse => b.collapse(*operands.first()?, arguments.dimensions.as_deref()?),
            Kind::ReshapeOrder => {
                let sizes = &self.written?.as_array()?.dimensions;
                b.reshape_with_dimensions(*operands.first()?, arguments.dimensions.as_deref()?, sizes)
            }
            Kind::Bernoulli => b.rng_bernoulli(*operands.first()?, self.written?),
            Kind::StaticOperands => {
                let callee = self.callee()?;
                let own = self.first_static_operand().filter(|_| self.static_operands.is_empty());
                let (mapped, whole) = operands.split_at(own.unwrap_or(operands.len()));
                let whole: Vec<Op> = whole.iter().copied().chain(at(self.static_operands)).collect();
                b.map(mapped, &callee, &whole)
            }
            Kind::Starts => {
                let (arrays, starts) = operands.split_at(starts_at(self.opcode)?);
                joined_starts(b, starts).and_then(|starts| match *arrays {
                    [operand] => {
                        b.instruction(self.opcode, &[operand, starts], self.attrs.clone(), self.written)
                    }
                    _ => {
                        b.instruction(self.opcode, &[arrays, &[starts]].concat(), Attrs::new(), self.written)
                    }
                })
            }
            // These become numbers in place.
            Kind::Padding | Kind::Dimension => return None,
        })
    }
}

/// Scalar start indices as one vector.
fn joined_starts(b: &ComputationBuilder, starts: &[Op]) -> Result<Op, OpError> {
    let vectors = starts.iter().map(|start| b.reshape(*start, &[1])).collect::<Result<Vec<_>, _>>()?;
    match vectors[..] {
        [only] => Ok(only),
        _ => b.concat_in_dim(&vectors, 0),
    }
}

/// The form that an instruction is, lowered, or the error of the builder. `None` for plain HLO, and where the rules of
/// the op itself say what is wrong.
pub fn recognise(request: &Request) -> Option<Result<Form, OpError>> {
    let kind = request.kind()?;
    let b = ComputationBuilder::with_edition("form", request.edition);
    let parameters = request.shapes.iter().zip(0..).map(|(shape, i)| b.parameter(i, shape, ""));
    let parameters: Vec<Op> = parameters.collect::<Result<_, _>>().ok()?;
    let lowered = request.build(kind, &b, &parameters)?.and_then(|root| {
        let shape = b.shape(root)?;
        Ok(Form { kind, built: b.build_with_root(root)?, shape })
    });
    // Without an argument of the builder, the op's own rule is the better message.
    if lowered.is_err() && request.arguments.written().is_none() && kind != Kind::Collapse {
        None
    } else {
        Some(lowered)
    }
}
