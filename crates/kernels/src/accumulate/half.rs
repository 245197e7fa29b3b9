//! Folds of `f16` and `bf16`: made `f32`, folded there, rounded once.

use crate::accumulate::float;
use crate::accumulate::float_rows::some;
use crate::accumulate::folder::Folder;
use crate::accumulate::operators::{Add, Max, Min, Mul, OfLanes};
use crate::description::parts::Reducer;
use crate::ground::element::Type;
use crate::simd::best::Best;
use crate::simd::half_rows as half;
use crate::simd::lanes::Lanes;

/// Numbers that are made wide at once.
const SOME: usize = 512;

/// As [`folder`], of `f16` or `bf16`.
macro_rules! halves {
    ($name:ident $ty:ident $from:path, $to:path) => {
        /// As [`folder`], of numbers that are made wide first.
        pub fn $name(fold: Reducer) -> Folder<u16, f32> {
            fn rows<F: OfLanes>(to: &mut [f32], from: &[u16], stride: usize, length: usize) {
                let mut wide = [0.0; SOME];
                for (j, to) in to.iter_mut().enumerate() {
                    for piece in from[j * stride..j * stride + length].chunks(SOME) {
                        half::widen(Type::$ty, piece, &mut wide);
                        float::rows::<F>(std::slice::from_mut(to), &wide, 0, piece.len());
                    }
                }
            }
            fn columns<F: OfLanes>(to: &mut [f32], from: &[u16], stride: usize, count: usize) {
                let mut wide = [0.0; SOME];
                let width = to.len();
                for i in 0..count {
                    let row = &from[i * stride..i * stride + width];
                    for (to, piece) in to.chunks_mut(SOME).zip(row.chunks(SOME)) {
                        half::widen(Type::$ty, piece, &mut wide);
                        some::<F, 1, false, false>(to, [&wide[..piece.len()]]);
                    }
                }
            }
            fn of<F: OfLanes>(start: f32) -> Folder<u16, f32> {
                Folder {
                    start,
                    rows: rows::<F>,
                    columns: columns::<F>,
                    fresh: |to, from, stride, count| {
                        to.fill(F::turn(Best::splat(F::START), F::turning()).to_array()[0]);
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

halves! { f16_folder F16 half::from_f16, half::to_f16 }
halves! { bf16_folder BF16 half::from_bf16, half::to_bf16 }
