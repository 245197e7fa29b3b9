//! What crosses between page and worker: never a type of the core, so that the core may change freely.

use serde::{Deserialize, Serialize};

/// Count what a change of layout moves. Shapes are in the text form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountMoves {
    /// The array in its first layout.
    pub from: String,
    /// The array in its second layout.
    pub to: String,
}

/// How far the counting is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Elements that have another slot.
    pub elements: i64,
    /// Their bytes.
    pub bytes: i64,
    /// Whether all elements have been looked at.
    pub done: bool,
}
