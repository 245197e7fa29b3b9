//! Folds of every type but `f32`, as loops over one type that the compiler makes vectors of.

use crate::accumulate::folder::{Folder, write};
use crate::description::parts::Reducer;
use crate::ground::element::Type;
use crate::ground::integers::Integer;
use crate::ground::scalars::minimum;
use crate::ground::slice::Cell;

/// A fold of two elements.
pub trait OfTwo<T> {
    /// What changes nothing.
    const START: T;
    /// Two made one.
    fn join(a: T, b: T) -> T;
}

/// Partial results of a row of floats.
const PARTS: usize = 8;

fn rows<T: Cell, F: OfTwo<T>>(to: &mut [T], from: &[T], stride: usize, length: usize) {
    for (j, to) in to.iter_mut().enumerate() {
        let (blocks, rest) = from[j * stride..j * stride + length].as_chunks::<PARTS>();
        if !blocks.is_empty() {
            let mut parts = [F::START; PARTS];
            for block in blocks {
                for (part, x) in parts.iter_mut().zip(block) {
                    *part = F::join(*part, *x);
                }
            }
            let [a, b, c, d, e, f, g, h] = parts;
            let low = F::join(F::join(a, e), F::join(c, g));
            let high = F::join(F::join(b, f), F::join(d, h));
            *to = F::join(*to, F::join(low, high));
        }
        *to = rest.iter().fold(*to, |sum, x| F::join(sum, *x));
    }
}

/// Rows of what may be folded in any order.
fn free_rows<T: Cell, F: OfTwo<T>>(to: &mut [T], from: &[T], stride: usize, length: usize) {
    for (j, to) in to.iter_mut().enumerate() {
        *to = from[j * stride..j * stride + length].iter().fold(*to, |sum, x| F::join(sum, *x));
    }
}

/// Results as few as that, one row behind the other, are folded so many rows beside one another.
const NARROW: usize = 16;

fn columns<T: Cell, F: OfTwo<T>>(to: &mut [T], from: &[T], stride: usize, count: usize) {
    let width = to.len();
    let (mut from, mut count) = (from, count);
    if width < NARROW && stride == width && count >= 4 * NARROW {
        let mut wide = [F::START; NARROW * NARROW];
        let wide = &mut wide[..NARROW * width];
        let blocks = count / NARROW;
        behind::<T, F>(wide, from, NARROW * width, blocks);
        behind::<T, F>(to, wide, width, NARROW);
        from = &from[blocks * NARROW * width..];
        count -= blocks * NARROW;
    }
    behind::<T, F>(to, from, stride, count);
}

fn behind<T: Cell, F: OfTwo<T>>(to: &mut [T], from: &[T], stride: usize, count: usize) {
    let width = to.len();
    for i in 0..count {
        let row = &from[i * stride..i * stride + width];
        to.iter_mut().zip(row).for_each(|(to, x)| *to = F::join(*to, *x));
    }
}

fn fresh<T: Cell, F: OfTwo<T>>(to: &mut [T], from: &[T], stride: usize, count: usize) {
    to.copy_from_slice(&from[..to.len()]);
    if count > 1 {
        behind::<T, F>(to, &from[stride..], stride, count - 1);
    }
}

fn split<T: Cell>(from: &[T], even: &mut [T], odd: &mut [T]) {
    let (pairs, _) = from.as_chunks::<2>();
    pairs.iter().zip(even).zip(odd).for_each(|(([a, b], even), odd)| (*even, *odd) = (*a, *b));
}

macro_rules! folds {
    ($($name:ident $t:ty, $start:expr, |$a:ident, $b:ident| $join:expr;)*) => {
        $(struct $name;
        impl OfTwo<$t> for $name {
            const START: $t = $start;
            #[inline(always)]
            fn join($a: $t, $b: $t) -> $t {
                $join
            }
        })*
    };
}

folds! {
    AddF64 f64, -0.0, |a, b| a + b;
    MulF64 f64, 1.0, |a, b| a * b;
    MinF64 f64, f64::INFINITY, |a, b| minimum(a, b);
    MaxF64 f64, f64::NEG_INFINITY, |a, b| -minimum(-a, -b);
    AddC64 [f32; 2], [-0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]];
    AddC128 [f64; 2], [-0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]];
    MulC128 [f64; 2], [1.0, 0.0], |a, b| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
}

struct MulC64;

impl OfTwo<[f32; 2]> for MulC64 {
    const START: [f32; 2] = [1.0, 0.0];
    /// The products are exact in `f64`.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "rounded at each step")]
    fn join(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
        MulC128::join(a.map(f64::from), b.map(f64::from)).map(|part| part as f32)
    }
}

fn settled(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
}

fn of_f64<F: OfTwo<f64>>() -> Folder<f64, f64> {
    Folder {
        start: F::START,
        rows: rows::<f64, F>,
        columns: columns::<f64, F>,
        fresh: fresh::<f64, F>,
        enter: fresh::<f64, F>,
        slide: None,
        streams: None,
        finish: |results, init| results.iter_mut().for_each(|x| *x = settled(F::join(init, *x))),
        split: split::<f64>,
        widen: |x| x,
        narrow: |x| x,
        write,
    }
}

/// Folds of `f64`.
pub fn f64_folder(fold: Reducer) -> Folder<f64, f64> {
    match fold {
        Reducer::Mul => of_f64::<MulF64>(),
        Reducer::Min => of_f64::<MinF64>(),
        Reducer::Max => of_f64::<MaxF64>(),
        _ => of_f64::<AddF64>(),
    }
}

macro_rules! complex {
    ($name:ident $t:ty, $nan:expr, $add:ident $mul:ident) => {
        /// Folds of complex numbers: sum and product. A product by 1 is one more operation, which may turn the sign of a
        /// zero part.
        pub fn $name(fold: Reducer) -> Folder<$t, $t> {
            fn of<F: OfTwo<$t>>() -> Folder<$t, $t> {
                Folder {
                    start: F::START,
                    rows: rows::<$t, F>,
                    columns: columns::<$t, F>,
                    fresh: fresh::<$t, F>,
                    enter: fresh::<$t, F>,
                    slide: None,
                    streams: None,
                    finish: |results, init| {
                        for x in results {
                            *x = F::join(init, *x).map(|part| if part.is_nan() { $nan } else { part });
                        }
                    },
                    split: split::<$t>,
                    widen: |x| x,
                    narrow: |x| x,
                    write,
                }
            }
            if fold == Reducer::Mul { of::<$mul>() } else { of::<$add>() }
        }
    };
}

complex! { c64_folder [f32; 2], f32::NAN, AddC64 MulC64 }
complex! { c128_folder [f64; 2], f64::NAN, AddC128 MulC128 }

/// Folds of integers, and of truth values, whose sum is either and whose product is both. Signed numbers need their own
/// type for the smallest and the largest only.
pub fn integers<T: Integer + Bounded>(fold: Reducer, ty: Type) -> Folder<T, T> {
    macro_rules! of {
        ($start:expr, $join:expr) => {{
            struct F;
            impl<T: Integer + Bounded> OfTwo<T> for F {
                const START: T = $start;
                #[inline(always)]
                fn join(a: T, b: T) -> T {
                    $join(a, b)
                }
            }
            Folder {
                start: <F as OfTwo<T>>::START,
                // The compiler makes no vectors of the order of 64 bits: several results at once are what is quick.
                rows: if size_of::<T>() == 8 && matches!(fold, Reducer::Min | Reducer::Max) {
                    rows::<T, F>
                } else {
                    free_rows::<T, F>
                },
                columns: columns::<T, F>,
                fresh: fresh::<T, F>,
                enter: fresh::<T, F>,
                slide: None,
                streams: None,
                finish: |results, init| results.iter_mut().for_each(|x| *x = <F as OfTwo<T>>::join(init, *x)),
                split: split::<T>,
                widen: |x| x,
                narrow: |x| x,
                write,
            }
        }};
    }
    let fold = match (fold, ty) {
        (Reducer::Add, Type::Pred) => Reducer::Or,
        (Reducer::Mul, Type::Pred) => Reducer::And,
        (fold, _) => fold,
    };
    match fold {
        Reducer::Add => of!(T::NONE, T::plus),
        Reducer::Mul => of!(T::ONE, T::times),
        Reducer::Min => of!(T::HIGHEST, Ord::min),
        Reducer::Max => of!(T::LOWEST, Ord::max),
        Reducer::And => of!(T::ALL, T::both),
        Reducer::Or => of!(T::NONE, T::either),
        Reducer::Xor => of!(T::NONE, T::one_of),
    }
}

/// What changes nothing in each fold.
pub trait Bounded: Sized {
    /// No bit.
    const NONE: Self;
    /// 1.
    const ONE: Self;
    /// Every bit.
    const ALL: Self;
    /// The lowest number.
    const LOWEST: Self;
    /// The highest number.
    const HIGHEST: Self;
}

macro_rules! bounded {
    ($($t:ident)*) => {
        $(impl Bounded for $t {
            const NONE: Self = 0;
            const ONE: Self = 1;
            const ALL: Self = !0;
            const LOWEST: Self = $t::MIN;
            const HIGHEST: Self = $t::MAX;
        })*
    };
}

bounded! { u8 u16 u32 u64 i8 i16 i32 i64 }
