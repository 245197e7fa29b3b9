//! Triangular factors and systems: `POTRF`, `GETRF`, `TRSM`, `GTSV`.

#![allow(clippy::many_single_char_names, reason = "the names of the formulas")]

use super::super::elementwise::complex::{self, Complex};
use super::matrix::{Matrix, ZERO, conjugate, multiply_add, scale};
use super::meter::Meter;

fn one_based(i: usize) -> i64 {
    i64::try_from(i + 1).unwrap_or(i64::MAX)
}

/// The Cholesky factor in one triangle; the other one remains. Returns the first row (from 1) whose pivot is not positive, or 0.
pub(super) fn cholesky(a: &mut Matrix, lower: bool, meter: &mut Meter) -> i64 {
    let n = a.rows;
    let at = |row: usize, column: usize| if lower { (row, column) } else { (column, row) };
    for j in 0..n {
        if !meter.spend(n * (j + 1) / 2) {
            return 0;
        }
        let dot = |a: &Matrix, i: usize| {
            (0..j).fold(a[at(i, j)], |sum, k| {
                // In the upper triangle the factor is the adjoint.
                let (x, y) = (a[at(i, k)], a[at(j, k)]);
                let (x, y) = if lower { (x, conjugate(y)) } else { (y, x) };
                let product =
                    if lower { complex::multiply(x, y) } else { complex::multiply(conjugate(x), y) };
                complex::subtract(sum, product)
            })
        };
        let pivot = dot(a, j).0;
        if pivot.is_nan() || pivot <= 0.0 {
            a[(j, j)] = Complex(pivot, 0.0);
            return one_based(j);
        }
        let pivot = libm::sqrt(pivot);
        a[(j, j)] = Complex(pivot, 0.0);
        for i in j + 1..n {
            a[at(i, j)] = scale(dot(a, i), 1.0 / pivot);
        }
    }
    0
}

/// The LU decomposition with partial pivoting. Returns the row that each row was exchanged with (from 1), and the first column
/// (from 1) whose pivot is 0, or 0.
pub(super) fn lu(a: &mut Matrix, meter: &mut Meter) -> (Vec<i64>, i64) {
    let size = a.rows.min(a.columns);
    let (mut pivots, mut info) = (vec![0; size], 0);
    for j in 0..size {
        if !meter.spend((a.rows - j) * (a.columns - j)) {
            break;
        }
        let magnitude = |a: &Matrix, i: usize| a[(i, j)].0.abs() + a[(i, j)].1.abs();
        let mut pivot = j;
        for i in j + 1..a.rows {
            if magnitude(a, i) > magnitude(a, pivot) {
                pivot = i;
            }
        }
        pivots[j] = one_based(pivot);
        if a[(pivot, j)] == ZERO {
            info = if info == 0 { one_based(j) } else { info };
            continue;
        }
        a.swap_rows(j, pivot);
        let diagonal = a[(j, j)];
        for i in j + 1..a.rows {
            a[(i, j)] = complex::divide(a[(i, j)], diagonal);
        }
        for column in j + 1..a.columns {
            let factor = scale(a[(j, column)], -1.0);
            for i in j + 1..a.rows {
                a[(i, column)] = multiply_add(a[(i, column)], a[(i, j)], factor);
            }
        }
    }
    (pivots, info)
}

/// How a triangular matrix is read.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "the options of the routine")]
pub(super) struct Triangle {
    pub left: bool,
    pub lower: bool,
    pub transpose: bool,
    pub conjugate: bool,
    pub unit_diagonal: bool,
}

/// Solves `op(a)·x = b`, or `x·op(a) = b`, in place of `b`.
pub(super) fn triangular_solve(a: &Matrix, b: &mut Matrix, how: Triangle, meter: &mut Meter) {
    let n = a.rows;
    // `x·op(a) = b` is the transposed system.
    let is_transposed = how.transpose == how.left;
    let coefficient = |i: usize, k: usize| {
        let cell = if is_transposed { a[(k, i)] } else { a[(i, k)] };
        if how.conjugate { conjugate(cell) } else { cell }
    };
    let is_forward = how.lower != is_transposed;
    let others = if how.left { b.columns } else { b.rows };
    for other in 0..others {
        if !meter.spend(n * n / 2) {
            return;
        }
        let at = |i: usize| if how.left { (i, other) } else { (other, i) };
        for step in 0..n {
            let i = if is_forward { step } else { n - 1 - step };
            let mut sum = b[at(i)];
            let known = if is_forward { 0..i } else { i + 1..n };
            for k in known {
                sum = complex::subtract(sum, complex::multiply(coefficient(i, k), b[at(k)]));
            }
            b[at(i)] = if how.unit_diagonal { sum } else { complex::divide(sum, coefficient(i, i)) };
        }
    }
}

/// A tridiagonal system: the diagonals, and the right-hand sides, which the solution replaces.
pub(super) struct TridiagonalSystem {
    pub lower: Vec<Complex>,
    pub diagonal: Vec<Complex>,
    pub upper: Vec<Complex>,
    pub b: Matrix,
}

/// Solves a tridiagonal system by elimination with partial pivoting. The diagonals become those of the upper factor, the second
/// one above the main diagonal in place of the lower one. Returns the first row (from 1) whose pivot is 0, or 0.
pub(super) fn tridiagonal_solve(system: &mut TridiagonalSystem, meter: &mut Meter) -> i64 {
    let TridiagonalSystem { lower, diagonal, upper, b } = system;
    let n = diagonal.len();
    let magnitude = |x: Complex| x.0.abs() + x.1.abs();
    if !meter.spend(4 * n * (b.columns + 1)) {
        return 0;
    }
    for k in 0..n.saturating_sub(1) {
        if magnitude(diagonal[k]) >= magnitude(lower[k]) {
            if diagonal[k] == ZERO {
                return one_based(k);
            }
            let factor = scale(complex::divide(lower[k], diagonal[k]), -1.0);
            diagonal[k + 1] = multiply_add(diagonal[k + 1], factor, upper[k]);
            for column in 0..b.columns {
                b[(k + 1, column)] = multiply_add(b[(k + 1, column)], factor, b[(k, column)]);
            }
            lower[k] = ZERO;
        } else {
            let factor = scale(complex::divide(diagonal[k], lower[k]), -1.0);
            diagonal[k] = lower[k];
            let next = diagonal[k + 1];
            diagonal[k + 1] = multiply_add(upper[k], factor, next);
            if k + 2 < n {
                lower[k] = upper[k + 1];
                upper[k + 1] = complex::multiply(factor, upper[k + 1]);
            }
            upper[k] = next;
            for column in 0..b.columns {
                let (x, y) = (b[(k, column)], b[(k + 1, column)]);
                b[(k, column)] = y;
                b[(k + 1, column)] = multiply_add(x, factor, y);
            }
        }
    }
    if diagonal.last() == Some(&ZERO) {
        return one_based(n - 1);
    }
    for column in 0..b.columns {
        for k in (0..n).rev() {
            let mut sum = b[(k, column)];
            if k + 1 < n {
                sum = complex::subtract(sum, complex::multiply(upper[k], b[(k + 1, column)]));
            }
            if k + 2 < n {
                sum = complex::subtract(sum, complex::multiply(lower[k], b[(k + 2, column)]));
            }
            b[(k, column)] = complex::divide(sum, diagonal[k]);
        }
    }
    0
}
