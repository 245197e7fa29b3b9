//! Connecting lines between the memories of two layouts, from each element's slot in one to its slot in the other.
//!
//! If a strip needs several rows, a line could not show which row it ends in. Each memory is then drawn as one bar, and a
//! sample of the elements is connected.

use super::array_view::ArrayView;
use super::highlights::{Highlight, SlotHighlights};
use super::pixels::{clamped, px};
use super::scene::{Ink, Item, Rect, Scene, Stroke};
use super::strip::{MIN_SLOT_SIDE, Strip, overview_items};
use xla_array::Dims;
use xla_array::memory::SlotKind;

/// Height of the band between the strips, pixels.
const HEIGHT: f64 = 72.0;

/// Minimum and maximum height of the band between bars, pixels.
const BAR_BAND_HEIGHT_RANGE: (f64, f64) = (112.0, 176.0);

/// Height of the band between bars, as a fraction of its width.
const BAR_BAND_ASPECT: f64 = 0.2;

/// Height of a bar, which is a whole memory, pixels.
const BAR_HEIGHT: f64 = 10.0;

/// Margin above and below the connectors, pixels.
const MARGIN: f64 = 2.0;

/// Bound on the connectors between two bars: more would hide each other.
const MAX_BAR_CONNECTORS: i64 = 192;

/// Cache line length of the strips; any value works, since connectors do not show cache lines.
const LINE_BYTES: i64 = 64;

/// The strips above and below, if each fits in one row.
pub fn strips(from: &ArrayView, to: &ArrayView, width: f64) -> Option<(Strip, Strip)> {
    let strip = |array| Strip::new(array, width.max(80.0), MIN_SLOT_SIDE, LINE_BYTES, 1, 0);
    let (above, below) = (strip(from), strip(to));
    (!above.wraps() && !below.wraps()).then_some((above, below))
}

/// The positions at which connectors begin or end.
enum Endpoints {
    /// The slots of a strip of one row.
    Slots(Box<Strip>),
    /// Equal parts of a bar, one per slot.
    Bar { width: f64, slots: i64 },
}

impl Endpoints {
    /// The middle of a slot, pixels from the left.
    fn x(&self, slot: i64) -> Option<f64> {
        match self {
            Self::Slots(strip) => strip.rect(slot).map(|rect| rect.x + rect.w / 2.0),
            Self::Bar { width, slots } => Some((px(slot) + 0.5) * width / px((*slots).max(1))),
        }
    }
}

/// The end points of all connectors, and their vertical extent.
struct Connectors {
    from: Endpoints,
    to: Endpoints,
    height: f64,
    top: f64,
    bottom: f64,
}

impl Connectors {
    fn new(from: &ArrayView, to: &ArrayView, width: f64) -> Self {
        let Some((above, below)) = strips(from, to, width) else {
            let bar = |array: &ArrayView| Endpoints::Bar { width, slots: array.memory_map().slot_count() };
            let (inset, height) = (
                BAR_HEIGHT + MARGIN,
                clamped(width * BAR_BAND_ASPECT, BAR_BAND_HEIGHT_RANGE.0, BAR_BAND_HEIGHT_RANGE.1),
            );
            return Self { from: bar(from), to: bar(to), height, top: inset, bottom: height - inset };
        };
        let ends = |strip| Endpoints::Slots(Box::new(strip));
        Self { from: ends(above), to: ends(below), height: HEIGHT, top: MARGIN, bottom: HEIGHT - MARGIN }
    }

    fn are_between_bars(&self) -> bool {
        matches!(self.from, Endpoints::Bar { .. })
    }

    fn connector(&self, from: i64, to: i64, stroke: Stroke) -> Option<Item> {
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

/// A connector for each element, or for a sample of them between bars.
pub fn scene(from: &ArrayView, to: &ArrayView, width: f64) -> Scene {
    let connectors = Connectors::new(from, to, width);
    let mut scene = Scene::new(width, connectors.height);
    let slots = from.memory_map().slot_count();
    let samples = if connectors.are_between_bars() { slots.min(MAX_BAR_CONNECTORS) } else { slots };
    let mut index = Dims::from_elem(0, from.memory_map().rank());
    for number in 0..samples {
        let slot = sample(number, samples, slots);
        if from.memory_map().index_of(slot, &mut index) != SlotKind::Element {
            continue;
        }
        let Some(target) = to.memory_map().slot(&index) else { continue };
        let ink = Ink::Exact(from.colour(&index, slot));
        // Elements that keep their slot are drawn lighter.
        let stroke = if target == slot {
            Stroke { ink, width: 1.5, dash: Some([2.0, 3.0]) }
        } else {
            Stroke::solid(ink, if connectors.are_between_bars() { 1.5 } else { 2.5 })
        };
        scene.items.extend(connectors.connector(slot, target, stroke));
    }
    if connectors.are_between_bars() {
        for (array, top) in [(from, 0.0), (to, connectors.height - BAR_HEIGHT)] {
            scene.items.extend(overview_items(array, Rect::new(0.0, top, width, BAR_HEIGHT)));
        }
    }
    scene
}

/// The connectors of the highlighted cells.
pub fn overlay(from: &ArrayView, to: &ArrayView, width: f64, highlights: &SlotHighlights) -> Scene {
    let connectors = Connectors::new(from, to, width);
    let mut scene = Scene::new(width, connectors.height);
    for (slot, highlight) in highlights.iter() {
        let (kind, index) = from.slot_content(slot);
        let Some(target) = to.memory_map().slot(&index).filter(|_| kind == SlotKind::Element) else {
            continue;
        };
        let ink = if highlight == Highlight::Hover { Ink::Hover } else { Ink::Select };
        scene.items.extend(connectors.connector(slot, target, Stroke::solid(Ink::Background, 7.0)));
        scene.items.extend(connectors.connector(slot, target, Stroke::solid(ink, 3.0)));
    }
    scene
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use super::*;
    use crate::colour_map::ColourMap;
    use crate::options::ColourBy;
    use xla_array::Shape;
    use xla_array::values::ValueRule;

    fn view(text: &str) -> ArrayView {
        let shape: Shape = text.parse().unwrap();
        ArrayView::new(shape.as_array().unwrap(), &ValueRule::Iota, ColourBy::Slot, ColourMap::Viridis)
            .unwrap()
    }

    fn curves(scene: &Scene) -> Vec<[(f64, f64); 4]> {
        let curve = |item: &Item| match item {
            Item::Curve { points, .. } => Some(*points),
            _ => None,
        };
        scene.items.iter().filter_map(curve).collect()
    }

    #[test]
    fn memories_of_several_rows_are_bars() {
        let (from, to) = (view("f32[1024,1024]{1,0}"), view("f32[1024,1024]{0,1}"));
        let scene = scene(&from, &to, 800.0);
        let drawn = curves(&scene);
        assert_eq!(i64::try_from(drawn.len()), Ok(MAX_BAR_CONNECTORS));
        for points in &drawn {
            assert!(
                points.iter().all(|(x, y)| (0.0..=800.0).contains(x) && (0.0..=scene.height).contains(y)),
                "{points:?}"
            );
        }
        let rasters = scene.items.iter().filter(|item| matches!(item, Item::Raster { .. })).count();
        assert_eq!(rasters, 2);
        // The highlighted cell is halfway along the upper bar, and at the start of the lower one.
        let highlights = SlotHighlights { cursor: Some(1 << 19), hover: None, pins: Vec::new() };
        let highlighted = overlay(&from, &to, 800.0, &highlights);
        let [(x0, _), .., (x1, _)] = curves(&highlighted)[0];
        assert!((x0 - 400.0).abs() < 1.0 && (x1 - 0.4).abs() < 1.0, "{x0} {x1}");
    }

    #[test]
    fn sampled_connectors_cover_both_bars_at_any_row_length() {
        // 987 is a Fibonacci number, after which multiples of the golden ratio nearly repeat.
        for (rows, columns) in [(512, 1024), (1000, 1000), (1024, 1024), (192, 4096), (4096, 192), (987, 987)]
        {
            let array = |order: &str| view(&format!("f32[{rows},{columns}]{{{order}}}"));
            for (first, second) in [("1,0", "0,1"), ("0,1", "1,0")] {
                let drawn = curves(&scene(&array(first), &array(second), 800.0));
                for end in [0, 3] {
                    let mut ends: Vec<f64> = drawn.iter().map(|points| points[end].0).collect();
                    ends.sort_by(f64::total_cmp);
                    let first_gap = ends[0].max(800.0 - ends[ends.len() - 1]);
                    let gap = ends.windows(2).map(|pair| pair[1] - pair[0]).fold(first_gap, f64::max);
                    assert!(gap < 60.0, "[{rows},{columns}]{{{first}}}: nothing ends within {gap} pixels");
                }
            }
        }
    }

    #[test]
    fn every_element_of_a_small_array_has_a_connector() {
        let scene = scene(&view("f32[2,3]{1,0}"), &view("f32[2,3]{0,1}"), 800.0);
        assert_eq!(curves(&scene).len(), 6);
        let empty = super::scene(&view("f32[0,3]{1,0}"), &view("f32[0,3]{0,1}"), 800.0);
        assert_eq!(curves(&empty).len(), 0);
    }
}
