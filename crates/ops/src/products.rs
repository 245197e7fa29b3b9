//! The products of contractions, whose operands and result may differ in type.
//!
//! Sums are accumulated in `f64`, or in 64-bit integers, and rounded once to the type of the result. Operands of
//! another class are converted first: to the type of the result if both are integers, else to the type of higher
//! precision.

#![allow(clippy::many_single_char_names, reason = "the names of the formulas: operands a and b, sum s")]

use xla_array::{Class, ElementType, Value};

/// The largest exponent and the digits of the significand of a floating-point type, or of the parts of a complex one;
/// -1 for any other type.
const fn range_and_digits(element_type: ElementType) -> (i32, i32) {
    use ElementType as E;
    match element_type {
        E::F64 | E::C128 => (1024, 53),
        E::F32 | E::C64 => (128, 24),
        E::BF16 => (128, 8),
        E::F8E8M0FNU => (128, 1),
        E::F16 => (16, 11),
        E::F8E5M2 | E::F8E5M2FNUZ => (16, 3),
        E::F8E4M3FN => (9, 4),
        E::F8E4M3 | E::F8E4M3FNUZ => (8, 4),
        E::F8E4M3B11FNUZ => (5, 4),
        E::F6E3M2FN => (5, 3),
        E::F8E3M4 => (4, 5),
        E::F6E2M3FN => (3, 4),
        E::F4E2M1FN => (3, 2),
        _ => (-1, -1),
    }
}

/// The type of higher precision: complex before real, then by range, digits, width and sign. Of two that are equal in
/// all, the first. Source: `primitive_util::HigherPrecisionType`.
pub(super) fn higher_precision(a: ElementType, b: ElementType) -> ElementType {
    let properties = |t: ElementType| {
        let (range, digits) = range_and_digits(t);
        (t.is_complex(), range, digits, t.bits(), t.class() == Class::Signed)
    };
    if properties(b) > properties(a) { b } else { a }
}

/// Whether `to` is at least as wide as `of` and of the same class, or both are integers: no intermediate type is
/// needed.
fn is_wider(from: ElementType, to: ElementType) -> bool {
    let are_integers = from.is_integral() && to.is_integral();
    (are_integers || from.class() == to.class()) && to.bits() >= from.bits()
}

/// The element types of a sum of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Products {
    /// The type whose class the sum has.
    sum_type: ElementType,
    /// The type to which an operand is converted first.
    factor_types: [Option<ElementType>; 2],
    /// The type of the result.
    result_type: ElementType,
    /// Whether the operands have one type, and the result has it or a wider one.
    is_uniform: bool,
}

impl Products {
    /// Products of these types, summed to the type of the result.
    pub fn new(a: ElementType, b: ElementType, result_type: ElementType) -> Self {
        if a == b && is_wider(a, result_type) {
            return Self { sum_type: a, factor_types: [None; 2], result_type, is_uniform: true };
        }
        let wide = higher_precision(a, b);
        let sum_type = match (wide.class(), result_type.class()) {
            (Class::Float | Class::Complex, _) | (_, Class::Boolean) => wide,
            _ => result_type,
        };
        let factor_type = |element_type: ElementType| {
            let is_exact = element_type.class() == sum_type.class() && !element_type.is_integral();
            (!is_exact).then_some(sum_type)
        };
        Self { sum_type, factor_types: [factor_type(a), factor_type(b)], result_type, is_uniform: false }
    }

    /// Whether kernels, whose operands have one type, compute them.
    pub fn are_uniform(self) -> bool {
        self.is_uniform
    }

    /// Zero, of the class of the sum.
    pub fn zero(self) -> Value {
        match self.sum_type.class() {
            Class::Boolean => Value::Pred(false),
            Class::Signed => Value::Int(0),
            Class::Unsigned => Value::Uint(0),
            Class::Float => Value::Float(0.0),
            Class::Complex => Value::Complex(0.0, 0.0),
        }
    }

    /// The sum plus a product, without rounding to the element type; integers wrap at 64 bits.
    pub fn accumulate(self, sum: Value, a: Value, b: Value) -> Value {
        let [a_type, b_type] = self.factor_types;
        let a = a_type.map_or(a, |t| a.convert(t));
        let b = b_type.map_or(b, |t| b.convert(t));
        multiply_add(sum, a, b)
    }

    /// The sum in the type of the result.
    pub fn finish(self, sum: Value) -> Value {
        super::elementwise::canonical_sum(sum).convert(self.result_type)
    }
}

/// The sum plus a product of the same class.
fn multiply_add(sum: Value, a: Value, b: Value) -> Value {
    match (sum, a, b) {
        (Value::Pred(s), Value::Pred(a), Value::Pred(b)) => Value::Pred(s || a && b),
        (Value::Int(s), Value::Int(a), Value::Int(b)) => Value::Int(s.wrapping_add(a.wrapping_mul(b))),
        (Value::Uint(s), Value::Uint(a), Value::Uint(b)) => Value::Uint(s.wrapping_add(a.wrapping_mul(b))),
        (Value::Float(s), Value::Float(a), Value::Float(b)) => Value::Float(s + a * b),
        (Value::Complex(s, t), Value::Complex(a, b), Value::Complex(c, d)) => {
            Value::Complex(s + (a * c - b * d), t + (a * d + b * c))
        }
        _ => sum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType as E;

    #[test]
    fn precision_is_ordered_like_in_xla() {
        for (a, b, expected) in [
            (E::F16, E::BF16, E::BF16),
            (E::S8, E::U8, E::S8),
            (E::U8, E::S8, E::S8),
            (E::S32, E::F16, E::F16),
            (E::F8E4M3FN, E::F8E5M2, E::F8E5M2),
            (E::F4E2M1FN, E::F8E8M0FNU, E::F8E8M0FNU),
            (E::F64, E::C64, E::C64),
            (E::Pred, E::S32, E::S32),
            (E::S32, E::U32, E::S32),
        ] {
            assert_eq!(higher_precision(a, b), expected, "{a:?} {b:?}");
        }
    }

    #[test]
    fn factors_of_another_class_are_converted() {
        let value = |p: Products, a, b| p.finish(p.accumulate(p.zero(), a, b));
        let int = |n| Value::Int(n);
        assert_eq!(value(Products::new(E::S8, E::U8, E::S32), int(-3), Value::Uint(250)), int(-750));
        assert_eq!(value(Products::new(E::S32, E::S32, E::S8), int(200), int(2)), int(-112));
        assert_eq!(value(Products::new(E::S8, E::F32, E::F32), int(3), Value::Float(0.5)), Value::Float(1.5));
        assert_eq!(
            value(Products::new(E::F32, E::F32, E::S32), Value::Float(2.5), Value::Float(1.5)),
            int(3)
        );
        let complex =
            value(Products::new(E::C64, E::F32, E::C64), Value::Complex(1.0, 2.0), Value::Float(3.0));
        assert_eq!(complex, Value::Complex(3.0, 6.0));
        assert!(Products::new(E::BF16, E::BF16, E::F32).are_uniform());
        assert!(!Products::new(E::BF16, E::F32, E::F32).are_uniform());
    }
}
