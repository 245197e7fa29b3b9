//! Sizes and indices between an index and its slot, before the tiles and after each: the steps of the address formula.

use super::MemoryMap;
use super::tiling::{PhysicalSizes, Tiling};
use crate::Dims;
use crate::index::write_multi_index;

/// Sizes and indices of physical dimensions, major to minor, before any tile or after one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The position in `tiles` of the last tile applied; `None` before any tile.
    pub tile: Option<usize>,
    /// Sizes after the tile: uncovered dimensions, the tile grid, the tile.
    pub sizes: Dims,
    /// Indices within `sizes`.
    pub indices: Dims,
    /// Sizes that the tile divides, after prepending dimensions of size 1 and merging by `*`; empty before any tile.
    /// The last `tile_sizes.len()` of them are covered by the tile.
    pub entering_sizes: Dims,
    /// Indices within `entering_sizes`. Of a slot that is tile padding, one of them is out of range.
    pub entering_indices: Dims,
    /// The sizes of the tile without `*`; empty before any tile.
    pub tile_sizes: Dims,
}

impl Level {
    fn physical(sizes: &[i64], indices: &[i64]) -> Self {
        Self {
            tile: None,
            sizes: sizes.iter().copied().collect(),
            indices: indices.iter().copied().collect(),
            entering_sizes: Dims::new(),
            entering_indices: Dims::new(),
            tile_sizes: Dims::new(),
        }
    }

    fn tiled(tile: usize, tiling: &Tiling, indices: &[i64], merged_indices: &[i64]) -> Self {
        // The dimensions before those of the tile pass through it unchanged.
        let untouched = |dims: &[i64]| dims[..tiling.prefix].iter().copied().collect::<Dims>();
        let mut entering_sizes = untouched(&tiling.after);
        entering_sizes.extend(tiling.groups.iter().map(|g| g.merged_size));
        let mut entering_indices = untouched(indices);
        entering_indices.extend_from_slice(merged_indices);
        Self {
            tile: Some(tile),
            sizes: tiling.after.iter().copied().collect(),
            indices: indices.iter().copied().collect(),
            entering_sizes,
            entering_indices,
            tile_sizes: tiling.groups.iter().map(|g| g.tile_size).collect(),
        }
    }

    /// Whether the slot is padding of this tile: an index is outside the size that the tile divides.
    pub fn is_padding(&self) -> bool {
        self.entering_indices.iter().zip(&self.entering_sizes).any(|(x, size)| x >= size)
    }
}

impl MemoryMap {
    /// The steps from an index within the padded sizes to its slot: the physical dimensions, then the result of each
    /// tile. Empty if [`slot`](Self::slot) is `None`.
    pub fn levels(&self, index: &[i64]) -> Vec<Level> {
        if self.slot(index).is_none() {
            return Vec::new();
        }
        let mut current: PhysicalSizes = self.minor_to_major.iter().rev().map(|d| index[*d]).collect();
        let mut levels = vec![Level::physical(&self.physical_sizes_before_tiles, &current)];
        for (t, tiling) in self.tilings.iter().enumerate() {
            let (mut merged, mut after) =
                (PhysicalSizes::new(), PhysicalSizes::from_elem(0, tiling.after.len()));
            tiling.forward(&current, &mut after, |x| merged.push(x));
            current = after;
            levels.push(Level::tiled(t, tiling, &current, &merged));
        }
        levels
    }

    /// The steps from a slot back to its index: the last tile first, the physical dimensions last. For tile padding the
    /// list ends with the tile that adds it ([`Level::is_padding`]). Empty outside the array and in the padding by
    /// tail alignment.
    pub fn inverse_levels(&self, slot: i64) -> Vec<Level> {
        if !(0..self.slots_before_tail).contains(&slot) {
            return Vec::new();
        }
        let mut current = PhysicalSizes::from_elem(0, self.physical_sizes().len());
        write_multi_index(slot, self.physical_sizes(), &mut current);
        let mut levels = Vec::with_capacity(self.tilings.len() + 1);
        for (t, tiling) in self.tilings.iter().enumerate().rev() {
            let (mut merged, mut before) =
                (PhysicalSizes::new(), PhysicalSizes::from_elem(0, tiling.input_rank()));
            let is_element = tiling.backward(&current, &mut before, |x| merged.push(x));
            levels.push(Level::tiled(t, tiling, &current, &merged));
            if !is_element {
                return levels;
            }
            current = before;
        }
        levels.push(Level::physical(&self.physical_sizes_before_tiles, &current));
        levels
    }
}
