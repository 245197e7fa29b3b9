//! Known results of XLA's functions, and edge cases.

use super::*;
use crate::ElementType::{F32, S32};
use crate::{Layout, PaddingValue};

fn array(sizes: &[i64], order: &[i64]) -> ArrayShape {
    ArrayShape::new(F32, sizes.iter().copied()).with_layout(Layout::new(order.iter().copied()))
}

fn plain(sizes: &[i64]) -> ArrayShape {
    ArrayShape::new(F32, sizes.iter().copied())
}

fn reshape(from: &ArrayShape, to: &ArrayShape) -> Option<bool> {
    reshape_is_bitcast(from, to, ElementTypes::Compare, Edition::Current)
}

#[test]
fn common_factors_cut_into_the_smallest_groups() {
    let cuts = |a: &[i64], b: &[i64]| common_factors(a, b).unwrap().to_vec();
    assert_eq!(cuts(&[2, 3, 4], &[2, 12]), [(0, 0), (1, 1), (3, 2)]);
    assert_eq!(cuts(&[2, 3], &[2, 1, 3]), [(0, 0), (1, 1), (1, 2), (2, 3)]);
    assert_eq!(cuts(&[1, 6], &[6]), [(0, 0), (1, 0), (2, 1)]);
    assert_eq!(cuts(&[6], &[2, 3]), [(0, 0), (1, 2)]);
    assert_eq!(cuts(&[2, 3], &[2, 3]), [(0, 0), (1, 1), (2, 2)]);
    assert_eq!(cuts(&[], &[]), [(0, 0)]);
    assert_eq!(cuts(&[], &[1, 1]), [(0, 0), (0, 1), (0, 2)]);
    assert_eq!(cuts(&[2, 0, 3], &[2, 3, 0]), [(0, 0), (1, 1), (3, 3)]);
    assert_eq!(cuts(&[0, 10, 3], &[0, 3]), [(0, 0), (3, 2)]);
    assert_eq!(common_factors(&[2], &[3]), None);
    assert_eq!(common_factors(&[i64::MAX, 2], &[2, i64::MAX]), None);
    assert_eq!(common_factors(&[-2, -3], &[6]), None);
}

#[test]
fn reshapes_keep_insert_and_delete_dimensions() {
    let kept =
        |a: &[i64], b: &[i64]| dimensions_unmodified_by_reshape(&plain(a), &plain(b)).unwrap().to_vec();
    let change = |a: &[i64], b: &[i64]| inserted_or_deleted_1_sized_dimensions(&plain(a), &plain(b)).unwrap();
    assert_eq!((kept(&[2, 3, 4], &[2, 12]), change(&[2, 3, 4], &[2, 12])), (vec![(0, 0)], None));
    let inserted = InsertedOrDeleted { deleted: vec![], inserted: vec![1] };
    assert_eq!(
        (kept(&[2, 3], &[2, 1, 3]), change(&[2, 3], &[2, 1, 3])),
        (vec![(0, 0), (1, 2)], Some(inserted))
    );
    let deleted = InsertedOrDeleted { deleted: vec![0], inserted: vec![] };
    assert_eq!((kept(&[1, 6], &[6]), change(&[1, 6], &[6])), (vec![(1, 0)], Some(deleted)));
    assert_eq!((kept(&[6], &[2, 3]), change(&[6], &[2, 3])), (vec![], None));
    assert_eq!(inserted_or_deleted_1_sized_dimensions(&plain(&[2]), &plain(&[3])), None);
}

#[test]
fn a_bitcast_depends_on_the_order_of_dimensions() {
    assert_eq!(reshape(&array(&[2, 3], &[1, 0]), &array(&[6], &[0])), Some(true));
    assert_eq!(reshape(&array(&[2, 3], &[0, 1]), &array(&[6], &[0])), Some(false));
    assert_eq!(reshape(&array(&[2, 3, 4], &[2, 1, 0]), &array(&[2, 12], &[1, 0])), Some(true));
    assert_eq!(reshape(&array(&[2, 3, 4], &[1, 2, 0]), &array(&[2, 12], &[1, 0])), Some(false));
    assert_eq!(reshape(&array(&[2, 1, 3], &[2, 1, 0]), &array(&[2, 3], &[1, 0])), Some(true));
    assert_eq!(reshape(&array(&[2, 1, 3], &[1, 2, 0]), &array(&[2, 3], &[1, 0])), Some(true));
    let transpose = |to: &ArrayShape| {
        transpose_is_bitcast(&array(&[2, 3], &[1, 0]), to, &[1, 0], ElementTypes::Compare, Edition::Current)
    };
    assert_eq!(transpose(&array(&[3, 2], &[0, 1])), Some(true));
    assert_eq!(transpose(&array(&[3, 2], &[1, 0])), Some(false));
}

#[test]
fn layouts_align_unless_a_group_is_not_adjacent() {
    let aligned = |from: &ArrayShape, to: &[i64]| {
        align_layouts(from, &plain(to)).map(|shape| shape.layout.unwrap().minor_to_major.to_vec())
    };
    assert_eq!(aligned(&array(&[4, 6], &[0, 1]), &[4, 2, 3]), Some(vec![0, 2, 1]));
    assert_eq!(aligned(&array(&[4, 6], &[0, 1]), &[24]), None);
    assert_eq!(aligned(&array(&[4, 1, 6], &[1, 0, 2]), &[4, 1, 2, 3]), Some(vec![0, 3, 2, 1]));
    assert_eq!(aligned(&array(&[], &[]), &[1, 1]), Some(vec![1, 0]));
    assert_eq!(aligned(&array(&[0, 3], &[1, 0]), &[3, 0]), Some(vec![1, 0]));
    assert_eq!(aligned(&ArrayShape { layout: None, ..plain(&[2]) }, &[2]), None);
    assert_eq!(aligned(&plain(&[2]), &[3]), None);
}

#[test]
fn undefined_cases_differ_between_the_editions() {
    let (a, b) = (plain(&[2, 3]), plain(&[6]));
    let bare = |shape: &ArrayShape| ArrayShape { layout: None, ..shape.clone() };
    let of = |from: &ArrayShape, to: &ArrayShape, edition| {
        reshape_is_bitcast(from, to, ElementTypes::Compare, edition)
    };
    assert_eq!([Edition::V2017, Edition::Current].map(|e| of(&bare(&a), &b, e)), [Some(false), None]);
    assert_eq!([Edition::V2017, Edition::Current].map(|e| of(&a, &plain(&[5]), e)), [None, Some(false)]);
    let integers = ArrayShape::new(S32, [6]);
    assert_eq!([Edition::V2017, Edition::Current].map(|e| of(&a, &integers, e)), [Some(true), Some(false)]);
    assert_eq!(reshape_is_bitcast(&a, &integers, ElementTypes::Ignore, Edition::Current), Some(true));
    let padded = a.clone().with_layout(Layout::descending(2).padded([3, 3], PaddingValue::Zero));
    assert_eq!(of(&padded, &b, Edition::V2017), Some(false));
    assert_eq!(of(&plain(&[0, 3]), &plain(&[7, 0]), Edition::Current), Some(true));
    let transpose = |from: &ArrayShape, to: &ArrayShape, e| {
        transpose_is_bitcast(from, to, &[0, 1], ElementTypes::Compare, e)
    };
    assert_eq!(
        [Edition::V2017, Edition::Current].map(|e| transpose(&bare(&a), &bare(&a), e)),
        [Some(false), None]
    );
    assert_eq!([Edition::V2017, Edition::Current].map(|e| transpose(&bare(&a), &a, e)), [Some(false), None]);
    assert_eq!([Edition::V2017, Edition::Current].map(|e| transpose(&padded, &padded, e)), [Some(false); 2]);
    assert_eq!(
        [Edition::V2017, Edition::Current].map(|e| transpose(&padded, &a, e)),
        [Some(true), Some(false)]
    );
    assert_eq!(transpose_is_bitcast(&a, &a, &[0], ElementTypes::Compare, Edition::Current), None);
}

#[test]
fn transposes_are_deduced_and_bitcasts_decomposed() {
    let (a, b) = (array(&[2, 3], &[1, 0]), array(&[3, 2], &[0, 1]));
    assert_eq!(deduce_transpose_dimensions_for_bitcast(&a, &b).unwrap().to_vec(), [1, 0]);
    assert_eq!(deduce_transpose_dimensions_for_bitcast(&a, &array(&[3, 2], &[1, 0])), None);
    assert_eq!(deduce_transpose_dimensions_for_bitcast(&a, &plain(&[6])), None);
    let is_free =
        |to: &ArrayShape| is_reshape_or_transpose_bitcast(&a, to, ElementTypes::Compare, Edition::Current);
    assert_eq!(
        [&a, &b, &plain(&[6]), &array(&[2, 3], &[0, 1])].map(is_free),
        [Some(true), Some(true), Some(true), Some(false)]
    );
    assert_eq!(is_free(&ArrayShape::new(S32, [2, 3])), Some(false));
    assert_eq!(decompose_bitcast(&a, &plain(&[6])), Some(Decomposition::Reshape));
    assert_eq!(
        decompose_bitcast(&a, &b),
        Some(Decomposition::Transpose { dimensions: Dims::from_slice(&[1, 0]) })
    );
    let Some(Decomposition::TransposeReshapeTranspose { transpose1_shape, reshape_shape, .. }) =
        decompose_bitcast(&array(&[2, 6], &[0, 1]), &array(&[4, 3], &[0, 1]))
    else {
        panic!("not in three steps");
    };
    assert_eq!((transpose1_shape, reshape_shape), (plain(&[6, 2]), plain(&[3, 4])));
    assert_eq!(decompose_bitcast(&a, &plain(&[5])), None);
}

#[test]
fn only_the_comparison_of_all_slots_considers_tiles() {
    let tiled = plain(&[4, 4]).with_layout(Layout::descending(2).tiled([2, 2]));
    // XLA considers only the order of dimensions: flattening a tiled matrix is a bitcast, though it moves elements.
    assert_eq!(reshape(&tiled, &plain(&[16])), Some(true));
    assert_eq!(keeps_every_slot(&tiled, &plain(&[16])), Some(false));
    // A column-major order that a tile cancels out is not a bitcast.
    let column = array(&[2, 2], &[0, 1]);
    let undone = plain(&[2, 2]).with_layout(Layout::descending(2).tiled([2, 1]));
    assert_eq!((reshape(&undone, &column), keeps_every_slot(&undone, &column)), (Some(false), Some(true)));
    assert_eq!(keeps_every_slot(&plain(&[2]), &plain(&[3])), None);
    assert_eq!(keeps_every_slot(&plain(&[0, 3]), &plain(&[3, 0])), Some(true));
}
