//! The range of an array's values, which a colour scale needs.

use super::Value;

/// The range of values. Complex values count by their magnitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// The minimum and maximum finite value; `None` if there is none.
    pub finite: Option<(f64, f64)>,
    /// Whether there is a NaN, +inf and -inf.
    pub non_finite: [bool; 3],
}

impl ValueRange {
    /// The range of these values.
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut finite = (f64::INFINITY, f64::NEG_INFINITY);
        let mut non_finite = [false; 3];
        for value in values {
            if value.is_finite() {
                finite = (finite.0.min(value), finite.1.max(value));
            } else {
                non_finite[if value.is_nan() { 0 } else { 1 + usize::from(value < 0.0) }] = true;
            }
        }
        Self { finite: (finite.0 <= finite.1).then_some(finite), non_finite }
    }
}

impl Value {
    /// The value as a real number: of a complex one, the magnitude; of a large integer, the nearest `f64`.
    #[allow(clippy::cast_precision_loss, reason = "documented")]
    pub fn real(self) -> f64 {
        match self {
            Self::Pred(value) => f64::from(u8::from(value)),
            Self::Int(value) => value as f64,
            Self::Uint(value) => value as f64,
            Self::Float(value) => value,
            Self::Complex(re, im) => re.hypot(im),
        }
    }
}
