//! The number of memory slots of a value, and its limit.

use super::error::LiteralError;
use crate::{MemoryMap, Shape, validate};
use xla_messages::i18n::Message;

/// The maximum number of slots, including padding, of a literal, or of all arrays of a tuple: 256 MiB of `f32`.
pub const MAX_SLOTS: i64 = 1 << 26;

/// The number of memory slots of a value of this shape, including padding; saturates.
pub fn slots_of(shape: &Shape) -> i64 {
    match shape {
        // An invalid array counts as 0 slots: constructing its literal reports why.
        Shape::Array(array) => MemoryMap::new(array).map_or(0, |map| map.slot_count()),
        Shape::Buffer(array) => MemoryMap::new(array).map_or(0, |map| map.slot_count()),
        Shape::Tuple(elements) => elements.iter().map(slots_of).fold(0, i64::saturating_add),
        Shape::Token | Shape::Opaque => 0,
    }
}

/// Checks that the arrays of a tuple have at most [`MAX_SLOTS`] slots in total.
///
/// # Errors
///
/// The limits of [`extent`](validate::extent); `literal-size`.
pub fn check_size(shape: &Shape) -> Result<(), LiteralError> {
    validate::extent(shape)?;
    if shape.as_tuple().is_none() {
        return Ok(());
    }
    let slots = slots_of(shape);
    if slots <= MAX_SLOTS {
        return Ok(());
    }
    let message = Message::new("literal-too-large").with("cells", slots).with("limit", MAX_SLOTS);
    Err(LiteralError::new("literal-size", message))
}
