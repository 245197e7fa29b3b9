//! Real and complex numbers as one trait, for the ops of linear algebra.

use super::elementwise::complex::{self, Complex};
use xla_array::Value;
use xla_messages::bug;

/// A field: real or complex numbers.
pub(super) trait Field: Copy {
    /// The value of an element; 0 if it is of another class.
    fn of(value: Value) -> Self;
    /// The value as an element.
    fn value(self) -> Value;
    /// `self - other`
    fn minus(self, other: Self) -> Self;
    /// `self · other`
    fn times(self, other: Self) -> Self;
    /// `self / other`
    fn over(self, other: Self) -> Self;
    /// `self / x`
    fn over_real(self, x: f64) -> Self;
    /// The complex conjugate.
    fn conjugate(self) -> Self;
    /// The real part.
    fn real(self) -> f64;
}

impl Field for f64 {
    fn of(value: Value) -> Self {
        value.as_float()
    }

    fn value(self) -> Value {
        Value::Float(self)
    }

    fn minus(self, other: Self) -> Self {
        self - other
    }

    fn times(self, other: Self) -> Self {
        self * other
    }

    fn over(self, other: Self) -> Self {
        self / other
    }

    fn over_real(self, x: f64) -> Self {
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
    fn of(value: Value) -> Self {
        match value {
            Value::Float(x) => Self(x, 0.0),
            Value::Complex(re, im) => Self(re, im),
            Value::Pred(_) | Value::Int(_) | Value::Uint(_) => {
                bug!("{value:?} is no floating number");
                Self(0.0, 0.0)
            }
        }
    }

    fn value(self) -> Value {
        Value::Complex(self.0, self.1)
    }

    fn minus(self, other: Self) -> Self {
        complex::subtract(self, other)
    }

    fn times(self, other: Self) -> Self {
        complex::multiply(self, other)
    }

    fn over(self, other: Self) -> Self {
        complex::divide(self, other)
    }

    fn over_real(self, x: f64) -> Self {
        Self(self.0 / x, self.1 / x)
    }

    fn conjugate(self) -> Self {
        Self(self.0, -self.1)
    }

    fn real(self) -> f64 {
        self.0
    }
}
