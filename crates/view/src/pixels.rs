//! Indices as coordinates of a picture, and back.

/// An index as a coordinate. Sizes are far below 2^53, where doubles hold every integer.
#[allow(clippy::cast_precision_loss, reason = "sizes here are at most 2^26")]
pub fn px(n: i64) -> f64 {
    n as f64
}

/// The index at a coordinate.
#[allow(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, which is what a coordinate far outside needs"
)]
pub fn index_at(x: f64) -> i64 {
    x.floor() as i64
}
