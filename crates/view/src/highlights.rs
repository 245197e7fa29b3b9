//! Highlighted memory slots and their outlines. All views of an array share one selection.

use super::scene::{Ink, Rect, Scene, Stroke};

/// The reason why a cell is highlighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Highlight {
    /// The pointer is over it.
    Hover,
    /// The user pinned it.
    Pin,
    /// The keyboard cursor is at it.
    Cursor,
}

impl Highlight {
    /// Draws the outline: a double line for pins and the cursor, a single one for hover. Cells too small for an outline
    /// get a ring around them.
    pub fn outline(self, scene: &mut Scene, cell: Rect, side: f64) {
        let cell = if side < 10.0 { cell.grown((10.0 - side) / 2.0) } else { cell.grown(-1.0) };
        let radius = if side < 10.0 { 5.0 } else { 3.0 };
        match self {
            Self::Hover => scene.outline(cell, radius, Stroke::solid(Ink::Hover, 3.0)),
            Self::Pin => {
                scene.outline(cell.grown(1.0), radius, Stroke::solid(Ink::Background, 2.0));
                scene.outline(
                    cell.grown(2.5),
                    radius,
                    Stroke { ink: Ink::Select, width: 2.0, dash: Some([4.0, 2.0]) },
                );
            }
            Self::Cursor => {
                scene.outline(cell.grown(1.0), radius, Stroke::solid(Ink::Background, 2.0));
                scene.outline(cell.grown(3.0), radius + 2.0, Stroke::solid(Ink::Select, 2.0));
            }
        }
    }
}

/// The highlighted slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotHighlights {
    /// The slot of the keyboard cursor.
    pub cursor: Option<i64>,
    /// The slot under the pointer.
    pub hover: Option<i64>,
    /// The pinned slots.
    pub pins: Vec<i64>,
}

impl SlotHighlights {
    /// Slots and their highlights, in the order they are drawn.
    pub fn iter(&self) -> impl Iterator<Item = (i64, Highlight)> + '_ {
        let pins = self.pins.iter().map(|slot| (*slot, Highlight::Pin));
        pins.chain(self.cursor.map(|s| (s, Highlight::Cursor)))
            .chain(self.hover.map(|s| (s, Highlight::Hover)))
    }

    /// The slot that formula and inspector describe: the one under the pointer, else the cursor.
    pub fn focus(&self) -> Option<i64> {
        self.hover.or(self.cursor)
    }
}
