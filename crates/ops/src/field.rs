//! Real and complex numbers as one trait, for the ops of linear algebra.

use super::elementwise::complex::{self, Complex};
use xla_array::Value;
use xla_messages::bug;

/// A field: real or complex numbers.
pub(super) trait Field: Copy {
    /// The number of an element; 0 if the element has another class.
    fn from_value(value: Value) -> Self;
    /// The number as an element.
    fn to_value(self) -> Value;
    /// `self - other`
    fn sub(self, other: Self) -> Self;
    /// `self · other`
    fn mul(self, other: Self) -> Self;
    /// `self / other`
    fn div(self, other: Self) -> Self;
    /// `self / x`
    fn div_real(self, x: f64) -> Self;
    /// The complex conjugate.
    fn conjugate(self) -> Self;
    /// The real part.
    fn real(self) -> f64;
}

impl Field for f64 {
    fn from_value(value: Value) -> Self {
        value.as_float()
    }

    fn to_value(self) -> Value {
        Value::Float(self)
    }

    fn sub(self, other: Self) -> Self {
        self - other
    }

    fn mul(self, other: Self) -> Self {
        self * other
    }

    fn div(self, other: Self) -> Self {
        self / other
    }

    fn div_real(self, x: f64) -> Self {
        self / x
    }

    fn conjugate(self) -> Self {
        self
    }

    fn real(self) -> f64 {
        self
    }
}

impl Field for Complex {
    fn from_value(value: Value) -> Self {
        match value {
            Value::Float(x) => Self(x, 0.0),
            Value::Complex(re, im) => Self(re, im),
            Value::Pred(_) | Value::Int(_) | Value::Uint(_) => {
                bug!("{value:?} is not a floating-point number");
                Self(0.0, 0.0)
            }
        }
    }

    fn to_value(self) -> Value {
        Value::Complex(self.0, self.1)
    }

    fn sub(self, other: Self) -> Self {
        complex::subtract(self, other)
    }

    fn mul(self, other: Self) -> Self {
        complex::multiply(self, other)
    }

    fn div(self, other: Self) -> Self {
        complex::divide(self, other)
    }

    fn div_real(self, x: f64) -> Self {
        Self(self.0 / x, self.1 / x)
    }

    fn conjugate(self) -> Self {
        Self(self.0, -self.1)
    }

    fn real(self) -> f64 {
        self.0
    }
}
