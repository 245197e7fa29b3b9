//! Literals in every kind of layout: relayout and back, conversion to and from bytes, elements by index and slot.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use proptest::prelude::*;
use xla_array::literal::{Equality, LiteralError, MAX_SLOTS};
use xla_array::{
    ArrayLiteral, ArrayShape, ElementType as T, Layout, Literal, PaddingValue, Shape, Tile, TileDim, Value,
};

/// Any layout of an array of these sizes: an order, and padding of 2017, or tiles and tail alignment.
fn layout(dimensions: &[i64]) -> impl Strategy<Value = Layout> + use<> {
    let rank = dimensions.len();
    let sizes = dimensions.to_vec();
    let order: Vec<i64> = (0..i64::try_from(rank).unwrap()).collect();
    let tile_size = prop_oneof![4 => (1_i64..4).prop_map(TileDim::Size), 1 => Just(TileDim::Combine)];
    let tile = (prop::collection::vec(tile_size, 0..3), 1_i64..4);
    (
        Just(order).prop_shuffle(),
        prop::collection::vec(0_i64..3, rank),
        0..PaddingValue::ALL.len(),
        prop::collection::vec(tile, 0..4),
        1_i64..4,
        any::<bool>(),
    )
        .prop_map(move |(order, extra, rule, tiles, tail, is_padded)| {
            let mut layout = Layout::new(order);
            if is_padded {
                let padded: Vec<i64> = sizes.iter().zip(&extra).map(|(size, more)| size + more).collect();
                return layout.padded(padded, PaddingValue::ALL[rule]);
            }
            for (outer, last) in tiles {
                // A `*` needs a more minor dimension, so the last entry is a size.
                layout.tiles.push(Tile(outer.into_iter().chain([TileDim::Size(last)]).collect()));
            }
            layout.tail_padding_alignment = tail;
            layout
        })
}

fn case() -> impl Strategy<Value = (T, Vec<i64>, Layout, Layout, u64)> {
    let dimensions = prop_oneof![
        4 => prop::collection::vec(0_i64..6, 0..5),
        1 => prop::collection::vec(17_i64..40, 2..3),
    ];
    (0..T::ALL.len(), dimensions, any::<u64>()).prop_flat_map(|(t, dimensions, seed)| {
        let layouts = (layout(&dimensions), layout(&dimensions));
        (Just(T::ALL[t]), Just(dimensions), layouts, Just(seed))
            .prop_map(|(t, dimensions, (a, b), seed)| (t, dimensions, a, b, seed))
    })
}

/// A different code in every element, as far as the type has them; NaNs with payloads among them.
fn codes(t: T, seed: u64) -> impl FnMut(i64, &[i64]) -> Value {
    move |number, _| {
        let mix = (u128::from(seed) << 64 | u128::from(number.unsigned_abs() + 1))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        Value::from_bits(t, mix ^ mix >> 61)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_layout_changes_the_slots_of_elements_only((t, dimensions, a, b, seed) in case()) {
        let plain = ArrayShape::new(t, dimensions.iter().copied());
        let logical = ArrayLiteral::from_fn(plain.clone(), codes(t, seed)).unwrap();
        let first = logical.relayout(a.clone()).unwrap();
        let second = first.relayout(b.clone()).unwrap();
        prop_assert!(first.equals(&logical, Equality::Bits));
        prop_assert!(second.equals(&logical, Equality::Bits));
        prop_assert_eq!(&second.relayout(a.clone()).unwrap(), &first);
        prop_assert_eq!(&second.relayout(Layout::descending(dimensions.len())).unwrap(), &logical);
        // Construction in a layout equals relayout to it.
        let made = ArrayLiteral::from_fn(plain.clone().with_layout(a.clone()), codes(t, seed)).unwrap();
        prop_assert_eq!(&made, &first);
        let from_values = ArrayLiteral::from_values(plain.with_layout(a), logical.values()).unwrap();
        prop_assert_eq!(&from_values, &first);
        prop_assert_eq!(first.to_string(), logical.to_string());

        // In memory order: every element once, and the padding rule's value in the other cells.
        let elements = second.cells().flatten().count();
        prop_assert_eq!(i64::try_from(elements).unwrap(), second.memory_map().elements());
        let rule = b.padding.map_or(PaddingValue::Zero, |padding| padding.value);
        let padding = Value::of_padding(rule, t).unwrap_or(Value::from_bits(t, 0));
        for (slot, cell) in second.cells().enumerate() {
            let held = second.at_slot(i64::try_from(slot).unwrap()).unwrap();
            prop_assert_eq!(held.to_bits(t), cell.unwrap_or(padding).to_bits(t));
        }
    }

    #[test]
    fn bytes_round_trip((t, dimensions, a, _, seed) in case(), extra in 0_i64..3) {
        let mut layout = a;
        // Packed cells, sometimes wider ones.
        layout.element_size_in_bits = if extra == 0 { 0 } else { i64::from(t.bits()) + extra - 1 };
        let shape = ArrayShape::new(t, dimensions).with_layout(layout);
        let literal = ArrayLiteral::from_fn(shape.clone(), codes(t, seed)).unwrap();
        let bytes = literal.to_bytes().unwrap();
        prop_assert_eq!(i64::try_from(bytes.len()).unwrap(), literal.memory_map().bytes());
        prop_assert_eq!(ArrayLiteral::from_bytes(shape, &bytes).unwrap(), literal);
    }
}

#[test]
fn packed_elements_start_at_the_low_bits() {
    let mut layout = Layout::descending(1);
    layout.element_size_in_bits = 4;
    let shape = ArrayShape::new(T::S4, [3]).with_layout(layout);
    let literal = ArrayLiteral::from_values(shape, [1, -1, 7].map(Value::Int)).unwrap();
    assert_eq!(literal.to_bytes().unwrap(), [0xF1, 0x07]);
    let mut bits = Layout::descending(1);
    bits.element_size_in_bits = 1;
    let shape = ArrayShape::new(T::Pred, [9]).with_layout(bits);
    let truths = (0..9).map(|i| Value::Pred(i % 2 == 0));
    assert_eq!(ArrayLiteral::from_values(shape, truths).unwrap().to_bytes().unwrap(), [0x55, 0x01]);
    let little = ArrayLiteral::from_slice([1], &[0x0102_0304_i32]).unwrap();
    assert_eq!(little.to_bytes().unwrap(), [4, 3, 2, 1]);
}

#[test]
fn elements_are_accessed_by_index_within_bounds_only() {
    let mut literal = ArrayLiteral::from_slice([2, 3], &[1_i32, 2, 3, 4, 5, 6])
        .unwrap()
        .relayout(Layout::ascending(2).padded([3, 5], PaddingValue::Highest))
        .unwrap();
    assert_eq!(literal.get(&[1, 2]), Some(Value::Int(6)));
    assert_eq!(literal.at_slot(2), Some(Value::Int(i32::MAX.into())));
    for outside in [&[2, 0][..], &[0, 3], &[-1, 0], &[0], &[0, 0, 0], &[]] {
        assert_eq!(literal.get(outside), None, "{outside:?}");
        assert_eq!(literal.set(outside, Value::Int(0)), None, "{outside:?}");
    }
    assert_eq!(literal.set(&[0, 1], Value::Float(9.9)), Some(()));
    assert_eq!(literal.to_string(), "{ { 1, 9, 3 }, { 4, 5, 6 } }");
    assert_eq!(literal.to_row_major::<i32>().unwrap().unwrap(), [1, 9, 3, 4, 5, 6]);
    assert_eq!(literal.to_row_major::<f32>().unwrap(), None);
    assert_eq!((literal.at_slot(-1), literal.at_slot(15)), (None, None));
    let empty = ArrayLiteral::from_slice::<f32>([0, 3], &[]).unwrap();
    assert_eq!((empty.values().count(), empty.cells().count()), (0, 0));
}

#[test]
fn invalid_literals_report_their_rule() {
    let rule = |result: Result<ArrayLiteral, LiteralError>| result.map_err(|e| e.rule).unwrap_err();
    let small = ArrayLiteral::from_slice([2], &[1.0_f32, 2.0]).unwrap();
    assert_eq!(rule(ArrayLiteral::from_slice([3], &[1.0_f32, 2.0])), "literal-count");
    let shape = ArrayShape::new(T::F32, [2]);
    assert_eq!(rule(ArrayLiteral::from_values(shape.clone(), [Value::Int(1); 3])), "literal-count");
    assert_eq!(rule(ArrayLiteral::zeros(ArrayShape::new(T::F32, [MAX_SLOTS + 1]))), "literal-size");
    assert_eq!(rule(ArrayLiteral::zeros(ArrayShape::new(T::F32, [i64::MAX, 2]))), "shape-3");
    assert_eq!(rule(small.relayout(Layout::descending(2))), "layout-2");
    assert_eq!(rule(small.relayout_to(ArrayShape::new(T::S32, [2]))), "literal-relayout");
    assert_eq!(rule(ArrayLiteral::from_bytes(shape.clone(), &[0; 7])), "literal-bytes");
    let mut narrow = Layout::descending(1);
    narrow.element_size_in_bits = 8;
    assert_eq!(rule(ArrayLiteral::from_bytes(shape.with_layout(narrow), &[0; 2])), "literal-cell-width");
    assert_eq!(Literal::zeros(&Shape::Opaque).unwrap_err().rule, "literal-shape");
}

#[test]
fn three_kinds_of_equality() {
    let of = |values: &[f32]| ArrayLiteral::from_slice([2], values).unwrap();
    let nan = f32::from_bits(0x7FC0_0001);
    let cases = [
        (of(&[1.0, 0.0]), of(&[1.0, -0.0]), [true, false, false]),
        (of(&[f32::NAN, 1.0]), of(&[nan, 1.0]), [false, true, false]),
        (of(&[nan, 1.0]), of(&[nan, 1.0]), [false, true, true]),
    ];
    for (a, b, expected) in cases {
        let got = [Equality::Ieee, Equality::Same, Equality::Bits].map(|equality| a.equals(&b, equality));
        assert_eq!(got, expected, "{a} {b}");
    }
    assert!(
        !of(&[1.0, 2.0]).equals(&ArrayLiteral::from_slice([2, 1], &[1.0_f32, 2.0]).unwrap(), Equality::Same)
    );
}

#[test]
fn tuples_are_relaid_element_by_element() {
    let matrix = |layout| Shape::Array(ArrayShape::new(T::S8, [2, 2]).with_layout(layout));
    let from = Shape::tuple([matrix(Layout::descending(2)), Shape::Token]);
    let to = Shape::tuple([matrix(Layout::ascending(2)), Shape::Token]);
    let literal = xla_array::literal::parse::parse("({{1, 2}, {3, 4}}, token)", &from).ok().unwrap();
    let moved = literal.relayout_to(&to).unwrap();
    assert_eq!(moved.shape(), to);
    assert!(moved.equals(&literal, Equality::Bits) && moved != literal);
    let cells = moved.as_tuple().unwrap()[0].as_array().unwrap().as_slice::<i8>().unwrap().to_vec();
    assert_eq!(cells, [1, 3, 2, 4]);
    assert_eq!(literal.relayout_to(&Shape::Token).unwrap_err().rule, "literal-relayout");
}
