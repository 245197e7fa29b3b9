//! Accumulators of `f16` and `bf16`: widened to `f32`, accumulated there, rounded once.

use crate::accumulate::accumulator::Accumulator;
use crate::accumulate::float;
use crate::accumulate::float_rows::accumulate_into;
use crate::accumulate::operators::{Add, LaneReducer, Max, Min, Mul};
use crate::description::parts::Reducer;
use crate::ground::element::Type;
use crate::simd::half_rows as half;
use crate::simd::lanes::Lanes;
use crate::simd::native::F32x4;

/// Numbers that are widened at a time.
const CHUNK_NUMBERS: usize = 512;

/// As [`accumulator`], of `f16` or `bf16`.
macro_rules! halves {
    ($name:ident $ty:ident $from:path, $to:path) => {
        /// As [`float::accumulator`], of numbers that are widened first.
        pub fn $name(fold: Reducer) -> Accumulator<u16, f32> {
            fn rows<F: LaneReducer>(to: &mut [f32], from: &[u16], stride: usize, length: usize) {
                let mut wide = [0.0; CHUNK_NUMBERS];
                for (j, to) in to.iter_mut().enumerate() {
                    for chunk in from[j * stride..j * stride + length].chunks(CHUNK_NUMBERS) {
                        half::widen(Type::$ty, chunk, &mut wide);
                        float::rows::<F>(std::slice::from_mut(to), &wide, 0, chunk.len());
                    }
                }
            }
            fn columns<F: LaneReducer>(to: &mut [f32], from: &[u16], stride: usize, count: usize) {
                let mut wide = [0.0; CHUNK_NUMBERS];
                let width = to.len();
                for i in 0..count {
                    let row = &from[i * stride..i * stride + width];
                    for (to, chunk) in to.chunks_mut(CHUNK_NUMBERS).zip(row.chunks(CHUNK_NUMBERS)) {
                        half::widen(Type::$ty, chunk, &mut wide);
                        accumulate_into::<F, 1, false, false>(to, [&wide[..chunk.len()]]);
                    }
                }
            }
            fn of<F: LaneReducer>(start: f32) -> Accumulator<u16, f32> {
                Accumulator {
                    start,
                    rows: rows::<F>,
                    columns: columns::<F>,
                    fresh: |to, from, stride, count| {
                        to.fill(F::turn(F32x4::splat(F::START), F::turning()).to_array()[0]);
                        columns::<F>(to, from, stride, count);
                    },
                    enter: |_, _, _, _| {},
                    slide: None,
                    streams: None,
                    finish: float::finish::<F>,
                    split: |_, _, _| {},
                    widen: $from,
                    narrow: $to,
                    write: |results, out, to, stride| {
                        for (j, result) in results.iter().enumerate() {
                            out[(to + stride * j.cast_signed()).cast_unsigned()] = $to(*result);
                        }
                    },
                }
            }
            match fold {
                Reducer::Mul => of::<Mul>(1.0),
                Reducer::Min => of::<Min>(f32::INFINITY),
                Reducer::Max => of::<Max>(f32::NEG_INFINITY),
                _ => of::<Add>(-0.0),
            }
        }
    };
}

halves! { f16_accumulator F16 half::from_f16, half::to_f16 }
halves! { bf16_accumulator BF16 half::from_bf16, half::to_bf16 }
