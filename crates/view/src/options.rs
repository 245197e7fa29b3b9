//! View options of an array: colours, text of slots, and drawn dimensions.

use xla_array::Dims;

/// The selectable lengths of a cache line, in bytes.
pub const LINE_BYTES: [i64; 3] = [32, 64, 128];

/// The property that the colour of a cell encodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// Its memory slot.
    #[default]
    Slot,
    /// The value of the element.
    Value,
}

/// The text in a slot of the memory strip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlotText {
    /// The value of the element.
    #[default]
    Value,
    /// The stored bytes in hexadecimal, lowest address first.
    Bytes,
}

/// The view options of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewOptions {
    /// The dimensions drawn as rows and columns; by default those that [`crate::axis_assignment::AxisAssignment::new`] chooses.
    pub axes: Option<(usize, usize)>,
    /// Per dimension, the index that its slider selects, if it has one; empty for all 0.
    pub slider_indices: Dims,
    /// The property that colours encode.
    pub colour: ColourBy,
    /// The text in slots.
    pub slot_text: SlotText,
    /// Length of a cache line in bytes, one of [`LINE_BYTES`].
    pub line_bytes: i64,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            axes: None,
            slider_indices: Dims::new(),
            colour: ColourBy::Slot,
            slot_text: SlotText::Value,
            line_bytes: 64,
        }
    }
}
