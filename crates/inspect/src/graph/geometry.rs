//! Points and rectangles in CSS pixels, from the top left of the graph.

/// A point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// From the left.
    pub x: i32,
    /// From the top.
    pub y: i32,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    /// The left edge.
    pub x: i32,
    /// The top edge.
    pub y: i32,
    /// The width.
    pub width: i32,
    /// The height.
    pub height: i32,
}

impl Rect {
    /// The right edge.
    pub fn right(self) -> i32 {
        self.x.saturating_add(self.width)
    }

    /// The bottom edge.
    pub fn bottom(self) -> i32 {
        self.y.saturating_add(self.height)
    }

    /// Whether the rectangles share a point; edges count.
    pub fn intersects(self, other: Self) -> bool {
        self.x <= other.right()
            && other.x <= self.right()
            && self.y <= other.bottom()
            && other.y <= self.bottom()
    }

    /// The rectangle, moved.
    #[must_use]
    pub fn moved(self, dx: i32, dy: i32) -> Self {
        Self { x: self.x.saturating_add(dx), y: self.y.saturating_add(dy), ..self }
    }
}
