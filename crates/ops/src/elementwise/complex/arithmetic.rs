//! Arithmetic of complex numbers, in pairs of `f64`. What becomes of infinite parts and NaN is what XLA's CPU makes of
//! them. Read `inverse` next.

#![allow(clippy::many_single_char_names, reason = "the formulas are those of the textbooks")]

/// A complex number: real and imaginary part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct C(pub f64, pub f64);

const I: C = C(0.0, 1.0);

pub(crate) fn add(C(a, b): C, C(c, d): C) -> C {
    C(a + c, b + d)
}

pub(crate) fn subtract(C(a, b): C, C(c, d): C) -> C {
    C(a - c, b - d)
}

pub(crate) fn multiply(C(a, b): C, C(c, d): C) -> C {
    C(a * c - b * d, a * d + b * c)
}

/// NaN if a part is NaN, even if the other is infinite.
pub(crate) fn length(C(a, b): C) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { libm::hypot(a, b) }
}

/// Scaled by the larger part of the divisor, so that nothing overflows on the way. Where that gives no number:
/// anything by 0 and the infinite by the finite is infinite, the finite by the infinite is 0.
pub(crate) fn divide(C(a, b): C, C(c, d): C) -> C {
    let quotient = if c.abs() >= d.abs() {
        let r = d / c;
        let scale = c + d * r;
        C((a + b * r) / scale, (b - a * r) / scale)
    } else {
        let r = c / d;
        let scale = c * r + d;
        C((a * r + b) / scale, (b * r - a) / scale)
    };
    if !(quotient.0.is_nan() && quotient.1.is_nan()) {
        return quotient;
    }
    // 1 for the infinite and 0 for the rest, signed.
    let unit = |x: f64| f64::from(u8::from(x.is_infinite())).copysign(x);
    if c == 0.0 && d == 0.0 {
        let infinity = f64::INFINITY.copysign(c);
        return C(infinity * a, infinity * b);
    }
    if (a.is_infinite() || b.is_infinite()) && c.is_finite() && d.is_finite() {
        let (a, b) = (unit(a), unit(b));
        return C(f64::INFINITY * (a * c + b * d), f64::INFINITY * (b * c - a * d));
    }
    if (c.is_infinite() || d.is_infinite()) && a.is_finite() && b.is_finite() {
        let (c, d) = (unit(c), unit(d));
        return C(0.0 * (a * c + b * d), 0.0 * (b * c - a * d));
    }
    quotient
}

pub(crate) fn exp(C(a, b): C) -> C {
    let r = libm::exp(a);
    if b == 0.0 { C(r, b) } else { C(r * libm::cos(b), r * libm::sin(b)) }
}

/// Exact near 0: `e^a cos b - 1 = (e^a - 1) cos b - 2 sin²(b/2)`.
pub(crate) fn expm1(C(a, b): C) -> C {
    let r = libm::exp(a);
    if b == 0.0 && !r.is_finite() {
        return C(r, 0.0);
    }
    let half = libm::sin(b / 2.0);
    C(libm::expm1(a) * libm::cos(b) - 2.0 * half * half, r * libm::sin(b))
}

pub(crate) fn log(z: C) -> C {
    C(libm::log(length(z)), libm::atan2(z.1, z.0))
}

pub(crate) fn log1p(C(a, b): C) -> C {
    let re = if length(C(a, b)) < 0.5 {
        libm::log1p(2.0 * a + a * a + b * b) / 2.0
    } else {
        libm::log(length(C(1.0 + a, b)))
    };
    C(re, libm::atan2(b, 1.0 + a))
}

/// Below the cut it is as above it: the root of `-1 - 0i` is `i`.
pub(crate) fn sqrt(z: C) -> C {
    let C(re, im) = principal_root(z);
    if z.0 < 0.0 && z.1 == 0.0 { C(re, im.abs()) } else { C(re, im) }
}

/// The root with the sign of the imaginary part, even if that is 0.
pub(crate) fn principal_root(C(a, b): C) -> C {
    if a == 0.0 && b == 0.0 {
        return C(0.0, b);
    }
    if b.is_infinite() && !a.is_nan() {
        return C(f64::INFINITY, b);
    }
    let m = length(C(a, b));
    let large = libm::sqrt(f64::midpoint(m, a.abs()));
    let small = b.abs() / (2.0 * large);
    if a >= 0.0 { C(large, small.copysign(b)) } else { C(small, large.copysign(b)) }
}

/// 0 for infinite numbers, even if one part is NaN.
pub(crate) fn rsqrt(C(a, b): C) -> C {
    if b.is_infinite() || a.is_infinite() && b.is_nan() {
        let re = if a == f64::NEG_INFINITY { -0.0 } else { 0.0 };
        return C(re, if b == f64::NEG_INFINITY { 0.0 } else { -0.0 });
    }
    divide(C(1.0, 0.0), principal_root(C(a, b)))
}

/// In its type, whose greatest number is `top`: the hyperbolic cosine of what is far from the real line is infinite
/// there, and infinite times 0 is NaN.
pub(crate) fn sin(C(a, b): C, top: f64) -> C {
    let (cosh, sinh) = (overflow(libm::cosh(b), top), overflow(libm::sinh(b), top));
    C(libm::sin(a) * cosh, libm::cos(a) * sinh)
}

/// Like [`sin`].
pub(crate) fn cos(C(a, b): C, top: f64) -> C {
    let (cosh, sinh) = (overflow(libm::cosh(b), top), overflow(libm::sinh(b), top));
    C(libm::cos(a) * cosh, -(libm::sin(a) * sinh))
}

fn overflow(x: f64, top: f64) -> f64 {
    if x.abs() > top { f64::INFINITY.copysign(x) } else { x }
}

/// By `tanh(a + ib) = (sinh 2a + i sin 2b) / (cosh 2a + cos 2b)`, and its limit if that overflows.
pub(crate) fn tanh(C(a, b): C) -> C {
    if a.is_infinite() && !b.is_finite() {
        return C(1.0_f64.copysign(a), 0.0);
    }
    if a.is_nan() && b == 0.0 {
        return C(a, 0.0);
    }
    if a.abs() > 20.0 {
        let re = if b.is_finite() { 1.0_f64.copysign(a) } else { f64::NAN };
        return C(re, 4.0 * libm::sin(b) * libm::cos(b) * libm::exp(-2.0 * a.abs()));
    }
    let scale = libm::cosh(2.0 * a) + libm::cos(2.0 * b);
    C(libm::sinh(2.0 * a) / scale, libm::sin(2.0 * b) / scale)
}

pub(crate) fn tan(C(a, b): C) -> C {
    let C(re, im) = tanh(C(-b, a));
    C(im, -re)
}

pub(crate) fn logistic(C(a, b): C) -> C {
    divide(C(1.0, 0.0), add(C(1.0, 0.0), exp(C(-a, -b))))
}

pub(crate) fn sign(z: C) -> C {
    let m = libm::hypot(z.0, z.1);
    if m == 0.0 { z } else { C(z.0 / m, z.1 / m) }
}

/// `|z|^c e^(-d arg z) (cos q + i sin q)` where `w = c + id` and `q = c arg z + d ln |z|`.
pub(crate) fn power(z: C, w: C) -> C {
    let (C(a, b), C(c, d)) = (z, w);
    if w == C(0.0, 0.0) || z == C(1.0, 0.0) {
        return C(1.0, 0.0);
    }
    if z == C(0.0, 0.0) && c > 0.0 && d == 0.0 {
        return C(0.0, 0.0);
    }
    if z == C(f64::INFINITY, 0.0) && d == 0.0 && !c.is_nan() {
        return C(if c > 0.0 { f64::INFINITY } else { 0.0 }, 0.0);
    }
    let (square, argument) = (a * a + b * b, libm::atan2(b, a));
    let scale = libm::pow(square, c / 2.0) * libm::exp(-d * argument);
    let q = c * argument + d / 2.0 * libm::log(square);
    C(scale * libm::cos(q), scale * libm::sin(q))
}

/// `-i log((x + iy) / √(x² + y²))`.
pub(crate) fn atan2(y: C, x: C) -> C {
    let radius = principal_root(add(multiply(x, x), multiply(y, y)));
    let C(re, im) = log(divide(add(x, multiply(I, y)), radius));
    C(im, -re)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: C, b: C) -> bool {
        (a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12
    }

    #[test]
    fn functions_keep_their_identities() {
        for z in [C(0.3, -0.7), C(-2.0, 1.5), C(3.0, 0.25), C(-0.1, -0.2)] {
            assert!(near(exp(log(z)), z) && near(multiply(sqrt(z), sqrt(z)), z), "{z:?}");
            assert!(near(multiply(divide(z, C(2.0, -1.0)), C(2.0, -1.0)), z), "{z:?}");
            assert!(near(divide(sin(z, f64::MAX), cos(z, f64::MAX)), tan(z)), "{z:?}");
            assert!(
                near(expm1(z), subtract(exp(z), C(1.0, 0.0))) && near(exp(log1p(z)), add(z, C(1.0, 0.0)))
            );
            assert!(
                near(power(z, C(2.0, 0.0)), multiply(z, z)) && near(multiply(rsqrt(z), sqrt(z)), C(1.0, 0.0))
            );
        }
        assert!(near(atan2(C(1.0, 0.0), C(-1.0, 0.0)), C(libm::atan2(1.0, -1.0), 0.0)));
    }
}
