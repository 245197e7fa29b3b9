//! Conversions, and arithmetic of half precision, rounded once to nearest.

use crate::half_rows as half;
use crate::task::{Array, Binary, Map};
use crate::{Slice, SliceMut, Task, Type, View};

use crate::testing::{Random, run_task};

#[test]
fn half_precision_rounds_to_nearest() {
    // Every code round-trips; the midpoint of two neighbours rounds to even, numbers next to it to the nearest.
    for (ty, to, from, top) in [
        (Type::F16, half::to_f16 as fn(f32) -> u16, half::from_f16 as fn(u16) -> f32, 0x7c00u16),
        (Type::BF16, half::to_bf16, half::from_bf16, 0x7f80),
    ] {
        for code in 0..=u16::MAX {
            let (x, size) = (from(code), code & 0x7fff);
            assert_eq!(x.is_nan(), size > top);
            if x.is_nan() {
                assert_eq!(x.to_bits(), f32::NAN.to_bits());
                continue;
            }
            assert_eq!(to(x), code, "{ty:?} {code:x}");
            if size + 1 < top {
                let next = from(code + 1);
                let middle = (f64::midpoint(f64::from(x), f64::from(next))) as f32;
                if ty == Type::F16 || size > 0x80 {
                    let even = if code % 2 == 0 { code } else { code + 1 };
                    assert_eq!(to(middle), even, "{ty:?} {code:x}");
                    let above = f32::from_bits(middle.to_bits() + 1);
                    let below = f32::from_bits(middle.to_bits() - 1);
                    assert_eq!((to(below), to(above)), (code, code + 1), "{ty:?} {code:x}");
                }
            }
        }
        assert_eq!(
            (to(f32::MAX), to(f32::NAN), to(f32::INFINITY)),
            (top, top | top >> 1 & !top | if ty == Type::F16 { 0x200 } else { 0x40 }, top)
        );
    }
    assert_eq!((half::to_f16(65519.0), half::to_f16(65520.0)), (0x7bff, 0x7c00));
}

#[test]
fn halves_are_computed_in_f32() {
    let mut random = Random::new(54);
    for (ty, to, from) in [
        (Type::F16, half::to_f16 as fn(f32) -> u16, half::from_f16 as fn(u16) -> f32),
        (Type::BF16, half::to_bf16, half::from_bf16),
    ] {
        let x: Vec<u16> = (0..3000).map(|_| random.bits() as u16).collect();
        let y: Vec<u16> = (0..3000).map(|_| random.bits() as u16).collect();
        let array = || Array { ty, view: View::row_major(&[x.len()]) };
        for f in [Binary::Add, Binary::Multiply, Binary::Divide, Binary::Maximum] {
            let mut out = vec![0; x.len()];
            let task = Task::Binary(Map { operands: [array(), array()], out: array(), f });
            run_task(&task, &[Slice::U16(&x), Slice::U16(&y)], &mut [SliceMut::U16(&mut out)]).unwrap();
            for ((a, b), found) in x.iter().zip(&y).zip(&out) {
                let (p, q) = (f64::from(from(*a)), f64::from(from(*b)));
                let expected = match f {
                    Binary::Add => p + q,
                    Binary::Multiply => p * q,
                    Binary::Divide => p / q,
                    _ if p.is_nan() || q.is_nan() => f64::NAN,
                    _ if p == q => {
                        if p.is_sign_negative() {
                            q
                        } else {
                            p
                        }
                    }
                    _ => p.max(q),
                };
                assert_eq!(*found, to(expected as f32), "{ty:?} {f:?} {p} {q}");
            }
        }
    }
}

/// A number of any type.
#[derive(Clone, Copy, Debug)]
enum Number {
    Whole(i128),
    Real(f64),
}

fn convert_case<A: Copy, B: Copy + PartialEq + std::fmt::Debug>(
    (from, to): (Type, Type),
    x: &[A],
    slice: impl for<'a> Fn(&'a [A]) -> Slice<'a>,
    number: impl Fn(A) -> Number,
    mut out: Vec<B>,
    slice_mut: impl for<'a> Fn(&'a mut [B]) -> SliceMut<'a>,
    expected: impl Fn(Number) -> B,
) {
    let array = |ty| Array { ty, view: View::row_major(&[x.len()]) };
    let task = Task::Convert(Map { operands: [array(from)], out: array(to), f: crate::task::Convert });
    run_task(&task, &[slice(x)], &mut [slice_mut(&mut out)]).unwrap();
    for (x, out) in x.iter().zip(&out) {
        let expected = expected(number(*x));
        assert_eq!(format!("{out:?}"), format!("{expected:?}"), "{from:?} to {to:?} of {:?}", number(*x));
    }
}

#[test]
fn conversions_saturate_wrap_and_round_once() {
    let mut random = Random::new(55);
    let mut reals: Vec<f64> = vec![
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.5,
        127.9,
        128.0,
        -128.9,
        255.5,
        3e9,
        -3e9,
        1e19,
        -1e19,
        1e300,
        f64::NAN,
        f64::INFINITY,
    ];
    reals.extend([
        1.0 + 2f64.powi(-11) + 2f64.powi(-40),
        1.0 + 2f64.powi(-8) + 2f64.powi(-40),
        2f64.powi(-25),
        2f64.powi(-25) * 1.000_000_001,
        65519.999_999,
        1e-46,
    ]);
    reals.extend((0..300).map(|_| f64::from(random.unit()) * 10f64.powi(random.below(30) as i32 - 10)));
    let wholes: Vec<i64> = [
        0,
        1,
        -1,
        127,
        128,
        255,
        256,
        -129,
        i64::MAX,
        i64::MIN,
        (1 << 53) + 1,
        (1 << 24) + 1,
        (1 << 60) + 1,
        65519,
        65520,
        (257 << 52) + 1,
        257 << 52,
    ]
    .into_iter()
    .chain((0..200).map(|_| (random.bits() as i64) >> random.below(60)))
    .collect();
    let unsigned: Vec<u64> = wholes.iter().map(|x| *x as u64).collect();
    let singles: Vec<f32> = reals.iter().map(|x| *x as f32).collect();
    let narrow: Vec<i32> = wholes.iter().map(|x| *x as i32).collect();
    let pred: Vec<u8> = wholes.iter().map(|x| u8::from(*x > 0)).collect();

    /// The nearest number with a significand of `digits` bits, ties to even, from exact integers.
    fn digits(x: i128, digits: u32) -> f64 {
        let size = x.unsigned_abs();
        let bits = 128 - size.leading_zeros();
        if bits <= digits {
            return x as f64;
        }
        let drop = bits - digits;
        let (kept, rest, half) = (size >> drop, size & ((1 << drop) - 1), 1u128 << (drop - 1));
        let up = rest > half || rest == half && kept & 1 == 1;
        let value = (kept + u128::from(up)) as f64 * 2f64.powi(drop as i32);
        if x < 0 { -value } else { value }
    }
    /// A real number rounded to halves by searching the neighbours.
    fn to_half(x: Number, to: fn(f32) -> u16, from: fn(u16) -> f32, precision: u32) -> u16 {
        let x = match x {
            Number::Whole(x) => return to(digits(x, precision) as f32),
            Number::Real(x) => x,
        };
        let near = to(x as f32);
        if !x.is_finite() || from(near).is_infinite() && (x.abs() >= 65520.0 || precision != 11) {
            return near;
        }
        let candidates = [near.wrapping_sub(1), near, near.wrapping_add(1)];
        let distance = |code: &u16| (f64::from(from(*code)) - x).abs();
        let finite =
            candidates.into_iter().filter(|code| from(*code).is_finite() && (code ^ near) & 0x8000 == 0);
        finite.min_by(|a, b| distance(a).total_cmp(&distance(b)).then((a & 1).cmp(&(b & 1)))).unwrap()
    }
    macro_rules! to_all {
        ($from:ident, $x:expr, $variant:ident, $number:expr) => {{
            macro_rules! to_whole {
                ($to:ident $out:ident $native:ident) => {
                    convert_case((Type::$from, Type::$to), &$x, |x| Slice::$variant(x), $number, vec![0; $x.len()], |out| SliceMut::$out(out), |x| match x {
                        Number::Whole(x) => x as $native,
                        Number::Real(x) => x as $native,
                    });
                };
            }
            to_whole!(S8 I8 i8);
            to_whole!(S16 I16 i16);
            to_whole!(S32 I32 i32);
            to_whole!(S64 I64 i64);
            to_whole!(U8 U8 u8);
            to_whole!(U16 U16 u16);
            to_whole!(U32 U32 u32);
            to_whole!(U64 U64 u64);
            convert_case((Type::$from, Type::Pred), &$x, |x| Slice::$variant(x), $number, vec![0u8; $x.len()], |out| SliceMut::U8(out), |x| match x {
                Number::Whole(x) => u8::from(x != 0),
                Number::Real(x) => u8::from(x != 0.0),
            });
            let real = |x| match x {
                Number::Whole(x) => x as f64,
                Number::Real(x) => x,
            };
            let single = |x| match x {
                Number::Whole(x) => digits(x, 24) as f32,
                Number::Real(x) => x as f32,
            };
            convert_case((Type::$from, Type::F64), &$x, |x| Slice::$variant(x), $number, vec![0f64; $x.len()], |out| SliceMut::F64(out), real);
            convert_case((Type::$from, Type::F32), &$x, |x| Slice::$variant(x), $number, vec![0f32; $x.len()], |out| SliceMut::F32(out), single);
            convert_case((Type::$from, Type::C64), &$x, |x| Slice::$variant(x), $number, vec![[0f32; 2]; $x.len()], |out| SliceMut::C64(out), |x| [single(x), 0.0]);
            convert_case((Type::$from, Type::C128), &$x, |x| Slice::$variant(x), $number, vec![[0f64; 2]; $x.len()], |out| SliceMut::C128(out), |x| [real(x), 0.0]);
            convert_case((Type::$from, Type::F16), &$x, |x| Slice::$variant(x), $number, vec![0u16; $x.len()], |out| SliceMut::U16(out), |x| to_half(x, half::to_f16, half::from_f16, 11));
            convert_case((Type::$from, Type::BF16), &$x, |x| Slice::$variant(x), $number, vec![0u16; $x.len()], |out| SliceMut::U16(out), |x| to_half(x, half::to_bf16, half::from_bf16, 8));
        }};
    }
    to_all!(F64, reals, F64, Number::Real);
    to_all!(F32, singles, F32, |x: f32| Number::Real(x.into()));
    to_all!(S64, wholes, I64, |x: i64| Number::Whole(x.into()));
    to_all!(U64, unsigned, U64, |x: u64| Number::Whole(x.into()));
    to_all!(S32, narrow, I32, |x: i32| Number::Whole(x.into()));
    to_all!(Pred, pred, U8, |x: u8| Number::Whole(x.into()));
    let codes: Vec<u16> = (0..500).map(|_| random.bits() as u16).collect();
    to_all!(F16, codes, U16, |x: u16| Number::Real(half::from_f16(x).into()));
    to_all!(BF16, codes, U16, |x: u16| Number::Real(half::from_bf16(x).into()));
    let pairs: Vec<[f32; 2]> = singles.iter().map(|x| [*x, 2.0]).collect();
    convert_case(
        (Type::C64, Type::F64),
        &pairs,
        |x| Slice::C64(x),
        |x: [f32; 2]| Number::Real(x[0].into()),
        vec![0f64; pairs.len()],
        |out| SliceMut::F64(out),
        |x| if let Number::Real(x) = x { x } else { 0.0 },
    );
    convert_case(
        (Type::C64, Type::C128),
        &pairs,
        |x| Slice::C64(x),
        |x: [f32; 2]| Number::Real(x[0].into()),
        vec![[0f64; 2]; pairs.len()],
        |out| SliceMut::C128(out),
        |x| if let Number::Real(x) = x { [x, 2.0] } else { [0.0; 2] },
    );
}
