//! Single floats, as the loops over one type compute them.

/// The canonical NaN for each NaN. By its bits: the compiler takes one NaN for as good as another, and leaves a number that is
/// compared with itself as it is.
#[inline(always)]
pub fn canonicalized(x: f64) -> f64 {
    let bits = x.to_bits();
    f64::from_bits(if bits << 1 > f64::INFINITY.to_bits() << 1 { f64::NAN.to_bits() } else { bits })
}

/// The canonical NaN for each NaN, as [`canonicalized`].
#[inline(always)]
pub fn canonicalized_f32(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits << 1 > f32::INFINITY.to_bits() << 1 { f32::NAN.to_bits() } else { bits })
}

/// The minimum; NaN wins, -0 is below 0. The caller canonicalizes NaN.
#[inline(always)]
pub fn minimum(a: f64, b: f64) -> f64 {
    // Each gives its left side where one is NaN or both are zero; together, NaN stays NaN and the sign stays set.
    let (left, right) = (if b < a { b } else { a }, if a < b { a } else { b });
    f64::from_bits(left.to_bits() | right.to_bits())
}

/// `|z|`, computed in `f64`, in which no square overflows: NaN if a part is NaN, even if the other one is infinite.
#[allow(clippy::cast_possible_truncation, reason = "the one rounding")]
pub fn length(re: f32, im: f32) -> f32 {
    let (re, im) = (f64::from(re), f64::from(im));
    canonicalized_f32((re * re + im * im).sqrt() as f32)
}
