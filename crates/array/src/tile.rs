//! Tiles of a layout, and splits of a physical dimension over memories.

use smallvec::SmallVec;

use super::Dims;

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
