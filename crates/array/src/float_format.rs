//! The binary formats of the float types, in one table, with exact decoding and correctly rounded encoding.
//!
//! Invariants: every value of a type is exact in an `f64`, so [`FloatFormat::decode`] never rounds; and
//! [`FloatFormat::encode`] rounds once, straight from the `f64`, to nearest with ties to even. The result
//! beyond the largest finite value depends on the [`FloatKind`].
//! Read [`super::value`] next: one element of any type.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::cast_possible_wrap,
    reason = "the casts extract bit fields from words, each masked or bounded at the cast"
)]

use super::ElementType;

/// Bits of the fraction of an `f64`.
const F64_FRACTION: u32 = 52;
/// The quiet `f64` NaN without sign and payload.
const QUIET: u64 = 0x7FF8_0000_0000_0000;

/// How a format encodes infinity, NaN and zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatKind {
    /// IEEE 754: the largest exponent encodes infinity and NaNs. Overflow becomes infinity.
    Ieee,
    /// `fn`: no infinity; all ones is NaN. Overflow becomes NaN.
    NoInfinity,
    /// `fnuz`: no infinity, no -0; its encoding is the only NaN. Overflow becomes NaN, and -0 becomes +0.
    NoNegativeZero,
    /// `f4` and `f6`: neither infinity nor NaN. Overflow becomes the largest finite value, NaN becomes -0.
    FiniteOnly,
    /// `f8e8m0fnu`: powers of two without sign or zero; all ones is NaN, the result for zero and negative values.
    PowerOfTwo,
}

/// The class of the value that an encoding has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatClass {
    /// +0 or -0.
    Zero,
    /// Below the smallest normal value: the exponent field is 0 and there is no hidden bit.
    Subnormal,
    /// An ordinary value.
    Normal,
    /// +inf or -inf.
    Infinite,
    /// Not a number.
    Nan,
}

/// The binary format of a float type: sign (except [`FloatKind::PowerOfTwo`]), exponent, mantissa.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatFormat {
    /// Width of the exponent field.
    pub exponent_bits: u8,
    /// Width of the mantissa field, without the hidden bit.
    pub mantissa_bits: u8,
    /// The exponent bias.
    pub bias: i32,
    /// The encodings of infinity, NaN and zero.
    pub kind: FloatKind,
}

impl FloatFormat {
    /// The format of a float type; `None` for other types, including complex ones (see [`ElementType::component`]).
    pub const fn of(element_type: ElementType) -> Option<Self> {
        use FloatKind::{FiniteOnly, Ieee, NoInfinity, NoNegativeZero, PowerOfTwo};
        let (exponent_bits, mantissa_bits, bias, kind) = match element_type {
            ElementType::F64 => (11, 52, 1023, Ieee),
            ElementType::F32 => (8, 23, 127, Ieee),
            ElementType::F16 => (5, 10, 15, Ieee),
            ElementType::BF16 => (8, 7, 127, Ieee),
            ElementType::F8E5M2 => (5, 2, 15, Ieee),
            ElementType::F8E4M3 => (4, 3, 7, Ieee),
            ElementType::F8E3M4 => (3, 4, 3, Ieee),
            ElementType::F8E4M3FN => (4, 3, 7, NoInfinity),
            ElementType::F8E4M3B11FNUZ => (4, 3, 11, NoNegativeZero),
            ElementType::F8E5M2FNUZ => (5, 2, 16, NoNegativeZero),
            ElementType::F8E4M3FNUZ => (4, 3, 8, NoNegativeZero),
            ElementType::F8E8M0FNU => (8, 0, 127, PowerOfTwo),
            ElementType::F6E3M2FN => (3, 2, 3, FiniteOnly),
            ElementType::F6E2M3FN => (2, 3, 1, FiniteOnly),
            ElementType::F4E2M1FN => (2, 1, 1, FiniteOnly),
            _ => return None,
        };
        Some(Self { exponent_bits, mantissa_bits, bias, kind })
    }

    /// Whether there is a sign bit.
    pub const fn is_signed(self) -> bool {
        !matches!(self.kind, FloatKind::PowerOfTwo)
    }

    /// Bits of a code.
    pub const fn bits(self) -> u8 {
        self.exponent_bits + self.mantissa_bits + self.is_signed() as u8
    }

    /// The sign bit; 0 for an unsigned format.
    pub const fn sign_mask(self) -> u64 {
        if self.is_signed() { 1 << (self.bits() - 1) } else { 0 }
    }

    /// All bits but the sign.
    pub const fn magnitude_mask(self) -> u64 {
        (1 << (self.exponent_bits + self.mantissa_bits)) - 1
    }

    const fn mantissa_mask(self) -> u64 {
        (1 << self.mantissa_bits) - 1
    }

    /// The code of +inf, if the format has one.
    pub const fn infinity(self) -> Option<u64> {
        match self.kind {
            FloatKind::Ieee => Some(self.magnitude_mask() & !self.mantissa_mask()),
            _ => None,
        }
    }

    /// The code of the canonical NaN, if the format has one.
    pub const fn nan(self) -> Option<u64> {
        match self.kind {
            FloatKind::Ieee => {
                Some((self.magnitude_mask() & !self.mantissa_mask()) | 1 << (self.mantissa_bits - 1))
            }
            FloatKind::NoInfinity | FloatKind::PowerOfTwo => Some(self.magnitude_mask()),
            FloatKind::NoNegativeZero => Some(self.sign_mask()),
            FloatKind::FiniteOnly => None,
        }
    }

    /// The code of the largest finite value.
    pub const fn max(self) -> u64 {
        match self.kind {
            FloatKind::Ieee => (self.magnitude_mask() & !self.mantissa_mask()) - 1,
            FloatKind::NoInfinity | FloatKind::PowerOfTwo => self.magnitude_mask() - 1,
            FloatKind::NoNegativeZero | FloatKind::FiniteOnly => self.magnitude_mask(),
        }
    }

    /// The code of the lowest finite value: -max, or the smallest power of two of an unsigned format.
    pub const fn lowest(self) -> u64 {
        if self.is_signed() { self.sign_mask() | self.max() } else { 0 }
    }

    /// The code of the smallest positive normal value.
    pub const fn min_normal(self) -> u64 {
        if self.is_signed() { 1 << self.mantissa_bits } else { 0 }
    }

    /// The code of the smallest positive value.
    pub const fn min_positive(self) -> u64 {
        if self.is_signed() { 1 } else { 0 }
    }

    /// The distance from 1 to the next value.
    pub fn epsilon(self) -> f64 {
        power_of_two(-i32::from(self.mantissa_bits))
    }

    /// The meaning of a code; bits beyond its width are ignored.
    pub const fn class_of(self, bits: u64) -> FloatClass {
        let magnitude = bits & self.magnitude_mask();
        let nan = match self.kind {
            FloatKind::Ieee => magnitude > self.magnitude_mask() & !self.mantissa_mask(),
            FloatKind::NoInfinity | FloatKind::PowerOfTwo => magnitude == self.magnitude_mask(),
            FloatKind::NoNegativeZero => magnitude == 0 && bits & self.sign_mask() != 0,
            FloatKind::FiniteOnly => false,
        };
        if nan {
            FloatClass::Nan
        } else if matches!(self.kind, FloatKind::PowerOfTwo) {
            FloatClass::Normal
        } else if magnitude == 0 {
            FloatClass::Zero
        } else if magnitude > self.max() {
            FloatClass::Infinite
        } else if magnitude >> self.mantissa_bits == 0 {
            FloatClass::Subnormal
        } else {
            FloatClass::Normal
        }
    }

    /// Whether a code is NaN.
    pub const fn is_nan(self, bits: u64) -> bool {
        matches!(self.class_of(bits), FloatClass::Nan)
    }

    /// The exact value of a code. The sign and the payload of an IEEE NaN become the sign and the upper fraction bits.
    pub fn decode(self, bits: u64) -> f64 {
        let exponent = ((bits & self.magnitude_mask()) >> self.mantissa_bits) as i32;
        let mantissa = bits & self.mantissa_mask();
        // The mantissa as the fraction of an `f64`.
        let fraction = mantissa << (F64_FRACTION - u32::from(self.mantissa_bits));
        let magnitude = match self.class_of(bits) {
            FloatClass::Zero => 0.0,
            FloatClass::Infinite => f64::INFINITY,
            FloatClass::Nan => {
                let sign = if bits & self.sign_mask() == 0 { 0 } else { 1 << 63 };
                return f64::from_bits(match self.kind {
                    FloatKind::Ieee => sign | 0x7FF << F64_FRACTION | fraction,
                    FloatKind::NoInfinity => sign | QUIET,
                    _ => QUIET,
                });
            }
            // An `f64` subnormal is below the powers of two that `power_of_two` computes.
            FloatClass::Subnormal if u32::from(self.mantissa_bits) == F64_FRACTION => {
                f64::from_bits(mantissa)
            }
            FloatClass::Subnormal => {
                mantissa as f64 * power_of_two(1 - self.bias - i32::from(self.mantissa_bits))
            }
            FloatClass::Normal => {
                f64::from_bits(((exponent - self.bias + 1023) as u64) << F64_FRACTION | fraction)
            }
        };
        if bits & self.sign_mask() == 0 { magnitude } else { -magnitude }
    }

    /// The code nearest to a value, ties to the even one; beyond the largest finite value by the format's
    /// [`FloatKind`]. A [`FloatKind::PowerOfTwo`] keeps only the hidden bit, which is odd, so ties go up; everything
    /// positive below 2^-127 becomes 2^-127.
    pub fn encode(self, value: f64) -> u64 {
        let sign = if value.is_sign_negative() { self.sign_mask() } else { 0 };
        let magnitude = if value.is_nan() {
            self.nan_of(value)
        } else if self.overflows(value) {
            match self.kind {
                FloatKind::Ieee => self.magnitude_mask() & !self.mantissa_mask(),
                FloatKind::NoInfinity | FloatKind::PowerOfTwo => self.magnitude_mask(),
                FloatKind::NoNegativeZero => return self.sign_mask(),
                FloatKind::FiniteOnly => self.max(),
            }
        } else {
            self.rounded(value)
        };
        if magnitude == 0 && self.kind == FloatKind::NoNegativeZero && !value.is_nan() {
            0
        } else {
            sign | magnitude
        }
    }

    /// Whether a value is beyond the range of the format: infinite, or finite and rounding past the largest
    /// finite value; in an unsigned format also zero or negative. NaN does not overflow.
    pub fn overflows(self, value: f64) -> bool {
        if value.is_nan() {
            false
        } else if self.kind == FloatKind::PowerOfTwo && value <= 0.0 || value.is_infinite() {
            true
        } else {
            self.rounded(value) > self.max()
        }
    }

    /// The magnitude code for a NaN: an IEEE format keeps the upper bits of the payload.
    fn nan_of(self, value: f64) -> u64 {
        let payload = value.to_bits() & ((1 << F64_FRACTION) - 1);
        match self.kind {
            FloatKind::Ieee => {
                let exponent = self.magnitude_mask() & !self.mantissa_mask();
                match payload >> (F64_FRACTION - u32::from(self.mantissa_bits)) {
                    0 => exponent | 1 << (self.mantissa_bits - 1),
                    kept => exponent | kept,
                }
            }
            FloatKind::NoInfinity | FloatKind::PowerOfTwo => self.magnitude_mask(),
            FloatKind::NoNegativeZero | FloatKind::FiniteOnly => self.sign_mask(),
        }
    }

    /// The magnitude code of a finite value, with an unlimited exponent field.
    fn rounded(self, value: f64) -> u64 {
        let bits = value.abs().to_bits();
        if bits == 0 {
            return 0;
        }
        let (field, fraction) = ((bits >> F64_FRACTION) as i32, bits & ((1 << F64_FRACTION) - 1));
        // value = significand * 2^(exponent - 52), where bit 52 of the significand is set.
        let (exponent, significand) = if field == 0 {
            let shift = fraction.leading_zeros() - 11;
            (-1022 - shift as i32, fraction << shift)
        } else {
            (field - 1023, fraction | 1 << F64_FRACTION)
        };
        let biased = exponent + self.bias;
        if self.kind == FloatKind::PowerOfTwo {
            // The last kept bit is the hidden one, which is odd: ties round up.
            let up = biased >= 0 && significand >= 3 << (F64_FRACTION - 1);
            return biased.max(0) as u64 + u64::from(up);
        }
        let below = (1 - biased).max(0);
        let kept = half_even(significand, F64_FRACTION - u32::from(self.mantissa_bits) + below as u32);
        // The hidden bit in `kept` adds the 1 by which the exponent is decremented; a carry out of the mantissa increments
        // the exponent.
        ((biased - 1).max(0) as u64) * (1 << self.mantissa_bits) + kept
    }

    /// Decimal digits that distinguish all values of the format (`max_digits10` of C++).
    pub const fn max_digits10(self) -> usize {
        // ceil(1 + p * log10(2)), p the precision with the hidden bit.
        (1 + ((self.mantissa_bits as u32 + 1) * 30_103).div_ceil(100_000)) as usize
    }

    /// Decimal digits that always survive a round trip through the format (`digits10` of C++).
    pub const fn digits10(self) -> usize {
        (self.mantissa_bits as u32 * 30_103 / 100_000) as usize
    }
}

/// `significand / 2^drop`, to nearest, ties to even; the significand is below 2^53.
const fn half_even(significand: u64, drop: u32) -> u64 {
    if drop == 0 {
        return significand;
    }
    if drop > F64_FRACTION + 2 {
        return 0;
    }
    let (floor, rest, half) = (significand >> drop, significand & ((1 << drop) - 1), 1 << (drop - 1));
    floor + (rest > half || rest == half && floor & 1 == 1) as u64
}

/// `2^exponent`, for the exponents of normal `f64`s.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << F64_FRACTION)
}
