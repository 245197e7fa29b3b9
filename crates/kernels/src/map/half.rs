//! Element-wise functions on rows of `f16` and `bf16`: widened to `f32`, computed, and rounded to nearest, ties to even.

use crate::map::float::{BinaryRow, UnaryRow};
use crate::map::row::BoxedRowFunction;
use crate::map::task::Unary;
use crate::simd::half_rows::{narrow, widen};
use crate::support::element::Type;
use crate::support::slice::{Slice, SliceMut};

/// Elements that are widened at a time.
const CHUNK_ELEMENTS: usize = 256;

/// Adapts a function of `f32` rows to `f32`, `f16` or `bf16`.
pub fn adapt_unary(ty: Type, op: Unary, f: UnaryRow) -> BoxedRowFunction {
    Box::new(move |read: &[Slice], out: &mut SliceMut| match (read, out) {
        ([Slice::F32(x)], SliceMut::F32(out)) => f(x, out),
        ([Slice::U16(x)], SliceMut::U16(out)) => match op {
            // These change the sign bit only, that of NaN too.
            Unary::Negate => x.iter().zip(out.iter_mut()).for_each(|(x, out)| *out = x ^ 0x8000),
            Unary::Abs => x.iter().zip(out.iter_mut()).for_each(|(x, out)| *out = x & 0x7fff),
            _ => {
                let (mut wide, mut result) = ([0.0; CHUNK_ELEMENTS], [0.0; CHUNK_ELEMENTS]);
                for (x, out) in x.chunks(CHUNK_ELEMENTS).zip(out.chunks_mut(CHUNK_ELEMENTS)) {
                    widen(ty, x, &mut wide);
                    f(&wide[..x.len()], &mut result[..x.len()]);
                    narrow(ty, &result, out);
                }
            }
        },
        _ => {}
    })
}

/// Adapts a function of two `f32` rows, as [`adapt_unary`].
pub fn adapt_binary(ty: Type, f: BinaryRow) -> BoxedRowFunction {
    Box::new(move |read: &[Slice], out: &mut SliceMut| match (read, out) {
        ([Slice::F32(a), Slice::F32(b)], SliceMut::F32(out)) => f(a, b, out),
        ([Slice::U16(a), Slice::U16(b)], SliceMut::U16(out)) => {
            let (mut wide_a, mut wide_b, mut result) =
                ([0.0; CHUNK_ELEMENTS], [0.0; CHUNK_ELEMENTS], [0.0; CHUNK_ELEMENTS]);
            for ((a, b), out) in
                a.chunks(CHUNK_ELEMENTS).zip(b.chunks(CHUNK_ELEMENTS)).zip(out.chunks_mut(CHUNK_ELEMENTS))
            {
                widen(ty, a, &mut wide_a);
                widen(ty, b, &mut wide_b);
                f(&wide_a[..a.len()], &wide_b[..a.len()], &mut result[..a.len()]);
                narrow(ty, &result, out);
            }
        }
        _ => {}
    })
}
