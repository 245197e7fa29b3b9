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

/// A computation that is one op on its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Simple<'a> {
    /// The op.
    pub opcode: &'static str,
    /// Its attributes.
    pub attrs: &'a Attrs,
    /// The numbers of the parameters that it takes.
    pub parameters: [usize; 2],
}

/// The computations that instructions may call.
pub trait Computations {
    /// The name, and the signature.
    fn signature(&self, id: ComputationId) -> Option<(&str, &Signature)>;

    /// The computation compiled for scalars; `region-scalar` if one of its values is not a scalar.
    fn region(&self, id: ComputationId, edition: Edition) -> Result<Arc<Region>, OpError>;

    /// The computation, if it is one op on two of its parameters.
    fn simple(&self, _id: ComputationId) -> Option<Simple<'_>> {
        None
    }
}
