//! Dots against their definition, in the order of operations that the kernels document: for all sizes, layouts and paths the bits
//! must be the same.

use crate::task::{Array, Dot};
use crate::{Slice, SliceMut, Task, Type, View, choose};
use half::{bf16, f16};

use crate::testing::{Random, floats, floats_of, run_task, same, slots};

/// Depth of a block of sums.
const BLOCK_DEPTH: usize = 256;

/// A view that may be reversed or broadcast, as those of operands.
pub fn any_view(random: &mut Random, sizes: &[usize]) -> (View, usize) {
    let (mut view, elements) = random.layout(sizes);
    for (d, size) in sizes.iter().enumerate() {
        let reach = (size.max(&1) - 1).cast_signed() * view.strides[d];
        match random.below(8) {
            0 => {
                view.offset = (view.offset.cast_signed() + reach).cast_unsigned();
                view.strides[d] = -view.strides[d];
            }
            1 => view.strides[d] = 0,
            _ => {}
        }
    }
    (view, elements)
}

/// A dot whose dimensions are in random order, of these sizes of `[batch, rows, columns, depth]`; and the lengths of its buffers.
fn random_dot(random: &mut Random, ty: Type, to: Type, sizes: [&[usize]; 4]) -> (Dot, [usize; 3]) {
    let [batch, rows, columns, depth] = sizes;
    let side = |random: &mut Random, free: &[usize]| {
        // The kind of each dimension, and its index among those of its kind; free dimensions keep their order.
        let mut dims: Vec<(usize, usize)> = (0..batch.len()).map(|i| (0, i)).collect();
        dims.extend((0..free.len()).map(|i| (1, i)));
        dims.extend((0..depth.len()).map(|i| (2, i)));
        for i in (1..dims.len()).rev() {
            dims.swap(i, random.below(i + 1));
        }
        let mut next = 0;
        for dim in &mut dims {
            if dim.0 == 1 {
                dim.1 = next;
                next += 1;
            }
        }
        let sizes: Vec<usize> = dims.iter().map(|(kind, i)| [batch, free, depth][*kind][*i]).collect();
        let dims_of = |kind: usize, count: usize| -> Vec<usize> {
            (0..count).map(|i| dims.iter().position(|dim| *dim == (kind, i)).unwrap()).collect()
        };
        (sizes, dims_of(0, batch.len()), dims_of(2, depth.len()))
    };
    let (left, lhs_batch, lhs_contracting) = side(random, rows);
    let (right, rhs_batch, rhs_contracting) = side(random, columns);
    let ((lhs, a), (rhs, b)) = (any_view(random, &left), any_view(random, &right));
    let (out, c) = random.layout(&[batch, rows, columns].concat());
    let dot = Dot {
        lhs: Array { ty, view: lhs },
        rhs: Array { ty, view: rhs },
        out: Array { ty: to, view: out },
        lhs_batch,
        rhs_batch,
        lhs_contracting,
        rhs_contracting,
    };
    (dot, [a, b, c])
}

/// The result's elements in row-major order: blocks of sums of products, from zero.
fn expected<T: Copy, S: Copy>(
    dot: &Dot,
    operands: [&[T]; 2],
    zero: S,
    step: impl Fn(S, T, T) -> S,
    plus: impl Fn(S, S) -> S,
) -> Vec<S> {
    let order = |batch: &[usize], contracting: &[usize], rank: usize| {
        let free: Vec<usize> = (0..rank).filter(|d| !batch.contains(d) && !contracting.contains(d)).collect();
        ([batch, &free, contracting].concat(), free)
    };
    let (lhs, rhs) = (&dot.lhs.view, &dot.rhs.view);
    let (left, left_free) = order(&dot.lhs_batch, &dot.lhs_contracting, lhs.rank());
    let (right, right_free) = order(&dot.rhs_batch, &dot.rhs_contracting, rhs.rank());
    let product = |dims: &[usize], view: &View| dims.iter().map(|d| view.sizes[*d]).product::<usize>();
    let (batches, k) = (product(&dot.lhs_batch, lhs), product(&dot.lhs_contracting, lhs));
    let (m, n) = (product(&left_free, lhs), product(&right_free, rhs));
    let (left, right) = (slots(&lhs.permuted(&left)), slots(&rhs.permuted(&right)));
    let mut all = Vec::new();
    for batch in 0..batches {
        for i in 0..m {
            for j in 0..n {
                let (left, right) = (&left[(batch * m + i) * k..][..k], &right[(batch * n + j) * k..][..k]);
                let mut sum = zero;
                for (left, right) in left.chunks(BLOCK_DEPTH).zip(right.chunks(BLOCK_DEPTH)) {
                    let each = left.iter().zip(right);
                    let block = each.fold(zero, |sum, (a, b)| step(sum, operands[0][*a], operands[1][*b]));
                    sum = plus(sum, block);
                }
                all.push(sum);
            }
        }
    }
    all
}

fn check_floats(random: &mut Random, sizes: [&[usize]; 4], has_special_values: bool) {
    let (dot, lengths) = random_dot(random, Type::F32, Type::F32, sizes);
    let number = |random: &mut Random| if has_special_values { random.float() } else { random.unit() };
    let mut numbers = |count: usize| (0..count).map(|_| number(random)).collect::<Vec<f32>>();
    let (left, right) = (numbers(lengths[0]), numbers(lengths[1]));
    let sums = expected(&dot, [&left, &right], 0.0_f32, |sum, a, b| sum + a * b, |sum, block| sum + block);
    let task = Task::Dot(dot.clone());
    let out = floats_of(&task, &[&left, &right], lengths[2]);
    let out_slots = slots(&dot.out.view);
    for (slot, sum) in out_slots.iter().zip(&sums) {
        assert!(same(out[*slot], *sum), "{dot:?} at {slot}: {} for {sum}", out[*slot]);
    }
    let written = out.iter().filter(|x| x.to_bits() != 7f32.to_bits()).count();
    assert!(written <= out_slots.len(), "{dot:?}: elements outside the result were written");
}

#[test]
fn any_sizes_and_layouts() {
    let mut random = Random::new(1);
    for round in 0..600 {
        let group = |random: &mut Random, max_size: usize| {
            let rank = random.below(3);
            random.sizes(rank, max_size)
        };
        let (batch, rows) = (group(&mut random, 3), group(&mut random, 9));
        let (columns, depth) = (group(&mut random, 9), group(&mut random, 20));
        check_floats(&mut random, [&batch, &rows, &columns, &depth], round % 2 == 0);
    }
}

#[test]
fn every_remainder() {
    let mut random = Random::new(2);
    for m in 1..=9 {
        for n in 1..=18 {
            let k = [1, 3, 5, 37, 64, 255][random.below(6)];
            check_floats(&mut random, [&[], &[m], &[n], &[k]], true);
        }
    }
}

#[test]
fn several_blocks() {
    let mut random = Random::new(3);
    for [m, n, k] in [
        [1, 2100, 700],
        [1, 50, 4500],
        [2, 40, 513],
        [3, 2049, 257],
        [4, 33, 300],
        [130, 3, 600],
        [5, 1030, 300],
        [131, 520, 260],
        [140, 17, 520],
        [1, 1, 5000],
    ] {
        for _ in 0..3 {
            check_floats(&mut random, [&[], &[m], &[n], &[k]], false);
        }
        check_floats(&mut random, [&[], &[m], &[n], &[k]], true);
    }
}

#[test]
fn a_range_of_rows_has_the_bits_of_the_whole() {
    let mut random = Random::new(4);
    let (m, k, n) = (150, 300, 530);
    let mut numbers = |count: usize| (0..count).map(|_| random.unit()).collect::<Vec<f32>>();
    let (left, right) = (numbers(m * k), numbers(k * n));
    let dot = |m: usize| Task::Dot(Dot::matrix_product([Type::F32; 2], [m, k, n], [false; 3]));
    let whole = floats_of(&dot(m), &[&left, &right], m * n);
    for (first, rows) in [(0, 1), (1, 3), (4, 70), (74, 9), (83, 67)] {
        let part = floats_of(&dot(rows), &[&left[first * k..][..rows * k], &right], rows * n);
        let expected = &whole[first * n..][..rows * n];
        assert!(part.iter().zip(expected).all(|(a, b)| a.to_bits() == b.to_bits()), "rows from {first}");
    }
}

#[test]
fn empty_sums_are_zero_and_empty_results_are_allowed() {
    let mut random = Random::new(5);
    for sizes in [[[3, 4, 0], [2, 5, 0]], [[1, 20, 0], [0, 3, 5]], [[0, 0, 0], [40, 60, 0]]] {
        for [m, n, k] in sizes {
            check_floats(&mut random, [&[2], &[m], &[n], &[k]], false);
        }
    }
}

#[test]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::cast_lossless,
    reason = "integers wrap"
)]
fn integers_wrap() {
    let mut random = Random::new(6);
    macro_rules! pair {
        ($from:ident $read:ident $native:ty, $to:ident $written:ident $wide:ty) => {
            for sizes in [[1, 1, 1, 3], [2, 3, 5, 7], [1, 1, 40, 300], [3, 9, 17, 30], [1, 270, 11, 33]] {
                let [batch, m, n, k] = sizes.map(|size| [size]);
                let (dot, lengths) = random_dot(&mut random, Type::$from, Type::$to, [&batch, &m, &n, &k]);
                let mut numbers =
                    |count: usize| (0..count).map(|_| random.bits() as $native).collect::<Vec<_>>();
                let (left, right) = (numbers(lengths[0]), numbers(lengths[1]));
                let step =
                    |sum: i64, a: $native, b: $native| sum.wrapping_add((a as i64).wrapping_mul(b as i64));
                let sums = expected(&dot, [&left, &right], 0, step, i64::wrapping_add);
                let mut out = vec![<$wide>::default(); lengths[2]];
                let task = Task::Dot(dot.clone());
                run_task(
                    &task,
                    &[Slice::$read(&left), Slice::$read(&right)],
                    &mut [SliceMut::$written(&mut out)],
                )
                .unwrap();
                for (slot, sum) in slots(&dot.out.view).iter().zip(sums) {
                    assert_eq!(out[*slot], sum as $wide, "{dot:?}");
                }
                assert_eq!(choose(&task).unwrap().name, "dot integer");
            }
        };
    }
    pair!(S8 I8 i8, S8 I8 i8);
    pair!(U8 U8 u8, U8 U8 u8);
    pair!(S16 I16 i16, S16 I16 i16);
    pair!(U16 U16 u16, U16 U16 u16);
    pair!(S32 I32 i32, S32 I32 i32);
    pair!(U32 U32 u32, U32 U32 u32);
    pair!(S64 I64 i64, S64 I64 i64);
    pair!(U64 U64 u64, U64 U64 u64);
    pair!(S8 I8 i8, S32 I32 i32);
    pair!(U8 U8 u8, S16 I16 i16);
    pair!(S32 I32 i32, S64 I64 i64);
    pair!(U32 U32 u32, U64 U64 u64);
}

#[test]
fn pred_is_an_or_of_ands() {
    let mut random = Random::new(7);
    for [m, n, k] in [[1, 1, 2], [3, 9, 5], [20, 30, 300], [300, 4, 7]] {
        let (dot, lengths) = random_dot(&mut random, Type::Pred, Type::Pred, [&[2], &[m], &[n], &[k]]);
        let mut numbers =
            |count: usize| (0..count).map(|_| u8::from(random.below(4) == 0)).collect::<Vec<_>>();
        let (left, right) = (numbers(lengths[0]), numbers(lengths[1]));
        let sums = expected(&dot, [&left, &right], 0, |sum, a, b| sum | (a & b), |sum, block| sum | block);
        let mut out = vec![7; lengths[2]];
        let task = Task::Dot(dot.clone());
        run_task(&task, &[Slice::U8(&left), Slice::U8(&right)], &mut [SliceMut::U8(&mut out)]).unwrap();
        for (slot, sum) in slots(&dot.out.view).iter().zip(sums) {
            assert_eq!(out[*slot], sum);
        }
    }
}

#[test]
fn half_precision_is_summed_in_single_and_rounded_once() {
    let mut random = Random::new(8);
    for [m, n, k] in [[1, 1, 2], [3, 9, 5], [20, 30, 300], [300, 4, 7], [1, 600, 40]] {
        for (from, to) in [
            (Type::F16, Type::F16),
            (Type::BF16, Type::BF16),
            (Type::F16, Type::F32),
            (Type::BF16, Type::F32),
            (Type::BF16, Type::F64),
        ] {
            let (dot, lengths) = random_dot(&mut random, from, to, [&[2], &[m], &[n], &[k]]);
            let code = |x: f32| {
                if from == Type::F16 { f16::from_f32(x).to_bits() } else { bf16::from_f32(x).to_bits() }
            };
            let wide = |x: u16| {
                if from == Type::F16 { f16::from_bits(x).to_f32() } else { bf16::from_bits(x).to_f32() }
            };
            let mut numbers = |count: usize| (0..count).map(|_| code(random.float())).collect::<Vec<u16>>();
            let (left, right) = (numbers(lengths[0]), numbers(lengths[1]));
            let task = Task::Dot(dot.clone());
            let read = [Slice::U16(&left), Slice::U16(&right)];
            let out_slots = slots(&dot.out.view);
            if to == Type::F64 {
                let step = |sum: f64, a, b| sum + f64::from(wide(a)) * f64::from(wide(b));
                let sums = expected(&dot, [&left, &right], 0.0, step, |sum, block| sum + block);
                let mut out = vec![7.0; lengths[2]];
                run_task(&task, &read, &mut [SliceMut::F64(&mut out)]).unwrap();
                for (slot, sum) in out_slots.iter().zip(sums) {
                    let canonical = if sum.is_nan() { f64::NAN } else { sum };
                    assert_eq!(out[*slot].to_bits(), canonical.to_bits());
                }
                continue;
            }
            let step = |sum: f32, a, b| sum + wide(a) * wide(b);
            let sums = expected(&dot, [&left, &right], 0.0, step, |sum, block| sum + block);
            if to == Type::F32 {
                let mut out = vec![7.0; lengths[2]];
                run_task(&task, &read, &mut [SliceMut::F32(&mut out)]).unwrap();
                for (slot, sum) in out_slots.iter().zip(sums) {
                    assert!(same(out[*slot], sum), "{dot:?}");
                }
                continue;
            }
            let mut out = vec![7; lengths[2]];
            run_task(&task, &read, &mut [SliceMut::U16(&mut out)]).unwrap();
            for (slot, sum) in out_slots.iter().zip(sums) {
                let nan = if to == Type::F16 { 0x7e00 } else { 0x7fc0 };
                assert_eq!(out[*slot], if sum.is_nan() { nan } else { code(sum) }, "{dot:?}: {sum:e}");
            }
        }
    }
}

#[test]
fn double_precision_and_complex() {
    let mut random = Random::new(9);
    for [m, n, k] in [[1, 1, 2], [3, 9, 5], [20, 30, 300], [300, 4, 7]] {
        let sizes: [&[usize]; 4] = [&[2], &[m], &[n], &[k]];
        let (dot, lengths) = random_dot(&mut random, Type::F64, Type::F64, sizes);
        let mut numbers = |count: usize| (0..count).map(|_| f64::from(random.float())).collect::<Vec<f64>>();
        let (left, right) = (numbers(lengths[0]), numbers(lengths[1]));
        let sums = expected(&dot, [&left, &right], 0.0, |sum, a, b| sum + a * b, |sum, block| sum + block);
        let mut out = vec![7.0; lengths[2]];
        let task = Task::Dot(dot.clone());
        run_task(&task, &[Slice::F64(&left), Slice::F64(&right)], &mut [SliceMut::F64(&mut out)]).unwrap();
        for (slot, sum) in slots(&dot.out.view).iter().zip(sums) {
            let canonical = if sum.is_nan() { f64::NAN } else { sum };
            assert_eq!(out[*slot].to_bits(), canonical.to_bits());
        }
        assert_eq!(choose(&task).unwrap().name, "dot f64 complex");

        let (dot, lengths) = random_dot(&mut random, Type::C64, Type::C64, sizes);
        let mut numbers =
            |count: usize| (0..count).map(|_| [random.float(), random.unit()]).collect::<Vec<_>>();
        let (left, right) = (numbers(lengths[0]), numbers(lengths[1]));
        let step =
            |[s, t]: [f32; 2], [a, b]: [f32; 2], [c, d]: [f32; 2]| [s + (a * c - b * d), t + (a * d + b * c)];
        let plus = |[s, t]: [f32; 2], [a, b]: [f32; 2]| [s + a, t + b];
        let sums = expected(&dot, [&left, &right], [0.0; 2], step, plus);
        let mut out = vec![[7.0; 2]; lengths[2]];
        let task = Task::Dot(dot.clone());
        run_task(&task, &[Slice::C64(&left), Slice::C64(&right)], &mut [SliceMut::C64(&mut out)]).unwrap();
        for (slot, sum) in slots(&dot.out.view).iter().zip(sums) {
            assert!((0..2).all(|i| same(out[*slot][i], sum[i])));
        }
    }
}

#[test]
fn every_type_is_supported() {
    let view = View::row_major(&[2]);
    for ty in Type::ALL {
        let array = Array { ty, view: view.clone() };
        let dot = Dot {
            lhs: array.clone(),
            rhs: array,
            out: Array { ty, view: View::row_major(&[]) },
            lhs_batch: vec![],
            rhs_batch: vec![],
            lhs_contracting: vec![0],
            rhs_contracting: vec![0],
        };
        assert!(choose(&Task::Dot(dot)).is_some(), "{ty:?}");
    }
}

#[test]
fn a_dot_can_be_cancelled() {
    let array = |sizes: &[usize]| floats(&View::row_major(sizes));
    let dot = Dot {
        lhs: array(&[600, 300]),
        rhs: array(&[300, 300]),
        out: array(&[600, 300]),
        lhs_batch: vec![],
        rhs_batch: vec![],
        lhs_contracting: vec![1],
        rhs_contracting: vec![0],
    };
    let (left, right, mut out) = (vec![1.0; 180_000], vec![1.0; 90_000], vec![0.0; 180_000]);
    let mut scratch = crate::scratch::Scratch::default();
    let mut reported = 0;
    let mut tick = |steps| {
        reported += steps;
        false
    };
    let mut context = crate::Context { scratch: &mut scratch, tick: &mut tick, packed_operand: None };
    let read = [Slice::F32(&left), Slice::F32(&right)];
    let result = crate::run(&Task::Dot(dot), &read, &mut [SliceMut::F32(&mut out)], &mut context);
    assert_eq!(result, Err(crate::KernelError::Cancelled));
    assert!(reported > 0 && reported < 54_000_000);
}
