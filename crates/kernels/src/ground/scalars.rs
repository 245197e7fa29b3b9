//! Single floats, as the loops over one type compute them.

/// The canonical NaN for each NaN.
#[inline(always)]
pub fn canonicalized(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
}

/// The canonical NaN for each NaN.
#[inline(always)]
pub fn canonicalized_f32(x: f32) -> f32 {
    if x.is_nan() { f32::NAN } else { x }
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
