//! Arithmetic of complex numbers, in pairs of `f64`.

#![allow(clippy::many_single_char_names, reason = "the formulas are those of the textbooks")]

/// A complex number: real and imaginary part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct C(pub f64, pub f64);

const I: C = C(0.0, 1.0);

pub(super) fn add(C(a, b): C, C(c, d): C) -> C {
    C(a + c, b + d)
}

pub(super) fn subtract(C(a, b): C, C(c, d): C) -> C {
    C(a - c, b - d)
}

pub(super) fn multiply(C(a, b): C, C(c, d): C) -> C {
    C(a * c - b * d, a * d + b * c)
}

/// Scaled by the larger part of the divisor, so that nothing overflows on the way.
pub(super) fn divide(C(a, b): C, C(c, d): C) -> C {
    if c == 0.0 && d == 0.0 {
        return C(a / c.abs(), b / c.abs());
    }
    if c.abs() >= d.abs() {
        let r = d / c;
        let scale = c + d * r;
        C((a + b * r) / scale, (b - a * r) / scale)
    } else {
        let r = c / d;
        let scale = c * r + d;
        C((a * r + b) / scale, (b * r - a) / scale)
    }
}

pub(super) fn exp(C(a, b): C) -> C {
    let r = libm::exp(a);
    if b == 0.0 { C(r, b) } else { C(r * libm::cos(b), r * libm::sin(b)) }
}

/// Exact near 0: `e^a cos b - 1 = (e^a - 1) cos b - 2 sin²(b/2)`.
pub(super) fn expm1(C(a, b): C) -> C {
    let half = libm::sin(b / 2.0);
    C(libm::expm1(a) * libm::cos(b) - 2.0 * half * half, libm::exp(a) * libm::sin(b))
}

pub(super) fn log(C(a, b): C) -> C {
    C(libm::log(libm::hypot(a, b)), libm::atan2(b, a))
}

pub(super) fn log1p(C(a, b): C) -> C {
    let re = if libm::hypot(a, b) < 0.5 {
        libm::log1p(2.0 * a + a * a + b * b) / 2.0
    } else {
        libm::log(libm::hypot(1.0 + a, b))
    };
    C(re, libm::atan2(b, 1.0 + a))
}

pub(super) fn sqrt(z: C) -> C {
    let C(a, b) = z;
    if a == 0.0 && b == 0.0 {
        return C(0.0, b);
    }
    let m = libm::hypot(a, b);
    let large = libm::sqrt(f64::midpoint(m, a.abs()));
    let small = b.abs() / (2.0 * large);
    if a >= 0.0 { C(large, small.copysign(b)) } else { C(small, large.copysign(b)) }
}

pub(super) fn rsqrt(z: C) -> C {
    divide(C(1.0, 0.0), sqrt(z))
}

pub(super) fn sin(C(a, b): C) -> C {
    C(libm::sin(a) * libm::cosh(b), libm::cos(a) * libm::sinh(b))
}

pub(super) fn cos(C(a, b): C) -> C {
    C(libm::cos(a) * libm::cosh(b), -(libm::sin(a) * libm::sinh(b)))
}

/// By `tanh(a + ib) = (sinh 2a + i sin 2b) / (cosh 2a + cos 2b)`, and its limit where that overflows.
pub(super) fn tanh(C(a, b): C) -> C {
    if a.abs() > 20.0 {
        return C(1.0_f64.copysign(a), 4.0 * libm::sin(b) * libm::cos(b) * libm::exp(-2.0 * a.abs()));
    }
    let scale = libm::cosh(2.0 * a) + libm::cos(2.0 * b);
    C(libm::sinh(2.0 * a) / scale, libm::sin(2.0 * b) / scale)
}

pub(super) fn tan(C(a, b): C) -> C {
    let C(re, im) = tanh(C(-b, a));
    C(im, -re)
}

pub(super) fn logistic(C(a, b): C) -> C {
    divide(C(1.0, 0.0), add(C(1.0, 0.0), exp(C(-a, -b))))
}

pub(super) fn sign(z: C) -> C {
    let m = libm::hypot(z.0, z.1);
    if m == 0.0 { z } else { C(z.0 / m, z.1 / m) }
}

pub(super) fn power(z: C, w: C) -> C {
    if w == C(0.0, 0.0) {
        return C(1.0, 0.0);
    }
    if z == C(0.0, 0.0) {
        return if w.0 > 0.0 { C(0.0, 0.0) } else { C(f64::NAN, f64::NAN) };
    }
    exp(multiply(w, log(z)))
}

/// `-i log((x + iy) / √(x² + y²))`.
pub(super) fn atan2(y: C, x: C) -> C {
    let length = sqrt(add(multiply(x, x), multiply(y, y)));
    let C(re, im) = log(divide(add(x, multiply(I, y)), length));
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
            assert!(near(divide(sin(z), cos(z)), tan(z)), "{z:?}");
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
