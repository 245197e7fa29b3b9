//! The wire type of a part of an array.

use serde::{Deserialize, Serialize};

/// A part of an array. Its cells are the buffer sent with the frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// The index of its first cell in the array.
    pub start: Vec<i64>,
    /// The shape of the part, of the rank of the array.
    pub shape: String,
    /// The sizes of the whole array.
    pub sizes: Vec<i64>,
    /// The smallest and largest finite value of the whole array.
    pub range: (f64, f64),
}
