//! Accumulators of every type but `f32`: loops over one type, which the compiler vectorizes.

use crate::accumulate::accumulator::{Accumulator, write};
use crate::description::parts::Reducer;
use crate::support::element::Type;
use crate::support::integers::Integer;
use crate::support::scalars::minimum;
use crate::support::scalars::{canonicalized, canonicalized_f32};
use crate::support::slice::Cell;

/// A reduction operator of two elements.
pub trait Operator<T> {
    /// The identity.
    const START: T;
    /// The operator.
    fn join(a: T, b: T) -> T;
}

/// Independent partial results of a row of floats.
const PARTS: usize = 8;

fn rows<T: Cell, F: Operator<T>>(to: &mut [T], from: &[T], stride: usize, length: usize) {
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

/// [`rows`] in any order of operations, for operators that are associative in the machine's arithmetic.
fn free_rows<T: Cell, F: Operator<T>>(to: &mut [T], from: &[T], stride: usize, length: usize) {
    for (j, to) in to.iter_mut().enumerate() {
        *to = from[j * stride..j * stride + length].iter().fold(*to, |sum, x| F::join(sum, *x));
    }
}

/// Contiguous rows with fewer cells than this are accumulated as blocks of this many rows, so that loops are long enough to
/// vectorize.
const NARROW_ROW: usize = 16;

fn columns<T: Cell, F: Operator<T>>(to: &mut [T], from: &[T], stride: usize, count: usize) {
    let width = to.len();
    let (mut from, mut count) = (from, count);
    if width < NARROW_ROW && stride == width && count >= 4 * NARROW_ROW {
        let mut wide = [F::START; NARROW_ROW * NARROW_ROW];
        let wide = &mut wide[..NARROW_ROW * width];
        let blocks = count / NARROW_ROW;
        accumulate_rows::<T, F>(wide, from, NARROW_ROW * width, blocks);
        accumulate_rows::<T, F>(to, wide, width, NARROW_ROW);
        from = &from[blocks * NARROW_ROW * width..];
        count -= blocks * NARROW_ROW;
    }
    accumulate_rows::<T, F>(to, from, stride, count);
}

fn accumulate_rows<T: Cell, F: Operator<T>>(to: &mut [T], from: &[T], stride: usize, count: usize) {
    let width = to.len();
    for i in 0..count {
        let row = &from[i * stride..i * stride + width];
        to.iter_mut().zip(row).for_each(|(to, x)| *to = F::join(*to, *x));
    }
}

fn fresh<T: Cell, F: Operator<T>>(to: &mut [T], from: &[T], stride: usize, count: usize) {
    to.copy_from_slice(&from[..to.len()]);
    if count > 1 {
        accumulate_rows::<T, F>(to, &from[stride..], stride, count - 1);
    }
}

fn split<T: Cell>(from: &[T], even: &mut [T], odd: &mut [T]) {
    let (pairs, _) = from.as_chunks::<2>();
    pairs.iter().zip(even).zip(odd).for_each(|(([a, b], even), odd)| (*even, *odd) = (*a, *b));
}

macro_rules! operators {
    ($($name:ident $t:ty, $start:expr, |$a:ident, $b:ident| $join:expr;)*) => {
        $(struct $name;
        impl Operator<$t> for $name {
            const START: $t = $start;
            #[inline(always)]
            fn join($a: $t, $b: $t) -> $t {
                $join
            }
        })*
    };
}

operators! {
    AddF64 f64, -0.0, |a, b| a + b;
    MulF64 f64, 1.0, |a, b| a * b;
    MinF64 f64, f64::INFINITY, |a, b| minimum(a, b);
    MaxF64 f64, f64::NEG_INFINITY, |a, b| -minimum(-a, -b);
    AddC64 [f32; 2], [-0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]];
    AddC128 [f64; 2], [-0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]];
    MulC128 [f64; 2], [1.0, 0.0], |a, b| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
}

struct MulC64;

impl Operator<[f32; 2]> for MulC64 {
    const START: [f32; 2] = [1.0, 0.0];
    /// The products are exact in `f64`.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "rounded at each step")]
    fn join(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
        MulC128::join(a.map(f64::from), b.map(f64::from)).map(|part| part as f32)
    }
}

fn of_f64<F: Operator<f64>>() -> Accumulator<f64, f64> {
    Accumulator {
        start: F::START,
        rows: rows::<f64, F>,
        columns: columns::<f64, F>,
        fresh: fresh::<f64, F>,
        enter: fresh::<f64, F>,
        slide: None,
        streams: None,
        finish: |results, init| results.iter_mut().for_each(|x| *x = canonicalized(F::join(init, *x))),
        split: split::<f64>,
        widen: |x| x,
        narrow: |x| x,
        write,
    }
}

/// Accumulators of `f64`.
pub fn f64_accumulator(fold: Reducer) -> Accumulator<f64, f64> {
    match fold {
        Reducer::Mul => of_f64::<MulF64>(),
        Reducer::Min => of_f64::<MinF64>(),
        Reducer::Max => of_f64::<MaxF64>(),
        _ => of_f64::<AddF64>(),
    }
}

macro_rules! complex {
    ($name:ident $t:ty, $canonicalized:expr, $add:ident $mul:ident) => {
        /// Accumulators of complex numbers: sum and product. A product with the identity is one more operation, which may flip the
        /// sign of a zero part.
        pub fn $name(fold: Reducer) -> Accumulator<$t, $t> {
            fn of<F: Operator<$t>>() -> Accumulator<$t, $t> {
                Accumulator {
                    start: F::START,
                    rows: rows::<$t, F>,
                    columns: columns::<$t, F>,
                    fresh: fresh::<$t, F>,
                    enter: fresh::<$t, F>,
                    slide: None,
                    streams: None,
                    finish: |results, init| {
                        for x in results {
                            *x = F::join(init, *x).map($canonicalized);
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

complex! { c64_accumulator [f32; 2], canonicalized_f32, AddC64 MulC64 }
complex! { c128_accumulator [f64; 2], canonicalized, AddC128 MulC128 }

/// Accumulators of integers and of `pred`, whose sum is `or` and whose product is `and`. Signedness matters to min and max only.
pub fn integers<T: Integer + Bounded>(fold: Reducer, ty: Type) -> Accumulator<T, T> {
    macro_rules! of {
        ($start:expr, $join:expr) => {{
            struct F;
            impl<T: Integer + Bounded> Operator<T> for F {
                const START: T = $start;
                #[inline(always)]
                fn join(a: T, b: T) -> T {
                    $join(a, b)
                }
            }
            Accumulator {
                start: <F as Operator<T>>::START,
                // The compiler does not vectorize comparisons of 64-bit integers: several independent results are faster.
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
                finish: |results, init| results.iter_mut().for_each(|x| *x = <F as Operator<T>>::join(init, *x)),
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
        Reducer::Add => of!(T::NONE, T::wrapping_plus),
        Reducer::Mul => of!(T::ONE, T::wrapping_times),
        Reducer::Min => of!(T::HIGHEST, Ord::min),
        Reducer::Max => of!(T::LOWEST, Ord::max),
        Reducer::And => of!(T::ALL, T::bit_and),
        Reducer::Or => of!(T::NONE, T::bit_or),
        Reducer::Xor => of!(T::NONE, T::bit_xor),
    }
}

/// The identity in each reduction.
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
