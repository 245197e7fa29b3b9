//! Edges: curves whose width shows the bytes of their values.

use smallvec::smallvec;
use xla_inspect::graph::Segment;

use super::viewport::Viewport;
use crate::scene::{Anchor, Ink, Item, Rect, Scene, Stroke};

/// The widths of an edge of at most 2^10 bytes, and of at least 2^30.
const MIN_WIDTH: f64 = 1.0;
const MAX_WIDTH: f64 = 7.0;
/// The binary logarithms of the bytes between which the width grows.
const MIN_LOG_BYTES: f64 = 10.0;
const MAX_LOG_BYTES: f64 = 30.0;
/// The font size of a label, in pixels of the drawing.
const LABEL_SIZE: f64 = 10.0;
/// The width of a character of a label, in font sizes.
const CHAR_WIDTH: f64 = 0.61;
/// The number of straight parts that a curve is measured at.
const CHORDS: u8 = 8;

/// The width of an edge, on a logarithmic scale of its bytes.
pub fn edge_width(bytes: Option<u64>) -> f64 {
    let Some(log) = bytes.and_then(u64::checked_ilog2) else { return MIN_WIDTH };
    let part = (f64::from(log) - MIN_LOG_BYTES) / (MAX_LOG_BYTES - MIN_LOG_BYTES);
    MIN_WIDTH + (MAX_WIDTH - MIN_WIDTH) * part.clamp(0.0, 1.0)
}

/// The points of a segment in the picture.
fn points(segment: &Segment, viewport: &Viewport) -> Vec<(f64, f64)> {
    segment.points.iter().map(|p| viewport.point(f64::from(p.x), f64::from(p.y))).collect()
}

/// Draws a segment, a highlighted one in a colour.
pub(super) fn draw(scene: &mut Scene, segment: &Segment, viewport: &Viewport, highlight: Option<Ink>) {
    let width =
        edge_width(segment.bytes) * viewport.scale.max(0.3) + if highlight.is_some() { 1.0 } else { 0.0 };
    let stroke = Stroke::solid(highlight.unwrap_or(Ink::LineStrong), width);
    let points = points(segment, viewport);
    for pair in points.windows(2) {
        let [from, to] = *pair else { continue };
        if (from.0 - to.0).abs() < 0.5 || !viewport.has_details() {
            scene.line(from, to, stroke);
        } else {
            let middle = from.1.midpoint(to.1);
            let points = [from, (from.0, middle), (to.0, middle), to];
            scene.items.push(Item::Curve { points, stroke });
        }
    }
    let Some((x, y)) = points.last().copied().filter(|_| segment.to.is_some()) else { return };
    if viewport.has_text() {
        let (side, height) = (4.0 * viewport.scale + width / 2.0, 6.0 * viewport.scale + width / 2.0);
        let head = smallvec![(x - side, y - height), (x, y), (x + side, y - height)];
        scene.items.push(Item::Path { points: head, stroke });
    }
}

/// The labels where edges end: the index of the operand, and the shape of its value.
#[derive(Default)]
pub(super) struct Labels(Vec<Label>);

struct Label {
    end: (f64, f64),
    ground: Rect,
    text: String,
}

impl Labels {
    /// Adds the label of a segment that ends at an operand, if it has none, above those of other edges that it would cover.
    pub fn add(&mut self, segment: &Segment, viewport: &Viewport, shape: &str) {
        let end = points(segment, viewport).last().copied();
        let (Some((_, number)), Some(end)) = (segment.to, end) else { return };
        if !viewport.has_text() || self.0.iter().any(|label| label.end == end) {
            return;
        }
        let text = if shape.is_empty() { number.to_string() } else { format!("{number}: {shape}") };
        let size = LABEL_SIZE * viewport.scale;
        let width = text.chars().map(|_| CHAR_WIDTH * size).sum::<f64>() + 4.0;
        let (x, y) = (end.0 + 6.0 * viewport.scale, end.1 - 9.0 * viewport.scale - size * 0.65);
        let mut ground = Rect::new(x, y, width, size * 1.3);
        let covers = |a: &Rect, b: &Rect| {
            a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h - 0.1 && b.y < a.y + a.h - 0.1
        };
        // Each step goes up, past one label at least.
        for _ in 0..self.0.len() {
            let Some(other) = self.0.iter().find(|other| covers(&ground, &other.ground)) else { break };
            ground.y = other.ground.y - ground.h;
        }
        self.0.push(Label { end, ground, text });
    }

    /// Draws the labels over the edges.
    pub fn draw(self, scene: &mut Scene, viewport: &Viewport) {
        for Label { ground, text, .. } in self.0 {
            let at = (ground.x + 2.0, ground.y + ground.h / 2.0);
            scene.fill(ground, 2.0, Ink::Background);
            scene.label(at, text, LABEL_SIZE * viewport.scale, Anchor::Start, Ink::Strong);
        }
    }
}

/// The distance of a point from a segment, if it is at most `reach`. A curve is measured at its chords.
pub(super) fn distance(segment: &Segment, viewport: &Viewport, x: f64, y: f64, reach: f64) -> Option<f64> {
    let points = points(segment, viewport);
    let mut nearest = f64::INFINITY;
    for pair in points.windows(2) {
        let [from, to] = *pair else { continue };
        let is_beside = |a: f64, b: f64, at: f64| at < a.min(b) - reach || at > a.max(b) + reach;
        if is_beside(from.0, to.0, x) || is_beside(from.1, to.1, y) {
            continue;
        }
        let mut last = from;
        for step in 1..=CHORDS {
            let at = curve_point(from, to, f64::from(step) / f64::from(CHORDS));
            nearest = nearest.min(distance_from_chord(last, at, (x, y)));
            last = at;
        }
    }
    (nearest <= reach).then_some(nearest)
}

/// The point of the drawn curve at `t` from 0 to 1.
fn curve_point(from: (f64, f64), to: (f64, f64), t: f64) -> (f64, f64) {
    let (rest, middle) = (1.0 - t, from.1.midpoint(to.1));
    // Bernstein polynomials: of both ends, and of the control points beside them.
    let ends = [rest * rest * rest, t * t * t];
    let controls = [3.0 * rest * rest * t, 3.0 * rest * t * t];
    let x = (ends[0] + controls[0]) * from.0 + (controls[1] + ends[1]) * to.0;
    (x, ends[0] * from.1 + (controls[0] + controls[1]) * middle + ends[1] * to.1)
}

fn distance_from_chord(from: (f64, f64), to: (f64, f64), point: (f64, f64)) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let square = dx * dx + dy * dy;
    let along = ((point.0 - from.0) * dx + (point.1 - from.1) * dy) / square.max(1e-9);
    let t = along.clamp(0.0, 1.0);
    (point.0 - from.0 - t * dx).hypot(point.1 - from.1 - t * dy)
}
