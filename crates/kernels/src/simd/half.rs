//! Half precision as bits: exact conversion of `f16` and `bf16` to `f32`, and rounding of `f32` to them, ties to even.

#![allow(clippy::cast_possible_truncation, reason = "bits are shifted into the width first")]

/// Converts an `f16` to `f32`, exactly.
pub fn f16_to_f32(code: u16) -> f32 {
    let sign = u32::from(code & 0x8000) << 16;
    let rest = u32::from(code & 0x7fff);
    let magnitude = match rest >> 10 {
        31 => 0x7f80_0000 | (rest & 0x3ff) << 13,
        // Subnormal, or zero: the significand times 2^-24, exactly.
        0 => (f32::from(code & 0x3ff) * f32::from_bits(0x3380_0000)).to_bits(),
        _ => (rest << 13) + (112 << 23),
    };
    f32::from_bits(sign | magnitude)
}

/// Rounds to the nearest `f16`; canonicalizes NaN.
pub fn f32_to_f16(x: f32) -> u16 {
    let sign = (x.to_bits() >> 16) as u16 & 0x8000;
    let magnitude = x.abs();
    if x.is_nan() {
        return 0x7e00;
    }
    let bits = magnitude.to_bits();
    let code = if bits < 0x3880_0000 {
        // Subnormal: adding 0.5 leaves 10 bits of 2^-24 in the significand, rounded by the addition.
        ((magnitude + 0.5).to_bits() - 0x3f00_0000) as u16
    } else if bits >= 0x4780_0000 {
        0x7c00
    } else {
        // Rounding may carry into the exponent, up to infinity.
        let odd = (bits >> 13) & 1;
        ((bits - (112 << 23) + 0xfff + odd) >> 13) as u16
    };
    sign | code
}

/// Converts a `bf16` to `f32`, exactly.
pub fn bf16_to_f32(code: u16) -> f32 {
    f32::from_bits(u32::from(code) << 16)
}

/// Rounds to the nearest `bf16`; canonicalizes NaN.
pub fn f32_to_bf16(x: f32) -> u16 {
    if x.is_nan() {
        return 0x7fc0;
    }
    let bits = x.to_bits();
    ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_half_crate_does() {
        for code in 0..=u16::MAX {
            let (ours, theirs) = (f16_to_f32(code), half::f16::from_bits(code).to_f32());
            assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(), "{code:x}");
        }
        let mut bits = 0_u32;
        for _ in 0..2_000_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            for x in [f32::from_bits(bits), f32::from_bits(0x3300_0000 + bits % 0x1500_0000)] {
                if x.is_nan() {
                    continue;
                }
                assert_eq!(f32_to_f16(x), half::f16::from_f32(x).to_bits(), "{x:e}");
                assert_eq!(f32_to_bf16(x), half::bf16::from_f32(x).to_bits(), "{x:e}");
            }
        }
    }
}
