//! The real Schur form of a real Hessenberg matrix, by double-shift QR iterations: `LAHQR`.

#![allow(clippy::many_single_char_names, reason = "the names of the formulas")]

use super::super::elementwise::complex::Complex;
use super::matrix::{Matrix, Reflector, sign};
use super::meter::Meter;
use super::precision::Precision;
use super::schur_form::{EXCEPTIONAL_SHIFT_INTERVAL, MAX_ITERATIONS, Schur};

fn get(h: &Matrix, i: usize, j: usize) -> f64 {
    h[(i, j)].0
}

fn set(h: &mut Matrix, i: usize, j: usize, x: f64) {
    h[(i, j)] = Complex(x, 0.0);
}

/// The rows from `low` to `high` (inclusive) become quasi-triangular; `z` is multiplied by the rotations.
pub(super) fn real_schur(
    schur: &mut Schur,
    low: usize,
    high: usize,
    precision: Precision,
    meter: &mut Meter,
) -> i64 {
    let n = schur.t.rows;
    let small = precision.small(high + 1 - low);
    let mut end = high;
    loop {
        let mut since_deflation = 0_usize;
        let mut first = low;
        let mut is_converged = false;
        for _ in 0..=MAX_ITERATIONS * (high + 1 - low).max(10) {
            first = split(&schur.t, first, end, [low, high], small, precision);
            if first > low {
                set(&mut schur.t, first, first - 1, 0.0);
            }
            if first + 1 >= end {
                is_converged = true;
                break;
            }
            since_deflation += 1;
            if !meter.spend(12 * n * (end - first + 1)) {
                return 0;
            }
            let shifts = shifts(&schur.t, first, end, since_deflation);
            sweep(schur, first, end, shifts, precision);
        }
        if !is_converged {
            return i64::try_from(end + 1).unwrap_or(i64::MAX);
        }
        if first + 1 == end {
            standardize(schur, first, precision);
        }
        if first <= low {
            return 0;
        }
        end = first - 1;
    }
}

/// The first row of the last unreduced block of the rows up to `end`.
fn split(
    h: &Matrix,
    first: usize,
    end: usize,
    [low, high]: [usize; 2],
    small: f64,
    precision: Precision,
) -> usize {
    let ulp = precision.ulp();
    for k in (first + 1..=end).rev() {
        let below = get(h, k, k - 1).abs();
        if below <= small {
            return k;
        }
        let mut scale = get(h, k - 1, k - 1).abs() + get(h, k, k).abs();
        if scale == 0.0 {
            if k >= low + 2 {
                scale += get(h, k - 1, k - 2).abs();
            }
            if k < high {
                scale += get(h, k + 1, k).abs();
            }
        }
        if below <= ulp * scale {
            let above = get(h, k - 1, k).abs();
            let (ab, ba) = (below.max(above), below.min(above));
            let (x, y) = (get(h, k, k).abs(), (get(h, k - 1, k - 1) - get(h, k, k)).abs());
            let (aa, bb) = (x.max(y), x.min(y));
            let s = aa + ab;
            if ba * (ab / s) <= small.max(ulp * (bb * (aa / s))) {
                return k;
            }
        }
    }
    first
}

/// Two shifts: real and imaginary parts.
fn shifts(h: &Matrix, first: usize, end: usize, since_deflation: usize) -> [(f64, f64); 2] {
    let exceptional = |s: f64, corner: f64| [0.75 * s + corner, -0.4375 * s, s, 0.75 * s + corner];
    let [h11, h12, h21, h22] = if since_deflation.is_multiple_of(2 * EXCEPTIONAL_SHIFT_INTERVAL) {
        let s = get(h, end, end - 1).abs() + get(h, end - 1, end - 2).abs();
        exceptional(s, get(h, end, end))
    } else if since_deflation.is_multiple_of(EXCEPTIONAL_SHIFT_INTERVAL) {
        let s = get(h, first + 1, first).abs() + get(h, first + 2, first + 1).abs();
        exceptional(s, get(h, first, first))
    } else {
        [get(h, end - 1, end - 1), get(h, end - 1, end), get(h, end, end - 1), get(h, end, end)]
    };
    let s = h11.abs() + h12.abs() + h21.abs() + h22.abs();
    if s == 0.0 {
        return [(0.0, 0.0); 2];
    }
    let [h11, h12, h21, h22] = [h11, h12, h21, h22].map(|x| x / s);
    let mean = 0.5 * (h11 + h22);
    let determinant = (h11 - mean) * (h22 - mean) - h12 * h21;
    let root = libm::sqrt(determinant.abs());
    if determinant >= 0.0 {
        return [(mean * s, root * s), (mean * s, -root * s)];
    }
    let (x, y) = (mean + root, mean - root);
    let nearest = if (x - h22).abs() <= (y - h22).abs() { x } else { y };
    [(nearest * s, 0.0); 2]
}

/// One double-shift sweep of the block from `first` to `end`.
fn sweep(schur: &mut Schur, first: usize, end: usize, shifts: [(f64, f64); 2], precision: Precision) {
    let n = schur.t.rows;
    let (start, vector) = start_vector(&schur.t, first, end, shifts, precision);
    let mut vector = vector.to_vec();
    for k in start..end {
        let size = 3.min(end + 1 - k);
        if k > start {
            vector = (k..k + size).map(|i| get(&schur.t, i, k - 1)).collect();
        }
        let cells = vector.iter().take(size).map(|x| Complex(*x, 0.0)).collect();
        let (reflector, beta) = Reflector::of(k, cells);
        if k > start {
            set(&mut schur.t, k, k - 1, beta);
            for i in k + 1..k + size {
                set(&mut schur.t, i, k - 1, 0.0);
            }
        } else if start > first {
            let reduced = get(&schur.t, k, k - 1) * (1.0 - reflector.tau.0);
            set(&mut schur.t, k, k - 1, reduced);
        }
        reflector.apply_left(&mut schur.t, k);
        reflector.apply_right(&mut schur.t, 0, (k + 4).min(end + 1));
        reflector.apply_right(&mut schur.z, 0, n);
    }
}

/// The row where a sweep may start, after two consecutive small subdiagonal elements, and the first column of the shifted square.
fn start_vector(
    h: &Matrix,
    first: usize,
    end: usize,
    [one, two]: [(f64, f64); 2],
    precision: Precision,
) -> (usize, [f64; 3]) {
    let mut m = end - 2;
    loop {
        let diagonal = get(h, m, m);
        let below = get(h, m + 1, m);
        let s = (diagonal - two.0).abs() + two.1.abs() + below.abs();
        let below = below / s;
        let v = [
            below * get(h, m, m + 1) + (diagonal - one.0) * ((diagonal - two.0) / s) - one.1 * (two.1 / s),
            below * (diagonal + get(h, m + 1, m + 1) - one.0 - two.0),
            below * get(h, m + 2, m + 1),
        ];
        let s = v.iter().map(|x| x.abs()).sum::<f64>();
        let v = v.map(|x| x / s);
        if m == first {
            return (m, v);
        }
        let scale = get(h, m - 1, m - 1).abs() + diagonal.abs() + get(h, m + 1, m + 1).abs();
        if get(h, m, m - 1).abs() * (v[1].abs() + v[2].abs()) <= precision.ulp() * v[0].abs() * scale {
            return (m, v);
        }
        m -= 1;
    }
}

/// Rotates a block of two rows so that it is triangular, or has equal diagonal elements and off-diagonal ones of opposite
/// signs: `LANV2`.
fn standardize(schur: &mut Schur, i: usize, precision: Precision) {
    let n = schur.t.rows;
    let block = [(i, i), (i, i + 1), (i + 1, i), (i + 1, i + 1)].map(|at| schur.t[at].0);
    let ([a, b, c, d], (cs, sn)) = standard_block(block, precision);
    for (at, x) in [(i, i), (i, i + 1), (i + 1, i), (i + 1, i + 1)].into_iter().zip([a, b, c, d]) {
        set(&mut schur.t, at.0, at.1, x);
    }
    for column in i + 2..n {
        let (x, y) = (get(&schur.t, i, column), get(&schur.t, i + 1, column));
        set(&mut schur.t, i, column, cs * x + sn * y);
        set(&mut schur.t, i + 1, column, cs * y - sn * x);
    }
    for row in 0..i {
        let (x, y) = (get(&schur.t, row, i), get(&schur.t, row, i + 1));
        set(&mut schur.t, row, i, cs * x + sn * y);
        set(&mut schur.t, row, i + 1, cs * y - sn * x);
    }
    schur.z.rotate_columns(i, i + 1, (cs, sn));
}

#[allow(clippy::float_cmp, reason = "signs are exact")]
fn standard_block([a, b, c, d]: [f64; 4], precision: Precision) -> ([f64; 4], (f64, f64)) {
    let one = |x: f64| sign(1.0, x);
    if c == 0.0 || (a - d == 0.0 && b != 0.0 && one(b) != one(c)) {
        return ([a, b, c, d], (1.0, 0.0));
    }
    if b == 0.0 {
        return ([d, -c, 0.0, a], (0.0, 1.0));
    }
    let difference = a - d;
    let p = 0.5 * difference;
    let larger = b.abs().max(c.abs());
    let smaller = b.abs().min(c.abs()) * one(b) * one(c);
    let scale = p.abs().max(larger);
    let z = (p / scale) * p + (larger / scale) * smaller;
    if z >= 4.0 * precision.ulp() {
        let z = p + sign(libm::sqrt(scale) * libm::sqrt(z), p);
        let tau = libm::hypot(c, z);
        return ([d + z, b - c, 0.0, d - (larger / z) * smaller], (z / tau, c / tau));
    }
    // Complex or almost equal eigenvalues: the diagonal elements are made equal.
    let sigma = b + c;
    let tau = libm::hypot(sigma, difference);
    let cs = libm::sqrt(0.5 * (1.0 + sigma.abs() / tau));
    let sn = -(p / (tau * cs)) * one(sigma);
    let (aa, bb, cc, dd) = (a * cs + b * sn, b * cs - a * sn, c * cs + d * sn, d * cs - c * sn);
    let (a, b, c, d) = (aa * cs + cc * sn, bb * cs + dd * sn, cc * cs - aa * sn, dd * cs - bb * sn);
    let mean = 0.5 * (a + d);
    if c == 0.0 {
        return ([mean, b, c, mean], (cs, sn));
    }
    if b == 0.0 {
        return ([mean, -c, 0.0, mean], (-sn, cs));
    }
    if one(b) != one(c) {
        return ([mean, b, c, mean], (cs, sn));
    }
    let (x, y) = (libm::sqrt(b.abs()), libm::sqrt(c.abs()));
    let p = sign(x * y, c);
    let tau = 1.0 / libm::sqrt((b + c).abs());
    let (cs1, sn1) = (x * tau, y * tau);
    ([mean + p, b - c, 0.0, mean - p], (cs * cs1 - sn * sn1, cs * sn1 + sn * cs1))
}
