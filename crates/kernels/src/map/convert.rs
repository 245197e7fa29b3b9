//! Conversion between element types.
//!
//! Floats are truncated to integers and saturate, NaN becomes 0; integers keep their low bits; conversion to a float rounds once,
//! to nearest even; a `pred` is whether the number differs from 0; complex numbers lose their imaginary part. NaN is
//! canonicalized. Common pairs are converted directly, the others through `i64` or `f64`, which represent them exactly.

use crate::map::row::BoxedRowFunction;
use crate::simd::half_rows as half;
use crate::support::element::Type;
use crate::support::scalars::{canonicalized, canonicalized_f32};
use crate::support::slice::{Slice, SliceMut};

/// Elements that are converted at a time.
const CHUNK_ELEMENTS: usize = 256;

/// The intermediate type of a conversion that is not direct.
enum Intermediate {
    /// `i64`, with the bits of a `u64`.
    Signed,
    /// `u64`, for floats.
    Unsigned,
    /// `f64`.
    Float,
}

fn is_float(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::BF16 | Type::F32 | Type::F64 | Type::C64 | Type::C128)
}

/// The function that converts rows between two types.
pub fn row(from: Type, to: Type) -> Option<BoxedRowFunction> {
    let direct: Option<BoxedRowFunction> = direct(from, to);
    if direct.is_some() {
        return direct;
    }
    let intermediate = match (is_float(from), is_float(to)) {
        (true, _) => Intermediate::Float,
        (false, true) if from == Type::U64 => Intermediate::Unsigned,
        _ => Intermediate::Signed,
    };
    Some(Box::new(move |read, out| {
        let Some(x) = read.first() else { return };
        let (mut reals, mut integers) = ([0f64; CHUNK_ELEMENTS], [0i64; CHUNK_ELEMENTS]);
        let mut imaginary = [0f64; CHUNK_ELEMENTS];
        for at in (0..x.len()).step_by(CHUNK_ELEMENTS) {
            let length = CHUNK_ELEMENTS.min(x.len() - at);
            let (x, mut out) = (x.part(at, length), out.part(at, length));
            if matches!(intermediate, Intermediate::Float) {
                read_reals(from, &x, &mut reals, &mut imaginary);
            } else {
                read_integers(&x, &mut integers);
                let is_narrow = to != Type::F64 && to != Type::C128;
                for (real, integer) in reals.iter_mut().zip(&integers).filter(|_| is_float(to)) {
                    *real = match intermediate {
                        Intermediate::Unsigned => real_of_u64(integer.cast_unsigned(), is_narrow),
                        _ => real_of_i64(*integer, is_narrow),
                    };
                }
            }
            match (is_float(to), &intermediate) {
                (true, _) => write_reals(to, &reals, &imaginary, &mut out),
                (false, Intermediate::Float) if to == Type::Pred => {
                    if let SliceMut::U8(out) = &mut out {
                        for ((re, im), out) in reals.iter().zip(&imaginary).zip(out.iter_mut()) {
                            *out = u8::from(*re != 0.0 || *im != 0.0);
                        }
                    }
                }
                (false, Intermediate::Float) => write_saturated(&reals, &mut out),
                _ => write_integers(to, &integers, &mut out),
            }
        }
    }))
}

/// The direct conversion of a common pair of types.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "these are the conversions"
)]
fn direct(from: Type, to: Type) -> Option<BoxedRowFunction> {
    macro_rules! direct {
        ($a:ident $b:ident $f:expr) => {
            Some(Box::new(|read, out| {
                if let ([Slice::$a(x)], SliceMut::$b(out)) = (read, out) {
                    x.iter().zip(out.iter_mut()).for_each(|(x, out)| *out = $f(*x));
                }
            }))
        };
    }
    // Through `i32`, whose clamp to a narrower type vectorizes.
    macro_rules! from_half {
        ($from:expr, $to:expr) => {
            match $to {
                Type::Pred => direct!(U16 U8 |x: u16| u8::from(x & 0x7fff != 0)),
                Type::S8 => direct!(U16 I8 |x| ($from(x) as i32).clamp(-128, 127) as i8),
                Type::S16 => direct!(U16 I16 |x| ($from(x) as i32).clamp(-32_768, 32_767) as i16),
                Type::S32 => direct!(U16 I32 |x| $from(x) as i32),
                Type::U8 => direct!(U16 U8 |x| ($from(x) as i32).clamp(0, 255) as u8),
                Type::U16 => direct!(U16 U16 |x| ($from(x) as i32).clamp(0, 65_535) as u16),
                Type::U32 => direct!(U16 U32 |x| $from(x) as u32),
                Type::C64 => direct!(U16 C64 |x| [$from(x), 0.0]),
                _ => None,
            }
        };
    }
    match (from, to) {
        (Type::S8, Type::Pred) => direct!(I8 U8 |x| u8::from(x != 0)),
        (Type::U8, Type::Pred) => direct!(U8 U8 |x| u8::from(x != 0)),
        (Type::S16, Type::Pred) => direct!(I16 U8 |x| u8::from(x != 0)),
        (Type::U16, Type::Pred) => direct!(U16 U8 |x| u8::from(x != 0)),
        (Type::S32, Type::Pred) => direct!(I32 U8 |x| u8::from(x != 0)),
        (Type::U32, Type::Pred) => direct!(U32 U8 |x| u8::from(x != 0)),
        (Type::F32, Type::Pred) => direct!(F32 U8 |x| u8::from(x != 0.0)),
        (Type::S32, Type::S8) => direct!(I32 I8 |x| x as i8),
        (Type::S32, Type::U8) => direct!(I32 U8 |x| x as u8),
        (Type::S32, Type::S16) => direct!(I32 I16 |x| x as i16),
        (Type::S32, Type::U16) => direct!(I32 U16 |x| x as u16),
        (Type::S32, Type::S32) => direct!(I32 I32 |x| x),
        (Type::S32, Type::U32) => direct!(I32 U32 |x| x as u32),
        (Type::S32, Type::F32) => direct!(I32 F32 |x: i32| x as f32),
        (Type::S32, Type::F64) => direct!(I32 F64 f64::from),
        (Type::F32, Type::S32) => direct!(F32 I32 |x: f32| x as i32),
        (Type::Pred | Type::U8, Type::F32) => direct!(U8 F32 f32::from),
        (Type::F32, Type::F64) => direct!(F32 F64 |x: f32| canonicalized(f64::from(x))),
        (Type::F64, Type::F32) => direct!(F64 F32 |x: f64| if x.is_nan() { f32::NAN } else { x as f32 }),
        (Type::F16, Type::F32) => direct!(U16 F32 half::from_f16),
        (Type::BF16, Type::F32) => direct!(U16 F32 half::from_bf16),
        (Type::F32, Type::F16) => direct!(F32 U16 half::to_f16),
        (Type::F32, Type::BF16) => direct!(F32 U16 half::to_bf16),
        (Type::F16, Type::F16) => direct!(U16 U16 |x| half::to_f16(half::from_f16(x))),
        (Type::F16, Type::BF16) => direct!(U16 U16 |x| half::to_bf16(half::from_f16(x))),
        (Type::BF16, Type::F16) => direct!(U16 U16 |x| half::to_f16(half::from_bf16(x))),
        (Type::BF16, Type::BF16) => direct!(U16 U16 |x| half::to_bf16(half::from_bf16(x))),
        (Type::S32, Type::F16) => direct!(I32 U16 |x: i32| half::to_f16(round_to_odd(f64::from(x)))),
        (Type::S32, Type::BF16) => direct!(I32 U16 |x: i32| half::to_bf16(round_to_odd(f64::from(x)))),
        (Type::S32, Type::C128) => direct!(I32 C128 |x: i32| [f64::from(x), 0.0]),
        (Type::S32, Type::C64) => direct!(I32 C64 |x: i32| [x as f32, 0.0]),
        (Type::F32, Type::C64) => direct!(F32 C64 |x: f32| [canonicalized_f32(x), 0.0]),
        (Type::F16, to) => from_half!(half::from_f16, to),
        (Type::BF16, to) => from_half!(half::from_bf16, to),
        _ => None,
    }
}

/// Converts to `f64`. If a narrower type follows, rounds to odd (a lost bit sets the lowest one), so that the next rounding is
/// correct.
#[allow(clippy::cast_precision_loss, reason = "rounded, or exact after the rounding to odd")]
fn real_of_u64(x: u64, is_narrow: bool) -> f64 {
    if is_narrow && x >> 53 != 0 { (x & !0x7ff | u64::from(x & 0x7ff != 0) << 11) as f64 } else { x as f64 }
}

#[allow(clippy::cast_precision_loss, reason = "rounded")]
fn real_of_i64(x: i64, is_narrow: bool) -> f64 {
    if !is_narrow {
        return x as f64;
    }
    let magnitude = real_of_u64(x.unsigned_abs(), true);
    if x < 0 { -magnitude } else { magnitude }
}

/// Rounds to `f32`, to odd, so that rounding to a narrower type afterwards is correct.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "rounded")]
fn round_to_odd(x: f64) -> f32 {
    let nearest = x as f32;
    let bits = nearest.to_bits();
    let widened = f64::from(nearest);
    if widened == x || x.is_nan() || bits & 1 == 1 {
        return nearest;
    }
    // The other neighbour is the odd one.
    f32::from_bits(if widened.abs() > x.abs() { bits - 1 } else { bits + 1 })
}

fn read_reals(ty: Type, x: &Slice, reals: &mut [f64; CHUNK_ELEMENTS], imaginary: &mut [f64; CHUNK_ELEMENTS]) {
    match x {
        Slice::U16(x) if ty == Type::F16 => {
            reals.iter_mut().zip(*x).for_each(|(r, x)| *r = f64::from(half::from_f16(*x)));
        }
        Slice::U16(x) => reals.iter_mut().zip(*x).for_each(|(r, x)| *r = f64::from(half::from_bf16(*x))),
        Slice::F32(x) => reals.iter_mut().zip(*x).for_each(|(r, x)| *r = f64::from(*x)),
        Slice::F64(x) => reals.iter_mut().zip(*x).for_each(|(r, x)| *r = *x),
        Slice::C64(x) => {
            for ((r, i), [re, im]) in reals.iter_mut().zip(imaginary).zip(*x) {
                (*r, *i) = (f64::from(*re), f64::from(*im));
            }
        }
        Slice::C128(x) => {
            for ((r, i), [re, im]) in reals.iter_mut().zip(imaginary).zip(*x) {
                (*r, *i) = (*re, *im);
            }
        }
        _ => {}
    }
}

#[allow(clippy::cast_possible_truncation, reason = "rounded")]
fn write_reals(
    ty: Type,
    reals: &[f64; CHUNK_ELEMENTS],
    imaginary: &[f64; CHUNK_ELEMENTS],
    out: &mut SliceMut,
) {
    let single = |x: f64| if x.is_nan() { f32::NAN } else { x as f32 };
    match out {
        SliceMut::U16(out) if ty == Type::F16 => {
            out.iter_mut().zip(reals).for_each(|(out, x)| *out = half::to_f16(round_to_odd(*x)));
        }
        SliceMut::U16(out) => {
            out.iter_mut().zip(reals).for_each(|(out, x)| *out = half::to_bf16(round_to_odd(*x)));
        }
        SliceMut::F32(out) => out.iter_mut().zip(reals).for_each(|(out, x)| *out = single(*x)),
        SliceMut::F64(out) => out.iter_mut().zip(reals).for_each(|(out, x)| *out = canonicalized(*x)),
        SliceMut::C64(out) => {
            let all = out.iter_mut().zip(reals).zip(imaginary);
            all.for_each(|((out, re), im)| *out = [single(*re), single(*im)]);
        }
        SliceMut::C128(out) => {
            let all = out.iter_mut().zip(reals).zip(imaginary);
            all.for_each(|((out, re), im)| *out = [canonicalized(*re), canonicalized(*im)]);
        }
        _ => {}
    }
}

fn read_integers(x: &Slice, integers: &mut [i64; CHUNK_ELEMENTS]) {
    macro_rules! each {
        ($($variant:ident)*) => {
            match x {
                $(Slice::$variant(x) => integers.iter_mut().zip(*x).for_each(|(integer, x)| *integer = i64::from(*x)),)*
                Slice::U64(x) => integers.iter_mut().zip(*x).for_each(|(integer, x)| *integer = x.cast_signed()),
                _ => {}
            }
        };
    }
    each!(U8 I8 U16 I16 U32 I32 I64);
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the low bits stay")]
fn write_integers(ty: Type, integers: &[i64; CHUNK_ELEMENTS], out: &mut SliceMut) {
    macro_rules! each {
        ($($variant:ident)*) => {
            match out {
                SliceMut::U8(out) if ty == Type::Pred => {
                    out.iter_mut().zip(integers).for_each(|(out, x)| *out = u8::from(*x != 0));
                }
                $(SliceMut::$variant(out) => out.iter_mut().zip(integers).for_each(|(out, x)| *out = *x as _),)*
                _ => {}
            }
        };
    }
    each!(U8 I8 U16 I16 U32 I32 U64 I64);
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
fn write_saturated(reals: &[f64; CHUNK_ELEMENTS], out: &mut SliceMut) {
    macro_rules! each {
        ($($variant:ident)*) => {
            match out {
                $(SliceMut::$variant(out) => out.iter_mut().zip(reals).for_each(|(out, x)| *out = *x as _),)*
                _ => {}
            }
        };
    }
    each!(U8 I8 U16 I16 U32 I32 U64 I64);
}
