//! When two elements count as equal.

use crate::{ElementType, Value};

/// When two elements count as equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equality {
    /// As the machine compares: NaN differs from NaN, -0 equals 0.
    Ieee,
    /// As a reader does: one NaN is like another, -0 differs from 0.
    Same,
    /// By code: NaN payloads count too.
    Bits,
}

impl Equality {
    /// Whether two elements of a type are equal in this sense.
    pub fn holds(self, element_type: ElementType, a: Value, b: Value) -> bool {
        match self {
            Self::Ieee => a == b,
            Self::Same => a.same(b),
            Self::Bits => a.to_bits(element_type) == b.to_bits(element_type),
        }
    }
}
