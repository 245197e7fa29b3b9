//! The first NaN or infinity of an array.

use xla_array::index::multi_index;
use xla_array::{ArrayLiteral, Dims, Value};

use super::cells::is_inexact;

/// Values that are not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NonFinite {
    /// NaN; a complex number is NaN if a part is.
    Nan,
    /// ±inf; a complex number is infinite if a part is and none is NaN.
    Infinity,
}

impl NonFinite {
    fn holds(self, value: Value) -> bool {
        let (is_nan, is_infinite) = match value {
            Value::Pred(_) | Value::Int(_) | Value::Uint(_) => (false, false),
            Value::Float(x) => (x.is_nan(), x.is_infinite()),
            Value::Complex(re, im) => (re.is_nan() || im.is_nan(), re.is_infinite() || im.is_infinite()),
        };
        match self {
            Self::Nan => is_nan,
            Self::Infinity => is_infinite && !is_nan,
        }
    }
}

/// The index of the first such element in row-major order, whatever the layout.
///
/// ```
/// use xla_array::ArrayLiteral;
/// use xla_inspect::values::{NonFinite, first_non_finite};
///
/// let array = ArrayLiteral::from_slice([2, 2], &[1.0f32, f32::INFINITY, f32::NAN, 0.0]).unwrap();
/// assert_eq!(first_non_finite(&array, NonFinite::Nan).unwrap().to_vec(), [1, 0]);
/// assert_eq!(first_non_finite(&array, NonFinite::Infinity).unwrap().to_vec(), [0, 1]);
/// ```
pub fn first_non_finite(array: &ArrayLiteral, kind: NonFinite) -> Option<Dims> {
    if !is_inexact(array.element_type()) {
        return None;
    }
    let position = array.values().position(|value| kind.holds(value))?;
    Some(multi_index(i64::try_from(position).ok()?, &array.shape().dimensions))
}
