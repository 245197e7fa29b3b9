//! Costs one can count by hand, and shortcuts against brute force.

use std::collections::BTreeSet;

use super::*;
use crate::{ArrayShape, ElementType, Layout, PaddingValue, Tile, TileDim};

fn map(element_type: ElementType, sizes: &[i64], layout: Layout) -> MemoryMap {
    MemoryMap::new(&ArrayShape::new(element_type, sizes.iter().copied()).with_layout(layout)).unwrap()
}

fn combined(sizes: &[TileDim], rank: usize) -> Layout {
    let mut layout = Layout::descending(rank);
    layout.tiles.push(Tile(sizes.iter().copied().collect()));
    layout
}

/// Layouts of every kind: orders, padding, nested tiles that are not monotone, `*`, packing, tail alignment.
fn all_kinds() -> Vec<MemoryMap> {
    let mut irregular = Layout::new([1, 0, 2]).tiled([2, 3]).tiled([3, 2]);
    irregular.element_size_in_bits = 5;
    irregular.tail_padding_alignment = 7;
    let mut packed = Layout::ascending(2);
    packed.element_size_in_bits = 4;
    vec![
        map(ElementType::F32, &[20, 30], Layout::descending(2)),
        map(ElementType::F32, &[20, 30], Layout::ascending(2)),
        map(ElementType::F64, &[3, 5, 9], Layout::new([1, 2, 0]).padded([4, 5, 11], PaddingValue::Zero)),
        map(ElementType::BF16, &[10, 40], Layout::descending(2).tiled([4, 8]).tiled([2, 1])),
        map(ElementType::S8, &[3, 11, 7], irregular),
        map(ElementType::S4, &[9, 21], packed),
        map(
            ElementType::F32,
            &[3, 4, 10],
            combined(&[TileDim::Combine, TileDim::Size(2), TileDim::Size(3)], 3),
        ),
        map(ElementType::C128, &[37], Layout::descending(1).tiled([4]).tiled([2, 2])),
        map(ElementType::F32, &[], Layout::descending(0)),
        map(ElementType::F32, &[0, 3], Layout::descending(2)),
    ]
}

/// The lines of a walk, as a set of the bytes' lines.
fn walk_by_bits(map: &MemoryMap, line_bytes: i64, d: usize, through: &[i64]) -> i64 {
    let mut lines = BTreeSet::new();
    let mut index = through.to_vec();
    for e in 0..map.sizes()[d] {
        index[d] = e;
        let slot = map.slot(&index).unwrap();
        lines.extend(
            (0..map.bits_per_slot()).map(|bit| (slot * map.bits_per_slot() + bit) / (line_bytes * 8)),
        );
    }
    i64::try_from(lines.len()).unwrap()
}

#[test]
fn a_row_touches_few_lines_and_a_column_one_per_element() {
    let row_major = map(ElementType::F32, &[100, 32], Layout::descending(2));
    let lines = CacheLines::new(&row_major, 64).unwrap();
    assert_eq!((lines.total(), lines.walk(1, &[7, 0]), lines.walk(0, &[0, 5])), (200, Some(2), Some(100)));
    assert_eq!(lines.average(1), Some(Walks { walks: 100, lines: 200, min_lines: 2 }));
    assert_eq!(lines.average(0).unwrap().mean(), Some(100.0));
    assert_eq!(
        (lines.lines_of_slot(15), lines.lines_of_slot(16), lines.lines_of_slot(3200)),
        (Some((0, 0)), Some((1, 1)), None)
    );
}

#[test]
fn averages_and_walks_agree_with_counting_bit_by_bit() {
    for map in all_kinds() {
        for line_bytes in [1, 3, 16, 64, 100] {
            let lines = CacheLines::new(&map, line_bytes).unwrap();
            for d in 0..map.rank() {
                let mut sum = (0, 0);
                let mut starts: Dims = map.sizes().iter().copied().collect();
                starts[d] = 1;
                let mut indices = Indices::row_major(&starts);
                while let Some(index) = indices.advance() {
                    let expected = walk_by_bits(&map, line_bytes, d, index);
                    assert_eq!(lines.walk(d, index), Some(expected), "{map:?} {line_bytes} {d} {index:?}");
                    sum = (sum.0 + 1, sum.1 + expected);
                }
                let average = lines.average(d).unwrap();
                assert_eq!((average.walks, average.lines), sum, "{map:?} {line_bytes} {d}");
                assert!(average.lines >= average.walks * average.min_lines);
            }
        }
    }
}

#[test]
fn sixteen_million_elements_are_averaged_by_their_sizes() {
    let large = map(ElementType::F32, &[4096, 4096], Layout::descending(2).tiled([8, 128]));
    let lines = CacheLines::new(&large, 64).unwrap();
    assert_eq!(lines.average(1), Some(Walks { walks: 4096, lines: 4096 * 256, min_lines: 256 }));
    assert_eq!(lines.average(0), Some(Walks { walks: 4096, lines: 4096 * 4096, min_lines: 256 }));
}

#[test]
fn walks_along_long_dimensions_have_a_closed_form() {
    let line = map(ElementType::U8, &[1 << 26], Layout::descending(1));
    assert_eq!(CacheLines::new(&line, 64).unwrap().walk(0, &[0]), Some(1 << 20));
    let column = map(ElementType::F32, &[1 << 20, 33], Layout::descending(2));
    assert_eq!(CacheLines::new(&column, 64).unwrap().walk(0, &[0, 5]), Some(1 << 20));
    // A complex number of 16 bytes in lines of 3 bytes: some neighbours would share a line, were they adjacent.
    let wide = map(ElementType::C128, &[1_000, 2], Layout::descending(2));
    let lines = CacheLines::new(&wide, 3).unwrap();
    assert_eq!(lines.walk(0, &[0, 1]), Some(walk_by_bits(&wide, 3, 0, &[0, 1])));
    let tiled = map(ElementType::U8, &[1 << 26], Layout::descending(1).tiled([1024]));
    assert_eq!(CacheLines::new(&tiled, 64).unwrap().walk(0, &[0]), None);
}

#[test]
fn invalid_dimensions_and_indices_are_none() {
    let map = map(ElementType::F32, &[2, 3], Layout::descending(2));
    assert!(
        CacheLines::new(&map, 0).is_none() && CacheLines::new(&map, CacheLines::MAX_LINE_BYTES + 1).is_none()
    );
    let lines = CacheLines::new(&map, 64).unwrap();
    assert_eq!((lines.walk(2, &[0, 0]), lines.walk(0, &[0, 3]), lines.walk(0, &[0])), (None, None, None));
    assert_eq!(lines.average(2), None);
}

#[test]
fn padding_waste_excludes_elements() {
    let tiled = map(ElementType::F32, &[10, 200], Layout::descending(2).tiled([8, 128]));
    assert_eq!(padding_waste(&tiled), PaddingWaste { padding_slots: 2096, slots: 4096, excess_bytes: 8384 });
    let plain = map(ElementType::F32, &[10, 200], Layout::descending(2));
    assert_eq!(padding_waste(&plain), PaddingWaste { padding_slots: 0, slots: 2000, excess_bytes: 0 });
}

#[test]
fn moved_elements_are_counted_in_steps_of_any_size() {
    let kinds = all_kinds();
    let mut compared = 0;
    for from in &kinds {
        for to in kinds.iter().filter(|to| to.sizes() == from.sizes()) {
            let mut expected = 0;
            let mut indices = Indices::row_major(from.sizes());
            while let Some(index) = indices.advance() {
                expected += i64::from(from.slot(index) != to.slot(index));
            }
            for budget in [1, 7, i64::MAX] {
                let mut count = MoveCount::new(from, to).unwrap();
                while !count.step(budget) {
                    assert!(count.done() < count.total());
                }
                assert_eq!((count.moved(), count.done()), (expected, from.elements()));
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 36);
    let (row, column) = (&kinds[0], &kinds[1]);
    let mut count = MoveCount::new(row, column).unwrap();
    assert!(!count.step(0) && !count.step(-5) && count.done() == 0);
    count.step(i64::MAX);
    // In 20x30 the elements (0,0) and (19,29) stay; others where 30y+x = y+20x, that is 29y = 19x.
    assert_eq!((count.moved(), count.bytes_moved()), (598, 2392));
    assert!(MoveCount::new(row, &kinds[3]).is_none());
}

#[test]
fn star_tiles_are_compared_by_their_slots() {
    let star = map(
        ElementType::F32,
        &[3, 4, 10],
        combined(&[TileDim::Combine, TileDim::Size(2), TileDim::Size(3)], 3),
    );
    let plain = map(ElementType::F32, &[3, 4, 10], Layout::descending(3));
    let mut count = MoveCount::new(&star, &plain).unwrap();
    while !count.step(11) {}
    let stays = (0..120).filter(|slot| plain.contents(*slot) == star.contents(*slot)).count();
    assert_eq!(count.moved(), 120 - i64::try_from(stays).unwrap());
}
