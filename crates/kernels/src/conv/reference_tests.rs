//! Convolutions against their definition, in the order of operations that the kernels document: the bits must be the same.

use crate::task::{Array, Convolution, Window};
use crate::{Slice, SliceMut, Task, Type, View, choose};

use crate::dot::reference_tests::any_view;
use crate::testing::{Random, floats_of, run_task, same, slots};

/// Depth of a block of sums.
const BLOCK_DEPTH: usize = 256;

/// Sizes of a convolution: batch of the result, input features and output features of a group, groups.
#[derive(Clone, Copy)]
struct Sizes {
    batch: usize,
    inputs: usize,
    outputs: usize,
    feature_groups: usize,
    batch_groups: usize,
}

const PLAIN: Sizes = Sizes { batch: 1, inputs: 1, outputs: 1, feature_groups: 1, batch_groups: 1 };

fn window(size: usize) -> Window {
    Window { size, stride: 1, low: 0, high: 0, base_dilation: 1, dilation: 1, is_reversed: false }
}

fn random_window(random: &mut Random) -> Window {
    let padding = |random: &mut Random| random.below(6).cast_signed() - 2;
    Window {
        size: random.below(4) + 1,
        stride: random.below(3) + 1,
        low: padding(random),
        high: padding(random),
        base_dilation: 1 + random.below(5) / 4 + random.below(5) / 4,
        dilation: 1 + random.below(3) / 2,
        is_reversed: random.below(4) == 0,
    }
}

/// A convolution over these spatial sizes, with views in random layouts unless `is_row_major`; and the lengths of its buffers.
/// `None` if the window has no position.
fn random_convolution(
    random: &mut Random,
    [ty, to]: [Type; 2],
    sizes: Sizes,
    spatial: &[usize],
    window: Vec<Window>,
    is_row_major: bool,
) -> Option<(Convolution, [usize; 3])> {
    let positions: Option<Vec<usize>> =
        spatial.iter().zip(&window).map(|(size, window)| window.positions(*size)).collect();
    let groups = sizes.feature_groups * sizes.batch_groups;
    let lhs = [&[sizes.batch * sizes.batch_groups, sizes.inputs * sizes.feature_groups], spatial].concat();
    let window_sizes: Vec<usize> = window.iter().map(|window| window.size).collect();
    let rhs = [&[sizes.outputs * groups, sizes.inputs], window_sizes.as_slice()].concat();
    let out = [&[sizes.batch, sizes.outputs * groups], positions?.as_slice()].concat();
    let mut any = |sizes: &[usize], is_out: bool| {
        if is_row_major {
            (View::row_major(sizes), sizes.iter().product())
        } else if is_out {
            random.layout(sizes)
        } else {
            any_view(random, sizes)
        }
    };
    let ((lhs, a), (rhs, b), (out, c)) = (any(&lhs, false), any(&rhs, false), any(&out, true));
    let convolution = Convolution {
        lhs: Array { ty, view: lhs },
        rhs: Array { ty, view: rhs },
        out: Array { ty: to, view: out },
        window,
        feature_groups: sizes.feature_groups,
        batch_groups: sizes.batch_groups,
    };
    Some((convolution, [a, b, c]))
}

/// The result's elements in row-major order.
fn expected<T: Copy, S: Copy>(
    task: &Convolution,
    operands: [&[T]; 2],
    zero: S,
    step: impl Fn(S, T, T) -> S,
    plus: impl Fn(S, S) -> S,
) -> Vec<S> {
    let at = |view: &View, index: &[usize]| {
        let moved: isize = index.iter().zip(&view.strides).map(|(i, stride)| i.cast_signed() * stride).sum();
        (view.offset.cast_signed() + moved).cast_unsigned()
    };
    let index = |mut number: usize, sizes: &[usize]| {
        let mut index = vec![0; sizes.len()];
        for (i, size) in index.iter_mut().zip(sizes).rev() {
            *i = number % size;
            number /= size;
        }
        index
    };
    let (lhs, rhs, out) = (&task.lhs.view, &task.rhs.view, &task.out.view);
    let (outputs, inputs) = (rhs.sizes[0], rhs.sizes[1]);
    let depth: usize = rhs.sizes[1..].iter().product();
    (0..out.elements())
        .map(|number| {
            let position = index(number, &out.sizes);
            let (mut sum, mut block) = (zero, zero);
            for k in 0..depth {
                let depth_index = index(k, &rhs.sizes[1..]);
                let batch = position[1] / (outputs / task.batch_groups) * out.sizes[0] + position[0];
                let feature = position[1] / (outputs / task.feature_groups) * inputs + depth_index[0];
                let mut from = vec![batch, feature];
                for ((d, window), tap) in task.window.iter().enumerate().zip(&depth_index[1..]) {
                    let tap = if window.is_reversed { window.size - 1 - tap } else { *tap };
                    let base_index =
                        (position[d + 2] * window.stride + tap * window.dilation).cast_signed() - window.low;
                    let by = window.base_dilation.cast_signed();
                    if base_index >= 0
                        && base_index % by == 0
                        && base_index / by < lhs.sizes[d + 2].cast_signed()
                    {
                        from.push((base_index / by).cast_unsigned());
                    }
                }
                if from.len() == lhs.sizes.len() {
                    let weight = [&[position[1]], depth_index.as_slice()].concat();
                    block = step(block, operands[1][at(rhs, &weight)], operands[0][at(lhs, &from)]);
                }
                if (k + 1).is_multiple_of(BLOCK_DEPTH) || k + 1 == depth {
                    sum = plus(sum, block);
                    block = zero;
                }
            }
            sum
        })
        .collect()
}

fn check(
    random: &mut Random,
    sizes: Sizes,
    spatial: &[usize],
    window: Vec<Window>,
    is_row_major: bool,
    has_special_values: bool,
) {
    let Some((task, lengths)) =
        random_convolution(random, [Type::F32; 2], sizes, spatial, window, is_row_major)
    else {
        return;
    };
    let number = |random: &mut Random| if has_special_values { random.float() } else { random.unit() };
    let mut numbers = |count: usize| (0..count).map(|_| number(random)).collect::<Vec<f32>>();
    let (left, right) = (numbers(lengths[0]), numbers(lengths[1]));
    let sums = expected(&task, [&left, &right], 0.0_f32, |sum, a, b| sum + a * b, |sum, block| sum + block);
    let out = floats_of(&Task::Convolution(task.clone()), &[&left, &right], lengths[2]);
    for (slot, sum) in slots(&task.out.view).iter().zip(&sums) {
        assert!(same(out[*slot], *sum), "{task:?} at {slot}: {} for {sum}", out[*slot]);
    }
    let written = out.iter().filter(|x| x.to_bits() != 7f32.to_bits()).count();
    assert!(written <= sums.len(), "{task:?}: elements outside the result were written");
}

fn random_sizes(random: &mut Random) -> Sizes {
    let groups = 1 + random.below(4) / 2 * random.below(4);
    let is_batch = random.below(3) == 0;
    Sizes {
        batch: random.below(3) + 1,
        inputs: random.below(5) + 1,
        outputs: random.below(6) + 1,
        feature_groups: if is_batch { 1 } else { groups },
        batch_groups: if is_batch { groups } else { 1 },
    }
}

#[test]
fn any_rank_window_and_layout() {
    let mut random = Random::new(11);
    for round in 0..1000 {
        let rank = [0, 1, 1, 2, 2, 2, 3][random.below(7)];
        let spatial = random.sizes(rank, [1, 40, 14, 7][rank]);
        let window = (0..rank).map(|_| random_window(&mut random)).collect();
        let sizes = random_sizes(&mut random);
        check(&mut random, sizes, &spatial, window, round % 3 == 0, round % 2 == 0);
    }
}

#[test]
fn common_windows_of_every_width() {
    let mut random = Random::new(12);
    for width in 1..=36 {
        for (size, stride, dilation) in
            [(3, 1, 1), (3, 2, 1), (1, 1, 1), (5, 1, 1), (3, 1, 2), (2, 2, 1), (7, 2, 1)]
        {
            let pad = (dilation * (size - 1) / 2_usize).cast_signed();
            let one = Window { stride, low: pad, high: pad, dilation, ..window(size) };
            let spatial = [random.below(9) + 1, width];
            let dense = Sizes { inputs: 3, outputs: 9, ..PLAIN };
            check(&mut random, dense, &spatial, vec![one, one], true, width % 4 == 0);
            let depthwise = Sizes { outputs: 1 + width % 2, feature_groups: 5, batch: 2, ..PLAIN };
            check(&mut random, depthwise, &spatial, vec![one, one], true, width % 4 == 1);
        }
    }
}

#[test]
fn several_boxes_and_blocks() {
    let mut random = Random::new(13);
    let pad = Window { low: 1, high: 1, ..window(3) };
    let strided = Window { stride: 2, ..pad };
    for (sizes, spatial, window) in [
        (Sizes { inputs: 40, outputs: 9, ..PLAIN }, [40, 40], vec![pad, pad]),
        (Sizes { inputs: 40, outputs: 9, ..PLAIN }, [40, 41], vec![strided, strided]),
        (Sizes { inputs: 300, outputs: 9, batch: 2, ..PLAIN }, [20, 33], vec![window(1), window(1)]),
        (Sizes { inputs: 2, outputs: 130, ..PLAIN }, [25, 50], vec![window(1), pad]),
        (Sizes { feature_groups: 3, batch: 2, ..PLAIN }, [30, 700], vec![pad, pad]),
        (Sizes { feature_groups: 3, batch: 2, ..PLAIN }, [30, 700], vec![strided, strided]),
        (Sizes { outputs: 2, ..PLAIN }, [1, 1500], vec![window(1), window(9)]),
        (Sizes { outputs: 1, ..PLAIN }, [40, 40], vec![window(17), window(17)]),
        (Sizes { batch: 30, inputs: 7, outputs: 5, ..PLAIN }, [5, 6], vec![pad, pad]),
        (Sizes { outputs: 5, ..PLAIN }, [90, 100], vec![pad, pad]),
    ] {
        for is_row_major in [true, false] {
            check(&mut random, sizes, &spatial, window.clone(), is_row_major, false);
        }
    }
}

/// The view with dimension `feature` innermost, the others row-major, with `gap` unused elements after each pixel.
fn with_contiguous_feature(view: &View, feature: usize, gap: usize) -> (View, usize) {
    let mut order: Vec<usize> = (0..view.sizes.len()).filter(|d| *d != feature).collect();
    order.push(feature);
    let sizes: Vec<usize> =
        order.iter().map(|d| view.sizes[*d] + if *d == feature { gap } else { 0 }).collect();
    let (contiguous, mut strides) = (View::row_major(&sizes), vec![0; sizes.len()]);
    order.iter().zip(&contiguous.strides).for_each(|(d, stride)| strides[*d] = *stride);
    (View { strides, ..view.clone() }, sizes.iter().product())
}

fn check_contiguous_features(
    random: &mut Random,
    groups: usize,
    spatial: &[usize],
    window: Vec<Window>,
    has_special_values: bool,
) {
    let sizes = Sizes { batch: 2, feature_groups: groups, ..PLAIN };
    let convolution = random_convolution(random, [Type::F32; 2], sizes, spatial, window, true);
    let Some((mut task, _)) = convolution else { return };
    let gap = random.below(3) / 2;
    let (lhs, a) = with_contiguous_feature(&task.lhs.view, 1, gap);
    let (rhs, b) = with_contiguous_feature(&task.rhs.view, 0, 0);
    let (out, c) = with_contiguous_feature(&task.out.view, 1, random.below(3) / 2);
    (task.lhs.view, task.rhs.view, task.out.view) = (lhs, rhs, out);
    if random.below(3) == 0 && task.lhs.view.elements() > 0 {
        // Reverse the last dimension.
        let d = task.lhs.view.sizes.len() - 1;
        let last = task.lhs.view.sizes[d] - 1;
        task.lhs.view.offset += last * task.lhs.view.strides[d].unsigned_abs();
        task.lhs.view.strides[d] *= -1;
    }
    let number = |random: &mut Random| if has_special_values { random.float() } else { random.unit() };
    let mut numbers = |count: usize| (0..count).map(|_| number(random)).collect::<Vec<f32>>();
    let (left, right) = (numbers(a), numbers(b));
    let sums = expected(&task, [&left, &right], 0.0_f32, |sum, a, b| sum + a * b, |sum, block| sum + block);
    let out = floats_of(&Task::Convolution(task.clone()), &[&left, &right], c);
    for (slot, sum) in slots(&task.out.view).iter().zip(&sums) {
        assert!(same(out[*slot], *sum), "{task:?} at {slot}: {} for {sum}", out[*slot]);
    }
    let written = out.iter().filter(|x| x.to_bits() != 7f32.to_bits()).count();
    assert!(written <= sums.len(), "{task:?}: elements outside the result were written");
}

#[test]
fn few_positions() {
    let mut random = Random::new(17);
    for round in 0..60 {
        let sizes = Sizes {
            batch: 1 + round % 4,
            inputs: [1, 5, 17, 40, 300][random.below(5)],
            outputs: 5 + random.below(20),
            feature_groups: 1 + random.below(3) / 2,
            ..PLAIN
        };
        let spatial = if sizes.batch == 1 { [1 + random.below(2), 1 + random.below(3)] } else { [1, 1] };
        check(&mut random, sizes, &spatial, vec![window(1); 2], round % 2 == 0, round % 3 == 0);
    }
}

#[test]
fn contiguous_features() {
    let mut random = Random::new(18);
    for groups in [1, 2, 3, 4, 5, 16, 23, 37] {
        for rank in [0, 1, 2, 2, 2, 3] {
            let spatial: Vec<usize> = (0..rank).map(|_| random.below(9) + 3).collect();
            let window = (0..rank).map(|_| random_window(&mut random)).collect();
            check_contiguous_features(&mut random, groups, &spatial, window, true);
        }
    }
}

#[test]
fn contiguous_features_in_windows_of_three() {
    let mut random = Random::new(19);
    for groups in [4, 5, 6, 7, 8, 9, 21] {
        for stride in [1, 2, 3] {
            for round in 0..4 {
                // More rows and columns than a tile, or fewer than a window.
                let spatial = if round == 3 {
                    [1 + random.below(4), 1 + random.below(4)]
                } else {
                    [3 + random.below(20), 3 + random.below(40)]
                };
                let one = |random: &mut Random| Window {
                    stride,
                    low: random.below(4).cast_signed() - 1,
                    high: random.below(4).cast_signed() - 1,
                    is_reversed: random.below(9) == 0,
                    ..window(3)
                };
                let window = vec![one(&mut random), one(&mut random)];
                check_contiguous_features(&mut random, groups, &spatial, window, round % 2 == 0);
            }
        }
    }
}

#[test]
fn padding_is_not_multiplied() {
    let mut random = Random::new(14);
    let pad = Window { low: 1, high: 1, ..window(3) };
    for outputs in [1, 8] {
        let sizes = Sizes { inputs: 2, outputs, ..PLAIN };
        let Some((task, lengths)) =
            random_convolution(&mut random, [Type::F32; 2], sizes, &[4, 4], vec![pad, pad], true)
        else {
            unreachable!()
        };
        let (left, mut right) = (vec![1.0; lengths[0]], vec![0.5; lengths[1]]);
        right[0] = f32::INFINITY;
        right[9] = f32::NAN;
        let out = floats_of(&Task::Convolution(task), &[&left, &right], lengths[2]);
        // The first row and column are not covered by either weight; elements that both cover are NaN.
        assert!(out[..4].iter().all(|x| x.is_finite()), "{out:?}");
        assert!(out[5].is_nan() && out[4].is_finite());
    }
}

#[test]
fn empty_sums_are_zero_and_empty_results_are_allowed() {
    let mut random = Random::new(15);
    let pad = Window { low: 2, high: 2, ..window(3) };
    check(&mut random, Sizes { inputs: 0, outputs: 3, ..PLAIN }, &[4], vec![window(2)], true, false);
    check(&mut random, Sizes { outputs: 3, ..PLAIN }, &[0], vec![pad], true, false);
    check(&mut random, Sizes { outputs: 3, ..PLAIN }, &[1], vec![window(2)], true, false);
    check(&mut random, Sizes { batch: 0, ..PLAIN }, &[4], vec![window(2)], true, false);
    check(&mut random, Sizes { outputs: 0, ..PLAIN }, &[4], vec![window(2)], true, false);
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
    let mut random = Random::new(16);
    macro_rules! pair {
        ($from:ident $read:ident $native:ty, $to:ident $written:ident $wide:ty) => {
            for round in 0..12 {
                let spatial = random.sizes(2, 9);
                let window = (0..2).map(|_| random_window(&mut random)).collect();
                let sizes = random_sizes(&mut random);
                let types = [Type::$from, Type::$to];
                let Some((task, lengths)) =
                    random_convolution(&mut random, types, sizes, &spatial, window, round % 2 == 0)
                else {
                    continue;
                };
                let mut numbers =
                    |count: usize| (0..count).map(|_| random.bits() as $native).collect::<Vec<_>>();
                let (left, right) = (numbers(lengths[0]), numbers(lengths[1]));
                let step =
                    |sum: i64, a: $native, b: $native| sum.wrapping_add((a as i64).wrapping_mul(b as i64));
                let sums = expected(&task, [&left, &right], 0, step, i64::wrapping_add);
                let mut out = vec![<$wide>::default(); lengths[2]];
                let whole = Task::Convolution(task.clone());
                run_task(
                    &whole,
                    &[Slice::$read(&left), Slice::$read(&right)],
                    &mut [SliceMut::$written(&mut out)],
                )
                .unwrap();
                for (slot, sum) in slots(&task.out.view).iter().zip(sums) {
                    assert_eq!(out[*slot], sum as $wide, "{task:?}");
                }
                assert_eq!(choose(&whole).unwrap().name, "convolution integer");
            }
        };
    }
    pair!(S8 I8 i8, S8 I8 i8);
    pair!(U8 U8 u8, U8 U8 u8);
    pair!(S16 I16 i16, S16 I16 i16);
    pair!(S32 I32 i32, S32 I32 i32);
    pair!(U32 U32 u32, U32 U32 u32);
    pair!(S64 I64 i64, S64 I64 i64);
    pair!(U64 U64 u64, U64 U64 u64);
    pair!(S8 I8 i8, S32 I32 i32);
}

#[test]
fn other_floats() {
    use half::{bf16, f16};
    let mut random = Random::new(17);
    for round in 0..60 {
        let spatial = random.sizes(2, 9);
        let window: Vec<Window> = (0..2).map(|_| random_window(&mut random)).collect();
        let sizes = random_sizes(&mut random);
        let is_row_major = round % 2 == 0;
        let random_of_type = |random: &mut Random, ty| {
            random_convolution(random, [ty; 2], sizes, &spatial, window.clone(), is_row_major)
        };
        for ty in [Type::F16, Type::BF16] {
            let Some((task, lengths)) = random_of_type(&mut random, ty) else { continue };
            let code = |x: f32| {
                if ty == Type::F16 { f16::from_f32(x).to_bits() } else { bf16::from_f32(x).to_bits() }
            };
            let wide = |x: u16| {
                if ty == Type::F16 { f16::from_bits(x).to_f32() } else { bf16::from_bits(x).to_f32() }
            };
            let mut numbers = |count: usize| (0..count).map(|_| code(random.float())).collect::<Vec<u16>>();
            let (left, right) = (numbers(lengths[0]), numbers(lengths[1]));
            let step = |sum: f32, a, b| sum + wide(a) * wide(b);
            let sums = expected(&task, [&left, &right], 0.0, step, |sum, block| sum + block);
            let mut out = vec![7; lengths[2]];
            let whole = Task::Convolution(task.clone());
            run_task(&whole, &[Slice::U16(&left), Slice::U16(&right)], &mut [SliceMut::U16(&mut out)])
                .unwrap();
            let nan = if ty == Type::F16 { 0x7e00 } else { 0x7fc0 };
            for (slot, sum) in slots(&task.out.view).iter().zip(sums) {
                assert_eq!(out[*slot], if sum.is_nan() { nan } else { code(sum) }, "{task:?}: {sum:e}");
            }
        }
        if let Some((task, lengths)) = random_of_type(&mut random, Type::F64) {
            let mut numbers =
                |count: usize| (0..count).map(|_| f64::from(random.float())).collect::<Vec<f64>>();
            let (left, right) = (numbers(lengths[0]), numbers(lengths[1]));
            let sums =
                expected(&task, [&left, &right], 0.0, |sum, a, b| sum + a * b, |sum, block| sum + block);
            let mut out = vec![7.0; lengths[2]];
            let whole = Task::Convolution(task.clone());
            run_task(&whole, &[Slice::F64(&left), Slice::F64(&right)], &mut [SliceMut::F64(&mut out)])
                .unwrap();
            for (slot, sum) in slots(&task.out.view).iter().zip(sums) {
                assert_eq!(
                    out[*slot].to_bits(),
                    if sum.is_nan() { f64::NAN } else { sum }.to_bits(),
                    "{task:?}"
                );
            }
        }
        if let Some((task, lengths)) = random_of_type(&mut random, Type::C64) {
            let mut numbers =
                |count: usize| (0..count).map(|_| [random.float(), random.unit()]).collect::<Vec<_>>();
            let (left, right) = (numbers(lengths[0]), numbers(lengths[1]));
            let step = |[s, t]: [f32; 2], [a, b]: [f32; 2], [c, d]: [f32; 2]| {
                [s + (a * c - b * d), t + (a * d + b * c)]
            };
            let sums = expected(&task, [&left, &right], [0.0; 2], step, |[s, t], [a, b]| [s + a, t + b]);
            let mut out = vec![[7.0; 2]; lengths[2]];
            let whole = Task::Convolution(task.clone());
            run_task(&whole, &[Slice::C64(&left), Slice::C64(&right)], &mut [SliceMut::C64(&mut out)])
                .unwrap();
            for (slot, sum) in slots(&task.out.view).iter().zip(sums) {
                assert!(
                    (0..2).all(|i| same(out[*slot][i], sum[i])),
                    "{task:?}: {:?} for {sum:?}",
                    out[*slot]
                );
            }
        }
    }
}

#[test]
fn every_type_is_supported() {
    for ty in Type::ALL {
        let array = || Array { ty, view: View::row_major(&[1, 1, 1]) };
        let window = vec![window(1)];
        let task = Convolution {
            lhs: array(),
            rhs: array(),
            out: array(),
            window,
            feature_groups: 1,
            batch_groups: 1,
        };
        assert!(choose(&Task::Convolution(task)).is_some(), "{ty:?}");
    }
}
