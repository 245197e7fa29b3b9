//! Arithmetic of real numbers that is not a single function of the mathematics library.

pub(super) use libm::{
    acos, acosh, asin, asinh, atanh, cbrt, ceil, cos, cosh, erf, exp, expm1, floor, log, log1p, round, sin,
    sinh, sqrt, tan, tanh,
};

use xla_array::Edition;

/// -1, 0 or 1; zero keeps its sign, and NaN yields NaN.
pub(super) fn sign(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() { x } else { x.signum() }
}

/// Rounds to nearest, ties to even.
pub(super) fn round_even(x: f64) -> f64 {
    x.round_ties_even()
}

/// `1 / (1 + e^-x)`.
pub(super) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

/// `1 / √x`; -inf for -0.
pub(super) fn rsqrt(x: f64) -> f64 {
    1.0 / sqrt(x)
}

/// The maximum, with -0 below +0. Current XLA propagates NaN, XLA 2017 ignored it.
pub(super) fn maximum(edition: Edition, a: f64, b: f64) -> f64 {
    match edition {
        Edition::Current if a.is_nan() => a,
        Edition::Current if b.is_nan() => b,
        Edition::V2017 if a.is_nan() => b,
        Edition::V2017 if b.is_nan() => a,
        _ if a.partial_cmp(&b) == Some(std::cmp::Ordering::Equal) => {
            if a.is_sign_negative() {
                b
            } else {
                a
            }
        }
        _ => {
            if a > b {
                a
            } else {
                b
            }
        }
    }
}

/// Like [`maximum`], for the minimum.
pub(super) fn minimum(edition: Edition, a: f64, b: f64) -> f64 {
    -maximum(edition, -a, -b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_propagates_unless_in_2017() {
        assert!(
            maximum(Edition::Current, f64::NAN, 1.0).is_nan()
                && minimum(Edition::Current, 1.0, f64::NAN).is_nan()
        );
        assert!((maximum(Edition::V2017, f64::NAN, 1.0) - 1.0).abs() < f64::EPSILON);
        assert!(minimum(Edition::Current, 0.0, -0.0).is_sign_negative());
        assert!(maximum(Edition::Current, -0.0, 0.0).is_sign_positive());
    }
}
