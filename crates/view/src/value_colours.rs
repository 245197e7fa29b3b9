//! The colours of NaN and the infinities, which are in no colour map.
//!
//! Cells that are large enough show `nan`, `∞` and `-∞`, too, so that they do not differ by colour alone.

use super::colour_map::{INFINITY_COLOUR, NAN_COLOUR, NEGATIVE_INFINITY_COLOUR};
use super::scene::Rgb;

/// The colour of NaN or an infinity; `None` of a finite number.
pub(super) fn of_non_finite(value: f64) -> Option<Rgb> {
    if value.is_finite() {
        None
    } else if value.is_nan() {
        Some(NAN_COLOUR)
    } else if value > 0.0 {
        Some(INFINITY_COLOUR)
    } else {
        Some(NEGATIVE_INFINITY_COLOUR)
    }
}

/// The texts and colours of those of NaN, +inf and -inf that there are, in the order of `ValueRange::non_finite`.
pub(super) fn swatches(non_finite: [bool; 3]) -> impl Iterator<Item = (&'static str, Rgb)> {
    let all = [("nan", NAN_COLOUR), ("inf", INFINITY_COLOUR), ("-inf", NEGATIVE_INFINITY_COLOUR)];
    all.into_iter().zip(non_finite).filter(|(_, is_found)| *is_found).map(|(swatch, _)| swatch)
}
