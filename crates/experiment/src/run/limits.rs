//! Limits of provenance queries, and the memory of arguments.

use xla_array::Shape;
use xla_array::literal::LiteralTemplate;
use xla_hlo::eval::budget::too_many_bytes;
use xla_hlo::{Computation, EvalError, Limits, Module};

/// Limits of one provenance query: a few milliseconds, so that the page stays responsive.
pub(crate) const QUERY_LIMITS: Limits = Limits { steps: 400_000, bytes: 64 << 20 };

/// Maximum number of cells that one provenance query visits; more cannot be shown.
pub(crate) const MAX_QUERY_CELLS: usize = 1 << 15;

/// The shapes of a module's parameters, as a tuple.
pub(crate) fn parameters(module: &Module) -> Option<Shape> {
    let signature = module.entry_computation().and_then(Computation::signature);
    signature.map(|signature| Shape::tuple(signature.parameters.iter().cloned()))
}

/// The bytes of all parameters of a module; `None` if one is too large for any run.
pub(crate) fn parameter_bytes(module: &Module) -> Option<u64> {
    parameters(module).as_ref().map_or(Some(0), shape_bytes)
}

/// The bytes of all arrays in a shape; `None` if one is too large for any run.
fn shape_bytes(shape: &Shape) -> Option<u64> {
    match shape {
        Shape::Array(array) => LiteralTemplate::new(array.clone()).ok().map(|template| template.held_bytes()),
        Shape::Buffer(array) => shape_bytes(&Shape::Array((**array).clone())),
        Shape::Tuple(elements) => {
            elements.iter().try_fold(0_u64, |sum, element| sum.checked_add(shape_bytes(element)?))
        }
        Shape::Token | Shape::Opaque => Some(0),
    }
}

/// The error of a run whose arguments exceed the memory limit.
pub(crate) fn too_large(limit: u64) -> EvalError {
    EvalError { at: None, error: Box::new(too_many_bytes("parameter", limit)) }
}
