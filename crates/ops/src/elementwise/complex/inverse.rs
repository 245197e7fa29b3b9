//! The inverse and hyperbolic functions of complex numbers, by Kahan's formulas: exact near their cuts, too.

#![allow(clippy::many_single_char_names, reason = "the formulas are those of the textbooks")]

use std::f64::consts::{FRAC_PI_2, LN_2};

use super::arithmetic::{C, divide, multiply, principal_root};

const ONE: C = C(1.0, 0.0);

fn conjugate(C(a, b): C) -> C {
    C(a, -b)
}

/// `iz`.
fn turned(C(a, b): C) -> C {
    C(-b, a)
}

/// `-iz`.
fn turned_back(C(a, b): C) -> C {
    C(b, -a)
}

/// Beyond this the square of a number does not fit, and `1 + z` is `z`.
const MAX_SQUARED: f64 = 1e150;

/// Whether a number is far from 0; an infinite part is, also beside NaN.
fn is_far(C(a, b): C) -> bool {
    libm::hypot(a, b) > MAX_SQUARED
}

/// `ln 2z`, for `z` far from 0.
fn log_twice(C(a, b): C) -> C {
    C(libm::log(libm::hypot(a, b)) + LN_2, libm::atan2(b, a))
}

/// The roots of `1 - z` and of `1 + z`; a zero imaginary part keeps its sign.
fn roots(C(a, b): C) -> (C, C) {
    (principal_root(C(1.0 - a, -b)), principal_root(C(1.0 + a, b)))
}

/// On the cuts, beyond ±1, there is no -0: below is as above.
fn on_cut(C(a, b): C) -> C {
    if b == 0.0 && a.abs() > 1.0 { C(a, 0.0) } else { C(a, b) }
}

pub(crate) fn acos(z: C) -> C {
    let z = on_cut(z);
    if is_far(z) {
        let C(re, im) = log_twice(z);
        return C(im.abs(), -re.copysign(z.1));
    }
    let (minus, plus) = roots(z);
    C(2.0 * libm::atan2(minus.0, plus.0), libm::asinh(multiply(conjugate(plus), minus).1))
}

pub(crate) fn asin(z: C) -> C {
    let z = on_cut(z);
    if is_far(z) {
        return C(libm::atan2(z.0, z.1.abs()), log_twice(z).0.copysign(z.1));
    }
    let (minus, plus) = roots(z);
    C(libm::atan2(z.0, multiply(minus, plus).0), libm::asinh(multiply(conjugate(minus), plus).1))
}

pub(crate) fn acosh(C(a, b): C) -> C {
    let z = if b == 0.0 && a < 1.0 { C(a, 0.0) } else { C(a, b) };
    if is_far(z) {
        return log_twice(z);
    }
    let (minus, plus) = (principal_root(C(z.0 - 1.0, z.1)), principal_root(C(z.0 + 1.0, z.1)));
    C(libm::asinh(multiply(conjugate(minus), plus).0), 2.0 * libm::atan2(minus.1, plus.0))
}

pub(crate) fn asinh(z: C) -> C {
    turned_back(asin(turned(z)))
}

pub(crate) fn atanh(z: C) -> C {
    let C(a, b) = z;
    let quarter = if b >= 0.0 { FRAC_PI_2 } else { -FRAC_PI_2 };
    if is_far(z) {
        return C(divide(ONE, z).0, quarter);
    }
    if a.is_nan() || b.is_nan() {
        return C(f64::NAN, quarter);
    }
    let below = 1.0 - a.abs();
    let re = libm::log1p(4.0 * a.abs() / (below * below + b * b)) / 4.0;
    let im = libm::atan2(2.0 * b, below * (1.0 + a.abs()) - b * b) / 2.0;
    C(re.copysign(a), im)
}

/// `r sin b`, which stays 0 on the real line.
fn times_sine(r: f64, b: f64) -> f64 {
    if b == 0.0 && !r.is_finite() { 0.0 } else { r * libm::sin(b) }
}

pub(crate) fn cosh(C(a, b): C) -> C {
    C(libm::cosh(a) * libm::cos(b), times_sine(libm::sinh(a), b))
}

pub(crate) fn sinh(C(a, b): C) -> C {
    C(libm::sinh(a) * libm::cos(b), times_sine(libm::cosh(a), b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::complex::arithmetic::{cos, length, sin, subtract, tanh};

    fn near(a: C, b: C) -> bool {
        let d = subtract(a, b);
        length(d) < 1e-12 * (1.0 + length(b))
    }

    #[test]
    fn functions_undo_each_other() {
        for z in [C(0.3, -0.7), C(-2.0, 1.5), C(3.0, 0.25), C(-0.1, -0.2), C(1.5, 0.0), C(0.0, 2.0)] {
            assert!(near(cos(acos(z), f64::MAX), z) && near(sin(asin(z), f64::MAX), z), "{z:?}");
            assert!(near(cosh(acosh(z)), z) && near(sinh(asinh(z)), z) && near(tanh(atanh(z)), z), "{z:?}");
        }
        // On the cut both zeros are as above it; and far away.
        for zero in [0.0, -0.0] {
            assert!(near(acos(C(2.0, zero)), C(0.0, -libm::acosh(2.0))));
        }
        assert!(near(asinh(C(1e200, 1.0)), C(libm::asinh(1e200), 1e-200)));
    }
}
