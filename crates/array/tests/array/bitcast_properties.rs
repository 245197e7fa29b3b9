//! XLA's bitcast predicates against brute force: a comparison of all slots.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;
use xla_array::bitcast::{
    Decomposition, ElementTypes, align_layouts, common_factors, decompose_bitcast,
    deduce_transpose_dimensions_for_bitcast, is_reshape_or_transpose_bitcast, keeps_every_slot,
    reshape_is_bitcast, transpose_is_bitcast,
};
use xla_array::shape_util::permute_dimensions;
use xla_array::{ArrayShape, Edition, ElementType, Layout, MemoryMap};

fn permutation(rank: usize) -> impl Strategy<Value = Vec<i64>> {
    Just((0..).take(rank).collect::<Vec<i64>>()).prop_shuffle()
}

/// Two lists of sizes with the same product: the same prime factors in two groupings, mixed with sizes of 1 (rarely 0).
fn two_sizes() -> impl Strategy<Value = (Vec<i64>, Vec<i64>)> {
    let factors = vec(prop_oneof![Just(2_i64), Just(3)], 0..=4);
    (factors, vec(0..4_usize, 4), vec(0..4_usize, 4), vec(0..8_usize, 8), any::<bool>(), 0..12_u8).prop_map(
        |(factors, first, second, ones, shuffle, zero)| {
            let group = |at: &[usize], ones: &[usize], reverse: bool| {
                let mut sizes = vec![1_i64; 4];
                let mut factors = factors.clone();
                if reverse {
                    factors.reverse();
                }
                // Ascending positions keep the factors in order, so that reshapes are often bitcasts.
                let mut positions = at[..factors.len()].to_vec();
                positions.sort_unstable();
                for (factor, position) in factors.iter().zip(positions) {
                    sizes[position] *= factor;
                }
                let mut kept = 0..;
                sizes.retain(|size| *size != 1 || ones[kept.next().unwrap()] < 2);
                sizes
            };
            let (mut a, mut b) = (group(&first, &ones[..4], false), group(&second, &ones[4..], shuffle));
            if zero == 0 {
                a.push(0);
                b.insert(0, 0);
            }
            (a, b)
        },
    )
}

fn two_shapes() -> impl Strategy<Value = (ArrayShape, ArrayShape)> {
    let orders = |(a, b): (Vec<i64>, Vec<i64>)| {
        let (m, n) = (permutation(a.len()), permutation(b.len()));
        (Just(a), m, Just(b), n)
    };
    two_sizes().prop_flat_map(orders).prop_map(|(a, m, b, n)| (shape(&a, &m), shape(&b, &n)))
}

fn shape(sizes: &[i64], order: &[i64]) -> ArrayShape {
    ArrayShape::new(ElementType::F32, sizes.iter().copied()).with_layout(Layout::new(order.iter().copied()))
}

/// All permutations of a rank.
fn orders(rank: usize) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for d in 0..i64::try_from(rank).unwrap() {
        all = all
            .iter()
            .flat_map(|order: &Vec<i64>| {
                (0..=order.len()).map(move |at| {
                    let mut longer = order.clone();
                    longer.insert(at, d);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Whether a transpose leaves every element in its slot.
fn transpose_keeps_every_slot(input: &ArrayShape, output: &ArrayShape, map: &[i64]) -> bool {
    let (from, to) = (MemoryMap::new(input).unwrap(), MemoryMap::new(output).unwrap());
    (0..from.slot_count()).all(|slot| {
        let (mut index, mut other) = (vec![0; map.len()], vec![0; map.len()]);
        from.index_of(slot, &mut index);
        for (i, d) in map.iter().enumerate() {
            other[i] = index[usize::try_from(*d).unwrap()];
        }
        to.slot(&other) == Some(slot)
    })
}

proptest! {
    #![proptest_config(Config { cases: 4000, failure_persistence: None, ..Config::default() })]

    /// Without tiles and padding XLA's check by unit steps is exact: neither unsound nor conservative.
    #[test]
    fn a_reshape_is_a_bitcast_exactly_if_no_element_moves((a, b) in two_shapes()) {
        for edition in [Edition::V2017, Edition::Current] {
            prop_assert_eq!(reshape_is_bitcast(&a, &b, ElementTypes::Compare, edition), keeps_every_slot(&a, &b));
        }
    }

    /// A transpose compares orders, so it is conservative only if dimensions of size 1 alone are permuted, or if there are no
    /// elements; a positive answer is always right.
    #[test]
    fn a_transpose_bitcast_moves_no_element(
        (a, b, map) in two_shapes().prop_flat_map(|(a, _)| {
            let rank = a.rank();
            (Just(a), permutation(rank), permutation(rank))
        }).prop_map(|(a, map, order)| {
            let sizes: Vec<i64> = map.iter().map(|d| a.dimensions[usize::try_from(*d).unwrap()]).collect();
            (a, shape(&sizes, &order), map)
        })
    ) {
        let says = transpose_is_bitcast(&a, &b, &map, ElementTypes::Compare, Edition::Current).unwrap();
        let keeps = transpose_keeps_every_slot(&a, &b, &map);
        prop_assert!(keeps || !says);
        if keeps && !says {
            prop_assert!(a.dimensions.iter().any(|size| *size <= 1));
        }
        let moved = permute_dimensions(&a, &map).unwrap();
        prop_assert!(transpose_keeps_every_slot(&a, &moved, &map));
        prop_assert_eq!(transpose_is_bitcast(&a, &moved, &map, ElementTypes::Compare, Edition::Current), Some(true));
    }

    /// A layout is found exactly if one exists, and makes the reshape a bitcast.
    #[test]
    fn layouts_align_where_any_layout_would((a, b) in two_shapes()) {
        prop_assume!(!a.dimensions.contains(&0));
        match align_layouts(&a, &b) {
            Some(aligned) => prop_assert_eq!(keeps_every_slot(&a, &aligned), Some(true)),
            None => {
                for order in orders(b.rank()) {
                    prop_assert_eq!(keeps_every_slot(&a, &shape(&b.dimensions, &order)), Some(false));
                }
            }
        }
    }

    #[test]
    fn bitcasts_are_decomposed_into_bitcasts((a, b) in two_shapes()) {
        let transpose = |from: &ArrayShape, to: &ArrayShape, map: &[i64]| {
            transpose_is_bitcast(from, to, map, ElementTypes::Compare, Edition::Current)
        };
        let free = is_reshape_or_transpose_bitcast(&a, &b, ElementTypes::Compare, Edition::Current).unwrap();
        match decompose_bitcast(&a, &b).unwrap() {
            Decomposition::Reshape => prop_assert!(free && keeps_every_slot(&a, &b) == Some(true)),
            Decomposition::Transpose { dimensions } => {
                prop_assert!(free);
                prop_assert_eq!(transpose(&a, &b, &dimensions), Some(true));
                prop_assert_eq!(deduce_transpose_dimensions_for_bitcast(&a, &b), Some(dimensions));
            }
            Decomposition::TransposeReshapeTranspose {
                transpose1_dimensions, transpose1_shape, reshape_shape, transpose2_dimensions,
            } => {
                prop_assert!(!free);
                prop_assert_eq!(transpose(&a, &transpose1_shape, &transpose1_dimensions), Some(true));
                prop_assert_eq!(keeps_every_slot(&transpose1_shape, &reshape_shape), Some(true));
                prop_assert_eq!(transpose(&reshape_shape, &b, &transpose2_dimensions), Some(true));
            }
        }
    }

    /// There are as many cuts as positions at which the products agree: one per position, except for sizes of 1.
    #[test]
    fn common_factors_cut_wherever_products_agree((a, b) in two_sizes()) {
        prop_assume!(!a.contains(&0));
        let cuts = common_factors(&a, &b).unwrap();
        prop_assert_eq!((cuts[0], *cuts.last().unwrap()), ((0, 0), (a.len(), b.len())));
        for w in cuts.windows(2) {
            prop_assert!(w[0].0 <= w[1].0 && w[0].1 <= w[1].1 && w[0] != w[1]);
        }
        let products = |sizes: &[i64]| (0..=sizes.len()).map(|n| sizes[..n].iter().product()).collect::<Vec<i64>>();
        let (pa, pb) = (products(&a), products(&b));
        prop_assert!(cuts.iter().all(|(i, j)| pa[*i] == pb[*j]));
        let mut common: Vec<i64> = pa.iter().copied().filter(|p| pb.contains(p)).collect();
        common.dedup();
        let mut cut: Vec<i64> = cuts.iter().map(|(i, _)| pa[*i]).collect();
        cut.dedup();
        prop_assert_eq!(cut, common);
    }
}
