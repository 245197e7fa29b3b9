//! The memory slots that a value takes, and how many it may.

use super::error::LiteralError;
use crate::{MemoryMap, Shape, validate};
use xla_messages::i18n::Message;

/// The most cells, padding included, that one literal holds: 2^26, 256 MiB of `f32`. Those of a tuple count together.
pub const MAX_CELLS: i64 = 1 << 26;

/// The memory slots that a value of this shape takes, padding included; `i64::MAX` if they do not fit.
pub fn cells_of(shape: &Shape) -> i64 {
    match shape {
        // What is wrong with the shape of an array is reported where one is made.
        Shape::Array(array) => MemoryMap::new(array).map_or(0, |map| map.slot_count()),
        Shape::Buffer(array) => MemoryMap::new(array).map_or(0, |map| map.slot_count()),
        Shape::Tuple(elements) => elements.iter().map(cells_of).fold(0, i64::saturating_add),
        Shape::Token | Shape::Opaque => 0,
    }
}

/// That the arrays of a tuple take no more than [`MAX_CELLS`] together. Errors: the limits of
/// [`extent`](validate::extent), `literal-size`.
pub fn check_size(shape: &Shape) -> Result<(), LiteralError> {
    validate::extent(shape)?;
    if shape.as_tuple().is_none() {
        return Ok(());
    }
    let cells = cells_of(shape);
    if cells <= MAX_CELLS {
        return Ok(());
    }
    let message = Message::new("literal-too-large").with("cells", cells).with("limit", MAX_CELLS);
    Err(LiteralError::new("literal-size", message))
}
