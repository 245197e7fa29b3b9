//! Conversion of rows of `f16` and `bf16` to `f32` and back, rounded to nearest, ties to even; canonicalizes NaN.

use crate::support::element::Type;
use crate::support::scalars::canonicalized_f32;

/// Converts an `f16` to `f32`; canonicalizes NaN.
#[inline(always)]
pub fn from_f16(code: u16) -> f32 {
    let size = u32::from(code & 0x7fff) << 13;
    // The exponent biases differ by 112; a product also converts subnormal numbers.
    let value = f32::from_bits(size) * 5.192_297e33;
    let value = if size >= 0x7c00 << 13 { f32::INFINITY } else { value };
    let value = if size > 0x7c00 << 13 { f32::NAN } else { value };
    let sign = if size > 0x7c00 << 13 { 0 } else { u32::from(code & 0x8000) << 16 };
    f32::from_bits(value.to_bits() | sign)
}

/// Rounds an `f32` to the nearest `f16`; canonicalizes NaN.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "the upper bits are zeros")]
pub fn to_f16(x: f32) -> u16 {
    let bits = x.to_bits();
    let size = bits & 0x7fff_ffff;
    // Subnormal: the sum with ½ rounds at the right bit.
    let small = (f32::from_bits(size) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let odd = size >> 13 & 1;
    let normal = size.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
    let code = if size < 113 << 23 { small } else { normal };
    let code = if size >= 143 << 23 { 0x7c00 } else { code };
    if size > 0x7f80_0000 { 0x7e00 } else { (code | bits >> 16 & 0x8000) as u16 }
}

/// Converts a `bf16` to `f32`; canonicalizes NaN.
#[inline(always)]
pub fn from_bf16(code: u16) -> f32 {
    canonicalized_f32(f32::from_bits(u32::from(code) << 16))
}

/// Rounds an `f32` to the nearest `bf16`; canonicalizes NaN.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "the upper bits are zeros")]
pub fn to_bf16(x: f32) -> u16 {
    let bits = x.to_bits();
    let code = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    if x.is_nan() { 0x7fc0 } else { code as u16 }
}

/// Converts a row to `f32`.
pub fn widen(ty: Type, from: &[u16], to: &mut [f32]) {
    let all = from.iter().zip(to);
    if ty == Type::F16 {
        all.for_each(|(code, x)| *x = from_f16(*code));
    } else {
        all.for_each(|(code, x)| *x = from_bf16(*code));
    }
}

/// Rounds a row of `f32`.
pub fn narrow(ty: Type, from: &[f32], to: &mut [u16]) {
    let all = from.iter().zip(to);
    if ty == Type::F16 {
        all.for_each(|(x, code)| *code = to_f16(*x));
    } else {
        all.for_each(|(x, code)| *code = to_bf16(*x));
    }
}
