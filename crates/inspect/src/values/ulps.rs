//! Distance of two elements in units in the last place: the number of values of the type between them.

use xla_array::float_format::FloatFormat;
use xla_array::{ElementType, Value};

/// The position of a number among the values of its type, so that neighbours differ by 1; both zeros are at 0, an infinity
/// is next to the largest finite value. `None` for NaN and complex numbers.
fn ordinal(element_type: ElementType, value: Value) -> Option<i128> {
    match value {
        Value::Pred(truth) => Some(truth.into()),
        Value::Int(value) => Some(value.into()),
        Value::Uint(value) => Some(value.into()),
        Value::Float(x) if x.is_nan() => None,
        Value::Float(_) => {
            let format = FloatFormat::of(element_type)?;
            let code = u64::try_from(value.to_bits(element_type)).ok()?;
            let magnitude = i128::from(code & format.magnitude_mask());
            Some(if code & format.sign_mask() == 0 { magnitude } else { -magnitude })
        }
        Value::Complex(..) => None,
    }
}

/// The distance of two elements of a type: neighbours have distance 1, and so have consecutive integers. Of complex
/// numbers, the larger distance of the parts. `None` if either is NaN.
///
/// ```
/// use xla_array::{ElementType, Value};
/// use xla_inspect::values::ulps::ulps;
///
/// let next = f64::from(1.0f32.next_up());
/// assert_eq!(ulps(ElementType::F32, Value::Float(1.0), Value::Float(next)), Some(1));
/// ```
pub fn ulps(element_type: ElementType, a: Value, b: Value) -> Option<u64> {
    if let (Value::Complex(re, im), Value::Complex(other_re, other_im)) = (a, b) {
        let part = element_type.component()?;
        let distance = |a, b| ulps(part, Value::Float(a), Value::Float(b));
        return Some(distance(re, other_re)?.max(distance(im, other_im)?));
    }
    let distance = ordinal(element_type, a)?.abs_diff(ordinal(element_type, b)?);
    // Two values of 64 bits are less than 2^64 apart.
    u64::try_from(distance).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_every_float_type_differ_by_one() {
        for element_type in ElementType::ALL.iter().copied().filter(|t| t.is_floating() && t.bits() <= 16) {
            let mut values: Vec<f64> = (0..1_u128 << element_type.bits())
                .map(|code| Value::from_bits(element_type, code).as_float())
                .filter(|x| !x.is_nan())
                .collect();
            values.sort_by(f64::total_cmp);
            for pair in values.windows(2) {
                let expected = u64::from(pair[0] < pair[1]);
                let found = ulps(element_type, Value::Float(pair[0]), Value::Float(pair[1]));
                assert_eq!(found, Some(expected), "{element_type} {pair:?}");
            }
            let ends = [values[0], values[values.len() - 1]].map(Value::Float);
            let zeros = values.iter().filter(|x| **x == 0.0).count().max(1);
            assert_eq!(ulps(element_type, ends[0], ends[1]), Some((values.len() - zeros) as u64));
        }
    }

    #[test]
    fn wide_types_have_exact_distances() {
        let distance = |t, a, b| ulps(t, a, b);
        assert_eq!(distance(ElementType::S64, Value::Int(i64::MIN), Value::Int(i64::MAX)), Some(u64::MAX));
        assert_eq!(distance(ElementType::U64, Value::Uint(0), Value::Uint(u64::MAX)), Some(u64::MAX));
        assert_eq!(distance(ElementType::Pred, Value::Pred(true), Value::Pred(false)), Some(1));
        let infinities = [Value::Float(f64::INFINITY), Value::Float(f64::NEG_INFINITY)];
        assert_eq!(distance(ElementType::F64, infinities[0], infinities[1]), Some(2 * 0x7FF0_0000_0000_0000));
        assert_eq!(distance(ElementType::F64, Value::Float(-0.0), Value::Float(0.0)), Some(0));
        assert_eq!(distance(ElementType::F64, Value::Float(f64::NAN), Value::Float(f64::NAN)), None);
    }

    #[test]
    fn complex_numbers_differ_by_the_larger_part() {
        let a = Value::Complex(1.0, 2.0);
        let b = Value::Complex(f64::from(1.0_f32.next_up()), f64::from(2.0_f32.next_up().next_up()));
        assert_eq!(ulps(ElementType::C64, a, b), Some(2));
        assert_eq!(ulps(ElementType::C64, a, Value::Complex(1.0, f64::NAN)), None);
    }
}
