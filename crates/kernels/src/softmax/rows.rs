//! `exp(x - max) / sum(exp(x - max))` along a dimension, in one pass: each row is read from memory once.
//!
//! `f32`, `f16` and `bf16`, computed in `f32`. The exponential is that of `math` or, where no difference is beyond its
//! range, one of fewer operations; the sum has partial results in 8 lanes, the quotient is one product with the sum's
//! reciprocal: with that, 4 ulp more than the terms' own. NaN in a row, or infinity as its largest, makes the whole row
//! NaN.

use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelOf, linked};
use crate::ground::context::Context;
use crate::ground::element::Type;
use crate::ground::slice::{Slice, SliceMut};
use crate::ground::stop::Stop;
use crate::ground::view::View;
use crate::simd::best::Best;
use crate::simd::half_rows as half;
use crate::simd::lanes::Lanes;
use crate::simd::math::{Exp, Near as _};
use crate::simd::rows::of_near;
use crate::softmax::task::Softmax;

/// Columns that are walked together where the dimension is not the innermost.
const PANEL_COLUMNS: usize = 64;
/// Cells between cancellation checks.
const CANCEL_CHECK_CELLS: u64 = 1 << 18;

/// The kernels of [`Softmax`].
pub static KERNELS: &[KernelOf<Softmax>] = &[KernelOf {
    kernel: Kernel { name: "softmax f32", is_vector: true, bound: 8.0 },
    supports: |task| matches!(task.operand.ty, Type::F32 | Type::F16 | Type::BF16),
    run: linked(run),
}];

/// The exponential of differences that are not below -87, in fewer operations than `math`'s: 2.5 ulp.
struct Powers {
    log2_e: Best,
    rounding: Best,
    ln2: [Best; 2],
    tail: [Best; 5],
}

impl Powers {
    #[inline(always)]
    fn prepared() -> Self {
        // What is added leaves the exponent of a power of two in the lowest bits.
        let [log2_e, rounding, high, low] =
            std::hint::black_box([std::f32::consts::LOG2_E, 12_583_039.0, -0.693_359_4, 2.121_944_4e-4])
                .map(Best::splat);
        // (e^r - 1) / r within ±0.347, to 1.6 · 2^-24 of e^r.
        let tail = [0.999_999_7, 0.499_991_45, 0.166_676_4, 0.041_898_39, 0.008_290_235];
        Self { log2_e, rounding, ln2: [high, low], tail: std::hint::black_box(tail).map(Best::splat) }
    }

    #[inline(always)]
    fn of(&self, x: Best) -> Best {
        let shifted = x.madd(self.log2_e, self.rounding);
        let n = shifted.sub(self.rounding);
        let scale = shifted.shl(23);
        let r = n.madd(self.ln2[1], n.madd(self.ln2[0], x));
        let [a, b, c, d, e] = self.tail;
        let rest = e.madd(r, d).madd(r, c).madd(r, b).madd(r, a);
        rest.madd(r.mul(scale), scale)
    }
}

/// Vectors that a row is cut into: whole ones, and one of its last four cells if some are left; a row that is shorter has none.
#[inline(always)]
fn last_of(x: &[f32]) -> Option<&[f32; 4]> {
    x.last_chunk::<4>().filter(|_| !x.len().is_multiple_of(4))
}

/// A row made powers, and their sums.
#[inline(always)]
fn powers(x: &[f32], to: &mut [f32], top: Best, exp: impl Fn(Best) -> Best) -> Best {
    let mut sums = [Best::zero(); 2];
    let (blocks, rest) = x.as_chunks::<8>();
    let (to_blocks, to_rest) = to.as_chunks_mut::<8>();
    for (block, to) in blocks.iter().zip(to_blocks) {
        let all = block.as_chunks::<4>().0.iter().zip(to.as_chunks_mut::<4>().0);
        for (sum, (x, to)) in sums.iter_mut().zip(all) {
            let e = exp(Best::load(x).sub(top));
            e.store(to);
            *sum = sum.add(e);
        }
    }
    if let (Some(x), Some(to)) = (rest.first_chunk::<4>(), to_rest.first_chunk_mut::<4>()) {
        let e = exp(Best::load(x).sub(top));
        e.store(to);
        sums[0] = sums[0].add(e);
    }
    let sum = sums[0].add(sums[1]);
    let left = x.len() % 4;
    if let (Some(x), Some(to)) = (last_of(x), to.last_chunk_mut::<4>()) {
        // The first of these are there already.
        let e = exp(Best::load(x).sub(top));
        e.store(to);
        return sum.add(e.and(Best::load(&LAST[left])));
    }
    let Some(end) = x.len().checked_sub(left).filter(|_| left > 0) else { return sum };
    let mut last = [0.0; 4];
    for ((last, to), x) in last.iter_mut().zip(&mut to[end..]).zip(&x[end..]) {
        [*to, ..] = exp(Best::splat(*x).sub(top)).to_array();
        *last = *to;
    }
    sum.add(Best::load(&last))
}

/// Masks of the last lanes, by how many.
const LAST: [[f32; 4]; 4] = {
    let on = f32::from_bits(u32::MAX);
    [[0.0; 4], [0.0, 0.0, 0.0, on], [0.0, 0.0, on, on], [0.0, on, on, on]]
};

#[inline(never)]
fn near(x: &[f32], to: &mut [f32], top: f32) -> Best {
    let powers_of = Powers::prepared();
    powers(x, to, Best::splat(top), |x| powers_of.of(x))
}

#[inline(never)]
fn far(x: &[f32], to: &mut [f32], top: f32) -> Best {
    let exp = Exp::<Best>::prepared();
    powers(x, to, Best::splat(top), |x| exp.far(x))
}

/// The largest of a row and the smallest. NaN is passed over; it shows in the sum of the powers.
fn limits(x: &[f32]) -> (f32, f32) {
    let (blocks, rest) = x.as_chunks::<16>();
    let (mut tops, mut lows) = ([Best::splat(f32::NEG_INFINITY); 4], [Best::splat(f32::INFINITY); 4]);
    let mut update = |v: usize, x: &[f32; 4]| {
        let x = Best::load(x);
        (tops[v], lows[v]) = (tops[v].max(x), lows[v].min(x));
    };
    for block in blocks {
        block.as_chunks::<4>().0.iter().enumerate().for_each(|(v, x)| update(v, x));
    }
    rest.as_chunks::<4>().0.iter().for_each(|x| update(0, x));
    match last_of(x) {
        Some(x) => update(1, x),
        None if x.len() < 4 => x.iter().for_each(|x| update(0, &[*x; 4])),
        None => {}
    }
    let top = tops[0].max(tops[1]).max(tops[2].max(tops[3])).to_array();
    let low = lows[0].min(lows[1]).min(lows[2].min(lows[3])).to_array();
    let top = top.into_iter().fold(f32::NEG_INFINITY, |top, x| if x > top { x } else { top });
    let low = low.into_iter().fold(f32::INFINITY, |low, x| if x < low { x } else { low });
    (top, low)
}

/// A row.
fn row(x: &[f32], to: &mut [f32]) {
    let (top, low) = limits(x);
    // Differences are at most 0, and none is beyond the near range.
    let sum = if top - low < 86.0 { near(x, to, top) } else { far(x, to, top) };
    let scale = 1.0 / sum.sum();
    let scales = Best::splat(scale);
    let (vectors, rest) = to.as_chunks_mut::<4>();
    for to in vectors {
        Best::load(to).mul(scales).store(to);
    }
    for to in rest {
        *to *= scale;
    }
    if !scale.is_finite() {
        // Only NaN is not: the sum is at least 1 where the largest is a number.
        to.fill(f32::NAN);
    }
}

/// Rows contiguous, in place: along each column.
fn columns(x: &mut [f32], width: usize) {
    let (mut tops, mut sums, mut less) =
        ([f32::NEG_INFINITY; PANEL_COLUMNS], [0.0; PANEL_COLUMNS], [0.0; PANEL_COLUMNS]);
    let (tops, sums, less) = (&mut tops[..width], &mut sums[..width], &mut less[..width]);
    for row in x.chunks_exact(width) {
        // Where the next is NaN it is taken, and stays: nothing is below it.
        tops.iter_mut().zip(row).for_each(|(top, x)| *top = if *x > *top || x.is_nan() { *x } else { *top });
    }
    for row in x.chunks_exact_mut(width) {
        less.iter_mut().zip(&*row).zip(&*tops).for_each(|((less, x), top)| *less = x - top);
        of_near::<Exp<Best>>(less, row);
        sums.iter_mut().zip(&*row).for_each(|(sum, x)| *sum += *x);
    }
    for sum in sums.iter_mut() {
        *sum = 1.0 / *sum;
    }
    for row in x.chunks_exact_mut(width) {
        row.iter_mut().zip(&*sums).for_each(|(x, sum)| *x = if sum.is_nan() { f32::NAN } else { *x * sum });
    }
}

/// An array of floats that is read or written cell by cell.
trait Floats {
    fn get(&self, slot: usize) -> f32;
}

struct Halves<'a>(&'a [u16], Type);

impl Floats for &[f32] {
    fn get(&self, slot: usize) -> f32 {
        self[slot]
    }
}

impl Floats for Halves<'_> {
    fn get(&self, slot: usize) -> f32 {
        if self.1 == Type::F16 { half::from_f16(self.0[slot]) } else { half::from_bf16(self.0[slot]) }
    }
}

fn run(task: CheckedTask<Softmax>, context: &mut Context) -> Result<(), Stop> {
    let (task, [operand], [out]) = task.into_parts() else { return Err(Stop::InvalidTask) };
    let (from, to) = (&task.operand.view, &task.out.view);
    if to.sizes.contains(&0) {
        return Ok(());
    }
    let d = task.dimension;
    let outer: Vec<usize> = (0..to.rank()).filter(|other| *other != d).collect();
    let ty = task.operand.ty;
    match (operand, out) {
        (Slice::F32(x), SliceMut::F32(out)) if from.strides[d] == 1 && to.strides[d] == 1 => {
            let length = from.sizes[d];
            let mut steps = 0;
            for (from, to) in slots(&from.permuted(&outer)).zip(slots(&to.permuted(&outer))) {
                row(&x[from..from + length], &mut out[to..to + length]);
                steps += 8 * length as u64;
                if steps >= CANCEL_CHECK_CELLS {
                    context.tick(std::mem::take(&mut steps))?;
                }
            }
            context.tick(steps)
        }
        (Slice::F32(x), SliceMut::F32(out)) => {
            let put = |out: &mut [f32], slot: usize, value| out[slot] = value;
            along(
                from,
                to,
                d,
                outer,
                x,
                out,
                context,
                put,
                |x, at, row| row.copy_from_slice(&x[at..at + row.len()]),
                |row, out, at| {
                    out[at..at + row.len()].copy_from_slice(row);
                },
            )
        }
        (Slice::U16(x), SliceMut::U16(out)) => {
            let put = move |out: &mut [u16], slot: usize, value| {
                out[slot] = if ty == Type::F16 { half::to_f16(value) } else { half::to_bf16(value) };
            };
            let x = &Halves(x, ty);
            along(
                from,
                to,
                d,
                outer,
                x,
                out,
                context,
                put,
                move |x, at, row| half::widen(ty, &x.0[at..at + row.len()], row),
                move |row, out, at| {
                    half::narrow(ty, row, &mut out[at..at + row.len()]);
                },
            )
        }
        _ => Err(Stop::WrongKernel),
    }
}

/// Walks rows, or panels of columns where another dimension is the innermost. A row is copied, computed in place, and
/// written.
#[allow(clippy::too_many_arguments, reason = "two arrays, and how each is read and written")]
fn along<X: Floats, T>(
    from: &View,
    to: &View,
    d: usize,
    mut outer: Vec<usize>,
    x: &X,
    out: &mut [T],
    context: &mut Context,
    put: impl Fn(&mut [T], usize, f32),
    read_row: impl Fn(&X, usize, &mut [f32]),
    write_row: impl Fn(&[f32], &mut [T], usize),
) -> Result<(), Stop> {
    let length = from.sizes[d];
    // The dimension whose neighbours are adjacent, if it is another one.
    let beside = outer
        .iter()
        .copied()
        .filter(|other| from.sizes[*other] > 1)
        .min_by_key(|other| from.strides[*other].unsigned_abs());
    let beside = beside
        .filter(|other| from.strides[*other].unsigned_abs() < from.strides[d].unsigned_abs() || length == 1);
    outer.retain(|other| Some(*other) != beside);
    let (width, from_step, to_step) =
        beside.map_or((1, 0, 0), |other| (from.sizes[other], from.strides[other], to.strides[other]));
    let mut panel = context.scratch.floats(length * width.min(PANEL_COLUMNS));
    let mut line = context.scratch.floats(if width == 1 { length } else { 0 });
    let (from_outer, to_outer) = (slots(&from.permuted(&outer)), slots(&to.permuted(&outer)));
    let mut steps = 0;
    for (from_base, to_base) in from_outer.zip(to_outer) {
        for first in (0..width).step_by(PANEL_COLUMNS) {
            let columns_here = PANEL_COLUMNS.min(width - first);
            let cells = &mut panel.as_mut_slice()[..length * columns_here];
            let at = |base: usize, step: isize, stride: isize, i: usize, j: usize| {
                base.wrapping_add_signed(stride * i.cast_signed() + step * (first + j).cast_signed())
            };
            for (i, row) in cells.chunks_exact_mut(columns_here).enumerate() {
                if width == 1 {
                    break;
                }
                if from_step == 1 {
                    read_row(x, at(from_base, from_step, from.strides[d], i, 0), row);
                    continue;
                }
                for (j, cell) in row.iter_mut().enumerate() {
                    *cell = x.get(at(from_base, from_step, from.strides[d], i, j));
                }
            }
            if width > 1 {
                columns(cells, columns_here);
            } else {
                if from.strides[d] == 1 {
                    read_row(x, from_base, cells);
                } else {
                    for (i, cell) in cells.iter_mut().enumerate() {
                        *cell = x.get(at(from_base, 0, from.strides[d], i, 0));
                    }
                }
                line.as_mut_slice().copy_from_slice(cells);
                row(line.as_slice(), cells);
            }
            if width == 1 && to.strides[d] == 1 {
                write_row(cells, out, to_base);
            } else {
                for (i, row) in cells.chunks_exact(columns_here).enumerate() {
                    if to_step == 1 && width > 1 {
                        write_row(row, out, at(to_base, to_step, to.strides[d], i, 0));
                        continue;
                    }
                    for (j, cell) in row.iter().enumerate() {
                        put(out, at(to_base, to_step, to.strides[d], i, j), *cell);
                    }
                }
            }
            steps += (8 * length * columns_here) as u64;
            if steps >= CANCEL_CHECK_CELLS {
                context.tick(std::mem::take(&mut steps))?;
            }
        }
    }
    context.scratch.keep(panel);
    context.scratch.keep(line);
    context.tick(steps)
}

/// The slots of a view's cells, row-major.
fn slots(view: &View) -> impl Iterator<Item = usize> + use<> {
    let (sizes, strides) = (view.sizes.clone(), view.strides.clone());
    let mut at = vec![0usize; sizes.len()];
    let mut next = Some(view.offset.cast_signed());
    std::iter::from_fn(move || {
        let slot = next?;
        let mut moved = slot;
        next = (0..sizes.len()).rev().find_map(|d| {
            at[d] += 1;
            moved += strides[d];
            if at[d] < sizes[d] {
                return Some(moved);
            }
            at[d] = 0;
            moved -= strides[d] * sizes[d].cast_signed();
            None
        });
        Some(slot.cast_unsigned())
    })
}
