//! A picture as plain data, which the canvas paints and the SVG writer prints.
//!
//! Painting makes no decision about an array: a [`Scene`] has every position, colour and label. Colours are [`Ink`]s:
//! roles that a [`super::palette::Theme`] resolves, or exact colours for data. Large grids are one [`Item::Raster`],
//! not one item per cell. Units are CSS pixels.

use smallvec::SmallVec;

pub use super::colour::Rgb;

/// A colour by its role, which the theme resolves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// The background of the page.
    Background,
    /// The background of cells whose colour encodes nothing.
    Surface,
    /// Primary text and marks.
    Strong,
    /// Secondary text.
    Soft,
    /// Tertiary text: rulers, slot numbers.
    Faint,
    /// Hairlines.
    Line,
    /// Separators: cache lines, tiles, the edge of padding.
    LineStrong,
    /// The hatching of padding.
    Hatch,
    /// The outline of the selected cell.
    Select,
    /// The outline of the hovered cell.
    Hover,
    /// The page background, translucent; drawn over cells to fade them out.
    Shade,
    /// The colour of a dimension; from index 6 on, colours repeat with a different line style.
    Dimension(usize),
    /// The colour of a dimension as a translucent tint.
    Tint(usize),
    /// This colour in every theme.
    Exact(Rgb),
    /// Black or white, whichever has more contrast with this colour.
    On(Rgb),
    /// Like [`Ink::On`], fainter, for small print.
    OnSoft(Rgb),
}

/// A rectangle, by its top left corner and its size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Rect {
    /// A rectangle with this left and top edge, width and height.
    pub fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self { x, y, w, h }
    }

    /// Whether the rectangle contains a point.
    pub fn contains(self, x: f64, y: f64) -> bool {
        x >= self.x && x < self.x + self.w && y >= self.y && y < self.y + self.h
    }

    /// The rectangle with its edges moved outwards by `margin`, inwards if it is negative.
    #[must_use]
    pub fn grown(self, margin: f64) -> Self {
        Self { x: self.x - margin, y: self.y - margin, w: self.w + 2.0 * margin, h: self.h + 2.0 * margin }
    }

    /// The intersection, if it is not empty.
    #[must_use]
    pub fn intersection(self, other: Self) -> Option<Self> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (r, b) = ((self.x + self.w).min(other.x + other.w), (self.y + self.h).min(other.y + other.h));
        (r > x && b > y).then_some(Self { x, y, w: r - x, h: b - y })
    }
}

/// The horizontal alignment of a label at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The position is its left end.
    Start,
    /// The position is its middle.
    Middle,
    /// The position is its right end.
    End,
}

/// A single-line label.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Horizontal position of the point that `anchor` selects.
    pub x: f64,
    /// Vertical middle of the line.
    pub y: f64,
    /// The text.
    pub text: String,
    /// Font size.
    pub size: f64,
    /// Whether it is bold.
    pub bold: bool,
    /// The point of the label that `x` refers to.
    pub anchor: Anchor,
    /// Colour.
    pub ink: Ink,
}

/// The style of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Colour.
    pub ink: Ink,
    /// Width.
    pub width: f64,
    /// Lengths of a dash and of the gap after it, or `None` for a solid line.
    pub dash: Option<[f64; 2]>,
}

impl Stroke {
    /// A solid line.
    pub fn solid(ink: Ink, width: f64) -> Self {
        Self { ink, width, dash: None }
    }
}

/// An item of a picture; later items cover earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A rectangle, filled and/or outlined; the outline is centred on the edge.
    Box {
        /// Position and size.
        rect: Rect,
        /// Radius of the corners.
        radius: f64,
        /// Fill, if any.
        fill: Option<Ink>,
        /// Outline, if any.
        stroke: Option<Stroke>,
    },
    /// A rectangle hatched with 45° lines, for padding.
    Hatch {
        /// Position and size.
        rect: Rect,
    },
    /// Pixels, stretched over the rectangle without smoothing. Rows from top to bottom, 4 bytes per pixel: red, green,
    /// blue, alpha.
    Raster {
        /// Position and size.
        rect: Rect,
        /// Pixels per row.
        columns: usize,
        /// The number of rows.
        rows: usize,
        /// `columns · rows · 4` bytes.
        rgba: Vec<u8>,
    },
    /// Straight lines from point to point.
    Path {
        /// At least two points.
        points: SmallVec<[(f64, f64); 2]>,
        /// The style of the line.
        stroke: Stroke,
    },
    /// A cubic Bézier curve.
    Curve {
        /// Start, two control points, end.
        points: [(f64, f64); 4],
        /// The style of the line.
        stroke: Stroke,
    },
    /// A single-line label.
    Label(Label),
}

/// A picture: rectangles, lines and texts, independent of the format that it is drawn in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// The items, from back to front.
    pub items: Vec<Item>,
}

impl Scene {
    /// An empty picture.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, items: Vec::new() }
    }

    /// Adds a filled rectangle.
    pub fn fill(&mut self, rect: Rect, radius: f64, ink: Ink) {
        self.items.push(Item::Box { rect, radius, fill: Some(ink), stroke: None });
    }

    /// Adds the outline of a rectangle.
    pub fn outline(&mut self, rect: Rect, radius: f64, stroke: Stroke) {
        self.items.push(Item::Box { rect, radius, fill: None, stroke: Some(stroke) });
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        self.items.push(Item::Path { points: SmallVec::from_buf([from, to]), stroke });
    }

    /// Adds text centred in `rect`.
    pub fn centred_label(&mut self, rect: Rect, text: impl Into<String>, size: f64, bold: bool, ink: Ink) {
        let (x, y) = (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0);
        self.items.push(Item::Label(Label {
            x,
            y,
            text: text.into(),
            size,
            bold,
            anchor: Anchor::Middle,
            ink,
        }));
    }

    /// Adds text at a position.
    pub fn label(
        &mut self,
        (x, y): (f64, f64),
        text: impl Into<String>,
        size: f64,
        anchor: Anchor,
        ink: Ink,
    ) {
        self.items.push(Item::Label(Label { x, y, text: text.into(), size, bold: false, anchor, ink }));
    }

    /// Adds all items of `other`, moved by (`dx`, `dy`).
    pub fn insert(&mut self, other: Self, dx: f64, dy: f64) {
        let shift = |p: (f64, f64)| (p.0 + dx, p.1 + dy);
        let moved = |r: Rect| Rect { x: r.x + dx, y: r.y + dy, ..r };
        self.items.extend(other.items.into_iter().map(|item| match item {
            Item::Box { rect, radius, fill, stroke } => Item::Box { rect: moved(rect), radius, fill, stroke },
            Item::Hatch { rect } => Item::Hatch { rect: moved(rect) },
            Item::Raster { rect, columns, rows, rgba } => {
                Item::Raster { rect: moved(rect), columns, rows, rgba }
            }
            Item::Path { points, stroke } => {
                Item::Path { points: points.into_iter().map(shift).collect(), stroke }
            }
            Item::Curve { points, stroke } => Item::Curve { points: points.map(shift), stroke },
            Item::Label(label) => Item::Label(Label { x: label.x + dx, y: label.y + dy, ..label }),
        }));
    }
}
