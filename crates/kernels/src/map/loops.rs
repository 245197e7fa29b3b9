//! Element-wise functions on rows of every type but `f32`, as loops that the compiler vectorizes.
//!
//! Integers wrap; edge cases (division by zero, shifts beyond the width, powers) follow XLA, see `ops::elementwise`. Functions
//! that do not depend on the sign run on the unsigned type of the same width, so that fewer loops are compiled.

use crate::description::parts::Direction;
use crate::map::float;
use crate::map::row::BoxedRowFunction;
use crate::map::task::{Binary, Unary};
use crate::simd::half_rows as half;
use crate::simd::math;
use crate::support::element::Type;
use crate::support::integers::Integer;
use crate::support::scalars::{canonicalized, canonicalized_f32, complex_abs, minimum};
use crate::support::slice::{Element, Slice, SliceMut};

/// Elements of `f16` and `bf16`, or of the bounds of a clamp, that are processed at a time.
const CHUNK_ELEMENTS: usize = 256;

fn unary_loop<T: Element, R: Element>(f: impl Fn(T) -> R + 'static) -> BoxedRowFunction {
    Box::new(move |read, out| {
        if let (Some(x), Some(out)) = (read.first().and_then(T::view), R::view_mut(out)) {
            x.iter().zip(out).for_each(|(x, out)| *out = f(*x));
        }
    })
}

fn binary_loop<T: Element, R: Element>(f: impl Fn(T, T) -> R + 'static) -> BoxedRowFunction {
    Box::new(move |read, out| {
        if let ([a, b], Some(out)) = (read, R::view_mut(out))
            && let (Some(a), Some(b)) = (T::view(a), T::view(b))
        {
            a.iter().zip(b).zip(out).for_each(|((a, b), out)| *out = f(*a, *b));
        }
    })
}

fn ternary_loop<T: Element>(f: impl Fn(T, T, T) -> T + 'static) -> BoxedRowFunction {
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
fn on_bits(row: BoxedRowFunction) -> BoxedRowFunction {
    Box::new(move |read, out| {
        debug_assert!(read.len() <= 3, "at most three operands");
        let mut bits = [Slice::U8(&[]); 3];
        for (bits, read) in bits.iter_mut().zip(read) {
            *bits = read.as_bits();
        }
        row(bits.get(..read.len()).unwrap_or_default(), &mut out.as_bits_mut());
    })
}

/// Instantiates an expression for the unsigned integer type of a type's width.
macro_rules! with_unsigned_type {
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

/// Instantiates an expression for the native type of an integer type; `None` for other types.
macro_rules! with_integer_type {
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
pub fn unary(f: Unary, ty: Type, to: Type) -> Option<BoxedRowFunction> {
    if f == Unary::IsFinite {
        return is_finite(ty).filter(|_| to == Type::Pred);
    }
    if f == Unary::Abs && ty == Type::C64 && to == Type::F32 {
        return Some(unary_loop(|[re, im]: [f32; 2]| complex_abs(re, im)));
    }
    if ty != to {
        return None;
    }
    match ty {
        Type::F64 => Some(match f {
            Unary::Abs => unary_loop(f64::abs),
            Unary::Negate => unary_loop(|x: f64| -x),
            Unary::Sign => unary_loop(|x: f64| if x == 0.0 { x } else { canonicalized(x.signum()) }),
            Unary::Ceil => unary_loop(|x: f64| canonicalized(x.ceil())),
            Unary::Floor => unary_loop(|x: f64| canonicalized(x.floor())),
            Unary::RoundNearestEven => unary_loop(|x: f64| canonicalized(x.round_ties_even())),
            Unary::RoundNearestAfz => unary_loop(|x: f64| {
                let truncated = x.trunc();
                let rounds_away = (x - truncated).abs() >= 0.5;
                canonicalized(if rounds_away { truncated + 1f64.copysign(x) } else { truncated })
            }),
            Unary::Sqrt => unary_loop(|x: f64| canonicalized(x.sqrt())),
            Unary::Rsqrt => unary_loop(|x: f64| canonicalized(1.0 / x.sqrt())),
            _ => return None,
        }),
        Type::C64 if f == Unary::Negate => Some(unary_loop(|[re, im]: [f32; 2]| [-re, -im])),
        Type::C128 if f == Unary::Negate => Some(unary_loop(|[re, im]: [f64; 2]| [-re, -im])),
        Type::Pred if f == Unary::Not => Some(unary_loop(|x: u8| u8::from(x == 0))),
        _ if !is_integer(ty) => None,
        _ => match f {
            Unary::Abs if is_signed(ty) => with_integer_type!(ty, T => unary_loop(T::magnitude)),
            Unary::Sign if is_signed(ty) => with_integer_type!(ty, T => unary_loop(T::sign)),
            Unary::Negate => {
                Some(on_bits(with_unsigned_type!(ty, T => unary_loop(|x: T| T::default().wrapping_minus(x)))))
            }
            Unary::Not => Some(on_bits(with_unsigned_type!(ty, T => unary_loop(T::bit_not)))),
            Unary::PopulationCount => {
                Some(on_bits(with_unsigned_type!(ty, T => unary_loop(T::population_count))))
            }
            Unary::CountLeadingZeros => {
                Some(on_bits(with_unsigned_type!(ty, T => unary_loop(<T as Integer>::leading_zeros))))
            }
            _ => None,
        },
    }
}

/// Whether numbers are finite: the exponent bits are not all ones.
fn is_finite(ty: Type) -> Option<BoxedRowFunction> {
    let half_is_finite = |mask: u16| on_bits(unary_loop(move |x: u16| u8::from(x & mask != mask)));
    Some(match ty {
        Type::F16 => half_is_finite(0x7c00),
        Type::BF16 => half_is_finite(0x7f80),
        Type::F32 => on_bits(unary_loop(|x: u32| u8::from(x & 0x7f80_0000 != 0x7f80_0000))),
        Type::F64 => on_bits(unary_loop(|x: u64| u8::from(x & 0x7ff0 << 48 != 0x7ff0 << 48))),
        _ => return None,
    })
}

/// The row function of a binary op, except those of [`crate::map::float`].
pub fn binary(f: Binary, ty: Type) -> Option<BoxedRowFunction> {
    match ty {
        Type::Pred => Some(match f {
            Binary::Add | Binary::Maximum | Binary::Or => binary_loop(|a: u8, b| a | b),
            Binary::Multiply | Binary::Minimum | Binary::And => binary_loop(|a: u8, b| a & b),
            Binary::Xor => binary_loop(|a: u8, b| a ^ b),
            _ => return None,
        }),
        Type::F64 => Some(match f {
            Binary::Add => binary_loop(|a: f64, b| canonicalized(a + b)),
            Binary::Subtract => binary_loop(|a: f64, b| canonicalized(a - b)),
            Binary::Multiply => binary_loop(|a: f64, b| canonicalized(a * b)),
            Binary::Divide => binary_loop(|a: f64, b| canonicalized(a / b)),
            Binary::Remainder => binary_loop(|a: f64, b| canonicalized(a % b)),
            Binary::Maximum => binary_loop(|a: f64, b: f64| canonicalized(-minimum(-a, -b))),
            Binary::Minimum => binary_loop(|a: f64, b| canonicalized(minimum(a, b))),
            _ => return None,
        }),
        Type::C64 => {
            let canonical = canonicalized_f32;
            Some(match f {
                Binary::Add => {
                    binary_loop(move |[a, b]: [f32; 2], [c, d]| [canonical(a + c), canonical(b + d)])
                }
                Binary::Subtract => {
                    binary_loop(move |[a, b]: [f32; 2], [c, d]| [canonical(a - c), canonical(b - d)])
                }
                // In f64 the products are exact: only the sum and the conversion back round.
                #[allow(clippy::cast_possible_truncation, reason = "the rounding")]
                Binary::Multiply => binary_loop(move |[a, b]: [f32; 2], [c, d]: [f32; 2]| {
                    let (a, b, c, d) = (f64::from(a), f64::from(b), f64::from(c), f64::from(d));
                    [canonical((a * c - b * d) as f32), canonical((a * d + b * c) as f32)]
                }),
                _ => return None,
            })
        }
        Type::C128 => {
            let canonical = canonicalized;
            Some(match f {
                Binary::Add => {
                    binary_loop(move |[a, b]: [f64; 2], [c, d]| [canonical(a + c), canonical(b + d)])
                }
                Binary::Subtract => {
                    binary_loop(move |[a, b]: [f64; 2], [c, d]| [canonical(a - c), canonical(b - d)])
                }
                Binary::Multiply => binary_loop(move |[a, b]: [f64; 2], [c, d]| {
                    [canonical(a * c - b * d), canonical(a * d + b * c)]
                }),
                _ => return None,
            })
        }
        _ if !is_integer(ty) => None,
        _ => match f {
            Binary::Add => Some(on_bits(with_unsigned_type!(ty, T => binary_loop(T::wrapping_plus)))),
            Binary::Subtract => Some(on_bits(with_unsigned_type!(ty, T => binary_loop(T::wrapping_minus)))),
            Binary::Multiply => Some(on_bits(with_unsigned_type!(ty, T => binary_loop(T::wrapping_times)))),
            Binary::And => Some(on_bits(with_unsigned_type!(ty, T => binary_loop(T::bit_and)))),
            Binary::Or => Some(on_bits(with_unsigned_type!(ty, T => binary_loop(T::bit_or)))),
            Binary::Xor => Some(on_bits(with_unsigned_type!(ty, T => binary_loop(T::bit_xor)))),
            Binary::ShiftLeft => Some(on_bits(with_unsigned_type!(ty, T => binary_loop(T::shift_left)))),
            Binary::ShiftRightLogical => {
                Some(on_bits(with_unsigned_type!(ty, T => binary_loop(T::shift_right_logical))))
            }
            Binary::ShiftRightArithmetic => {
                Some(on_bits(with_unsigned_type!(ty, T => binary_loop(T::shift_right_arithmetic))))
            }
            // The same bits for signed and unsigned.
            Binary::Power => Some(on_bits(with_unsigned_type!(ty, T => binary_loop(T::power)))),
            Binary::Divide => with_integer_type!(ty, T => binary_loop(T::quotient)),
            Binary::Remainder => with_integer_type!(ty, T => binary_loop(T::remainder)),
            Binary::Maximum => with_integer_type!(ty, T => binary_loop(|a: T, b| a.max(b))),
            Binary::Minimum => with_integer_type!(ty, T => binary_loop(|a: T, b| a.min(b))),
            Binary::Atan2 => None,
        },
    }
}

/// A comparison; `f16` and `bf16` are compared as `f32`, which keeps their order.
pub fn compare(direction: Direction, ty: Type) -> Option<BoxedRowFunction> {
    fn with_swapped_operands(row: BoxedRowFunction) -> BoxedRowFunction {
        Box::new(move |read, out| {
            if let [a, b] = read {
                row(&[*b, *a], out);
            }
        })
    }
    macro_rules! ordered {
        ($t:ident) => {
            match direction {
                Direction::Eq => binary_loop(|a: $t, b| u8::from(a == b)),
                Direction::Ne => binary_loop(|a: $t, b| u8::from(a != b)),
                Direction::Lt => binary_loop(|a: $t, b| u8::from(a < b)),
                Direction::Le => binary_loop(|a: $t, b| u8::from(a <= b)),
                Direction::Gt => with_swapped_operands(binary_loop(|a: $t, b| u8::from(a < b))),
                Direction::Ge => with_swapped_operands(binary_loop(|a: $t, b| u8::from(a <= b))),
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
                    let (mut wide_a, mut wide_b) = ([0.0; CHUNK_ELEMENTS], [0.0; CHUNK_ELEMENTS]);
                    for ((a, b), out) in a
                        .chunks(CHUNK_ELEMENTS)
                        .zip(b.chunks(CHUNK_ELEMENTS))
                        .zip(out.chunks_mut(CHUNK_ELEMENTS))
                    {
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
                binary_loop(move |a: [f32; 2], b| u8::from((a == b) == is_equal))
            } else {
                binary_loop(move |a: [f64; 2], b| u8::from((a == b) == is_equal))
            })
        }
        _ if matches!(direction, Direction::Eq | Direction::Ne) => {
            Some(on_bits(with_unsigned_type!(ty, T => ordered!(T))))
        }
        _ => with_integer_type!(ty, T => ordered!(T)),
    }
}

/// Selects elements by a predicate, with all their bits.
pub fn select(ty: Type) -> BoxedRowFunction {
    fn select_row<T: Element>() -> BoxedRowFunction {
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
        Type::C64 => return select_row::<[f32; 2]>(),
        Type::C128 => return select_row::<[f64; 2]>(),
        _ => {}
    }
    on_bits(with_unsigned_type!(ty, T => select_row::<T>()))
}

/// Clamps to the lower, then to the upper bound; propagates NaN of all three.
pub fn clamp(ty: Type) -> Option<BoxedRowFunction> {
    fn clamp_floats(low: &[f32], x: &[f32], high: &[f32], out: &mut [f32]) {
        for (((low, x), high), out) in low
            .chunks(CHUNK_ELEMENTS)
            .zip(x.chunks(CHUNK_ELEMENTS))
            .zip(high.chunks(CHUNK_ELEMENTS))
            .zip(out.chunks_mut(CHUNK_ELEMENTS))
        {
            let mut raised = [0.0; CHUNK_ELEMENTS];
            let raised = &mut raised[..x.len()];
            float::map_two(low, x, raised, math::maximum);
            float::map_two(raised, high, out, math::minimum);
        }
    }
    match ty {
        Type::F32 => Some(Box::new(|read, out| {
            if let ([Slice::F32(low), Slice::F32(x), Slice::F32(high)], SliceMut::F32(out)) = (read, out) {
                clamp_floats(low, x, high, out);
            }
        })),
        Type::F16 | Type::BF16 => Some(Box::new(move |read, out| {
            if let ([Slice::U16(low), Slice::U16(x), Slice::U16(high)], SliceMut::U16(out)) = (read, out) {
                let (mut a, mut b, mut c, mut d) = (
                    [0.0; CHUNK_ELEMENTS],
                    [0.0; CHUNK_ELEMENTS],
                    [0.0; CHUNK_ELEMENTS],
                    [0.0; CHUNK_ELEMENTS],
                );
                let all = low
                    .chunks(CHUNK_ELEMENTS)
                    .zip(x.chunks(CHUNK_ELEMENTS))
                    .zip(high.chunks(CHUNK_ELEMENTS))
                    .zip(out.chunks_mut(CHUNK_ELEMENTS));
                for (((low, x), high), out) in all {
                    half::widen(ty, low, &mut a);
                    half::widen(ty, x, &mut b);
                    half::widen(ty, high, &mut c);
                    clamp_floats(&a, &b, &c, &mut d);
                    half::narrow(ty, &d, out);
                }
            }
        })),
        Type::F64 => Some(ternary_loop(|low: f64, x, high: f64| {
            let raised = -minimum(-low, -x);
            canonicalized(minimum(raised, high))
        })),
        Type::Pred => Some(ternary_loop(|low: u8, x, high| (low | x) & high)),
        _ => with_integer_type!(ty, T => ternary_loop(|low: T, x: T, high| low.max(x).min(high))),
    }
}
