//! The Schur form of a complex Hessenberg matrix, by single-shift QR iterations: `LAHQR`.

#![allow(clippy::many_single_char_names, reason = "the names of the formulas")]

use super::super::elementwise::complex::{self, Complex};
use super::matrix::{Matrix, ONE, Reflector, ZERO, conjugate, scale};
use super::meter::Meter;
use super::precision::Precision;
use super::schur_form::{EXCEPTIONAL_SHIFT_INTERVAL, MAX_ITERATIONS, Schur, size};

/// Multiplies row `i` from column `from` on.
fn scale_row(h: &mut Matrix, i: usize, from: usize, factor: Complex) {
    for column in from..h.columns {
        h[(i, column)] = complex::multiply(h[(i, column)], factor);
    }
}

/// Multiplies the first `end` rows of column `j`.
fn scale_column(h: &mut Matrix, j: usize, end: usize, factor: Complex) {
    for row in 0..end {
        h[(row, j)] = complex::multiply(h[(row, j)], factor);
    }
}

/// The rows from `low` to `high` (inclusive) become triangular; `z` is multiplied by the rotations.
pub(super) fn complex_schur(
    schur: &mut Schur,
    low: usize,
    high: usize,
    precision: Precision,
    meter: &mut Meter,
) -> i64 {
    let n = schur.t.rows;
    let small = precision.small(high + 1 - low);
    for i in low + 1..=high {
        let below = schur.t[(i, i - 1)];
        if below.1 != 0.0 {
            let phase = scale(conjugate(below), 1.0 / complex::abs(below));
            schur.t[(i, i - 1)] = Complex(complex::abs(below), 0.0);
            scale_row(&mut schur.t, i, i, phase);
            scale_column(&mut schur.t, i, n.min(i + 2), conjugate(phase));
            scale_column(&mut schur.z, i, n, conjugate(phase));
        }
    }
    let mut end = high;
    loop {
        let mut first = low;
        let mut since_deflation = 0_usize;
        let mut is_converged = false;
        for _ in 0..=MAX_ITERATIONS * (high + 1 - low).max(10) {
            first = split(&schur.t, first, end, [low, high], small, precision);
            if first > low {
                schur.t[(first, first - 1)] = ZERO;
            }
            if first >= end {
                is_converged = true;
                break;
            }
            since_deflation += 1;
            if !meter.spend(12 * n * (end - first + 1)) {
                return 0;
            }
            let shift = shift(&schur.t, first, end, since_deflation);
            sweep(schur, first, end, shift, precision);
        }
        if !is_converged {
            return i64::try_from(end + 1).unwrap_or(i64::MAX);
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
        let below = size(h[(k, k - 1)]);
        if below <= small {
            return k;
        }
        let mut norm = size(h[(k - 1, k - 1)]) + size(h[(k, k)]);
        if norm == 0.0 {
            if k >= low + 2 {
                norm += h[(k - 1, k - 2)].0.abs();
            }
            if k < high {
                norm += h[(k + 1, k)].0.abs();
            }
        }
        if h[(k, k - 1)].0.abs() <= ulp * norm {
            let above = size(h[(k - 1, k)]);
            let (ab, ba) = (below.max(above), below.min(above));
            let (x, y) = (size(h[(k, k)]), size(complex::subtract(h[(k - 1, k - 1)], h[(k, k)])));
            let (aa, bb) = (x.max(y), x.min(y));
            let s = aa + ab;
            if ba * (ab / s) <= small.max(ulp * (bb * (aa / s))) {
                return k;
            }
        }
    }
    first
}

/// Wilkinson's shift, or an exceptional one.
fn shift(h: &Matrix, first: usize, end: usize, since_deflation: usize) -> Complex {
    if since_deflation.is_multiple_of(2 * EXCEPTIONAL_SHIFT_INTERVAL) {
        return complex::add(Complex(0.75 * h[(end, end - 1)].0.abs(), 0.0), h[(end, end)]);
    }
    if since_deflation.is_multiple_of(EXCEPTIONAL_SHIFT_INTERVAL) {
        return complex::add(Complex(0.75 * h[(first + 1, first)].0.abs(), 0.0), h[(first, first)]);
    }
    let corner = h[(end, end)];
    let u = complex::multiply(complex::sqrt(h[(end - 1, end)]), complex::sqrt(h[(end, end - 1)]));
    let s = size(u);
    if s == 0.0 {
        return corner;
    }
    let x = scale(complex::subtract(h[(end - 1, end - 1)], corner), 0.5);
    let x_size = size(x);
    let s = s.max(x_size);
    let squared = |z: Complex| complex::multiply(scale(z, 1.0 / s), scale(z, 1.0 / s));
    let y = scale(complex::sqrt(complex::add(squared(x), squared(u))), s);
    let is_opposite = x_size > 0.0 && (x.0 / x_size) * y.0 + (x.1 / x_size) * y.1 < 0.0;
    let y = if is_opposite { scale(y, -1.0) } else { y };
    complex::subtract(corner, complex::multiply(u, complex::divide(u, complex::add(x, y))))
}

/// The row where a sweep may start, and the first column of the shifted matrix there.
fn start_vector(
    h: &Matrix,
    first: usize,
    end: usize,
    shift: Complex,
    precision: Precision,
) -> (usize, [Complex; 2]) {
    let mut m = end - 1;
    loop {
        let diagonal = h[(m, m)];
        let shifted = complex::subtract(diagonal, shift);
        let below = h[(m + 1, m)].0;
        let s = size(shifted) + below.abs();
        let (shifted, below) = (scale(shifted, 1.0 / s), below / s);
        let vector = [shifted, Complex(below, 0.0)];
        if m == first {
            return (m, vector);
        }
        let left = h[(m, m - 1)].0;
        let norm = size(shifted) * (size(diagonal) + size(h[(m + 1, m + 1)]));
        if left.abs() * below.abs() <= precision.ulp() * norm {
            return (m, vector);
        }
        m -= 1;
    }
}

/// One sweep of the block from `first` to `end`.
fn sweep(schur: &mut Schur, first: usize, end: usize, shift: Complex, precision: Precision) {
    let n = schur.t.rows;
    let (start, vector) = start_vector(&schur.t, first, end, shift, precision);
    let mut vector = vector.to_vec();
    for k in start..end {
        if k > start {
            vector = vec![schur.t[(k, k - 1)], schur.t[(k + 1, k - 1)]];
        }
        let (reflector, beta) = Reflector::of(k, vector.clone());
        if k > start {
            schur.t[(k, k - 1)] = Complex(beta, 0.0);
            schur.t[(k + 1, k - 1)] = ZERO;
        }
        reflector.adjoint().apply_left(&mut schur.t, k);
        reflector.apply_right(&mut schur.t, 0, (k + 3).min(end + 1));
        reflector.apply_right(&mut schur.z, 0, n);
        if k == start && start > first {
            // The first reflector makes the element left of it complex: its phase moves down the block.
            let phase = complex::subtract(ONE, reflector.tau);
            let phase = scale(phase, 1.0 / complex::abs(phase));
            let below = &mut schur.t[(start + 1, start)];
            *below = complex::multiply(*below, conjugate(phase));
            if start + 2 <= end {
                let below = &mut schur.t[(start + 2, start + 1)];
                *below = complex::multiply(*below, phase);
            }
            for j in (start..=end).filter(|j| *j != start + 1) {
                scale_row(&mut schur.t, j, j + 1, phase);
                scale_column(&mut schur.t, j, j, conjugate(phase));
                scale_column(&mut schur.z, j, n, conjugate(phase));
            }
        }
    }
    let below = schur.t[(end, end - 1)];
    if below.1 != 0.0 {
        let norm = complex::abs(below);
        let phase = scale(below, 1.0 / norm);
        schur.t[(end, end - 1)] = Complex(norm, 0.0);
        scale_row(&mut schur.t, end, end + 1, conjugate(phase));
        scale_column(&mut schur.t, end, end, phase);
        scale_column(&mut schur.z, end, n, phase);
    }
}
