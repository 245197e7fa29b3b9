//! The Schur form of a matrix, `GEES`: `z·t·zᴴ` with a triangular `t`, or for real matrices a quasi-triangular one.

#![allow(clippy::many_single_char_names, reason = "the names of the formulas")]

use super::super::elementwise::complex::Complex;
use super::householder::{hessenberg, product};
use super::matrix::{Matrix, ZERO};
use super::meter::Meter;
use super::precision::Precision;
use super::schur_complex::complex_schur;
use super::schur_form::Schur;
use super::schur_real::real_schur;

/// How a matrix was balanced: `GEBAL`.
pub(super) struct Balance {
    /// The rows from `low` to `high` (inclusive) are not triangular yet.
    pub low: usize,
    pub high: usize,
    /// The exchanges of rows and columns, in order.
    swaps: Vec<(usize, usize)>,
    /// The factor of each column.
    factors: Vec<f64>,
}

impl Balance {
    /// Permutes a matrix so that eigenvalues that need no computation are first or last; with `scaled`, scales rows and columns
    /// to similar norms.
    pub fn of(a: &mut Matrix, scaled: bool, precision: Precision) -> Self {
        let n = a.rows;
        let mut balance =
            Self { low: 0, high: n.saturating_sub(1), swaps: Vec::new(), factors: vec![1.0; n] };
        if n == 0 {
            return balance;
        }
        let exchange = |a: &mut Matrix, balance: &mut Self, i: usize, j: usize| {
            if i != j {
                a.swap_rows(i, j);
                a.swap_columns(i, j);
            }
            balance.swaps.push((i, j));
        };
        let is_zero_row = |a: &Matrix, row: usize, high: usize| {
            (0..=high).all(|column| column == row || a[(row, column)] == ZERO)
        };
        while let Some(row) = (0..=balance.high).rev().find(|row| is_zero_row(a, *row, balance.high)) {
            let high = balance.high;
            exchange(a, &mut balance, row, high);
            if high == 0 {
                return balance;
            }
            balance.high -= 1;
        }
        let is_zero_column = |a: &Matrix, column: usize, low: usize, high: usize| {
            (low..=high).all(|row| column == row || a[(row, column)] == ZERO)
        };
        while let Some(column) =
            (balance.low..=balance.high).find(|column| is_zero_column(a, *column, balance.low, balance.high))
        {
            let low = balance.low;
            exchange(a, &mut balance, column, low);
            balance.low += 1;
        }
        if scaled {
            balance.scale(a, precision);
        }
        balance
    }

    fn scale(&mut self, a: &mut Matrix, precision: Precision) {
        let (low, high, n) = (self.low, self.high, a.rows);
        let smallest = precision.minimum / precision.ulp();
        let (tiny, huge) = (smallest * 2.0, 0.5 / smallest);
        let magnitude = |x: Complex| libm::hypot(x.0, x.1);
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for i in low..=high {
                let norm = |cells: &mut dyn Iterator<Item = Complex>| {
                    cells.fold(0.0, |norm, x| libm::hypot(norm, magnitude(x)))
                };
                let mut c = norm(&mut (low..=high).map(|row| a[(row, i)]));
                let mut r = norm(&mut (low..=high).map(|column| a[(i, column)]));
                let mut ca = (0..=high).map(|row| magnitude(a[(row, i)])).fold(0.0, f64::max);
                let mut ra = (low..n).map(|column| magnitude(a[(i, column)])).fold(0.0, f64::max);
                if c == 0.0 || r == 0.0 || (c + ca + r + ra).is_nan() {
                    continue;
                }
                let (mut g, mut f, sum) = (r / 2.0, 1.0_f64, c + r);
                while c < g && f.max(c).max(ca) < huge && r.min(g).min(ra) > tiny {
                    (f, c, ca, r, g, ra) = (f * 2.0, c * 2.0, ca * 2.0, r / 2.0, g / 2.0, ra / 2.0);
                }
                g = c / 2.0;
                while g >= r && r.max(ra) < huge && f.min(c).min(g).min(ca) > tiny {
                    (f, c, g, ca, r, ra) = (f / 2.0, c / 2.0, g / 2.0, ca / 2.0, r * 2.0, ra * 2.0);
                }
                let total = self.factors[i] * f;
                if c + r >= 0.95 * sum
                    || (f < 1.0 && self.factors[i] < 1.0 && total <= smallest)
                    || (f > 1.0 && self.factors[i] > 1.0 && self.factors[i] >= 1.0 / smallest / f)
                {
                    continue;
                }
                self.factors[i] = total;
                is_changed = true;
                for column in low..n {
                    a[(i, column)] = super::matrix::scale(a[(i, column)], 1.0 / f);
                }
                for row in 0..=high {
                    a[(row, i)] = super::matrix::scale(a[(row, i)], f);
                }
            }
        }
    }

    /// Makes eigenvectors of the balanced matrix those of the original one, or of its adjoint for left eigenvectors.
    pub fn undo(&self, vectors: &mut Matrix, is_left: bool) {
        for (row, factor) in self.factors.iter().enumerate() {
            let factor = if is_left { 1.0 / factor } else { *factor };
            for column in 0..vectors.columns {
                vectors[(row, column)] = super::matrix::scale(vectors[(row, column)], factor);
            }
        }
        for (i, j) in self.swaps.iter().rev() {
            vectors.swap_rows(*i, *j);
        }
    }
}

/// The Schur form of a balanced matrix, and the number of eigenvalues that did not converge.
pub(super) fn schur(
    mut a: Matrix,
    balance: &Balance,
    is_complex: bool,
    precision: Precision,
    meter: &mut Meter,
) -> (Schur, i64) {
    let n = a.rows;
    if n == 0 {
        return (Schur { z: a.clone(), t: a }, 0);
    }
    let reflectors = hessenberg(&mut a, balance.low, balance.high + 1, meter);
    let z = product(&reflectors, n, n, meter);
    for column in 0..n {
        for row in column + 2..n {
            a[(row, column)] = ZERO;
        }
    }
    let mut schur = Schur { t: a, z };
    let run = if is_complex { complex_schur } else { real_schur };
    let info = run(&mut schur, balance.low, balance.high, precision, meter);
    (schur, info)
}

/// The eigenvalues on the diagonal of a Schur form.
pub(super) fn eigenvalues(t: &Matrix) -> Vec<Complex> {
    let mut values: Vec<Complex> = (0..t.rows).map(|i| t[(i, i)]).collect();
    for i in 1..t.rows {
        let (below, above) = (t[(i, i - 1)].0, t[(i - 1, i)].0);
        if t[(i, i - 1)] != ZERO {
            let imaginary = libm::sqrt(below.abs()) * libm::sqrt(above.abs());
            values[i - 1].1 = imaginary;
            values[i].1 = -imaginary;
        }
    }
    values
}
