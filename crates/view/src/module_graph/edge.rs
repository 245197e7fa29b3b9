//! Edges: curves whose width shows the bytes of their values.

use smallvec::smallvec;
use xla_inspect::graph::Segment;

use super::viewport::Viewport;
use crate::scene::{Anchor, Ink, Item, Scene, Stroke};

/// The widths of an edge of at most 2^10 bytes, and of at least 2^30.
const MIN_WIDTH: f64 = 1.0;
const MAX_WIDTH: f64 = 7.0;
/// The binary logarithms of the bytes between which the width grows.
const MIN_LOG_BYTES: f64 = 10.0;
const MAX_LOG_BYTES: f64 = 30.0;

/// The width of an edge, on a logarithmic scale of its bytes.
pub fn edge_width(bytes: Option<u64>) -> f64 {
    let Some(log) = bytes.and_then(u64::checked_ilog2) else { return MIN_WIDTH };
    let part = (f64::from(log) - MIN_LOG_BYTES) / (MAX_LOG_BYTES - MIN_LOG_BYTES);
    MIN_WIDTH + (MAX_WIDTH - MIN_WIDTH) * part.clamp(0.0, 1.0)
}

/// Draws a segment, highlighted in a colour if one is given.
pub(super) fn draw(scene: &mut Scene, segment: &Segment, viewport: &Viewport, highlight: Option<Ink>) {
    let width =
        edge_width(segment.bytes) * viewport.scale.max(0.3) + if highlight.is_some() { 1.0 } else { 0.0 };
    let stroke = Stroke::solid(highlight.unwrap_or(Ink::LineStrong), width);
    let points: Vec<(f64, f64)> =
        segment.points.iter().map(|p| viewport.point(f64::from(p.x), f64::from(p.y))).collect();
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
    let (Some((_, number)), Some((x, y))) = (segment.to, points.last().copied()) else { return };
    if viewport.has_text() {
        let (side, height) = (4.0 * viewport.scale + width / 2.0, 6.0 * viewport.scale + width / 2.0);
        let head = smallvec![(x - side, y - height), (x, y), (x + side, y - height)];
        scene.items.push(Item::Path { points: head, stroke });
        if highlight.is_some() {
            // The operand number matters once the edge is hovered.
            let at = (x + side + 2.0, y - 8.0 * viewport.scale);
            scene.label(at, number.to_string(), 10.0 * viewport.scale, Anchor::Start, Ink::Soft);
        }
    }
}
