//! Reductions over any dimensions and layout: the loop nest.
//!
//! Dimensions are sorted by stride and coalesced where they are contiguous. If the innermost one is reduced, rows
//! are reduced, several at a time ([`Accumulator::rows`]); if it is kept, rows are combined element by element with a
//! row of results ([`Accumulator::columns`]). Short dimensions do not hit a slow path.
//!
//! The order in which elements are accumulated is fixed, and the same on every machine; it depends on the layout. Contiguous rows
//! are accumulated in the order of memory, each from the result of the one before. Within a reduced row, element `i` of each
//! [`CHUNK_ELEMENTS`] is accumulated in partial result `i mod k` (`f32`: k is 32 from 128 elements on, else 4; `f64`
//! and complex numbers: 8), these are combined in a fixed order, then the remaining elements one by one, and the
//! results of the chunks are accumulated in order. If few elements are reduced and the innermost dimension is short,
//! they are accumulated one by one. The initial value is combined last. `f16` and `bf16` are accumulated in `f32` and
//! rounded once at the end, where the reference rounds at each step. A computed NaN is canonical.

use crate::accumulate::accumulator::{Accumulator, CHUNK_ELEMENTS, supports};
use crate::accumulate::dimensions::{Dimension, count_steps, for_each_offset};
use crate::accumulate::float;
use crate::accumulate::half;
use crate::accumulate::loops;
use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelEntry, only_in_kernel_builds};
use crate::description::parts::Reducer;
use crate::reduce::interleaved::reduce_interleaved;
use crate::reduce::task::Reduce;
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::{Element, Slice, SliceMut};

/// Maximum number of results that are accumulated at a time.
const MAX_RESULTS_AT_ONCE: usize = 4096;
/// Maximum number of reduced elements per result for [`reduce_gathered`].
const MAX_GATHERED_ELEMENTS: usize = 32;
/// Minimum size of a kept innermost dimension for which [`Accumulator::columns`] is used; below, [`reduce_gathered`] is
/// faster if few elements are reduced.
const MIN_KEPT_COLUMNS: usize = 8;
/// Minimum size of a reduced innermost dimension for which [`Accumulator::rows`] is used, likewise.
const MIN_ROW_ELEMENTS: usize = 3;
/// Maximum number of results that [`reduce_gathered`] computes at a time.
const MAX_GATHERED_RESULTS: usize = 512;
/// Minimum number of elements of an operand that is read as several interleaved streams.
const MIN_INTERLEAVED_ELEMENTS: usize = if cfg!(miri) { 1 << 9 } else { 1 << 19 };

/// The kernels of [`Reduce`].
pub static KERNELS: &[KernelEntry<Reduce>] = &[
    kernel("reduce f32", true, |task| is_supported(task) && task.operand.ty == Type::F32),
    kernel("reduce f16 bf16 in f32", true, |task| {
        is_supported(task) && matches!(task.operand.ty, Type::F16 | Type::BF16)
    }),
    kernel("reduce loop", false, is_supported),
];

const fn kernel(name: &'static str, is_vector: bool, supports: fn(&Reduce) -> bool) -> KernelEntry<Reduce> {
    KernelEntry {
        kernel: Kernel { name, is_vector, error_bound_ulp: 1.0 },
        supports,
        run: only_in_kernel_builds(run),
    }
}

fn is_supported(task: &Reduce) -> bool {
    supports(task.operand.ty, task.reducer)
}

fn run(task: CheckedTask<Reduce>, context: &mut Context) -> Result<(), KernelError> {
    let (task, [operand, init], [out]) = task.into_parts() else { return Err(KernelError::InvalidTask) };
    match (operand, init, out) {
        (Slice::F32(x), Slice::F32(init), SliceMut::F32(out)) => {
            reduce(task, x, init, out, &float::accumulator(task.reducer), context)
        }
        (Slice::U16(x), Slice::U16(init), SliceMut::U16(out)) if task.operand.ty == Type::F16 => {
            reduce(task, x, init, out, &half::f16_accumulator(task.reducer), context)
        }
        (Slice::U16(x), Slice::U16(init), SliceMut::U16(out)) if task.operand.ty == Type::BF16 => {
            reduce(task, x, init, out, &half::bf16_accumulator(task.reducer), context)
        }
        (Slice::F64(x), Slice::F64(init), SliceMut::F64(out)) => {
            reduce(task, x, init, out, &loops::f64_accumulator(task.reducer), context)
        }
        (Slice::C64(x), Slice::C64(init), SliceMut::C64(out)) => {
            reduce(task, x, init, out, &loops::c64_accumulator(task.reducer), context)
        }
        (Slice::C128(x), Slice::C128(init), SliceMut::C128(out)) => {
            reduce(task, x, init, out, &loops::c128_accumulator(task.reducer), context)
        }
        (operand, init, out) => {
            macro_rules! integers {
                (($operand:expr, $init:expr, $out:expr) $($variant:ident $native:ident)*) => {
                    match ($operand, $init, $out) {
                        $((Slice::$variant(x), Slice::$variant(init), SliceMut::$variant(out)) => {
                            reduce(task, x, init, out, &loops::integers::<$native>(task.reducer, task.operand.ty), context)
                        })*
                        _ => Err(KernelError::WrongKernel),
                    }
                };
            }
            // Only min and max depend on the sign; the other reducers run on unsigned integers.
            if matches!(task.reducer, Reducer::Min | Reducer::Max) {
                integers!((operand, init, out) U8 u8 U16 u16 U32 u32 U64 u64 I8 i8 I16 i16 I32 i32 I64 i64)
            } else {
                integers!((operand.as_bits(), init.as_bits(), out.as_bits_mut()) U8 u8 U16 u16 U32 u32 U64 u64)
            }
        }
    }
}

/// The dimensions in the operand's order in memory, and the first slots of operand and result.
fn dimensions(task: &Reduce) -> Result<(Vec<Dimension>, isize, isize), KernelError> {
    let (operand, out) = (&task.operand.view, &task.out.view);
    let (mut base, mut base_out) = (operand.offset.cast_signed(), out.offset.cast_signed());
    let mut kept = out.strides.iter();
    let mut all = Vec::new();
    for (d, (size, stride)) in operand.sizes.iter().zip(&operand.strides).enumerate() {
        let is_reduced = task.dimensions.contains(&d);
        let out_stride = if is_reduced { 0 } else { kept.next().copied().ok_or(KernelError::InvalidTask)? };
        let mut dimension = Dimension { size: *size, stride: *stride, out_stride, is_reduced };
        if *stride < 0 {
            let last = (*size).max(1).cast_signed() - 1;
            (base, base_out) = (base + stride * last, base_out + out_stride * last);
            (dimension.stride, dimension.out_stride) = (-stride, -out_stride);
        }
        if *size != 1 {
            all.push(dimension);
        }
    }
    all.sort_by_key(|d| std::cmp::Reverse(d.stride));
    let mut coalesced: Vec<Dimension> = Vec::new();
    for d in all {
        let size = d.size.cast_signed();
        match coalesced.last_mut() {
            Some(outer)
                if outer.is_reduced == d.is_reduced
                    && outer.stride == d.stride * size
                    && outer.out_stride == d.out_stride * size =>
            {
                *outer = Dimension { size: outer.size * d.size, ..d };
            }
            _ => coalesced.push(d),
        }
    }
    Ok((coalesced, base, base_out))
}

/// Accumulates `reduced.size` elements in each of the results, whose elements are `kept.stride` elements apart.
fn accumulate_columns<T: Element, A: Copy>(
    results: &mut [A],
    x: &[T],
    start: usize,
    [reduced, kept]: [Dimension; 2],
    scratch: &mut Vec<T>,
    accumulator: &Accumulator<T, A>,
) {
    if kept.stride == 1 {
        (accumulator.columns)(results, &x[start..], reduced.stride.cast_unsigned(), reduced.size);
        return;
    }
    for i in 0..reduced.size {
        let row_start = start + reduced.stride.cast_unsigned() * i;
        gather(scratch, x, row_start, kept.stride, results.len());
        (accumulator.columns)(results, scratch, 0, 1);
    }
}

/// A reduction over a dimension of size 0: fills the result with the initial value.
fn fill_with_init<T: Element, A: Copy>(
    kept: &[Dimension],
    base_out: isize,
    init: A,
    out: &mut [T],
    accumulator: &Accumulator<T, A>,
) -> Result<(), KernelError> {
    let mut result = [accumulator.identity];
    (accumulator.finish)(&mut result, init);
    let result = (accumulator.narrow)(result[0]);
    for_each_offset(kept, 0, base_out, |_, out_start| {
        out[out_start.cast_unsigned()] = result;
        Ok(())
    })
}

/// Removes the innermost reduced and the innermost kept dimension. Returns the innermost of the two, then `[reduced, kept]`.
fn split_inner(dimensions: &mut Vec<Dimension>) -> (Dimension, [Dimension; 2]) {
    let one = Dimension { size: 1, stride: 1, out_stride: 1, is_reduced: true };
    let inner = dimensions.pop().unwrap_or(one);
    let other =
        dimensions.iter().rposition(|d| d.is_reduced != inner.is_reduced).map(|d| dimensions.remove(d));
    let other =
        other.unwrap_or(Dimension { size: 1, stride: 0, out_stride: 0, is_reduced: !inner.is_reduced });
    (inner, if inner.is_reduced { [inner, other] } else { [other, inner] })
}

/// Reduces `x` into `out`. The innermost reduced (`row`) and innermost kept (`inner_kept`) dimensions are iterated
/// together.
fn reduce<T: Element, A: Copy>(
    task: &Reduce,
    x: &[T],
    init: &[T],
    out: &mut [T],
    accumulator: &Accumulator<T, A>,
    context: &mut Context,
) -> Result<(), KernelError> {
    let (mut dimensions, base, base_out) = dimensions(task)?;
    let Some(init) = init.first().map(|init| (accumulator.widen)(*init)) else {
        return Err(KernelError::InvalidTask);
    };
    if task.out.view.sizes.contains(&0) {
        return Ok(());
    }
    if dimensions.iter().any(|d| d.size == 0) {
        dimensions.retain(|d| !d.is_reduced);
        return fill_with_init(&dimensions, base_out, init, out, accumulator);
    }
    let reduced_elements: usize = dimensions.iter().filter(|d| d.is_reduced).map(|d| d.size).product();
    if reduced_elements <= MAX_GATHERED_ELEMENTS
        && dimensions.last().is_some_and(|inner| {
            inner.size < if inner.is_reduced { MIN_ROW_ELEMENTS } else { MIN_KEPT_COLUMNS }
        })
    {
        return reduce_gathered(&dimensions, (base, base_out), x, init, out, accumulator, context);
    }
    let (inner, [row, inner_kept]) = split_inner(&mut dimensions);
    let (reduced, mut kept): (Vec<_>, Vec<_>) = dimensions.into_iter().partition(|d| d.is_reduced);
    let (mut base, mut base_out) = (base, base_out);
    if !inner.is_reduced && reduced.is_empty() && x.len() >= MIN_INTERLEAVED_ELEMENTS {
        // The remaining blocks take the general path.
        let has_remainder = reduce_interleaved(
            &mut kept,
            [row, inner_kept],
            [&mut base, &mut base_out],
            x,
            init,
            out,
            accumulator,
            context,
        )?;
        if !has_remainder {
            return Ok(());
        }
    }
    let out_stride = inner_kept.out_stride;
    let (mut results, mut scratch, mut steps) = (Vec::with_capacity(MAX_RESULTS_AT_ONCE), Vec::new(), 0);
    // Short rows are reduced many at a time, a long one by itself, in chunks.
    let max_results = if inner.is_reduced && row.size > CHUNK_ELEMENTS { 1 } else { MAX_RESULTS_AT_ONCE };
    for_each_offset(&kept, base, base_out, |base, base_out| {
        for first in (0..inner_kept.size).step_by(max_results) {
            let count = max_results.min(inner_kept.size - first);
            results.clear();
            results.resize(count, accumulator.identity);
            for_each_offset(&reduced, base + inner_kept.stride * first.cast_signed(), 0, |start, _| {
                if inner.is_reduced {
                    let mut next = 0;
                    while next < row.size {
                        let chunk = next;
                        let chunk_start = (start + row.stride * chunk.cast_signed()).cast_unsigned();
                        let interleaved = accumulator.interleaved.filter(|interleaved| {
                            max_results == 1
                                && row.stride == 1
                                && row.size - chunk >= interleaved.stream_count * CHUNK_ELEMENTS
                        });
                        if let (Some(interleaved), [result]) = (interleaved, results.as_mut_slice()) {
                            let length = interleaved.stream_count * CHUNK_ELEMENTS;
                            (interleaved.accumulate_chunks)(result, &x[chunk_start..chunk_start + length]);
                            count_steps(context, &mut steps, length)?;
                            next += length;
                            continue;
                        }
                        let length = CHUNK_ELEMENTS.min(row.size - chunk);
                        next += length;
                        let stride = inner_kept.stride.cast_unsigned();
                        if row.stride == 1 {
                            (accumulator.rows)(&mut results, &x[chunk_start..], stride, length);
                        } else {
                            strided_rows(
                                &mut results,
                                x,
                                chunk_start,
                                inner_kept.stride,
                                row.stride,
                                length,
                                &mut scratch,
                                accumulator,
                            );
                        }
                        count_steps(context, &mut steps, length * count)?;
                    }
                    Ok(())
                } else {
                    accumulate_columns(
                        &mut results,
                        x,
                        start.cast_unsigned(),
                        [row, inner_kept],
                        &mut scratch,
                        accumulator,
                    );
                    count_steps(context, &mut steps, count * row.size)
                }
            })?;
            (accumulator.finish)(&mut results, init);
            (accumulator.write)(&results, out, base_out + out_stride * first.cast_signed(), out_stride);
        }
        Ok(())
    })
}

/// Reduces few elements with a short innermost dimension: accumulates the first elements of many results along the
/// longest kept dimension, gathered into a row, then the second elements, and so on.
fn reduce_gathered<T: Element, A: Copy>(
    dimensions: &[Dimension],
    (base, base_out): (isize, isize),
    x: &[T],
    init: A,
    out: &mut [T],
    accumulator: &Accumulator<T, A>,
    context: &mut Context,
) -> Result<(), KernelError> {
    let (reduced, mut kept): (Vec<_>, Vec<_>) = dimensions.iter().partition(|d| d.is_reduced);
    let mut elements = Vec::new();
    for_each_offset(&reduced, 0, 0, |offset, _| {
        elements.push(offset);
        Ok(())
    })?;
    let longest = (0..kept.len()).max_by_key(|d| kept[*d].size);
    let longest = longest
        .map_or(Dimension { size: 1, stride: 1, out_stride: 1, is_reduced: false }, |d| kept.remove(d));
    let (mut results, mut scratch) =
        (Vec::with_capacity(MAX_GATHERED_RESULTS), Vec::with_capacity(MAX_GATHERED_RESULTS));
    let mut steps = 0;
    for_each_offset(&kept, base, base_out, |start, out_start| {
        for first in (0..longest.size).step_by(MAX_GATHERED_RESULTS) {
            let (count, first) = (MAX_GATHERED_RESULTS.min(longest.size - first), first.cast_signed());
            results.clear();
            results.resize(count, accumulator.identity);
            for element in &elements {
                gather(
                    &mut scratch,
                    x,
                    (start + longest.stride * first + element).cast_unsigned(),
                    longest.stride,
                    count,
                );
                (accumulator.columns)(&mut results, &scratch, 0, 1);
            }
            (accumulator.finish)(&mut results, init);
            (accumulator.write)(&results, out, out_start + longest.out_stride * first, longest.out_stride);
            count_steps(context, &mut steps, count * elements.len())?;
        }
        Ok(())
    })
}

fn gather<T: Element>(scratch: &mut Vec<T>, x: &[T], start: usize, stride: isize, length: usize) {
    scratch.clear();
    scratch.extend((0..length).map(|i| x[start.wrapping_add_signed(stride * i.cast_signed())]));
}

#[allow(clippy::too_many_arguments, reason = "strides and sizes")]
fn strided_rows<T: Element, A: Copy>(
    results: &mut [A],
    x: &[T],
    start: usize,
    row_stride: isize,
    stride: isize,
    length: usize,
    scratch: &mut Vec<T>,
    accumulator: &Accumulator<T, A>,
) {
    for (j, result) in results.iter_mut().enumerate() {
        gather(scratch, x, start.wrapping_add_signed(row_stride * j.cast_signed()), stride, length);
        (accumulator.rows)(std::slice::from_mut(result), scratch, 0, length);
    }
}
