//! Accumulators of every type but `f32`: loops over one type, which the compiler vectorizes.

use crate::accumulate::accumulator::{Accumulator, write};
use crate::description::parts::Reducer;
use crate::support::element::Type;
use crate::support::integers::Integer;
use crate::support::scalars::minimum;
use crate::support::scalars::{canonicalized, canonicalized_f32};
use crate::support::slice::Element;

/// A reduction operator.
pub trait Operator<T> {
    /// The identity of the operator.
    const IDENTITY: T;
    /// Applies the operator.
    fn combine(a: T, b: T) -> T;
}

/// Number of independent partial results of a row.
const PARTIAL_RESULTS: usize = 8;

fn rows<T: Element, F: Operator<T>>(to: &mut [T], from: &[T], stride: usize, length: usize) {
    for (j, to) in to.iter_mut().enumerate() {
        let (blocks, rest) = from[j * stride..j * stride + length].as_chunks::<PARTIAL_RESULTS>();
        if !blocks.is_empty() {
            let mut partials = [F::IDENTITY; PARTIAL_RESULTS];
            for block in blocks {
                for (partial, x) in partials.iter_mut().zip(block) {
                    *partial = F::combine(*partial, *x);
                }
            }
            let [a, b, c, d, e, f, g, h] = partials;
            let low = F::combine(F::combine(a, e), F::combine(c, g));
            let high = F::combine(F::combine(b, f), F::combine(d, h));
            *to = F::combine(*to, F::combine(low, high));
        }
        *to = rest.iter().fold(*to, |sum, x| F::combine(sum, *x));
    }
}

/// [`rows`] in an order that the compiler may change, for operators that are associative in machine arithmetic.
fn associative_rows<T: Element, F: Operator<T>>(to: &mut [T], from: &[T], stride: usize, length: usize) {
    for (j, to) in to.iter_mut().enumerate() {
        *to = from[j * stride..j * stride + length].iter().fold(*to, |sum, x| F::combine(sum, *x));
    }
}

/// Contiguous rows with fewer elements than this are accumulated as blocks of this many rows, so that loops are long enough to
/// vectorize.
const NARROW_ROW_ELEMENTS: usize = 16;

fn columns<T: Element, F: Operator<T>>(to: &mut [T], from: &[T], stride: usize, count: usize) {
    let width = to.len();
    let (mut from, mut count) = (from, count);
    if width < NARROW_ROW_ELEMENTS && stride == width && count >= 4 * NARROW_ROW_ELEMENTS {
        let mut wide = [F::IDENTITY; NARROW_ROW_ELEMENTS * NARROW_ROW_ELEMENTS];
        let wide = &mut wide[..NARROW_ROW_ELEMENTS * width];
        let blocks = count / NARROW_ROW_ELEMENTS;
        accumulate_columns::<T, F>(wide, from, NARROW_ROW_ELEMENTS * width, blocks);
        accumulate_columns::<T, F>(to, wide, width, NARROW_ROW_ELEMENTS);
        from = &from[blocks * NARROW_ROW_ELEMENTS * width..];
        count -= blocks * NARROW_ROW_ELEMENTS;
    }
    accumulate_columns::<T, F>(to, from, stride, count);
}

fn accumulate_columns<T: Element, F: Operator<T>>(to: &mut [T], from: &[T], stride: usize, count: usize) {
    let width = to.len();
    for i in 0..count {
        let row = &from[i * stride..i * stride + width];
        to.iter_mut().zip(row).for_each(|(to, x)| *to = F::combine(*to, *x));
    }
}

fn overwrite_columns<T: Element, F: Operator<T>>(to: &mut [T], from: &[T], stride: usize, count: usize) {
    to.copy_from_slice(&from[..to.len()]);
    if count > 1 {
        accumulate_columns::<T, F>(to, &from[stride..], stride, count - 1);
    }
}

fn deinterleave<T: Element>(from: &[T], even: &mut [T], odd: &mut [T]) {
    let (pairs, _) = from.as_chunks::<2>();
    pairs.iter().zip(even).zip(odd).for_each(|(([a, b], even), odd)| (*even, *odd) = (*a, *b));
}

macro_rules! operators {
    ($($name:ident $t:ty, $identity:expr, |$a:ident, $b:ident| $combine:expr;)*) => {
        $(struct $name;
        impl Operator<$t> for $name {
            const IDENTITY: $t = $identity;
            #[inline(always)]
            fn combine($a: $t, $b: $t) -> $t {
                $combine
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
    const IDENTITY: [f32; 2] = [1.0, 0.0];
    /// The products are exact in `f64`.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "rounded at each step")]
    fn combine(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
        MulC128::combine(a.map(f64::from), b.map(f64::from)).map(|part| part as f32)
    }
}

fn f64_accumulator_with<F: Operator<f64>>() -> Accumulator<f64, f64> {
    Accumulator {
        identity: F::IDENTITY,
        rows: rows::<f64, F>,
        columns: columns::<f64, F>,
        overwrite_columns: overwrite_columns::<f64, F>,
        begin_columns: overwrite_columns::<f64, F>,
        slide: None,
        interleaved: None,
        finish: |results, init| results.iter_mut().for_each(|x| *x = canonicalized(F::combine(init, *x))),
        deinterleave: deinterleave::<f64>,
        widen: |x| x,
        narrow: |x| x,
        write,
    }
}

/// Accumulators of `f64`.
pub fn f64_accumulator(reducer: Reducer) -> Accumulator<f64, f64> {
    match reducer {
        Reducer::Mul => f64_accumulator_with::<MulF64>(),
        Reducer::Min => f64_accumulator_with::<MinF64>(),
        Reducer::Max => f64_accumulator_with::<MaxF64>(),
        _ => f64_accumulator_with::<AddF64>(),
    }
}

macro_rules! complex {
    ($name:ident $t:ty, $canonicalized:expr, $add:ident $mul:ident) => {
        /// Accumulators of complex numbers: sum and product. Multiplying by the identity is a further operation, which may flip
        /// the sign of a zero part.
        pub fn $name(reducer: Reducer) -> Accumulator<$t, $t> {
            fn with_operator<F: Operator<$t>>() -> Accumulator<$t, $t> {
                Accumulator {
                    identity: F::IDENTITY,
                    rows: rows::<$t, F>,
                    columns: columns::<$t, F>,
                    overwrite_columns: overwrite_columns::<$t, F>,
                    begin_columns: overwrite_columns::<$t, F>,
                    slide: None,
                    interleaved: None,
                    finish: |results, init| {
                        for x in results {
                            *x = F::combine(init, *x).map($canonicalized);
                        }
                    },
                    deinterleave: deinterleave::<$t>,
                    widen: |x| x,
                    narrow: |x| x,
                    write,
                }
            }
            if reducer == Reducer::Mul { with_operator::<$mul>() } else { with_operator::<$add>() }
        }
    };
}

complex! { c64_accumulator [f32; 2], canonicalized_f32, AddC64 MulC64 }
complex! { c128_accumulator [f64; 2], canonicalized, AddC128 MulC128 }

/// Accumulators of integers and of `pred`, whose sum is `or` and whose product is `and`. Signedness matters to min and max only.
pub fn integers<T: Integer + Identities>(reducer: Reducer, ty: Type) -> Accumulator<T, T> {
    macro_rules! with_operator {
        ($identity:expr, $combine:expr) => {{
            struct F;
            impl<T: Integer + Identities> Operator<T> for F {
                const IDENTITY: T = $identity;
                #[inline(always)]
                fn combine(a: T, b: T) -> T {
                    $combine(a, b)
                }
            }
            Accumulator {
                identity: <F as Operator<T>>::IDENTITY,
                // The compiler does not vectorize comparisons of 64-bit integers: several independent results are faster.
                rows: if size_of::<T>() == 8 && matches!(reducer, Reducer::Min | Reducer::Max) {
                    rows::<T, F>
                } else {
                    associative_rows::<T, F>
                },
                columns: columns::<T, F>,
                overwrite_columns: overwrite_columns::<T, F>,
                begin_columns: overwrite_columns::<T, F>,
                slide: None,
                interleaved: None,
                finish: |results, init| results.iter_mut().for_each(|x| *x = <F as Operator<T>>::combine(init, *x)),
                deinterleave: deinterleave::<T>,
                widen: |x| x,
                narrow: |x| x,
                write,
            }
        }};
    }
    let reducer = match (reducer, ty) {
        (Reducer::Add, Type::Pred) => Reducer::Or,
        (Reducer::Mul, Type::Pred) => Reducer::And,
        (reducer, _) => reducer,
    };
    match reducer {
        Reducer::Add => with_operator!(T::ZERO, T::wrapping_plus),
        Reducer::Mul => with_operator!(T::ONE, T::wrapping_times),
        Reducer::Min => with_operator!(T::MAX, Ord::min),
        Reducer::Max => with_operator!(T::MIN, Ord::max),
        Reducer::And => with_operator!(T::ALL_ONES, T::bit_and),
        Reducer::Or => with_operator!(T::ZERO, T::bit_or),
        Reducer::Xor => with_operator!(T::ZERO, T::bit_xor),
    }
}

/// The identities of the reductions of integers.
pub trait Identities: Sized {
    /// Zero: no bits set.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// All bits set.
    const ALL_ONES: Self;
    /// The least value.
    const MIN: Self;
    /// The greatest value.
    const MAX: Self;
}

macro_rules! identities {
    ($($t:ident)*) => {
        $(impl Identities for $t {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const ALL_ONES: Self = !0;
            const MIN: Self = $t::MIN;
            const MAX: Self = $t::MAX;
        })*
    };
}

identities! { u8 u16 u32 u64 i8 i16 i32 i64 }
