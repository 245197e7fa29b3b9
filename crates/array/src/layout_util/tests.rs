//! Every function of the catalogue's `LayoutUtil`.

use super::*;
use crate::{ElementType, PaddingValue, SplitConfig};

fn array(sizes: &[i64]) -> ArrayShape {
    ArrayShape::new(ElementType::F32, sizes.iter().copied())
}

fn bare(sizes: &[i64]) -> Shape {
    Shape::Array(ArrayShape { layout: None, ..array(sizes) })
}

#[test]
fn layouts_are_constructed_in_either_order() {
    assert_eq!(make_layout(&[1, 2, 0]), make_layout_from_major_to_minor(&[0, 2, 1]));
    assert_eq!(make_descending_layout(3), make_layout(&[2, 1, 0]));
    assert_eq!(make_ascending_layout(3), make_layout(&[0, 1, 2]));
    assert_eq!(get_default_layout_for_r2(), make_layout(&[1, 0]));
    assert_eq!(get_default_layout_for_r3(), get_default_layout_for_rank(3));
    assert_eq!(get_default_layout_for_r4(), get_default_layout_for_shape(&array(&[1, 1, 1, 1])));
}

#[test]
fn a_tuple_gets_cleared_and_defaulted_leaf_by_leaf() {
    let mut shape = Shape::tuple([
        array(&[2, 3]).with_layout(make_layout(&[0, 1]).tiled([2, 2])).into(),
        Shape::tuple([Shape::Token, bare(&[4])]),
    ]);
    assert!(!has_layout(&shape, Edition::Current) && has_any_layout(&shape));
    assert_eq!(validate_layout_in_shape(&shape, true), Ok(()));
    let violation = validate_layout_in_shape(&shape, false).unwrap_err();
    assert_eq!((violation.rule, &violation.path[..]), ("layout-2", &[1, 1][..]));
    clear_tiles(&mut shape);
    assert!(is_untiled_layout(shape.as_tuple().unwrap()[0].as_array().unwrap().layout.as_ref().unwrap()));
    set_to_default_layout(&mut shape);
    assert!(has_layout(&shape, Edition::Current));
    assert_eq!(shape.as_tuple().unwrap()[0], array(&[2, 3]).into());
    clear_layout(&mut shape);
    assert_eq!(shape.as_tuple().unwrap()[0], bare(&[2, 3]));
    assert!(!has_layout(&shape, Edition::Current));
    assert!(has_layout(&bare(&[]), Edition::V2017) && !has_layout(&bare(&[]), Edition::Current));
    assert!(!has_any_layout(&bare(&[2])) && has_any_layout(&Shape::Opaque));
    assert!(validate_layout_for_shape(&make_layout(&[0, 0]), &array(&[1, 1])).is_err());
}

#[test]
fn orders_are_recognised_and_looked_up() {
    let mixed = make_layout(&[1, 2, 0]);
    assert!(!is_monotonic_with_dim0_major(&mixed) && !is_monotonic_with_dim0_minor(&mixed));
    for rank in 0..2 {
        let layout = make_descending_layout(rank);
        assert!(is_monotonic_with_dim0_major(&layout) && is_monotonic_with_dim0_minor(&layout));
    }
    assert!(is_monotonic_with_dim0_major(&make_layout(&[1, 0])));
    assert!(is_monotonic_with_dim0_minor(&make_layout(&[0, 1])));
    assert_eq!([0, 1, 2, 3].map(|k| minor(&mixed, k)), [Some(1), Some(2), Some(0), None]);
    assert_eq!([0, 1, 2, 3].map(|k| major(&mixed, k)), [Some(0), Some(2), Some(1), None]);
    assert_eq!(make_logical_to_physical(&mixed).unwrap().to_vec(), [0, 2, 1]);
    assert_eq!(make_logical_to_physical(&make_layout(&[0, 0])), None);
    assert_eq!(are_dimensions_consecutive(&mixed, &[0, 2]), Some(true));
    assert_eq!(are_dimensions_consecutive(&mixed, &[0, 1]), Some(false));
    assert_eq!(are_dimensions_consecutive(&mixed, &[]), Some(true));
    assert_eq!(are_dimensions_consecutive(&mixed, &[3]), None);
}

#[test]
fn padding_counts_only_beyond_the_size() {
    let padded =
        |to: [i64; 2]| array(&[2, 3]).with_layout(make_layout(&[1, 0]).padded(to, PaddingValue::Zero)).into();
    assert!(is_padded(&padded([2, 4])) && !is_padded(&padded([2, 3])));
    assert!(!is_padded(&Shape::tuple([padded([2, 4])])) && !is_padded(&bare(&[2])));
}

#[test]
fn copying_needs_the_same_structure_and_ranks_and_is_all_or_nothing() {
    let column = Shape::Array(array(&[2, 3]).with_layout(make_layout(&[0, 1])));
    let mut to = Shape::tuple([bare(&[5, 7]), bare(&[5])]);
    let before = to.clone();
    let from = |second| Shape::tuple([column.clone(), second]);
    let violation = copy_layout_between_shapes(&from(column.clone()), &mut to).unwrap_err();
    assert_eq!((violation.rule, &violation.path[..]), ("layout-copy", &[1][..]));
    assert_eq!(to, before);
    assert!(copy_layout_between_shapes(&column, &mut to).is_err());
    assert!(copy_layout_between_shapes(&Shape::tuple([]), &mut to).is_err());
    copy_layout_between_shapes(&from(bare(&[9])), &mut to).unwrap();
    assert_eq!(to.as_tuple().unwrap()[0].as_array().unwrap().layout, Some(make_layout(&[0, 1])));
    assert_eq!(to.as_tuple().unwrap()[1], bare(&[5]));
    let padded = array(&[2]).with_layout(make_layout(&[0]).padded([4], PaddingValue::Zero)).into();
    assert_eq!(copy_layout_between_shapes(&padded, &mut bare(&[5])).unwrap_err().rule, "layout-6");
}

#[test]
fn equality_ignores_the_given_properties() {
    let tiled = make_layout(&[1, 0]).tiled([8, 128]);
    let plain = make_layout(&[1, 0]);
    assert!(!equal(&tiled, &plain, Ignoring::default()));
    assert!(equal(&tiled, &plain, Ignoring { tiles: true, ..Ignoring::default() }));
    let every = Ignoring {
        tiles: true,
        memory_space: true,
        element_size: true,
        tail_padding_alignment: true,
        index_and_pointer_types: true,
        split_configs: true,
    };
    let mut other = tiled.clone();
    (other.memory_space, other.element_size_in_bits, other.tail_padding_alignment) = (5, 4, 2);
    other.index_type = Some(ElementType::U32);
    other.split_configs.push(SplitConfig { dimension: 0, indices: Dims::from_slice(&[1]) });
    assert!(equal(&other, &plain, every));
    assert!(!equal(&other, &tiled, Ignoring { memory_space: true, ..Ignoring::default() }));
    assert!(!equal(&make_layout(&[0, 1]), &plain, every));
    assert!(equal(&make_layout(&[1, 0]).padded([], PaddingValue::Zero), &plain, Ignoring::default()));
    assert!(layouts_in_shapes_equal(&array(&[2, 3]).into(), &array(&[4, 5]).into()));
    assert!(!layouts_in_shapes_equal(&array(&[2, 3]).into(), &bare(&[2, 3])));
    assert!(!layouts_in_shapes_equal(&array(&[2]).into(), &Shape::tuple([array(&[2]).into()])));
    assert!(layouts_in_shapes_equal(&Shape::Token, &Shape::Token));
}

#[test]
fn a_dimension_moves_to_either_end_and_the_others_keep_their_order() {
    let layout = make_layout(&[2, 0, 3, 1]);
    assert_eq!(move_dim_to_major(&layout, 0).unwrap().minor_to_major.to_vec(), [2, 3, 1, 0]);
    assert_eq!(move_dim_to_minor(&layout, 3).unwrap().minor_to_major.to_vec(), [3, 2, 0, 1]);
    assert_eq!(move_dim_to_major(&layout, 4), None);
    assert_eq!(move_dim_to_minor(&layout, -1), None);
}

#[test]
fn splits_name_physical_dimensions() {
    let mut shape = array(&[10, 6]).with_layout(make_layout(&[0, 1]));
    let layout = shape.layout.as_mut().unwrap();
    layout.memory_space = 5;
    // The most major physical dimension is logical dimension 1.
    layout.split_configs.push(SplitConfig { dimension: 0, indices: Dims::from_slice(&[1, 5]) });
    assert_eq!([0, 1, 2].map(|d| max_split_size(&shape, d)), [Some(10), Some(4), None]);
    assert_eq!(max_elements_in_per_split(&shape), Some(40));
    assert_eq!((memory_space(&shape), memory_space(&array(&[2]))), (5, 0));
    assert_eq!(max_elements_in_per_split(&array(&[i64::MAX, 2])), None);
}
