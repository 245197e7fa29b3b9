//! Statistics of an array, computed in one pass.

use super::cells::{for_each, for_each_float, is_finite, magnitude};
use xla_array::float_format::FloatFormat;
use xla_array::{ArrayLiteral, ElementType, Value};

/// Statistics of the elements of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// The element type.
    pub element_type: ElementType,
    /// Number of elements.
    pub elements: u64,
    /// The minimum of the finite elements; of complex numbers, their minimum modulus. `None` if no element is finite.
    pub min: Option<Value>,
    /// The maximum, like [`Statistics::min`].
    pub max: Option<Value>,
    /// The mean of the finite elements, a [`Value::Complex`] for complex types.
    pub mean: Option<Value>,
    /// The minimum magnitude of the finite elements that are not zero.
    pub min_magnitude: Option<f64>,
    /// The maximum magnitude of the finite elements.
    pub max_magnitude: Option<f64>,
    /// Number of NaN elements; a complex number is NaN if a part is.
    pub nans: u64,
    /// Number of +inf elements; of complex numbers, those with an infinite part and no NaN.
    pub positive_infinities: u64,
    /// Number of -inf elements; 0 for complex types.
    pub negative_infinities: u64,
    /// Number of zeros: +0 and -0, `false`.
    pub zeros: u64,
    /// Number of subnormal elements; a complex number is subnormal if a part is.
    pub subnormals: u64,
}

impl Statistics {
    /// The statistics of an array.
    ///
    /// ```
    /// use xla_array::{ArrayLiteral, Value};
    /// use xla_inspect::values::Statistics;
    ///
    /// let array = ArrayLiteral::from_slice([4], &[1.0f32, f32::NAN, -3.0, 0.0]).unwrap();
    /// let found = Statistics::of(&array);
    /// assert_eq!((found.min, found.max), (Some(Value::Float(-3.0)), Some(Value::Float(1.0))));
    /// assert_eq!((found.nans, found.zeros), (1, 1));
    /// ```
    pub fn of(array: &ArrayLiteral) -> Self {
        let mut pass = Pass::new(array.element_type());
        // Floats, which are the usual case, have a fast path.
        if !for_each_float(array, |x| pass.add_float(x)) {
            for_each(array, |value| pass.add(value));
        }
        pass.finish()
    }

    /// Number of finite elements.
    pub fn finite(&self) -> u64 {
        self.elements - self.nans - self.positive_infinities - self.negative_infinities
    }
}

/// The sum of doubles, with the rounding error of each addition carried along (Neumaier), and without overflow.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    sum: f64,
    error: f64,
}

/// The minimum magnitude of elements that are scaled before they are summed, because their sum may overflow.
const MIN_LARGE: f64 = 1e290;

/// The scale of these elements: a power of two, so that scaling does not round.
const LARGE_SCALE: f64 = 1.0 / 4_294_967_296.0;

impl Sum {
    fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        self.error += if self.sum.abs() >= x.abs() { (self.sum - sum) + x } else { (x - sum) + self.sum };
        self.sum = sum;
    }

    fn total(self) -> f64 {
        self.sum + self.error
    }
}

/// The mean of finite doubles: small and large ones are summed apart, so that the sum does not overflow.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    small: Sum,
    large: Sum,
}

impl Mean {
    fn add(&mut self, x: f64) {
        if x.abs() < MIN_LARGE { self.small.add(x) } else { self.large.add(x * LARGE_SCALE) }
    }

    #[allow(clippy::cast_precision_loss, reason = "an array has less than 2^53 elements")]
    fn value(self, count: u64) -> f64 {
        let count = count as f64;
        self.small.total() / count + self.large.total() / count / LARGE_SCALE
    }
}

/// The extremes of finite floats. -0 is below 0.
#[derive(Clone, Copy, Debug)]
struct FloatExtremes {
    min: f64,
    max: f64,
    min_magnitude: f64,
}

impl FloatExtremes {
    const NONE: Self = Self { min: f64::INFINITY, max: f64::NEG_INFINITY, min_magnitude: f64::INFINITY };

    fn add(&mut self, x: f64, magnitude: f64) {
        if x < self.min || magnitude <= 0.0 && x.total_cmp(&self.min).is_lt() {
            self.min = x;
        }
        if x > self.max || magnitude <= 0.0 && x.total_cmp(&self.max).is_gt() {
            self.max = x;
        }
        if magnitude < self.min_magnitude && magnitude > 0.0 {
            self.min_magnitude = magnitude;
        }
    }

    /// Writes the extremes to the statistics.
    fn write(self, statistics: &mut Statistics) {
        if self.min <= self.max {
            statistics.min = Some(Value::Float(self.min));
            statistics.max = Some(Value::Float(self.max));
            statistics.max_magnitude = Some(self.min.abs().max(self.max.abs()));
        }
        if self.min_magnitude < f64::INFINITY {
            statistics.min_magnitude = Some(self.min_magnitude);
        }
    }
}

/// A pass over the elements of an array.
struct Pass {
    /// The statistics of the elements so far.
    statistics: Statistics,
    /// The minimum magnitude of a normal number; 0 for types without subnormals.
    min_normal: f64,
    /// Extremes of finite floats so far.
    floats: FloatExtremes,
    real: Mean,
    imaginary: Mean,
    /// The exact sum of integers: 2^63 of them fit.
    integer_sum: i128,
}

impl Pass {
    fn new(element_type: ElementType) -> Self {
        let format = FloatFormat::of(element_type.component().unwrap_or(element_type));
        let statistics = Statistics {
            element_type,
            elements: 0,
            min: None,
            max: None,
            mean: None,
            min_magnitude: None,
            max_magnitude: None,
            nans: 0,
            positive_infinities: 0,
            negative_infinities: 0,
            zeros: 0,
            subnormals: 0,
        };
        let min_normal = format.map_or(0.0, |format| format.decode(format.min_normal()));
        let (real, imaginary) = (Mean::default(), Mean::default());
        Self { statistics, min_normal, floats: FloatExtremes::NONE, real, imaginary, integer_sum: 0 }
    }

    fn add_float(&mut self, x: f64) {
        let size = x.abs();
        self.statistics.elements += 1;
        if size < f64::INFINITY {
            self.statistics.zeros += u64::from(size <= 0.0);
            self.statistics.subnormals += u64::from(size > 0.0 && size < self.min_normal);
            self.floats.add(x, size);
            self.real.add(x);
        } else if x.is_nan() {
            self.statistics.nans += 1;
        } else if x > 0.0 {
            self.statistics.positive_infinities += 1;
        } else {
            self.statistics.negative_infinities += 1;
        }
    }

    /// Adds an element that is not a real float.
    fn add(&mut self, value: Value) {
        let statistics = &mut self.statistics;
        statistics.elements += 1;
        if value.is_nan() {
            statistics.nans += 1;
            return;
        }
        if !is_finite(value) {
            statistics.positive_infinities += 1;
            return;
        }
        let size = magnitude(value);
        if value.is_nonzero() {
            let is_subnormal = |x: f64| x != 0.0 && x.abs() < self.min_normal;
            statistics.subnormals += u64::from(match value {
                Value::Complex(re, im) => is_subnormal(re) || is_subnormal(im),
                Value::Pred(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_) => false,
            });
            statistics.min_magnitude = Some(statistics.min_magnitude.map_or(size, |min| min.min(size)));
        } else {
            statistics.zeros += 1;
        }
        statistics.max_magnitude = Some(statistics.max_magnitude.map_or(size, |max| max.max(size)));
        let ordered = if matches!(value, Value::Complex(..)) { Value::Float(size) } else { value };
        if statistics.min.is_none_or(|min| is_below(ordered, min)) {
            statistics.min = Some(ordered);
        }
        if statistics.max.is_none_or(|max| is_below(max, ordered)) {
            statistics.max = Some(ordered);
        }
        match value {
            Value::Pred(truth) => self.integer_sum += i128::from(truth),
            Value::Int(value) => self.integer_sum += i128::from(value),
            Value::Uint(value) => self.integer_sum += i128::from(value),
            // Floats are added by `add_float`.
            Value::Float(_) => {}
            Value::Complex(re, im) => {
                self.real.add(re);
                self.imaginary.add(im);
            }
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "the mean is rounded to a double")]
    fn finish(mut self) -> Statistics {
        let count = self.statistics.finite();
        if count > 0 {
            self.floats.write(&mut self.statistics);
            self.statistics.mean = Some(match self.statistics.element_type.class() {
                xla_array::Class::Float => Value::Float(self.real.value(count)),
                xla_array::Class::Complex => {
                    Value::Complex(self.real.value(count), self.imaginary.value(count))
                }
                _ => Value::Float(self.integer_sum as f64 / count as f64),
            });
        }
        self.statistics
    }
}

/// Whether `a` is below `b`, two finite values of the same kind; -0 is below 0.
fn is_below(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.total_cmp(&b).is_lt(),
        (Value::Int(a), Value::Int(b)) => a < b,
        (Value::Uint(a), Value::Uint(b)) => a < b,
        (Value::Pred(a), Value::Pred(b)) => !a & b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_array::{ArrayShape, Layout};

    fn of(element_type: ElementType, values: &[Value]) -> Statistics {
        let shape = ArrayShape::new(element_type, [i64::try_from(values.len()).unwrap()]);
        Statistics::of(&ArrayLiteral::from_values(shape, values.iter().copied()).unwrap())
    }

    #[test]
    fn every_type_counts_what_it_has() {
        for element_type in ElementType::ALL.iter().copied() {
            // Each code of narrow types, so that the counts are those of the type's definition.
            if element_type.bits() > 16 {
                continue;
            }
            let codes: Vec<Value> =
                (0..1_u128 << element_type.bits()).map(|code| Value::from_bits(element_type, code)).collect();
            let found = of(element_type, &codes);
            let count = |is: &dyn Fn(Value) -> bool| codes.iter().filter(|v| is(**v)).count() as u64;
            assert_eq!(found.elements, codes.len() as u64);
            assert_eq!(found.nans, count(&|v| v.is_nan()), "{element_type}");
            assert_eq!(found.zeros, count(&|v| !v.is_nonzero()), "{element_type}");
            assert_eq!(found.finite(), count(&is_finite), "{element_type}");
            if let Some(format) = FloatFormat::of(element_type) {
                use xla_array::float_format::FloatClass;
                let class = |class| {
                    (0..1_u64 << element_type.bits()).filter(|c| format.class_of(*c) == class).count() as u64
                };
                assert_eq!(found.subnormals, class(FloatClass::Subnormal), "{element_type}");
                let infinities = found.positive_infinities + found.negative_infinities;
                assert_eq!(infinities, class(FloatClass::Infinite), "{element_type}");
                assert_eq!(found.max, Some(Value::Float(format.decode(format.max()))), "{element_type}");
                assert_eq!(found.min, Some(Value::Float(format.decode(format.lowest()))), "{element_type}");
            }
        }
    }

    #[test]
    fn the_signs_of_zeros_are_ordered() {
        for zeros in [[0.0, -0.0, 0.0], [-0.0, 0.0, -0.0]] {
            let found = of(ElementType::F32, &zeros.map(Value::Float));
            let sign = |value: Option<Value>| value.map(|value| value.as_float().is_sign_negative());
            assert_eq!((sign(found.min), sign(found.max), found.zeros), (Some(true), Some(false), 3));
            assert_eq!((found.max_magnitude, found.min_magnitude), (Some(0.0), None));
        }
    }

    #[test]
    fn integers_are_exact() {
        let found = of(ElementType::U64, &[u64::MAX, u64::MAX, u64::MAX - 1].map(Value::Uint));
        assert_eq!(found.min, Some(Value::Uint(u64::MAX - 1)));
        assert_eq!(found.max, Some(Value::Uint(u64::MAX)));
        let found = of(ElementType::S64, &[i64::MIN, i64::MAX, 1].map(Value::Int));
        assert_eq!((found.min, found.mean), (Some(Value::Int(i64::MIN)), Some(Value::Float(0.0))));
        let found = of(ElementType::Pred, &[true, false, true, true].map(Value::Pred));
        assert_eq!((found.min, found.max), (Some(Value::Pred(false)), Some(Value::Pred(true))));
        assert_eq!((found.zeros, found.mean), (1, Some(Value::Float(0.75))));
    }

    #[test]
    fn the_mean_neither_overflows_nor_loses_small_elements() {
        let found = of(ElementType::F64, &[f64::MAX, f64::MAX, f64::MAX, f64::MAX].map(Value::Float));
        assert_eq!(found.mean, Some(Value::Float(f64::MAX)));
        let found = of(ElementType::F64, &[1e17, 1.0, -1e17, 2.0].map(Value::Float));
        assert_eq!(found.mean, Some(Value::Float(0.75)));
    }

    #[test]
    fn complex_numbers_have_moduli() {
        let values = [Value::Complex(3.0, -4.0), Value::Complex(f64::INFINITY, f64::NAN)];
        let found = of(ElementType::C64, &[values[0], values[1], Value::Complex(1.0, f64::NEG_INFINITY)]);
        assert_eq!((found.nans, found.positive_infinities, found.negative_infinities), (1, 1, 0));
        assert_eq!((found.max, found.mean), (Some(Value::Float(5.0)), Some(values[0])));
        assert_eq!(of(ElementType::C128, &[Value::Complex(1e-310, 1.0)]).subnormals, 1);
    }

    #[test]
    fn padding_is_not_counted() {
        let layout = Layout::descending(2).tiled([8, 128]);
        let shape = ArrayShape { layout: Some(layout), ..ArrayShape::new(ElementType::BF16, [3, 5]) };
        let found = Statistics::of(&ArrayLiteral::filled(shape, Value::Float(2.0)).unwrap());
        assert_eq!((found.elements, found.zeros, found.min), (15, 0, Some(Value::Float(2.0))));
    }

    #[test]
    fn an_array_without_elements_has_no_extremes() {
        let found = of(ElementType::F32, &[]);
        assert_eq!((found.elements, found.min, found.mean, found.max_magnitude), (0, None, None, None));
    }
}
