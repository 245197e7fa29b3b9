//! Select-and-scatter: each window selects an element of the operand, to which the source's element is added; the gradient of
//! max pooling.
//!
//! Each window is visited in row-major order of the dimensions; the first element is selected, and a later one replaces it if
//! `select(selected, later)` is false. Sources are added in row-major order of the windows, beginning with the
//! initial value, in the type itself (`f16` and `bf16` rounded at each step), which yields the bits of the reference evaluator. A
//! window that covers only padding adds nothing. A computed NaN is canonical.

use crate::description::check::CheckedTask;
use crate::description::describe::Describe as _;
use crate::description::kernel::{Kernel, KernelEntry, only_in_kernel_builds};
use crate::description::parts::{Direction, Reducer};
use crate::select_and_scatter::task::SelectAndScatter;
use crate::simd::half_rows as half;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::integers::Integer;
use crate::support::scalars::{canonicalized, canonicalized_f32};
use crate::support::slice::{Element, Slice, SliceMut};
use crate::support::walk::for_each_slot;

/// Taps between cancellation checks.
const CANCEL_CHECK_INTERVAL_TAPS: u64 = 1 << 18;
/// Maximum number of taps of a window.
const MAX_WINDOW_TAPS: usize = 1 << 20;

/// The kernels of [`SelectAndScatter`].
pub static KERNELS: &[KernelEntry<SelectAndScatter>] = &[KernelEntry {
    kernel: Kernel { name: "select-and-scatter", is_vector: false, error_bound_ulp: 0.0 },
    supports: is_supported,
    run: only_in_kernel_builds(run),
}];

fn is_supported(task: &SelectAndScatter) -> bool {
    task.scatter == Reducer::Add
        && !matches!(task.operand.ty, Type::Pred | Type::C64 | Type::C128)
        && task.window.len() <= 32
        && matches!(task.select, Direction::Ge | Direction::Gt | Direction::Le | Direction::Lt)
        && task
            .window
            .iter()
            .try_fold(1usize, |taps, window| taps.checked_mul(window.size))
            .is_some_and(|taps| taps <= MAX_WINDOW_TAPS)
}

fn run(task: CheckedTask<SelectAndScatter>, context: &mut Context) -> Result<(), KernelError> {
    let (task, [operand, source, init], [out]) = task.into_parts() else {
        return Err(KernelError::InvalidTask);
    };
    macro_rules! each {
        ($($variant:ident $select_four:expr, $value:expr, $add:expr;)*) => {
            match (operand, source, init, out) {
                (Slice::U16(x), Slice::U16(source), Slice::U16(init), SliceMut::U16(out)) if task.operand.ty == Type::F16 => {
                    let add = |a, b| half::to_f16(half::from_f16(a) + half::from_f16(b));
                    scatter(task, x, source, init, out, context, None, half::from_f16, add)
                }
                (Slice::U16(x), Slice::U16(source), Slice::U16(init), SliceMut::U16(out)) if task.operand.ty == Type::BF16 => {
                    let add = |a, b| half::to_bf16(half::from_bf16(a) + half::from_bf16(b));
                    scatter(task, x, source, init, out, context, None, half::from_bf16, add)
                }
                $((Slice::$variant(x), Slice::$variant(source), Slice::$variant(init), SliceMut::$variant(out)) => {
                    scatter(task, x, source, init, out, context, $select_four, $value, $add)
                })*
                _ => Err(KernelError::WrongKernel),
            }
        };
    }
    each! {
        F32 Some(select_four), |x| x, |a: f32, b| canonicalized_f32(a + b);
        F64 None, |x| x, |a: f64, b| canonicalized(a + b);
        U8 None, |x| x, Integer::wrapping_plus;
        I8 None, |x| x, Integer::wrapping_plus;
        U16 None, |x| x, Integer::wrapping_plus;
        I16 None, |x| x, Integer::wrapping_plus;
        U32 None, |x| x, Integer::wrapping_plus;
        I32 None, |x| x, Integer::wrapping_plus;
        U64 None, |x| x, Integer::wrapping_plus;
        I64 None, |x| x, Integer::wrapping_plus;
    }
}

/// An offset in the operand and the corresponding one in the result.
type Offsets = (isize, isize);

/// The offsets of the elements that the window covers at one position along one dimension.
type Covered = Vec<Offsets>;

#[allow(clippy::too_many_arguments, reason = "four arrays, and three functions")]
fn scatter<T: Element, K: PartialOrd + Copy>(
    task: &SelectAndScatter,
    x: &[T],
    source: &[T],
    init: &[T],
    out: &mut [T],
    context: &mut Context,
    select_four: Option<SelectFour<T>>,
    value: impl Fn(T) -> K,
    add: impl Fn(T, T) -> T,
) -> Result<(), KernelError> {
    let (operand_view, out_view, source_view) = (&task.operand.view, &task.out.view, &task.source.view);
    let init = init.first().copied().ok_or(KernelError::InvalidTask)?;
    if out_view.elements() == out.len() {
        out.fill(init);
    } else {
        for_each_slot(out_view, |slot| out[slot] = init);
    }
    if source_view.sizes.contains(&0) || operand_view.sizes.contains(&0) {
        return Ok(());
    }
    // The covered elements of each dimension, at each position.
    let covered: Vec<Vec<Covered>> = (0..operand_view.rank())
        .map(|d| {
            let window = task.window[d];
            let covered_at = |position: usize| {
                let start = (position * window.stride).cast_signed() - window.low;
                let base = window.base_dilation.cast_signed();
                let taps = (0..window.size).map(|tap| start + (tap * window.dilation).cast_signed());
                let elements = taps.filter(|at| {
                    *at >= 0 && at % base == 0 && at / base < operand_view.sizes[d].cast_signed()
                });
                elements
                    .map(|at| (at / base * operand_view.strides[d], at / base * out_view.strides[d]))
                    .collect()
            };
            (0..source_view.sizes[d]).map(covered_at).collect()
        })
        .collect();
    let starts = [operand_view, out_view, source_view].map(|view| view.offset.cast_signed());
    let rank = covered.len();
    let (outer, inner) = covered.split_at(rank.saturating_sub(1));
    let scalar = [vec![(0, 0)]];
    let inner = inner.first().map_or(&scalar[..], Vec::as_slice);
    let row = Row {
        inner,
        // A scalar has one row of one position: no stride is used.
        stride: source_view.strides.last().copied().unwrap_or(0),
        select: task.select,
        select_four: select_four.filter(|_| i32::try_from(out.len()).is_ok()),
        steps: inner.chunks(4).map(step_between).collect(),
    };
    let mut position = vec![0usize; outer.len()];
    let (mut slot, mut bases, mut steps) = (starts[2], Vec::new(), 0);
    let row_steps = task.steps() / outer.iter().map(|taps| taps.len() as u64).product::<u64>();
    loop {
        // The offsets of the window's rows: every combination of covered elements in the outer dimensions, row-major.
        bases.clear();
        bases.push((starts[0], starts[1]));
        for (covered, position) in outer.iter().zip(&position) {
            let offsets = &covered[*position];
            bases =
                bases.iter().flat_map(|(a, b)| offsets.iter().map(move |(x, y)| (a + x, b + y))).collect();
        }
        if let [first, ..] = bases[..] {
            let arrays = (x, source, &mut *out);
            match task.select {
                Direction::Ge => row.scatter(first, &bases, slot, arrays, &value, |a, b| a >= b, &add),
                Direction::Gt => row.scatter(first, &bases, slot, arrays, &value, |a, b| a > b, &add),
                Direction::Le => row.scatter(first, &bases, slot, arrays, &value, |a, b| a <= b, &add),
                _ => row.scatter(first, &bases, slot, arrays, &value, |a, b| a < b, &add),
            }
        }
        steps += row_steps;
        if steps >= CANCEL_CHECK_INTERVAL_TAPS {
            context.tick(std::mem::take(&mut steps))?;
        }
        let has_next = (0..outer.len()).rev().any(|d| {
            position[d] += 1;
            slot += source_view.strides[d];
            if position[d] < source_view.sizes[d] {
                return true;
            }
            slot -= source_view.strides[d] * source_view.sizes[d].cast_signed();
            position[d] = 0;
            false
        });
        if !has_next {
            return context.tick(steps);
        }
    }
}

/// Selects at four adjacent positions. `rows` are the offsets of the window's rows in the operand and in the result, `covered`
/// those of the elements at the first position; each further position reads `step` elements further on. Returns the selected
/// slots of the result, each as if its position were the first.
type SelectFour<T> = fn(x: &[T], rows: &[Offsets], covered: &[Offsets], step: isize, Direction) -> [isize; 4];

fn select_four(
    x: &[f32],
    rows: &[Offsets],
    covered: &[Offsets],
    step: isize,
    select: Direction,
) -> [isize; 4] {
    match select {
        Direction::Ge => select_in_lanes(x, rows, covered, step, |selected, next| next.le(selected)),
        Direction::Gt => select_in_lanes(x, rows, covered, step, |selected, next| next.lt(selected)),
        Direction::Le => select_in_lanes(x, rows, covered, step, Lanes::le),
        _ => select_in_lanes(x, rows, covered, step, Lanes::lt),
    }
}

#[inline(always)]
fn select_in_lanes(
    x: &[f32],
    rows: &[Offsets],
    covered: &[Offsets],
    step: isize,
    is_kept: impl Fn(F32x4, F32x4) -> F32x4,
) -> [isize; 4] {
    let read = |at: isize| {
        let from = at.cast_unsigned();
        match (step, x.get(from..from + 4), x.get(from..from + 8).map(<[f32]>::as_chunks)) {
            (1, Some(&[a, b, c, d]), _) => F32x4::load(&[a, b, c, d]),
            (2, _, Some(([low, high], _))) => F32x4::load(low).even(F32x4::load(high)),
            _ => F32x4::load(&[0, 1, 2, 3].map(|i| x[(at + step * i).cast_unsigned()])),
        }
    };
    // A slot of the result in every lane; `scatter` selects at four positions together only if slots fit 32 bits.
    #[allow(clippy::cast_possible_truncation, reason = "below 2^31")]
    let splat_slot = |to: isize| F32x4::splat_bits((to as i32).cast_unsigned());
    let (row, element) = (rows[0], covered[0]);
    let (mut selected, mut to) = (read(row.0 + element.0), splat_slot(row.1 + element.1));
    for row in rows {
        for element in covered {
            let next = read(row.0 + element.0);
            let stays = is_kept(selected, next);
            selected = selected.select(next, stays);
            to = to.select(splat_slot(row.1 + element.1), stays);
        }
    }
    to.to_array().map(|bits| bits.to_bits().cast_signed() as isize)
}

/// The distance from one position to the next, if each of four positions covers the same elements shifted by that distance.
fn step_between(positions: &[Covered]) -> Option<Offsets> {
    let [first, second, ..] = positions else { return None };
    let ((a, b), (c, d)) = (first.first()?, second.first()?);
    let step = (c - a, d - b);
    let is_uniform = positions.len() == 4
        && positions.windows(2).all(|pair| {
            pair[0].len() == pair[1].len()
                && pair[0].iter().zip(&pair[1]).all(|(a, b)| (b.0 - a.0, b.1 - a.1) == step)
        });
    is_uniform.then_some(step)
}

/// The innermost dimension of the source: a row of positions.
struct Row<'a, T> {
    /// The covered elements at each position.
    inner: &'a [Covered],
    /// The stride of the source.
    stride: isize,
    select: Direction,
    /// Selects at four positions together, if the type supports it.
    select_four: Option<SelectFour<T>>,
    /// [`step_between`] for each group of four positions.
    steps: Vec<Option<Offsets>>,
}

impl<T: Element> Row<'_, T> {
    /// Scatters the source's elements of a row of positions. `bases` are the offsets of the window's rows in the operand and in
    /// the result, `first` is the first of them.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "three arrays, and three functions")]
    fn scatter<K: PartialOrd + Copy>(
        &self,
        first: Offsets,
        bases: &[Offsets],
        slot: isize,
        (x, source, out): (&[T], &[T], &mut [T]),
        value: impl Fn(T) -> K,
        is_kept: impl Fn(K, K) -> bool,
        add: impl Fn(T, T) -> T,
    ) {
        let mut slot = slot;
        for (positions, step) in self.inner.chunks(4).zip(&self.steps) {
            if let (Some(select_four), Some((step, step_to)), [covered, ..]) =
                (self.select_four, step, positions)
            {
                for (i, to) in (0..).zip(select_four(x, bases, covered, *step, self.select)) {
                    let to = (to + step_to * i).cast_unsigned();
                    out[to] = add(out[to], source[slot.cast_unsigned()]);
                    slot += self.stride;
                }
                continue;
            }
            for covered in positions {
                if let [element, ..] = covered[..] {
                    // Slots are selected, not values, without an unpredictable branch. The first element is
                    // compared with itself, and selected either way.
                    let (mut at, mut to) = (first.0 + element.0, first.1 + element.1);
                    let mut compare = |next_at: isize, next_to: isize| {
                        let (a, b) = (value(x[at.cast_unsigned()]), value(x[next_at.cast_unsigned()]));
                        let stays = is_kept(a, b);
                        (at, to) = (if stays { at } else { next_at }, if stays { to } else { next_to });
                    };
                    for (x, y) in bases {
                        for (a, b) in covered {
                            compare(x + a, y + b);
                        }
                    }
                    let to = to.cast_unsigned();
                    out[to] = add(out[to], source[slot.cast_unsigned()]);
                }
                slot += self.stride;
            }
        }
    }
}
