//! Exports of the Layout screen: grid and memory strip in one picture, and the strip as text.

use super::array_view::ArrayView;
use super::axis_assignment::AxisAssignment;
use super::grid::{CELL_COMFORTABLE_PX, Grid};
use super::highlights::SlotHighlights;
use super::scene::{Ink, Rect, Scene};
use super::strip::{MIN_READABLE_SLOT_SIDE, Strip};
use crate::options::ViewOptions;
use xla_array::Dims;
use xla_array::memory::SlotKind;

/// Width of an exported picture, pixels.
const WIDTH: f64 = 960.0;
/// Bound on the height of its grid, pixels.
const MAX_GRID_HEIGHT: f64 = 720.0;
/// Bound on the rows of its memory strip.
const MAX_STRIP_ROWS: i64 = 8;
/// Bound on the slots written as text; an ellipsis replaces the rest.
const MAX_TEXT_SLOTS: i64 = 4_096;

/// The grid above the memory strip, with the highlighted cells.
pub fn picture(array: &ArrayView, view: &ViewOptions, highlights: &SlotHighlights, line_word: &str) -> Scene {
    let sizes = array.memory_map().padded_sizes();
    let assignment = AxisAssignment::new(sizes, view.axes);
    let space = (WIDTH, MAX_GRID_HEIGHT);
    let mut grid = Grid::fitted_facets(sizes, &array.tile_padding(), assignment, space, CELL_COMFORTABLE_PX);
    grid.set_slider_indices(&view.slider_indices);
    let first = Strip::new(array, WIDTH, MIN_READABLE_SLOT_SIDE, view.line_bytes, MAX_STRIP_ROWS, 0);
    let row = first.first_row_showing(highlights.cursor.unwrap_or(0));
    let strip = Strip::new(array, WIDTH, MIN_READABLE_SLOT_SIDE, view.line_bytes, MAX_STRIP_ROWS, row);
    let mut scene = Scene::new(WIDTH, grid.height + 16.0 + strip.height());
    scene.insert(grid.scene(array), 0.0, 0.0);
    scene.insert(grid.overlay(array, highlights), 0.0, 0.0);
    scene.insert(strip.scene(array, view.slot_text, line_word), 0.0, grid.height + 16.0);
    scene.insert(strip.overlay(highlights), 0.0, grid.height + 16.0);
    scene
}

/// The picture on the theme's background, for formats that would be transparent.
pub fn with_background(scene: Scene) -> Scene {
    let mut opaque = Scene::new(scene.width, scene.height);
    opaque.fill(Rect::new(0.0, 0.0, scene.width, scene.height), 0.0, Ink::Background);
    opaque.insert(scene, 0.0, 0.0);
    opaque
}

/// Memory like XLA's "Shapes and layout" page prints it: `a d 0 b e 0 c f 0 0 0 0 0 0 0`. Unset padding is `.`.
pub fn strip_text(array: &ArrayView) -> String {
    let cells = array.memory_map().slot_count();
    let mut index = Dims::from_elem(0, array.memory_map().rank());
    let mut words = Vec::new();
    for slot in 0..cells.min(MAX_TEXT_SLOTS) {
        words.push(match array.memory_map().index_of(slot, &mut index) {
            SlotKind::Element => array.label(&index, 24),
            _ => Some(array.padding_text()).filter(|t| !t.is_empty()).unwrap_or_else(|| ".".to_owned()),
        });
    }
    if cells > MAX_TEXT_SLOTS {
        words.push("…".to_owned());
    }
    words.join(" ")
}
