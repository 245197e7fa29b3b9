//! `exp(x - max) / sum(exp(x - max))` along a dimension, in one pass: each row is read from memory once.
//!
//! `f32`, `f16` and `bf16`, computed in `f32`. The exponential is that of `simd::math` or, if all differences are in its range,
//! one with fewer operations; the sum has partial results in 8 lanes, and terms are multiplied by its reciprocal, which adds 4
//! ulp to the error of the terms. If a row has a NaN, or an infinite maximum, all its results are NaN.

use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelEntry, only_in_kernel_builds};
use crate::simd::half_rows as half;
use crate::simd::lanes::Lanes;
use crate::simd::math::{Exp, FastPath as _};
use crate::simd::native::F32x4;
use crate::simd::rows::map_with_fast_path;
use crate::softmax::task::Softmax;
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::{Slice, SliceMut};
use crate::support::view::View;

/// Columns that are processed together if the softmax dimension is not the innermost.
const PANEL_COLUMNS: usize = 64;
/// Elements between cancellation checks.
const CANCEL_CHECK_INTERVAL_ELEMENTS: u64 = 1 << 18;

/// The kernels of [`Softmax`].
pub static KERNELS: &[KernelEntry<Softmax>] = &[KernelEntry {
    kernel: Kernel { name: "softmax f32", is_vector: true, error_bound_ulp: 8.0 },
    supports: |task| matches!(task.operand.ty, Type::F32 | Type::F16 | Type::BF16),
    run: only_in_kernel_builds(run),
}];

/// The exponential of numbers from -87 to 0, in fewer operations than [`Exp`]: 2.5 ulp.
struct FastExp {
    log2_e: F32x4,
    rounding: F32x4,
    ln2: [F32x4; 2],
    tail: [F32x4; 5],
}

impl FastExp {
    #[inline(always)]
    fn new() -> Self {
        // Adding `rounding` leaves the exponent of a power of two in the lowest bits.
        let [log2_e, rounding, high, low] =
            std::hint::black_box([std::f32::consts::LOG2_E, 12_583_039.0, -0.693_359_4, 2.121_944_4e-4])
                .map(F32x4::splat);
        // (e^r - 1) / r within ±0.347, to 1.6 · 2^-24 of e^r.
        let tail = [0.999_999_7, 0.499_991_45, 0.166_676_4, 0.041_898_39, 0.008_290_235];
        Self { log2_e, rounding, ln2: [high, low], tail: std::hint::black_box(tail).map(F32x4::splat) }
    }

    #[inline(always)]
    fn apply(&self, x: F32x4) -> F32x4 {
        let shifted = x.madd(self.log2_e, self.rounding);
        let n = shifted.sub(self.rounding);
        let scale = shifted.shl(23);
        let r = n.madd(self.ln2[1], n.madd(self.ln2[0], x));
        let [a, b, c, d, e] = self.tail;
        let rest = e.madd(r, d).madd(r, c).madd(r, b).madd(r, a);
        rest.madd(r.mul(scale), scale)
    }
}

/// The last four elements of a row whose length is not a multiple of four; they overlap the last whole vector. `None` if the
/// row is shorter.
#[inline(always)]
fn last_vector(x: &[f32]) -> Option<&[f32; 4]> {
    x.last_chunk::<4>().filter(|_| !x.len().is_multiple_of(4))
}

/// Writes `exp(x - max)` for a row; returns partial sums.
#[inline(always)]
fn exp_and_sum(x: &[f32], to: &mut [f32], max: F32x4, exp: impl Fn(F32x4) -> F32x4) -> F32x4 {
    let mut sums = [F32x4::zero(); 2];
    let (blocks, rest) = x.as_chunks::<8>();
    let (to_blocks, to_rest) = to.as_chunks_mut::<8>();
    for (block, to) in blocks.iter().zip(to_blocks) {
        let vectors = block.as_chunks::<4>().0.iter().zip(to.as_chunks_mut::<4>().0);
        for (sum, (x, to)) in sums.iter_mut().zip(vectors) {
            let e = exp(F32x4::load(x).sub(max));
            e.store(to);
            *sum = sum.add(e);
        }
    }
    if let (Some(x), Some(to)) = (rest.first_chunk::<4>(), to_rest.first_chunk_mut::<4>()) {
        let e = exp(F32x4::load(x).sub(max));
        e.store(to);
        sums[0] = sums[0].add(e);
    }
    let sum = sums[0].add(sums[1]);
    let remainder = x.len() % 4;
    if let (Some(x), Some(to)) = (last_vector(x), to.last_chunk_mut::<4>()) {
        // The first of these elements are already in the sum.
        let e = exp(F32x4::load(x).sub(max));
        e.store(to);
        return sum.add(e.and(F32x4::load(&LAST_LANES_MASKS[remainder])));
    }
    let Some(end) = x.len().checked_sub(remainder).filter(|_| remainder > 0) else { return sum };
    let mut last = [0.0; 4];
    for ((last, to), x) in last.iter_mut().zip(&mut to[end..]).zip(&x[end..]) {
        [*to, ..] = exp(F32x4::splat(*x).sub(max)).to_array();
        *last = *to;
    }
    sum.add(F32x4::load(&last))
}

/// Masks of the last 0 to 3 lanes.
const LAST_LANES_MASKS: [[f32; 4]; 4] = {
    let ones = f32::from_bits(u32::MAX);
    [[0.0; 4], [0.0, 0.0, 0.0, ones], [0.0, 0.0, ones, ones], [0.0, ones, ones, ones]]
};

/// [`exp_and_sum`] with [`FastExp`], for a row whose differences are in its range.
#[inline(never)]
fn exp_row_fast(x: &[f32], to: &mut [f32], max: f32) -> F32x4 {
    let exp = FastExp::new();
    exp_and_sum(x, to, F32x4::splat(max), |x| exp.apply(x))
}

/// [`exp_and_sum`] for every row.
#[inline(never)]
fn exp_row_full_range(x: &[f32], to: &mut [f32], max: f32) -> F32x4 {
    let exp = Exp::<F32x4>::with_constants();
    exp_and_sum(x, to, F32x4::splat(max), |x| exp.slow(x))
}

/// The maximum and the minimum of a row. NaN is ignored here; it makes the sum NaN.
fn max_and_min(x: &[f32]) -> (f32, f32) {
    let (blocks, rest) = x.as_chunks::<16>();
    let (mut maxima, mut minima) = ([F32x4::splat(f32::NEG_INFINITY); 4], [F32x4::splat(f32::INFINITY); 4]);
    let mut update = |v: usize, x: &[f32; 4]| {
        let x = F32x4::load(x);
        (maxima[v], minima[v]) = (maxima[v].max(x), minima[v].min(x));
    };
    for block in blocks {
        block.as_chunks::<4>().0.iter().enumerate().for_each(|(v, x)| update(v, x));
    }
    rest.as_chunks::<4>().0.iter().for_each(|x| update(0, x));
    match last_vector(x) {
        Some(x) => update(1, x),
        None if x.len() < 4 => x.iter().for_each(|x| update(0, &[*x; 4])),
        None => {}
    }
    let max = maxima[0].max(maxima[1]).max(maxima[2].max(maxima[3])).to_array();
    let min = minima[0].min(minima[1]).min(minima[2].min(minima[3])).to_array();
    let max = max.into_iter().fold(f32::NEG_INFINITY, |max, x| if x > max { x } else { max });
    let min = min.into_iter().fold(f32::INFINITY, |min, x| if x < min { x } else { min });
    (max, min)
}

/// The softmax of a contiguous row.
fn softmax_row(x: &[f32], to: &mut [f32]) {
    let (max, min) = max_and_min(x);
    // The range of `FastExp`, with a margin.
    let sum = if max - min < 86.0 { exp_row_fast(x, to, max) } else { exp_row_full_range(x, to, max) };
    let scale = 1.0 / sum.sum();
    let scales = F32x4::splat(scale);
    let (vectors, rest) = to.as_chunks_mut::<4>();
    for to in vectors {
        F32x4::load(to).mul(scales).store(to);
    }
    for to in rest {
        *to *= scale;
    }
    if !scale.is_finite() {
        // The sum is NaN: with a finite maximum it would be at least 1.
        to.fill(f32::NAN);
    }
}

/// The softmax of each column of contiguous rows, in place.
fn softmax_columns(x: &mut [f32], width: usize) {
    let (mut maxima, mut sums, mut differences) =
        ([f32::NEG_INFINITY; PANEL_COLUMNS], [0.0; PANEL_COLUMNS], [0.0; PANEL_COLUMNS]);
    let (maxima, sums, differences) = (&mut maxima[..width], &mut sums[..width], &mut differences[..width]);
    for row in x.chunks_exact(width) {
        // NaN replaces the maximum and is kept, since no comparison with it is true.
        maxima
            .iter_mut()
            .zip(row)
            .for_each(|(max, x)| *max = if *x > *max || x.is_nan() { *x } else { *max });
    }
    for row in x.chunks_exact_mut(width) {
        differences
            .iter_mut()
            .zip(&*row)
            .zip(&*maxima)
            .for_each(|((difference, x), max)| *difference = x - max);
        map_with_fast_path::<Exp<F32x4>>(differences, row);
        sums.iter_mut().zip(&*row).for_each(|(sum, x)| *sum += *x);
    }
    for sum in sums.iter_mut() {
        *sum = 1.0 / *sum;
    }
    for row in x.chunks_exact_mut(width) {
        row.iter_mut().zip(&*sums).for_each(|(x, sum)| *x = if sum.is_nan() { f32::NAN } else { *x * sum });
    }
}

/// Reads elements one by one, converted to `f32`.
trait ReadFloat {
    fn get(&self, slot: usize) -> f32;
}

/// Elements of `f16` or `bf16`.
struct HalfElements<'a>(&'a [u16], Type);

impl ReadFloat for &[f32] {
    fn get(&self, slot: usize) -> f32 {
        self[slot]
    }
}

impl ReadFloat for HalfElements<'_> {
    fn get(&self, slot: usize) -> f32 {
        if self.1 == Type::F16 { half::from_f16(self.0[slot]) } else { half::from_bf16(self.0[slot]) }
    }
}

fn run(task: CheckedTask<Softmax>, context: &mut Context) -> Result<(), KernelError> {
    let (task, [operand], [out]) = task.into_parts() else { return Err(KernelError::InvalidTask) };
    let (from, to) = (&task.operand.view, &task.out.view);
    if to.sizes.contains(&0) {
        return Ok(());
    }
    let d = task.dimension;
    let other_dims: Vec<usize> = (0..to.rank()).filter(|other| *other != d).collect();
    let ty = task.operand.ty;
    match (operand, out) {
        (Slice::F32(x), SliceMut::F32(out)) if from.strides[d] == 1 && to.strides[d] == 1 => {
            let length = from.sizes[d];
            let mut unreported_steps = 0;
            for (from, to) in slots(&from.permuted(&other_dims)).zip(slots(&to.permuted(&other_dims))) {
                softmax_row(&x[from..from + length], &mut out[to..to + length]);
                unreported_steps += length as u64;
                if unreported_steps >= CANCEL_CHECK_INTERVAL_ELEMENTS {
                    context.tick(std::mem::take(&mut unreported_steps))?;
                }
            }
            context.tick(unreported_steps)
        }
        (Slice::F32(x), SliceMut::F32(out)) => {
            let store = |out: &mut [f32], slot: usize, value| out[slot] = value;
            run_in_panels(
                from,
                to,
                d,
                other_dims,
                x,
                out,
                context,
                store,
                |x, at, row| row.copy_from_slice(&x[at..at + row.len()]),
                |row, out, at| {
                    out[at..at + row.len()].copy_from_slice(row);
                },
            )
        }
        (Slice::U16(x), SliceMut::U16(out)) => {
            let store = move |out: &mut [u16], slot: usize, value| {
                out[slot] = if ty == Type::F16 { half::to_f16(value) } else { half::to_bf16(value) };
            };
            let x = &HalfElements(x, ty);
            run_in_panels(
                from,
                to,
                d,
                other_dims,
                x,
                out,
                context,
                store,
                move |x, at, row| half::widen(ty, &x.0[at..at + row.len()], row),
                move |row, out, at| {
                    half::narrow(ty, row, &mut out[at..at + row.len()]);
                },
            )
        }
        _ => Err(KernelError::WrongKernel),
    }
}

/// Copies rows, or panels of columns if another dimension is the innermost, to scratch memory, computes them in place and writes
/// them. Fails only if cancelled.
#[allow(clippy::too_many_arguments, reason = "two arrays with the functions that read and write them")]
fn run_in_panels<X: ReadFloat, T>(
    from: &View,
    to: &View,
    d: usize,
    mut other_dims: Vec<usize>,
    x: &X,
    out: &mut [T],
    context: &mut Context,
    store: impl Fn(&mut [T], usize, f32),
    read_row: impl Fn(&X, usize, &mut [f32]),
    write_row: impl Fn(&[f32], &mut [T], usize),
) -> Result<(), KernelError> {
    let length = from.sizes[d];
    // The dimension with the smallest stride, if it is not `d`.
    let column_dim = other_dims
        .iter()
        .copied()
        .filter(|other| from.sizes[*other] > 1)
        .min_by_key(|other| from.strides[*other].unsigned_abs());
    let column_dim = column_dim
        .filter(|other| from.strides[*other].unsigned_abs() < from.strides[d].unsigned_abs() || length == 1);
    other_dims.retain(|other| Some(*other) != column_dim);
    let (width, from_step, to_step) =
        column_dim.map_or((1, 0, 0), |other| (from.sizes[other], from.strides[other], to.strides[other]));
    let mut panel = context.scratch.floats(length * width.min(PANEL_COLUMNS));
    let mut input_row = context.scratch.floats(if width == 1 { length } else { 0 });
    let (from_bases, to_bases) = (slots(&from.permuted(&other_dims)), slots(&to.permuted(&other_dims)));
    let mut unreported_steps = 0;
    for (from_base, to_base) in from_bases.zip(to_bases) {
        for first in (0..width).step_by(PANEL_COLUMNS) {
            let panel_columns = PANEL_COLUMNS.min(width - first);
            let rows = &mut panel.as_mut_slice()[..length * panel_columns];
            let at = |base: usize, step: isize, stride: isize, i: usize, j: usize| {
                base.wrapping_add_signed(stride * i.cast_signed() + step * (first + j).cast_signed())
            };
            for (i, row) in rows.chunks_exact_mut(panel_columns).enumerate() {
                if width == 1 {
                    break;
                }
                if from_step == 1 {
                    read_row(x, at(from_base, from_step, from.strides[d], i, 0), row);
                    continue;
                }
                for (j, value) in row.iter_mut().enumerate() {
                    *value = x.get(at(from_base, from_step, from.strides[d], i, j));
                }
            }
            if width > 1 {
                softmax_columns(rows, panel_columns);
            } else {
                if from.strides[d] == 1 {
                    read_row(x, from_base, rows);
                } else {
                    for (i, value) in rows.iter_mut().enumerate() {
                        *value = x.get(at(from_base, 0, from.strides[d], i, 0));
                    }
                }
                input_row.as_mut_slice().copy_from_slice(rows);
                softmax_row(input_row.as_slice(), rows);
            }
            if width == 1 && to.strides[d] == 1 {
                write_row(rows, out, to_base);
            } else {
                for (i, row) in rows.chunks_exact(panel_columns).enumerate() {
                    if to_step == 1 && width > 1 {
                        write_row(row, out, at(to_base, to_step, to.strides[d], i, 0));
                        continue;
                    }
                    for (j, value) in row.iter().enumerate() {
                        store(out, at(to_base, to_step, to.strides[d], i, j), *value);
                    }
                }
            }
            unreported_steps += (length * panel_columns) as u64;
            if unreported_steps >= CANCEL_CHECK_INTERVAL_ELEMENTS {
                context.tick(std::mem::take(&mut unreported_steps))?;
            }
        }
    }
    context.scratch.recycle(panel);
    context.scratch.recycle(input_row);
    context.tick(unreported_steps)
}

/// The slots of a view's elements, row-major.
fn slots(view: &View) -> impl Iterator<Item = usize> + use<> {
    let (sizes, strides) = (view.sizes.clone(), view.strides.clone());
    let mut at = vec![0usize; sizes.len()];
    let mut next = Some(view.offset.cast_signed());
    std::iter::from_fn(move || {
        let slot = next?;
        let mut next_slot = slot;
        next = (0..sizes.len()).rev().find_map(|d| {
            at[d] += 1;
            next_slot += strides[d];
            if at[d] < sizes[d] {
                return Some(next_slot);
            }
            at[d] = 0;
            next_slot -= strides[d] * sizes[d].cast_signed();
            None
        });
        Some(slot.cast_unsigned())
    })
}
