//! Folds of `f16` and `bf16`: made `f32`, folded there, rounded once.

use crate::simd::best::Best;
use crate::simd::lanes::Lanes;
use crate::map::half;
use crate::reduce::nest::Folder;
use crate::accumulate::float::{self as float, Add, Max, Min, Mul, OfLanes};
use crate::task::description::{Fold, Type};

/// Numbers that are made wide at once.
const SOME: usize = 512;

/// As [`folder`], of `f16` or `bf16`.
macro_rules! halves {
    ($name:ident $ty:ident $from:path, $to:path) => {
        /// As [`folder`], of numbers that are made wide first.
        pub fn $name(fold: Fold) -> Folder<u16, f32> {
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
                        float::some::<F, 1, false, false>(to, [&wide[..piece.len()]]);
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
                    pool: None,
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
                Fold::Mul => of::<Mul>(1.0),
                Fold::Min => of::<Min>(f32::INFINITY),
                Fold::Max => of::<Max>(f32::NEG_INFINITY),
                _ => of::<Add>(-0.0),
            }
        }
    };
}

halves! { f16_folder F16 half::from_f16, half::to_f16 }
halves! { bf16_folder BF16 half::from_bf16, half::to_bf16 }
