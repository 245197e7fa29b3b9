//! The spans of the parts of each array in the text: for carets, edits and syntax colours.

use crate::validate::ShapePart;
use xla_messages::diagnostic::Span;

/// The spans of every array of the text, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpanMap {
    /// One entry per array, including those of tuples and buffers.
    pub arrays: Vec<ArraySpans>,
}

/// The kinds of properties after the colon of a layout, in their required order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// `D(…)`: level types; parsed and ignored.
    DimLevelTypes,
    /// `T(…)(…)`.
    Tiles,
    /// `L(n)`.
    TailPaddingAlignment,
    /// `#(type)`.
    IndexType,
    /// `*(type)`.
    PointerType,
    /// `E(n)`.
    ElementSize,
    /// `S(n)`.
    MemorySpace,
    /// `SC(…)(…)`.
    Splits,
    /// `P(shape)`.
    PhysicalShape,
    /// `M(n)`.
    MetadataPrefix,
}

impl Property {
    /// All, in their required order.
    pub const ALL: [Self; 10] = [
        Self::DimLevelTypes,
        Self::Tiles,
        Self::TailPaddingAlignment,
        Self::IndexType,
        Self::PointerType,
        Self::ElementSize,
        Self::MemorySpace,
        Self::Splits,
        Self::PhysicalShape,
        Self::MetadataPrefix,
    ];

    /// The letters or mark it begins with, as `SC`.
    pub const fn head(self) -> &'static str {
        match self {
            Self::DimLevelTypes => "D",
            Self::Tiles => "T",
            Self::TailPaddingAlignment => "L",
            Self::IndexType => "#",
            Self::PointerType => "*",
            Self::ElementSize => "E",
            Self::MemorySpace => "S",
            Self::Splits => "SC",
            Self::PhysicalShape => "P",
            Self::MetadataPrefix => "M",
        }
    }
}

/// The spans of the parts of one array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArraySpans {
    /// The shape index: indices from the outermost tuple inwards; empty outside tuples.
    pub path: Vec<usize>,
    /// The element type's word.
    pub element_type: Span,
    /// Each size, with its `<=`.
    pub dimensions: Vec<Span>,
    /// The square brackets and their content.
    pub brackets: Span,
    /// The braces and their content.
    pub layout: Option<Span>,
    /// The opening brace, which is longer than a byte where it is a full-width one.
    pub opening_brace: Option<Span>,
    /// The colon of the layout.
    pub colon: Option<Span>,
    /// Each entry of `minor_to_major`.
    pub minor_to_major: Vec<Span>,
    /// Each property of the layout, from its letter to its last bracket.
    pub properties: Vec<(Property, Span)>,
    /// Each tile with its brackets, and its sizes.
    pub tiles: Vec<(Span, Vec<Span>)>,
    /// Each split with its brackets.
    pub splits: Vec<Span>,
    /// The padding of XLA 2017, from `padded` to its last character.
    pub padding: Option<Span>,
    /// Each padded size.
    pub padded: Vec<Span>,
    /// The word of the padding value.
    pub padding_value: Option<Span>,
    /// The whole array.
    pub whole: Span,
}

impl SpanMap {
    /// The array at `path`.
    pub fn array(&self, path: &[usize]) -> Option<&ArraySpans> {
        self.arrays.iter().find(|a| a.path == path)
    }
}

impl ArraySpans {
    /// The span of `minor_to_major`, from its first entry to its last, or the empty span after the brace where it has none;
    /// `None` without a layout.
    pub fn order(&self) -> Option<Span> {
        let join = |spans: &[Span]| Some(spans.first()?.join(*spans.last()?));
        join(&self.minor_to_major).or_else(|| self.opening_brace.map(|brace| Span::at(brace.end)))
    }

    /// The property of this kind.
    pub fn property(&self, property: Property) -> Option<Span> {
        self.properties.iter().find(|(of, _)| *of == property).map(|(_, span)| *span)
    }

    /// From the end of size `i - 1` of tile `t` to the end of the last tile.
    fn tile_sizes_from(&self, t: usize, i: usize) -> Option<Span> {
        let before = self.tiles.get(t)?.1.get(i.checked_sub(1)?)?;
        Some(Span::new(before.end, self.tiles.last()?.0.end))
    }

    /// The span of a part of the array, or of the nearest enclosing part where it is implicit.
    pub fn of(&self, part: ShapePart) -> Span {
        let found = match part {
            ShapePart::Tuple => Some(self.whole),
            ShapePart::Dimensions => Some(self.brackets),
            ShapePart::DimensionsFrom(d) => joined(self.dimensions.iter().skip(d)),
            ShapePart::Dimension(d) => self.dimensions.get(d).copied().or(Some(self.brackets)),
            ShapePart::MinorToMajor => self.order(),
            ShapePart::MinorToMajorEntry(k) => self.minor_to_major.get(k).copied().or_else(|| self.order()),
            ShapePart::Padded => self.padding,
            ShapePart::PaddedEntry(d) => self.padded.get(d).copied().or(self.padding),
            ShapePart::TilesFrom(t) => joined(self.tiles.iter().skip(t).map(|(whole, _)| whole)),
            ShapePart::TileSizesFrom(t, i) => self.tile_sizes_from(t, i),
            ShapePart::Tile(t) => self.tiles.get(t).map(|(whole, _)| *whole),
            ShapePart::TileEntry(t, i) => {
                self.tiles.get(t).map(|(whole, sizes)| sizes.get(i).copied().unwrap_or(*whole))
            }
            ShapePart::TailPaddingAlignment => self.property(Property::TailPaddingAlignment),
            ShapePart::IndexType => self.property(Property::IndexType),
            ShapePart::PointerType => self.property(Property::PointerType),
            ShapePart::PhysicalShape => self.property(Property::PhysicalShape),
            ShapePart::ElementSize => self.property(Property::ElementSize),
            ShapePart::Split(i) => self.splits.get(i).copied().or_else(|| self.property(Property::Splits)),
            ShapePart::MetadataPrefix => self.property(Property::MetadataPrefix),
        };
        found.or(self.layout).unwrap_or(self.whole)
    }
}

/// From the first of the spans to the last.
fn joined<'a>(spans: impl Iterator<Item = &'a Span>) -> Option<Span> {
    spans.copied().reduce(Span::join)
}
