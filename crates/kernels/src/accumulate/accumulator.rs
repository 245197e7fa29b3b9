//! The interface of accumulators: how elements of one type are accumulated in rows and in columns.

use crate::description::parts::Reducer;
use crate::support::element::Type;

/// Elements after a row that vector loads may read; their values are not used.
pub const SLACK_ELEMENTS: usize = 16;
/// Maximum number of elements of a row that are accumulated in one call. Fewer under Miri.
pub const CHUNK_ELEMENTS: usize = if cfg!(miri) { 1 << 8 } else { 1 << 14 };

/// A function that reduces the windows along a row: see [`Accumulator::slide`].
pub type SlideRow<A> = fn(from: &[A], to: &mut [A], size: usize, stride: usize, dilation: usize, init: A);

/// Variants of [`Accumulator::rows`] and [`Accumulator::columns`] that interleave the reads of several streams, with the same
/// results.
pub struct InterleavedFunctions<T: 'static, A: 'static> {
    /// The number of streams.
    pub stream_count: usize,
    /// Accumulates `stream_count` contiguous chunks of [`CHUNK_ELEMENTS`] elements into one result.
    pub accumulate_chunks: fn(to: &mut A, from: &[T]),
    /// [`Accumulator::columns`] of `stream_count` blocks of `count` rows; the blocks begin `block_stride` elements from each
    /// other. `to` has the results of the blocks in order.
    pub accumulate_blocks: fn(to: &mut [A], from: &[T], block_stride: usize, stride: usize, count: usize),
}

/// The functions of a reduction of elements `T` with partial results `A`.
pub struct Accumulator<T: 'static, A: 'static> {
    /// The identity of the reduction.
    pub identity: A,
    /// Accumulates each row into one result: row `j` is the `length` elements from `j · stride` on, its result is `to[j]`.
    pub rows: fn(to: &mut [A], from: &[T], stride: usize, length: usize),
    /// Accumulates `count` rows, element by element and in order, into `to`; a row has `to.len()` elements, and rows begin
    /// `stride` elements from each other.
    pub columns: fn(to: &mut [A], from: &[T], stride: usize, count: usize),
    /// As `columns`, but `to` is overwritten. `count` is at least 1.
    pub overwrite_columns: fn(to: &mut [A], from: &[T], stride: usize, count: usize),
    /// As `overwrite_columns`, but the results are in the internal form (see [`LaneReducer`]), which `finish` converts back.
    pub begin_columns: fn(to: &mut [A], from: &[T], stride: usize, count: usize),
    /// Accumulates the initial value into each result, and canonicalizes NaN.
    pub finish: fn(results: &mut [A], init: A),
    /// Reduces a window that slides along a row, and applies `finish`, in one pass; `None` where the type has none. Result `j`
    /// accumulates `size` elements, `dilation` elements from each other, from `j · stride` on; `stride` is 1, or 2 if
    /// `dilation` is 1. `from` has [`SLACK_ELEMENTS`] more elements than are used.
    pub slide: Option<SlideRow<A>>,
    /// Variants for large operands; `None` where the type has none.
    pub interleaved: Option<&'static InterleavedFunctions<T, A>>,
    /// Deinterleaves: the elements of even indices, and those of odd ones.
    pub deinterleave: fn(from: &[T], even: &mut [T], odd: &mut [T]),
    /// An element as a partial result.
    pub widen: fn(T) -> A,
    /// A result as an element.
    pub narrow: fn(A) -> T,
    /// Writes results as elements of `out`, from slot `start` on, `stride` elements apart.
    pub write: fn(results: &[A], out: &mut [T], start: isize, stride: isize),
}

/// Whether a type has an accumulator for a reducer.
pub fn supports(ty: Type, reducer: Reducer) -> bool {
    match ty {
        Type::F16 | Type::BF16 | Type::F32 | Type::F64 => {
            matches!(reducer, Reducer::Add | Reducer::Mul | Reducer::Min | Reducer::Max)
        }
        Type::C64 | Type::C128 => matches!(reducer, Reducer::Add | Reducer::Mul),
        _ => true,
    }
}

/// [`Accumulator::write`] of results that are elements.
pub fn write<T: Copy>(results: &[T], out: &mut [T], start: isize, stride: isize) {
    if stride == 1 {
        let start = start.cast_unsigned();
        out[start..start + results.len()].copy_from_slice(results);
        return;
    }
    for (j, result) in results.iter().enumerate() {
        out[(start + stride * j.cast_signed()).cast_unsigned()] = *result;
    }
}
