//! Dense matrices of complex numbers in column-major order, plane rotations, and elementary reflectors.

#![allow(clippy::many_single_char_names, reason = "the names of the formulas")]

use std::ops::{Index, IndexMut};

use super::super::elementwise::complex::{self, Complex};

pub(super) const ZERO: Complex = Complex(0.0, 0.0);
pub(super) const ONE: Complex = Complex(1.0, 0.0);

/// `x + y·z`
pub(super) fn multiply_add(x: Complex, y: Complex, z: Complex) -> Complex {
    complex::add(x, complex::multiply(y, z))
}

pub(super) fn conjugate(Complex(re, im): Complex) -> Complex {
    Complex(re, -im)
}

pub(super) fn scale(Complex(re, im): Complex, factor: f64) -> Complex {
    Complex(re * factor, im * factor)
}

/// A matrix. Real matrices have imaginary parts of 0 throughout.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Matrix {
    pub rows: usize,
    pub columns: usize,
    cells: Vec<Complex>,
}

impl Index<(usize, usize)> for Matrix {
    type Output = Complex;

    fn index(&self, (row, column): (usize, usize)) -> &Complex {
        &self.cells[column * self.rows + row]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut Complex {
        &mut self.cells[column * self.rows + row]
    }
}

impl Matrix {
    /// A matrix with these cells.
    pub fn of(rows: usize, columns: usize, mut cell: impl FnMut(usize, usize) -> Complex) -> Self {
        let mut cells = Vec::with_capacity(rows * columns);
        for column in 0..columns {
            cells.extend((0..rows).map(|row| cell(row, column)));
        }
        Self { rows, columns, cells }
    }

    /// Ones on the diagonal, zeros elsewhere.
    pub fn identity(rows: usize, columns: usize) -> Self {
        Self::of(rows, columns, |row, column| if row == column { ONE } else { ZERO })
    }

    /// The conjugate transpose.
    pub fn adjoint(&self) -> Self {
        Self::of(self.columns, self.rows, |row, column| conjugate(self[(column, row)]))
    }

    /// This matrix in the upper left corner of an identity.
    pub fn embedded(&self, rows: usize, columns: usize) -> Self {
        let mut result = Self::identity(rows, columns);
        for column in 0..self.columns.min(columns) {
            for row in 0..self.rows.min(rows) {
                result[(row, column)] = self[(row, column)];
            }
        }
        result
    }

    pub fn swap_rows(&mut self, a: usize, b: usize) {
        for column in self.cells.chunks_mut(self.rows.max(1)) {
            column.swap(a, b);
        }
    }

    pub fn swap_columns(&mut self, a: usize, b: usize) {
        for row in 0..self.rows {
            self.cells.swap(a * self.rows + row, b * self.rows + row);
        }
    }

    /// Multiplies columns `a` and `b` from the right by the rotation of `c` and `s`: `(c·a + s·b, c·b − s·a)`.
    pub fn rotate_columns(&mut self, a: usize, b: usize, (c, s): (f64, f64)) {
        for row in 0..self.rows {
            let (x, y) = (self[(row, a)], self[(row, b)]);
            self[(row, a)] = complex::add(scale(x, c), scale(y, s));
            self[(row, b)] = complex::subtract(scale(y, c), scale(x, s));
        }
    }
}

/// The magnitude of `x` with the sign of `y`, as Fortran's `SIGN`.
pub(super) fn sign(x: f64, y: f64) -> f64 {
    x.abs().copysign(y)
}

/// The rotation that takes `(f, g)` to `(r, 0)`, and `r`, with the signs of LAPACK 3.10's `LARTG`.
pub(super) fn rotation(f: f64, g: f64) -> ((f64, f64), f64) {
    if g == 0.0 {
        return ((1.0, 0.0), f);
    }
    if f == 0.0 {
        return ((0.0, 1.0_f64.copysign(g)), g.abs());
    }
    let norm = libm::hypot(f, g);
    let r = norm.copysign(f);
    ((f.abs() / norm, g / r), r)
}

/// An elementary reflector `I − tau·v·vᴴ`, whose vector starts at a row.
#[derive(Clone, Debug)]
pub(super) struct Reflector {
    pub start: usize,
    /// The first element is 1.
    pub vector: Vec<Complex>,
    pub tau: Complex,
}

impl Reflector {
    /// The reflector whose adjoint takes a vector to `(beta, 0, …)`, and `beta`, which is real: `LARFG`.
    pub fn of(start: usize, mut vector: Vec<Complex>) -> (Self, f64) {
        let Some((alpha, rest)) = vector.split_first_mut() else {
            return (Self { start, vector, tau: ZERO }, 0.0);
        };
        let norm = rest.iter().fold(0.0, |norm, x| libm::hypot(norm, libm::hypot(x.0, x.1)));
        let Complex(re, im) = *alpha;
        *alpha = ONE;
        if norm == 0.0 && im == 0.0 {
            return (Self { start, vector, tau: ZERO }, re);
        }
        let beta = -sign(libm::hypot(libm::hypot(re, im), norm), re);
        let tau = Complex((beta - re) / beta, -im / beta);
        let factor = complex::divide(ONE, Complex(re - beta, im));
        for x in rest {
            *x = complex::multiply(*x, factor);
        }
        (Self { start, vector, tau }, beta)
    }

    /// The reflector with a conjugated factor, which is its adjoint.
    pub fn adjoint(&self) -> Self {
        Self { tau: conjugate(self.tau), ..self.clone() }
    }

    /// Multiplies columns from `first` on by the reflector from the left.
    pub fn apply_left(&self, matrix: &mut Matrix, first: usize) {
        if self.tau == ZERO {
            return;
        }
        for column in first..matrix.columns {
            let mut sum = ZERO;
            for (row, v) in (self.start..).zip(&self.vector) {
                sum = multiply_add(sum, conjugate(*v), matrix[(row, column)]);
            }
            let sum = complex::multiply(self.tau, sum);
            for (row, v) in (self.start..).zip(&self.vector) {
                matrix[(row, column)] = complex::subtract(matrix[(row, column)], complex::multiply(*v, sum));
            }
        }
    }

    /// Multiplies rows from `first` to `end` by the reflector from the right.
    pub fn apply_right(&self, matrix: &mut Matrix, first: usize, end: usize) {
        if self.tau == ZERO {
            return;
        }
        for row in first..end {
            let mut sum = ZERO;
            for (column, v) in (self.start..).zip(&self.vector) {
                sum = multiply_add(sum, matrix[(row, column)], *v);
            }
            let sum = complex::multiply(self.tau, sum);
            for (column, v) in (self.start..).zip(&self.vector) {
                let product = complex::multiply(sum, conjugate(*v));
                matrix[(row, column)] = complex::subtract(matrix[(row, column)], product);
            }
        }
    }
}

/// Multiplies a matrix by the product of reflectors, first to last, from the left.
pub(super) fn apply_product(reflectors: &[Reflector], matrix: &mut Matrix) {
    for reflector in reflectors.iter().rev() {
        reflector.apply_left(matrix, 0);
    }
}
