//! Which XLA answers: that of 2017 or today's, where the two differ.

/// An edition of XLA's rules and utilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edition {
    /// TensorFlow r1.3, the time of `padded_dimensions`.
    V2017,
    /// Today's, with tiled layouts.
    #[default]
    Now,
}
