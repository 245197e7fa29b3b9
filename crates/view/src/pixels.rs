//! Conversions between indices and coordinates of a picture, and clamping of coordinates.

use xla_messages::bug::OrBug as _;

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

/// Converts a length or a position in a list to `f64`, exactly: see [`px`].
pub fn count_px(n: usize) -> f64 {
    px(i64::try_from(n).or_bug(0, "a length exceeds i64"))
}

/// Rounds a coordinate down to a count of at least 1.
pub fn count_at(x: f64) -> usize {
    usize::try_from(index_at(x).max(1)).or_bug(1, "a coordinate exceeds usize")
}

/// Clamps a value to `low..=high`; NaN stays NaN. `f64::clamp` has a panic that prints its limits, and so links 15 kB of
/// code that prints doubles.
pub fn clamped(value: f64, low: f64, high: f64) -> f64 {
    if value < low {
        low
    } else if value > high {
        high
    } else {
        value
    }
}
