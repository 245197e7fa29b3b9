//! Equality of elements.

use crate::{ElementType, Value};

/// A definition of equality of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equality {
    /// IEEE 754 comparison: NaN is not equal to NaN, -0 equals 0.
    Ieee,
    /// The same printed value: all NaNs are equal, -0 differs from 0.
    Same,
    /// The same bits, including NaN payloads.
    Bits,
}

impl Equality {
    /// Whether two elements of a type are equal by this definition.
    pub fn holds(self, element_type: ElementType, a: Value, b: Value) -> bool {
        match self {
            Self::Ieee => a == b,
            Self::Same => a.same(b),
            Self::Bits => a.to_bits(element_type) == b.to_bits(element_type),
        }
    }
}
