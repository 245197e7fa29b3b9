//! Every function of the catalogue's `ShapeUtil`.

use super::*;
use crate::ElementType::{BF16, C64, F32, Pred, S4, S32, U8};
use crate::{Dynamic, PaddingValue, SplitConfig, layout_util, validate};

fn array(sizes: &[i64], order: &[i64]) -> ArrayShape {
    ArrayShape::new(F32, sizes.iter().copied()).with_layout(Layout::new(order.iter().copied()))
}

fn parts(shape: &ArrayShape) -> (Vec<i64>, Vec<i64>) {
    let order = shape.layout.as_ref().unwrap().minor_to_major.to_vec();
    (shape.dimensions.to_vec(), order)
}

#[test]
fn shapes_are_constructed() {
    assert_eq!(make_shape(F32, &[2, 3]), array(&[2, 3], &[1, 0]).into());
    assert_eq!(make_shape_with_layout(F32, &[2, 3], &[0, 1]), Some(array(&[2, 3], &[0, 1]).into()));
    assert_eq!(make_shape_with_layout(F32, &[2, 3], &[0]), None);
    assert_eq!(make_shape_with_monotonic_dim0_major_layout(F32, &[2]), make_shape(F32, &[2]));
    let tuple = make_tuple_shape([make_opaque_shape(), make_token_shape()]);
    assert_eq!(tuple, Shape::tuple([Shape::Opaque, Shape::Token]));
}

#[test]
fn normalizing_keeps_memory_and_dropping_padding_drops_it_everywhere() {
    let mixed = array(&[2, 3, 4], &[1, 2, 0]);
    let normal = normalize_shape_to_monotonic_dim0_major_layout(&mixed).unwrap();
    assert_eq!(parts(&normal), (vec![2, 4, 3], vec![2, 1, 0]));
    assert_eq!(make_shape_with_descending_layout_and_same_physical_layout(&mixed), Some(normal));
    assert_eq!(normalize_shape_to_monotonic_dim0_major_layout(&ArrayShape { layout: None, ..mixed }), None);
    let mut padded = array(&[2, 3], &[0, 1]);
    padded.layout = padded.layout.map(|l| l.padded([3, 5], PaddingValue::Zero));
    let normal = normalize_shape_to_monotonic_dim0_major_layout(&padded).unwrap();
    assert_eq!(MemoryMap::new(&normal).unwrap().padded_sizes(), [5, 3]);
    let tuple = make_tuple_shape([padded.into(), Shape::Token]);
    let bare = shape_without_padding(&tuple);
    assert_eq!(bare, make_tuple_shape([array(&[2, 3], &[0, 1]).into(), Shape::Token]));
}

#[test]
fn ranks_and_kinds_are_distinguished() {
    let shape = make_shape(F32, &[2, 0, 1]);
    assert_eq!((rank(&shape), true_rank(&shape), documented_true_rank(&shape)), (Some(3), Some(2), Some(1)));
    assert_eq!((elements_in(&shape), elements_in(&make_shape(F32, &[]))), (Some(0), Some(1)));
    assert_eq!(elements_in(&make_shape(F32, &[i64::MAX, 2, 0])), None);
    let tuple = make_tuple_shape([]);
    let nested = make_tuple_shape([tuple.clone()]);
    assert_eq!((rank(&tuple), true_rank(&tuple), elements_in(&tuple)), (None, None, None));
    assert!(is_scalar(&make_shape(F32, &[])) && !is_scalar(&shape) && !is_scalar(&tuple));
    assert!(has_zero_elements(&shape) && !has_zero_elements(&tuple));
    assert!(is_tuple(&tuple) && !is_tuple(&shape));
    assert!(is_nested_tuple(&nested) && !is_nested_tuple(&tuple));
    assert!(is_empty_tuple(&tuple) && !is_empty_tuple(&nested));
    assert!(is_opaque(&Shape::Opaque) && !is_opaque(&Shape::Token));
    assert!(is_array(&shape) && !is_array(&Shape::Token));
    assert!(is_nil(&tuple) && is_nil(&shape) && !is_nil(&nested) && !is_nil(&make_shape(F32, &[])));
}

#[test]
fn element_classes_are_those_of_xla() {
    let of = |t| make_shape(t, &[2]);
    assert!(element_is_integral(&of(S32)) && element_is_integral(&of(U8)) && !element_is_integral(&of(Pred)));
    assert!(element_is_signed(&of(S4)) && element_is_signed(&of(BF16)) && !element_is_signed(&of(U8)));
    assert!(element_is_floating(&of(BF16)) && !element_is_floating(&of(C64)));
    assert!(element_is_complex(&of(C64)) && !element_is_complex(&of(F32)));
    assert!(element_has_bit_width(&of(Pred), 1) && element_has_bit_width(&of(C64), 64));
    assert!(!element_has_bit_width(&Shape::Token, 1) && !element_is_signed(&Shape::Token));
}

#[test]
fn dimensions_are_numbered_from_either_end_and_have_letters() {
    let shape = make_shape(F32, &[2, 3, 4]);
    assert_eq!([-3, -1, 0, 2].map(|d| get_dimension(&shape, d)), [Some(2), Some(4), Some(2), Some(4)]);
    assert_eq!([-4, 3, i64::MIN].map(|d| get_dimension(&shape, d)), [None; 3]);
    assert_eq!([-1, 3, -4].map(|d| get_dimension_number(&shape, d)), [Some(2), Some(3), None]);
    assert_eq!(get_dimension_number(&Shape::Token, 0), None);
    let letters = |rank| (0..rank).map_while(|d| letter(rank, d)).collect::<String>();
    assert_eq!([0, 1, 2, 3, 4, 5].map(letters), ["", "x", "yx", "zyx", "pzyx", ""]);
    assert_eq!(letter(2, 2), None);
}

#[test]
fn bytes_differ_between_the_editions() {
    let bytes = |shape: &Shape, edition| byte_size_of(shape, 8, edition);
    let mut padded = array(&[2, 3], &[0, 1]);
    padded.layout = padded.layout.map(|l| l.padded([3, 5], PaddingValue::Zero));
    assert_eq!(bytes(&padded.clone().into(), Edition::V2017), Some(60));
    assert_eq!(byte_strides(&padded).unwrap().to_vec(), [4, 12]);
    let mut packed = ArrayShape::new(S4, [7]);
    assert_eq!(
        (bytes(&packed.clone().into(), Edition::Current), element_size_in_bits(&packed)),
        (Some(7), 8)
    );
    packed.layout.as_mut().unwrap().element_size_in_bits = 4;
    assert_eq!(
        (bytes(&packed.clone().into(), Edition::Current), element_size_in_bits(&packed)),
        (Some(4), 4)
    );
    assert_eq!(byte_strides(&packed), None);
    assert_eq!(bytes(&make_tuple_shape([Shape::Token, Shape::Opaque]), Edition::Current), Some(16));
    assert_eq!(byte_size_of(&make_tuple_shape([Shape::Token]), 0, Edition::Current), None);
    assert_eq!(
        (bytes(&Shape::Token, Edition::Current), bytes(&Shape::Opaque, Edition::Current)),
        (Some(0), Some(8))
    );
    assert_eq!(bytes(&Shape::Opaque, Edition::V2017), None);
    assert_eq!(byte_size_of_primitive_type(C64), 8);
}

#[test]
fn the_buffer_size_knows_the_first_tile_only() {
    let tiled = |sizes: &[i64], tiles: &[&[i64]]| {
        let layout = tiles.iter().fold(Layout::descending(sizes.len()), |l, t| l.tiled(t.iter().copied()));
        ArrayShape::new(F32, sizes.iter().copied()).with_layout(layout)
    };
    assert_eq!(array_size(&tiled(&[10, 200], &[&[8, 128]])), Some(16384));
    assert_eq!(array_size(&tiled(&[5], &[&[2, 4]])), Some(64));
    assert_eq!(array_size(&tiled(&[2, 3], &[])), Some(24));
    let mut tail = tiled(&[5], &[&[2]]);
    tail.layout.as_mut().unwrap().tail_padding_alignment = 4;
    assert_eq!(array_size(&tail), Some(32));
    // A tile of 3 does not divide the 4 of the first: memory holds more than the buffer size says.
    let ragged = tiled(&[4], &[&[4], &[3]]);
    assert_eq!((array_size(&ragged), MemoryMap::new(&ragged).unwrap().bytes()), (Some(16), 24));
    let mut combined = tiled(&[2, 3], &[&[1, 2]]);
    combined.layout.as_mut().unwrap().tiles[0].0[0] = TileDim::Combine;
    assert_eq!(array_size(&combined), None);
}

#[test]
fn dimensions_are_added_at_either_end_of_memory() {
    let shape = array(&[10, 20, 30], &[0, 2, 1]);
    let of = |new: Option<ArrayShape>| parts(&new.unwrap());
    assert_eq!(of(append_major_dimension(&shape, 40)), (vec![10, 20, 30, 40], vec![0, 2, 1, 3]));
    assert_eq!(of(prepend_major_dimension(&shape, 40)), (vec![40, 10, 20, 30], vec![1, 3, 2, 0]));
    assert_eq!(of(append_minor_dimension(&shape, 40)), (vec![10, 20, 30, 40], vec![3, 0, 2, 1]));
    assert_eq!(of(insert_dimension_at_index(&shape, 1, 40)), (vec![10, 40, 20, 30], vec![0, 3, 2, 1]));
    let row_major = array(&[2, 3], &[1, 0]);
    for at in 0..3 {
        let inserted = insert_dimension_at_index(&row_major, at, 9).unwrap();
        assert!(layout_util::is_monotonic_with_dim0_major(inserted.layout.as_ref().unwrap()));
    }
    assert_eq!(insert_dimension_at_index(&shape, 4, 1), None);
}

#[test]
fn dimensions_are_removed_and_the_rest_keep_their_order() {
    let mut shape = array(&[2, 1, 4, 1], &[3, 0, 2, 1]);
    shape.dynamic =
        [Dynamic::Bounded, Dynamic::Static, Dynamic::Static, Dynamic::Static].into_iter().collect();
    let layout = shape.layout.as_mut().unwrap();
    layout.split_configs.push(SplitConfig { dimension: 1, indices: Dims::from_slice(&[2]) });
    let without = delete_dimension(&shape, 1).unwrap();
    assert_eq!(parts(&without), (vec![2, 4, 1], vec![2, 0, 1]));
    assert_eq!(
        (without.dynamic_of(0), without.layout.as_ref().unwrap().split_configs[0].dimension),
        (Dynamic::Bounded, 0)
    );
    assert_eq!(validate::array(&without), Ok(()));
    assert_eq!(delete_dimension(&shape, 4), None);
    assert_eq!(parts(&drop_degenerate_dimensions(&shape)), (vec![2, 4], vec![0, 1]));
    assert_eq!(parts(&filter_dimensions(&shape, |d| d == 2)), (vec![4], vec![0]));
    let mut padded = array(&[2], &[0]);
    padded.layout = padded.layout.map(|l| l.padded([3], PaddingValue::Zero));
    assert_eq!(delete_dimension(&padded, 0).unwrap().layout.unwrap().padding, None);
}

#[test]
fn permuting_dimensions_moves_no_element() {
    let shape = array(&[2, 3, 4], &[1, 2, 0]);
    let permuted = permute_dimensions(&shape, &[2, 0, 1]).unwrap();
    assert_eq!(parts(&permuted), (vec![4, 2, 3], vec![2, 0, 1]));
    let (from, to) = (MemoryMap::new(&shape).unwrap(), MemoryMap::new(&permuted).unwrap());
    assert_eq!(from.slot(&[1, 2, 3]), to.slot(&[3, 1, 2]));
    assert_eq!(permute_dimensions(&shape, &[0, 1]), None);
    assert_eq!(permute_dimensions(&shape, &[0, 1, 1]), None);
}

#[test]
fn indices_are_visited_in_layout_order() {
    let visited = |shape: &ArrayShape, base: &[i64], count: &[i64], step: &[i64]| {
        let mut seen = Vec::new();
        let done = for_each_index(shape, base, count, step, |index| {
            seen.push(index.to_vec());
            seen.len() < 4
        });
        (done, seen)
    };
    let column = array(&[3, 4], &[0, 1]);
    assert_eq!(
        visited(&column, &[0, 1], &[3, 2], &[2, 1]),
        (Some(false), vec![vec![0, 1], vec![2, 1], vec![0, 2], vec![2, 2]])
    );
    assert_eq!(visited(&column, &[1, 2], &[0, 2], &[1, 1]), (Some(true), vec![vec![1, 2], vec![1, 3]]));
    assert_eq!(visited(&array(&[], &[]), &[], &[], &[]), (Some(true), vec![vec![]]));
    assert_eq!(visited(&array(&[0, 4], &[0, 1]), &[0, 0], &[1, 1], &[1, 1]), (Some(true), vec![]));
    assert_eq!(visited(&column, &[0], &[1, 1], &[1, 1]).0, None);
    assert_eq!(visited(&column, &[0, 0], &[1, 1], &[0, 1]).0, None);
    assert_eq!(visited(&column, &[1, 0], &[i64::MAX, 1], &[1, 1]).0, None);
}

#[test]
fn tuples_are_walked_sliced_and_compared() {
    let tuple =
        make_tuple_shape([make_shape(F32, &[2]), make_tuple_shape([Shape::Token, make_shape(S4, &[3])])]);
    assert_eq!(get_subshape(&tuple, &[1, 0]), Some(&Shape::Token));
    assert_eq!((get_subshape(&tuple, &[0, 0]), get_subshape(&tuple, &[])), (None, Some(&tuple)));
    assert_eq!(
        [&[0][..], &[1], &[2]].map(|path| is_leaf_index(&tuple, path)),
        [Some(true), Some(false), None]
    );
    let mut paths = Vec::new();
    for_each_subshape(&tuple, |_, path| paths.push(path.to_vec()));
    assert_eq!(paths, [vec![], vec![0], vec![1], vec![1, 0], vec![1, 1]]);
    assert_eq!(
        (get_leaf_count(&tuple), get_leaf_count(&Shape::Token), get_leaf_count(&make_tuple_shape([]))),
        (3, 1, 0)
    );
    assert_eq!(slice_tuple(&tuple, 0, 1), Some(make_tuple_shape([make_shape(F32, &[2])])));
    assert_eq!(
        (slice_tuple(&tuple, 1, 3), slice_tuple(&tuple, 2, 1), slice_tuple(&Shape::Token, 0, 0)),
        (None, None, None)
    );
    let changed = change_element_type(&tuple, BF16, Edition::Current);
    assert_eq!(get_subshape(&changed, &[1, 1]), Some(&make_shape(BF16, &[3])));
}

#[test]
fn changing_the_type_unpacks_what_is_no_longer_narrow() {
    let mut packed = ArrayShape::new(S4, [7]);
    packed.layout.as_mut().unwrap().element_size_in_bits = 4;
    let bits = |t, edition| {
        let changed = change_element_type(&packed.clone().into(), t, edition);
        changed.as_array().unwrap().layout.as_ref().unwrap().element_size_in_bits
    };
    assert_eq!(
        [bits(S32, Edition::Current), bits(ElementType::U4, Edition::Current), bits(Pred, Edition::Current)],
        [0, 4, 0]
    );
    assert_eq!(bits(S32, Edition::V2017), 4);
}

#[test]
fn equality_compatibility_and_sizes_compare_less_and_less() {
    let [row, column]: [Shape; 2] = [array(&[2, 3], &[1, 0]).into(), array(&[2, 3], &[0, 1]).into()];
    assert!(equal(&row, &row, Edition::Current) && !equal(&row, &column, Edition::Current));
    assert!(compatible(&row, &column) && !compatible(&row, &make_shape(BF16, &[2, 3])));
    assert_eq!(same_dimensions(&row, &make_shape(BF16, &[2, 3])), Some(true));
    assert_eq!(same_dimensions(&row, &make_shape(F32, &[3, 2])), Some(false));
    assert_eq!(same_dimensions(&row, &Shape::Token), None);
    let scalar = |layout| Shape::Array(ArrayShape { layout, ..ArrayShape::new(F32, []) });
    let (bare, empty) = (scalar(None), scalar(Some(Layout::new([]))));
    assert!(equal(&bare, &empty, Edition::V2017) && !equal(&bare, &empty, Edition::Current));
    let mut bounded = array(&[2, 3], &[1, 0]);
    bounded.dynamic = [Dynamic::Bounded, Dynamic::Static].into_iter().collect();
    assert!(
        compatible(&row, &bounded.clone().into()) && !equal(&row, &bounded.clone().into(), Edition::Current)
    );
    (bounded.dynamic[0], bounded.dimensions[0]) = (Dynamic::Unbounded, ArrayShape::UNBOUNDED);
    assert!(compatible(&row, &bounded.into()));
    assert!(
        !compatible(&row, &make_tuple_shape([row.clone()])) && compatible(&Shape::Opaque, &Shape::Opaque)
    );
}

#[test]
fn shapes_and_programs_have_text() {
    let column: Shape = array(&[2, 3], &[0, 1]).into();
    assert_eq!(
        (human_string(&column), human_string_with_layout(&column)),
        ("f32[2,3]".into(), "f32[2,3]{0,1}".into())
    );
    let parameters = [("x", column.clone()), ("", make_shape(S32, &[]))];
    assert_eq!(human_string_of_program(&parameters, &column), "(x: f32[2,3], (unknown): s32[]) -> f32[2,3]");
    assert_eq!(human_string_of_program(&[], &make_tuple_shape([])), "() -> ()");
}
