//! The magnitudes of the elements of a value: their maximum, and how it grows from operands to a result.

use crate::Value;

/// A summary of elements of floats and complex numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Magnitudes {
    /// The maximum magnitude of the finite elements; `None` without any.
    pub max: Option<f64>,
    /// Whether an element, or a part of it, is NaN.
    pub has_nan: bool,
    /// Whether an element without NaN has an infinite part.
    pub has_infinity: bool,
}

impl Magnitudes {
    /// Adds an element by its magnitude, NaN if a part of it is NaN.
    pub fn add(&mut self, magnitude: f64) {
        self.has_nan |= magnitude.is_nan();
        self.has_infinity |= magnitude.is_infinite();
        if magnitude.is_finite() {
            self.max = Some(self.max.map_or(magnitude, |max| max.max(magnitude)));
        }
    }

    /// Adds an element. Integers and predicates have no magnitude.
    pub fn add_value(&mut self, value: Value) {
        match value {
            Value::Float(value) => self.add(value.abs()),
            Value::Complex(re, im) if re.is_nan() || im.is_nan() => self.add(f64::NAN),
            // The modulus of two finite parts may overflow.
            Value::Complex(re, im) if re.is_finite() && im.is_finite() => {
                self.add(re.hypot(im).min(f64::MAX));
            }
            Value::Complex(..) => self.add(f64::INFINITY),
            Value::Pred(_) | Value::Int(_) | Value::Uint(_) => {}
        }
    }

    /// Adds the elements of another summary.
    pub fn merge(&mut self, other: Self) {
        self.max = self.max.into_iter().chain(other.max).reduce(f64::max);
        self.has_nan |= other.has_nan;
        self.has_infinity |= other.has_infinity;
    }

    /// The maximum magnitudes of the operands and of this result, whose quotient is the growth; `None` if either is zero or missing.
    pub fn growth_from(&self, operands: &[Self]) -> Option<(f64, f64)> {
        let operand_max = operands.iter().filter_map(|operand| operand.max).reduce(f64::max)?;
        let result_max = self.max?;
        (operand_max > 0.0 && result_max > 0.0).then_some((operand_max, result_max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(values: &[Value]) -> Magnitudes {
        let mut summary = Magnitudes::default();
        for value in values {
            summary.add_value(*value);
        }
        summary
    }

    #[test]
    fn parts_of_complex_numbers_count_as_nan_first() {
        let summarize = |re, im| {
            let found = summary(&[Value::Complex(re, im)]);
            (found.max, found.has_nan, found.has_infinity)
        };
        assert_eq!(summarize(f64::INFINITY, f64::NAN), (None, true, false));
        assert_eq!(summarize(f64::NEG_INFINITY, 0.0), (None, false, true));
        assert_eq!(summarize(3.0, -4.0), (Some(5.0), false, false));
        assert_eq!(summarize(f64::MAX, f64::MAX), (Some(f64::MAX), false, false));
    }

    #[test]
    fn growth_needs_both_magnitudes() {
        let (one, zero, none) =
            (summary(&[Value::Float(-1.0)]), summary(&[Value::Float(-0.0)]), Magnitudes::default());
        let ten = summary(&[Value::Float(10.0), Value::Float(f64::NAN), Value::Float(2.0)]);
        assert_eq!(ten.growth_from(&[zero, one, none]), Some((1.0, 10.0)));
        assert_eq!(ten.growth_from(&[zero]), None);
        assert_eq!(zero.growth_from(&[one]), None);
        assert_eq!(summary(&[Value::Int(7)]), none);
    }

    #[test]
    fn merging_is_adding_all() {
        let (a, b) = (summary(&[Value::Float(1.0), Value::Float(f64::NAN)]), summary(&[Value::Float(-3.0)]));
        let mut merged = a;
        merged.merge(b);
        assert_eq!(merged, Magnitudes { max: Some(3.0), has_nan: true, has_infinity: false });
    }
}
