//! One tile applied to physical dimensions: `forward` maps an index towards the slot, `backward` a slot towards the index.
//!
//! Invariant: every product of non-zero sizes fits an `i64`; [`Tiling::new`] rejects the rest, so that its other methods
//! need no checked arithmetic. The format is XLA's "Tiled layout" (<https://openxla.org/xla/tiled_layout>). [`super`]
//! applies the tiles one after another.

use smallvec::SmallVec;

use crate::index::div_rem;
use crate::{Tile, TileDim};

/// Sizes or indices of physical dimensions, major to minor; not on the heap for a matrix with up to four tiles.
pub(super) type PhysicalSizes = SmallVec<[i64; 16]>;

/// The non-zero `(dimension, index)` pairs of an index, by dimension.
pub(super) type SparseIndex = SmallVec<[(usize, i64); 8]>;

/// One tile dimension and the run of physical dimensions that it covers.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// It covers the dimensions `first..first + count`; all but the last have a `*` in the tile.
    first: usize,
    count: usize,
    /// The product of their sizes, the size of the dimension they are merged into.
    pub(super) merged_size: i64,
    pub(super) tile_size: i64,
    /// The number of tiles: `ceil(merged_size / tile_size)`.
    grid_size: i64,
}

/// A tile applied to a list of physical sizes.
#[derive(Clone, Debug)]
pub(super) struct Tiling {
    /// The number of dimensions of size 1 prepended because the tile has more dimensions than the list.
    prepended: usize,
    /// The number of leading dimensions that the tile does not cover.
    pub(super) prefix: usize,
    /// The sizes it is applied to, including prepended ones.
    before: PhysicalSizes,
    /// One per size of the tile, major to minor.
    pub(super) groups: SmallVec<[Group; 4]>,
    /// The resulting sizes: prefix, tile grid, tile.
    pub(super) after: PhysicalSizes,
}

impl Tiling {
    /// Applies `tile` to `sizes`. `None` if the product of the resulting sizes overflows, or if the tile is invalid
    /// (`*` last, a size below 1).
    pub(super) fn new(tile: &Tile, sizes: &[i64]) -> Option<Self> {
        let prepended = tile.0.len().saturating_sub(sizes.len());
        let before: PhysicalSizes = std::iter::repeat_n(1, prepended).chain(sizes.iter().copied()).collect();
        let prefix = before.len() - tile.0.len();
        let mut groups = SmallVec::new();
        let mut first = prefix;
        for (position, size) in tile.0.iter().enumerate() {
            let TileDim::Size(tile_size) = *size else { continue };
            let end = prefix + position + 1;
            let merged_size = before[first..end].iter().try_fold(1_i64, |a, b| a.checked_mul(*b))?;
            let grid_size = if tile_size > 0 {
                merged_size.checked_add(tile_size - 1)? / tile_size
            } else {
                return None;
            };
            groups.push(Group { first, count: end - first, merged_size, tile_size, grid_size });
            first = end;
        }
        if first != before.len() {
            return None;
        }
        let grid = groups.iter().map(|g: &Group| g.grid_size);
        let tile_sizes = groups.iter().map(|g| g.tile_size);
        let after: PhysicalSizes = before[..prefix].iter().copied().chain(grid).chain(tile_sizes).collect();
        after.iter().filter(|s| **s != 0).try_fold(1_i64, |a, b| a.checked_mul(*b))?;
        Some(Self { prepended, prefix, before, groups, after })
    }

    /// Whether a `*` merges dimensions: the slot is then not separable.
    pub(super) fn merges_dimensions(&self) -> bool {
        self.groups.iter().any(|g| g.count > 1)
    }

    /// Writes the indices after the tile to the front of `after`. `on_merged_index` receives the index of each group
    /// before it is divided by the tile size.
    pub(super) fn forward(&self, before: &[i64], after: &mut [i64], mut on_merged_index: impl FnMut(i64)) {
        // Prepended dimensions have index 0.
        let before_at = |d: usize| if d < self.prepended { 0 } else { before[d - self.prepended] };
        for (d, i) in after[..self.prefix].iter_mut().enumerate() {
            *i = before_at(d);
        }
        let (grid, within) = after[self.prefix..].split_at_mut(self.groups.len());
        for ((group, tile), offset) in self.groups.iter().zip(grid).zip(within) {
            let mut index = before_at(group.first);
            for d in group.first + 1..group.first + group.count {
                index = index * self.before[d] + before_at(d);
            }
            on_merged_index(index);
            (*tile, *offset) = div_rem(index, group.tile_size);
        }
    }

    /// Like [`forward`](Self::forward) for a sparse index, in time linear in its non-zero entries.
    pub(super) fn forward_sparse(&self, before: &SparseIndex) -> SparseIndex {
        let mut after = SparseIndex::new();
        let mut within = SparseIndex::new();
        let mut entries = before.iter().map(|(d, i)| (d + self.prepended, *i)).peekable();
        while let Some((d, i)) = entries.next_if(|(d, _)| *d < self.prefix) {
            after.push((d, i));
        }
        while let Some((first, _)) = entries.peek().copied() {
            let group_index = self.groups.partition_point(|group| group.first <= first) - 1;
            let group = &self.groups[group_index];
            let mut index = 0;
            while let Some((d, i)) = entries.next_if(|(d, _)| *d < group.first + group.count) {
                // Row-major within the merged dimensions.
                index += self.before[d + 1..group.first + group.count].iter().fold(i, |i, size| i * size);
            }
            let (tile, offset) = div_rem(index, group.tile_size);
            if tile != 0 {
                after.push((self.prefix + group_index, tile));
            }
            if offset != 0 {
                within.push((self.prefix + self.groups.len() + group_index, offset));
            }
        }
        after.extend(within);
        after
    }

    /// Writes the indices before the tile to the front of `before`; false if the slot is tile padding.
    /// `on_merged_index` receives the index of each group, including an out-of-range one.
    pub(super) fn backward(
        &self,
        after: &[i64],
        before: &mut [i64],
        mut on_merged_index: impl FnMut(i64),
    ) -> bool {
        for d in self.prepended..self.prefix {
            before[d - self.prepended] = after[d];
        }
        let (grid, within) = after[self.prefix..].split_at(self.groups.len());
        let mut is_element = true;
        for ((group, tile), offset) in self.groups.iter().zip(grid).zip(within) {
            let mut index = tile * group.tile_size + offset;
            on_merged_index(index);
            if index >= group.merged_size {
                is_element = false;
                continue;
            }
            // The major dimension takes the remaining quotient, which is in range as `index < merged_size`. Prepended
            // dimensions are dropped: they have size 1, so index 0.
            for d in (group.first + 1..group.first + group.count).rev() {
                let remainder;
                (index, remainder) = div_rem(index, self.before[d]);
                if d >= self.prepended {
                    before[d - self.prepended] = remainder;
                }
            }
            if group.first >= self.prepended {
                before[group.first - self.prepended] = index;
            }
        }
        is_element
    }

    /// Rank before the tile is applied.
    pub(super) fn input_rank(&self) -> usize {
        self.before.len() - self.prepended
    }
}
