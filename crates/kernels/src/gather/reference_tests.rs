//! Gather against its definition: each element of the result from the clamped start of its slice.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "indices of any width, including out-of-range ones"
)]

use crate::task::{Array, Gather};
use crate::{Slice, SliceMut, Task, Type, View};

use crate::testing::{Random, run_task, slots};

/// Compares a random gather with start indices of this type, mostly in range, to its definition.
fn check(random: &mut Random, ty: Type) {
    let rank = 1 + random.below(4);
    let sizes = random.sizes(rank, 9);
    let index_vector_size = random.below(rank + 1);
    let slice_sizes: Vec<usize> = sizes
        .iter()
        .enumerate()
        .map(
            |(d, size)| {
                if d >= index_vector_size && random.below(2) == 0 { *size } else { random.below(*size + 1) }
            },
        )
        .collect();
    let collapsed: Vec<usize> = (0..rank).filter(|d| slice_sizes[*d] == 1 && random.below(2) == 0).collect();
    let batch_rank = random.below(3);
    let mut batch = random.sizes(batch_rank, 12);
    if random.below(20) == 0
        && let Some(size) = batch.first_mut()
    {
        *size = 0;
    }
    let vectors = [batch.clone(), vec![index_vector_size]].concat();
    let slice_dims = (0..rank).filter(|d| !collapsed.contains(d)).map(|d| slice_sizes[d]);
    let out_sizes: Vec<usize> = batch.iter().copied().chain(slice_dims).collect();
    let ((from, elements), (at, index_elements), (to, out_elements)) =
        (random.layout(&sizes), random.layout(&vectors), random.layout(&out_sizes));
    let (index_elements, out_elements) = (index_elements.max(1), out_elements.max(1));
    let operand: Vec<u16> = (0..elements).map(|_| random.bits() as u16).collect();
    let numbers: Vec<u64> = (0..index_elements)
        .map(|_| if random.below(10) == 0 { random.bits() } else { random.below(12) as u64 })
        .collect();
    let mut out = vec![7_u16; out_elements];
    let mut expected = out.clone();
    let task = Task::Gather(Gather {
        operand: Array { ty: Type::F16, view: from.clone() },
        indices: Array { ty, view: at.clone() },
        out: Array { ty: Type::F16, view: to.clone() },
        slice_sizes: slice_sizes.clone(),
        collapsed,
    });
    macro_rules! run {
        ($variant:ident $native:ty) => {{
            let indices: Vec<$native> = numbers.iter().map(|number| *number as $native).collect();
            run_task(
                &task,
                &[Slice::U16(&operand), Slice::$variant(&indices)],
                &mut [SliceMut::U16(&mut out)],
            )
            .unwrap();
            indices.iter().map(|index| i128::from(*index)).collect::<Vec<i128>>()
        }};
    }
    let numbers = match ty {
        Type::U8 => run!(U8 u8),
        Type::S8 => run!(I8 i8),
        Type::U16 => run!(U16 u16),
        Type::S16 => run!(I16 i16),
        Type::U32 => run!(U32 u32),
        Type::S32 => run!(I32 i32),
        Type::U64 => run!(U64 u64),
        _ => run!(I64 i64),
    };
    let to = slots(&to);
    let vectors: Vec<Vec<usize>> = if index_vector_size == 0 {
        vec![vec![]; batch.iter().product()]
    } else {
        slots(&at).chunks(index_vector_size).map(<[usize]>::to_vec).collect()
    };
    let slice: usize = slice_sizes.iter().product();
    for (i, vector) in vectors.iter().enumerate().filter(|_| slice > 0) {
        let mut view = View { sizes: slice_sizes.clone(), ..from.clone() };
        for (d, slot) in vector.iter().enumerate() {
            let last = (sizes[d] - slice_sizes[d]) as i128;
            view.offset += numbers[*slot].clamp(0, last) as usize * from.strides[d].unsigned_abs();
        }
        for (from, to) in slots(&view).into_iter().zip(&to[i * slice..]) {
            expected[*to] = operand[from];
        }
    }
    assert_eq!(out, expected, "{task:?}");
}

#[test]
fn slices_are_read_at_clamped_starts() {
    let types = [Type::U8, Type::S8, Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64];
    let mut random = Random::new(5);
    for round in 0..1500 {
        check(&mut random, types[round % types.len()]);
    }
}
