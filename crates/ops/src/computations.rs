//! The computations that instructions call, as their callers see them.

use std::sync::Arc;

use super::attrs::{Attrs, ComputationId};
use super::error::OpError;
use super::read::Region;
use xla_array::{Edition, Shape};

/// Parameters and result of a computation.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The shapes of the parameters, by number.
    pub parameters: Vec<Shape>,
    /// The shape of the root.
    pub result: Shape,
}

/// A computation that is a single binary op on its parameters, such as `add(a, b)`.
#[derive(Clone, Copy, Debug)]
pub struct SingleBinaryOp<'a> {
    /// The opcode of the only op.
    pub opcode: &'static str,
    /// The attributes of the only op.
    pub attrs: &'a Attrs,
    /// The numbers of the parameters that are its operands.
    pub parameters: [usize; 2],
}

/// The computations that instructions may call.
pub trait Computations {
    /// The name, and the signature.
    fn signature(&self, id: ComputationId) -> Option<(&str, &Signature)>;

    /// The computation compiled for scalars; `region-scalar` if one of its values is not a scalar.
    fn region(&self, id: ComputationId, edition: Edition) -> Result<Arc<Region>, OpError>;

    /// The op of a computation that is a single binary op on its parameters.
    fn single_binary_op(&self, _id: ComputationId) -> Option<SingleBinaryOp<'_>> {
        None
    }
}
