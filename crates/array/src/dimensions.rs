//! Lists of dimension sizes or numbers, and whether a size is static.

use smallvec::SmallVec;

/// One value per dimension: a size, a coordinate, or a dimension number. Not on the heap up to rank 6.
pub type Dims = SmallVec<[i64; 6]>;

/// Whether the size of a dimension is known at compile time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dynamic {
    /// The size is exact.
    #[default]
    Static,
    /// `<=n`: the size is an upper bound.
    Bounded,
    /// `?`: no bound; the size is [`ArrayShape::UNBOUNDED`](super::ArrayShape::UNBOUNDED).
    Unbounded,
}
