//! Statistics of an array: counts of special values, extremes, mean, and a histogram.

use super::wire::Statistics;
use crate::array::{ArrayLiteral, Value};

/// The number of bins of the histogram.
const BINS: usize = 48;

/// A value on the real axis: of a complex number, its magnitude.
#[allow(clippy::cast_precision_loss, reason = "statistics are approximate")]
fn real(value: Value) -> f64 {
    match value {
        Value::Pred(truth) => f64::from(u8::from(truth)),
        Value::Int(number) => number as f64,
        Value::Uint(number) => number as f64,
        Value::Float(number) => number,
        Value::Complex(re, im) => re.hypot(im),
    }
}

/// A number with up to six significant digits.
pub fn brief(number: f64) -> String {
    Value::Float(number).short(crate::array::ElementType::F64, 9)
}

/// The statistics of an array.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "statistics are approximate, and a bin is less than `BINS`"
)]
pub fn statistics(array: &ArrayLiteral) -> Statistics {
    let mut found = Statistics::default();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    // Welford's update: exact enough where the mean is large against the deviation.
    let (mut finite, mut mean, mut squares) = (0_u64, 0.0, 0.0);
    for number in array.values().map(real) {
        found.count += 1;
        if number.is_nan() {
            found.nan += 1;
        } else if number.is_infinite() {
            found.infinite += 1;
        } else {
            found.zero += u64::from(number == 0.0);
            (low, high) = (low.min(number), high.max(number));
            finite += 1;
            let delta = number - mean;
            mean += delta / finite as f64;
            squares += delta * (number - mean);
        }
    }
    if finite == 0 {
        return found;
    }
    found.min = brief(low);
    found.max = brief(high);
    found.mean = brief(mean);
    found.deviation = brief((squares / finite as f64).max(0.0).sqrt());
    let width = (high - low) / BINS as f64;
    if finite > 1 && width > 0.0 && width.is_finite() {
        found.bins = vec![0; BINS];
        for number in array.values().map(real).filter(|number| number.is_finite()) {
            let bin = ((number - low) / width) as usize;
            found.bins[bin.min(BINS - 1)] += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values_are_counted_and_left_out_of_the_rest() {
        let cells = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1.0, 3.0];
        let found = statistics(&ArrayLiteral::from_slice([7], &cells).unwrap());
        assert_eq!((found.count, found.nan, found.infinite, found.zero), (7, 1, 2, 2));
        assert_eq!((found.min.as_str(), found.max.as_str(), found.mean.as_str()), ("0", "3", "1"));
        assert_eq!(found.bins.iter().sum::<u64>(), 4);
        assert_eq!((found.bins[0], found.bins[BINS - 1]), (2, 1));
    }

    #[test]
    fn arrays_without_finite_or_different_values_have_no_histogram() {
        let none = statistics(&ArrayLiteral::from_slice([1], &[f32::NAN]).unwrap());
        assert_eq!((none.min.as_str(), none.bins.len()), ("", 0));
        let same = statistics(&ArrayLiteral::from_slice([2], &[7_i32, 7]).unwrap());
        assert_eq!((same.min.as_str(), same.deviation.as_str(), same.bins.len()), ("7", "0", 0));
        let empty = statistics(&ArrayLiteral::from_slice::<f32>([0], &[]).unwrap());
        assert_eq!(empty.count, 0);
        let huge = statistics(&ArrayLiteral::from_slice([2], &[f64::MAX, f64::MIN]).unwrap());
        assert!(huge.bins.is_empty(), "a width beyond the range of doubles");
    }
}
