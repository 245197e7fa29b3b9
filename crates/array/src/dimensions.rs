//! Sizes and numbers of dimensions, and whether a size is known.

use smallvec::SmallVec;

/// Sizes or dimension numbers, one entry a dimension; inline up to rank 6.
pub type Dims = SmallVec<[i64; 6]>;

/// Whether a dimension's size is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dynamic {
    /// Its size is the size.
    #[default]
    Static,
    /// `<=n`: the size is an upper bound.
    Bounded,
    /// `?`: no bound; the size is [`ArrayShape::UNBOUNDED`](super::ArrayShape::UNBOUNDED).
    Unbounded,
}
