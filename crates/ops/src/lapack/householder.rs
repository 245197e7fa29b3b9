//! Reductions of matrices by elementary reflectors: `GEQRF`, `GEQP3`, `ORGQR`, `GEHRD`, `SYTRD`, `GEBRD`.

#![allow(clippy::many_single_char_names, reason = "the names of the formulas")]

use super::super::elementwise::complex::{self, Complex};
use super::matrix::{Matrix, ONE, Reflector, ZERO, conjugate, multiply_add, scale};
use super::meter::Meter;

/// Column `column` of a matrix from `row` to `end`.
fn column_part(a: &Matrix, row: usize, end: usize, column: usize) -> Vec<Complex> {
    (row..end).map(|row| a[(row, column)]).collect()
}

/// Eliminates a column below `row`: the reflector, whose vector is stored in place of the zeros.
fn eliminate_column(a: &mut Matrix, row: usize, column: usize) -> Reflector {
    let (reflector, beta) = Reflector::of(row, column_part(a, row, a.rows, column));
    reflector.adjoint().apply_left(a, column + 1);
    store_column(a, &reflector, beta, column);
    reflector
}

fn store_column(a: &mut Matrix, reflector: &Reflector, beta: f64, column: usize) {
    for (row, v) in (reflector.start..).zip(&reflector.vector).skip(1) {
        a[(row, column)] = *v;
    }
    if !reflector.vector.is_empty() {
        a[(reflector.start, column)] = Complex(beta, 0.0);
    }
}

/// The QR decomposition: `r` above the vectors of the reflectors whose product is `q`.
pub(super) fn qr(a: &mut Matrix, meter: &mut Meter) -> Vec<Reflector> {
    let mut reflectors = Vec::new();
    for i in 0..a.rows.min(a.columns) {
        if !meter.spend(a.rows * (a.columns - i)) {
            break;
        }
        reflectors.push(eliminate_column(a, i, i));
    }
    reflectors
}

/// The QR decomposition with column pivoting; `pivots` are the original columns (from 1), and on entry not 0 for columns that
/// are moved to the front.
pub(super) fn pivoted_qr(a: &mut Matrix, pivots: &mut [i64], meter: &mut Meter) -> Vec<Reflector> {
    let mut fixed = 0;
    for column in 0..a.columns {
        if pivots[column] == 0 {
            pivots[column] = index(column) + 1;
        } else {
            a.swap_columns(column, fixed);
            pivots[column] = pivots[fixed];
            pivots[fixed] = index(column) + 1;
            fixed += 1;
        }
    }
    let norm = |a: &Matrix, row: usize, column: usize| {
        (row..a.rows).fold(0.0, |norm, row| libm::hypot(norm, complex::abs(a[(row, column)])))
    };
    let mut reflectors = Vec::new();
    for i in 0..a.rows.min(a.columns) {
        if !meter.spend(2 * a.rows * (a.columns - i)) {
            break;
        }
        if i >= fixed {
            let mut pivot = i;
            let mut largest = norm(a, i, i);
            for column in i + 1..a.columns {
                let size = norm(a, i, column);
                if size > largest {
                    (pivot, largest) = (column, size);
                }
            }
            a.swap_columns(pivot, i);
            pivots.swap(pivot, i);
        }
        reflectors.push(eliminate_column(a, i, i));
    }
    reflectors
}

fn index(i: usize) -> i64 {
    i64::try_from(i).unwrap_or(i64::MAX)
}

/// The reflectors whose vectors are stored below the diagonal of a matrix.
pub(super) fn stored(a: &Matrix, taus: &[Complex]) -> Vec<Reflector> {
    let reflector = |(i, tau): (usize, &Complex)| {
        let mut vector = column_part(a, i, a.rows, i);
        if let Some(first) = vector.first_mut() {
            *first = ONE;
        }
        Reflector { start: i, vector, tau: *tau }
    };
    taus.iter().enumerate().take(a.rows.min(a.columns)).map(reflector).collect()
}

/// The first columns of the product of reflectors.
pub(super) fn product(reflectors: &[Reflector], rows: usize, columns: usize, meter: &mut Meter) -> Matrix {
    let mut q = Matrix::identity(rows, columns);
    if meter.spend(reflectors.len() * rows * columns) {
        super::matrix::apply_product(reflectors, &mut q);
    }
    q
}

/// The reduction of the rows and columns from `low` to `high` (exclusive) to upper Hessenberg form.
pub(super) fn hessenberg(a: &mut Matrix, low: usize, high: usize, meter: &mut Meter) -> Vec<Reflector> {
    let mut reflectors = Vec::new();
    for i in low..high.saturating_sub(1) {
        if !meter.spend(2 * a.rows * a.rows) {
            break;
        }
        let (reflector, beta) = Reflector::of(i + 1, column_part(a, i + 1, high, i));
        reflector.apply_right(a, 0, high);
        reflector.adjoint().apply_left(a, i + 1);
        store_column(a, &reflector, beta, i);
        reflectors.push(reflector);
    }
    reflectors
}

/// A Hermitian matrix as `q·t·qᴴ` with a real tridiagonal `t`.
pub(super) struct Tridiagonal {
    pub diagonal: Vec<f64>,
    pub off_diagonal: Vec<f64>,
    /// The reflectors whose product is `q`. Those of the upper triangle are stored last to first.
    pub reflectors: Vec<Reflector>,
}

/// Reduces the triangle of a Hermitian matrix; the vectors of the reflectors replace the eliminated elements.
pub(super) fn tridiagonal(a: &mut Matrix, lower: bool, meter: &mut Meter) -> Tridiagonal {
    let n = a.rows;
    let mut result = Tridiagonal {
        diagonal: vec![0.0; n],
        off_diagonal: vec![0.0; n.saturating_sub(1)],
        reflectors: Vec::new(),
    };
    // A full Hermitian copy: the formulas read both triangles.
    let mut full = Matrix::of(n, n, |row, column| match (row == column, (row > column) == lower) {
        (true, _) => Complex(a[(row, row)].0, 0.0),
        (_, true) => a[(row, column)],
        _ => conjugate(a[(column, row)]),
    });
    let steps = n.saturating_sub(1);
    for step in 0..steps {
        if !meter.spend(2 * n * n) {
            break;
        }
        let (reflector, beta, at) = if lower {
            let (reflector, beta) = Reflector::of(step + 1, column_part(&full, step + 1, n, step));
            for (row, v) in (step + 1..).zip(&reflector.vector).skip(1) {
                a[(row, step)] = *v;
            }
            a[(step + 1, step)] = Complex(beta, 0.0);
            (reflector, beta, step)
        } else {
            // The vector ends with its 1: it is reduced from the last element to the first.
            let column = n - 1 - step;
            let mut vector = column_part(&full, 0, column, column);
            vector.rotate_right(1);
            let (mut reflector, beta) = Reflector::of(0, vector);
            reflector.vector.rotate_left(1);
            for (row, v) in reflector.vector.iter().enumerate().take(column - 1) {
                a[(row, column)] = *v;
            }
            a[(column - 1, column)] = Complex(beta, 0.0);
            (reflector, beta, column - 1)
        };
        result.off_diagonal[at] = beta;
        rank_two_update(&mut full, &reflector);
        result.reflectors.push(reflector);
    }
    for i in 0..n {
        result.diagonal[i] = full[(i, i)].0;
        a[(i, i)] = Complex(full[(i, i)].0, 0.0);
    }
    result
}

/// `hᴴ·a·h` for the block of a Hermitian matrix that a reflector `h` covers.
fn rank_two_update(a: &mut Matrix, reflector: &Reflector) {
    if reflector.tau == ZERO {
        return;
    }
    let (start, v, tau) = (reflector.start, &reflector.vector, reflector.tau);
    let product = |i: usize| {
        let cells = v.iter().enumerate();
        cells.fold(ZERO, |sum, (j, v)| multiply_add(sum, a[(start + i, start + j)], *v))
    };
    let mut w: Vec<Complex> = (0..v.len()).map(|i| complex::multiply(tau, product(i))).collect();
    let dot = w.iter().zip(v).fold(ZERO, |sum, (w, v)| multiply_add(sum, conjugate(*w), *v));
    let alpha = scale(complex::multiply(tau, dot), -0.5);
    for (w, v) in w.iter_mut().zip(v) {
        *w = multiply_add(*w, alpha, *v);
    }
    for (j, (vj, wj)) in v.iter().zip(&w).enumerate() {
        for (i, (vi, wi)) in v.iter().zip(&w).enumerate() {
            let update = multiply_add(complex::multiply(*vi, conjugate(*wj)), *wi, conjugate(*vj));
            let cell = &mut a[(start + i, start + j)];
            *cell = complex::subtract(*cell, update);
        }
    }
}

/// A matrix as `q·b·pᴴ` with a real bidiagonal `b`, which is upper if the matrix has at least as many rows as columns.
pub(super) struct Bidiagonal {
    pub diagonal: Vec<f64>,
    pub off_diagonal: Vec<f64>,
    pub q: Vec<Reflector>,
    pub p: Vec<Reflector>,
}

/// Row `row` of a matrix from `column` on, conjugated.
fn row_part(a: &Matrix, row: usize, column: usize) -> Vec<Complex> {
    (column..a.columns).map(|column| conjugate(a[(row, column)])).collect()
}

pub(super) fn bidiagonal(mut a: Matrix, meter: &mut Meter) -> Bidiagonal {
    let a = &mut a;
    let mut result =
        Bidiagonal { diagonal: Vec::new(), off_diagonal: Vec::new(), q: Vec::new(), p: Vec::new() };
    let is_upper = a.rows >= a.columns;
    let size = a.rows.min(a.columns);
    result.diagonal.resize(size, 0.0);
    result.off_diagonal.resize(size.saturating_sub(1), 0.0);
    for i in 0..size {
        if !meter.spend(2 * a.rows * a.columns) {
            break;
        }
        if is_upper {
            let (q, beta) = Reflector::of(i, column_part(a, i, a.rows, i));
            q.adjoint().apply_left(a, i + 1);
            result.diagonal[i] = beta;
            result.q.push(q);
            if i + 1 < size {
                let (p, beta) = Reflector::of(i + 1, row_part(a, i, i + 1));
                p.apply_right(a, i + 1, a.rows);
                result.off_diagonal[i] = beta;
                result.p.push(p);
            }
        } else {
            let (p, beta) = Reflector::of(i, row_part(a, i, i));
            p.apply_right(a, i + 1, a.rows);
            result.diagonal[i] = beta;
            result.p.push(p);
            if i + 1 < size {
                let (q, beta) = Reflector::of(i + 1, column_part(a, i + 1, a.rows, i));
                q.adjoint().apply_left(a, i + 1);
                result.off_diagonal[i] = beta;
                result.q.push(q);
            }
        }
    }
    result
}
