//! Copies against their definition, element by element, over all element widths, ranks and layouts.

use crate::task::Move;
use crate::{Slice, SliceMut, Task, Type, View};

use crate::testing::{Random, run_task, slots};

/// A type of each width that copies distinguish, with two of 8 bytes.
const TYPES: [Type; 6] = [Type::S8, Type::BF16, Type::F32, Type::C64, Type::F64, Type::C128];

/// A buffer of random bits.
enum Buffer {
    I8(Vec<i8>),
    U16(Vec<u16>),
    F32(Vec<f32>),
    C64(Vec<[f32; 2]>),
    F64(Vec<f64>),
    C128(Vec<[f64; 2]>),
}

impl Buffer {
    #[allow(clippy::cast_possible_truncation, reason = "random bits")]
    fn new(ty: Type, elements: usize, random: &mut Random) -> Self {
        let mut bits = || random.bits();
        let mut float = || f32::from_bits(bits() as u32);
        match ty {
            Type::F32 => Self::F32((0..elements).map(|_| float()).collect()),
            Type::C64 => Self::C64((0..elements).map(|_| [float(), float()]).collect()),
            Type::S8 => Self::I8((0..elements).map(|_| bits() as i8).collect()),
            Type::BF16 => Self::U16((0..elements).map(|_| bits() as u16).collect()),
            Type::F64 => Self::F64((0..elements).map(|_| f64::from_bits(bits())).collect()),
            _ => {
                Self::C128((0..elements).map(|_| [f64::from_bits(bits()), f64::from_bits(bits())]).collect())
            }
        }
    }

    fn slice(&self) -> Slice<'_> {
        match self {
            Self::I8(elements) => Slice::I8(elements),
            Self::U16(elements) => Slice::U16(elements),
            Self::F32(elements) => Slice::F32(elements),
            Self::C64(elements) => Slice::C64(elements),
            Self::F64(elements) => Slice::F64(elements),
            Self::C128(elements) => Slice::C128(elements),
        }
    }

    fn slice_mut(&mut self) -> SliceMut<'_> {
        match self {
            Self::I8(elements) => SliceMut::I8(elements),
            Self::U16(elements) => SliceMut::U16(elements),
            Self::F32(elements) => SliceMut::F32(elements),
            Self::C64(elements) => SliceMut::C64(elements),
            Self::F64(elements) => SliceMut::F64(elements),
            Self::C128(elements) => SliceMut::C128(elements),
        }
    }
}

/// Copies into a buffer of `elements` elements, and compares its bits with those of the definition.
fn check(ty: Type, parts: Vec<(View, View)>, has_fill: bool, elements: usize, random: &mut Random) {
    let bytes = ty.bytes();
    let needed = |view: &View| slots(view).into_iter().max().map_or(0, |last| last + 1);
    let mut read: Vec<Buffer> = parts.iter().map(|(from, _)| Buffer::new(ty, needed(from), random)).collect();
    if has_fill {
        read.push(Buffer::new(ty, 1, random));
    }
    let mut out = Buffer::new(ty, elements, random);
    let mut expected = out.slice().as_bytes().to_vec();
    let mut expect_copy = |to: usize, from: &[u8]| expected[to * bytes..][..bytes].copy_from_slice(from);
    if let Some(element) = read.last().filter(|_| has_fill) {
        (0..elements).for_each(|to| expect_copy(to, element.slice().as_bytes()));
    }
    for ((from, to), source) in parts.iter().zip(&read) {
        for (from, to) in slots(from).into_iter().zip(slots(to)) {
            expect_copy(to, &source.slice().as_bytes()[from * bytes..][..bytes]);
        }
    }
    let task = Task::Move(Move { ty, parts, has_fill });
    let slices: Vec<Slice> = read.iter().map(Buffer::slice).collect();
    run_task(&task, &slices, &mut [out.slice_mut()]).unwrap();
    assert!(out.slice().as_bytes() == expected, "{task:?}");
}

/// Reverses a dimension of a view.
fn reverse(view: &mut View, d: usize) {
    let last = view.sizes[d].saturating_sub(1);
    view.offset = view.offset.checked_add_signed(last.cast_signed() * view.strides[d]).unwrap();
    view.strides[d] = -view.strides[d];
}

/// A view in a random layout, some dimensions of which are reversed, broadcast or strided.
fn random_view(sizes: &[usize], is_read: bool, random: &mut Random) -> View {
    let gaps: Vec<usize> =
        sizes.iter().map(|_| if random.below(5) == 0 { 2 + random.below(2) } else { 1 }).collect();
    let padded_sizes: Vec<usize> = sizes.iter().zip(&gaps).map(|(size, gap)| size * gap).collect();
    let (mut view, _) = random.layout(&padded_sizes);
    view.sizes = sizes.to_vec();
    view.strides.iter_mut().zip(gaps).for_each(|(stride, gap)| *stride *= gap.cast_signed());
    for d in 0..sizes.len() {
        match random.below(6) {
            0 => reverse(&mut view, d),
            1 if is_read => view.strides[d] = 0,
            _ => {}
        }
    }
    view.offset += random.below(4);
    view
}

#[test]
fn any_view_is_copied_to_any_view() {
    let mut random = Random::new(1);
    for round in 0..3000 {
        let ty = TYPES[round % TYPES.len()];
        let rank = random.below(7);
        let max_size = [1, 600, 60, 20, 8, 5, 4][rank];
        let sizes = random.sizes(rank, max_size);
        let (from, to) = (random_view(&sizes, true, &mut random), random_view(&sizes, false, &mut random));
        let elements = slots(&to).into_iter().max().map_or(0, |last| last + 1) + random.below(3);
        check(ty, vec![(from, to)], random.below(3) == 0, elements, &mut random);
    }
}

#[test]
fn matrices_of_every_size_are_transposed() {
    let mut random = Random::new(2);
    for ty in TYPES {
        for rows in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 70, 131] {
            for columns in [1, 2, 3, 4, 6, 8, 11, 16, 18, 32, 35, 65, 129] {
                let from = View::row_major(&[rows, columns]);
                let mut to = View::row_major(&[columns, rows]).permuted(&[1, 0]);
                if (rows + columns) % 3 == 0 {
                    reverse(&mut to, rows % 2);
                }
                check(ty, vec![(from, to)], false, rows * columns, &mut random);
            }
        }
    }
}

#[test]
fn large_matrices_are_transposed_in_tiles() {
    let mut random = Random::new(9);
    for ty in TYPES {
        // Whole tiles of each type, and some with a remainder at one end or at both.
        for (round, [rows, columns]) in
            [[512, 256], [577, 521], [128, 1027], [1030, 64]].into_iter().enumerate()
        {
            let from = View {
                strides: vec![columns + 3, 1],
                ..View::row_major(&[rows, columns].map(isize::cast_unsigned))
            };
            let [rows, columns] = [rows, columns].map(isize::cast_unsigned);
            let mut to = View::row_major(&[columns, rows]).permuted(&[1, 0]);
            if round % 2 == 1 {
                reverse(&mut to, round / 2);
            }
            check(ty, vec![(from, to)], false, rows * columns, &mut random);
        }
    }
}

#[test]
fn elements_outside_all_parts_are_filled() {
    let mut random = Random::new(3);
    for round in 0..600 {
        let ty = TYPES[round % TYPES.len()];
        let rank = 1 + random.below(3);
        let sizes = random.sizes(rank, [0, 90, 40, 12][rank]);
        let low: Vec<usize> = sizes.iter().map(|_| random.below(3)).collect();
        let padded: Vec<usize> = sizes.iter().zip(&low).map(|(size, low)| low + size + 2).collect();
        let (whole, elements) = random.layout(&padded);
        let offset = whole.strides.iter().zip(&low).map(|(stride, low)| stride.unsigned_abs() * low).sum();
        let to = View { offset, sizes: sizes.clone(), strides: whole.strides };
        let (from, _) = random.layout(&sizes);
        check(ty, vec![(from, to)], true, elements, &mut random);
    }
    // No part, adjacent and overlapping parts, and more parts than are checked for exact gaps.
    for parts in [0_usize, 1, 2, 3, 9, 20] {
        let padded_sizes = parts * 50;
        let part_view = |i: usize| View {
            offset: i * 50 + 30 * (i % 2),
            sizes: vec![7, 40],
            strides: vec![padded_sizes.max(1).cast_signed(), 1],
        };
        let views = (0..parts).map(|i| (View::row_major(&[7, 40]), part_view(i))).collect();
        check(Type::F32, views, true, padded_sizes * 7 + 31, &mut random);
    }
    check(Type::F64, vec![(View::row_major(&[0, 3]), View::row_major(&[0, 3]))], true, 100, &mut random);
}

#[test]
fn long_copies_report_progress_and_can_be_cancelled() {
    use crate::scratch::Scratch;
    use crate::{Context, KernelError, run};

    let transposed = View::row_major(&[2048, 1024]).permuted(&[1, 0]);
    let cases = [
        (View::row_major(&[1024, 2048]), transposed),
        (View::row_major(&[1024, 2048]), View::row_major(&[1024, 2048])),
        (View { offset: 0, sizes: vec![1024, 2048], strides: vec![1, 0] }, View::row_major(&[1024, 2048])),
    ];
    let read = vec![1_u8; 1 << 21];
    for (from, to) in cases {
        let task = Task::Move(Move { ty: Type::U8, parts: vec![(from, to)], has_fill: false });
        let mut reported = 0;
        let mut run_until = |stop_at: u64| {
            let mut written = vec![0_u8; 1 << 21];
            reported = 0;
            let mut tick = |steps| {
                reported += steps;
                reported < stop_at
            };
            let mut scratch = Scratch::default();
            let mut context = Context { scratch: &mut scratch, tick: &mut tick, packed_operand: None };
            let result = run(&task, &[Slice::U8(&read)], &mut [SliceMut::U8(&mut written)], &mut context);
            (result, reported)
        };
        assert_eq!(run_until(u64::MAX), (Ok(()), 1 << 21));
        assert_eq!(run_until(1).0, Err(KernelError::Cancelled));
    }
}
