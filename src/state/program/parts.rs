//! The parts of the state that workers share.

use serde::{Deserialize, Serialize};

/// An instruction: the ids of its computation and, within it, of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct At {
    /// The id of the computation.
    pub computation: u32,
    /// The id of the instruction in it.
    pub instruction: u32,
}

/// The value of a parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Argument {
    /// Pseudo-random, different for each parameter and each seed.
    #[default]
    Random,
    /// 0, 1, 2 … in logical order.
    Iota,
    /// Values as text.
    Typed(String),
}
