//! Tiles of a layout, and splits of a physical dimension over memories.

use smallvec::SmallVec;

use super::Dims;

/// One size of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileDim {
    /// The tile's size along the physical dimension, in elements.
    Size(i64),
    /// `*`: the physical dimension is merged into the next more minor one.
    Combine,
}

/// A tile over the most minor physical dimensions: its sizes, major to minor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tile(pub SmallVec<[TileDim; 4]>);

/// How one physical dimension is split over memories (`SC(dimension:indices)`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SplitConfig {
    /// The physical dimension; 0 is the most major.
    pub dimension: i64,
    /// The indices at which a new part begins, ascending.
    pub indices: Dims,
}
