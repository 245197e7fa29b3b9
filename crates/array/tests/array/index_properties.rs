//! Indices against their definitions: nested loops, positions in a list, and memory maps.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use proptest::collection::vec;
use proptest::prelude::*;
use xla_array::index::{Indices, multi_index, offset_of, row_major_index, row_major_strides};
use xla_array::index_util::bump_indices;
use xla_array::{ArrayShape, ElementType, Layout, MemoryMap};

/// Up to five dimensions, of sizes 0 to 4.
fn sizes() -> impl Strategy<Value = Vec<i64>> {
    vec(prop_oneof![1 => Just(0_i64), 12 => 1..=4_i64], 0..=5)
}

/// Sizes with an order of their dimensions.
fn ordered_sizes() -> impl Strategy<Value = (Vec<i64>, Vec<i64>)> {
    sizes().prop_flat_map(|sizes| {
        let order: Vec<i64> = (0..).take(sizes.len()).collect();
        (Just(sizes), Just(order).prop_shuffle())
    })
}

/// Nested loops over these ranges, the last one innermost.
fn nested(ranges: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for range in ranges {
        all = all.iter().flat_map(|head| range.iter().map(move |e| [&head[..], &[*e]].concat())).collect();
    }
    all
}

fn all(mut indices: Indices) -> Vec<Vec<i64>> {
    let mut all = Vec::new();
    while let Some(index) = indices.advance() {
        all.push(index.to_vec());
    }
    all
}

fn whole(sizes: &[i64]) -> Vec<Vec<i64>> {
    nested(&sizes.iter().map(|size| (0..*size).collect()).collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn row_major_order_is_that_of_nested_loops(sizes in sizes()) {
        let expected = whole(&sizes);
        prop_assert_eq!(&all(Indices::row_major(&sizes)), &expected);
        for (number, index) in (0..).zip(&expected) {
            prop_assert_eq!(row_major_index(index, &sizes), number);
            prop_assert_eq!(&multi_index(number, &sizes)[..], &index[..]);
            prop_assert_eq!(offset_of(index, &row_major_strides(&sizes)), number);
        }
    }

    #[test]
    fn bump_indices_of_xla_visits_the_same_indices(sizes in sizes()) {
        let shape = ArrayShape::new(ElementType::F32, sizes.iter().copied());
        let mut indices = Indices::row_major(&sizes);
        let mut index = vec![0; sizes.len()];
        while let Some(expected) = indices.advance() {
            prop_assert_eq!(&index[..], expected);
            bump_indices(&shape, &mut index);
        }
    }

    #[test]
    fn layout_order_is_that_of_memory((sizes, order) in ordered_sizes()) {
        let layout = Layout::new(order.iter().copied());
        let shape = ArrayShape::new(ElementType::F32, sizes.iter().copied()).with_layout(layout);
        let map = MemoryMap::new(&shape).unwrap();
        let slots: Vec<i64> = all(Indices::layout_order(&sizes, &order).unwrap())
            .iter()
            .map(|index| map.slot(index).unwrap())
            .collect();
        prop_assert_eq!(slots, (0..sizes.iter().product()).collect::<Vec<i64>>());
    }

    #[test]
    fn strided_indices_are_those_of_nested_loops_with_steps(
        axes in vec((-3..=3_i64, -1..=6_i64, 1..=3_i64), 0..=4),
        seed in any::<prop::sample::Index>(),
    ) {
        let [starts, ends, steps]: [Vec<i64>; 3] = [
            axes.iter().map(|axis| axis.0).collect(),
            axes.iter().map(|axis| axis.0 + axis.1).collect(),
            axes.iter().map(|axis| axis.2).collect(),
        ];
        let mut order: Vec<i64> = (0..).take(axes.len()).collect();
        order.rotate_left(if axes.is_empty() { 0 } else { seed.index(axes.len()) });
        let range = |d: &i64| {
            let d = usize::try_from(*d).unwrap();
            (starts[d]..ends[d]).step_by(usize::try_from(steps[d]).unwrap()).collect()
        };
        let slowest_first: Vec<Vec<i64>> = order.iter().rev().map(range).collect();
        let expected: Vec<Vec<i64>> = nested(&slowest_first)
            .into_iter()
            .map(|by_order| {
                let mut index = vec![0; axes.len()];
                for (d, e) in order.iter().rev().zip(by_order) {
                    index[usize::try_from(*d).unwrap()] = e;
                }
                index
            })
            .collect();
        prop_assert_eq!(all(Indices::strided(&starts, &ends, &steps, &order).unwrap()), expected);
    }

    #[test]
    fn along_some_dimensions_the_others_are_fixed(
        sizes in sizes(),
        chosen in vec(any::<bool>(), 5),
        entries in vec(0..9_i64, 5),
    ) {
        let at = &entries[..sizes.len()];
        let dimensions: Vec<usize> = (0..sizes.len()).filter(|d| chosen[*d]).collect();
        let range = |d: usize| if chosen[d] { (0..sizes[d]).collect() } else { vec![at[d]] };
        let expected = nested(&(0..sizes.len()).map(range).collect::<Vec<_>>());
        prop_assert_eq!(all(Indices::along(at, &sizes, dimensions)), expected);
    }
}
