//! Reduce: every set of dimensions, every layout, against a sequential reduction in `f64` or in the type itself.

use crate::task::{Array, Reduce, Reducer};
use crate::{Slice, SliceMut, Task, Type, View};

use crate::testing::{Random, floats_of, run_task, same, slots};

/// For each element of the result, the slots of the operand's elements that are reduced, in row-major order.
fn groups(operand: &View, dimensions: &[usize]) -> Vec<Vec<usize>> {
    let kept: Vec<usize> = (0..operand.rank()).filter(|d| !dimensions.contains(d)).collect();
    let starts = slots(&operand.permuted(&kept));
    let reduced: Vec<usize> = (0..operand.rank()).filter(|d| dimensions.contains(d)).collect();
    let steps = slots(&View { offset: 0, ..operand.permuted(&reduced) });
    starts.iter().map(|start| steps.iter().map(|step| start.wrapping_add(*step)).collect()).collect()
}

/// A random task: sizes, layouts, dimensions.
fn task(random: &mut Random, ty: Type, reducer: Reducer) -> (Reduce, usize, usize) {
    let rank = random.below(6);
    let max_size = [400, 90, 24, 9, 6, 4][rank];
    let mut sizes = random.sizes(rank, max_size);
    if rank > 0 && random.below(20) == 0 {
        sizes[random.below(rank)] = 0;
    }
    if rank == 1 && random.below(4) == 0 {
        sizes[0] = 30000 + random.below(10000);
    }
    let dimensions: Vec<usize> = (0..rank).filter(|_| random.below(2) == 0).collect();
    let (mut operand, elements) = random.layout(&sizes);
    if rank > 0 && !sizes.contains(&0) && random.below(4) == 0 {
        let d = random.below(rank);
        operand.offset = operand.offset.wrapping_add_signed(operand.strides[d] * (sizes[d] as isize - 1));
        operand.strides[d] = -operand.strides[d];
    }
    let kept_sizes: Vec<usize> = (0..rank).filter(|d| !dimensions.contains(d)).map(|d| sizes[d]).collect();
    let (out, out_elements) = random.layout(&kept_sizes);
    let array = |view| Array { ty, view };
    (Reduce { operand: array(operand), out: array(out), dimensions, reducer }, elements, out_elements)
}

fn combined(reducer: Reducer, a: f64, b: f64) -> f64 {
    match reducer {
        Reducer::Mul => a * b,
        Reducer::Min | Reducer::Max if a.is_nan() || b.is_nan() => f64::NAN,
        Reducer::Min if a == b => {
            if a.is_sign_negative() {
                a
            } else {
                b
            }
        }
        Reducer::Max if a == b => {
            if a.is_sign_negative() {
                b
            } else {
                a
            }
        }
        Reducer::Min => a.min(b),
        Reducer::Max => a.max(b),
        _ => a + b,
    }
}

#[test]
fn min_and_max_are_exact() {
    let mut random = Random::new(1);
    for round in 0..600 {
        let reducer = [Reducer::Min, Reducer::Max][round % 2];
        let (task, elements, out_elements) = task(&mut random, Type::F32, reducer);
        let x: Vec<f32> = (0..elements)
            .map(|_| if round % 5 == 0 { [0.0, -0.0, -0.0, -0.0][random.below(4)] } else { random.float() })
            .collect();
        let init = random.float();
        let out = floats_of(&Task::Reduce(task.clone()), &[&x, &[init]], out_elements);
        let groups = groups(&task.operand.view, &task.dimensions);
        for (slot, group) in slots(&task.out.view).iter().zip(&groups) {
            let all = group.iter().map(|slot| f64::from(x[*slot]));
            let expected = all.fold(f64::from(init), |a, b| combined(reducer, a, b)) as f32;
            assert!(same(out[*slot], expected), "{task:?}: {} for {expected}", out[*slot]);
        }
    }
}

/// Large operands are read as interleaved streams, and the maximum is first computed by an operation that ignores NaN and the
/// sign of zero.
#[test]
fn large_operands_have_the_bits_of_small_ones() {
    let mut random = Random::new(7);
    let cases: [(&[usize], &[usize]); 5] = [
        (&[5, 2, 257, 210], &[2]),
        (&[9, 70, 900], &[1]),
        (&[6, 300, 301], &[1]),
        (&[5, 111_000], &[1]),
        (&[560_000], &[0]),
    ];
    for (round, (sizes, dimensions)) in cases.iter().cycle().take(30).enumerate() {
        let reducer = [Reducer::Min, Reducer::Max, Reducer::Add][round / 5 % 3];
        let elements: usize = sizes.iter().product();
        let mut x: Vec<f32> = (0..elements).map(|_| (random.below(2001) as f32 - 1000.0) / 8.0).collect();
        if reducer != Reducer::Add {
            let sign = if reducer == Reducer::Max { -1.0 } else { 1.0 };
            for x in &mut x {
                *x = sign * x.abs();
            }
            for special in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0] {
                (0..if round < 15 { 3 } else { 400 }).for_each(|_| x[random.below(elements)] = special);
            }
        }
        let kept_sizes: Vec<usize> =
            (0..sizes.len()).filter(|d| !dimensions.contains(d)).map(|d| sizes[d]).collect();
        let array = |sizes: &[usize]| Array { ty: Type::F32, view: View::row_major(sizes) };
        let task = Reduce {
            operand: array(sizes),
            out: array(&kept_sizes),
            dimensions: dimensions.to_vec(),
            reducer,
        };
        let init = if reducer == Reducer::Add { 0.0 } else { random.float() };
        let out = floats_of(&Task::Reduce(task.clone()), &[&x, &[init]], kept_sizes.iter().product());
        for (slot, group) in groups(&task.operand.view, dimensions).iter().enumerate() {
            // Multiples of an eighth, and few enough: every sum is exact.
            let all = group.iter().map(|slot| f64::from(x[*slot]));
            let expected = all.fold(f64::from(init), |a, b| combined(reducer, a, b)) as f32;
            assert!(
                same(out[slot], expected),
                "{reducer:?} {sizes:?} at {slot}: {} for {expected}",
                out[slot]
            );
        }
    }
}

#[test]
fn sums_and_products_are_within_their_bound() {
    let mut random = Random::new(2);
    for round in 0..600 {
        let reducer = [Reducer::Add, Reducer::Mul][round % 2];
        let (task, elements, out_elements) = task(&mut random, Type::F32, reducer);
        let odd = round % 10 < 2;
        let x: Vec<f32> = (0..elements)
            .map(|_| {
                if odd {
                    random.float()
                } else if reducer == Reducer::Mul {
                    1.0 + random.unit() / 64.0
                } else {
                    random.unit()
                }
            })
            .collect();
        let init = random.unit();
        let out = floats_of(&Task::Reduce(task.clone()), &[&x, &[init]], out_elements);
        let groups = groups(&task.operand.view, &task.dimensions);
        for (slot, group) in slots(&task.out.view).iter().zip(&groups) {
            let all = || group.iter().map(|slot| f64::from(x[*slot]));
            let expected = all().fold(f64::from(init), |a, b| combined(reducer, a, b));
            let size =
                if reducer == Reducer::Add { all().map(f64::abs).sum::<f64>() + 1.0 } else { expected.abs() };
            if !expected.is_finite() || odd && (reducer == Reducer::Mul || size > 1e30) {
                // Where partial results overflow depends on the order; NaN in the operand does not.
                let has_nan = group.iter().any(|slot| x[*slot].is_nan());
                assert!(!has_nan || same(out[*slot], f32::NAN));
                continue;
            }
            let bound = size * 6e-8 * (group.len() as f64 + 1.0).sqrt() * 4.0;
            assert!(
                (f64::from(out[*slot]) - expected).abs() <= bound,
                "{task:?}: {} for {expected}",
                out[*slot]
            );
        }
    }
}

#[test]
fn whole_numbers_are_summed_exactly_and_zeros_keep_their_sign() {
    let mut random = Random::new(3);
    for round in 0..200 {
        let (task, elements, out_elements) = task(&mut random, Type::F32, Reducer::Add);
        let x: Vec<f32> =
            (0..elements).map(|_| if round % 4 == 0 { -0.0 } else { random.below(16) as f32 }).collect();
        let out = floats_of(&Task::Reduce(task.clone()), &[&x, &[-0.0]], out_elements);
        for (slot, group) in slots(&task.out.view).iter().zip(&groups(&task.operand.view, &task.dimensions)) {
            let expected = group.iter().fold(-0.0, |sum, slot| sum + x[*slot]);
            assert!(same(out[*slot], expected), "{task:?}");
        }
    }
}

macro_rules! integers {
    ($($variant:ident $native:ident $ty:ident;)*) => {
        #[test]
        fn integers_are_exact() {
            let mut random = Random::new(4);
            $(for round in 0..140 {
                let reducer = Reducer::ALL[round % 7];
                let (task, elements, out_elements) = task(&mut random, Type::$ty, reducer);
                let truth = Type::$ty == Type::Pred;
                let mut number = || if truth { (random.bits() >> 40 & 1) as $native } else { (random.bits() >> 20) as $native };
                let x: Vec<$native> = (0..elements).map(|_| number()).collect();
                let init = number();
                let join = |a: $native, b: $native| match reducer {
                    Reducer::Add if truth => a | b,
                    Reducer::Add => a.wrapping_add(b),
                    Reducer::Mul => a.wrapping_mul(b),
                    Reducer::Min => a.min(b),
                    Reducer::Max => a.max(b),
                    Reducer::And => a & b,
                    Reducer::Or => a | b,
                    Reducer::Xor => a ^ b,
                };
                let mut out = vec![7 as $native; out_elements];
                let read = [Slice::$variant(&x), Slice::$variant(std::slice::from_ref(&init))];
                run_task(&Task::Reduce(task.clone()), &read, &mut [SliceMut::$variant(&mut out)]).unwrap();
                for (slot, group) in slots(&task.out.view).iter().zip(&groups(&task.operand.view, &task.dimensions)) {
                    let expected = group.iter().fold(init, |all, slot| join(all, x[*slot]));
                    assert_eq!(out[*slot], expected, "{task:?}");
                }
            })*
        }
    };
}

integers! {
    U8 u8 Pred; U8 u8 U8; I8 i8 S8; U16 u16 U16; I16 i16 S16; U32 u32 U32; I32 i32 S32; U64 u64 U64; I64 i64 S64;
}

#[test]
fn other_floats_are_summed() {
    use crate::half_rows as half;
    let mut random = Random::new(5);
    for round in 0..300 {
        let ty = [Type::F16, Type::BF16, Type::F64, Type::C64, Type::C128][round % 5];
        let reducer =
            [Reducer::Add, Reducer::Max, Reducer::Min][if round % 5 < 3 { random.below(3) } else { 0 }];
        let (task, elements, out_elements) = task(&mut random, ty, reducer);
        // Small whole numbers: exact in every order.
        let mut number = || random.below(9) as f64 - 4.0;
        let x: Vec<f64> = (0..2 * elements).map(|_| number()).collect();
        let groups = groups(&task.operand.view, &task.dimensions);
        let expected = |number: &dyn Fn(usize) -> f64, group: &[usize]| {
            group.iter().fold(1.0, |a, slot| combined(reducer, a, number(*slot)))
        };
        let tagged_task = Task::Reduce(task.clone());
        for (slot, group) in slots(&task.out.view).iter().zip(&groups) {
            let re = expected(&|slot| x[slot], group);
            match ty {
                Type::F64 => {
                    let mut out = vec![7.0; out_elements];
                    run_task(
                        &tagged_task,
                        &[Slice::F64(&x[..elements]), Slice::F64(&[1.0])],
                        &mut [SliceMut::F64(&mut out)],
                    )
                    .unwrap();
                    assert_eq!(out[*slot], re);
                }
                Type::F16 | Type::BF16 => {
                    let to = if ty == Type::F16 { half::to_f16 } else { half::to_bf16 };
                    let codes: Vec<u16> = x[..elements].iter().map(|x| to(*x as f32)).collect();
                    let mut out = vec![7; out_elements];
                    run_task(
                        &tagged_task,
                        &[Slice::U16(&codes), Slice::U16(&[to(1.0)])],
                        &mut [SliceMut::U16(&mut out)],
                    )
                    .unwrap();
                    assert_eq!(out[*slot], to(re as f32));
                }
                _ => {
                    let im = expected(&|slot| x[elements + slot], group);
                    let pairs: Vec<[f64; 2]> = (0..elements).map(|i| [x[i], x[elements + i]]).collect();
                    if ty == Type::C128 {
                        let mut out = vec![[7.0; 2]; out_elements];
                        run_task(
                            &tagged_task,
                            &[Slice::C128(&pairs), Slice::C128(&[[1.0; 2]])],
                            &mut [SliceMut::C128(&mut out)],
                        )
                        .unwrap();
                        assert_eq!(out[*slot], [re, im]);
                    } else {
                        let pairs: Vec<[f32; 2]> =
                            pairs.iter().map(|pair| pair.map(|part| part as f32)).collect();
                        let mut out = vec![[7.0; 2]; out_elements];
                        run_task(
                            &tagged_task,
                            &[Slice::C64(&pairs), Slice::C64(&[[1.0; 2]])],
                            &mut [SliceMut::C64(&mut out)],
                        )
                        .unwrap();
                        assert_eq!(out[*slot], [re as f32, im as f32]);
                    }
                }
            }
            if group.len() * groups.len() > 5000 {
                break;
            }
        }
    }
}
