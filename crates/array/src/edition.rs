//! The versions of XLA whose rules and utilities are followed: 2017 and current XLA.

/// A version of XLA's rules and utilities. They are ordered by age. Elsewhere "2017" and "current XLA" refer to these two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edition {
    /// XLA of 2017, as in TensorFlow r1.3: layouts with `padded_dimensions`.
    V2017,
    /// Current XLA: tiled layouts.
    #[default]
    Current,
}
