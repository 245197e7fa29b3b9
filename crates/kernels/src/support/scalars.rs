//! Scalar float functions of the loops without vectors.

/// Replaces each NaN with the canonical one. It tests the bits, since compilers may treat all NaNs as equal and optimize
/// `if x != x` away.
#[inline(always)]
pub fn canonicalized(x: f64) -> f64 {
    let bits = x.to_bits();
    f64::from_bits(if bits << 1 > f64::INFINITY.to_bits() << 1 { f64::NAN.to_bits() } else { bits })
}

/// Replaces each NaN with the canonical one, as [`canonicalized`].
#[inline(always)]
pub fn canonicalized_f32(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits << 1 > f32::INFINITY.to_bits() << 1 { f32::NAN.to_bits() } else { bits })
}

/// IEEE 754 `minimum`: propagates NaN, and orders -0 below 0. The caller canonicalizes NaN.
#[inline(always)]
pub fn minimum(a: f64, b: f64) -> f64 {
    // If an argument is NaN or both are zeros, these are `a` and `b`: their bitwise or keeps NaN, and the sign of -0.
    let (left, right) = (if b < a { b } else { a }, if a < b { a } else { b });
    f64::from_bits(left.to_bits() | right.to_bits())
}

/// `|z|`, computed in `f64`, in which squares do not overflow. NaN if a part is NaN, even if the other one is infinite.
#[allow(clippy::cast_possible_truncation, reason = "the one rounding")]
pub fn complex_abs(re: f32, im: f32) -> f32 {
    let (re, im) = (f64::from(re), f64::from(im));
    canonicalized_f32((re * re + im * im).sqrt() as f32)
}
