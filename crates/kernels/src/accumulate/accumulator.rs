//! The interface of accumulators: how elements of one type are accumulated in rows and in columns.

use crate::description::parts::Reducer;
use crate::ground::element::Type;

/// Cells behind a row that are read and not used.
pub const SLACK_CELLS: usize = 16;
/// Elements of a row that are accumulated at once. Under Miri two pages.
pub const PIECE_CELLS: usize = if cfg!(miri) { 1 << 8 } else { 1 << 14 };

/// A window that slides along a row: see [`Accumulator::slide`].
pub type SlideRow<A> = fn(from: &[A], to: &mut [A], size: usize, stride: usize, apart: usize, init: A);

/// Functions that read several interleaved streams; the results are those of [`Accumulator::rows`] and [`Accumulator::columns`].
pub struct Streams<T: 'static, A: 'static> {
    /// Streams.
    pub together: usize,
    /// Accumulates so many pieces of [`PIECE_CELLS`] elements, which are contiguous, into the result.
    pub pieces: fn(to: &mut A, from: &[T]),
    /// As `columns`, of so many blocks of rows, `apart` from one to the next: the results of each are contiguous.
    pub blocks: fn(to: &mut [A], from: &[T], apart: usize, stride: usize, count: usize),
}

/// How elements `T` are combined, in partial results `A`.
pub struct Accumulator<T: 'static, A: 'static> {
    /// The identity.
    pub start: A,
    /// Accumulates row `j`, `length` cells from `j · stride` on, into result `j`.
    pub rows: fn(to: &mut [A], from: &[T], stride: usize, length: usize),
    /// Accumulates `count` rows, `stride` apart and as long as there are results, into the results, one after the other.
    pub columns: fn(to: &mut [A], from: &[T], stride: usize, count: usize),
    /// As `columns`, of at least one row, whatever the results are before.
    pub fresh: fn(to: &mut [A], from: &[T], stride: usize, count: usize),
    /// As `fresh`, of the operand's elements, where results are held in a form of their own until `finish`.
    pub enter: fn(to: &mut [A], from: &[T], stride: usize, count: usize),
    /// Accumulates an initial value into each result; a NaN is the canonical one.
    pub finish: fn(results: &mut [A], init: A),
    /// Where the type has it: accumulates `size` cells, `apart` from one to the next, at each place of a row, `stride` (1, or 2
    /// where `apart` is 1) from one place to the next, and does what `finish` does. The row is [`SLACK_CELLS`] cells longer.
    pub slide: Option<SlideRow<A>>,
    /// Where the type has them: functions that read several interleaved streams.
    pub streams: Option<&'static Streams<T, A>>,
    /// Cells of even places, and those of odd ones.
    pub split: fn(from: &[T], even: &mut [T], odd: &mut [T]),
    /// An element as a partial result.
    pub widen: fn(T) -> A,
    /// A result as an element.
    pub narrow: fn(A) -> T,
    /// Writes results as elements, from a cell on, `stride` apart.
    pub write: fn(results: &[A], out: &mut [T], to: isize, stride: isize),
}

/// Whether elements of a type are accumulated by a reducer.
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
pub fn write<T: Copy>(results: &[T], out: &mut [T], to: isize, stride: isize) {
    if stride == 1 {
        let to = to.cast_unsigned();
        out[to..to + results.len()].copy_from_slice(results);
        return;
    }
    for (j, result) in results.iter().enumerate() {
        out[(to + stride * j.cast_signed()).cast_unsigned()] = *result;
    }
}
