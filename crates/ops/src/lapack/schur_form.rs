//! A Schur form, and the bounds of the iterations that lead to it.

use super::super::elementwise::complex::Complex;
use super::matrix::Matrix;

/// Bound on the iterations per eigenvalue.
pub(super) const MAX_ITERATIONS: usize = 30;
/// The iterations without a converged eigenvalue after which the shift is changed.
pub(super) const EXCEPTIONAL_SHIFT_INTERVAL: usize = 10;

/// The sum of the magnitudes of the parts of a number.
pub(super) fn size(x: Complex) -> f64 {
    x.0.abs() + x.1.abs()
}

/// A Schur form.
pub(super) struct Schur {
    pub t: Matrix,
    pub z: Matrix,
}
