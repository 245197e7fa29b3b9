//! Threads between the memory strips of two layouts, from each element's slot in one to its slot in the other.

use super::array_view::ArrayView;
use super::highlights::{Highlight, Highlights};
use super::scene::{Ink, Item, Scene, Stroke};
use super::strip::{MIN_SLOT_SIDE, Strip};
use xla_array::Dims;
use xla_array::memory::SlotKind;

/// Height of the band between the strips, pixels.
const HEIGHT: f64 = 72.0;

/// Cache line length of the strips; any value works, since threads do not show cache lines.
const LINE_BYTES: i64 = 64;

/// The strips above and below, if each fits in one row: threads cannot show to which row they lead.
pub fn strips(from: &ArrayView, to: &ArrayView, width: f64) -> Option<(Strip, Strip)> {
    let strip = |array| Strip::new(array, width.max(80.0), MIN_SLOT_SIDE, LINE_BYTES, 1, 0);
    let (above, below) = (strip(from), strip(to));
    (!above.wraps() && !below.wraps()).then_some((above, below))
}

fn thread(from: (&Strip, i64), to: (&Strip, i64), stroke: Stroke) -> Option<Item> {
    let (a, b) = (from.0.rect(from.1)?, to.0.rect(to.1)?);
    let (x0, x1) = (a.x + a.w / 2.0, b.x + b.w / 2.0);
    let points = [(x0, 2.0), (x0, HEIGHT * 0.5), (x1, HEIGHT * 0.5), (x1, HEIGHT - 2.0)];
    Some(Item::Curve { points, stroke })
}

/// A thread for each element.
pub fn scene(from: &ArrayView, to: &ArrayView, width: f64) -> Scene {
    let mut scene = Scene::new(width, HEIGHT);
    let Some((a, b)) = strips(from, to, width) else { return scene };
    let mut index = Dims::from_elem(0, from.map().rank());
    for slot in 0..from.map().slot_count() {
        if from.map().index_of(slot, &mut index) != SlotKind::Element {
            continue;
        }
        let Some(target) = to.map().slot(&index) else { continue };
        let ink = Ink::Exact(from.colour(&index, slot));
        // Elements that keep their slot are drawn lighter.
        let stroke = if target == slot {
            Stroke { ink, width: 1.5, dash: Some([2.0, 3.0]) }
        } else {
            Stroke::solid(ink, 2.5)
        };
        scene.items.extend(thread((&a, slot), (&b, target), stroke));
    }
    scene
}

/// The threads of the highlighted cells.
pub fn overlay(from: &ArrayView, to: &ArrayView, width: f64, marks: &Highlights) -> Scene {
    let mut scene = Scene::new(width, HEIGHT);
    let Some((a, b)) = strips(from, to, width) else { return scene };
    for (slot, mark) in marks.iter() {
        let (kind, index) = from.at(slot);
        let Some(target) = to.map().slot(&index).filter(|_| kind == SlotKind::Element) else { continue };
        let ink = if mark == Highlight::Hover { Ink::Hover } else { Ink::Select };
        scene.items.extend(thread((&a, slot), (&b, target), Stroke::solid(Ink::Ground, 7.0)));
        scene.items.extend(thread((&a, slot), (&b, target), Stroke::solid(ink, 3.0)));
    }
    scene
}
