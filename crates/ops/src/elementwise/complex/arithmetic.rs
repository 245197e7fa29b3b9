//! Arithmetic of complex numbers, in pairs of `f64`. Infinite and NaN parts give the results of XLA's CPU backend. Read
//! `inverse` next.

#![allow(clippy::many_single_char_names, reason = "the formulas are those of the textbooks")]

/// A complex number: real and imaginary part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Complex(pub f64, pub f64);

const I: Complex = Complex(0.0, 1.0);

pub(crate) fn add(Complex(a, b): Complex, Complex(c, d): Complex) -> Complex {
    Complex(a + c, b + d)
}

pub(crate) fn subtract(Complex(a, b): Complex, Complex(c, d): Complex) -> Complex {
    Complex(a - c, b - d)
}

pub(crate) fn multiply(Complex(a, b): Complex, Complex(c, d): Complex) -> Complex {
    Complex(a * c - b * d, a * d + b * c)
}

/// The absolute value. NaN if a part is NaN, even if the other is infinite.
pub(crate) fn abs(Complex(a, b): Complex) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { libm::hypot(a, b) }
}

/// Division by Smith's algorithm, which scales by the larger part of the divisor to avoid intermediate overflow. If
/// both parts are NaN, C99 Annex G applies: `z / 0` and infinite / finite are infinite, finite / infinite is 0.
pub(crate) fn divide(Complex(a, b): Complex, Complex(c, d): Complex) -> Complex {
    let quotient = if c.abs() >= d.abs() {
        let r = d / c;
        let scale = c + d * r;
        Complex((a + b * r) / scale, (b - a * r) / scale)
    } else {
        let r = c / d;
        let scale = c * r + d;
        Complex((a * r + b) / scale, (b * r - a) / scale)
    };
    if !(quotient.0.is_nan() && quotient.1.is_nan()) {
        return quotient;
    }
    // ±1 for infinite parts, ±0 for others.
    let unit = |x: f64| f64::from(u8::from(x.is_infinite())).copysign(x);
    if c == 0.0 && d == 0.0 {
        let infinity = f64::INFINITY.copysign(c);
        return Complex(infinity * a, infinity * b);
    }
    if (a.is_infinite() || b.is_infinite()) && c.is_finite() && d.is_finite() {
        let (a, b) = (unit(a), unit(b));
        return Complex(f64::INFINITY * (a * c + b * d), f64::INFINITY * (b * c - a * d));
    }
    if (c.is_infinite() || d.is_infinite()) && a.is_finite() && b.is_finite() {
        let (c, d) = (unit(c), unit(d));
        return Complex(0.0 * (a * c + b * d), 0.0 * (b * c - a * d));
    }
    quotient
}

pub(crate) fn exp(Complex(a, b): Complex) -> Complex {
    let r = libm::exp(a);
    if b == 0.0 { Complex(r, b) } else { Complex(r * libm::cos(b), r * libm::sin(b)) }
}

/// Accurate near 0: `e^a cos b - 1 = (e^a - 1) cos b - 2 sin²(b/2)`.
pub(crate) fn expm1(Complex(a, b): Complex) -> Complex {
    let r = libm::exp(a);
    if b == 0.0 && !r.is_finite() {
        return Complex(r, 0.0);
    }
    let half = libm::sin(b / 2.0);
    Complex(libm::expm1(a) * libm::cos(b) - 2.0 * half * half, r * libm::sin(b))
}

pub(crate) fn log(z: Complex) -> Complex {
    Complex(libm::log(abs(z)), libm::atan2(z.1, z.0))
}

pub(crate) fn log1p(Complex(a, b): Complex) -> Complex {
    let re = if abs(Complex(a, b)) < 0.5 {
        libm::log1p(2.0 * a + a * a + b * b) / 2.0
    } else {
        libm::log(abs(Complex(1.0 + a, b)))
    };
    Complex(re, libm::atan2(b, 1.0 + a))
}

/// The square root. On the branch cut, -0 is treated as +0: the root of `-1 - 0i` is `i`.
pub(crate) fn sqrt(z: Complex) -> Complex {
    let Complex(re, im) = principal_root(z);
    if z.0 < 0.0 && z.1 == 0.0 { Complex(re, im.abs()) } else { Complex(re, im) }
}

/// The square root whose imaginary part has the sign of `b`, also of -0.
pub(crate) fn principal_root(Complex(a, b): Complex) -> Complex {
    if a == 0.0 && b == 0.0 {
        return Complex(0.0, b);
    }
    if b.is_infinite() && !a.is_nan() {
        return Complex(f64::INFINITY, b);
    }
    let m = abs(Complex(a, b));
    let large = libm::sqrt(f64::midpoint(m, a.abs()));
    let small = b.abs() / (2.0 * large);
    if a >= 0.0 { Complex(large, small.copysign(b)) } else { Complex(small, large.copysign(b)) }
}

/// The reciprocal square root: 0 for infinite numbers, even if one part is NaN.
pub(crate) fn rsqrt(Complex(a, b): Complex) -> Complex {
    if b.is_infinite() || a.is_infinite() && b.is_nan() {
        let re = if a == f64::NEG_INFINITY { -0.0 } else { 0.0 };
        return Complex(re, if b == f64::NEG_INFINITY { 0.0 } else { -0.0 });
    }
    divide(Complex(1.0, 0.0), principal_root(Complex(a, b)))
}

/// The sine. `max_finite` is the maximum of the result's real type, beyond which the hyperbolic functions are infinite;
/// infinite times 0 is NaN, as in XLA.
pub(crate) fn sin(Complex(a, b): Complex, max_finite: f64) -> Complex {
    let (cosh, sinh) = (overflow(libm::cosh(b), max_finite), overflow(libm::sinh(b), max_finite));
    Complex(libm::sin(a) * cosh, libm::cos(a) * sinh)
}

/// Like [`sin`].
pub(crate) fn cos(Complex(a, b): Complex, max_finite: f64) -> Complex {
    let (cosh, sinh) = (overflow(libm::cosh(b), max_finite), overflow(libm::sinh(b), max_finite));
    Complex(libm::cos(a) * cosh, -(libm::sin(a) * sinh))
}

/// Infinite if `x` overflows a type with this maximum.
fn overflow(x: f64, max_finite: f64) -> f64 {
    if x.abs() > max_finite { f64::INFINITY.copysign(x) } else { x }
}

/// `tanh(a + ib) = (sinh 2a + i sin 2b) / (cosh 2a + cos 2b)`, or its limit for `|a| > 20`.
pub(crate) fn tanh(Complex(a, b): Complex) -> Complex {
    if a.is_infinite() && !b.is_finite() {
        return Complex(1.0_f64.copysign(a), 0.0);
    }
    if a.is_nan() && b == 0.0 {
        return Complex(a, 0.0);
    }
    if a.abs() > 20.0 {
        let re = if b.is_finite() { 1.0_f64.copysign(a) } else { f64::NAN };
        return Complex(re, 4.0 * libm::sin(b) * libm::cos(b) * libm::exp(-2.0 * a.abs()));
    }
    let scale = libm::cosh(2.0 * a) + libm::cos(2.0 * b);
    Complex(libm::sinh(2.0 * a) / scale, libm::sin(2.0 * b) / scale)
}

pub(crate) fn tan(Complex(a, b): Complex) -> Complex {
    let Complex(re, im) = tanh(Complex(-b, a));
    Complex(im, -re)
}

pub(crate) fn logistic(Complex(a, b): Complex) -> Complex {
    divide(Complex(1.0, 0.0), add(Complex(1.0, 0.0), exp(Complex(-a, -b))))
}

pub(crate) fn sign(z: Complex) -> Complex {
    let m = libm::hypot(z.0, z.1);
    if m == 0.0 { z } else { Complex(z.0 / m, z.1 / m) }
}

/// `|z|^c e^(-d arg z) (cos q + i sin q)` where `w = c + id` and `q = c arg z + d ln |z|`.
pub(crate) fn power(z: Complex, w: Complex) -> Complex {
    let (Complex(a, b), Complex(c, d)) = (z, w);
    if w == Complex(0.0, 0.0) || z == Complex(1.0, 0.0) {
        return Complex(1.0, 0.0);
    }
    if z == Complex(0.0, 0.0) && c > 0.0 && d == 0.0 {
        return Complex(0.0, 0.0);
    }
    if z == Complex(f64::INFINITY, 0.0) && d == 0.0 && !c.is_nan() {
        return Complex(if c > 0.0 { f64::INFINITY } else { 0.0 }, 0.0);
    }
    let (square, argument) = (a * a + b * b, libm::atan2(b, a));
    let scale = libm::pow(square, c / 2.0) * libm::exp(-d * argument);
    let q = c * argument + d / 2.0 * libm::log(square);
    Complex(scale * libm::cos(q), scale * libm::sin(q))
}

/// `-i log((x + iy) / √(x² + y²))`.
pub(crate) fn atan2(y: Complex, x: Complex) -> Complex {
    let radius = principal_root(add(multiply(x, x), multiply(y, y)));
    let Complex(re, im) = log(divide(add(x, multiply(I, y)), radius));
    Complex(im, -re)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_close(a: Complex, b: Complex) -> bool {
        (a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12
    }

    #[test]
    fn functions_satisfy_their_identities() {
        for z in [Complex(0.3, -0.7), Complex(-2.0, 1.5), Complex(3.0, 0.25), Complex(-0.1, -0.2)] {
            assert!(is_close(exp(log(z)), z) && is_close(multiply(sqrt(z), sqrt(z)), z), "{z:?}");
            assert!(is_close(multiply(divide(z, Complex(2.0, -1.0)), Complex(2.0, -1.0)), z), "{z:?}");
            assert!(is_close(divide(sin(z, f64::MAX), cos(z, f64::MAX)), tan(z)), "{z:?}");
            assert!(
                is_close(expm1(z), subtract(exp(z), Complex(1.0, 0.0)))
                    && is_close(exp(log1p(z)), add(z, Complex(1.0, 0.0)))
            );
            assert!(
                is_close(power(z, Complex(2.0, 0.0)), multiply(z, z))
                    && is_close(multiply(rsqrt(z), sqrt(z)), Complex(1.0, 0.0))
            );
        }
        assert!(is_close(atan2(Complex(1.0, 0.0), Complex(-1.0, 0.0)), Complex(libm::atan2(1.0, -1.0), 0.0)));
    }
}
