//! Threads between the memories of two layouts, from each element's slot in one to its slot in the other.
//!
//! Where a strip needs several rows, a thread could not show to which of them it leads: all of memory is one bar then, and
//! a sample of threads shows how its parts flow into the other.

use super::array_view::ArrayView;
use super::highlights::{Highlight, Highlights};
use super::pixels::{clamped, px};
use super::scene::{Ink, Item, Rect, Scene, Stroke};
use super::strip::{MIN_SLOT_SIDE, Strip, overview_items};
use xla_array::Dims;
use xla_array::memory::SlotKind;

/// Height of the band between the strips, pixels.
const HEIGHT: f64 = 72.0;

/// The least and the greatest height of the band between bars, pixels.
const FLOW_HEIGHT: (f64, f64) = (112.0, 176.0);

/// Height of the band between bars, of its width.
const FLOW_ASPECT: f64 = 0.2;

/// Height of a bar of all of memory, pixels.
const BAR_HEIGHT: f64 = 10.0;

/// Margin of the threads above and below, pixels.
const MARGIN: f64 = 2.0;

/// Bound on the threads between two bars: more would hide each other.
const MAX_FLOWING: i64 = 192;

/// Cache line length of the strips; any value works, since threads do not show cache lines.
const LINE_BYTES: i64 = 64;

/// The strips above and below, if each fits in one row.
pub fn strips(from: &ArrayView, to: &ArrayView, width: f64) -> Option<(Strip, Strip)> {
    let strip = |array| Strip::new(array, width.max(80.0), MIN_SLOT_SIDE, LINE_BYTES, 1, 0);
    let (above, below) = (strip(from), strip(to));
    (!above.wraps() && !below.wraps()).then_some((above, below))
}

/// Where threads begin or end.
enum Ends {
    /// At the slots of a strip of one row.
    Slots(Box<Strip>),
    /// At their share of a bar.
    Bar { width: f64, slots: i64 },
}

impl Ends {
    /// The middle of a slot, pixels from the left.
    fn x(&self, slot: i64) -> Option<f64> {
        match self {
            Self::Slots(strip) => strip.rect(slot).map(|rect| rect.x + rect.w / 2.0),
            Self::Bar { width, slots } => Some((px(slot) + 0.5) * width / px((*slots).max(1))),
        }
    }
}

/// Both ends of all threads, and the room for them from top to bottom.
struct Threads {
    from: Ends,
    to: Ends,
    height: f64,
    top: f64,
    bottom: f64,
}

impl Threads {
    fn new(from: &ArrayView, to: &ArrayView, width: f64) -> Self {
        let Some((above, below)) = strips(from, to, width) else {
            let bar = |array: &ArrayView| Ends::Bar { width, slots: array.map().slot_count() };
            let (inset, height) =
                (BAR_HEIGHT + MARGIN, clamped(width * FLOW_ASPECT, FLOW_HEIGHT.0, FLOW_HEIGHT.1));
            return Self { from: bar(from), to: bar(to), height, top: inset, bottom: height - inset };
        };
        let ends = |strip| Ends::Slots(Box::new(strip));
        Self { from: ends(above), to: ends(below), height: HEIGHT, top: MARGIN, bottom: HEIGHT - MARGIN }
    }

    fn are_between_bars(&self) -> bool {
        matches!(self.from, Ends::Bar { .. })
    }

    fn thread(&self, from: i64, to: i64, stroke: Stroke) -> Option<Item> {
        let (x0, x1) = (self.from.x(from)?, self.to.x(to)?);
        let middle = self.height / 2.0;
        let points = [(x0, self.top), (x0, middle), (x1, middle), (x1, self.bottom)];
        Some(Item::Curve { points, stroke })
    }
}

/// The sampled slot of each of `parts` equal parts of memory. A hash chooses it within its part: evenly spaced slots
/// would be in few columns of a row length that they divide, and any other fixed spacing has such a length too.
fn sample(part: i64, parts: i64, slots: i64) -> i64 {
    let (first, next) = (part * slots / parts, (part + 1) * slots / parts);
    let hash = part.unsigned_abs().wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33;
    first + i64::try_from(hash).unwrap_or(0) % (next - first).max(1)
}

/// A thread for each element, or for a sample of them between bars.
pub fn scene(from: &ArrayView, to: &ArrayView, width: f64) -> Scene {
    let threads = Threads::new(from, to, width);
    let mut scene = Scene::new(width, threads.height);
    let slots = from.map().slot_count();
    let drawn = if threads.are_between_bars() { slots.min(MAX_FLOWING) } else { slots };
    let mut index = Dims::from_elem(0, from.map().rank());
    for number in 0..drawn {
        let slot = sample(number, drawn, slots);
        if from.map().index_of(slot, &mut index) != SlotKind::Element {
            continue;
        }
        let Some(target) = to.map().slot(&index) else { continue };
        let ink = Ink::Exact(from.colour(&index, slot));
        // Elements that keep their slot are drawn lighter.
        let stroke = if target == slot {
            Stroke { ink, width: 1.5, dash: Some([2.0, 3.0]) }
        } else {
            Stroke::solid(ink, if threads.are_between_bars() { 1.5 } else { 2.5 })
        };
        scene.items.extend(threads.thread(slot, target, stroke));
    }
    if threads.are_between_bars() {
        for (array, top) in [(from, 0.0), (to, threads.height - BAR_HEIGHT)] {
            scene.items.extend(overview_items(array, Rect::new(0.0, top, width, BAR_HEIGHT)));
        }
    }
    scene
}

/// The threads of the highlighted cells.
pub fn overlay(from: &ArrayView, to: &ArrayView, width: f64, marks: &Highlights) -> Scene {
    let threads = Threads::new(from, to, width);
    let mut scene = Scene::new(width, threads.height);
    for (slot, mark) in marks.iter() {
        let (kind, index) = from.slot_content(slot);
        let Some(target) = to.map().slot(&index).filter(|_| kind == SlotKind::Element) else { continue };
        let ink = if mark == Highlight::Hover { Ink::Hover } else { Ink::Select };
        scene.items.extend(threads.thread(slot, target, Stroke::solid(Ink::Background, 7.0)));
        scene.items.extend(threads.thread(slot, target, Stroke::solid(ink, 3.0)));
    }
    scene
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;
    use crate::colour_map::ColourMap;
    use crate::options::ColourBy;
    use xla_array::Shape;
    use xla_array::values::Values;

    fn view(text: &str) -> ArrayView {
        let shape: Shape = text.parse().unwrap();
        ArrayView::new(shape.as_array().unwrap(), &Values::Iota, ColourBy::Slot, ColourMap::Viridis).unwrap()
    }

    fn curves(scene: &Scene) -> Vec<[(f64, f64); 4]> {
        let curve = |item: &Item| match item {
            Item::Curve { points, .. } => Some(*points),
            _ => None,
        };
        scene.items.iter().filter_map(curve).collect()
    }

    #[test]
    fn memory_of_several_rows_flows_between_bars() {
        let (from, to) = (view("f32[1024,1024]{1,0}"), view("f32[1024,1024]{0,1}"));
        let scene = scene(&from, &to, 800.0);
        let flowing = curves(&scene);
        assert_eq!(i64::try_from(flowing.len()), Ok(MAX_FLOWING));
        for points in &flowing {
            assert!(
                points.iter().all(|(x, y)| (0.0..=800.0).contains(x) && (0.0..=scene.height).contains(y)),
                "{points:?}"
            );
        }
        let rasters = scene.items.iter().filter(|item| matches!(item, Item::Raster { .. })).count();
        assert_eq!(rasters, 2);
        // The highlighted cell flows from its share of the upper bar to its share of the lower one.
        let marks = Highlights { cursor: Some(1 << 19), hover: None, pins: Vec::new() };
        let lit = overlay(&from, &to, 800.0, &marks);
        let [(x0, _), .., (x1, _)] = curves(&lit)[0];
        assert!((x0 - 400.0).abs() < 1.0 && (x1 - 0.4).abs() < 1.0, "{x0} {x1}");
    }

    #[test]
    fn threads_end_everywhere_whatever_the_length_of_a_row() {
        // 987 is a Fibonacci number: multiples of the golden ratio repeat after so many.
        for (rows, columns) in [(512, 1024), (1000, 1000), (1024, 1024), (192, 4096), (4096, 192), (987, 987)]
        {
            let array = |order: &str| view(&format!("f32[{rows},{columns}]{{{order}}}"));
            for (first, second) in [("1,0", "0,1"), ("0,1", "1,0")] {
                let flowing = curves(&scene(&array(first), &array(second), 800.0));
                for end in [0, 3] {
                    let mut ends: Vec<f64> = flowing.iter().map(|points| points[end].0).collect();
                    ends.sort_by(f64::total_cmp);
                    let first_gap = ends[0].max(800.0 - ends[ends.len() - 1]);
                    let gap = ends.windows(2).map(|pair| pair[1] - pair[0]).fold(first_gap, f64::max);
                    assert!(gap < 60.0, "[{rows},{columns}]{{{first}}}: nothing ends within {gap} pixels");
                }
            }
        }
    }

    #[test]
    fn few_slots_have_a_thread_each() {
        let scene = scene(&view("f32[2,3]{1,0}"), &view("f32[2,3]{0,1}"), 800.0);
        assert_eq!(curves(&scene).len(), 6);
        let empty = super::scene(&view("f32[0,3]{1,0}"), &view("f32[0,3]{0,1}"), 800.0);
        assert_eq!(curves(&empty).len(), 0);
    }
}
