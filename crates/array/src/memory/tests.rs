//! Worked examples of the documents, and edge cases.

use super::*;
use crate::{PaddingValue, Tile, TileDim};

fn map(dimensions: &[i64], layout: Layout) -> MemoryMap {
    MemoryMap::new(&shape(dimensions, layout)).unwrap()
}

fn shape(dimensions: &[i64], layout: Layout) -> ArrayShape {
    ArrayShape::new(ElementType::F32, dimensions.iter().copied()).with_layout(layout)
}

/// The memory of a 2x3 array `a b c / d e f`, padding as a dot.
fn letters(map: &MemoryMap) -> String {
    let letter = |slot| match map.contents(slot).unwrap() {
        SlotContents::Element(e) => ["abc", "def"][usize::try_from(e[0]).unwrap()]
            .chars()
            .nth(usize::try_from(e[1]).unwrap())
            .unwrap(),
        SlotContents::Padding(_) => '.',
    };
    (0..map.slot_count()).map(letter).collect()
}

#[test]
fn examples_of_xlas_documents_have_their_memory_order() {
    assert_eq!(letters(&map(&[2, 3], Layout::descending(2))), "abcdef");
    assert_eq!(letters(&map(&[2, 3], Layout::ascending(2))), "adbecf");
    let padded = map(&[2, 3], Layout::ascending(2).padded([3, 5], PaddingValue::Zero));
    assert_eq!(letters(&padded), "ad.be.cf.......");
    assert_eq!(&padded.strides().unwrap()[..], [1, 3]);
    assert_eq!((padded.slot_count(), padded.bytes(), padded.padding_slots()), (15, 60, 9));
    assert_eq!(padded.contents(2), Some(SlotContents::Padding(Some(Dims::from_slice(&[2, 0])))));
    assert_eq!(padded.slot(&[2, 4]), Some(14));
    assert_eq!(
        letters(&map(&[2, 3], Layout::descending(2).padded([3, 5], PaddingValue::Zero))),
        "abc..def......."
    );
    assert_eq!(letters(&map(&[2, 3], Layout::ascending(2).tiled([2, 2]))), "adbecf..");
}

#[test]
fn tables_do_not_change_slots() {
    let tiled = map(&[10, 200], Layout::descending(2).tiled([8, 128]));
    let before = tiled.slot(&[9, 199]);
    assert_eq!(before, Some(3271));
    assert_eq!(tiled.tables().unwrap()[1][199], 1024 + 71);
    assert_eq!(tiled.slot(&[9, 199]), before);
    let mut combined = Layout::descending(2);
    combined.tiles.push(Tile([TileDim::Combine, TileDim::Size(3)].into_iter().collect()));
    assert!(map(&[2, 3], combined).tables().is_none());
}

#[test]
fn out_of_bounds_indices_and_slots_are_none() {
    let map = map(&[3, 5], Layout::descending(2).tiled([2, 2]));
    for index in [&[0, 5][..], &[3, 0], &[-1, 0], &[0], &[0, 0, 0], &[i64::MAX, i64::MIN]] {
        assert_eq!(map.slot(index), None);
        assert!(map.levels(index).is_empty());
    }
    for slot in [-1, 24, i64::MIN, i64::MAX] {
        assert_eq!(map.contents(slot), None);
        assert_eq!(map.byte_address(slot), None);
        assert!(map.inverse_levels(slot).is_empty());
        assert_eq!(map.index_of(slot, &mut [0; 2]), SlotKind::UnindexedPadding);
    }
    assert_eq!(map.index_of(0, &mut [0]), SlotKind::UnindexedPadding);
}

#[test]
fn an_unbounded_dimension_has_no_memory_and_a_bounded_one_its_bound() {
    let mut shape = ArrayShape::new(ElementType::F32, [4, 3]);
    shape.dynamic = [Dynamic::Bounded, Dynamic::Static].into_iter().collect();
    assert_eq!(MemoryMap::new(&shape).unwrap().slot_count(), 12);
    shape.dynamic[0] = Dynamic::Unbounded;
    shape.dimensions[0] = ArrayShape::UNBOUNDED;
    let violation = MemoryMap::new(&shape).unwrap_err();
    assert_eq!((violation.rule, violation.part), ("memory-unbounded", ShapePart::Dimension(0)));
    assert!(violation.message.to_string().contains("dimension 0"));
}

#[test]
fn levels_show_each_tile_and_stop_at_padding() {
    let map = map(&[3, 5], Layout::descending(2).tiled([2, 2]));
    let levels = map.levels(&[2, 3]);
    assert_eq!((&levels[0].indices[..], &levels[1].sizes[..]), (&[2, 3][..], &[2, 3, 2, 2][..]));
    assert_eq!(&levels[1].indices[..], [1, 1, 0, 1]);
    let mut back = map.inverse_levels(17);
    back.reverse();
    assert_eq!(back, levels);
    let padding = map.inverse_levels(9);
    assert_eq!(padding.len(), 1);
    assert!(padding[0].is_padding());
    assert_eq!(
        (&padding[0].entering_indices[..], &padding[0].entering_sizes[..]),
        (&[0, 5][..], &[3, 5][..])
    );
}
