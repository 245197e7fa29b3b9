//! Eigenvalues and eigenvectors of Hermitian matrices: `SYEVD` and `HEEVD`, by implicit QL or QR iterations (`STEQR`), which
//! LAPACK runs up to 25 columns. Larger matrices have the same values, and vectors that may differ by a factor.

#![allow(clippy::many_single_char_names, reason = "the names of the formulas")]

use super::householder::tridiagonal;
use super::matrix::{Matrix, apply_product, rotation, sign};
use super::meter::Meter;
use super::precision::Precision;

/// Bound on the iterations per eigenvalue.
const MAX_ITERATIONS: usize = 30;

/// Replaces a matrix by its eigenvectors if they are wanted. Returns the eigenvalues in ascending order, and the number of
/// those that did not converge.
pub(super) fn eigen(
    a: &mut Matrix,
    lower: bool,
    vectors: bool,
    precision: Precision,
    meter: &mut Meter,
) -> (Vec<f64>, i64) {
    let reduced = tridiagonal(a, lower, meter);
    let mut z = Matrix::identity(a.rows, a.rows);
    let mut iteration = Iteration { d: reduced.diagonal, e: reduced.off_diagonal, z: &mut z, precision };
    let info = iteration.run(meter);
    let values = iteration.d;
    if vectors && meter.spend(a.rows * a.rows * a.rows) {
        apply_product(&reduced.reflectors, &mut z);
        *a = z;
    }
    (values, info)
}

/// A symmetric tridiagonal matrix during the iteration, and the product of the rotations.
struct Iteration<'a> {
    d: Vec<f64>,
    e: Vec<f64>,
    z: &'a mut Matrix,
    precision: Precision,
}

/// The eigenvalues of `[[a, b], [b, c]]`, that of the larger magnitude first, and its eigenvector: `LAEV2`.
fn two_by_two(a: f64, b: f64, c: f64) -> ([f64; 2], (f64, f64)) {
    let (sum, difference) = (a + c, a - c);
    let root = libm::hypot(difference, b + b);
    let (larger, smaller) = if a.abs() > c.abs() { (a, c) } else { (c, a) };
    let (first, second, is_negative) = if sum == 0.0 {
        (0.5 * root, -0.5 * root, false)
    } else {
        let first = 0.5 * (sum + if sum < 0.0 { -root } else { root });
        (first, (larger / first) * smaller - (b / first) * b, sum < 0.0)
    };
    let (cs, is_backward) =
        if difference >= 0.0 { (difference + root, false) } else { (difference - root, true) };
    let (c, s) = if cs.abs() > (b + b).abs() {
        let tangent = -(b + b) / cs;
        let s = 1.0 / libm::sqrt(1.0 + tangent * tangent);
        (tangent * s, s)
    } else if b == 0.0 {
        (1.0, 0.0)
    } else {
        let tangent = -cs / (b + b);
        let c = 1.0 / libm::sqrt(1.0 + tangent * tangent);
        (c, tangent * c)
    };
    let vector = if is_negative == is_backward { (-s, c) } else { (c, s) };
    ([first, second], vector)
}

impl Iteration<'_> {
    /// Whether an off-diagonal element is negligible within a block.
    fn is_negligible(&self, i: usize) -> bool {
        let eps = self.precision.epsilon;
        let size = self.e[i] * self.e[i];
        size <= (eps * eps * self.d[i].abs()) * self.d[i + 1].abs() + self.precision.minimum
    }

    /// Diagonalizes, and sorts. Returns the number of off-diagonal elements that remain.
    fn run(&mut self, meter: &mut Meter) -> i64 {
        let n = self.d.len();
        let mut budget = n * MAX_ITERATIONS;
        let mut start = 0;
        while start < n && budget > 0 {
            if start > 0 {
                self.e[start - 1] = 0.0;
            }
            let eps = self.precision.epsilon;
            let is_split = |m: &usize| {
                let limit = libm::sqrt(self.d[*m].abs()) * libm::sqrt(self.d[*m + 1].abs()) * eps;
                self.e[*m] == 0.0 || self.e[*m].abs() <= limit
            };
            let end = (start..n - 1).find(is_split).unwrap_or(n - 1);
            if end < n - 1 {
                self.e[end] = 0.0;
            }
            // The iteration runs towards the smaller end of the block.
            let is_ql = self.d[end].abs() >= self.d[start].abs() || self.d[start].is_nan();
            self.run_block(start, end, is_ql, &mut budget, meter);
            start = end + 1;
        }
        let remaining = self.e.iter().filter(|e| **e != 0.0).count();
        self.sort();
        i64::try_from(remaining).unwrap_or(i64::MAX)
    }

    /// Iterates on the block from `first` to `last`, by QL from its first row on, or else by QR from its last.
    fn run_block(&mut self, first: usize, last: usize, is_ql: bool, budget: &mut usize, meter: &mut Meter) {
        // The rows from `low` to `high` remain.
        let (mut low, mut high) = (first, last);
        loop {
            let split = if is_ql {
                (low..high).find(|m| self.is_negligible(*m)).unwrap_or(high)
            } else {
                (low..high).rev().find(|m| self.is_negligible(*m)).map_or(low, |m| m + 1)
            };
            let (at, size) = if is_ql {
                if split < high {
                    self.e[split] = 0.0;
                }
                (low, split - low)
            } else {
                if split > low {
                    self.e[split - 1] = 0.0;
                }
                (split, high - split)
            };
            let converged = match size {
                0 => 1,
                1 => {
                    let (values, vector) = two_by_two(self.d[at], self.e[at], self.d[at + 1]);
                    [self.d[at], self.d[at + 1]] = values;
                    self.e[at] = 0.0;
                    // The rotation of columns in LAPACK's order: `(c·x + s·y, c·y − s·x)`.
                    self.z.rotate_columns(at, at + 1, vector);
                    2
                }
                _ => {
                    if *budget == 0 || !meter.spend(3 * size * self.d.len()) {
                        *budget = 0;
                        return;
                    }
                    *budget -= 1;
                    if is_ql {
                        self.ql_sweep(low, split);
                    } else {
                        self.qr_sweep(split, high);
                    }
                    continue;
                }
            };
            if high - low < converged {
                return;
            }
            if is_ql {
                low += converged;
            } else {
                high -= converged;
            }
        }
    }

    fn shift(&self, from: usize, e: f64, next: usize, to: usize) -> f64 {
        let p = self.d[from];
        let g = (self.d[next] - p) / (2.0 * e);
        let r = libm::hypot(g, 1.0);
        self.d[to] - p + e / (g + sign(r, g))
    }

    /// One implicit QL sweep of the rows from `l` to `m`.
    fn ql_sweep(&mut self, l: usize, m: usize) {
        let mut g = self.shift(l, self.e[l], l + 1, m);
        let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
        for i in (l..m).rev() {
            let (f, b) = (s * self.e[i], c * self.e[i]);
            let ((next_c, next_s), r) = rotation(g, f);
            (c, s) = (next_c, next_s);
            if i + 1 != m {
                self.e[i + 1] = r;
            }
            g = self.d[i + 1] - p;
            let r = (self.d[i] - g) * s + 2.0 * c * b;
            p = s * r;
            self.d[i + 1] = g + p;
            g = c * r - b;
            self.z.rotate_columns(i, i + 1, (c, -s));
        }
        self.d[l] -= p;
        self.e[l] = g;
    }

    /// One implicit QR sweep of the rows from `m` to `l`.
    fn qr_sweep(&mut self, m: usize, l: usize) {
        let mut g = self.shift(l, self.e[l - 1], l - 1, m);
        let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
        for i in m..l {
            let (f, b) = (s * self.e[i], c * self.e[i]);
            let ((next_c, next_s), r) = rotation(g, f);
            (c, s) = (next_c, next_s);
            if i != m {
                self.e[i - 1] = r;
            }
            g = self.d[i] - p;
            let r = (self.d[i + 1] - g) * s + 2.0 * c * b;
            p = s * r;
            self.d[i] = g + p;
            g = c * r - b;
            self.z.rotate_columns(i, i + 1, (c, s));
        }
        self.d[l] -= p;
        self.e[l - 1] = g;
    }

    /// Sorts the eigenvalues in ascending order, by as few exchanges as possible.
    fn sort(&mut self) {
        let n = self.d.len();
        for i in 0..n {
            let mut smallest = i;
            for j in i + 1..n {
                if self.d[j] < self.d[smallest] {
                    smallest = j;
                }
            }
            if smallest != i {
                self.d.swap(i, smallest);
                self.z.swap_columns(i, smallest);
            }
        }
    }
}
