//! Colours of values: the number that a colour encodes, and the colours of NaN and the infinities, which are in no colour map.
//!
//! Cells that are large enough show `nan`, `∞` and `-∞`, too, so that they do not differ by colour alone.

use super::colour_map::{INFINITY_COLOUR, NAN_COLOUR, NEGATIVE_INFINITY_COLOUR};
use super::scene::Rgb;
use xla_array::{ArrayLiteral, Value};

/// The number that the colour of a value encodes: of complex numbers, the magnitude.
#[allow(clippy::cast_precision_loss, reason = "only the position on a colour scale depends on it")]
pub(super) fn as_f64(value: Value) -> f64 {
    match value {
        Value::Pred(v) => f64::from(u8::from(v)),
        Value::Int(v) => v as f64,
        Value::Uint(v) => v as f64,
        Value::Float(v) => v,
        Value::Complex(re, im) => re.hypot(im),
    }
}

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

/// The texts and colours of NaN and the infinities that a literal has.
pub(super) fn swatches(literal: &ArrayLiteral) -> Vec<(&'static str, Rgb)> {
    let element_type = literal.shape().element_type;
    if !element_type.is_floating() && !element_type.is_complex() {
        return Vec::new();
    }
    let mut found = [false; 3];
    let mut add = |value: f64| {
        if !value.is_finite() {
            found[if value.is_nan() { 0 } else { 1 + usize::from(value < 0.0) }] = true;
        }
    };
    let map = literal.memory_map();
    if map.slot_count() == map.elements()
        && let Some(cells) = literal.as_slice::<f32>()
    {
        for x in cells {
            add(f64::from(*x));
        }
    } else {
        for value in literal.values() {
            add(as_f64(value));
        }
    }
    let swatches = [("nan", NAN_COLOUR), ("inf", INFINITY_COLOUR), ("-inf", NEGATIVE_INFINITY_COLOUR)];
    swatches.into_iter().zip(found).filter(|(_, is_found)| *is_found).map(|(swatch, _)| swatch).collect()
}
