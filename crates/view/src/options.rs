//! What the viewer of an array chooses: what colours and slots show, and which dimensions are drawn.

use xla_array::Dims;

/// The lengths of a cache line that can be chosen, bytes.
pub const LINE_BYTES: [i64; 3] = [32, 64, 128];

/// What a cell's colour says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// Where in memory it lies.
    #[default]
    Slot,
    /// Its value.
    Value,
}

/// What is written in a slot of the memory strip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlotText {
    /// The value.
    #[default]
    Value,
    /// The stored bytes in hexadecimal, lowest address first.
    Bytes,
}

/// How the array is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Dimensions drawn as rows and as columns; the last two where nothing is said.
    pub axes: Option<(usize, usize)>,
    /// For each dimension the index shown where it is on a slider; empty stands for all zero.
    pub positions: Dims,
    /// What colours say.
    pub colour: ColourBy,
    /// What slots show.
    pub slot_text: SlotText,
    /// Bytes of a cache line, one of [`LINE_BYTES`].
    pub line_bytes: i64,
}

impl Default for View {
    fn default() -> Self {
        Self {
            axes: None,
            positions: Dims::new(),
            colour: ColourBy::Slot,
            slot_text: SlotText::Value,
            line_bytes: 64,
        }
    }
}
