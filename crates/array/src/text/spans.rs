//! Where in a text each part of its arrays stands: for carets, for edits, and for colouring the text.

use crate::validate::Place;
use xla_messages::diagnostic::Span;

/// The parts of every array of a text, in the order they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpanMap {
    /// One entry an array; the arrays of a tuple, in a buffer too.
    pub arrays: Vec<ArraySpans>,
}

/// The kinds of properties after the colon of a layout, in the order they must stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// `D(…)`: level types; read and dropped.
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
    /// All, in the order they must stand.
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

/// Where the parts of one array stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArraySpans {
    /// The element of the tuple, as indices from the outermost tuple inwards; empty outside tuples.
    pub path: Vec<usize>,
    /// The element type's word.
    pub element_type: Span,
    /// Each size, with its `<=`.
    pub dimensions: Vec<Span>,
    /// The square brackets with what is between them.
    pub brackets: Span,
    /// The braces with what is between them.
    pub layout: Option<Span>,
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
    /// The padding of 2017, from `padded` to its last character.
    pub padding: Option<Span>,
    /// Each padded size.
    pub padded: Vec<Span>,
    /// The word of the padding value.
    pub padding_value: Option<Span>,
    /// All of it.
    pub whole: Span,
}

impl SpanMap {
    /// The array at `path`.
    pub fn array(&self, path: &[usize]) -> Option<&ArraySpans> {
        self.arrays.iter().find(|a| a.path == path)
    }
}

impl ArraySpans {
    /// The text of `minor_to_major`: from its first entry to its last, or the place where they belong; `None`
    /// without a layout.
    pub fn order(&self) -> Option<Span> {
        let join = |spans: &[Span]| Some(spans.first()?.join(*spans.last()?));
        join(&self.minor_to_major).or_else(|| self.layout.map(|braces| Span::at(braces.start + 1)))
    }

    /// The property of this kind.
    pub fn property(&self, property: Property) -> Option<Span> {
        self.properties.iter().find(|(of, _)| *of == property).map(|(_, span)| *span)
    }

    /// From behind size `i - 1` of tile `t` to the end of the last tile.
    fn tile_sizes_from(&self, t: usize, i: usize) -> Option<Span> {
        let before = self.tiles.get(t)?.1.get(i.checked_sub(1)?)?;
        Some(Span::new(before.end, self.tiles.last()?.0.end))
    }

    /// The span of a part of the array; that of the nearest enclosing part where it is not written out.
    pub fn place(&self, place: Place) -> Span {
        let found = match place {
            Place::Tuple => Some(self.whole),
            Place::Dimensions => Some(self.brackets),
            Place::DimensionsFrom(d) => joined(self.dimensions.iter().skip(d)),
            Place::Dimension(d) => self.dimensions.get(d).copied().or(Some(self.brackets)),
            Place::MinorToMajor => self.order(),
            Place::MinorToMajorEntry(k) => self.minor_to_major.get(k).copied().or_else(|| self.order()),
            Place::Padded => self.padding,
            Place::PaddedEntry(d) => self.padded.get(d).copied().or(self.padding),
            Place::TilesFrom(t) => joined(self.tiles.iter().skip(t).map(|(whole, _)| whole)),
            Place::TileSizesFrom(t, i) => self.tile_sizes_from(t, i),
            Place::Tile(t) => self.tiles.get(t).map(|(whole, _)| *whole),
            Place::TileEntry(t, i) => {
                self.tiles.get(t).map(|(whole, sizes)| sizes.get(i).copied().unwrap_or(*whole))
            }
            Place::TailPaddingAlignment => self.property(Property::TailPaddingAlignment),
            Place::IndexType => self.property(Property::IndexType),
            Place::PointerType => self.property(Property::PointerType),
            Place::PhysicalShape => self.property(Property::PhysicalShape),
            Place::ElementSize => self.property(Property::ElementSize),
            Place::Split(i) => self.splits.get(i).copied().or_else(|| self.property(Property::Splits)),
            Place::MetadataPrefix => self.property(Property::MetadataPrefix),
        };
        found.or(self.layout).unwrap_or(self.whole)
    }
}

/// From the first of the spans to the last.
fn joined<'a>(spans: impl Iterator<Item = &'a Span>) -> Option<Span> {
    spans.copied().reduce(Span::join)
}
