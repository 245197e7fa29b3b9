//! How an array lies in memory: the order of its dimensions, padding, tiles and storage properties.
//!
//! Both editions live in one type. The `Layout` of 2017 has `minor_to_major`, `padded_dimensions` and
//! `padding_value` (document "Shapes and layout"); today's has no padding of that kind but tiles and the other
//! properties. A `Layout` is what was written: it may break rules. [`super::validate`] checks them, and
//! [`super::memory::MemoryMap`] is only made of a layout that keeps them.

use smallvec::SmallVec;

use super::{Dims, ElementType, Shape};

/// What padding cells of the 2017 layout hold (`PaddingValue` of `xla_data.proto`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PaddingValue {
    /// `INVALID_PAD`: not set.
    #[default]
    Invalid,
    /// `ZERO_PAD`.
    Zero,
    /// `ONE_PAD`.
    One,
    /// `LOWEST_PAD`: the lowest value of the type, -inf for floats; the identity of max.
    Lowest,
    /// `HIGHEST_PAD`: the highest value of the type, +inf for floats; the identity of min.
    Highest,
    /// `UNKNOWN_PAD`: anything, NaN included.
    Unknown,
}

impl PaddingValue {
    /// All six, in the order of the enum.
    pub const ALL: [Self; 6] =
        [Self::Invalid, Self::Zero, Self::One, Self::Lowest, Self::Highest, Self::Unknown];

    /// The word of the text form, as `zero`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Zero => "zero",
            Self::One => "one",
            Self::Lowest => "lowest",
            Self::Highest => "highest",
            Self::Unknown => "unknown",
        }
    }

    /// The enum's name, as `ZERO_PAD`.
    pub const fn proto_name(self) -> &'static str {
        match self {
            Self::Invalid => "INVALID_PAD",
            Self::Zero => "ZERO_PAD",
            Self::One => "ONE_PAD",
            Self::Lowest => "LOWEST_PAD",
            Self::Highest => "HIGHEST_PAD",
            Self::Unknown => "UNKNOWN_PAD",
        }
    }

    /// The value of this word or enum name, in any case.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|v| v.word().eq_ignore_ascii_case(word) || v.proto_name().eq_ignore_ascii_case(word))
    }
}

/// Padding of the 2017 layout: always at the high end of a dimension, and not part of the shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Padding {
    /// The size each dimension is padded to; one entry a dimension.
    pub dimensions: Dims,
    /// What padding cells hold.
    pub value: PaddingValue,
}

/// One size of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileDim {
    /// So many cells of the physical dimension.
    Size(i64),
    /// `*`: the physical dimension is merged into the next more minor one.
    Combine,
}

/// A tile: its sizes from major to minor, over the most minor physical dimensions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tile(pub SmallVec<[TileDim; 4]>);

/// How one physical dimension is split over memories (`SC(dimension:indices)`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SplitConfig {
    /// The physical dimension; 0 is the most major.
    pub dimension: i64,
    /// Where it is split.
    pub indices: Dims,
}

/// The order of an array in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Dimension numbers, the most minor first.
    pub minor_to_major: Dims,
    /// The padding of 2017, if any.
    pub padding: Option<Padding>,
    /// `T(…)(…)`: tiles, the outermost first.
    pub tiles: SmallVec<[Tile; 2]>,
    /// `L(n)`: the number of cells is rounded up to a multiple of n; 1 by default.
    pub tail_padding_alignment: i64,
    /// `#(type)`: index type of a sparse array; invalid on dense ones.
    pub index_type: Option<ElementType>,
    /// `*(type)`: pointer type of a sparse array; invalid on dense ones.
    pub pointer_type: Option<ElementType>,
    /// `E(n)`: bits an element is stored in; 0 means the type's own whole bytes.
    pub element_size_in_bits: i64,
    /// `S(n)`: memory space; 0 is the default one.
    pub memory_space: i64,
    /// `SC(…)`: splits.
    pub split_configs: SmallVec<[SplitConfig; 1]>,
    /// `P(shape)`: physical shape of a sparse array; invalid on dense ones.
    pub physical_shape: Option<Box<Shape>>,
    /// `M(n)`: bytes of dynamic-shape metadata before the data.
    pub dynamic_shape_metadata_prefix_bytes: i64,
}

impl Layout {
    /// The layout of this order and nothing else (`MakeLayout`).
    pub fn new(minor_to_major: impl IntoIterator<Item = i64>) -> Self {
        Self {
            minor_to_major: minor_to_major.into_iter().collect(),
            padding: None,
            tiles: SmallVec::new(),
            tail_padding_alignment: 1,
            index_type: None,
            pointer_type: None,
            element_size_in_bits: 0,
            memory_space: 0,
            split_configs: SmallVec::new(),
            physical_shape: None,
            dynamic_shape_metadata_prefix_bytes: 0,
        }
    }

    /// "Dim 0 is major": N-1, …, 0, row-major at rank 2; the default layout.
    pub fn descending(rank: usize) -> Self {
        Self::new((0..i64::try_from(rank).unwrap_or(i64::MAX)).rev())
    }

    /// "Dim 0 is minor": 0, …, N-1, column-major at rank 2.
    pub fn ascending(rank: usize) -> Self {
        Self::new(0..i64::try_from(rank).unwrap_or(i64::MAX))
    }

    /// The same layout padded to these sizes.
    #[must_use]
    pub fn padded(mut self, dimensions: impl IntoIterator<Item = i64>, value: PaddingValue) -> Self {
        self.padding = Some(Padding { dimensions: dimensions.into_iter().collect(), value });
        self
    }

    /// The same layout with one more tile inside the others.
    #[must_use]
    pub fn tiled(mut self, sizes: impl IntoIterator<Item = i64>) -> Self {
        self.tiles.push(Tile(sizes.into_iter().map(TileDim::Size).collect()));
        self
    }

    /// Whether nothing but `minor_to_major` is set: the braces hold no colon.
    pub fn has_only_order(&self) -> bool {
        let plain = Self { padding: self.padding.clone(), ..Self::new(self.minor_to_major.iter().copied()) };
        *self == plain
    }
}
