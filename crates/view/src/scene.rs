//! A picture as plain data: what the canvas paints and what the SVG writer prints.
//!
//! Nothing about an array is decided while painting: a [`Scene`] already holds every place, colour name and
//! label. Colours are [`Ink`]s, names that a [`super::palette::Theme`] turns into colours, or exact colours
//! where data is shown. Large grids are one [`Item::Raster`], not an item a cell. Units are CSS pixels.

use smallvec::SmallVec;

pub use super::colour::Rgb;

/// A colour by its role; the theme gives the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// The page's ground.
    Ground,
    /// Cells whose colour says nothing.
    Surface,
    /// Text and marks of the first rank.
    Strong,
    /// Text of the second rank.
    Soft,
    /// Text of the third rank: rulers, slot numbers.
    Faint,
    /// Hairlines.
    Line,
    /// Lines that separate: cache lines, tiles, the edge of padding.
    LineStrong,
    /// Strokes of the hatch that marks padding.
    Hatch,
    /// The selected cell's outline.
    Select,
    /// The hovered cell's outline.
    Hover,
    /// The colour of a dimension; from 6 on they repeat (with another line style).
    Dimension(usize),
    /// The colour of a dimension, so thin that what is under it stays readable.
    Tint(usize),
    /// Exactly this colour, in every theme.
    Exact(Rgb),
    /// Black or white, whichever is read better on this colour.
    On(Rgb),
    /// As [`Ink::On`], for small print that stays behind the value.
    OnSoft(Rgb),
}

/// A rectangle: left, top, width, height.
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
    /// A rectangle.
    pub fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self { x, y, w, h }
    }

    /// Whether the point lies inside.
    pub fn contains(self, x: f64, y: f64) -> bool {
        x >= self.x && x < self.x + self.w && y >= self.y && y < self.y + self.h
    }

    /// The rectangle with its edges moved outwards by `by` (inwards where negative).
    #[must_use]
    pub fn grown(self, by: f64) -> Self {
        Self { x: self.x - by, y: self.y - by, w: self.w + 2.0 * by, h: self.h + 2.0 * by }
    }

    /// The common part, if there is one.
    #[must_use]
    pub fn meet(self, other: Self) -> Option<Self> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (r, b) = ((self.x + self.w).min(other.x + other.w), (self.y + self.h).min(other.y + other.h));
        (r > x && b > y).then_some(Self { x, y, w: r - x, h: b - y })
    }
}

/// Where a text's place lies relative to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The place is its left end.
    Start,
    /// The place is its middle.
    Middle,
    /// The place is its right end.
    End,
}

/// A short text on one line; its place is its vertical middle.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Where.
    pub x: f64,
    /// Where: the vertical middle of the line.
    pub y: f64,
    /// What.
    pub text: String,
    /// Font size.
    pub size: f64,
    /// Heavier than usual.
    pub bold: bool,
    /// How it stands at its place.
    pub anchor: Anchor,
    /// Colour.
    pub ink: Ink,
}

/// How a line is drawn.
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

/// One thing in a picture; later ones cover earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A rectangle, filled and/or outlined (the outline runs along the edge, half on each side).
    Box {
        /// Place and size.
        rect: Rect,
        /// Radius of the corners.
        radius: f64,
        /// Inside.
        fill: Option<Ink>,
        /// Edge.
        stroke: Option<Stroke>,
    },
    /// A rectangle hatched with 45° lines: padding.
    Hatch {
        /// Place and size.
        rect: Rect,
    },
    /// Cells as pixels, stretched over the rectangle without smoothing. Row by row from the top, 4 bytes a pixel:
    /// red, green, blue, alpha (0 where nothing is painted).
    Raster {
        /// Place and size.
        rect: Rect,
        /// Pixels a row.
        columns: usize,
        /// Rows.
        rows: usize,
        /// `columns · rows · 4` bytes.
        rgba: Vec<u8>,
    },
    /// A line through these points.
    Path {
        /// At least two points.
        points: SmallVec<[(f64, f64); 2]>,
        /// How it is drawn.
        stroke: Stroke,
    },
    /// A cubic curve from the first to the last point: where a cell went.
    Curve {
        /// Start, two control points, end.
        points: [(f64, f64); 4],
        /// How it is drawn.
        stroke: Stroke,
    },
    /// A text.
    Label(Label),
}

/// A picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// What is in it, from the back to the front.
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

    /// Adds a text in the middle of `rect`.
    pub fn centred(&mut self, rect: Rect, text: impl Into<String>, size: f64, bold: bool, ink: Ink) {
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

    /// Adds a text at a place.
    pub fn label(&mut self, at: (f64, f64), text: impl Into<String>, size: f64, anchor: Anchor, ink: Ink) {
        let (x, y) = at;
        self.items.push(Item::Label(Label { x, y, text: text.into(), size, bold: false, anchor, ink }));
    }

    /// Adds everything of `other`, moved by (`dx`, `dy`).
    pub fn place(&mut self, other: Self, dx: f64, dy: f64) {
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
