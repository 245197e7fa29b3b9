//! The mapping from a graph to its picture, and the details that a scale shows.

use xla_inspect::graph::Rect as GraphRect;

use crate::scene::Rect;

/// Scales below which texts, and then all details, are omitted: they would be too small to read.
const MIN_TEXT_SCALE: f64 = 0.45;
const MIN_DETAIL_SCALE: f64 = 0.15;
/// The size of texts at scale 1, as the layout assumes it.
pub(super) const TEXT_SIZE: f64 = 12.0;

/// The mapping from the graph to the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// The point of the graph at the top left of the picture.
    pub x: f64,
    /// From the top of the graph.
    pub y: f64,
    /// The width of the picture.
    pub width: f64,
    /// The height of the picture.
    pub height: f64,
    /// The pixels of the picture per pixel of the graph.
    pub scale: f64,
}

impl Viewport {
    /// The whole graph at scale 1.
    pub fn whole((width, height): (i32, i32)) -> Self {
        Self { x: 0.0, y: 0.0, width: f64::from(width), height: f64::from(height), scale: 1.0 }
    }

    /// The visible part of the graph, rounded outwards.
    #[allow(clippy::cast_possible_truncation, reason = "saturates far beyond the size of any graph")]
    pub fn window(&self) -> GraphRect {
        let scale = self.scale.max(1e-6);
        GraphRect {
            x: self.x.floor() as i32,
            y: self.y.floor() as i32,
            width: (self.width / scale).ceil() as i32 + 1,
            height: (self.height / scale).ceil() as i32 + 1,
        }
    }

    pub(super) fn point(&self, x: f64, y: f64) -> (f64, f64) {
        ((x - self.x) * self.scale, (y - self.y) * self.scale)
    }

    pub(super) fn rect(&self, rect: GraphRect) -> Rect {
        let (x, y) = self.point(f64::from(rect.x), f64::from(rect.y));
        Rect::new(x, y, f64::from(rect.width) * self.scale, f64::from(rect.height) * self.scale)
    }

    /// Whether texts are drawn.
    pub fn has_text(&self) -> bool {
        self.scale >= MIN_TEXT_SCALE
    }

    pub(super) fn has_details(&self) -> bool {
        self.scale >= MIN_DETAIL_SCALE
    }
}
