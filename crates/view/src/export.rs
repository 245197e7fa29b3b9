//! What is seen, to take away: grid and memory in one picture, and the strip as the documents print it.

use super::array_view::ArrayView;
use super::grid::Grid;
use super::highlights::Highlights;
use super::plan::Plan;
use super::scene::{Ink, Rect, Scene};
use super::strip::{SLOT_MIN, Strip};
use crate::options::View;
use xla_array::Dims;
use xla_array::memory::SlotKind;

/// Width of an exported picture, pixels.
const WIDTH: f64 = 960.0;
/// The tallest grid in it.
const HEIGHT: f64 = 720.0;
/// Rows of memory in it.
const ROWS: i64 = 8;
/// Slots written as text; what follows is left out with a mark.
const TEXT: i64 = 4_096;

/// Grid above, memory below, with the lit cells.
pub fn picture(array: &ArrayView, view: &View, marks: &Highlights, line_word: &str) -> Scene {
    let sizes = array.map().padded_sizes();
    let plan = Plan::new(sizes, view.axes);
    let grid = Grid::fitted(sizes, plan, &view.positions, WIDTH, HEIGHT);
    let first = Strip::new(array, WIDTH, SLOT_MIN, view.line_bytes, ROWS, 0);
    let row = first.reveal(marks.cursor.unwrap_or(0));
    let strip = Strip::new(array, WIDTH, SLOT_MIN, view.line_bytes, ROWS, row);
    let mut scene = Scene::new(WIDTH, grid.height + 16.0 + strip.height());
    scene.place(grid.scene(array), 0.0, 0.0);
    scene.place(grid.overlay(array, marks), 0.0, 0.0);
    scene.place(strip.scene(array, view.slot_text, line_word), 0.0, grid.height + 16.0);
    scene.place(strip.overlay(marks), 0.0, grid.height + 16.0);
    scene
}

/// The picture on the theme's ground, for formats that are pasted onto any other.
pub fn with_ground(scene: Scene) -> Scene {
    let mut grounded = Scene::new(scene.width, scene.height);
    grounded.fill(Rect::new(0.0, 0.0, scene.width, scene.height), 0.0, Ink::Ground);
    grounded.place(scene, 0.0, 0.0);
    grounded
}

/// Memory as the documents print it: `a d 0 b e 0 c f 0 0 0 0 0 0 0`. Padding that nobody set is `.`.
pub fn strip_text(array: &ArrayView) -> String {
    let cells = array.map().slot_count();
    let mut index = Dims::from_elem(0, array.map().rank());
    let mut words = Vec::new();
    for slot in 0..cells.min(TEXT) {
        words.push(match array.map().index_of(slot, &mut index) {
            SlotKind::Element => array.label(&index, 24),
            _ => Some(array.padding_text()).filter(|t| !t.is_empty()).unwrap_or_else(|| ".".to_owned()),
        });
    }
    if cells > TEXT {
        words.push("…".to_owned());
    }
    words.join(" ")
}
