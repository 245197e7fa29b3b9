//! The states between an index and its slot, one before the tiles and one after each: what the formula shows.

use super::MemoryMap;
use super::tiling::{State, Step};
use crate::Dims;
use crate::index::write_index_of;

/// Sizes and indices of memory, both major to minor, after some number of tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The tile that led here; `None` for the physical dimensions before any tile.
    pub tile: Option<usize>,
    /// Sizes after the tile: what it left alone, the tile counts, the inside of the tile.
    pub sizes: Dims,
    /// Indices within `sizes`.
    pub indices: Dims,
    /// Sizes as the tile meets them, after dimensions of size 1 were put in front and `*` merged others; empty
    /// before any tile. The last `tile_sizes.len()` of them are divided.
    pub entering_sizes: Dims,
    /// Indices within `entering_sizes`; on the way back one of them may lie outside: then the slot is padding.
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

    fn tiled(tile: usize, step: &Step, indices: &[i64], merged: &[i64]) -> Self {
        // The dimensions in front of the tile pass through it unchanged.
        let untouched = |of: &[i64]| of[..step.prefix].iter().copied().collect::<Dims>();
        let mut entering_sizes = untouched(&step.after);
        entering_sizes.extend(step.groups.iter().map(|g| g.merged));
        let mut entering_indices = untouched(indices);
        entering_indices.extend_from_slice(merged);
        Self {
            tile: Some(tile),
            sizes: step.after.iter().copied().collect(),
            indices: indices.iter().copied().collect(),
            entering_sizes,
            entering_indices,
            tile_sizes: step.groups.iter().map(|g| g.tile).collect(),
        }
    }

    /// Whether the tile made this cell: an index lies outside the size the tile met.
    pub fn is_padding(&self) -> bool {
        self.entering_indices.iter().zip(&self.entering_sizes).any(|(x, size)| x >= size)
    }
}

impl MemoryMap {
    /// The way from an index within the padded sizes to its slot: the physical dimensions first, then the state
    /// after each tile. Empty where [`slot`](Self::slot) is `None`.
    pub fn levels(&self, index: &[i64]) -> Vec<Level> {
        if self.slot(index).is_none() {
            return Vec::new();
        }
        let mut state: State = self.minor_to_major.iter().rev().map(|d| index[*d]).collect();
        let mut levels = vec![Level::physical(&self.physical, &state)];
        for (t, step) in self.steps.iter().enumerate() {
            let (mut merged, mut after) = (State::new(), State::from_elem(0, step.after.len()));
            step.forward(&state, &mut after, |x| merged.push(x));
            state = after;
            levels.push(Level::tiled(t, step, &state, &merged));
        }
        levels
    }

    /// The way back from a slot: the state after the last tile first, the physical dimensions last. Where a tile
    /// made the cell the list ends with that tile ([`Level::is_padding`]). Empty outside the array and in the
    /// cells that tail alignment added.
    pub fn inverse_levels(&self, slot: i64) -> Vec<Level> {
        if !(0..self.cells_before_tail).contains(&slot) {
            return Vec::new();
        }
        let mut state = State::from_elem(0, self.physical_extent().len());
        write_index_of(slot, self.physical_extent(), &mut state);
        let mut levels = Vec::with_capacity(self.steps.len() + 1);
        for (t, step) in self.steps.iter().enumerate().rev() {
            let (mut merged, mut before) = (State::new(), State::from_elem(0, step.entering()));
            let inside = step.backward(&state, &mut before, |x| merged.push(x));
            levels.push(Level::tiled(t, step, &state, &merged));
            if !inside {
                return levels;
            }
            state = before;
        }
        levels.push(Level::physical(&self.physical, &state));
        levels
    }
}
