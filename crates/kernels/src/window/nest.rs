//! Windows that slide over an array of any rank: pooling, and sums and extremes of neighbourhoods.
//!
//! A window is reduced dimension by dimension: first the cells that are contiguous along the outermost one, as
//! whole rows, and along the innermost one last, within a row. So a window of any rank costs the sum of its sizes, not
//! their product. Within a dimension cells are accumulated in their order; where the stride is above 1 along the
//! innermost one, those of equal remainder by the stride together (but not in the squares that [`crate::window::pool_rows`] and
//! [`crate::window::pool_channels`] pool, whose sums are the same bits in either layout); where a window is longer than [`MAX_DIRECT_WINDOW`], in
//! blocks of powers of two, each of two halves, so that it costs the logarithm of its size. The initial value comes last.
//! Cells in padding and in the gaps of dilations are left out. The order is the same on every machine; it depends on the layout:
//! the outermost dimension in memory comes first.
//!
//! An operand whose dimensions, in the order of their strides, are not contiguous is copied first, `f16` and `bf16` are made `f32`
//! first, and along dimensions other than the innermost a long window keeps the results of the whole array: then there is scratch memory of
//! the operand's size.

use crate::accumulate::accumulator::{Accumulator, supports};
use crate::accumulate::loops;
use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelOf, linked};
use crate::description::parts::{Reducer, Window};
use crate::ground::context::Context;
use crate::ground::element::Type;
use crate::ground::slice::{Cell, Slice, SliceMut};
use crate::ground::stop::Stop;
use crate::ground::walk::each_cell;
use crate::simd::half_rows as half;
use crate::window::float;
use crate::window::pool::{Pool, Pooling};
use crate::window::row::{Along, Axis, MAX_DIRECT_WINDOW, Rows, Taps};
use crate::window::task::ReduceWindow;

/// Cells between cancellation checks.
const CANCEL_CHECK_CELLS: u64 = 1 << 18;

/// The kernels of [`ReduceWindow`].
pub static KERNELS: &[KernelOf<ReduceWindow>] = &[
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
) -> KernelOf<ReduceWindow> {
    KernelOf { kernel: Kernel { name, is_vector, bound: 1.0 }, supports, run: linked(run) }
}

/// Padding so much wider than the operand is left to the reference, which solves for the cells that count.
fn is_wide(task: &ReduceWindow) -> bool {
    let places = &task.out.view.sizes;
    task.window.iter().zip(places).zip(&task.operand.view.sizes).any(|((window, places), size)| {
        *places > 0
            && Axis { size: *size, places: *places, window: *window, to: 0 }.reach() > 4 * size + (1 << 12)
    })
}

fn is_supported(task: &ReduceWindow) -> bool {
    !is_wide(task) && supports(task.operand.ty, task.reducer)
}

fn run(task: CheckedTask<ReduceWindow>, context: &mut Context) -> Result<(), Stop> {
    let (task, [operand, init], [out]) = task.into_parts() else { return Err(Stop::InvalidTask) };
    let ty = task.operand.ty;
    match (operand, init, out) {
        (Slice::F32(x), Slice::F32(init), SliceMut::F32(out)) => {
            slide(task, x, init, out, &float::window_accumulator(task.reducer), Some(float::pool), context)
        }
        (Slice::U16(x), Slice::U16(init), SliceMut::U16(out)) if matches!(ty, Type::F16 | Type::BF16) => {
            let mut wide = vec![0.0; x.len()];
            half::widen(ty, x, &mut wide);
            let mut first = [0.0];
            half::widen(ty, &init[..1], &mut first);
            let mut result = vec![0.0; out.len()];
            slide(
                task,
                &wide,
                &first,
                &mut result,
                &float::window_accumulator(task.reducer),
                Some(float::pool),
                context,
            )?;
            // Cells of the buffer that are not the result's stay what they were.
            each_cell(&task.out.view, |slot| {
                half::narrow(ty, &result[slot..=slot], &mut out[slot..=slot]);
            });
            Ok(())
        }
        (Slice::F64(x), Slice::F64(init), SliceMut::F64(out)) => {
            slide(task, x, init, out, &loops::f64_accumulator(task.reducer), None, context)
        }
        (Slice::C64(x), Slice::C64(init), SliceMut::C64(out)) => {
            slide(task, x, init, out, &loops::c64_accumulator(task.reducer), None, context)
        }
        (Slice::C128(x), Slice::C128(init), SliceMut::C128(out)) => {
            slide(task, x, init, out, &loops::c128_accumulator(task.reducer), None, context)
        }
        (operand, init, out) => {
            macro_rules! integers {
                (($operand:expr, $init:expr, $out:expr) $($variant:ident $native:ident)*) => {
                    match ($operand, $init, $out) {
                        $((Slice::$variant(x), Slice::$variant(init), SliceMut::$variant(out)) => {
                            slide(task, x, init, out, &loops::integers::<$native>(task.reducer, ty), None, context)
                        })*
                        _ => Err(Stop::WrongKernel),
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

/// [`Accumulator::slide`].
type Sweep<T> = fn(&[T], &mut [T], usize, usize, usize, T);

/// A window reduction, as every level of the nest reads it.
struct Slide<'a, T: 'static> {
    axes: &'a [Axis],
    /// Of each dimension before the leaf, the elements that the window lies on at each place.
    taps: Vec<Vec<Taps>>,
    row: Along,
    /// The dimension within whose rows the window slides last.
    leaf: usize,
    /// Elements inside of an element of the leaf.
    inner: usize,
    init: T,
    accumulator: &'a Accumulator<T, T>,
    /// [`Accumulator::slide`], where it does all of the leaf.
    whole: Option<Sweep<T>>,
    /// Whether the results of a row are contiguous.
    is_whole: bool,
}

fn slide<T: Cell>(
    task: &ReduceWindow,
    x: &[T],
    init: &[T],
    out: &mut [T],
    accumulator: &Accumulator<T, T>,
    pool: Option<Pooling<T>>,
    context: &mut Context,
) -> Result<(), Stop> {
    let (from, to) = (&task.operand.view, &task.out.view);
    let init = init.first().copied().ok_or(Stop::InvalidTask)?;
    if to.sizes.contains(&0) {
        return Ok(());
    }
    if from.sizes.contains(&0) {
        let mut only = [accumulator.start];
        (accumulator.finish)(&mut only, init);
        each_cell(to, |slot| out[slot] = only[0]);
        return Ok(());
    }
    // In the operand's order in memory, without dimensions of one element that no window pads.
    let along = |d: usize| Axis {
        size: from.sizes[d],
        places: to.sizes[d],
        window: task.window[d],
        to: to.strides[d],
    };
    let mut order: Vec<usize> =
        (0..from.rank()).filter(|d| from.sizes[*d] > 1 || !along(*d).is_plain()).collect();
    order.sort_by_key(|d| std::cmp::Reverse(if from.sizes[*d] == 1 { isize::MAX } else { from.strides[*d] }));
    let mut axes: Vec<Axis> = order.iter().map(|d| along(*d)).collect();
    let ordered = from.permuted(&order);
    let mut copy = Vec::new();
    let cells = ordered.elements();
    let mut x = if ordered.is_row_major() {
        &x[from.offset..from.offset + cells]
    } else {
        each_cell(&ordered, |slot| copy.push(x[slot]));
        &copy
    };
    if let Some(pool) = pool.filter(|_| float::pools(&axes)) {
        let to = to.offset.cast_signed();
        return pool(Pool { fold: task.reducer, axes: &axes, x, out, to, init }, context);
    }
    let leaf = axes.iter().rposition(|axis| !axis.is_plain()).unwrap_or(axes.len().saturating_sub(1));
    let mut rows = Rows::default();
    let mut is_inner = false;
    for d in 0..leaf {
        if axes[d].window.size > MAX_DIRECT_WINDOW {
            copy = long(&mut axes, d, x, is_inner, accumulator, &mut rows);
            (x, is_inner) = (&copy, true);
            context.tick(cells as u64)?;
        }
    }
    if axes.is_empty() {
        axes.push(Axis { size: 1, places: 1, window: ONE, to: 0 });
    }
    let inner = axes[leaf + 1..].iter().map(|axis| axis.size).product();
    let table = axes[..leaf].iter().map(|axis| (0..axis.places).map(|place| axis.taps(place)).collect());
    let row = Along::new(&axes[leaf], inner);
    let mut expected = 1;
    let is_whole = axes[leaf..].iter().rev().all(|axis| {
        let fits = axis.places == 1 || axis.to == expected;
        expected *= axis.places.cast_signed();
        fits
    });
    let Window { size, stride, dilation, .. } = axes[leaf].window;
    let is_simple =
        is_whole && size <= MAX_DIRECT_WINDOW && (stride == 1 || stride == 2 && dilation == 1 && inner == 1);
    let whole = accumulator.slide.filter(|_| is_simple);
    let slide =
        Slide { axes: &axes, taps: table.collect(), row, leaf, inner, init, accumulator, whole, is_whole };
    let mut buffers: Vec<Vec<T>> = (0..leaf).map(|_| Vec::new()).collect();
    let mut steps = 0;
    slide.level(
        0,
        x,
        is_inner,
        (0, 1, 0),
        &mut buffers,
        &mut rows,
        out,
        to.offset.cast_signed(),
        context,
        &mut steps,
    )?;
    context.tick(steps)
}

/// A window of one cell.
const ONE: Window =
    Window { size: 1, stride: 1, low: 0, high: 0, base_dilation: 1, dilation: 1, is_reversed: false };

/// Accumulates along a dimension for the whole array, and makes the dimension a plain one.
fn long<T: Cell>(
    axes: &mut [Axis],
    d: usize,
    x: &[T],
    is_inner: bool,
    accumulator: &Accumulator<T, T>,
    rows: &mut Rows<T>,
) -> Vec<T> {
    let own = axes[d];
    let inner: usize = axes[d + 1..].iter().map(|axis| axis.size).product();
    let mut made = Vec::with_capacity(x.len() / own.size * own.places);
    let along = Along::new(&own, inner);
    for outer in x.chunks_exact(own.size * inner) {
        rows.result.resize(own.places * inner, accumulator.start);
        along.pad(outer, is_inner, (0, 1, 0), accumulator, rows);
        along.fold(accumulator, rows);
        made.extend_from_slice(&rows.result);
    }
    axes[d] = Axis { size: own.places, window: ONE, ..own };
    // Its padding is not the next dimension's.
    rows.padded.clear();
    made
}

impl<T: Cell> Slide<'_, T> {
    /// An index of the dimensions before `d`: combines these rows of `x`, each as long as all dimensions from `d` on, and visits
    /// the places along `d`.
    #[allow(clippy::too_many_arguments, reason = "where to read, where to write, and memory on the way")]
    fn level(
        &self,
        d: usize,
        x: &[T],
        is_inner: bool,
        (first, count, step): Taps,
        buffers: &mut [Vec<T>],
        rows: &mut Rows<T>,
        out: &mut [T],
        to: isize,
        context: &mut Context,
        steps: &mut u64,
    ) -> Result<(), Stop> {
        let axis = &self.axes[d];
        if d == self.leaf {
            self.row.pad(x, is_inner, (first, count, step), self.accumulator, rows);
            let (length, window) = (axis.places * self.inner, axis.window);
            if let Some(sweep) = self.whole {
                let (to, apart) = (to.cast_unsigned(), window.dilation * self.inner);
                let out = &mut out[to..to + length];
                sweep(&rows.padded, out, window.size, window.stride, apart, self.init);
            } else {
                rows.result.resize(length, self.accumulator.start);
                self.row.fold(self.accumulator, rows);
                (self.accumulator.finish)(&mut rows.result, self.init);
                self.write(&rows.result, out, to);
            }
            *steps += (axis.size * self.inner * (count + 2)) as u64;
            if *steps >= CANCEL_CHECK_CELLS {
                context.tick(std::mem::take(steps))?;
            }
            return Ok(());
        }
        let slab: usize = self.axes[d + 1..].iter().map(|axis| axis.size).product();
        let length = axis.size * slab;
        let Some((buffer, deeper)) = buffers.split_first_mut() else { return Err(Stop::InvalidTask) };
        let (x, is_inner) = if count == 1 {
            (&x[first * length..][..length], is_inner)
        } else {
            buffer.resize(length, self.accumulator.start);
            if count == 0 {
                buffer.fill(self.accumulator.start);
            } else {
                let enter = if is_inner { self.accumulator.fresh } else { self.accumulator.enter };
                enter(buffer, &x[first * length..], step * length, count);
            }
            (&buffer[..], true)
        };
        for (place, taps) in self.taps[d].iter().enumerate() {
            let to = to + axis.to * place.cast_signed();
            self.level(d + 1, x, is_inner, *taps, deeper, rows, out, to, context, steps)?;
        }
        Ok(())
    }

    /// A row of results, with the dimensions inside of the leaf.
    fn write(&self, row: &[T], out: &mut [T], to: isize) {
        let axes = &self.axes[self.leaf..];
        if self.is_whole {
            let to = to.cast_unsigned();
            out[to..to + row.len()].copy_from_slice(row);
            return;
        }
        let view = crate::ground::view::View {
            offset: to.cast_unsigned(),
            sizes: axes.iter().map(|axis| axis.places).collect(),
            strides: axes.iter().map(|axis| axis.to).collect(),
        };
        let mut row = row.iter();
        each_cell(&view, |slot| {
            if let Some(x) = row.next() {
                out[slot] = *x;
            }
        });
    }
}
