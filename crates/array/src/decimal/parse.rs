//! Decimal text to the nearest double.

use super::big::Big;
use super::nearest;

/// Maximum decimal digits that always fit 64 bits.
const MAX_DIGITS_IN_64_BITS: usize = 19;

/// A double and the middle between two have at most 767 significant digits: of further digits it only matters
/// whether one is not 0.
const MAX_DIGITS: usize = 768;

/// Exponents are clamped to this: far beyond every double, and no sum of two overflows.
const MAX_EXPONENT: i64 = 1 << 56;

/// The double nearest to a decimal number, ties to even: an optional sign, digits with at most one point, and an
/// optional exponent. `None` for any other text.
///
/// ```
/// assert_eq!(xla_array::decimal::parse("-12.5e-1"), Some(-1.25));
/// assert_eq!(xla_array::decimal::parse("1e400"), Some(f64::INFINITY));
/// assert_eq!(xla_array::decimal::parse("1e"), None);
/// ```
pub fn parse(text: &str) -> Option<f64> {
    let (is_negative, unsigned) = sign(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, whole_exponent(exponent)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let magnitude = Decimal::new(whole, fraction, exponent).to_f64();
    Some(if is_negative { -magnitude } else { magnitude })
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// The digits after an `e`, clamped.
fn whole_exponent(text: &str) -> Option<i64> {
    let (is_negative, digits) = sign(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let magnitude = digits.bytes().fold(0, |n: i64, b| (n * 10 + i64::from(b - b'0')).min(MAX_EXPONENT));
    Some(if is_negative { -magnitude } else { magnitude })
}

/// A magnitude: the digits as an integer, times ten to the exponent.
struct Decimal {
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// Without leading and trailing zeros, truncated after the significant digits.
    fn new(whole: &str, fraction: &str, exponent: i64) -> Self {
        let mut exponent = exponent - i64::try_from(fraction.len()).unwrap_or(MAX_EXPONENT);
        let mut digits: Vec<u8> = Vec::with_capacity(MAX_DIGITS_IN_64_BITS);
        let mut is_truncated_inexact = false;
        for digit in whole.bytes().chain(fraction.bytes()).map(|b| b - b'0') {
            if digits.len() == MAX_DIGITS {
                is_truncated_inexact |= digit != 0;
                exponent += 1;
            } else if digit != 0 || !digits.is_empty() {
                digits.push(digit);
            }
        }
        if is_truncated_inexact {
            digits.push(1);
            exponent -= 1;
        }
        while digits.pop_if(|digit| *digit == 0).is_some() {
            exponent += 1;
        }
        Self { digits, exponent }
    }

    fn to_f64(&self) -> f64 {
        // The first digit is not 0: the number is at least 10^(magnitude - 1), and less than 10^magnitude.
        let magnitude = self.exponent + i64::try_from(self.digits.len()).unwrap_or(MAX_EXPONENT);
        if self.digits.is_empty() || magnitude < -323 {
            return 0.0;
        }
        if magnitude > 309 {
            return f64::INFINITY;
        }
        if self.digits.len() > MAX_DIGITS_IN_64_BITS {
            return Big::from_digits(&self.digits).scaled(self.exponent).to_f64();
        }
        let integer = self.digits.iter().fold(0, |n: u64, digit| n * 10 + u64::from(*digit));
        nearest(integer, self.exponent)
    }
}
