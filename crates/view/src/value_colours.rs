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

/// Which of NaN, +inf and -inf an array has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct NonFinite([bool; 3]);

impl NonFinite {
    /// Those of a literal.
    pub fn of(literal: &ArrayLiteral) -> Self {
        let mut found = Self::default();
        let element_type = literal.shape().element_type;
        if element_type.is_floating() || element_type.is_complex() {
            let values = literal.values().map(as_f64);
            values.filter(|value| !value.is_finite()).for_each(|value| found.add(value));
        }
        found
    }

    /// Notes a value that is not finite.
    pub fn add(&mut self, value: f64) {
        self.0[if value.is_nan() { 0 } else { 1 + usize::from(value < 0.0) }] = true;
    }

    /// Their texts and colours.
    pub fn swatches(self) -> impl Iterator<Item = (&'static str, Rgb)> {
        let all = [("nan", NAN_COLOUR), ("inf", INFINITY_COLOUR), ("-inf", NEGATIVE_INFINITY_COLOUR)];
        all.into_iter().zip(self.0).filter(|(_, is_found)| *is_found).map(|(swatch, _)| swatch)
    }
}
