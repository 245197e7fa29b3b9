//! Conversions between indices and coordinates of a picture, and limits of coordinates.

/// Converts an index or a count to `f64`, exactly: all are far below 2^53.
#[allow(clippy::cast_precision_loss, reason = "indices and counts of a picture are at most 2^26")]
pub fn px(n: i64) -> f64 {
    n as f64
}

/// Rounds a coordinate down to an index.
#[allow(clippy::cast_possible_truncation, reason = "the cast saturates, as coordinates far outside require")]
pub fn index_at(x: f64) -> i64 {
    x.floor() as i64
}

/// The value, or the limit that it is beyond; NaN stays. `f64::clamp` has a panic that prints its limits, and so links 15 kB of
/// code that prints doubles.
pub fn limited(value: f64, low: f64, high: f64) -> f64 {
    if value < low {
        low
    } else if value > high {
        high
    } else {
        value
    }
}
