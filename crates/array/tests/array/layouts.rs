//! The layouts of the specification: each case's strides, sizes and memory, in both directions.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use serde_json::Value;
use xla_array::{
    ArrayShape, Dims, ElementType, Layout, MemoryMap, PaddingValue, SlotContents, Tile, TileDim,
};

fn cases() -> Vec<Value> {
    include_str!("../../../../tests/data/layouts.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn numbers(value: &Value) -> Option<Dims> {
    value.as_array().map(|list| list.iter().map(|n| n.as_i64().unwrap()).collect())
}

/// The shape of a case, from its fields and not from its text.
fn shape(case: &Value) -> ArrayShape {
    let mut layout = Layout::new(numbers(&case["minor_to_major"]).unwrap());
    if let Some(padded) = numbers(&case["padded_dimensions"]) {
        let value = PaddingValue::from_word(case["padding_value"].as_str().unwrap()).unwrap();
        layout = layout.padded(padded, value);
    }
    for tile in case["tiles"].as_array().unwrap() {
        let size = |size: &Value| size.as_i64().map_or(TileDim::Combine, TileDim::Size);
        layout.tiles.push(Tile(tile.as_array().unwrap().iter().map(size).collect()));
    }
    layout.element_size_in_bits = case["element_size_in_bits"].as_i64().unwrap();
    layout.tail_padding_alignment = case["tail_padding_alignment"].as_i64().unwrap();
    let element_type = ElementType::from_name(case["element_type"].as_str().unwrap()).unwrap();
    ArrayShape::new(element_type, numbers(&case["dimensions"]).unwrap()).with_layout(layout)
}

fn map(name: &str) -> MemoryMap {
    let cases = cases();
    let case = cases.iter().find(|case| case["name"] == name).unwrap();
    MemoryMap::new(&shape(case)).unwrap()
}

fn plain(element_type: ElementType, sizes: &[i64], layout: Layout) -> MemoryMap {
    MemoryMap::new(&ArrayShape::new(element_type, sizes.iter().copied()).with_layout(layout)).unwrap()
}

#[test]
fn every_case_has_the_sizes_and_strides_of_the_specification() {
    let cases = cases();
    assert_eq!(cases.len(), 29);
    for case in &cases {
        let (name, map) = (&case["name"], MemoryMap::new(&shape(case)).unwrap());
        for (field, value) in [
            ("cells", map.slot_count()),
            ("elements", map.elements()),
            ("padding_cells", map.padding_slots()),
            ("bytes", map.bytes()),
        ] {
            assert_eq!(case[field], value, "{name}: {field}");
        }
        let extent = numbers(&case["physical_extent_major_to_minor"]).unwrap();
        assert_eq!(map.physical_sizes(), &extent[..], "{name}");
        assert_eq!(map.strides(), numbers(&case["strides"]), "{name}");
        assert_eq!(map.is_tiled(), case["strides"].is_null(), "{name}");
    }
}

#[test]
fn every_case_has_the_memory_of_the_specification() {
    let mut listed = 0;
    for case in cases() {
        let (name, map) = (&case["name"], MemoryMap::new(&shape(&case)).unwrap());
        // The large cases have no list: the number of elements is compared instead.
        let Some(memory) = case["memory"].as_array() else {
            let elements = (0..map.slot_count())
                .filter(|slot| matches!(map.contents(*slot), Some(SlotContents::Element(_))));
            assert_eq!(i64::try_from(elements.count()).unwrap(), map.elements(), "{name}");
            continue;
        };
        listed += 1;
        assert_eq!(i64::try_from(memory.len()).unwrap(), map.slot_count(), "{name}");
        for (slot, expected) in (0_i64..).zip(memory) {
            match (numbers(expected), map.contents(slot).unwrap()) {
                (Some(index), SlotContents::Element(found)) => {
                    assert_eq!(found, index, "{name}: slot {slot}");
                    assert_eq!(map.slot(&index), Some(slot), "{name}: {index:?}");
                }
                (None, SlotContents::Padding(index)) => {
                    assert_eq!(index.is_some(), !case["padded_dimensions"].is_null(), "{name}: slot {slot}");
                    if let Some(index) = index {
                        assert_eq!(map.slot(&index), Some(slot), "{name}: {index:?}");
                    }
                }
                (expected, found) => panic!("{name}: slot {slot} is {found:?}, not {expected:?}"),
            }
        }
    }
    assert_eq!(listed, 25);
}

#[test]
fn single_elements_have_the_slots_of_the_worked_examples() {
    type ElementSlots<'a> = &'a [(&'a [i64], i64)];
    let facts: &[(&str, ElementSlots)] = &[
        ("doc_tile_2x2", &[(&[2, 3], 17), (&[0, 4], 8), (&[1, 4], 10), (&[2, 0], 12)]),
        ("tile_2x2_column_major", &[(&[0, 4], 16), (&[1, 4], 17), (&[2, 3], 14), (&[2, 4], 20)]),
        ("doc_repeated_tile", &[(&[0, 7], 14), (&[1, 0], 1), (&[2, 4], 24), (&[3, 7], 31)]),
        (
            "tpu_bf16",
            &[
                (&[0, 1], 2),
                (&[1, 0], 1),
                (&[1, 1], 3),
                (&[2, 0], 256),
                (&[0, 127], 254),
                (&[0, 128], 1024),
                (&[8, 0], 2048),
            ],
        ),
        ("tpu_s8", &[(&[0, 1], 4), (&[1, 0], 1), (&[3, 0], 3), (&[4, 0], 512), (&[0, 128], 1024)]),
        ("tpu_f32", &[(&[9, 199], 3271)]),
        ("tile_rank_above_array_rank", &[(&[4], 8)]),
        ("doc_combine_five", &[(&[1, 6, 7, 10, 9], 12430)]),
    ];
    for (name, elements) in facts {
        let map = map(name);
        for (index, slot) in *elements {
            assert_eq!(map.slot(index), Some(*slot), "{name} {index:?}");
            assert_eq!(
                map.contents(*slot),
                Some(SlotContents::Element(Dims::from_slice(index))),
                "{name} {slot}"
            );
        }
    }
    let whole = plain(ElementType::F32, &[16, 256], Layout::descending(2).tiled([8, 128]));
    for (index, slot) in [([0, 127], 127), ([0, 128], 1024), ([1, 0], 128), ([8, 0], 2048), ([15, 255], 4095)]
    {
        assert_eq!(whole.slot(&index), Some(slot));
    }
}

#[test]
fn strides_extents_and_packed_sizes_are_those_of_the_worked_examples() {
    for (sizes, order, strides) in [
        (&[2, 3, 4][..], &[2, 1, 0][..], &[12, 4, 1][..]),
        (&[2, 3, 4], &[0, 1, 2], &[1, 2, 6]),
        (&[2, 3, 4], &[1, 2, 0], &[12, 1, 3]),
        (&[5, 8, 10, 4], &[3, 2, 1, 0], &[320, 40, 4, 1]),
    ] {
        let map = plain(ElementType::F32, sizes, Layout::new(order.iter().copied()));
        assert_eq!(&map.strides().unwrap()[..], strides);
        let bytes: Dims = strides.iter().map(|s| s * 4).collect();
        assert_eq!(map.byte_strides(), Some(bytes));
    }
    let padding: Vec<i64> = {
        let map = map("doc_tile_2x2");
        (0..24).filter(|slot| map.contents(*slot) == Some(SlotContents::Padding(None))).collect()
    };
    assert_eq!(padding, [9, 11, 14, 15, 18, 19, 21, 22, 23]);
    let packed = map("packed_s4");
    assert_eq!((packed.bytes(), packed.byte_address(5), packed.byte_strides()), (4, Some((2, 4)), None));
    let bytes = plain(ElementType::S4, &[7], Layout::descending(1));
    assert_eq!((bytes.bytes(), bytes.byte_address(5)), (7, Some((5, 0))));
    assert_eq!(map("tail_padding").tail_slots(), 2);
}
