//! Window reductions of any rank: pooling, sums and extrema of neighbourhoods.
//!
//! A window is reduced dimension by dimension: from the outermost one, as whole rows, to the innermost one, within a row. So a
//! window of any rank costs the sum of its sizes, not their product. Within a dimension taps are accumulated in
//! order, except:
//! - along the innermost one, at a stride above 1, taps with the same remainder modulo the stride are accumulated together (but
//!   not by [`crate::window::pool_rows`] and [`crate::window::pool_channels`], whose sums have the same bits in either layout);
//! - a window longer than [`MAX_DIRECT_WINDOW`] is combined from blocks of 1, 2, 4 … taps, each from two halves, at a cost of
//!   the logarithm of its size.
//!
//! The initial value is combined last. Padding and the gaps of dilations are skipped. The order is the same on every machine; it
//! depends on the layout: the outermost dimension in memory comes first.
//!
//! Scratch memory of the operand's size is needed where its dimensions, sorted by stride, are not contiguous (it is copied), for
//! `f16` and `bf16` (converted to `f32`), and for a long window along a dimension other than the innermost.

use crate::accumulate::accumulator::{Accumulator, SlideRow, supports};
use crate::accumulate::loops;
use crate::description::check::CheckedTask;
use crate::description::describe::Describe as _;
use crate::description::kernel::{Kernel, KernelEntry, only_in_kernel_builds};
use crate::description::parts::{Reducer, Window};
use crate::simd::half_rows as half;
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::{Element, Slice, SliceMut};
use crate::support::walk::for_each_slot;
use crate::window::float;
use crate::window::pool::{Pooling, PoolingFn};
use crate::window::row::{Axis, MAX_DIRECT_WINDOW, Progression, RowBuffers, RowWindow};
use crate::window::task::ReduceWindow;

/// Taps between cancellation checks.
const CANCEL_CHECK_INTERVAL_TAPS: u64 = 1 << 18;

/// The kernels of [`ReduceWindow`].
pub static KERNELS: &[KernelEntry<ReduceWindow>] = &[
    kernel("reduce-window f32", true, |task| is_supported(task) && task.operand.ty == Type::F32),
    kernel("reduce-window f16 bf16 in f32", true, |task| {
        is_supported(task) && matches!(task.operand.ty, Type::F16 | Type::BF16)
    }),
    kernel("reduce-window loop", false, is_supported),
];

const fn kernel(
    name: &'static str,
    is_vector: bool,
    supports: fn(&ReduceWindow) -> bool,
) -> KernelEntry<ReduceWindow> {
    KernelEntry {
        kernel: Kernel { name, is_vector, error_bound_ulp: 1.0 },
        supports,
        run: only_in_kernel_builds(run),
    }
}

/// Whether padding is so much larger than the operand that the reference evaluator, which computes the covered elements in closed
/// form, is faster.
fn has_wide_padding(task: &ReduceWindow) -> bool {
    let positions = &task.out.view.sizes;
    task.window.iter().zip(positions).zip(&task.operand.view.sizes).any(|((window, positions), size)| {
        *positions > 0
            && Axis { size: *size, positions: *positions, window: *window, out_stride: 0 }.reach()
                > 4 * size + (1 << 12)
    })
}

fn is_supported(task: &ReduceWindow) -> bool {
    !has_wide_padding(task) && supports(task.operand.ty, task.reducer)
}

fn run(task: CheckedTask<ReduceWindow>, context: &mut Context) -> Result<(), KernelError> {
    let (task, [operand, init], [out]) = task.into_parts() else { return Err(KernelError::InvalidTask) };
    let ty = task.operand.ty;
    match (operand, init, out) {
        (Slice::F32(x), Slice::F32(init), SliceMut::F32(out)) => reduce_windows(
            task,
            x,
            init,
            out,
            &float::window_accumulator(task.reducer),
            Some(float::pool),
            context,
        ),
        (Slice::U16(x), Slice::U16(init), SliceMut::U16(out)) if matches!(ty, Type::F16 | Type::BF16) => {
            let mut wide = vec![0.0; x.len()];
            half::widen(ty, x, &mut wide);
            let mut first = [0.0];
            half::widen(ty, &init[..1], &mut first);
            let mut result = vec![0.0; out.len()];
            reduce_windows(
                task,
                &wide,
                &first,
                &mut result,
                &float::window_accumulator(task.reducer),
                Some(float::pool),
                context,
            )?;
            // Elements of the buffer between those of the result are not written.
            for_each_slot(&task.out.view, |slot| {
                half::narrow(ty, &result[slot..=slot], &mut out[slot..=slot]);
            });
            Ok(())
        }
        (Slice::F64(x), Slice::F64(init), SliceMut::F64(out)) => {
            reduce_windows(task, x, init, out, &loops::f64_accumulator(task.reducer), None, context)
        }
        (Slice::C64(x), Slice::C64(init), SliceMut::C64(out)) => {
            reduce_windows(task, x, init, out, &loops::c64_accumulator(task.reducer), None, context)
        }
        (Slice::C128(x), Slice::C128(init), SliceMut::C128(out)) => {
            reduce_windows(task, x, init, out, &loops::c128_accumulator(task.reducer), None, context)
        }
        (operand, init, out) => {
            macro_rules! integers {
                (($operand:expr, $init:expr, $out:expr) $($variant:ident $native:ident)*) => {
                    match ($operand, $init, $out) {
                        $((Slice::$variant(x), Slice::$variant(init), SliceMut::$variant(out)) => {
                            reduce_windows(task, x, init, out, &loops::integers::<$native>(task.reducer, ty), None, context)
                        })*
                        _ => Err(KernelError::WrongKernel),
                    }
                };
            }
            if matches!(task.reducer, Reducer::Min | Reducer::Max) {
                integers!((operand, init, out) U8 u8 U16 u16 U32 u32 U64 u64 I8 i8 I16 i16 I32 i32 I64 i64)
            } else {
                integers!((operand.as_bits(), init.as_bits(), out.as_bits_mut()) U8 u8 U16 u16 U32 u32 U64 u64)
            }
        }
    }
}

/// A window reduction: the parameters that all levels of the nest share.
struct WindowNest<'a, T: 'static> {
    axes: &'a [Axis],
    /// The elements that the window covers at each position, for each dimension before the leaf.
    covered: Vec<Vec<Progression>>,
    row_window: RowWindow,
    /// The innermost dimension along which the window slides.
    leaf: usize,
    /// The number of elements of a slab, the dimensions inside of the leaf.
    inner: usize,
    init: T,
    accumulator: &'a Accumulator<T, T>,
    /// [`Accumulator::slide`], if it supports the window along the leaf.
    slide_row: Option<SlideRow<T>>,
    /// Whether the results of a row are contiguous.
    has_contiguous_results: bool,
    /// The steps of each row.
    row_steps: u64,
}

fn reduce_windows<T: Element>(
    task: &ReduceWindow,
    x: &[T],
    init: &[T],
    out: &mut [T],
    accumulator: &Accumulator<T, T>,
    pool: Option<PoolingFn<T>>,
    context: &mut Context,
) -> Result<(), KernelError> {
    let (from, to) = (&task.operand.view, &task.out.view);
    let init = init.first().copied().ok_or(KernelError::InvalidTask)?;
    if to.sizes.contains(&0) {
        return Ok(());
    }
    if from.sizes.contains(&0) {
        let mut result = [accumulator.identity];
        (accumulator.finish)(&mut result, init);
        for_each_slot(to, |slot| out[slot] = result[0]);
        return Ok(());
    }
    // Sorted major to minor in memory, without dimensions of one element that the window does not pad.
    let axis_of = |d: usize| Axis {
        size: from.sizes[d],
        positions: to.sizes[d],
        window: task.window[d],
        out_stride: to.strides[d],
    };
    let mut order: Vec<usize> =
        (0..from.rank()).filter(|d| from.sizes[*d] > 1 || !axis_of(*d).is_unwindowed()).collect();
    order.sort_by_key(|d| std::cmp::Reverse(if from.sizes[*d] == 1 { isize::MAX } else { from.strides[*d] }));
    let mut axes: Vec<Axis> = order.iter().map(|d| axis_of(*d)).collect();
    let ordered = from.permuted(&order);
    let mut copy = Vec::new();
    let count = ordered.elements();
    let mut x = if ordered.is_row_major() {
        &x[from.offset..from.offset + count]
    } else {
        for_each_slot(&ordered, |slot| copy.push(x[slot]));
        &copy
    };
    if let Some(pool) = pool.filter(|_| float::supports_pooling(&axes)) {
        let out_offset = to.offset.cast_signed();
        return pool(Pooling { reducer: task.reducer, axes: &axes, x, out, out_offset, init }, context);
    }
    let leaf = axes.iter().rposition(|axis| !axis.is_unwindowed()).unwrap_or(axes.len().saturating_sub(1));
    let mut rows = RowBuffers::default();
    let mut is_internal = false;
    for d in 0..leaf {
        if axes[d].window.size > MAX_DIRECT_WINDOW {
            copy = reduce_long_window(&mut axes, d, x, is_internal, accumulator, &mut rows);
            (x, is_internal) = (&copy, true);
            context.check_cancelled()?;
        }
    }
    if axes.is_empty() {
        axes.push(Axis { size: 1, positions: 1, window: UNIT_WINDOW, out_stride: 0 });
    }
    let inner = axes[leaf + 1..].iter().map(|axis| axis.size).product();
    let covered =
        axes[..leaf].iter().map(|axis| (0..axis.positions).map(|position| axis.covered(position)).collect());
    let row_window = RowWindow::new(&axes[leaf], inner);
    let mut expected = 1;
    let has_contiguous_results = axes[leaf..].iter().rev().all(|axis| {
        let fits = axis.positions == 1 || axis.out_stride == expected;
        expected *= axis.positions.cast_signed();
        fits
    });
    let Window { size, stride, dilation, .. } = axes[leaf].window;
    let can_slide = has_contiguous_results
        && size <= MAX_DIRECT_WINDOW
        && (stride == 1 || stride == 2 && dilation == 1 && inner == 1);
    let slide_row = accumulator.slide.filter(|_| can_slide);
    let rows_of_positions: u64 = axes[..leaf].iter().map(|axis| axis.positions as u64).product();
    let row_steps = task.steps() / rows_of_positions;
    let nest = WindowNest {
        axes: &axes,
        covered: covered.collect(),
        row_window,
        leaf,
        inner,
        init,
        accumulator,
        slide_row,
        has_contiguous_results,
        row_steps,
    };
    let mut buffers: Vec<Vec<T>> = (0..leaf).map(|_| Vec::new()).collect();
    let mut steps = 0;
    nest.accumulate_level(
        0,
        x,
        is_internal,
        Progression::FIRST,
        &mut buffers,
        &mut rows,
        out,
        to.offset.cast_signed(),
        context,
        &mut steps,
    )?;
    context.tick(steps)
}

/// A window of one tap.
const UNIT_WINDOW: Window =
    Window { size: 1, stride: 1, low: 0, high: 0, base_dilation: 1, dilation: 1, is_reversed: false };

/// Reduces a long window along dimension `d` of the whole array. Returns the reduced array, in which the dimension
/// has no window.
fn reduce_long_window<T: Element>(
    axes: &mut [Axis],
    d: usize,
    x: &[T],
    is_internal: bool,
    accumulator: &Accumulator<T, T>,
    rows: &mut RowBuffers<T>,
) -> Vec<T> {
    let axis = axes[d];
    let inner: usize = axes[d + 1..].iter().map(|axis| axis.size).product();
    let mut reduced = Vec::with_capacity(x.len() / axis.size * axis.positions);
    let row_window = RowWindow::new(&axis, inner);
    for slab in x.chunks_exact(axis.size * inner) {
        rows.result.resize(axis.positions * inner, accumulator.identity);
        row_window.pad(slab, is_internal, Progression::FIRST, accumulator, rows);
        row_window.accumulate(accumulator, rows);
        reduced.extend_from_slice(&rows.result);
    }
    axes[d] = Axis { size: axis.positions, window: UNIT_WINDOW, ..axis };
    // The padding differs along the next dimension.
    rows.padded.clear();
    reduced
}

impl<T: Element> WindowNest<'_, T> {
    /// At one position of the dimensions before `d`: accumulates the covered elements of `x`, each a slab of all dimensions from
    /// `d` on, into one slab, and visits the positions along `d`. `is_internal` says whether `x` is in the accumulator's internal
    /// form.
    #[allow(clippy::too_many_arguments, reason = "source, destination and workspace of a recursion")]
    fn accumulate_level(
        &self,
        d: usize,
        x: &[T],
        is_internal: bool,
        elements: Progression,
        buffers: &mut [Vec<T>],
        rows: &mut RowBuffers<T>,
        out: &mut [T],
        to: isize,
        context: &mut Context,
        steps: &mut u64,
    ) -> Result<(), KernelError> {
        let axis = &self.axes[d];
        if d == self.leaf {
            self.row_window.pad(x, is_internal, elements, self.accumulator, rows);
            let (length, window) = (axis.positions * self.inner, axis.window);
            if let Some(slide_row) = self.slide_row {
                let (to, tap_distance) = (to.cast_unsigned(), window.dilation * self.inner);
                let out = &mut out[to..to + length];
                slide_row(&rows.padded, out, window.size, window.stride, tap_distance, self.init);
            } else {
                rows.result.resize(length, self.accumulator.identity);
                self.row_window.accumulate(self.accumulator, rows);
                (self.accumulator.finish)(&mut rows.result, self.init);
                self.write(&rows.result, out, to);
            }
            *steps += self.row_steps;
            if *steps >= CANCEL_CHECK_INTERVAL_TAPS {
                context.tick(std::mem::take(steps))?;
            }
            return Ok(());
        }
        let slab: usize = self.axes[d + 1..].iter().map(|axis| axis.size).product();
        let length = axis.size * slab;
        let Progression { first, count, step } = elements;
        let Some((buffer, deeper)) = buffers.split_first_mut() else { return Err(KernelError::InvalidTask) };
        let (x, is_internal) = if count == 1 {
            (&x[first * length..][..length], is_internal)
        } else {
            buffer.resize(length, self.accumulator.identity);
            if count == 0 {
                buffer.fill(self.accumulator.identity);
            } else {
                let overwrite = if is_internal {
                    self.accumulator.overwrite_columns
                } else {
                    self.accumulator.begin_columns
                };
                overwrite(buffer, &x[first * length..], step * length, count);
            }
            (&buffer[..], true)
        };
        for (position, covered) in self.covered[d].iter().enumerate() {
            let to = to + axis.out_stride * position.cast_signed();
            self.accumulate_level(d + 1, x, is_internal, *covered, deeper, rows, out, to, context, steps)?;
        }
        Ok(())
    }

    /// Writes a row of results: the leaf and the dimensions inside it.
    fn write(&self, row: &[T], out: &mut [T], to: isize) {
        let axes = &self.axes[self.leaf..];
        if self.has_contiguous_results {
            let to = to.cast_unsigned();
            out[to..to + row.len()].copy_from_slice(row);
            return;
        }
        let view = crate::support::view::View {
            offset: to.cast_unsigned(),
            sizes: axes.iter().map(|axis| axis.positions).collect(),
            strides: axes.iter().map(|axis| axis.out_stride).collect(),
        };
        let mut row = row.iter();
        for_each_slot(&view, |slot| {
            if let Some(x) = row.next() {
                out[slot] = *x;
            }
        });
    }
}
