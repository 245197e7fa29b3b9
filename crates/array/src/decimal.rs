//! Decimal text to `f64`, correctly rounded.
//!
//! The standard library's parser brings a table of 10 kB for the powers of five, more than what the landing page may
//! spend on numbers that people type. Most texts end in the first of three ways, which are all exact: one operation on
//! doubles (Clinger 1990), one on 128 bits, or long division of big integers.

/// Powers of ten that a double holds exactly.
const MAX_EXACT_POWER_OF_TEN: u64 = 22;

/// Powers of five that 64 bits hold.
const MAX_POWER_OF_FIVE_IN_64_BITS: u64 = 27;

/// Digits that 64 bits hold, whichever they are.
const MAX_DIGITS_IN_64_BITS: usize = 19;

/// A double and the middle between two have at most 767 significant digits: from the digits behind them it only matters
/// whether one is not 0.
const MAX_DIGITS: usize = 768;

/// Exponents are clamped to this: far beyond every double, and no sum of two overflows.
const MAX_EXPONENT: i64 = 1 << 60;

/// The double nearest to a decimal number, the even one of two: an optional sign, digits with at most one point, and an
/// optional exponent. `None` where the text is anything else.
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
    let magnitude = digits.bytes().fold(0, |n: i64, b| (n * 10 + i64::from(b - b'0')).min(MAX_EXPONENT / 16));
    Some(if is_negative { -magnitude } else { magnitude })
}

/// A magnitude: the digits as an integer, times ten to the exponent.
struct Decimal {
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// Without leading and trailing zeros, and cut behind the digits that count.
    fn new(whole: &str, fraction: &str, exponent: i64) -> Self {
        let length = |part: &str| i64::try_from(part.len()).unwrap_or(MAX_EXPONENT);
        let mut exponent = exponent - length(fraction);
        let mut digits: Vec<u8> = Vec::with_capacity(MAX_DIGITS_IN_64_BITS);
        let mut is_cut_inexact = false;
        for digit in whole.bytes().chain(fraction.bytes()).map(|b| b - b'0') {
            if digits.len() == MAX_DIGITS {
                is_cut_inexact |= digit != 0;
                exponent += 1;
            } else if digit != 0 || !digits.is_empty() {
                digits.push(digit);
            }
        }
        if is_cut_inexact {
            digits.push(1);
            exponent -= 1;
        }
        while digits.pop_if(|digit| *digit == 0).is_some() {
            exponent += 1;
        }
        Self { digits, exponent }
    }

    fn to_f64(&self) -> f64 {
        let count = i64::try_from(self.digits.len()).unwrap_or(MAX_EXPONENT);
        // The first digit is not 0: the number is at least 10^(magnitude - 1), and less than 10^magnitude.
        let magnitude = self.exponent + count;
        if count == 0 || magnitude < -323 {
            return 0.0;
        }
        if magnitude > 309 {
            return f64::INFINITY;
        }
        let power = self.exponent.unsigned_abs();
        if self.digits.len() <= MAX_DIGITS_IN_64_BITS {
            let integer = self.digits.iter().fold(0, |n: u64, digit| n * 10 + u64::from(*digit));
            if integer <= 1 << f64::MANTISSA_DIGITS && power <= MAX_EXACT_POWER_OF_TEN {
                return self.by_doubles(integer, power);
            }
            if power <= MAX_POWER_OF_FIVE_IN_64_BITS {
                return self.by_128_bits(integer, power).to_f64();
            }
        }
        self.by_big_integers(power).to_f64()
    }

    /// Both operands are exact, so the result is rounded once.
    #[allow(clippy::cast_precision_loss, reason = "the integer has at most 53 bits")]
    fn by_doubles(&self, integer: u64, power: u64) -> f64 {
        let scale = (0..power).fold(1.0, |scale, _| scale * 10.0);
        if self.exponent < 0 { integer as f64 / scale } else { integer as f64 * scale }
    }

    fn by_128_bits(&self, integer: u64, power: u64) -> Binary {
        let five = (0..power).fold(1_u128, |five, _| five * 5);
        if self.exponent >= 0 {
            return Binary::new(u128::from(integer) * five, self.exponent, false);
        }
        let zeros = integer.leading_zeros();
        let dividend = u128::from(integer << zeros) << 64;
        let exponent = self.exponent - 64 - i64::from(zeros);
        Binary::new(dividend / five, exponent, dividend % five != 0)
    }

    fn by_big_integers(&self, power: u64) -> Binary {
        let mut dividend = Big::of_digits(&self.digits);
        if self.exponent >= 0 {
            dividend.multiply_by_five_to(power);
            return dividend.leading_128_bits(self.exponent);
        }
        let mut divisor = Big::default();
        divisor.multiply_add(0, 1);
        divisor.multiply_by_five_to(power);
        // Aligned, the quotient is at least 1/2 and less than 2.
        let shift = divisor.bits() - dividend.bits();
        if shift >= 0 {
            dividend.shift_left(shift);
        } else {
            divisor.shift_left(-shift);
        }
        let mut quotient = 0_u128;
        for _ in 0..f64::MANTISSA_DIGITS + 3 {
            quotient <<= 1;
            if dividend.subtract_if_not_less(&divisor) {
                quotient |= 1;
            }
            dividend.shift_left(1);
        }
        let exponent = self.exponent - shift - i64::from(f64::MANTISSA_DIGITS + 2);
        Binary::new(quotient, exponent, !dividend.is_zero())
    }
}

/// A magnitude in binary: an integer, and what was cut off behind it, times two to the exponent.
struct Binary {
    /// With its highest bit set; what was cut off counts as its lowest bit.
    integer: u128,
    exponent: i64,
}

impl Binary {
    /// Of an integer of 55 bits or more, or one that is exact.
    fn new(integer: u128, exponent: i64, is_cut: bool) -> Self {
        let zeros = integer.leading_zeros();
        Self { integer: integer << zeros | u128::from(is_cut), exponent: exponent - i64::from(zeros) }
    }

    /// Rounds to nearest, ties to even.
    fn to_f64(&self) -> f64 {
        // The exponent of the highest bit, and the lowest one of a normal number.
        let (highest, lowest) = (self.exponent + 127, i64::from(f64::MIN_EXP - 1));
        if highest >= i64::from(f64::MAX_EXP) {
            return f64::INFINITY;
        }
        let dropped = i64::from(128 - f64::MANTISSA_DIGITS) + (lowest - highest).max(0);
        let Some(dropped) = u32::try_from(dropped).ok().filter(|dropped| *dropped <= 128) else { return 0.0 };
        let kept = self.integer.checked_shr(dropped).unwrap_or(0);
        let (half, rest) = (1 << (dropped - 1), self.integer - kept.checked_shl(dropped).unwrap_or(0));
        let rounds_up = rest > half || rest == half && kept & 1 == 1;
        let mantissa = u64::try_from(kept).unwrap_or(0) + u64::from(rounds_up);
        // The highest bit of the mantissa adds one to the exponent's field, as does a carry out of it.
        let field = u64::try_from(highest - lowest).unwrap_or(0);
        f64::from_bits((field << (f64::MANTISSA_DIGITS - 1)) + mantissa)
    }
}

/// A natural number, its lowest limb first, without zero limbs at the end.
#[derive(Default)]
struct Big(Vec<u32>);

impl Big {
    fn of_digits(digits: &[u8]) -> Self {
        let mut number = Self::default();
        for digit in digits {
            number.multiply_add(10, (*digit).into());
        }
        number
    }

    fn multiply_add(&mut self, factor: u32, term: u32) {
        let mut carry = u64::from(term);
        for limb in &mut self.0 {
            carry += u64::from(*limb) * u64::from(factor);
            *limb = low(carry);
            carry >>= 32;
        }
        if carry != 0 {
            self.0.push(low(carry));
        }
    }

    fn multiply_by_five_to(&mut self, power: u64) {
        let mut left = power;
        while left > 0 {
            // 5^13 is the largest power in a limb.
            let factors = left.min(13);
            self.multiply_add((0..factors).fold(1, |five, _| five * 5), 0);
            left -= factors;
        }
    }

    fn bits(&self) -> i64 {
        let limbs = i64::try_from(self.0.len()).unwrap_or(0);
        limbs * 32 - self.0.last().map_or(0, |limb| i64::from(limb.leading_zeros()))
    }

    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn shift_left(&mut self, bits: i64) {
        let mut bits = bits;
        while bits > 0 {
            let step = bits.min(31);
            self.multiply_add(1 << step, 0);
            bits -= step;
        }
    }

    /// Subtracts where the result is a natural number; answers whether.
    fn subtract_if_not_less(&mut self, other: &Self) -> bool {
        let order =
            self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()));
        if order.is_lt() {
            return false;
        }
        let mut borrow = 0_i64;
        for (at, limb) in self.0.iter_mut().enumerate() {
            let difference = i64::from(*limb) - i64::from(other.0.get(at).copied().unwrap_or(0)) + borrow;
            *limb = low(difference.cast_unsigned());
            borrow = difference >> 32;
        }
        while self.0.pop_if(|limb| *limb == 0).is_some() {}
        true
    }

    fn leading_128_bits(&self, exponent: i64) -> Binary {
        let start = self.0.len().saturating_sub(4);
        let (rest, leading) = self.0.split_at(start);
        let integer = leading.iter().rev().fold(0_u128, |n, limb| n << 32 | u128::from(*limb));
        let cut_bits = i64::try_from(start).unwrap_or(0) * 32;
        Binary::new(integer, exponent + cut_bits, rest.iter().any(|limb| *limb != 0))
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the low half is meant")]
fn low(wide: u64) -> u32 {
    wide as u32
}
