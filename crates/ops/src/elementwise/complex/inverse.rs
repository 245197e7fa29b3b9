//! The inverse and hyperbolic functions of complex numbers, by Kahan's formulas, which are accurate near branch cuts.

#![allow(clippy::many_single_char_names, reason = "the formulas are those of the textbooks")]

use std::f64::consts::{FRAC_PI_2, LN_2};

use super::arithmetic::{Complex, divide, multiply, principal_root};

const ONE: Complex = Complex(1.0, 0.0);

fn conjugate(Complex(a, b): Complex) -> Complex {
    Complex(a, -b)
}

/// `iz`.
fn times_i(Complex(a, b): Complex) -> Complex {
    Complex(-b, a)
}

/// `-iz`.
fn times_minus_i(Complex(a, b): Complex) -> Complex {
    Complex(b, -a)
}

/// Bound on numbers whose square is finite; beyond it `1 + z` rounds to `z`.
const MAX_SQUARABLE: f64 = 1e150;

/// Whether the absolute value exceeds [`MAX_SQUARABLE`], also if one part is infinite and the other NaN.
fn is_huge(Complex(a, b): Complex) -> bool {
    libm::hypot(a, b) > MAX_SQUARABLE
}

/// `ln 2z`, without overflow for huge `z`.
fn log_2z(Complex(a, b): Complex) -> Complex {
    Complex(libm::log(libm::hypot(a, b)) + LN_2, libm::atan2(b, a))
}

/// `√(1 - z)` and `√(1 + z)`; a zero imaginary part keeps its sign.
fn roots(Complex(a, b): Complex) -> (Complex, Complex) {
    (principal_root(Complex(1.0 - a, -b)), principal_root(Complex(1.0 + a, b)))
}

/// Replaces an imaginary part of -0 by +0 on the branch cuts beyond ±1.
fn above_cut(Complex(a, b): Complex) -> Complex {
    if b == 0.0 && a.abs() > 1.0 { Complex(a, 0.0) } else { Complex(a, b) }
}

pub(crate) fn acos(z: Complex) -> Complex {
    let z = above_cut(z);
    if is_huge(z) {
        let Complex(re, im) = log_2z(z);
        return Complex(im.abs(), -re.copysign(z.1));
    }
    let (minus, plus) = roots(z);
    Complex(2.0 * libm::atan2(minus.0, plus.0), libm::asinh(multiply(conjugate(plus), minus).1))
}

pub(crate) fn asin(z: Complex) -> Complex {
    let z = above_cut(z);
    if is_huge(z) {
        return Complex(libm::atan2(z.0, z.1.abs()), log_2z(z).0.copysign(z.1));
    }
    let (minus, plus) = roots(z);
    Complex(libm::atan2(z.0, multiply(minus, plus).0), libm::asinh(multiply(conjugate(minus), plus).1))
}

pub(crate) fn acosh(Complex(a, b): Complex) -> Complex {
    let z = if b == 0.0 && a < 1.0 { Complex(a, 0.0) } else { Complex(a, b) };
    if is_huge(z) {
        return log_2z(z);
    }
    let (minus, plus) = (principal_root(Complex(z.0 - 1.0, z.1)), principal_root(Complex(z.0 + 1.0, z.1)));
    Complex(libm::asinh(multiply(conjugate(minus), plus).0), 2.0 * libm::atan2(minus.1, plus.0))
}

pub(crate) fn asinh(z: Complex) -> Complex {
    times_minus_i(asin(times_i(z)))
}

pub(crate) fn atanh(z: Complex) -> Complex {
    let Complex(a, b) = z;
    let quarter = if b >= 0.0 { FRAC_PI_2 } else { -FRAC_PI_2 };
    if is_huge(z) {
        return Complex(divide(ONE, z).0, quarter);
    }
    if a.is_nan() || b.is_nan() {
        return Complex(f64::NAN, quarter);
    }
    let below = 1.0 - a.abs();
    let re = libm::log1p(4.0 * a.abs() / (below * below + b * b)) / 4.0;
    let im = libm::atan2(2.0 * b, below * (1.0 + a.abs()) - b * b) / 2.0;
    Complex(re.copysign(a), im)
}

/// `r sin b`, and 0 for `b = 0` even if `r` is infinite or NaN.
fn scaled_sine(r: f64, b: f64) -> f64 {
    if b == 0.0 && !r.is_finite() { 0.0 } else { r * libm::sin(b) }
}

pub(crate) fn cosh(Complex(a, b): Complex) -> Complex {
    Complex(libm::cosh(a) * libm::cos(b), scaled_sine(libm::sinh(a), b))
}

pub(crate) fn sinh(Complex(a, b): Complex) -> Complex {
    Complex(libm::sinh(a) * libm::cos(b), scaled_sine(libm::cosh(a), b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::complex::arithmetic::{abs, cos, sin, subtract, tanh};

    fn is_close(a: Complex, b: Complex) -> bool {
        let d = subtract(a, b);
        abs(d) < 1e-12 * (1.0 + abs(b))
    }

    #[test]
    fn functions_are_inverses() {
        for z in [
            Complex(0.3, -0.7),
            Complex(-2.0, 1.5),
            Complex(3.0, 0.25),
            Complex(-0.1, -0.2),
            Complex(1.5, 0.0),
            Complex(0.0, 2.0),
        ] {
            assert!(is_close(cos(acos(z), f64::MAX), z) && is_close(sin(asin(z), f64::MAX), z), "{z:?}");
            assert!(
                is_close(cosh(acosh(z)), z) && is_close(sinh(asinh(z)), z) && is_close(tanh(atanh(z)), z),
                "{z:?}"
            );
        }
        // On the cut, both zeros give the values above it, also for huge numbers.
        for zero in [0.0, -0.0] {
            assert!(is_close(acos(Complex(2.0, zero)), Complex(0.0, -libm::acosh(2.0))));
        }
        assert!(is_close(asinh(Complex(1e200, 1.0)), Complex(libm::asinh(1e200), 1e-200)));
    }
}
