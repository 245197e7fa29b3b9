//! Tuples of tuples: shared, counted, changed and dropped.

use super::*;
use crate::validate;

fn scalar() -> Shape {
    ArrayShape::new(ElementType::F32, []).into()
}

fn doubled(times: usize) -> Shape {
    (0..times).fold(scalar(), |shape, _| Shape::Tuple([shape.clone(), shape].into_iter().collect()))
}

#[test]
fn doubling_shares_what_it_doubles() {
    let shape = doubled(200);
    assert_eq!((shape.leaves(), shape.depth()), (usize::MAX, 200));
    let elements = shape.as_tuple().unwrap();
    let [Shape::Tuple(a), Shape::Tuple(b)] = elements else { panic!("{elements:?}") };
    assert!(a.is_same(b) && a == b);
    // Equal without a walk: 2^200 comparisons would not end.
    assert_eq!(shape, shape.clone());
    assert_eq!(validate::extent(&shape).map_err(|v| v.rule), Err("limit-depth"));
    assert_eq!(validate::extent(&doubled(17)).map_err(|v| v.rule), Err("limit-leaves"));
    assert_eq!(validate::extent(&doubled(16)), Ok(()));
}

#[test]
fn empty_tuples_count_as_leaves() {
    let empty = || Shape::Tuple(Elements::default());
    assert_eq!((empty().leaves(), empty().depth()), (1, 1));
    let row = Shape::Tuple((0..70_000).map(|_| empty()).collect());
    assert_eq!((row.leaves(), row.depth()), (70_000, 2));
    assert_eq!(validate::shape(&row).map_err(|v| v.rule), Err("limit-leaves"));
}

#[test]
fn a_change_copies_what_is_shared_and_counts_again() {
    let mut changed = doubled(2);
    let before = changed.clone();
    let Shape::Tuple(elements) = &mut changed else { panic!() };
    elements.change(|shapes| shapes[0] = scalar());
    assert_eq!((before.leaves(), changed.leaves()), (4, 3));
    assert_eq!(before, doubled(2));
}

#[test]
fn deep_tuples_are_dropped_without_recursion() {
    let deep = (0..1_000_000).fold(scalar(), |shape, _| Shape::Tuple(vec![shape].into()));
    assert_eq!((deep.leaves(), deep.depth()), (1, 1_000_000));
    assert_eq!(validate::shape(&deep).map_err(|v| v.rule), Err("limit-depth"));
    drop(deep);
}
