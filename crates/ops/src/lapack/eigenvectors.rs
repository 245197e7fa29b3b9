//! Eigenvalues and eigenvectors of general matrices: `GEEV`, by the Schur form (`TREVC`).

#![allow(clippy::many_single_char_names, reason = "the names of the formulas")]

use super::super::elementwise::complex::{self, Complex};
use super::matrix::{Matrix, ONE, ZERO, conjugate, multiply_add, scale};
use super::meter::Meter;
use super::precision::Precision;
use super::schur::{Balance, eigenvalues, schur};
use super::schur_form::size;

/// The eigenvalues of a matrix, with eigenvectors of norm 1 whose largest element is real.
pub(super) struct Eig {
    pub values: Vec<Complex>,
    pub left: Matrix,
    pub right: Matrix,
    pub info: i64,
}

pub(super) fn eig(
    mut a: Matrix,
    [left, right]: [bool; 2],
    is_complex: bool,
    precision: Precision,
    meter: &mut Meter,
) -> Eig {
    let n = a.rows;
    let balance = Balance::of(&mut a, true, precision);
    let (form, info) = schur(a, &balance, is_complex, precision, meter);
    let values = eigenvalues(&form.t);
    let mut result = Eig { values, left: Matrix::identity(n, n), right: Matrix::identity(n, n), info };
    if info != 0 {
        return result;
    }
    let vectors = Vectors { t: &form.t, values: &result.values, precision };
    for (is_left, is_wanted) in [(true, left), (false, right)] {
        if !is_wanted {
            continue;
        }
        let mut found = Matrix::of(n, n, |_, _| ZERO);
        let mut k = 0;
        while k < n {
            if !meter.spend(n * n) {
                return result;
            }
            let is_pair = k + 1 < n && form.t[(k + 1, k)] != ZERO;
            let vector = if is_left { vectors.left(k, is_pair) } else { vectors.right(k, is_pair) };
            for row in 0..n {
                let cells = vector.iter().enumerate();
                let sum = cells.fold(ZERO, |sum, (i, x)| multiply_add(sum, form.z[(row, i)], *x));
                found[(row, k)] = sum;
                if is_pair {
                    found[(row, k + 1)] = conjugate(sum);
                }
            }
            k += 1 + usize::from(is_pair);
        }
        balance.undo(&mut found, is_left);
        normalize(&mut found, &result.values, is_complex);
        if is_left {
            result.left = found;
        } else {
            result.right = found;
        }
    }
    result
}

/// Scales columns to norm 1, complex ones so that the largest element is real.
fn normalize(vectors: &mut Matrix, values: &[Complex], is_complex: bool) {
    for (column, value) in values.iter().enumerate() {
        let cells: Vec<Complex> = (0..vectors.rows).map(|row| vectors[(row, column)]).collect();
        let norm = cells.iter().fold(0.0, |norm, x| libm::hypot(norm, libm::hypot(x.0, x.1)));
        let mut factor = Complex(1.0 / norm, 0.0);
        let mut largest = 0;
        for row in 1..cells.len() {
            let square = |x: Complex| x.0 * x.0 + x.1 * x.1;
            if square(cells[row]) > square(cells[largest]) {
                largest = row;
            }
        }
        if is_complex || value.1 != 0.0 {
            let Complex(re, im) = cells[largest];
            // The real routine keeps the sign of the real part.
            let sign = if is_complex { 1.0 } else { 1.0_f64.copysign(re) };
            factor = scale(Complex(re, -im), sign / libm::hypot(re, im) / norm);
        }
        for row in 0..vectors.rows {
            vectors[(row, column)] = complex::multiply(vectors[(row, column)], factor);
        }
        if is_complex || value.1 != 0.0 {
            vectors[(largest, column)].1 = 0.0;
        }
    }
}

/// Eigenvectors of a quasi-triangular matrix.
struct Vectors<'a> {
    t: &'a Matrix,
    values: &'a [Complex],
    precision: Precision,
}

impl Vectors<'_> {
    /// The smallest pivot.
    fn smallest(&self, value: Complex) -> f64 {
        let small = self.precision.small(self.t.rows);
        (self.precision.ulp() * size(value)).max(small)
    }

    fn pivot(&self, x: Complex, value: Complex) -> Complex {
        let smallest = self.smallest(value);
        if size(x) < smallest { Complex(smallest, 0.0) } else { x }
    }

    /// Solves `[[a, b], [c, d]]·x = r`.
    fn pair(&self, [a, b, c, d]: [Complex; 4], [r, s]: [Complex; 2], value: Complex) -> [Complex; 2] {
        let product = complex::multiply;
        let determinant = complex::subtract(product(a, d), product(b, c));
        let limit = self.smallest(value) * size(a).max(size(b)).max(size(c)).max(size(d));
        let determinant = if size(determinant) < limit { Complex(limit, 0.0) } else { determinant };
        [
            complex::divide(complex::subtract(product(r, d), product(b, s)), determinant),
            complex::divide(complex::subtract(product(a, s), product(r, c)), determinant),
        ]
    }

    /// The right eigenvector of the value at row `k`, or of the pair from row `k` on.
    fn right(&self, k: usize, is_pair: bool) -> Vec<Complex> {
        let (t, n, value) = (self.t, self.t.rows, self.values[k]);
        let mut x = vec![ZERO; n];
        if is_pair {
            let (above, below) = (t[(k, k + 1)].0, t[(k + 1, k)].0);
            if above.abs() >= below.abs() {
                (x[k], x[k + 1]) = (ONE, Complex(0.0, value.1 / above));
            } else {
                (x[k], x[k + 1]) = (Complex(-value.1 / below, 0.0), Complex(0.0, 1.0));
            }
        } else {
            x[k] = ONE;
        }
        let known = k + 1 + usize::from(is_pair);
        let rest = |x: &[Complex], row: usize, from: usize| {
            (from..known).fold(ZERO, |sum, column| {
                complex::subtract(sum, complex::multiply(t[(row, column)], x[column]))
            })
        };
        let mut row = k;
        while row > 0 {
            row -= 1;
            let diagonal = complex::subtract(t[(row, row)], value);
            if row > 0 && t[(row, row - 1)] != ZERO {
                let first = row - 1;
                let block =
                    [complex::subtract(t[(first, first)], value), t[(first, row)], t[(row, first)], diagonal];
                let sides = [rest(&x, first, row + 1), rest(&x, row, row + 1)];
                [x[first], x[row]] = self.pair(block, sides, value);
                row = first;
            } else {
                x[row] = complex::divide(rest(&x, row, row + 1), self.pivot(diagonal, value));
            }
        }
        x
    }

    /// The left eigenvector `x`, with `xᴴ·t = value·xᴴ`.
    fn left(&self, k: usize, is_pair: bool) -> Vec<Complex> {
        let (t, n, value) = (self.t, self.t.rows, conjugate(self.values[k]));
        let mut x = vec![ZERO; n];
        if is_pair {
            let (above, below) = (t[(k, k + 1)].0, t[(k + 1, k)].0);
            let imaginary = self.values[k].1;
            if above.abs() >= below.abs() {
                (x[k], x[k + 1]) = (Complex(imaginary / above, 0.0), Complex(0.0, 1.0));
            } else {
                (x[k], x[k + 1]) = (ONE, Complex(0.0, -imaginary / below));
            }
        } else {
            x[k] = ONE;
        }
        let rest = |x: &[Complex], column: usize, end: usize| {
            (k..end).fold(ZERO, |sum, row| {
                complex::subtract(sum, complex::multiply(conjugate(t[(row, column)]), x[row]))
            })
        };
        let mut column = k + 1 + usize::from(is_pair);
        while column < n {
            let diagonal = complex::subtract(conjugate(t[(column, column)]), value);
            if column + 1 < n && t[(column + 1, column)] != ZERO {
                let next = column + 1;
                let block = [
                    diagonal,
                    conjugate(t[(next, column)]),
                    conjugate(t[(column, next)]),
                    complex::subtract(conjugate(t[(next, next)]), value),
                ];
                let sides = [rest(&x, column, column), rest(&x, next, column)];
                [x[column], x[next]] = self.pair(block, sides, value);
                column += 2;
            } else {
                x[column] = complex::divide(rest(&x, column, column), self.pivot(diagonal, value));
                column += 1;
            }
        }
        x
    }
}
