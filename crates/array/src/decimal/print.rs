//! Doubles to decimal text: rounded to some digits, to some places, or the shortest text that reads back.

use super::big::{Big, Ties};
use super::{nearest, scaled};

/// Significant digits that identify every double.
const MAX_DIGITS: usize = 17;

/// Significant digits that survive a round trip through a normal double: a decimal of at most these is the shortest that reads back.
const SAFE_DIGITS: usize = 15;

/// A finite number rounded to some significant digits, ties to even.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rounded {
    /// Whether it has a minus sign, which 0 may have too.
    pub is_negative: bool,
    /// The digits; of 0 all are 0.
    pub digits: String,
    /// The power of ten of the first digit; of 0 it is 0.
    pub exponent: i64,
}

impl Rounded {
    /// Rounds to 1 to 17 significant digits.
    pub fn new(value: f64, digits: usize) -> Self {
        let count = digits.clamp(1, MAX_DIGITS);
        Self::from_integer(value, count, rounded(value, count, Ties::Even))
    }

    fn from_integer(value: f64, count: usize, (integer, exponent): (u64, i64)) -> Self {
        Self { is_negative: value.is_sign_negative(), digits: format!("{integer:0count$}"), exponent }
    }

    /// Without trailing zeros; keeps the first digit.
    #[must_use]
    pub fn trimmed(mut self) -> Self {
        let length = self.digits.trim_end_matches('0').len().max(1);
        self.digits.truncate(length);
        self
    }

    /// `-1.25e-7`'s part before the `e`.
    pub fn mantissa(&self) -> String {
        let (first, rest) = self.digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{}{first}{point}{rest}", self.sign())
    }

    /// Without an exponent: `1250`, `12.5`, `0.00125`.
    pub fn plain(&self) -> String {
        let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
        let before = usize::try_from(self.exponent + 1).unwrap_or(0);
        let (whole, fraction) = self.digits.split_at(before.min(self.digits.len()));
        let missing = before.saturating_sub(self.digits.len());
        let whole = if whole.is_empty() { "0" } else { whole };
        let point = if fraction.is_empty() { "" } else { "." };
        let leading = if fraction.is_empty() { String::new() } else { zeros(-1 - self.exponent) };
        format!("{}{whole}{}{point}{leading}{fraction}", self.sign(), "0".repeat(missing))
    }

    fn sign(&self) -> &'static str {
        if self.is_negative { "-" } else { "" }
    }
}

/// The integer whose digits are the number's, and the power of ten of the first.
fn rounded(value: f64, count: usize, ties: Ties) -> (u64, i64) {
    let (mantissa, binary_exponent) = parts(value);
    if mantissa == 0 {
        return (0, 0);
    }
    let count = i64::try_from(count).unwrap_or(1);
    let top = binary_exponent + 63 - i64::from(mantissa.leading_zeros());
    // log10(2) is 0.30103: the estimate is at most one too low, which the number of digits shows.
    let mut exponent = (top * 30_103).div_euclid(100_000);
    loop {
        let power = count - 1 - exponent;
        let integer = scaled(mantissa, power).shifted(binary_exponent).round(ties);
        let digits = i64::from(integer.checked_ilog10().unwrap_or(0)) + 1;
        if digits <= count {
            return (integer, exponent);
        }
        exponent += 1;
    }
}

/// The mantissa as an integer, and the exponent of two.
fn parts(value: f64) -> (u64, i64) {
    let bits = value.abs().to_bits();
    let (field, fraction) =
        (bits >> (f64::MANTISSA_DIGITS - 1), bits & ((1 << (f64::MANTISSA_DIGITS - 1)) - 1));
    let lowest = i64::from(f64::MIN_EXP - 1) - i64::from(f64::MANTISSA_DIGITS - 1);
    match i64::try_from(field).unwrap_or(0) {
        0 => (fraction, lowest),
        field => (fraction | 1 << (f64::MANTISSA_DIGITS - 1), lowest + field - 1),
    }
}

/// The shortest text that reads back as the same number, without an exponent, as the standard library prints it.
pub fn shortest(value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "inf"
        } else {
            "-inf"
        }
        .to_owned();
    }
    let first = if value.is_normal() { SAFE_DIGITS } else { 1 };
    let candidates = (first..=MAX_DIGITS).flat_map(|count| {
        let (integer, exponent) = rounded(value, count, Ties::Up);
        // Doubles are closer below a power of two than above: the nearest decimal may
        // read back as another double, and the next one as this.
        [(count, integer, exponent), (count, integer + 1, exponent)]
    });
    let mut reading_back = candidates.filter(|(count, integer, exponent)| {
        let power = exponent + 1 - i64::try_from(*count).unwrap_or(0);
        nearest(*integer, power).to_bits() == value.abs().to_bits()
    });
    let (count, integer, exponent) = reading_back.next().unwrap_or_default();
    Rounded::from_integer(value, count, (integer, exponent)).trimmed().plain()
}

/// With this many digits after the point, as the standard library prints it.
pub fn fixed(value: f64, places: usize) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let (mantissa, binary_exponent) = parts(value);
    let power = i64::try_from(places).unwrap_or(0);
    let integer = scaled(mantissa, power).shifted(binary_exponent).round(Ties::Even);
    let text = if integer == u64::MAX {
        let mut whole = Big::from(mantissa);
        whole.shift_left(binary_exponent);
        whole.into_text() + &"0".repeat(places)
    } else {
        integer.to_string()
    };
    let text = format!("{text:0>width$}", width = places + 1);
    let (whole, fraction) = text.split_at(text.len() - places);
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}
