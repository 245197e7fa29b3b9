//! The routines: their operands and results, and the algorithm of each.

use super::super::Read;
use super::super::elementwise::complex::Complex;
use super::call::{Call, Results, matrix_sizes};
use super::householder::{Tridiagonal, hessenberg, pivoted_qr, product, qr, stored, tridiagonal};
use super::matrix::{Reflector, apply_product};
use super::meter::Meter;
use super::schur::{Balance, eigenvalues, schur};
use super::solve::{Triangle, TridiagonalSystem, cholesky, lu, triangular_solve, tridiagonal_solve};
use super::{eigen, eigenvectors, svd};
use xla_array::Value;

/// A routine, without the letter of its element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Routine {
    /// `POTRF`
    Cholesky,
    /// `GETRF`
    Lu,
    /// `TRSM`
    TriangularSolve,
    /// `GTSV`
    TridiagonalSolve,
    /// `GEQRF`
    Qr,
    /// `GEQP3`
    PivotedQr,
    /// `ORGQR`, `UNGQR`
    Product,
    /// `ORMQR`, `UNMQR`
    MultiplyByProduct,
    /// `GEHRD`
    Hessenberg,
    /// `SYTRD`, `HETRD`
    Tridiagonal,
    /// `SYEVD`, `HEEVD`
    Eigen,
    /// `GESDD`
    SvdByDivision,
    /// `GESVD`
    SvdByQr,
    /// `GEEV`
    Eig,
    /// `GEES`
    Schur,
}

impl Routine {
    /// The routine that a target names: `lapack_sgeqrf_ffi`, or `lapack_sgeqrf` before the foreign function interface.
    pub fn of(target: &str) -> Option<Self> {
        let name = target.strip_prefix("lapack_").or_else(|| target.strip_prefix("blas_"))?;
        let name = name.strip_suffix("_ffi").unwrap_or(name);
        let name = name.strip_prefix(['s', 'd', 'c', 'z'])?;
        Some(match name {
            "potrf" => Self::Cholesky,
            "getrf" => Self::Lu,
            "trsm" => Self::TriangularSolve,
            "gtsv" => Self::TridiagonalSolve,
            "geqrf" => Self::Qr,
            "geqp3" => Self::PivotedQr,
            "orgqr" | "ungqr" => Self::Product,
            "ormqr" | "unmqr" => Self::MultiplyByProduct,
            "gehrd" => Self::Hessenberg,
            "sytrd" | "hetrd" => Self::Tridiagonal,
            "syevd" | "heevd" => Self::Eigen,
            "gesdd" => Self::SvdByDivision,
            "gesvd" => Self::SvdByQr,
            "geev" => Self::Eig,
            "gees" => Self::Schur,
            _ => return None,
        })
    }

    /// The operand whose last two sizes and type are those of the matrix, counted after the options.
    pub fn matrix_operand(self) -> usize {
        if self == Self::TridiagonalSolve { 3 } else { 0 }
    }

    /// The sizes of each operand after the options, without the batch. `None` if they do not fit.
    pub fn operand_sizes(self, call: &Call) -> Option<Vec<Vec<usize>>> {
        let [m, n] = call.sizes();
        let last = |operand: usize| {
            let size = *call.operand(operand)?.dimensions.last()?;
            usize::try_from(size).ok()
        };
        let is_square = m == n;
        Some(match self {
            Self::Cholesky | Self::Hessenberg | Self::Tridiagonal | Self::Eigen | Self::Eig | Self::Schur => {
                if !is_square {
                    return None;
                }
                vec![vec![m, n]]
            }
            Self::Lu | Self::Qr | Self::SvdByDivision | Self::SvdByQr => vec![vec![m, n]],
            Self::TriangularSolve => {
                let b = matrix_sizes(call.operand(1)?);
                if !is_square || !b.contains(&m) {
                    return None;
                }
                vec![vec![m, n], b.to_vec()]
            }
            Self::TridiagonalSolve => vec![vec![m], vec![m], vec![m], vec![m, n]],
            Self::PivotedQr => vec![vec![m, n], vec![n]],
            Self::Product => {
                let k = last(1)?;
                if k > n || n > m {
                    return None;
                }
                vec![vec![m, n], vec![k]]
            }
            Self::MultiplyByProduct => {
                let c = matrix_sizes(call.operand(2)?);
                let k = last(1)?;
                if k > n || k > m || !c.contains(&m) {
                    return None;
                }
                vec![vec![m, n], vec![k], c.to_vec()]
            }
        })
    }

    /// The sizes of each result, without the batch and without work arrays.
    pub fn result_sizes(self, call: &Call) -> Option<Vec<Vec<usize>>> {
        let [m, n] = call.sizes();
        let k = m.min(n);
        let less = n.saturating_sub(1);
        let none = Vec::new;
        Some(match self {
            Self::Cholesky => vec![vec![n, n], none()],
            Self::Lu => vec![vec![m, n], vec![k], none()],
            Self::TriangularSolve => vec![matrix_sizes(call.operand(1)?).to_vec()],
            Self::TridiagonalSolve => vec![vec![m], vec![m], vec![m], vec![m, n], none()],
            Self::Qr => vec![vec![m, n], vec![k]],
            Self::PivotedQr => vec![vec![m, n], vec![n], vec![k]],
            Self::Product => vec![vec![m, n]],
            Self::MultiplyByProduct => vec![matrix_sizes(call.operand(2)?).to_vec()],
            Self::Hessenberg => vec![vec![n, n], vec![less], none()],
            Self::Tridiagonal => vec![vec![n, n], vec![n], vec![less], vec![less], none()],
            Self::Eigen => vec![vec![n, n], vec![n], none()],
            Self::SvdByDivision | Self::SvdByQr => {
                let [u, vt] = [2, 3].map(|i| call.results.get(i).map_or([0, 0], matrix_sizes));
                if u[0] != m || u[1] > m || vt[1] != n || vt[0] > n {
                    return None;
                }
                vec![vec![m, n], vec![k], u.to_vec(), vt.to_vec(), none()]
            }
            Self::Eig if call.is_complex => vec![vec![n], vec![n, n], vec![n, n], none()],
            Self::Eig => vec![vec![n], vec![n], vec![n, n], vec![n, n], none()],
            Self::Schur if call.is_complex => vec![vec![n, n], vec![n, n], vec![n], none(), none()],
            Self::Schur => vec![vec![n, n], vec![n, n], vec![n], vec![n], none(), none()],
        })
    }

    /// Computes the results of one matrix.
    pub fn compute(self, call: &Call, block: &[i64], read: &mut dyn Read, out: &mut Results) {
        match self {
            Self::Cholesky | Self::Lu | Self::TriangularSolve | Self::TridiagonalSolve => {
                self.solve(call, block, read, out);
            }
            Self::Qr | Self::PivotedQr | Self::Product | Self::MultiplyByProduct => {
                self.orthogonal(call, block, read, out);
            }
            Self::Hessenberg | Self::Tridiagonal => self.reduction(call, block, read, out),
            Self::Eigen | Self::SvdByDivision | Self::SvdByQr => self.spectrum(call, block, read, out),
            Self::Eig | Self::Schur => self.schur_form(call, block, read, out),
        }
    }

    fn solve(self, call: &Call, block: &[i64], read: &mut dyn Read, out: &mut Results) {
        match self {
            Self::Cholesky => {
                let lower = call.is_letter("uplo", 'L', 0, read);
                let mut a = call.matrix(0, block, read);
                let info = cholesky(&mut a, lower, &mut Meter::new(read));
                out.matrix(0, &a);
                out.integer(1, info);
            }
            Self::Lu => {
                let mut a = call.matrix(0, block, read);
                let (pivots, info) = lu(&mut a, &mut Meter::new(read));
                out.matrix(0, &a);
                out.integers(1, &pivots);
                out.integer(2, info);
            }
            Self::TriangularSolve => {
                let transpose = call.option("trans_x", 2, read);
                let is_operand = call.first > 2;
                let letter = |letter: char, code: i64| {
                    transpose == Some(if is_operand { code } else { i64::from(u32::from(letter)) })
                };
                let how = Triangle {
                    left: call.is_letter("side", 'L', 0, read),
                    lower: call.is_letter("uplo", 'L', 1, read),
                    transpose: letter('T', 1) || letter('C', 2),
                    conjugate: letter('C', 2),
                    unit_diagonal: call.is_letter("diag", 'U', 3, read),
                };
                let a = call.matrix(0, block, read);
                let mut b = call.matrix(1, block, read);
                triangular_solve(&a, &mut b, how, &mut Meter::new(read));
                out.matrix(0, &b);
            }
            _ => {
                // The first element of the lower diagonal and the last of the upper one are padding.
                let [mut lower, diagonal, upper] = [0, 1, 2].map(|i| call.numbers(i, block, read));
                let padding = if lower.is_empty() { None } else { Some(lower.remove(0)) };
                let b = call.matrix(3, block, read);
                let mut system = TridiagonalSystem { lower, diagonal, upper, b };
                let info = tridiagonal_solve(&mut system, &mut Meter::new(read));
                system.lower.splice(0..0, padding);
                out.vector(0, &system.lower);
                out.vector(1, &system.diagonal);
                out.vector(2, &system.upper);
                out.matrix(3, &system.b);
                out.integer(4, info);
            }
        }
    }

    fn orthogonal(self, call: &Call, block: &[i64], read: &mut dyn Read, out: &mut Results) {
        let taus = |reflectors: &[Reflector]| reflectors.iter().map(|r| r.tau).collect::<Vec<Complex>>();
        let mut a = call.matrix(0, block, read);
        match self {
            Self::Qr => {
                let reflectors = qr(&mut a, &mut Meter::new(read));
                out.matrix(0, &a);
                out.vector(1, &taus(&reflectors));
                // The routine of LAPACK before the foreign function interface also has a status, which stays 0.
            }
            Self::PivotedQr => {
                let integer = |value: Value| if let Value::Int(x) = value { x } else { 0 };
                let mut pivots: Vec<i64> = call.vector(1, block, read).into_iter().map(integer).collect();
                let reflectors = pivoted_qr(&mut a, &mut pivots, &mut Meter::new(read));
                out.matrix(0, &a);
                out.integers(1, &pivots);
                out.vector(2, &taus(&reflectors));
            }
            Self::Product => {
                let reflectors = stored(&a, &call.numbers(1, block, read));
                out.matrix(0, &product(&reflectors, a.rows, a.columns, &mut Meter::new(read)));
            }
            _ => {
                let mut reflectors = stored(&a, &call.numbers(1, block, read));
                let left = call.option("left", usize::MAX, read) != Some(0);
                let transpose = call.option("transpose", usize::MAX, read) == Some(1);
                let c = call.matrix(2, block, read);
                let mut meter = Meter::new(read);
                if !meter.spend(2 * reflectors.len() * c.rows * c.columns) {
                    return;
                }
                // From the right it is the adjoint product from the left of the adjoint.
                let mut c = if left { c } else { c.adjoint() };
                if transpose == left {
                    reflectors.reverse();
                    for reflector in &mut reflectors {
                        *reflector = reflector.adjoint();
                    }
                }
                if reflectors.iter().all(|reflector| reflector.start + reflector.vector.len() <= c.rows) {
                    apply_product(&reflectors, &mut c);
                }
                out.matrix(0, &if left { c } else { c.adjoint() });
            }
        }
    }

    fn reduction(self, call: &Call, block: &[i64], read: &mut dyn Read, out: &mut Results) {
        let mut a = call.matrix(0, block, read);
        if self == Self::Hessenberg {
            let n = a.rows;
            let bound = |value: Option<i64>, or: usize| {
                value.and_then(|value| usize::try_from(value).ok()).unwrap_or(or).min(n)
            };
            // The operands are `(n, low, high, …)` before the foreign function interface.
            let low = bound(call.option("low", 1, read), 1).saturating_sub(1);
            let high = bound(call.option("high", 2, read), n);
            let reflectors = hessenberg(&mut a, low, high, &mut Meter::new(read));
            let mut taus = vec![Complex(0.0, 0.0); n.saturating_sub(1)];
            for (tau, reflector) in taus.iter_mut().skip(low).zip(&reflectors) {
                *tau = reflector.tau;
            }
            out.matrix(0, &a);
            out.vector(1, &taus);
            out.integer(2, 0);
        } else {
            let lower = call.is_letter("uplo", 'L', 1, read);
            let Tridiagonal { diagonal, off_diagonal, mut reflectors } =
                tridiagonal(&mut a, lower, &mut Meter::new(read));
            if !lower {
                reflectors.reverse();
            }
            out.matrix(0, &a);
            out.reals(1, &diagonal);
            out.reals(2, &off_diagonal);
            out.vector(3, &reflectors.iter().map(|r| r.tau).collect::<Vec<_>>());
            out.integer(4, 0);
        }
    }

    fn spectrum(self, call: &Call, block: &[i64], read: &mut dyn Read, out: &mut Results) {
        let precision = call.precision;
        let mut a = call.matrix(0, block, read);
        if self == Self::Eigen {
            let vectors = call.first > 0 || call.is_letter("mode", 'V', usize::MAX, read);
            let lower = call.is_letter("uplo", 'L', 0, read);
            let (values, info) = eigen::eigen(&mut a, lower, vectors, precision, &mut Meter::new(read));
            out.matrix(0, &a);
            out.reals(1, &values);
            out.integer(2, info);
        } else {
            let [u, vt] = [2, 3].map(|i| call.results.get(i).map_or([0, 0], matrix_sizes));
            let tall = match (self, call.is_complex) {
                (Self::SvdByQr, _) => 1.6,
                (_, false) => 11.0 / 6.0,
                (_, true) => 17.0 / 9.0,
            };
            let method = svd::Method { tall, signs_u: self == Self::SvdByDivision };
            let found = svd::svd(a, [u[1], vt[0]], method, precision, &mut Meter::new(read));
            out.reals(1, &found.values);
            out.matrix(2, &found.u);
            out.matrix(3, &found.vt);
            out.integer(4, found.info);
        }
    }

    fn schur_form(self, call: &Call, block: &[i64], read: &mut dyn Read, out: &mut Results) {
        let precision = call.precision;
        let mut a = call.matrix(0, block, read);
        if self == Self::Eig {
            let left = call.is_letter("compute_left", 'V', usize::MAX, read);
            let right = call.is_letter("compute_right", 'V', usize::MAX, read);
            let found =
                eigenvectors::eig(a, [left, right], call.is_complex, precision, &mut Meter::new(read));
            let next = if call.is_complex { 1 } else { 2 };
            out.vector(0, &found.values);
            if !call.is_complex {
                out.reals(1, &found.values.iter().map(|value| value.1).collect::<Vec<_>>());
            }
            if left {
                out.matrix(next, &found.left);
            }
            if right {
                out.matrix(next + 1, &found.right);
            }
            out.integer(next + 2, found.info);
        } else {
            let balance = Balance::of(&mut a, false, precision);
            let (mut form, info) = schur(a, &balance, call.is_complex, precision, &mut Meter::new(read));
            balance.undo(&mut form.z, false);
            let values = eigenvalues(&form.t);
            out.matrix(0, &form.t);
            out.matrix(1, &form.z);
            out.vector(2, &values);
            let next = if call.is_complex { 3 } else { 4 };
            if !call.is_complex {
                out.reals(3, &values.iter().map(|value| value.1).collect::<Vec<_>>());
            }
            out.integer(next, 0);
            out.integer(next + 1, info);
        }
    }
}
