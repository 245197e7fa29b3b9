//! The memory strip: slots in rows of whole cache lines, with values, slot numbers, cache lines and byte addresses.

use super::array_view::ArrayView;
use super::grid::fit_text;
use super::highlights::{Highlight, SlotHighlights};
use super::pixels::{clamped, count_at, count_px, index_at, px};
use super::scene::{Anchor, Ink, Item, Rect, Scene, Stroke};
use crate::options::SlotText;
use xla_array::Dims;
use xla_array::memory::SlotKind;
use xla_messages::bug::OrBug as _;

/// Bound on the side of a slot, pixels.
const MAX_SLOT_SIDE: f64 = 64.0;
/// Bound on the side of a slot if there is more than one row, pixels: smaller, so that more rows are visible.
const MAX_WRAPPED_SLOT_SIDE: f64 = 38.0;
/// Minimum side of a slot with a readable value and slot number, pixels.
pub const MIN_READABLE_SLOT_SIDE: f64 = 26.0;
/// Width of a digit of the smallest slot numbers, pixels.
const MIN_NUMBER_CHAR_WIDTH: f64 = 5.2;
/// Minimum side of a slot if all slots should fit in one row, pixels.
pub const MIN_SLOT_SIDE: f64 = 9.0;
/// Space between slots, pixels.
const GAP: f64 = 2.0;
/// Margin for the outlines of slots at the edge, pixels.
const MARGIN: f64 = 6.0;
/// Minimum side of a slot, in pixels, if every slot has its number.
const MIN_NUMBERED_SIDE: f64 = 20.0;
/// Height of the slot numbers under a row, pixels.
const RULER_HEIGHT: f64 = 17.0;
/// Height of the cache-line bands under a row, pixels.
const BAND_HEIGHT: f64 = 20.0;
/// Space between rows, pixels.
const ROW_GAP: f64 = 10.0;
/// Width of the byte address left of each row, if there is more than one, pixels.
const ADDRESS_WIDTH: f64 = 58.0;

/// The memory strip of one array at one width.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// Width, pixels.
    pub width: f64,
    /// Slots per row.
    pub per_row: i64,
    /// The first visible row.
    pub first_row: i64,
    /// Number of visible rows.
    pub visible_rows: i64,
    /// Side of a slot, pixels.
    slot_side: f64,
    /// Width left of the slots, pixels.
    left: f64,
    slot_count: i64,
    line_bytes: i64,
}

impl Strip {
    /// The strip of `array`, wrapped if slots in one row would be smaller than `min_slot_side`
    /// ([`MIN_READABLE_SLOT_SIDE`] or [`MIN_SLOT_SIDE`]), with at most `max_rows` visible rows from `first_row` on.
    pub fn new(
        array: &ArrayView,
        width: f64,
        min_slot_side: f64,
        line_bytes: i64,
        max_rows: i64,
        first_row: i64,
    ) -> Self {
        let slot_count = array.memory_map().slot_count();
        let bits = array.memory_map().bits_per_slot().max(1);
        let per_line = (line_bytes * 8 / bits).max(1);
        let max_in_one_row = index_at((width - 2.0 * MARGIN) / (min_slot_side + GAP)).max(1);
        let wraps = slot_count > max_in_one_row;
        let left = if wraps { ADDRESS_WIDTH } else { 0.0 };
        // The longest slot number fits under its slot.
        let number_width = MIN_NUMBER_CHAR_WIDTH * count_px((slot_count - 1).max(0).to_string().len()) + 4.0;
        let max_per_row =
            index_at((width - left - 2.0 * MARGIN) / (MIN_READABLE_SLOT_SIDE.max(number_width) + GAP)).max(1);
        let per_row = if !wraps {
            slot_count.max(1)
        } else if max_per_row >= per_line {
            // Whole cache lines; a power of two keeps addresses round.
            per_line * (1_i64 << (max_per_row / per_line).ilog2())
        } else {
            1_i64 << max_per_row.ilog2()
        };
        let max_side = if wraps { MAX_WRAPPED_SLOT_SIDE } else { MAX_SLOT_SIDE };
        let slot_side = clamped((width - left - 2.0 * MARGIN) / px(per_row) - GAP, 8.0, max_side);
        let rows = slot_count.div_euclid(per_row) + i64::from(slot_count % per_row > 0);
        let visible_rows = rows.min(max_rows.max(0));
        let first_row = first_row.clamp(0, (rows - visible_rows).max(0));
        Self { width, per_row, first_row, visible_rows, slot_side, left, slot_count, line_bytes }
    }

    /// Total number of rows.
    pub fn rows(&self) -> i64 {
        self.slot_count.div_euclid(self.per_row) + i64::from(self.slot_count % self.per_row > 0)
    }

    /// Height, pixels.
    pub fn height(&self) -> f64 {
        2.0 * MARGIN + px(self.visible_rows.max(1)) * self.row_height() - ROW_GAP
    }

    fn row_height(&self) -> f64 {
        self.slot_side + RULER_HEIGHT + BAND_HEIGHT + ROW_GAP
    }

    /// Whether there is more than one row.
    pub fn wraps(&self) -> bool {
        self.slot_count > self.per_row
    }

    /// The first row that makes `slot` visible with the least scrolling.
    pub fn first_row_showing(&self, slot: i64) -> i64 {
        let row = (slot / self.per_row).max(0);
        // An empty array has no rows.
        self.first_row.clamp(row - (self.visible_rows - 1).max(0), row).max(0)
    }

    /// The slot at a point.
    pub fn hit(&self, x: f64, y: f64) -> Option<i64> {
        let row = index_at((y - MARGIN) / self.row_height());
        let column = index_at((x - MARGIN - self.left) / (self.slot_side + GAP));
        if !(0..self.visible_rows).contains(&row) || !(0..self.per_row).contains(&column) {
            return None;
        }
        let slot = (self.first_row + row) * self.per_row + column;
        (slot < self.slot_count).then_some(slot)
    }

    /// The rectangle of a slot; `None` if its row is not visible.
    pub fn rect(&self, slot: i64) -> Option<Rect> {
        if !(0..self.slot_count).contains(&slot) {
            return None;
        }
        let row = slot.div_euclid(self.per_row) - self.first_row;
        if !(0..self.visible_rows).contains(&row) {
            return None;
        }
        let x = MARGIN + self.left + px(slot.rem_euclid(self.per_row)) * (self.slot_side + GAP);
        Some(Rect::new(x, MARGIN + px(row) * self.row_height(), self.slot_side, self.slot_side))
    }

    /// The visible slots.
    pub fn visible_slots(&self) -> std::ops::Range<i64> {
        let first = self.first_row * self.per_row;
        first..(first + self.visible_rows * self.per_row).min(self.slot_count)
    }

    /// The picture without highlights. `line_word` is "cache line" in the user's language.
    pub fn scene(&self, array: &ArrayView, text: SlotText, line_word: &str) -> Scene {
        let mut scene = Scene::new(self.width, self.height());
        let mut index = Dims::from_elem(0, array.memory_map().rank());
        for slot in self.visible_slots() {
            let Some(rect) = self.rect(slot) else { continue };
            let kind = array.memory_map().index_of(slot, &mut index);
            let (ink, label) = if kind == SlotKind::Element {
                let colour = array.colour(&index, slot);
                scene.fill(rect, 3.0, Ink::Exact(colour));
                let label = match text {
                    SlotText::Value => array.fitting_label(&index, self.max_value_chars()),
                    SlotText::Bytes => array.bytes_text(&index),
                };
                (Ink::On(colour), label)
            } else {
                scene.items.push(Item::Hatch { rect });
                let dash = Stroke { ink: Ink::LineStrong, width: 1.0, dash: Some([3.0, 3.0]) };
                scene.outline(rect.grown(-0.5), 3.0, dash);
                (Ink::Soft, array.padding_text())
            };
            if self.slot_side >= 14.0 {
                let size = fit_text(&label, self.slot_side - 6.0, (self.slot_side * 0.38).min(17.0));
                scene.centred_label(rect, label, size, true, ink);
            }
            if self.slot_side >= MIN_NUMBERED_SIDE || slot % 8 == 0 {
                let number_rect = Rect::new(rect.x - 8.0, rect.y + rect.h, rect.w + 16.0, RULER_HEIGHT);
                let number = slot.to_string();
                let size = fit_text(&number, self.slot_side + GAP - 1.0, 11.0);
                scene.centred_label(number_rect, number, size, false, Ink::Faint);
            }
        }
        self.draw_cache_lines(&mut scene, array, line_word);
        scene
    }

    /// The number of characters of a value that fit in a slot.
    fn max_value_chars(&self) -> usize {
        count_at((self.slot_side - 4.0) / 5.2)
    }

    /// Draws cache lines as bands under the slots, and the start address of each row.
    fn draw_cache_lines(&self, scene: &mut Scene, array: &ArrayView, line_word: &str) {
        let bits = array.memory_map().bits_per_slot().max(1);
        let line_bits = self.line_bytes * 8;
        let rows = self.first_row..self.first_row + self.visible_rows;
        for row in rows {
            let (first, last) = (row * self.per_row, ((row + 1) * self.per_row).min(self.slot_count));
            let Some(start) = self.rect(first) else { continue };
            if self.left > 0.0 {
                let at = (MARGIN + self.left - 10.0, start.y + start.h / 2.0);
                scene.label(at, format!("0x{:x}", first * bits / 8), 11.0, Anchor::End, Ink::Faint);
            }
            let y = start.y + start.h + RULER_HEIGHT + 2.5;
            let mut slot = first;
            while slot < last {
                let line = slot * bits / line_bits;
                // The first slot that starts in the next cache line.
                let next = ((line + 1) * line_bits + bits - 1).div_euclid(bits).clamp(slot + 1, last);
                let (Some(a), Some(b)) = (self.rect(slot), self.rect(next - 1)) else { break };
                let end = b.x + b.w - 0.5;
                // Adjacent cache lines differ in stroke width.
                let width = if line % 2 == 0 { 3.0 } else { 1.5 };
                scene.line((a.x + 0.5, y), (end, y), Stroke::solid(Ink::LineStrong, width));
                if end - a.x > 46.0 {
                    let text = if end - a.x > 150.0 {
                        format!("{line_word} {line} · 0x{:x}", line * self.line_bytes)
                    } else {
                        line.to_string()
                    };
                    scene.label((a.x + 1.0, y + 10.0), text, 11.0, Anchor::Start, Ink::Faint);
                }
                slot = next;
            }
        }
    }

    /// The highlights, to be drawn over the picture.
    pub fn overlay(&self, highlights: &SlotHighlights) -> Scene {
        let mut scene = Scene::new(self.width, self.height());
        for (slot, highlight) in highlights.iter() {
            if let Some(rect) = self.rect(slot) {
                // A ring around the slot would cover its number.
                let is_ring = highlight != Highlight::Hover && self.slot_side >= MIN_NUMBERED_SIDE;
                let rect = if is_ring { rect.grown(-2.0) } else { rect };
                highlight.outline(&mut scene, rect, self.slot_side);
            }
        }
        scene
    }
}

/// The whole memory as a bar: each pixel column has the colour of its first slot; padding is transparent.
pub fn overview(array: &ArrayView, width: f64, height: f64) -> Scene {
    let mut scene = Scene::new(width, height);
    scene.items.extend(overview_items(array, Rect::new(0.0, 0.0, width, height)));
    scene
}

/// The items of [`overview`] within a rectangle.
pub fn overview_items(array: &ArrayView, rect: Rect) -> [Item; 3] {
    let pixels = index_at(rect.w).max(1).min(array.memory_map().slot_count().max(1));
    let mut rgba = Vec::new();
    let mut index = Dims::from_elem(0, array.memory_map().rank());
    for pixel in 0..pixels {
        let slot = pixel * array.memory_map().slot_count() / pixels;
        if array.memory_map().index_of(slot, &mut index) == SlotKind::Element {
            let [r, g, b] = array.colour(&index, slot).0;
            rgba.extend([r, g, b, 255]);
        } else {
            rgba.extend([0, 0, 0, 0]);
        }
    }
    let columns = usize::try_from(pixels).or_bug(1, "a negative width");
    let edge = Item::Box {
        rect: rect.grown(-0.5),
        radius: 0.0,
        fill: None,
        stroke: Some(Stroke::solid(Ink::LineStrong, 1.0)),
    };
    [Item::Hatch { rect }, Item::Raster { rect, columns, rows: 1, rgba }, edge]
}
