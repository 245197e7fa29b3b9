//! One element of an array: its value, its bits, its bytes, and its conversion to another type.
//!
//! Invariant: a [`Value`] of an element type is exact. Floats are stored as `f64`, which represents every value of every
//! float type; [`Value::convert`], XLA's `ConvertElementType`, converts a value of another kind or out of range. Read
//! [`fields`] next for the bit fields, [`text`] for printing, [`parse`] for reading.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "conversions between element types wrap, truncate and round by XLA's rules, which `as` follows"
)]

pub mod fields;
pub mod parse;
mod range;
pub mod text;

use std::iter;

pub use range::ValueRange;

use super::displayed_value::DisplayedValue;
use super::float_format::FloatFormat;
use super::{Class, ElementType, PaddingValue};
use xla_messages::bug;
use xla_messages::bug::OrBug;

/// The value of one element.
///
/// `==` is the machine's: NaN differs from NaN, and -0 equals 0. See [`Value::same`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A value of `pred`.
    Pred(bool),
    /// A value of a signed integer type.
    Int(i64),
    /// A value of an unsigned integer type.
    Uint(u64),
    /// A value of a float type.
    Float(f64),
    /// A value of a complex type: the real and the imaginary part.
    Complex(f64, f64),
}

impl Value {
    /// The value whose code is the low bits of `bits`; bits beyond the type's width are ignored. A complex
    /// number has its real part in the low half.
    pub fn from_bits(element_type: ElementType, bits: u128) -> Self {
        let width = u32::from(element_type.bits());
        match element_type.class() {
            Class::Boolean => Self::Pred(bits & 1 == 1),
            Class::Signed => Self::Int((bits as u64 as i64) << (64 - width) >> (64 - width)),
            Class::Unsigned => Self::Uint(bits as u64 & (u64::MAX >> (64 - width))),
            Class::Float => Self::Float(decode(element_type, bits as u64)),
            Class::Complex => {
                let part = part_type(element_type);
                Self::Complex(decode(part, bits as u64), decode(part, (bits >> (width / 2)) as u64))
            }
        }
    }

    /// The code of the value in `element_type`, in its low bits; the others are zero. The value is converted
    /// first where it is not one of that type.
    pub fn to_bits(self, element_type: ElementType) -> u128 {
        let width = u32::from(element_type.bits());
        match self.convert(element_type) {
            Self::Pred(truth) => u128::from(truth),
            Self::Int(value) => u128::from(value as u64 & (u64::MAX >> (64 - width))),
            Self::Uint(value) => u128::from(value & (u64::MAX >> (64 - width))),
            Self::Float(value) => u128::from(encode(element_type, value)),
            Self::Complex(re, im) => {
                let part = part_type(element_type);
                u128::from(encode(part, re)) | u128::from(encode(part, im)) << (width / 2)
            }
        }
    }

    /// The value converted to `element_type` by the rules of XLA's `ConvertElementType`: integers keep their low bits; from
    /// floats to integers truncates toward zero and saturates, and NaN becomes 0; to floats rounds once, to nearest even; to
    /// `pred` is `!= 0`; complex numbers lose their imaginary part.
    #[must_use]
    pub fn convert(self, element_type: ElementType) -> Self {
        let width = u32::from(element_type.bits());
        let wide = || match self {
            Self::Pred(truth) => i128::from(truth),
            Self::Int(value) => i128::from(value),
            Self::Uint(value) => i128::from(value),
            // Saturates, and NaN becomes 0; `i128` holds the range of every integer type.
            Self::Float(value) | Self::Complex(value, _) => value as i128,
        };
        let is_float = matches!(self, Self::Float(_) | Self::Complex(..));
        match element_type.class() {
            Class::Boolean => Self::Pred(self.is_nonzero()),
            Class::Signed => {
                let (low, high) = (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1);
                let value = if is_float { wide().clamp(low, high) } else { wide() };
                Self::Int((value as i64) << (64 - width) >> (64 - width))
            }
            Class::Unsigned => {
                let value = if is_float { wide().clamp(0, (1_i128 << width) - 1) } else { wide() };
                Self::Uint(value as u64 & (u64::MAX >> (64 - width)))
            }
            Class::Float => Self::Float(self.real_in(element_type)),
            Class::Complex => {
                let part = part_type(element_type);
                let im = if let Self::Complex(_, im) = self { decode(part, encode(part, im)) } else { 0.0 };
                Self::Complex(self.real_in(part), im)
            }
        }
    }

    /// The real part, rounded once to a float type.
    fn real_in(self, element_type: ElementType) -> f64 {
        let exact = |value: i128| {
            if element_type == ElementType::F64 { value as f64 } else { round_to_odd(value) }
        };
        let real = match self {
            Self::Pred(truth) => f64::from(u8::from(truth)),
            Self::Int(value) => exact(value.into()),
            Self::Uint(value) => exact(value.into()),
            Self::Float(value) | Self::Complex(value, _) => value,
        };
        decode(element_type, encode(element_type, real))
    }

    /// Whether the value differs from 0: true for NaN, false for -0.
    pub fn is_nonzero(self) -> bool {
        match self {
            Self::Pred(truth) => truth,
            Self::Int(value) => value != 0,
            Self::Uint(value) => value != 0,
            Self::Float(value) => value != 0.0,
            Self::Complex(re, im) => re != 0.0 || im != 0.0,
        }
    }

    /// Whether the value, or a part of it, is NaN.
    pub fn is_nan(self) -> bool {
        match self {
            Self::Float(value) => value.is_nan(),
            Self::Complex(re, im) => re.is_nan() || im.is_nan(),
            Self::Pred(_) | Self::Int(_) | Self::Uint(_) => false,
        }
    }

    /// The number of a real float. Any other value is a bug of the caller, for which it returns 0.
    pub fn as_float(self) -> f64 {
        match self {
            Self::Float(value) => value,
            Self::Pred(_) | Self::Int(_) | Self::Uint(_) | Self::Complex(..) => {
                bug!("a value that is no real float");
                0.0
            }
        }
    }

    /// The number of an integer, as an index; an unsigned one that exceeds `i64` saturates to `i64::MAX`, which is outside
    /// every array. Any other value is a bug of the caller, for which it returns 0.
    pub fn as_index(self) -> i64 {
        match self {
            Self::Int(value) => value,
            Self::Uint(value) => i64::try_from(value).unwrap_or(i64::MAX),
            Self::Pred(_) | Self::Float(_) | Self::Complex(..) => {
                bug!("a value that is no integer");
                0
            }
        }
    }

    /// Whether two values print the same: NaN equals NaN, and -0 differs from 0.
    pub fn same(self, other: Self) -> bool {
        let float = |a: f64, b: f64| a.is_nan() && b.is_nan() || a.to_bits() == b.to_bits();
        match (self, other) {
            (Self::Float(a), Self::Float(b)) => float(a, b),
            (Self::Complex(a, b), Self::Complex(c, d)) => float(a, c) && float(b, d),
            _ => self == other,
        }
    }

    /// The element of a type for a double, as for `iota` or a random fill: rounded to a float, or truncated and saturated to
    /// an integer.
    pub fn from_f64(element_type: ElementType, value: f64) -> Self {
        Self::Float(value).convert(element_type)
    }

    /// The value of padding by XLA 2017's `PaddingValue` (see [`PaddingValue::displayed`]); `None` where it is not defined
    /// or the type has no such value.
    pub fn of_padding(rule: PaddingValue, element_type: ElementType) -> Option<Self> {
        let value = match rule.displayed(element_type) {
            DisplayedValue::Unset | DisplayedValue::Unknown => return None,
            DisplayedValue::Zero => Self::Int(0),
            DisplayedValue::One => Self::Int(1),
            DisplayedValue::NegInf => Self::Float(f64::NEG_INFINITY),
            DisplayedValue::Inf => Self::Float(f64::INFINITY),
            // Every bound of a type fits `u64` or `i64`.
            DisplayedValue::Min(bound) | DisplayedValue::Max(bound) => match u64::try_from(bound) {
                Ok(bound) => Self::Uint(bound),
                Err(_) => Self::Int(bound as i64),
            },
            DisplayedValue::Finite(bound) => Self::Float(bound),
            DisplayedValue::False => Self::Pred(false),
            DisplayedValue::True => Self::Pred(true),
        };
        Some(value.convert(element_type))
    }
}

/// The lowest and the highest value of an integer type.
pub fn integer_range(element_type: ElementType) -> Option<(i128, i128)> {
    let width = element_type.bits();
    match element_type.class() {
        Class::Signed => Some((-(1 << (width - 1)), (1 << (width - 1)) - 1)),
        Class::Unsigned => Some((0, (1 << width) - 1)),
        Class::Boolean | Class::Float | Class::Complex => None,
    }
}

/// Reads one little-endian element from the start of `bytes`; `None` if they are too few.
pub fn read_le(element_type: ElementType, bytes: &[u8]) -> Option<Value> {
    let bytes = bytes.get(..usize::from(element_type.bits()).div_ceil(8))?;
    let bits = bytes.iter().rev().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    Some(Value::from_bits(element_type, bits))
}

/// The bytes of one element, little-endian, at the element's own width rounded up to bytes; signed types narrower
/// than a byte are sign-extended into it.
pub fn to_le(element_type: ElementType, value: Value) -> Vec<u8> {
    let bytes = usize::from(element_type.bits()).div_ceil(8);
    extended(element_type, value).to_le_bytes()[..bytes].to_vec()
}

/// Reads element `index` of a sequence packed into `width` bits each (`E(width)`); `None` where the bytes end before it. The
/// first element is in the lowest bits of the first byte, and an element that crosses a byte boundary continues in the lowest
/// bits of the next. Its value is in the lowest bits of the `width`.
pub fn read_packed(element_type: ElementType, width: u32, bytes: &[u8], index: usize) -> Option<Value> {
    let start = index.checked_mul(width as usize)?;
    if width.is_multiple_of(8) {
        return read_le(element_type, bytes.get(start / 8..(start + width as usize) / 8)?);
    }
    let mut bits = 0_u128;
    for bit in 0..width.min(128) as usize {
        let byte = bytes.get((start + bit) / 8)?;
        bits |= u128::from(byte >> ((start + bit) % 8) & 1) << bit;
    }
    Some(Value::from_bits(element_type, bits))
}

/// Packs an element, as [`read_packed`] reads it; signed types are sign-extended to the width. Where the bytes end before it,
/// returns `None` and writes nothing.
pub fn write_packed(
    element_type: ElementType,
    width: u32,
    bytes: &mut [u8],
    index: usize,
    value: Value,
) -> Option<()> {
    let start = index.checked_mul(width as usize)?;
    let end = start.checked_add(width as usize)?;
    if end.div_ceil(8) > bytes.len() {
        return None;
    }
    let bits = extended(element_type, value);
    if width.is_multiple_of(8) {
        let sign = if bits >> 127 == 1 { 0xFF } else { 0 };
        let code = bits.to_le_bytes().into_iter().chain(iter::repeat(sign));
        bytes[start / 8..end / 8].iter_mut().zip(code).for_each(|(byte, part)| *byte = part);
        return Some(());
    }
    for bit in 0..width as usize {
        let (byte, mask) = (&mut bytes[(start + bit) / 8], 1 << ((start + bit) % 8));
        let is_set = bit < 128 && bits >> bit & 1 == 1;
        *byte = if is_set { *byte | mask } else { *byte & !mask };
    }
    Some(())
}

/// The code, sign-extended for signed types.
fn extended(element_type: ElementType, value: Value) -> u128 {
    match value.convert(element_type) {
        Value::Int(value) => i128::from(value) as u128,
        value => value.to_bits(element_type),
    }
}

/// The type of the parts of a complex type.
fn part_type(element_type: ElementType) -> ElementType {
    element_type.component().or_bug(ElementType::F64, "no complex type")
}

// Fast path: `f64`, and `f32` other than NaN, are converted by the processor; `FloatFormat` defines which bits of a NaN are kept.
fn decode(element_type: ElementType, bits: u64) -> f64 {
    let single = f32::from_bits(bits as u32);
    match element_type {
        ElementType::F64 => f64::from_bits(bits),
        ElementType::F32 if !single.is_nan() => f64::from(single),
        _ => FloatFormat::of(element_type).map_or(f64::NAN, |format| format.decode(bits)),
    }
}

fn encode(element_type: ElementType, value: f64) -> u64 {
    match element_type {
        ElementType::F64 => value.to_bits(),
        ElementType::F32 if !value.is_nan() => (value as f32).to_bits().into(),
        _ => FloatFormat::of(element_type).map_or(0, |format| format.encode(value)),
    }
}

/// Rounds an integer to odd: truncated, with the last bit set if inexact, so that a second rounding to a narrower type
/// still knows on which side of a midpoint the integer is.
fn round_to_odd(value: i128) -> f64 {
    let nearest = value as f64;
    let back = nearest as i128;
    if back == value {
        return nearest;
    }
    let toward_zero = if back.unsigned_abs() > value.unsigned_abs() {
        f64::from_bits(nearest.to_bits() - 1)
    } else {
        nearest
    };
    f64::from_bits(toward_zero.to_bits() | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_round_trip_and_bytes_are_little_endian() {
        for t in ElementType::ALL.iter().filter(|t| t.bits() <= 16) {
            for bits in 0..1_u128 << t.bits() {
                let value = Value::from_bits(*t, bits);
                assert_eq!(value.to_bits(*t), bits, "{t} {bits:#x}");
                assert!(read_le(*t, &to_le(*t, value)).unwrap().same(value), "{t} {bits:#x}");
            }
        }
        assert_eq!(to_le(ElementType::S32, Value::Int(-2)), [0xFE, 0xFF, 0xFF, 0xFF]);
        assert_eq!(to_le(ElementType::C64, Value::Complex(1.0, -2.0)), [0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0]);
        assert_eq!(to_le(ElementType::S4, Value::Int(-1)), [0xFF]);
        assert_eq!(read_le(ElementType::S32, &[1, 2, 3]), None);
    }

    #[test]
    fn the_fast_path_of_f32_matches_its_format() {
        let format = FloatFormat::of(ElementType::F32).unwrap();
        let ends =
            [0, 1, 0x007F_FFFF, 0x0080_0000, 0x7F7F_FFFF, 0x7F80_0000, 0x7F80_0001, 0x7FC0_0000, 0x7FFF_FFFF];
        let encodings = ends.into_iter().chain((0..0x8000_0000_u32).step_by(65_521));
        for bits in encodings.flat_map(|bits| [bits, bits | 0x8000_0000]) {
            let value = decode(ElementType::F32, bits.into());
            assert_eq!(value.to_bits(), format.decode(bits.into()).to_bits(), "{bits:#x}");
            // The number itself, its neighbours, and those around the midpoint to the next.
            for by in [0, 1, -1, 1 << 28, (1 << 28) + 1, (1 << 28) - 1, -(1 << 28)] {
                let near = f64::from_bits(value.to_bits().wrapping_add_signed(by));
                assert_eq!(encode(ElementType::F32, near), format.encode(near), "{near:e}");
            }
        }
        let tiny = f64::from_bits(1);
        for value in [
            tiny,
            -tiny,
            1e300,
            -1e300,
            f64::MAX,
            f64::INFINITY,
            2.0_f64.powi(-150),
            1.5 * 2.0_f64.powi(-150),
        ] {
            assert_eq!(encode(ElementType::F32, value), format.encode(value), "{value:e}");
        }
    }

    #[test]
    fn packing_fills_the_low_bits_first() {
        let mut bytes = [0xFF; 3];
        for (i, value) in [1, -2, 3, -4, 5].into_iter().enumerate() {
            write_packed(ElementType::S4, 4, &mut bytes, i, Value::Int(value)).unwrap();
        }
        assert_eq!(bytes, [0xE1, 0xC3, 0xF5]);
        assert_eq!(read_packed(ElementType::S4, 4, &bytes, 3), Some(Value::Int(-4)));
        assert_eq!(read_packed(ElementType::S4, 4, &bytes, 6), None);
        assert_eq!(write_packed(ElementType::S4, 4, &mut bytes, 6, Value::Int(1)), None);
        let mut six = [0; 3];
        for i in 0..4 {
            write_packed(ElementType::F6E2M3FN, 6, &mut six, i, Value::Float(7.5)).unwrap();
        }
        assert_eq!(six, [0xDF, 0xF7, 0x7D]);
        assert_eq!(read_packed(ElementType::F6E2M3FN, 6, &six, 2), Some(Value::Float(7.5)));
    }

    #[test]
    fn conversions_follow_xla() {
        use ElementType as T;
        let cases = [
            (Value::Float(f64::NAN), T::S32, Value::Int(0)),
            (Value::Float(1e38), T::S64, Value::Int(i64::MAX)),
            (Value::Float(-3.7), T::U8, Value::Uint(0)),
            (Value::Float(-3.7), T::S8, Value::Int(-3)),
            (Value::Float(f64::INFINITY), T::U64, Value::Uint(u64::MAX)),
            (Value::Int(-129), T::U8, Value::Uint(127)),
            (Value::Int(32768), T::S16, Value::Int(-32768)),
            (Value::Uint(u64::MAX), T::S64, Value::Int(-1)),
            (Value::Float(-0.0), T::Pred, Value::Pred(false)),
            (Value::Float(f64::NAN), T::Pred, Value::Pred(true)),
            (Value::Complex(-2.5, 0.5), T::S16, Value::Int(-2)),
            (Value::Complex(0.0, 1.0), T::Pred, Value::Pred(true)),
            (Value::Int(2_147_483_647), T::F32, Value::Float(2_147_483_648.0)),
            (Value::Int(2_147_483_647), T::F16, Value::Float(f64::INFINITY)),
            (Value::Pred(true), T::BF16, Value::Float(1.0)),
            // Two roundings, to f64 and to f32, would give 2^60: this is just above a midpoint of f32.
            (Value::Int((1 << 60) + (1 << 36) + 1), T::F32, Value::Float(1_152_921_642_045_800_448.0)),
            (Value::Int(9_007_199_254_740_993), T::F64, Value::Float(9_007_199_254_740_992.0)),
            (Value::Float(0.1), T::C64, Value::Complex(f64::from(0.1_f32), 0.0)),
        ];
        for (value, to, expected) in cases {
            assert!(value.convert(to).same(expected), "{value:?} to {to}: {:?}", value.convert(to));
        }
    }

    #[test]
    fn padding_values_are_those_of_2017() {
        use ElementType as T;
        let of = |rule, t| Value::of_padding(rule, t);
        assert_eq!(of(PaddingValue::Lowest, T::F32), Some(Value::Float(f64::NEG_INFINITY)));
        assert_eq!(of(PaddingValue::Highest, T::F8E4M3FN), Some(Value::Float(448.0)));
        assert_eq!(of(PaddingValue::Lowest, T::S8), Some(Value::Int(-128)));
        assert_eq!(of(PaddingValue::Lowest, T::U8), Some(Value::Uint(0)));
        assert_eq!(of(PaddingValue::Highest, T::U64), Some(Value::Uint(u64::MAX)));
        assert_eq!(of(PaddingValue::Highest, T::Pred), Some(Value::Pred(true)));
        assert_eq!(of(PaddingValue::One, T::C64), Some(Value::Complex(1.0, 0.0)));
        assert_eq!(of(PaddingValue::Unknown, T::F32), None);
        assert_eq!(of(PaddingValue::Zero, T::F8E8M0FNU), None);
        assert_eq!(of(PaddingValue::Invalid, T::F32), None);
    }
}
