//! Element-wise functions on rows of every type but `f32`, as loops that the compiler vectorizes.
//!
//! Integers wrap; edge cases (division by zero, shifts beyond the width, powers) follow XLA, see `ops::elementwise`. Functions
//! that do not depend on the sign run on the unsigned type of the same width, so that fewer loops are compiled.

use crate::description::parts::Direction;
use crate::map::float;
use crate::map::row::Row;
use crate::map::task::{Binary, Unary};
use crate::simd::half_rows as half;
use crate::simd::math;
use crate::support::element::Type;
use crate::support::integers::Integer;
use crate::support::scalars::{canonicalized, canonicalized_f32, complex_abs, minimum};
use crate::support::slice::{Cell, Slice, SliceMut};

fn one<T: Cell, R: Cell>(f: impl Fn(T) -> R + 'static) -> Row {
    Box::new(move |read, out| {
        if let (Some(x), Some(out)) = (read.first().and_then(T::view), R::view_mut(out)) {
            x.iter().zip(out).for_each(|(x, out)| *out = f(*x));
        }
    })
}

fn two<T: Cell, R: Cell>(f: impl Fn(T, T) -> R + 'static) -> Row {
    Box::new(move |read, out| {
        if let ([a, b], Some(out)) = (read, R::view_mut(out))
            && let (Some(a), Some(b)) = (T::view(a), T::view(b))
        {
            a.iter().zip(b).zip(out).for_each(|((a, b), out)| *out = f(*a, *b));
        }
    })
}

fn three<T: Cell>(f: impl Fn(T, T, T) -> T + 'static) -> Row {
    Box::new(move |read, out| {
        if let ([a, b, c], Some(out)) = (read, T::view_mut(out))
            && let (Some(a), Some(b), Some(c)) = (T::view(a), T::view(b), T::view(c))
        {
            let all = a.iter().zip(b).zip(c).zip(out);
            all.for_each(|(((a, b), c), out)| *out = f(*a, *b, *c));
        }
    })
}

/// Reinterprets the rows as unsigned integers of the same width.
fn on_bits(row: Row) -> Row {
    Box::new(move |read, out| {
        debug_assert!(read.len() <= 3, "at most three operands");
        let mut bits = [Slice::U8(&[]); 3];
        for (bits, read) in bits.iter_mut().zip(read) {
            *bits = read.as_bits();
        }
        row(bits.get(..read.len()).unwrap_or_default(), &mut out.as_bits_mut());
    })
}

/// An expression for the unsigned integer type of a width.
macro_rules! by_width {
    ($ty:expr, $t:ident => $body:expr) => {
        match $ty.bytes() {
            1 => {
                type $t = u8;
                $body
            }
            2 => {
                type $t = u16;
                $body
            }
            4 => {
                type $t = u32;
                $body
            }
            _ => {
                type $t = u64;
                $body
            }
        }
    };
}

/// An expression for an integer type; `None` for the others.
macro_rules! by_integer {
    ($ty:expr, $t:ident => $body:expr) => {
        match $ty {
            Type::S8 => {
                type $t = i8;
                Some($body)
            }
            Type::S16 => {
                type $t = i16;
                Some($body)
            }
            Type::S32 => {
                type $t = i32;
                Some($body)
            }
            Type::S64 => {
                type $t = i64;
                Some($body)
            }
            Type::U8 => {
                type $t = u8;
                Some($body)
            }
            Type::U16 => {
                type $t = u16;
                Some($body)
            }
            Type::U32 => {
                type $t = u32;
                Some($body)
            }
            Type::U64 => {
                type $t = u64;
                Some($body)
            }
            _ => None,
        }
    };
}

fn is_integer(ty: Type) -> bool {
    !matches!(ty, Type::Pred | Type::F16 | Type::BF16 | Type::F32 | Type::F64 | Type::C64 | Type::C128)
}

fn is_signed(ty: Type) -> bool {
    matches!(ty, Type::S8 | Type::S16 | Type::S32 | Type::S64)
}

/// The row function of a unary op, except those of [`crate::map::float`].
pub fn unary(f: Unary, ty: Type, to: Type) -> Option<Row> {
    if f == Unary::IsFinite {
        return is_finite(ty).filter(|_| to == Type::Pred);
    }
    if f == Unary::Abs && ty == Type::C64 && to == Type::F32 {
        return Some(one(|[re, im]: [f32; 2]| complex_abs(re, im)));
    }
    if ty != to {
        return None;
    }
    match ty {
        Type::F64 => Some(match f {
            Unary::Abs => one(f64::abs),
            Unary::Negate => one(|x: f64| -x),
            Unary::Sign => one(|x: f64| if x == 0.0 { x } else { canonicalized(x.signum()) }),
            Unary::Ceil => one(|x: f64| canonicalized(x.ceil())),
            Unary::Floor => one(|x: f64| canonicalized(x.floor())),
            Unary::RoundNearestEven => one(|x: f64| canonicalized(x.round_ties_even())),
            Unary::RoundNearestAfz => one(|x: f64| {
                let whole = x.trunc();
                let is_up = (x - whole).abs() >= 0.5;
                canonicalized(if is_up { whole + 1f64.copysign(x) } else { whole })
            }),
            Unary::Sqrt => one(|x: f64| canonicalized(x.sqrt())),
            Unary::Rsqrt => one(|x: f64| canonicalized(1.0 / x.sqrt())),
            _ => return None,
        }),
        Type::C64 if f == Unary::Negate => Some(one(|[re, im]: [f32; 2]| [-re, -im])),
        Type::C128 if f == Unary::Negate => Some(one(|[re, im]: [f64; 2]| [-re, -im])),
        Type::Pred if f == Unary::Not => Some(one(|x: u8| u8::from(x == 0))),
        _ if !is_integer(ty) => None,
        _ => match f {
            Unary::Abs if is_signed(ty) => by_integer!(ty, T => one(T::magnitude)),
            Unary::Sign if is_signed(ty) => by_integer!(ty, T => one(T::sign)),
            Unary::Negate => Some(on_bits(by_width!(ty, T => one(|x: T| T::default().wrapping_minus(x))))),
            Unary::Not => Some(on_bits(by_width!(ty, T => one(T::bit_not)))),
            Unary::PopulationCount => Some(on_bits(by_width!(ty, T => one(T::population_count)))),
            Unary::CountLeadingZeros => Some(on_bits(by_width!(ty, T => one(<T as Integer>::leading_zeros)))),
            _ => None,
        },
    }
}

/// Whether numbers are finite: the exponent bits are not all ones.
fn is_finite(ty: Type) -> Option<Row> {
    let of_u16 = |mask: u16| on_bits(one(move |x: u16| u8::from(x & mask != mask)));
    Some(match ty {
        Type::F16 => of_u16(0x7c00),
        Type::BF16 => of_u16(0x7f80),
        Type::F32 => on_bits(one(|x: u32| u8::from(x & 0x7f80_0000 != 0x7f80_0000))),
        Type::F64 => on_bits(one(|x: u64| u8::from(x & 0x7ff0 << 48 != 0x7ff0 << 48))),
        _ => return None,
    })
}

/// The row function of a binary op, except those of [`crate::map::float`].
pub fn binary(f: Binary, ty: Type) -> Option<Row> {
    match ty {
        Type::Pred => Some(match f {
            Binary::Add | Binary::Maximum | Binary::Or => two(|a: u8, b| a | b),
            Binary::Multiply | Binary::Minimum | Binary::And => two(|a: u8, b| a & b),
            Binary::Xor => two(|a: u8, b| a ^ b),
            _ => return None,
        }),
        Type::F64 => Some(match f {
            Binary::Add => two(|a: f64, b| canonicalized(a + b)),
            Binary::Subtract => two(|a: f64, b| canonicalized(a - b)),
            Binary::Multiply => two(|a: f64, b| canonicalized(a * b)),
            Binary::Divide => two(|a: f64, b| canonicalized(a / b)),
            Binary::Remainder => two(|a: f64, b| canonicalized(a % b)),
            Binary::Maximum => two(|a: f64, b: f64| canonicalized(-minimum(-a, -b))),
            Binary::Minimum => two(|a: f64, b| canonicalized(minimum(a, b))),
            _ => return None,
        }),
        Type::C64 => {
            let s = canonicalized_f32;
            Some(match f {
                Binary::Add => two(move |[a, b]: [f32; 2], [c, d]| [s(a + c), s(b + d)]),
                Binary::Subtract => two(move |[a, b]: [f32; 2], [c, d]| [s(a - c), s(b - d)]),
                // In f64 the products are exact: only the sum and the conversion back round.
                #[allow(clippy::cast_possible_truncation, reason = "the rounding")]
                Binary::Multiply => two(move |[a, b]: [f32; 2], [c, d]: [f32; 2]| {
                    let (a, b, c, d) = (f64::from(a), f64::from(b), f64::from(c), f64::from(d));
                    [s((a * c - b * d) as f32), s((a * d + b * c) as f32)]
                }),
                _ => return None,
            })
        }
        Type::C128 => {
            let s = canonicalized;
            Some(match f {
                Binary::Add => two(move |[a, b]: [f64; 2], [c, d]| [s(a + c), s(b + d)]),
                Binary::Subtract => two(move |[a, b]: [f64; 2], [c, d]| [s(a - c), s(b - d)]),
                Binary::Multiply => two(move |[a, b]: [f64; 2], [c, d]| [s(a * c - b * d), s(a * d + b * c)]),
                _ => return None,
            })
        }
        _ if !is_integer(ty) => None,
        _ => match f {
            Binary::Add => Some(on_bits(by_width!(ty, T => two(T::wrapping_plus)))),
            Binary::Subtract => Some(on_bits(by_width!(ty, T => two(T::wrapping_minus)))),
            Binary::Multiply => Some(on_bits(by_width!(ty, T => two(T::wrapping_times)))),
            Binary::And => Some(on_bits(by_width!(ty, T => two(T::bit_and)))),
            Binary::Or => Some(on_bits(by_width!(ty, T => two(T::bit_or)))),
            Binary::Xor => Some(on_bits(by_width!(ty, T => two(T::bit_xor)))),
            Binary::ShiftLeft => Some(on_bits(by_width!(ty, T => two(T::shift_left)))),
            Binary::ShiftRightLogical => Some(on_bits(by_width!(ty, T => two(T::shift_right_logical)))),
            Binary::ShiftRightArithmetic => Some(on_bits(by_width!(ty, T => two(T::shift_right_arithmetic)))),
            // The same bits for signed and unsigned.
            Binary::Power => Some(on_bits(by_width!(ty, T => two(T::power)))),
            Binary::Divide => by_integer!(ty, T => two(T::quotient)),
            Binary::Remainder => by_integer!(ty, T => two(T::remainder)),
            Binary::Maximum => by_integer!(ty, T => two(|a: T, b| a.max(b))),
            Binary::Minimum => by_integer!(ty, T => two(|a: T, b| a.min(b))),
            Binary::Atan2 => None,
        },
    }
}

/// A comparison; `f16` and `bf16` are compared as `f32`, which keeps their order.
pub fn compare(direction: Direction, ty: Type) -> Option<Row> {
    fn swapped(row: Row) -> Row {
        Box::new(move |read, out| {
            if let [a, b] = read {
                row(&[*b, *a], out);
            }
        })
    }
    macro_rules! ordered {
        ($t:ident) => {
            match direction {
                Direction::Eq => two(|a: $t, b| u8::from(a == b)),
                Direction::Ne => two(|a: $t, b| u8::from(a != b)),
                Direction::Lt => two(|a: $t, b| u8::from(a < b)),
                Direction::Le => two(|a: $t, b| u8::from(a <= b)),
                Direction::Gt => swapped(two(|a: $t, b| u8::from(a < b))),
                Direction::Ge => swapped(two(|a: $t, b| u8::from(a <= b))),
            }
        };
    }
    match ty {
        Type::Pred => Some(ordered!(u8)),
        Type::F32 => Some(ordered!(f32)),
        Type::F64 => Some(ordered!(f64)),
        Type::F16 | Type::BF16 => {
            let row = ordered!(f32);
            Some(Box::new(move |read, out| {
                if let ([Slice::U16(a), Slice::U16(b)], SliceMut::U8(out)) = (read, out) {
                    let (mut wide_a, mut wide_b) = ([0.0; 256], [0.0; 256]);
                    for ((a, b), out) in a.chunks(256).zip(b.chunks(256)).zip(out.chunks_mut(256)) {
                        half::widen(ty, a, &mut wide_a);
                        half::widen(ty, b, &mut wide_b);
                        let read = [Slice::F32(&wide_a[..a.len()]), Slice::F32(&wide_b[..a.len()])];
                        row(&read, &mut SliceMut::U8(out));
                    }
                }
            }))
        }
        Type::C64 | Type::C128 => {
            let is_equal = match direction {
                Direction::Eq => true,
                Direction::Ne => false,
                _ => return None,
            };
            Some(if ty == Type::C64 {
                two(move |a: [f32; 2], b| u8::from((a == b) == is_equal))
            } else {
                two(move |a: [f64; 2], b| u8::from((a == b) == is_equal))
            })
        }
        _ if matches!(direction, Direction::Eq | Direction::Ne) => {
            Some(on_bits(by_width!(ty, T => ordered!(T))))
        }
        _ => by_integer!(ty, T => ordered!(T)),
    }
}

/// Selects elements by a predicate, with all their bits.
pub fn select(ty: Type) -> Row {
    fn of<T: Cell>() -> Row {
        Box::new(|read, out| {
            if let ([Slice::U8(on), a, b], Some(out)) = (read, T::view_mut(out))
                && let (Some(a), Some(b)) = (T::view(a), T::view(b))
            {
                let all = on.iter().zip(a).zip(b).zip(out);
                all.for_each(|(((on, a), b), out)| *out = if *on != 0 { *a } else { *b });
            }
        })
    }
    match ty {
        Type::C64 => return of::<[f32; 2]>(),
        Type::C128 => return of::<[f64; 2]>(),
        _ => {}
    }
    on_bits(by_width!(ty, T => of::<T>()))
}

/// Clamps to the lower, then to the upper bound; propagates NaN of all three.
pub fn clamp(ty: Type) -> Option<Row> {
    fn floats(low: &[f32], x: &[f32], high: &[f32], out: &mut [f32]) {
        for (((low, x), high), out) in
            low.chunks(256).zip(x.chunks(256)).zip(high.chunks(256)).zip(out.chunks_mut(256))
        {
            let mut above = [0.0; 256];
            let above = &mut above[..x.len()];
            float::map_two(low, x, above, math::maximum);
            float::map_two(above, high, out, math::minimum);
        }
    }
    match ty {
        Type::F32 => Some(Box::new(|read, out| {
            if let ([Slice::F32(low), Slice::F32(x), Slice::F32(high)], SliceMut::F32(out)) = (read, out) {
                floats(low, x, high, out);
            }
        })),
        Type::F16 | Type::BF16 => Some(Box::new(move |read, out| {
            if let ([Slice::U16(low), Slice::U16(x), Slice::U16(high)], SliceMut::U16(out)) = (read, out) {
                let (mut a, mut b, mut c, mut d) = ([0.0; 256], [0.0; 256], [0.0; 256], [0.0; 256]);
                let all = low.chunks(256).zip(x.chunks(256)).zip(high.chunks(256)).zip(out.chunks_mut(256));
                for (((low, x), high), out) in all {
                    half::widen(ty, low, &mut a);
                    half::widen(ty, x, &mut b);
                    half::widen(ty, high, &mut c);
                    floats(&a, &b, &c, &mut d);
                    half::narrow(ty, &d, out);
                }
            }
        })),
        Type::F64 => Some(three(|low: f64, x, high: f64| {
            let above = -minimum(-low, -x);
            canonicalized(minimum(above, high))
        })),
        Type::Pred => Some(three(|low: u8, x, high| (low | x) & high)),
        _ => by_integer!(ty, T => three(|low: T, x: T, high| low.max(x).min(high))),
    }
}
