//! Singular values and vectors: `GESDD` and `GESVD`, by implicit QR iterations on a bidiagonal matrix (`BDSQR`), which `GESDD` runs
//! up to 25 columns. Larger matrices have the same values, and vectors that may differ by a factor.

#![allow(clippy::many_single_char_names, reason = "the names of the formulas")]

use super::super::elementwise::complex::Complex;
use super::householder::{bidiagonal, qr};
use super::matrix::{Matrix, apply_product, rotation, scale, sign};
use super::meter::Meter;
use super::precision::Precision;

/// Bound on the iterations, per square of the size.
const MAX_ITERATIONS: usize = 6;

/// A singular value decomposition `u·diag(values)·vt`.
pub(super) struct Svd {
    pub u: Matrix,
    pub values: Vec<f64>,
    pub vt: Matrix,
    /// The number of elements that did not converge.
    pub info: i64,
}

/// How the routines differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Method {
    /// A matrix with this many times as many rows as columns is first decomposed into `q·r`, and a wide one accordingly.
    pub tall: f64,
    /// Whether the only singular value of a row or a column takes its sign from `u`, and not from `vt`.
    pub signs_u: bool,
}

/// The decomposition of a matrix with `u` of `u_columns` columns and `vt` of `vt_rows` rows.
pub(super) fn svd(
    a: Matrix,
    [u_columns, vt_rows]: [usize; 2],
    method: Method,
    precision: Precision,
    meter: &mut Meter,
) -> Svd {
    if a.rows < a.columns {
        return wide(a, [u_columns, vt_rows], method, precision, meter);
    }
    let (rows, columns) = (a.rows, a.columns);
    if !is_long(rows, columns, method.tall) {
        return direct(a, [u_columns, vt_rows], method, precision, meter);
    }
    let mut factor = a;
    let reflectors = qr(&mut factor, meter);
    let r = Matrix::of(columns, columns, |i, j| if i <= j { factor[(i, j)] } else { Complex(0.0, 0.0) });
    let inner = direct(r, [columns, vt_rows], method, precision, meter);
    let mut u = inner.u.embedded(rows, u_columns);
    if meter.spend(rows * columns * u_columns) {
        apply_product(&reflectors, &mut u);
    }
    Svd { u, ..inner }
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes of arrays"
)]
fn is_long(long: usize, short: usize, factor: f64) -> bool {
    short > 0 && long >= (short as f64 * factor) as usize && long > short
}

fn wide(
    a: Matrix,
    [u_columns, vt_rows]: [usize; 2],
    method: Method,
    precision: Precision,
    meter: &mut Meter,
) -> Svd {
    let (rows, columns) = (a.rows, a.columns);
    if !is_long(columns, rows, method.tall) {
        return direct(a, [u_columns, vt_rows], method, precision, meter);
    }
    // The adjoint of `l·q` is `qᴴ·lᴴ`.
    let mut factor = a.adjoint();
    let reflectors = qr(&mut factor, meter);
    let l = Matrix::of(rows, rows, |i, j| if i <= j { factor[(i, j)] } else { Complex(0.0, 0.0) }).adjoint();
    let inner = direct(l, [u_columns, rows], method, precision, meter);
    let mut v = inner.vt.adjoint().embedded(columns, vt_rows);
    if meter.spend(rows * columns * vt_rows) {
        apply_product(&reflectors, &mut v);
    }
    Svd { vt: v.adjoint(), ..inner }
}

fn direct(
    a: Matrix,
    [u_columns, vt_rows]: [usize; 2],
    method: Method,
    precision: Precision,
    meter: &mut Meter,
) -> Svd {
    let (rows, columns) = (a.rows, a.columns);
    let size = rows.min(columns);
    let form = bidiagonal(a, meter);
    let mut iteration = Iteration {
        d: form.diagonal,
        e: form.off_diagonal,
        u: Matrix::identity(size, size),
        v: Matrix::identity(size, size),
        precision,
    };
    let lower = if rows < columns { iteration.make_upper() } else { Vec::new() };
    if let ([value], true) = (&mut iteration.d[..], method.signs_u) {
        iteration.u[(0, 0)] = Complex(sign(1.0, *value), 0.0);
        *value = value.abs();
    }
    let info = iteration.run(meter);
    // The rotations that made the matrix upper, from the left.
    for (i, (c, s)) in lower.into_iter().enumerate().rev() {
        iteration.rotate_rows_of_u(i, (c, -s));
    }
    let mut u = iteration.u.embedded(rows, u_columns.max(size));
    let mut v = iteration.v.embedded(columns, vt_rows.max(size));
    if meter.spend(size * (rows * u.columns + columns * v.columns)) {
        apply_product(&form.q, &mut u);
        apply_product(&form.p, &mut v);
    }
    Svd { u, values: iteration.d, vt: v.adjoint(), info }
}

/// An upper bidiagonal matrix during the iteration, and the products of the rotations.
struct Iteration {
    d: Vec<f64>,
    e: Vec<f64>,
    u: Matrix,
    /// The transpose of LAPACK's `vt`.
    v: Matrix,
    precision: Precision,
}

/// The smaller singular value of `[[f, g], [0, h]]`: `LAS2`.
fn smaller_value(f: f64, g: f64, h: f64) -> f64 {
    let (f, g, h) = (f.abs(), g.abs(), h.abs());
    let (low, high) = if f < h { (f, h) } else { (h, f) };
    if low == 0.0 {
        return 0.0;
    }
    let (sum, difference) = (1.0 + low / high, (high - low) / high);
    if g < high {
        let ratio = (g / high) * (g / high);
        let c = 2.0 / (libm::sqrt(sum * sum + ratio) + libm::sqrt(difference * difference + ratio));
        return low * c;
    }
    let ratio = high / g;
    if ratio == 0.0 {
        return (low * high) / g;
    }
    let [x, y] = [sum * ratio, difference * ratio];
    let c = 1.0 / (libm::sqrt(1.0 + x * x) + libm::sqrt(1.0 + y * y));
    (low * c) * ratio * 2.0
}

/// The decomposition of `[[f, g], [0, h]]`.
struct TwoByTwo {
    smaller: f64,
    larger: f64,
    right: (f64, f64),
    left: (f64, f64),
}

/// `LASV2`, with its signs.
fn two_by_two(f: f64, g: f64, h: f64, epsilon: f64) -> TwoByTwo {
    let is_swapped = h.abs() > f.abs();
    let (ft, ht) = if is_swapped { (h, f) } else { (f, h) };
    let (fa, ha, ga) = (ft.abs(), ht.abs(), g.abs());
    let (mut smaller, mut larger) = (ha, fa);
    let (mut cl, mut cr, mut sl, mut sr) = (1.0, 1.0, 0.0, 0.0);
    let is_large = ga > fa;
    if g != 0.0 && is_large && fa / ga < epsilon {
        larger = ga;
        smaller = if ha > 1.0 { fa / (ga / ha) } else { (fa / ga) * ha };
        (cl, sl, sr, cr) = (1.0, ht / g, 1.0, ft / g);
    } else if g != 0.0 {
        let difference = fa - ha;
        #[allow(clippy::float_cmp, reason = "an exact difference is a special case of the algorithm")]
        let l = if difference == fa { 1.0 } else { difference / fa };
        let m = g / ft;
        let t = 2.0 - l;
        let s = libm::sqrt(t * t + m * m);
        let r = if l == 0.0 { m.abs() } else { libm::sqrt(l * l + m * m) };
        let a = 0.5 * (s + r);
        (smaller, larger) = (ha / a, fa * a);
        let t = if m * m != 0.0 {
            (m / (s + t) + m / (r + l)) * (1.0 + a)
        } else if l == 0.0 {
            sign(2.0, ft) * sign(1.0, g)
        } else {
            g / sign(difference, ft) + m / t
        };
        let l = libm::sqrt(t * t + 4.0);
        (cr, sr) = (2.0 / l, t / l);
        cl = (cr + sr * m) / a;
        sl = (ht / ft) * sr / a;
    }
    let (left, right) = if is_swapped { ((sr, cr), (sl, cl)) } else { ((cl, sl), (cr, sr)) };
    let one = |x: f64| sign(1.0, x);
    // The largest of the three elements determines the signs.
    let total = if is_large {
        one(right.1) * one(left.0) * one(g)
    } else if is_swapped {
        one(right.1) * one(left.1) * one(h)
    } else {
        one(right.0) * one(left.0) * one(f)
    };
    TwoByTwo { smaller: sign(smaller, total * one(f) * one(h)), larger: sign(larger, total), right, left }
}

impl Iteration {
    /// Rotates rows `i` and `i + 1` of `u`: `(c·x + s·y, c·y − s·x)`.
    fn rotate_rows_of_u(&mut self, i: usize, (c, s): (f64, f64)) {
        for column in 0..self.u.columns {
            let (x, y) = (self.u[(i, column)].0, self.u[(i + 1, column)].0);
            self.u[(i, column)] = Complex(c * x + s * y, 0.0);
            self.u[(i + 1, column)] = Complex(c * y - s * x, 0.0);
        }
    }

    /// Makes a lower bidiagonal matrix upper. Returns the rotations.
    fn make_upper(&mut self) -> Vec<(f64, f64)> {
        let mut rotations = Vec::new();
        for i in 0..self.e.len() {
            let ((c, s), r) = rotation(self.d[i], self.e[i]);
            self.d[i] = r;
            self.e[i] = s * self.d[i + 1];
            self.d[i + 1] *= c;
            rotations.push((c, s));
        }
        rotations
    }

    /// The bound below which an off-diagonal element is 0.
    #[allow(clippy::cast_precision_loss, reason = "a size of an array")]
    fn threshold(&self, tolerance: f64) -> f64 {
        let n = self.d.len() as f64;
        let mut mu = self.d.first().map_or(0.0, |d| d.abs());
        let mut smallest = mu;
        for (d, e) in self.d.iter().skip(1).zip(&self.e) {
            if smallest == 0.0 {
                break;
            }
            mu = d.abs() * (mu / (mu + e.abs()));
            smallest = smallest.min(mu);
        }
        let smallest = smallest / libm::sqrt(n);
        (tolerance * smallest).max(MAX_ITERATIONS as f64 * (n * (n * self.precision.minimum)))
    }

    /// Diagonalizes, makes the values positive, and sorts. Returns the number of off-diagonal elements that remain.
    fn run(&mut self, meter: &mut Meter) -> i64 {
        let n = self.d.len();
        let epsilon = self.precision.epsilon;
        let tolerance = libm::pow(epsilon, -0.125).clamp(10.0, 100.0) * epsilon;
        let threshold = self.threshold(tolerance);
        let mut budget = MAX_ITERATIONS.saturating_mul(n * n);
        let mut block: Option<([usize; 2], bool)> = None;
        // The rows from `end` on have converged.
        let mut end = n;
        'values: while end > 1 {
            let last = end - 1;
            let mut first = 0;
            let mut largest = self.d[last].abs();
            for i in (0..last).rev() {
                let (d, e) = (self.d[i].abs(), self.e[i].abs());
                if e <= threshold {
                    self.e[i] = 0.0;
                    if i + 1 == last {
                        end -= 1;
                        continue 'values;
                    }
                    first = i + 1;
                    break;
                }
                largest = largest.max(d).max(e);
            }
            if first + 1 == last {
                self.finish_pair(first);
                end = end.saturating_sub(2);
                continue;
            }
            // A new block is chased from its larger end to its smaller.
            let is_down = match block {
                Some(([low, high], is_down)) if first <= high && last >= low => is_down,
                _ => self.d[first].abs() >= self.d[last].abs(),
            };
            let Some(smallest) = self.smallest(first, last, is_down, tolerance) else { continue };
            block = Some(([first, last], is_down));
            if budget == 0 || !meter.spend(12 * (last - first) * n) {
                break;
            }
            budget = budget.saturating_sub(last - first);
            let shift = self.shift(first, last, is_down, [smallest, largest, tolerance]);
            self.sweep(first, last, is_down, shift);
            let tested = if is_down { last - 1 } else { first };
            if self.e[tested].abs() <= threshold {
                self.e[tested] = 0.0;
            }
        }
        let remaining = self.e.iter().filter(|e| **e != 0.0).count();
        self.sort();
        i64::try_from(remaining).unwrap_or(i64::MAX)
    }

    fn finish_pair(&mut self, i: usize) {
        let pair = two_by_two(self.d[i], self.e[i], self.d[i + 1], self.precision.epsilon);
        (self.d[i], self.e[i], self.d[i + 1]) = (pair.larger, 0.0, pair.smaller);
        self.v.rotate_columns(i, i + 1, pair.right);
        self.u.rotate_columns(i, i + 1, pair.left);
    }

    /// A lower bound of the singular values of a block; `None` if an off-diagonal element was negligible, which is now 0.
    fn smallest(&mut self, first: usize, last: usize, is_down: bool, tolerance: f64) -> Option<f64> {
        let (from, near) = if is_down { (first, last - 1) } else { (last, first) };
        let end = if is_down { last } else { first };
        if self.e[near].abs() <= tolerance * self.d[end].abs() {
            self.e[near] = 0.0;
            return None;
        }
        let mut mu = self.d[from].abs();
        let mut smallest = mu;
        for step in 0..last - first {
            let (i, next) =
                if is_down { (first + step, first + step + 1) } else { (last - 1 - step, last - 1 - step) };
            let e = self.e[i].abs();
            if e <= tolerance * mu {
                self.e[i] = 0.0;
                return None;
            }
            mu = self.d[next].abs() * (mu / (mu + e));
            smallest = smallest.min(mu);
        }
        Some(smallest)
    }

    /// The shift of a sweep; 0 where a shift would cost accuracy.
    #[allow(clippy::cast_precision_loss, reason = "a size of an array")]
    fn shift(
        &self,
        first: usize,
        last: usize,
        is_down: bool,
        [smallest, largest, tolerance]: [f64; 3],
    ) -> f64 {
        let epsilon = self.precision.epsilon;
        if self.d.len() as f64 * tolerance * (smallest / largest) <= epsilon.max(0.01 * tolerance) {
            return 0.0;
        }
        let (start, at) = if is_down { (first, last - 1) } else { (last, first) };
        let start = self.d[start].abs();
        let shift = smaller_value(self.d[at], self.e[at], self.d[at + 1]);
        if start > 0.0 && (shift / start) * (shift / start) < epsilon { 0.0 } else { shift }
    }

    fn sweep(&mut self, first: usize, last: usize, is_down: bool, shift: f64) {
        match (shift == 0.0, is_down) {
            (true, true) => self.zero_shift_down(first, last),
            (true, false) => self.zero_shift_up(first, last),
            (false, true) => self.shifted_down(first, last, shift),
            (false, false) => self.shifted_up(first, last, shift),
        }
    }

    fn zero_shift_down(&mut self, first: usize, last: usize) {
        let (mut c, mut old) = (1.0, (1.0, 0.0));
        for i in first..last {
            let (right, r) = rotation(self.d[i] * c, self.e[i]);
            c = right.0;
            if i > first {
                self.e[i - 1] = old.1 * r;
            }
            (old, self.d[i]) = rotation(old.0 * r, self.d[i + 1] * right.1);
            self.v.rotate_columns(i, i + 1, right);
            self.u.rotate_columns(i, i + 1, old);
        }
        let h = self.d[last] * c;
        self.d[last] = h * old.0;
        self.e[last - 1] = h * old.1;
    }

    fn zero_shift_up(&mut self, first: usize, last: usize) {
        let (mut c, mut old) = (1.0, (1.0, 0.0));
        for i in (first + 1..=last).rev() {
            let (left, r) = rotation(self.d[i] * c, self.e[i - 1]);
            c = left.0;
            if i < last {
                self.e[i] = old.1 * r;
            }
            (old, self.d[i]) = rotation(old.0 * r, self.d[i - 1] * left.1);
            self.v.rotate_columns(i - 1, i, (old.0, -old.1));
            self.u.rotate_columns(i - 1, i, (left.0, -left.1));
        }
        let h = self.d[first] * c;
        self.d[first] = h * old.0;
        self.e[first] = h * old.1;
    }

    fn shifted_down(&mut self, first: usize, last: usize, shift: f64) {
        let d = self.d[first];
        let mut f = (d.abs() - shift) * (sign(1.0, d) + shift / d);
        let mut g = self.e[first];
        for i in first..last {
            let ((c, s), r) = rotation(f, g);
            if i > first {
                self.e[i - 1] = r;
            }
            f = c * self.d[i] + s * self.e[i];
            self.e[i] = c * self.e[i] - s * self.d[i];
            g = s * self.d[i + 1];
            self.d[i + 1] *= c;
            self.v.rotate_columns(i, i + 1, (c, s));
            let ((c, s), r) = rotation(f, g);
            self.d[i] = r;
            f = c * self.e[i] + s * self.d[i + 1];
            self.d[i + 1] = c * self.d[i + 1] - s * self.e[i];
            if i + 1 < last {
                g = s * self.e[i + 1];
                self.e[i + 1] *= c;
            }
            self.u.rotate_columns(i, i + 1, (c, s));
        }
        self.e[last - 1] = f;
    }

    fn shifted_up(&mut self, first: usize, last: usize, shift: f64) {
        let d = self.d[last];
        let mut f = (d.abs() - shift) * (sign(1.0, d) + shift / d);
        let mut g = self.e[last - 1];
        for i in (first + 1..=last).rev() {
            let ((c, s), r) = rotation(f, g);
            if i < last {
                self.e[i] = r;
            }
            f = c * self.d[i] + s * self.e[i - 1];
            self.e[i - 1] = c * self.e[i - 1] - s * self.d[i];
            g = s * self.d[i - 1];
            self.d[i - 1] *= c;
            self.u.rotate_columns(i - 1, i, (c, -s));
            let ((c, s), r) = rotation(f, g);
            self.d[i] = r;
            f = c * self.e[i - 1] + s * self.d[i - 1];
            self.d[i - 1] = c * self.d[i - 1] - s * self.e[i - 1];
            if i > first + 1 {
                g = s * self.e[i - 2];
                self.e[i - 2] *= c;
            }
            self.v.rotate_columns(i - 1, i, (c, -s));
        }
        self.e[first] = f;
    }

    /// Makes the values positive and sorts them in descending order.
    fn sort(&mut self) {
        let n = self.d.len();
        for i in 0..n {
            if self.d[i] < 0.0 {
                self.d[i] = -self.d[i];
                for row in 0..n {
                    self.v[(row, i)] = scale(self.v[(row, i)], -1.0);
                }
            }
        }
        for end in (1..n).rev() {
            let mut smallest = 0;
            for i in 1..=end {
                if self.d[i] <= self.d[smallest] {
                    smallest = i;
                }
            }
            if smallest != end {
                self.d.swap(smallest, end);
                self.u.swap_columns(smallest, end);
                self.v.swap_columns(smallest, end);
            }
        }
    }
}
