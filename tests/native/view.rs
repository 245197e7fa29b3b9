//! The pictures agree with the numbers: a pointer hits what is drawn there, colours and formulas are those of the
//! slot, and the phrase of a cell is complete.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use xla_playground::array::{ArrayShape, Dims, MemoryMap, SlotKind};
use xla_playground::i18n::Language;
use xla_playground::state::document::{ColourBy, ValueRule};
use xla_playground::view::array_view::ArrayView;
use xla_playground::view::axis_assignment::AxisAssignment;
use xla_playground::view::colour_map::ColourMap;
use xla_playground::view::formula::{Line, Words, backward, forward};
use xla_playground::view::grid::Grid;
use xla_playground::view::inspect::SlotProperties;
use xla_playground::view::strip::{MIN_READABLE_SLOT_SIDE, MIN_SLOT_SIDE, Strip};

fn view_of(array: &ArrayShape, values: &ValueRule, colour: ColourBy) -> ArrayView {
    ArrayView::new(array, values, colour, ColourMap::Viridis).expect("a valid array")
}

fn view(shape: &str, values: &ValueRule) -> ArrayView {
    let shape: xla_playground::array::Shape = shape.parse().unwrap();
    view_of(shape.as_array().unwrap(), values, ColourBy::Slot)
}

/// An index of these sizes, chosen by `at`; `None` if there is none.
fn index_of(sizes: &[i64], at: Index) -> Option<Dims> {
    let cells: i64 = sizes.iter().product();
    let number = at.index(usize::try_from(cells).ok().filter(|cells| *cells > 0)?);
    Some(xla_playground::array::index::multi_index(i64::try_from(number).unwrap(), sizes))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn the_grid_hits_the_cells_that_it_draws(
        sizes in crate::random::sizes(),
        axes in proptest::option::of((0_usize..6, 0_usize..6)),
        positions in vec(0_i64..4, 0..6),
        (width, height) in (120.0..1600.0_f64, 100.0..600.0_f64),
        moves in vec((0.3..3.0_f64, -900.0..900.0_f64, -900.0..900.0_f64), 0..6),
        (cells, points) in (vec(any::<Index>(), 24), vec((0.0..1.0_f64, 0.0..1.0_f64), 24)),
    ) {
        let positions: Vec<i64> =
            positions.iter().zip(&sizes).map(|(at, size)| (*at).min((size - 1).max(0))).collect();
        let mut grid = Grid::fitted(&sizes, AxisAssignment::new(&sizes, axes), &positions, width, height);
        for (factor, x, y) in moves {
            grid.zoom(factor, width / 2.0, grid.height / 3.0);
            grid.pan(x, y);
        }
        let shown = |d: usize| positions.get(d).copied().unwrap_or(0);
        for at in cells {
            let Some(mut index) = index_of(&sizes, at) else { break };
            for d in grid.assignment.sliders.clone() {
                index[d] = shown(d);
            }
            let rect = grid.rect(&index).expect("a cell of the shown part");
            let (x, y) = (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0);
            let corner = grid.corner(&index);
            let is_covered = x < corner.0 || y < corner.1;
            prop_assert_eq!(grid.hit(x, y), (!is_covered).then(|| index.clone()), "axes cover what is panned under them");
            if let Some(d) = grid.assignment.sliders.first().copied().filter(|d| sizes[*d] > 1) {
                index[d] = (shown(d) + 1) % sizes[d];
                prop_assert_eq!(grid.rect(&index), None, "a slider shows another index");
            }
            grid.reveal(&index_of(&sizes, at).unwrap());
        }
        for (x, y) in points {
            let (x, y) = (x * width, y * grid.height);
            if let Some(index) = grid.hit(x, y) {
                let rect = grid.rect(&index).expect("what is hit is drawn");
                prop_assert!(rect.grown(1e-6).contains(x, y), "({x}, {y}) is not in {rect:?}");
                prop_assert!(sizes.contains(&0) || index.iter().zip(&sizes).all(|(e, size)| (0..*size).contains(e)));
            }
        }
    }

    #[test]
    fn a_revealed_cell_is_inside_the_view(
        (rows, columns) in (1_i64..3_000, 1_i64..3_000),
        zoom in 1.0..4_000.0_f64,
        at in any::<Index>(),
    ) {
        let sizes = [rows, columns];
        let mut grid = Grid::fitted(&sizes, AxisAssignment::new(&sizes, None), &[], 800.0, 500.0);
        grid.zoom(zoom, 400.0, 250.0);
        let index = index_of(&sizes, at).unwrap();
        grid.reveal(&index);
        let rect = grid.rect(&index).unwrap();
        prop_assert!(rect.x >= -1e-6 && rect.x + rect.w <= grid.width + 1e-6, "{rect:?} in {}", grid.width);
        prop_assert!(rect.y >= -1e-6 && rect.y + rect.h <= grid.height + 1e-6, "{rect:?} in {}", grid.height);
    }

    #[test]
    fn the_strip_hits_the_slots_that_it_draws(
        array in crate::random::array(),
        width in 60.0..1600.0_f64,
        (line, least) in (select(vec![32_i64, 64, 128]), select(vec![MIN_READABLE_SLOT_SIDE, MIN_SLOT_SIDE])),
        (rows, first) in (1_i64..9, 0_i64..40),
        (slots, points) in (vec(any::<Index>(), 16), vec((0.0..1.0_f64, 0.0..1.0_f64), 16)),
    ) {
        let view = view_of(&array, &ValueRule::Letters, ColourBy::Slot);
        let cells = view.memory_map().slot_count();
        let strip = Strip::new(&view, width, least, line, rows, first);
        for at in slots {
            let Some(slot) = index_of(&[cells], at).map(|index| index[0]) else { break };
            let moved = Strip::new(&view, width, least, line, rows, strip.first_row_showing(slot));
            let rect = moved.rect(slot).expect("a revealed slot is drawn");
            prop_assert_eq!(moved.hit(rect.x + rect.w / 2.0, rect.y + rect.h / 2.0), Some(slot));
            prop_assert!(moved.visible_slots().contains(&slot));
            prop_assert!(rect.y + rect.h <= moved.height());
            prop_assert_eq!(strip.rect(slot).is_some(), strip.visible_slots().contains(&slot));
        }
        for (x, y) in points {
            let (x, y) = (x * width, y * strip.height());
            if let Some(slot) = strip.hit(x, y) {
                let rect = strip.rect(slot).expect("what is hit is drawn");
                // The gap to the next slot and the ruler below belong to the slot.
                prop_assert!(x >= rect.x - 1e-6 && y >= rect.y - 1e-6 && x <= rect.x + rect.w + 2.1);
                prop_assert!(strip.visible_slots().contains(&slot));
            }
        }
    }

    #[test]
    fn the_raster_has_the_colours_of_the_cells(
        array in crate::random::array(),
        (values, by_value) in (crate::random::values(), any::<bool>()),
        picks in vec(any::<Index>(), 12),
    ) {
        let colour = if by_value { ColourBy::Value } else { ColourBy::Slot };
        let view = view_of(&array, &values, colour);
        let sizes = array.dimensions.to_vec();
        let assignment = AxisAssignment::new(&sizes, None);
        let Some(base) = index_of(&sizes, picks[0]) else { return Ok(()) };
        let pick = |d: Option<usize>, from: usize| -> Vec<i64> {
            let Some(d) = d else { return vec![0] };
            picks[from..from + 6].iter().map(|at| index_of(&[sizes[d]], *at).unwrap()[0]).collect()
        };
        let (rows, columns) = (pick(assignment.rows, 0), pick(assignment.columns, 6));
        let rgba = view.raster(&base, (assignment.rows, &rows), (assignment.columns, &columns));
        prop_assert_eq!(rgba.len(), rows.len() * columns.len() * 4);
        let mut pixels = rgba.chunks_exact(4);
        for row in &rows {
            for column in &columns {
                let mut index = base.clone();
                for (d, e) in [(assignment.rows, row), (assignment.columns, column)] {
                    if let Some(d) = d {
                        index[d] = *e;
                    }
                }
                let [r, g, b] = view.colour(&index, view.memory_map().slot(&index).unwrap()).0;
                prop_assert_eq!(pixels.next().unwrap(), [r, g, b, 255], "{:?}", index);
            }
        }
    }

    #[test]
    fn formulas_evaluate_to_their_result(array in crate::random::array(), at in any::<Index>()) {
        let map = MemoryMap::new(&array).unwrap();
        let tiles = array.layout.as_ref().unwrap().tiles.to_vec();
        let Some(slot) = index_of(&[map.slot_count()], at).map(|index| index[0]) else { return Ok(()) };
        let mut index = Dims::from_elem(0, map.rank());
        let kind = map.index_of(slot, &mut index);
        if kind != SlotKind::UnindexedPadding {
            let lines = forward(&map, &tiles, &index, &words()).unwrap();
            let line = text_of(lines.last().unwrap());
            prop_assert_eq!(sum_and_result(&line), Some((slot, slot)), "{}", line);
            if map.strides().is_some() && map.rank() > 0 {
                prop_assert_eq!(factors(&line).iter().map(|f| f.0).collect::<Vec<_>>(), index.to_vec());
            }
        }
        let lines = backward(&map, &tiles, slot, &words());
        if kind == SlotKind::UnindexedPadding && map.inverse_levels(slot).is_empty() {
            // Tail alignment adds slots without an index.
            prop_assert_eq!(lines, None);
            return Ok(());
        }
        let lines = lines.unwrap();
        if let Some(strides) = map.strides() {
            for (d, line) in lines.iter().enumerate() {
                let (stride, size) = (strides[d], map.padded_sizes()[d]);
                let expected = format!("d{d} = ⌊{slot}/{stride}⌋ mod {size} = {}", slot / stride % size);
                prop_assert_eq!(text_of(line), expected);
                prop_assert_eq!(slot / stride % size, index[d]);
            }
        } else if kind == SlotKind::Element {
            // The inverse ends at the index in memory order, the formula starts with it.
            let there = forward(&map, &tiles, &index, &words()).unwrap();
            let mut physical: Vec<i64> = map.minor_to_major().iter().map(|d| index[*d]).collect();
            physical.reverse();
            let phrase = format!("({})", physical.iter().map(i64::to_string).collect::<Vec<_>>().join(", "));
            prop_assert!(text_of(&there[0]).contains(&phrase), "{} in {}", phrase, text_of(&there[0]));
            prop_assert!(lines.iter().any(|line| text_of(line).contains(&phrase)), "{phrase} in {lines:?}");
        }
        prop_assert_eq!(backward(&map, &tiles, map.slot_count(), &words()), None);
    }

    #[test]
    fn every_slot_has_a_report_whose_phrase_says_it(
        array in crate::random::array(),
        values in crate::random::values(),
        at in any::<Index>(),
    ) {
        let view = view_of(&array, &values, ColourBy::Slot);
        let map = view.memory_map();
        prop_assert_eq!(SlotProperties::new(&view, map.slot_count()), None);
        prop_assert_eq!(SlotProperties::new(&view, -1), None);
        let Some(slot) = index_of(&[map.slot_count()], at).map(|index| index[0]) else { return Ok(()) };
        let properties = SlotProperties::new(&view, slot).unwrap();
        prop_assert_eq!(properties.byte, slot * map.bits_per_slot() / 8);
        prop_assert_eq!(properties.last_byte, ((slot + 1) * map.bits_per_slot() - 1) / 8);
        prop_assert_eq!((properties.kind, &properties.index), {
            let (kind, index) = view.slot_content(slot);
            (kind, &if kind == SlotKind::UnindexedPadding { Dims::new() } else { index })
        });
        let english = properties.description().localize(Language::ENGLISH);
        prop_assert!(english.ends_with(&format!("slot {slot}")), "{english}");
        prop_assert_eq!(english.contains("padding"), properties.kind != SlotKind::Element, "{}", english);
        let value = properties.letter.as_ref().unwrap_or(&properties.value);
        if properties.kind == SlotKind::Element {
            prop_assert!(english.contains(&format!("value {value}")), "{english}");
        }
        if !properties.index.is_empty() {
            prop_assert!(english.starts_with(&format!("index {}", properties.index_text())), "{english}");
        }
        for language in Language::all().filter(|language| *language != Language::ENGLISH) {
            let phrase = properties.description().localize(language);
            prop_assert!(phrase.contains(&slot.to_string()) && phrase != english, "{phrase}");
        }
    }
}

#[test]
fn a_narrow_grid_stays_visible() {
    for sizes in [[100_000, 2], [2, 100_000], [3_000, 2], [1, 1_000_000], [1_000, 1_000]] {
        let fitted = Grid::fitted(&sizes, AxisAssignment::new(&sizes, None), &[], 800.0, 500.0);
        for grid in [fitted.zoomed_out(), fitted] {
            for size in sizes {
                #[allow(clippy::cast_precision_loss, reason = "small sizes")]
                let drawn = grid.cell * size as f64;
                assert!(drawn >= 8.0, "{sizes:?}: {drawn} pixels for {size}");
            }
        }
    }
}

fn words() -> Words {
    let [slot, index, stride, tile, physical, within] =
        ["slot", "index", "stride", "tile", "major to minor", "within"].map(str::to_owned);
    Words { slot, index, stride, tile, physical, within }
}

fn text_of(line: &Line) -> String {
    line.iter().map(|term| term.text.as_str()).collect()
}

/// The pairs of `slot = 1·3 + 2·1 = 5`.
fn factors(line: &str) -> Vec<(i64, i64)> {
    let sum = line.split("= ").nth(1).unwrap_or_default().trim();
    sum.split(" + ")
        .filter_map(|pair| pair.split_once('·'))
        .map(|(a, b)| (a.parse().unwrap(), b.parse().unwrap()))
        .collect()
}

/// The value of the sum on a line, and its stated result.
fn sum_and_result(line: &str) -> Option<(i64, i64)> {
    let result = line.rsplit("= ").next()?.trim().parse().ok()?;
    Some((factors(line).iter().map(|(a, b)| a * b).sum(), result))
}

#[test]
fn the_documents_cell_in_full() {
    let view = view("f32[2,3]{0,1} padded[3,5]=zero", &ValueRule::Letters);
    let phrase = |slot| SlotProperties::new(&view, slot).unwrap().description().to_string();
    assert_eq!(phrase(0), "index 0, 0, value a, slot 0");
    assert_eq!(phrase(2), "index 2, 0, padding, value 0, slot 2");
    assert_eq!(phrase(7), "index 1, 2, value f, slot 7");
    assert_eq!(phrase(14), "index 2, 4, padding, value 0, slot 14");
    let lines = forward(view.memory_map(), &[], &[1, 2], &words()).unwrap();
    assert_eq!(lines.iter().map(text_of).collect::<Vec<_>>(), ["slot = Σ index · stride", "= 1·1 + 2·3 = 7"]);
    let lines = backward(view.memory_map(), &[], 7, &words()).unwrap();
    let back: Vec<String> = lines.iter().map(text_of).collect();
    assert_eq!(back, ["d0 = ⌊7/1⌋ mod 3 = 1", "d1 = ⌊7/3⌋ mod 5 = 2"]);
    let colours: Vec<Option<usize>> = lines[1].iter().map(|term| term.dimension).collect();
    assert_eq!(colours, [Some(1), None, Some(1), None, Some(1), None, None]);
}

#[test]
fn phrases_of_unset_padding_tiles_and_scalars() {
    let phrase = |shape: &str, slot| {
        SlotProperties::new(&view(shape, &ValueRule::Iota), slot).unwrap().description().to_string()
    };
    assert_eq!(phrase("f32[2,3]{0,1} padded[3,5]", 2), "index 2, 0, padding, slot 2");
    assert_eq!(phrase("f32[2,3]{0,1} padded[3,5]=lowest", 2), "index 2, 0, padding, value -inf, slot 2");
    assert_eq!(phrase("f32[3,5]{1,0:T(2,2)}", 9), "tile padding, slot 9");
    assert_eq!(phrase("f32[3,5]{1,0:T(2,2)}", 17), "index 2, 3, value 13, slot 17");
    assert_eq!(phrase("f32[]", 0), "value 0, slot 0");
}
