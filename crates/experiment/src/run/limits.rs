//! Limits of runs and of questions about them, and the memory that arguments take.

use xla_array::Shape;
use xla_array::literal::LiteralTemplate;
use xla_hlo::eval::budget::too_many_bytes;
use xla_hlo::{Computation, EvalError, Limits, Module};

/// What one question about provenance may take: some milliseconds.
pub(crate) const QUESTION_LIMITS: Limits = Limits { steps: 400_000, bytes: 64 << 20 };

/// The most cells that one answer names.
pub(crate) const MAX_TRACED_CELLS: usize = 1 << 15;

pub(crate) fn parameters(module: &Module) -> Option<Shape> {
    let signature = module.entry_computation().and_then(Computation::signature);
    signature.map(|of| Shape::tuple(of.parameters.iter().cloned()))
}

/// The bytes of all parameters of a module; `None` where one is too large for any run.
pub(crate) fn parameter_bytes(module: &Module) -> Option<u64> {
    parameters(module).as_ref().map_or(Some(0), bytes_in)
}

/// The bytes of all arrays in a shape; `None` where one is too large for any run.
fn bytes_in(shape: &Shape) -> Option<u64> {
    match shape {
        Shape::Array(array) => LiteralTemplate::new(array.clone()).ok().map(|blank| blank.held_bytes()),
        Shape::Buffer(array) => bytes_in(&Shape::Array((**array).clone())),
        Shape::Tuple(elements) => {
            elements.iter().try_fold(0_u64, |sum, element| sum.checked_add(bytes_in(element)?))
        }
        Shape::Token | Shape::Opaque => Some(0),
    }
}

/// The error of a run whose arguments do not fit.
pub(crate) fn too_large(limit: u64) -> EvalError {
    EvalError { at: None, error: Box::new(too_many_bytes("parameter", limit)) }
}
