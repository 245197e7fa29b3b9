//! Index ↔ memory for random layouts: a bijection onto the slots that are not padding, and the same memory as an
//! oracle that rearranges the array cell by cell instead of computing slots.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;
use xla_array::memory::Level;
use xla_array::{
    ArrayShape, Dims, ElementType, Layout, MemoryMap, PaddingValue, SlotContents, SlotKind, Tile, TileDim,
};

/// Maximum number of slots of an array: the oracle visits every cell of every intermediate array.
const MAX_CELLS: i64 = 300;

fn sizes() -> impl Strategy<Value = Vec<i64>> {
    // Small sizes at high ranks, 0 and 1 among them.
    (0..=6_usize).prop_flat_map(|rank| {
        let most = [1_i64, 30, 9, 5, 4, 3, 2][rank];
        vec(prop_oneof![1 => Just(0), 3 => Just(1), 16 => 1..=most], rank)
    })
}

fn tile() -> impl Strategy<Value = Tile> {
    let size = prop_oneof![1 => Just(TileDim::Combine), 4 => (1_i64..=5).prop_map(TileDim::Size)];
    (vec(size, 0..=3), 1_i64..=5)
        .prop_map(|(sizes, last)| Tile(sizes.into_iter().chain([TileDim::Size(last)]).collect()))
}

/// An array with padding of 2017, or with up to three tiles, or with neither; tail alignment in all of them.
fn shapes() -> impl Strategy<Value = ArrayShape> {
    let more = prop_oneof![
        1 => vec(0_i64..=2, 6).prop_map(|by| (by, Vec::new())),
        3 => vec(tile(), 0..=3).prop_map(|tiles| (Vec::new(), tiles)),
    ];
    let tail = prop_oneof![3 => Just(1_i64), 1 => 2_i64..=9];
    let order = |sizes: Vec<i64>| {
        let order: Vec<i64> = (0..).take(sizes.len()).collect();
        (Just(sizes), Just(order).prop_shuffle())
    };
    (sizes().prop_flat_map(order), more, tail).prop_map(|((sizes, order), (by, tiles), tail)| {
        let mut layout = Layout::new(order);
        if !by.is_empty() {
            layout = layout.padded(sizes.iter().zip(by).map(|(size, by)| size + by), PaddingValue::Zero);
        }
        layout.tiles = tiles.into_iter().collect();
        layout.tail_padding_alignment = tail;
        ArrayShape::new(ElementType::F32, sizes).with_layout(layout)
    })
}

/// Every index within `sizes`, the last dimension fastest.
fn indices(sizes: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for &size in sizes {
        all = all.iter().flat_map(|head| (0..size).map(move |e| [&head[..], &[e]].concat())).collect();
    }
    all
}

/// A dense row-major array of element indices; padding has none.
struct Dense {
    sizes: Vec<i64>,
    cells: Vec<Option<Vec<i64>>>,
}

impl Dense {
    /// An array of `sizes` whose cell at each index is the cell of this one at `from(index)`; padding if that is out of
    /// bounds.
    fn gather(&self, sizes: Vec<i64>, from: impl Fn(&[i64]) -> Vec<i64>) -> Self {
        let cells = indices(&sizes)
            .iter()
            .map(|index| {
                let source = from(index);
                let inside = source.iter().zip(&self.sizes).all(|(e, size)| e < size);
                let number = source.iter().zip(&self.sizes).fold(0, |n, (e, size)| n * size + e);
                inside.then(|| self.cells[usize::try_from(number).unwrap()].clone()).flatten()
            })
            .collect();
        Self { sizes, cells }
    }
}

/// The memory of the array as the documents describe it: transpose to physical order, then for each tile reshape
/// away the `*`, pad to whole tiles and move the tiles' insides to the end.
fn oracle(shape: &ArrayShape) -> Vec<Option<Vec<i64>>> {
    let layout = shape.layout.as_ref().unwrap();
    let logical = Dense {
        sizes: shape.dimensions.to_vec(),
        cells: indices(&shape.dimensions).into_iter().map(Some).collect(),
    };
    let padded = layout.padding.as_ref().map_or(&shape.dimensions, |p| &p.dimensions);
    let major_to_minor: Vec<usize> =
        layout.minor_to_major.iter().rev().map(|d| usize::try_from(*d).unwrap()).collect();
    let mut dense = logical.gather(major_to_minor.iter().map(|d| padded[*d]).collect(), |physical| {
        let mut index = vec![0; physical.len()];
        for (x, d) in physical.iter().zip(&major_to_minor) {
            index[*d] = *x;
        }
        index
    });
    for tile in &layout.tiles {
        // Reshapes of a dense row-major array move no cell.
        while dense.sizes.len() < tile.0.len() {
            dense.sizes.insert(0, 1);
        }
        let first = dense.sizes.len() - tile.0.len();
        let mut tile = tile.0.to_vec();
        while let Some(i) = tile.iter().position(|t| *t == TileDim::Combine) {
            tile.remove(i);
            let merged = dense.sizes.remove(first + i);
            dense.sizes[first + i] *= merged;
        }
        let tile: Vec<i64> =
            tile.iter().map(|t| if let TileDim::Size(size) = t { *size } else { unreachable!() }).collect();
        let counts = tile.iter().zip(&dense.sizes[first..]).map(|(t, s)| s.div_euclid(*t) + (s % t).signum());
        let sizes = dense.sizes[..first].iter().copied().chain(counts).chain(tile.iter().copied()).collect();
        dense = dense.gather(sizes, |index| {
            let mut source = index[..first + tile.len()].to_vec();
            for (i, t) in tile.iter().enumerate() {
                source[first + i] = source[first + i] * t + index[first + tile.len() + i];
            }
            source
        });
    }
    let mut cells = dense.cells;
    while i64::try_from(cells.len()).unwrap() % layout.tail_padding_alignment != 0 {
        cells.push(None);
    }
    cells
}

fn check(shape: &ArrayShape, map: &MemoryMap) -> Result<(), TestCaseError> {
    let memory = oracle(shape);
    prop_assert_eq!(i64::try_from(memory.len()).unwrap(), map.slot_count());
    let mut elements = 0;
    let mut out = [0; 6];
    for (slot, expected) in (0_i64..).zip(&memory) {
        let kind = map.index_of(slot, &mut out);
        let index = &out[..map.rank()];
        prop_assert_eq!(kind == SlotKind::Element, expected.is_some());
        if let Some(expected) = expected {
            prop_assert_eq!(index, &expected[..]);
            elements += 1;
        }
        let named = kind != SlotKind::UnindexedPadding;
        if named {
            prop_assert_eq!(map.slot(index), Some(slot));
        }
        let cell = match kind {
            SlotKind::Element => SlotContents::Element(Dims::from_slice(index)),
            SlotKind::IndexedPadding => SlotContents::Padding(Some(Dims::from_slice(index))),
            SlotKind::UnindexedPadding => SlotContents::Padding(None),
        };
        prop_assert_eq!(map.contents(slot), Some(cell));
        let back = map.inverse_levels(slot);
        if named {
            let mut forth = map.levels(index);
            forth.reverse();
            prop_assert_eq!(back, forth);
        } else {
            prop_assert!(back.last().is_none_or(Level::is_padding));
        }
    }
    prop_assert_eq!(elements, map.elements());
    prop_assert_eq!(map.slot_count() - elements, map.padding_slots());
    Ok(())
}

/// Slots as sums of table entries, for every index the tables reach.
fn check_tables(shape: &ArrayShape, map: &MemoryMap) -> Result<(), TestCaseError> {
    let slots: Vec<_> = indices(map.padded_sizes()).iter().map(|index| map.slot(index).unwrap()).collect();
    let merges = shape.layout.iter().flat_map(|l| &l.tiles).any(|t| t.0.contains(&TileDim::Combine));
    prop_assert_eq!(map.tables().is_none(), merges);
    let Some(tables) = map.tables() else { return Ok(()) };
    for (index, slot) in indices(map.padded_sizes()).iter().zip(slots) {
        let sum: i64 = tables.iter().zip(index).map(|(t, e)| t[usize::try_from(*e).unwrap()]).sum();
        prop_assert_eq!((sum, map.slot(index)), (slot, Some(slot)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(Config { cases: 10_000, max_global_rejects: 100_000, failure_persistence: None, ..Config::default() })]

    #[test]
    fn index_and_memory_are_inverse_and_agree_with_the_oracle(shape in shapes()) {
        let map = MemoryMap::new(&shape).map_err(|v| TestCaseError::fail(v.to_string()))?;
        prop_assume!(map.slot_count() <= MAX_CELLS);
        check(&shape, &map)?;
        check_tables(&shape, &map)?;
    }
}
