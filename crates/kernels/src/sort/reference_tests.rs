//! Sort against the reference: stable sorts of the standard library if the order is unique, else the sorts of the reference
//! evaluator.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "random bits of any width"
)]

use std::cmp::Ordering;

use crate::comparison::{stable_sort, unstable_sort};
use crate::scratch::Scratch;
use crate::task::{Array, Sort};
use crate::{Context, Kernel, KernelError, Slice, SliceMut, Task, Type, View, kernels, run_with};

use crate::testing::{Random, run_task, slots};

/// The options of a sort.
#[derive(Clone, Copy, Debug)]
struct SortOptions {
    is_descending: bool,
    is_total_order: bool,
    is_stable: bool,
}

impl SortOptions {
    fn new(random: &mut Random) -> Self {
        let mut coin = || random.below(2) == 0;
        Self { is_descending: coin(), is_total_order: coin(), is_stable: coin() }
    }
}

/// The positions of a row's elements in the order of the reference.
fn order<T: Copy>(
    row: &[T],
    options: SortOptions,
    compare: &impl Fn(T, T, bool) -> Option<Ordering>,
) -> Vec<usize> {
    let wanted = if options.is_descending { Ordering::Greater } else { Ordering::Less };
    let mut order: Vec<usize> = (0..row.len()).collect();
    let mut before =
        |a: usize, b: usize| Ok::<_, ()>(compare(row[a], row[b], options.is_total_order) == Some(wanted));
    if options.is_stable {
        stable_sort(&mut order, &mut before)
    } else {
        unstable_sort(&mut order, &mut before)
    }
    .unwrap();
    order
}

/// Sorts keys with a payload of positions (if there is one), in random layouts, along a random dimension.
fn check<T: Copy + Default + PartialEq + std::fmt::Debug>(
    ty: Type,
    random: &mut Random,
    element: &impl Fn(&mut Random) -> T,
    compare: &impl Fn(T, T, bool) -> Option<Ordering>,
    bits: &impl Fn(T) -> u64,
    slices: (&impl Fn(&[T]) -> Slice<'_>, &impl Fn(&mut [T]) -> SliceMut<'_>),
) {
    let options = SortOptions::new(random);
    let rank = 1 + random.below(3);
    let dimension = random.below(rank);
    let mut sizes = random.sizes(rank, 6);
    sizes[dimension] = [random.below(8), random.below(130), random.below(2500)][random.below(3)];
    let payloads = random.below(3);
    let ((view, elements), (out, out_elements)) = (random.layout(&sizes), random.layout(&sizes));
    let elements = elements.max(1);
    let keys: Vec<T> = (0..elements).map(|_| element(random)).collect();
    let positions: Vec<u16> = (0..elements).map(|i| u16::try_from(i % 60_000).unwrap()).collect();
    let pairs: Vec<[f64; 2]> = (0_u32..).take(elements).map(|i| [f64::from(i), -1.0]).collect();
    let types = [ty, Type::U16, Type::C128];
    let task = Task::Sort(Sort {
        operands: types[..=payloads].iter().map(|ty| Array { ty: *ty, view: view.clone() }).collect(),
        outs: vec![out.clone(); payloads + 1],
        dimension,
        is_descending: options.is_descending,
        is_total_order: options.is_total_order,
        is_stable: options.is_stable,
    });
    let (mut sorted, mut sorted_positions, mut sorted_pairs) = (
        vec![T::default(); out_elements.max(1)],
        vec![0_u16; out_elements.max(1)],
        vec![[0.0; 2]; out_elements.max(1)],
    );
    let read = [slices.0(&keys), Slice::U16(&positions), Slice::C128(&pairs)];
    let mut written =
        [slices.1(&mut sorted), SliceMut::U16(&mut sorted_positions), SliceMut::C128(&mut sorted_pairs)];
    run_task(&task, &read[..=payloads], &mut written[..=payloads]).unwrap();

    let rows = |view: &View| {
        let all: Vec<usize> = (0..rank).filter(|d| *d != dimension).chain([dimension]).collect();
        let length = sizes[dimension].max(1);
        slots(&view.permuted(&all)).chunks(length).map(<[usize]>::to_vec).collect::<Vec<_>>()
    };
    for (from, to) in rows(&view).iter().zip(rows(&out)) {
        let row: Vec<T> = from.iter().map(|slot| keys[*slot]).collect();
        for (position, to) in order(&row, options, compare).into_iter().zip(to) {
            let from = from[position];
            assert_eq!(bits(sorted[to]), bits(keys[from]), "{options:?} {ty:?} {sizes:?} {dimension}");
            assert!(payloads < 1 || sorted_positions[to] == positions[from], "{options:?} {ty:?} {sizes:?}");
            assert!(payloads < 2 || sorted_pairs[to][0].to_bits() == pairs[from][0].to_bits());
        }
    }
}

/// Floats of `f32`'s bits: few equal ones, many equal ones, or special ones.
fn float(random: &mut Random, kind: usize) -> f32 {
    match kind {
        0 => random.unit(),
        1 => f32::from(u8::try_from(random.below(20)).unwrap()) - 10.0,
        2 => random.float() * if random.below(2) == 0 { -1.0 } else { 1.0 },
        _ => [0.0, -0.0, 1.0][random.below(3)],
    }
}

macro_rules! sorted {
    ($($name:ident: $ty:ident $variant:ident $native:ty, $element:expr, $compare:expr, $bits:expr;)*) => {
        $(#[test]
        fn $name() {
            fn read(elements: &[$native]) -> Slice<'_> {
                Slice::$variant(elements)
            }
            fn write(elements: &mut [$native]) -> SliceMut<'_> {
                SliceMut::$variant(elements)
            }
            let mut random = Random::new(11);
            for round in 0..160 {
                let element = |random: &mut Random| -> $native { $element(random, round % 4) };
                check(Type::$ty, &mut random, &element, &$compare, &$bits, (&read, &write));
            }
        }
        )*
    };
}

/// Numbers of 64 random bits, of few bits, or of few distinct values.
fn number(random: &mut Random, kind: usize) -> u64 {
    match kind {
        0 | 1 => random.bits(),
        2 => random.bits() & 0xff00,
        _ => random.bits() | u64::MAX << 2,
    }
}

/// The number that the bits of an `f16` encode.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
    let magnitude = match exponent {
        0 => fraction * 2f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2f32.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// By the total order of the bits, or as the numbers that they encode.
fn by_number<T: PartialOrd>(bits: [u16; 2], numbers: [T; 2], is_total_order: bool) -> Option<Ordering> {
    let key = |bits: u16| if bits >> 15 == 1 { -i32::from(bits & 0x7fff) - 1 } else { i32::from(bits) };
    if is_total_order { Some(key(bits[0]).cmp(&key(bits[1]))) } else { numbers[0].partial_cmp(&numbers[1]) }
}

fn short(random: &mut Random, kind: usize) -> u16 {
    match kind {
        0 => random.bits() as u16,
        1 => (float(random, 0).to_bits() >> 16) as u16,
        _ => (float(random, kind).to_bits() >> 16) as u16,
    }
}

sorted! {
    f32s: F32 F32 f32, float,
        |a: f32, b: f32, is_total_order| if is_total_order { Some(a.total_cmp(&b)) } else { a.partial_cmp(&b) },
        |a: f32| a.to_bits().into();
    f64s: F64 F64 f64, |random: &mut Random, kind| f64::from(float(random, kind)) * (1.0 + f64::from(random.unit()) * if kind == 0 { 1e-9 } else { 0.0 }),
        |a: f64, b: f64, is_total_order| if is_total_order { Some(a.total_cmp(&b)) } else { a.partial_cmp(&b) },
        f64::to_bits;
    f16s: F16 U16 u16, short,
        |a, b, is_total_order| by_number([a, b], [half(a), half(b)], is_total_order), u64::from;
    bf16s: BF16 U16 u16, short,
        |a, b, is_total_order| by_number([a, b], [a, b].map(|a| f32::from_bits(u32::from(a) << 16)), is_total_order), u64::from;
    s8s: S8 I8 i8, |random: &mut Random, kind| number(random, kind) as i8, |a: i8, b, _| Some(a.cmp(&b)), |a| a as u64;
    u8s: U8 U8 u8, |random: &mut Random, kind| number(random, kind) as u8, |a: u8, b, _| Some(a.cmp(&b)), u64::from;
    preds: Pred U8 u8, |random: &mut Random, _| random.below(2) as u8, |a: u8, b, _| Some(a.cmp(&b)), u64::from;
    s16s: S16 I16 i16, |random: &mut Random, kind| number(random, kind) as i16, |a: i16, b, _| Some(a.cmp(&b)), |a| a as u64;
    u16s: U16 U16 u16, |random: &mut Random, kind| number(random, kind) as u16, |a: u16, b, _| Some(a.cmp(&b)), u64::from;
    s32s: S32 I32 i32, |random: &mut Random, kind| number(random, kind) as i32, |a: i32, b, _| Some(a.cmp(&b)), |a| a as u64;
    u32s: U32 U32 u32, |random: &mut Random, kind| number(random, kind) as u32, |a: u32, b, _| Some(a.cmp(&b)), u64::from;
    s64s: S64 I64 i64, |random: &mut Random, kind| number(random, kind) as i64, |a: i64, b, _| Some(a.cmp(&b)), |a| a as u64;
    u64s: U64 U64 u64, number, |a: u64, b, _| Some(a.cmp(&b)), |a| a;
}

/// A row's values: random bits, few distinct values, special values, both zeros, or one of them.
fn word(random: &mut Random, kind: usize) -> u32 {
    match kind {
        0 => random.bits() as u32,
        1 => random.below(5) as u32,
        2 => random.float().to_bits() ^ (random.below(2) as u32) << 31,
        3 => float(random, 3).to_bits(),
        4 => f32::from(i8::try_from(random.below(9)).unwrap() - 4).to_bits(),
        _ => [0x7f80_0000, 0xff80_0000, 1, 0x8000_0001, 0x007f_ffff][random.below(5)],
    }
}

/// The kernel of a name.
fn kernel(name: &str) -> &'static Kernel {
    kernels().find(|kernel| kernel.name == name).unwrap()
}

const FOUR: &str = "sort four rows at once";

/// Runs one kernel on words.
fn words_of(
    name: &str,
    task: &Task,
    ty: Type,
    elements: &[u32],
    out: usize,
) -> Result<Vec<u32>, KernelError> {
    let mut sorted = vec![7; out];
    let floats: Vec<f32> = elements.iter().map(|element| f32::from_bits(*element)).collect();
    let numbers: Vec<i32> = elements.iter().map(|element| *element as i32).collect();
    let mut sorted_floats: Vec<f32> = sorted.iter().map(|element| f32::from_bits(*element)).collect();
    let mut sorted_numbers: Vec<i32> = sorted.iter().map(|element| *element as i32).collect();
    let (read, mut written) = match ty {
        Type::F32 => (Slice::F32(&floats), SliceMut::F32(&mut sorted_floats)),
        Type::S32 => (Slice::I32(&numbers), SliceMut::I32(&mut sorted_numbers)),
        _ => (Slice::U32(elements), SliceMut::U32(&mut sorted)),
    };
    let mut scratch = Scratch::default();
    let mut tick = |_| true;
    let mut context = Context { scratch: &mut scratch, tick: &mut tick, packed_operand: None };
    run_with(kernel(name), task, &[read], std::slice::from_mut(&mut written), &mut context)?;
    Ok(match ty {
        Type::F32 => sorted_floats.iter().map(|element| element.to_bits()).collect(),
        Type::S32 => sorted_numbers.iter().map(|element| *element as u32).collect(),
        _ => sorted,
    })
}

#[test]
fn four_rows_at_once_equal_rows_sorted_one_by_one() {
    let mut random = Random::new(5);
    let lengths =
        (0..140).chain([255, 256, 257, 511, 700, 1000, 1023, 1024, 1025, 1500, 2047, 2049, 2100, 8192]);
    for (round, length) in lengths.enumerate() {
        for ty in [Type::F32, Type::S32, Type::U32] {
            let options = SortOptions::new(&mut random);
            let rows = random.below(10);
            let mut sizes = match random.below(3) {
                0 => vec![rows],
                1 => vec![rows, 1],
                _ => vec![2, rows],
            };
            let dimension = random.below(sizes.len() + 1);
            sizes.insert(dimension, length);
            let ((view, elements), (out, out_elements)) = (random.layout(&sizes), random.layout(&sizes));
            // Ordinary rows and rows with special numbers together.
            let kinds = [0, 1, 4, round % 6];
            let mut kind = 0;
            let elements: Vec<u32> = (0..elements.max(1))
                .map(|_| {
                    kind = if random.below(97) == 0 { random.below(4) } else { kind };
                    word(&mut random, kinds[kind])
                })
                .collect();
            let task = Task::Sort(Sort {
                operands: vec![Array { ty, view }],
                outs: vec![out],
                dimension,
                is_descending: options.is_descending,
                is_total_order: options.is_total_order,
                is_stable: options.is_stable,
            });
            let rows = sizes.iter().product::<usize>().checked_div(length).unwrap_or(0);
            let [four, radix] =
                [FOUR, "sort by radix"].map(|name| words_of(name, &task, ty, &elements, out_elements.max(1)));
            if rows < 4 || length < 2 {
                assert_eq!(four, Err(KernelError::WrongKernel), "{sizes:?} {dimension}");
            } else {
                assert!(four == radix, "{options:?} {ty:?} {sizes:?} {dimension}");
            }
        }
    }
}

#[test]
fn sorting_four_rows_can_be_cancelled() {
    let view = View::row_major(&[600, 1000]);
    let elements: Vec<f32> = (0..600_000).map(|i| (i % 1009 * 7919 % 1013) as f32).collect();
    let task = Task::Sort(Sort {
        operands: vec![Array { ty: Type::F32, view: view.clone() }],
        outs: vec![view],
        dimension: 1,
        is_descending: false,
        is_total_order: false,
        is_stable: false,
    });
    let mut sorted = vec![0.0; elements.len()];
    let mut scratch = Scratch::default();
    for max_calls in [0, 2, 100] {
        let mut calls = 0;
        let mut steps = 0;
        let mut tick = |more| {
            calls += 1;
            steps += more;
            calls <= max_calls
        };
        let mut context = Context { scratch: &mut scratch, tick: &mut tick, packed_operand: None };
        let written = &mut [SliceMut::F32(&mut sorted)];
        let answer = run_with(kernel(FOUR), &task, &[Slice::F32(&elements)], written, &mut context);
        assert_eq!(answer, if max_calls == 100 { Ok(()) } else { Err(KernelError::Cancelled) });
        assert!(max_calls < 100 || steps == 600_000, "{steps}");
    }
}

#[test]
fn long_rows_are_sorted_piece_by_piece() {
    let mut random = Random::new(23);
    // All bits, many of them equal, one sign and few exponents, no high bits at all, all equal, and one that is not.
    let kinds: [fn(&mut Random) -> u64; 6] = [
        |random| random.bits(),
        |random| ((random.bits() % 9) << 60) | (random.bits() % 9),
        |random| (1.0 + random.bits() as f64).to_bits(),
        |random| random.bits() % 5000,
        |_| 7 << 62 | 3,
        |random| if random.below(50_000) == 0 { u64::MAX } else { 1 << 40 },
    ];
    for (round, length) in [1 << 16, (1 << 16) + 1, 270_000, 1_050_000].into_iter().enumerate() {
        for (kind, number) in kinds.into_iter().enumerate() {
            // The longest row with the first kind only, the others with each.
            if round == 3 && kind != 0 {
                continue;
            }
            let keys: Vec<u64> = (0..length).map(|_| number(&mut random)).collect();
            let positions: Vec<u32> = (0_u32..).take(length).collect();
            let mut order = positions.clone();
            order.sort_by_key(|position| keys[*position as usize]);
            let view = View::row_major(&[length]);
            let mut task = Sort {
                operands: vec![Array { ty: Type::U64, view: view.clone() }],
                outs: vec![view.clone()],
                dimension: 0,
                is_descending: false,
                is_total_order: true,
                is_stable: true,
            };
            // Keys alone, of 64 bits and of their upper 32; then with their positions.
            let mut sorted = vec![0; length];
            let written = &mut [SliceMut::U64(&mut sorted)];
            run_task(&Task::Sort(task.clone()), &[Slice::U64(&keys)], written).unwrap();
            assert!(
                sorted.iter().eq(order.iter().map(|position| &keys[*position as usize])),
                "{length} {kind}"
            );
            task.operands.push(Array { ty: Type::U32, view: view.clone() });
            task.outs.push(view);
            let mut sorted_positions = vec![0; length];
            let written = &mut [SliceMut::U64(&mut sorted), SliceMut::U32(&mut sorted_positions)];
            run_task(&Task::Sort(task.clone()), &[Slice::U64(&keys), Slice::U32(&positions)], written)
                .unwrap();
            assert!(sorted_positions == order, "{length} {kind}");
            let words: Vec<u32> = keys.iter().map(|key| ((key >> 32) ^ key) as u32).collect();
            let mut sorted = vec![0; length];
            task.operands.truncate(1);
            task.outs.truncate(1);
            task.operands[0].ty = Type::U32;
            let written = &mut [SliceMut::U32(&mut sorted)];
            run_task(&Task::Sort(task), &[Slice::U32(&words)], written).unwrap();
            let mut expected = words;
            expected.sort_unstable();
            assert!(sorted == expected, "{length} {kind}");
        }
    }
}
