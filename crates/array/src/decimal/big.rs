//! Natural numbers of any size, and magnitudes in binary, to be rounded.

/// Bits of a quotient: those of a mantissa or of 17 decimal digits, plus guard bits.
const QUOTIENT_BITS: i64 = 66;

/// The tie-breaking rule of a rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ties {
    /// To the even last digit.
    Even,
    /// To the larger number.
    Up,
}

/// A magnitude in binary: an integer and a truncated remainder, times two to the exponent.
pub(super) struct Binary {
    /// With its highest bit set, unless it is 0; a remainder that was cut off sets the lowest bit.
    integer: u128,
    exponent: i64,
}

impl Binary {
    /// From an integer, which has [`QUOTIENT_BITS`] or more unless it is exact.
    pub(super) fn new(integer: u128, exponent: i64, is_inexact: bool) -> Self {
        let zeros = integer.leading_zeros() & 127;
        Self { integer: integer << zeros | u128::from(is_inexact), exponent: exponent - i64::from(zeros) }
    }

    /// The product with a power of two.
    pub(super) fn shifted(self, power: i64) -> Self {
        Self { exponent: self.exponent + power, ..self }
    }

    /// Shifted right by `count` bits, rounded to nearest.
    fn without_bits(&self, count: i64, ties: Ties) -> u128 {
        let Some(count) = u32::try_from(count).ok().filter(|count| (1..=128).contains(count)) else {
            return if count > 0 { 0 } else { self.integer };
        };
        let kept = self.integer.checked_shr(count).unwrap_or(0);
        let rest = self.integer - kept.checked_shl(count).unwrap_or(0);
        let half = 1 << (count - 1);
        kept + u128::from(rest > half || rest == half && (ties == Ties::Up || kept & 1 == 1))
    }

    /// The nearest integer; saturates.
    pub(super) fn round(&self, ties: Ties) -> u64 {
        u64::try_from(self.without_bits(-self.exponent, ties)).unwrap_or(u64::MAX)
    }

    /// The nearest double, ties to even.
    pub(super) fn to_f64(&self) -> f64 {
        // The exponent of the highest bit, and the lowest one of a normal number.
        let (highest, lowest) = (self.exponent + 127, i64::from(f64::MIN_EXP - 1));
        if self.integer != 0 && highest >= i64::from(f64::MAX_EXP) {
            return f64::INFINITY;
        }
        let mantissa =
            self.without_bits(i64::from(128 - f64::MANTISSA_DIGITS) + (lowest - highest).max(0), Ties::Even);
        // The highest bit of the mantissa adds one to the exponent's field, as does a carry out of it.
        let field = u128::from((highest - lowest).max(0).unsigned_abs());
        let bits = (field << (f64::MANTISSA_DIGITS - 1)) + mantissa;
        if self.integer == 0 {
            0.0
        } else {
            f64::from_bits(u64::try_from(bits).unwrap_or(f64::INFINITY.to_bits()))
        }
    }
}

/// A natural number, least significant limb first, without leading zero limbs.
#[derive(Default)]
pub(super) struct Big(Vec<u32>);

impl From<u64> for Big {
    fn from(number: u64) -> Self {
        let mut big = Self(vec![low(number), low(number >> 32)]);
        big.trim();
        big
    }
}

impl Big {
    /// From decimal digits, most significant first.
    pub(super) fn from_digits(digits: &[u8]) -> Self {
        let mut number = Self::default();
        for digit in digits {
            number.multiply_add(10, (*digit).into());
        }
        number
    }

    /// The decimal digits; at least one.
    pub(super) fn into_text(mut self) -> String {
        let mut digits = Vec::new();
        while !self.0.is_empty() || digits.is_empty() {
            let mut rest = 0;
            for limb in self.0.iter_mut().rev() {
                let dividend = rest << 32 | u64::from(*limb);
                *limb = low(dividend / 10);
                rest = dividend % 10;
            }
            self.trim();
            digits.push(b'0' + rest.to_le_bytes()[0]);
        }
        digits.into_iter().rev().map(char::from).collect()
    }

    /// The product with ten to the power, in binary.
    pub(super) fn scaled(mut self, power: i64) -> Binary {
        if power >= 0 || self.0.is_empty() {
            self.multiply_by_five_to(power.max(0).unsigned_abs());
            return self.leading_128_bits(power);
        }
        let mut divisor = Self::from(1);
        divisor.multiply_by_five_to(power.unsigned_abs());
        // Aligned, the quotient is more than 1/2 and less than 2.
        let shift = divisor.bits() - self.bits();
        self.shift_left(shift);
        divisor.shift_left(-shift);
        let mut quotient = 0_u128;
        for _ in 0..QUOTIENT_BITS {
            quotient <<= 1;
            if self.subtract_if_not_less(&divisor) {
                quotient |= 1;
            }
            self.shift_left(1);
        }
        Binary::new(quotient, power - shift - (QUOTIENT_BITS - 1), !self.0.is_empty())
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
        let mut remaining = power;
        while remaining > 0 {
            // 5^13 is the largest power in a limb.
            let factors = remaining.min(13);
            self.multiply_add((0..factors).fold(1, |five, _| five * 5), 0);
            remaining -= factors;
        }
    }

    /// Multiplies by two to the power; does nothing if that is negative.
    pub(super) fn shift_left(&mut self, bits: i64) {
        let mut remaining = bits;
        while remaining > 0 {
            let step = remaining.min(31);
            self.multiply_add(1 << step, 0);
            remaining -= step;
        }
    }

    /// Subtracts if the result is a natural number; returns whether it did.
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
        self.trim();
        true
    }

    fn trim(&mut self) {
        while self.0.pop_if(|limb| *limb == 0).is_some() {}
    }

    fn bits(&self) -> i64 {
        let limbs = i64::try_from(self.0.len()).unwrap_or(i64::MAX / 32);
        limbs * 32 - self.0.last().map_or(0, |limb| i64::from(limb.leading_zeros()))
    }

    fn leading_128_bits(&self, exponent: i64) -> Binary {
        let start = self.0.len().saturating_sub(4);
        let (rest, leading) = self.0.split_at(start);
        let integer = leading.iter().rev().fold(0_u128, |n, limb| n << 32 | u128::from(*limb));
        let cut_bits = i64::try_from(start).unwrap_or(i64::MAX / 64) * 32;
        Binary::new(integer, exponent + cut_bits, rest.iter().any(|limb| *limb != 0))
    }
}

#[allow(clippy::cast_possible_truncation, reason = "truncation to the low half")]
fn low(wide: u64) -> u32 {
    wide as u32
}
