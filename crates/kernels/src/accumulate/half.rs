//! Accumulators of `f16` and `bf16`: widened to `f32`, accumulated there, rounded once.

use crate::accumulate::accumulator::Accumulator;
use crate::accumulate::float;
use crate::accumulate::float_columns::accumulate_into;
use crate::accumulate::operators::{Add, LaneReducer, Max, Min, Mul};
use crate::description::parts::Reducer;
use crate::simd::half_rows as half;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;
use crate::support::element::Type;

/// Elements that are widened at a time.
const CHUNK_ELEMENTS: usize = 512;

macro_rules! halves {
    ($name:ident $ty:ident $from:path, $to:path) => {
        /// [`float::accumulator`] of elements that are widened first.
        pub fn $name(reducer: Reducer) -> Accumulator<u16, f32> {
            fn rows<F: LaneReducer>(to: &mut [f32], from: &[u16], stride: usize, length: usize) {
                let mut wide = [0.0; CHUNK_ELEMENTS];
                for (j, to) in to.iter_mut().enumerate() {
                    for chunk in from[j * stride..j * stride + length].chunks(CHUNK_ELEMENTS) {
                        half::widen(Type::$ty, chunk, &mut wide);
                        float::rows::<F>(std::slice::from_mut(to), &wide, 0, chunk.len());
                    }
                }
            }
            fn columns<F: LaneReducer>(to: &mut [f32], from: &[u16], stride: usize, count: usize) {
                let mut wide = [0.0; CHUNK_ELEMENTS];
                let width = to.len();
                for i in 0..count {
                    let row = &from[i * stride..i * stride + width];
                    for (to, chunk) in to.chunks_mut(CHUNK_ELEMENTS).zip(row.chunks(CHUNK_ELEMENTS)) {
                        half::widen(Type::$ty, chunk, &mut wide);
                        accumulate_into::<F, 1, false, false>(to, [&wide[..chunk.len()]]);
                    }
                }
            }
            fn with_operator<F: LaneReducer>(identity: f32) -> Accumulator<u16, f32> {
                Accumulator {
                    identity,
                    rows: rows::<F>,
                    columns: columns::<F>,
                    overwrite_columns: |to, from, stride, count| {
                        to.fill(
                            F::from_internal(F32x4::splat(F::INTERNAL_IDENTITY), F::sign_mask()).to_array()
                                [0],
                        );
                        columns::<F>(to, from, stride, count);
                    },
                    // Only windows use this and `deinterleave`, and they widen halves to `f32` before.
                    begin_columns: |_, _, _, _| {},
                    slide: None,
                    interleaved: None,
                    finish: float::finish::<F>,
                    deinterleave: |_, _, _| {},
                    widen: $from,
                    narrow: $to,
                    write: |results, out, to, stride| {
                        for (j, result) in results.iter().enumerate() {
                            out[(to + stride * j.cast_signed()).cast_unsigned()] = $to(*result);
                        }
                    },
                }
            }
            match reducer {
                Reducer::Mul => with_operator::<Mul>(1.0),
                Reducer::Min => with_operator::<Min>(f32::INFINITY),
                Reducer::Max => with_operator::<Max>(f32::NEG_INFINITY),
                _ => with_operator::<Add>(-0.0),
            }
        }
    };
}

halves! { f16_accumulator F16 half::from_f16, half::to_f16 }
halves! { bf16_accumulator BF16 half::from_bf16, half::to_bf16 }
