//! The wire type of a part of an array.

use serde::{Deserialize, Serialize};

use crate::array::value::ValueRange;

/// A part of an array. Its cells are the buffer sent with the frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// The index of its first cell in the array.
    pub start: Vec<i64>,
    /// The shape of the part, of the rank of the array.
    pub shape: String,
    /// The sizes of the whole array.
    pub sizes: Vec<i64>,
    /// The minimum and maximum finite value of the whole array.
    pub finite: Option<(f64, f64)>,
    /// Whether the whole array has a NaN, +inf and -inf.
    pub non_finite: [bool; 3],
}

impl Window {
    /// The range of the values of the whole array.
    pub fn range(&self) -> ValueRange {
        ValueRange { finite: self.finite, non_finite: self.non_finite }
    }
}
