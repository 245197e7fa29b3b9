//! Element-wise ops of every type over views with arbitrary strides, against scalar code.

mod convert;
mod math;

use crate::task::{Array, Binary, Clamp, Direction, Map, Select, Unary};
use crate::{Slice, SliceMut, Task, Type, View};

use crate::testing::{Random, floats, floats_of, run_task, same, slots};

/// A view of these sizes: any order of dimensions and padding, sometimes broadcast along a dimension or reversed.
fn operand(random: &mut Random, sizes: &[usize]) -> (View, usize) {
    let (mut view, elements) = random.layout(sizes);
    for d in 0..sizes.len() {
        match random.below(5) {
            0 => view.strides[d] = 0,
            1 if sizes[d] > 0 => {
                view.offset = view.offset.wrapping_add_signed(view.strides[d] * (sizes[d] as isize - 1));
                view.strides[d] = -view.strides[d];
            }
            _ => {}
        }
    }
    (view, elements)
}

fn result(random: &mut Random, sizes: &[usize]) -> (View, usize) {
    let (mut view, elements) = random.layout(sizes);
    if !sizes.is_empty() && random.below(5) == 0 && !sizes.contains(&0) {
        let d = random.below(sizes.len());
        view.offset = view.offset.wrapping_add_signed(view.strides[d] * (sizes[d] as isize - 1));
        view.strides[d] = -view.strides[d];
    }
    (view, elements)
}

fn sizes(random: &mut Random) -> Vec<usize> {
    let rank = random.below(7);
    let mut sizes = random.sizes(rank, [1, 2000, 70, 20, 9, 5, 4][rank]);
    if rank > 0 && random.below(30) == 0 {
        sizes[0] = 0;
    }
    sizes
}

#[test]
fn binary_ops_of_floats_over_any_strides() {
    let mut random = Random::new(51);
    for round in 0..600 {
        let sizes = sizes(&mut random);
        let ((a, a_elements), (b, b_elements)) = (operand(&mut random, &sizes), operand(&mut random, &sizes));
        let (out, elements) = result(&mut random, &sizes);
        let f = [
            Binary::Add,
            Binary::Subtract,
            Binary::Multiply,
            Binary::Divide,
            Binary::Maximum,
            Binary::Minimum,
            Binary::Remainder,
        ][round % 7];
        let task = Task::Binary(Map { operands: [floats(&a), floats(&b)], out: floats(&out), f });
        let x: Vec<f32> = (0..a_elements).map(|_| random.float()).collect();
        let y: Vec<f32> = (0..b_elements).map(|_| random.float()).collect();
        let found = floats_of(&task, &[&x, &y], elements);
        let mut expected = vec![7.0; elements];
        for ((a, b), out) in slots(&a).iter().zip(slots(&b)).zip(slots(&out)) {
            let (a, b) = (x[*a], y[b]);
            let has_nan = a.is_nan() || b.is_nan();
            expected[out] = match f {
                Binary::Add => a + b,
                Binary::Subtract => a - b,
                Binary::Multiply => a * b,
                Binary::Divide => a / b,
                Binary::Remainder => a % b,
                _ if has_nan => f32::NAN,
                Binary::Maximum if a == b => f32::from_bits(a.to_bits() & b.to_bits()),
                Binary::Minimum if a == b => f32::from_bits(a.to_bits() | b.to_bits()),
                Binary::Maximum => a.max(b),
                _ => a.min(b),
            };
        }
        assert!(found.iter().zip(&expected).all(|(f, e)| same(*f, *e)), "{task:?}");
    }
}

#[test]
fn select_clamp_and_compare_over_any_strides() {
    let mut random = Random::new(52);
    for round in 0..600 {
        let sizes = sizes(&mut random);
        let ((a, a_elements), (b, b_elements), (c, c_elements)) =
            (operand(&mut random, &sizes), operand(&mut random, &sizes), operand(&mut random, &sizes));
        let (out, elements) = result(&mut random, &sizes);
        let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| random.float()).collect() };
        let (x, y, z) = (numbers(a_elements), numbers(b_elements), numbers(c_elements));
        let all = || slots(&a).into_iter().zip(slots(&b)).zip(slots(&c)).zip(slots(&out)).collect::<Vec<_>>();
        match round % 3 {
            0 => {
                let on: Vec<u8> = x.iter().map(|x| u8::from(*x > 0.0)).collect();
                let on_array = Array { ty: Type::Pred, view: a.clone() };
                let task = Task::Select(Map {
                    operands: [on_array, floats(&b), floats(&c)],
                    out: floats(&out),
                    f: Select,
                });
                let mut found = vec![7.0; elements];
                run_task(
                    &task,
                    &[Slice::U8(&on), Slice::F32(&y), Slice::F32(&z)],
                    &mut [SliceMut::F32(&mut found)],
                )
                .unwrap();
                for (((a, b), c), out) in all() {
                    let expected = if on[a] == 1 { y[b] } else { z[c] };
                    assert_eq!(found[out].to_bits(), expected.to_bits(), "{task:?}");
                }
            }
            1 => {
                let task = Task::Clamp(Map {
                    operands: [floats(&a), floats(&b), floats(&c)],
                    out: floats(&out),
                    f: Clamp,
                });
                let found = floats_of(&task, &[&x, &y, &z], elements);
                for (((a, b), c), out) in all() {
                    let (low, x, high) = (x[a], y[b], z[c]);
                    let above = if low > x || low == x && x.is_sign_negative() { low } else { x };
                    let expected =
                        if high < above || high == above && high.is_sign_negative() { high } else { above };
                    let has_nan = low.is_nan() || x.is_nan() || high.is_nan();
                    assert!(same(found[out], if has_nan { f32::NAN } else { expected }), "{task:?}");
                }
            }
            _ => {
                let f = Direction::ALL[round / 3 % 6];
                let to = Array { ty: Type::Pred, view: out.clone() };
                let task = Task::Compare(Map { operands: [floats(&a), floats(&b)], out: to, f });
                let mut found = vec![7; elements];
                run_task(&task, &[Slice::F32(&x), Slice::F32(&y)], &mut [SliceMut::U8(&mut found)]).unwrap();
                for (((a, b), _), out) in all() {
                    let (a, b) = (x[a], y[b]);
                    let expected = match f {
                        Direction::Eq => a == b,
                        Direction::Ne => a != b,
                        Direction::Lt => a < b,
                        Direction::Le => a <= b,
                        Direction::Gt => a > b,
                        Direction::Ge => a >= b,
                    };
                    assert_eq!(found[out], u8::from(expected), "{task:?}");
                }
            }
        }
    }
}

macro_rules! integers {
    ($name:ident $variant:ident $native:ident $unsigned:ident $ty:ident) => {
        #[test]
        fn $name() {
            let mut random = Random::new(53);
            let width = $native::BITS as i128;
            let corners = [
                0,
                1,
                2,
                3,
                !0,
                !1,
                $native::MIN,
                $native::MAX,
                $native::MAX - 1,
                7,
                8,
                16,
                31,
                32,
                63,
                64,
                65,
            ];
            let (mut a, mut b): (Vec<$native>, Vec<$native>) =
                corners.iter().flat_map(|a| corners.map(|b| (*a, b))).unzip();
            for _ in 0..500 {
                a.push((random.bits() >> 20) as $native);
                b.push((random.bits() >> 20) as $native >> random.below(8));
            }
            let array = || Array { ty: Type::$ty, view: View::row_major(&[a.len()]) };
            for f in Binary::ALL.into_iter().filter(|f| *f != Binary::Atan2) {
                let mut out = vec![0; a.len()];
                let task = Task::Binary(Map { operands: [array(), array()], out: array(), f });
                run_task(
                    &task,
                    &[Slice::$variant(&a), Slice::$variant(&b)],
                    &mut [SliceMut::$variant(&mut out)],
                )
                .unwrap();
                for ((x, y), found) in a.iter().zip(&b).zip(&out) {
                    let (p, q) = (*x as i128, *y as i128);
                    let is_within = (0..width).contains(&q);
                    let shift = if is_within { q } else { 0 };
                    let expected = match f {
                        Binary::Add => p + q,
                        Binary::Subtract => p - q,
                        Binary::Multiply => p.wrapping_mul(q),
                        Binary::Divide => {
                            if q == 0 {
                                -1
                            } else {
                                p / q
                            }
                        }
                        Binary::Remainder => {
                            if q == 0 {
                                p
                            } else {
                                p % q
                            }
                        }
                        Binary::Maximum => p.max(q),
                        Binary::Minimum => p.min(q),
                        Binary::And => p & q,
                        Binary::Or => p | q,
                        Binary::Xor => p ^ q,
                        Binary::ShiftLeft => {
                            if is_within {
                                p << shift
                            } else {
                                0
                            }
                        }
                        Binary::ShiftRightLogical => {
                            if is_within {
                                i128::from(*x as $unsigned) >> shift
                            } else {
                                0
                            }
                        }
                        Binary::ShiftRightArithmetic => {
                            let signed = (p << (128 - width)) >> (128 - width);
                            signed >> if is_within { shift } else { 127 }
                        }
                        _ => {
                            let is_below = *y as $unsigned >> ($native::BITS - 1) == 1;
                            let minus_one = *x == !0;
                            if *x == 1 {
                                1
                            } else if is_below {
                                if minus_one { if y & 1 == 1 { p } else { 1 } } else { 0 }
                            } else {
                                (0..(q & 63)).fold(1i128, |all, _| all.wrapping_mul(p) as $native as i128)
                            }
                        }
                    };
                    assert_eq!(*found, expected as $native, "{f:?} {x} {y}");
                }
            }
            for f in [
                Unary::Abs,
                Unary::Negate,
                Unary::Sign,
                Unary::Not,
                Unary::PopulationCount,
                Unary::CountLeadingZeros,
            ] {
                let task = Task::Unary(Map { operands: [array()], out: array(), f });
                let mut out = vec![0; a.len()];
                if run_task(&task, &[Slice::$variant(&a)], &mut [SliceMut::$variant(&mut out)]).is_err() {
                    assert!($native::MIN == 0 && matches!(f, Unary::Abs | Unary::Sign));
                    continue;
                }
                for (x, found) in a.iter().zip(&out) {
                    let p = *x as i128;
                    let expected = match f {
                        Unary::Abs => p.abs(),
                        Unary::Negate => -p,
                        Unary::Sign => p.signum(),
                        Unary::Not => !p,
                        Unary::PopulationCount => x.count_ones().into(),
                        _ => x.leading_zeros().into(),
                    };
                    assert_eq!(*found, expected as $native, "{f:?} {x}");
                }
            }
        }
    };
}

integers! { s8_is_exact I8 i8 u8 S8 }
integers! { u8_is_exact U8 u8 u8 U8 }
integers! { s16_is_exact I16 i16 u16 S16 }
integers! { u16_is_exact U16 u16 u16 U16 }
integers! { s32_is_exact I32 i32 u32 S32 }
integers! { u32_is_exact U32 u32 u32 U32 }
integers! { s64_is_exact I64 i64 u64 S64 }
integers! { u64_is_exact U64 u64 u64 U64 }
