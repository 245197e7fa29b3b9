//! The floating-point types whose thresholds routines use.

/// The floating-point type that thresholds are for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Precision {
    /// Half the distance from 1 to the next number.
    pub epsilon: f64,
    /// The smallest number whose reciprocal does not overflow.
    pub minimum: f64,
}

impl Precision {
    pub const SINGLE: Self = Self { epsilon: f32::EPSILON as f64 / 2.0, minimum: f32::MIN_POSITIVE as f64 };
    pub const DOUBLE: Self = Self { epsilon: f64::EPSILON / 2.0, minimum: f64::MIN_POSITIVE };

    pub fn ulp(self) -> f64 {
        2.0 * self.epsilon
    }

    /// The bound below which an element of a matrix of this size is 0.
    #[allow(clippy::cast_precision_loss, reason = "a size of an array")]
    pub fn small(self, size: usize) -> f64 {
        self.minimum * (size as f64 / self.ulp())
    }
}
