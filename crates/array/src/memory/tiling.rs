//! One tile applied to a list of physical sizes: the step that index → memory takes forwards and memory → index
//! backwards.
//!
//! Invariant: every product of sizes, those of 0 left out, fits an `i64`; [`Step::new`] refuses the rest, so the
//! steps themselves need no checked arithmetic. Source: the document of tiled layouts; section 6 of the
//! specification. [`super`] strings the steps together.

use smallvec::SmallVec;

use crate::index::div_rem;
use crate::{Tile, TileDim};

/// Physical sizes or indices, major to minor; inline for a matrix under four tiles.
pub(super) type State = SmallVec<[i64; 16]>;

/// The dimensions of a state whose index is not 0, ascending, with the index.
pub(super) type Sparse = SmallVec<[(usize, i64); 8]>;

/// A size of a tile, the physical dimensions it lies over, and what it makes of them.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The dimensions `first..first + count`, of which all but the last were named by `*`.
    first: usize,
    count: usize,
    /// Their sizes multiplied: the one dimension they are merged into.
    pub(super) merged: i64,
    /// The size of the tile along it.
    pub(super) tile: i64,
    /// How many tiles it takes: `ceil(merged / tile)`.
    outer: i64,
}

/// One tile over the sizes it meets.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// How many dimensions of size 1 were put in front, the tile being longer than the list.
    prepended: usize,
    /// How many dimensions in front of the tile stay as they are.
    pub(super) prefix: usize,
    /// The sizes it is applied to, those put in front included.
    before: State,
    /// What the tile covers, major to minor.
    pub(super) groups: SmallVec<[Group; 4]>,
    /// The sizes that come out: the untouched ones, the tile counts, the tile.
    pub(super) after: State,
}

impl Step {
    /// `tile` over `sizes`; `None` where the sizes that come out do not fit an `i64`, or where the tile breaks
    /// a rule (`*` last, a size that is not positive).
    pub(super) fn new(tile: &Tile, sizes: &[i64]) -> Option<Self> {
        let prepended = tile.0.len().saturating_sub(sizes.len());
        let before: State = std::iter::repeat_n(1, prepended).chain(sizes.iter().copied()).collect();
        let prefix = before.len() - tile.0.len();
        let mut groups = SmallVec::new();
        let mut first = prefix;
        for (position, size) in tile.0.iter().enumerate() {
            let TileDim::Size(tile) = *size else { continue };
            let end = prefix + position + 1;
            let merged = before[first..end].iter().try_fold(1_i64, |a, b| a.checked_mul(*b))?;
            let outer = if tile > 0 { merged.checked_add(tile - 1)? / tile } else { return None };
            groups.push(Group { first, count: end - first, merged, tile, outer });
            first = end;
        }
        if first != before.len() {
            return None;
        }
        let outer = groups.iter().map(|g: &Group| g.outer);
        let inner = groups.iter().map(|g| g.tile);
        let after: State = before[..prefix].iter().copied().chain(outer).chain(inner).collect();
        after.iter().filter(|s| **s != 0).try_fold(1_i64, |a, b| a.checked_mul(*b))?;
        Some(Self { prepended, prefix, before, groups, after })
    }

    /// Whether a `*` merges dimensions: then the slot is no sum of one term a dimension.
    pub(super) fn merges(&self) -> bool {
        self.groups.iter().any(|g| g.count > 1)
    }

    /// Writes the indices after the tile to the front of `after`. `merged` is told the index of each group before it is
    /// divided.
    pub(super) fn forward(&self, before: &[i64], after: &mut [i64], mut merged: impl FnMut(i64)) {
        // What was put in front has index 0.
        let at = |p: usize| if p < self.prepended { 0 } else { before[p - self.prepended] };
        for (p, x) in after[..self.prefix].iter_mut().enumerate() {
            *x = at(p);
        }
        let (counts, inside) = after[self.prefix..].split_at_mut(self.groups.len());
        for ((group, count), inner) in self.groups.iter().zip(counts).zip(inside) {
            let mut index = at(group.first);
            for p in group.first + 1..group.first + group.count {
                index = index * self.before[p] + at(p);
            }
            merged(index);
            (*count, *inner) = div_rem(index, group.tile);
        }
    }

    /// [`forward`](Self::forward) of a state that is 0 but for a few dimensions: each dimension that is not 0, with its
    /// index, ascending. Takes time by their number, not by that of all dimensions.
    pub(super) fn forward_sparse(&self, before: &Sparse) -> Sparse {
        let mut after = Sparse::new();
        let mut inside = Sparse::new();
        let mut entries = before.iter().map(|(p, x)| (p + self.prepended, *x)).peekable();
        while let Some((p, x)) = entries.next_if(|(p, _)| *p < self.prefix) {
            after.push((p, x));
        }
        while let Some((first, _)) = entries.peek().copied() {
            let number = self.groups.partition_point(|group| group.first <= first) - 1;
            let group = &self.groups[number];
            let mut index = 0;
            while let Some((p, x)) = entries.next_if(|(p, _)| *p < group.first + group.count) {
                // Row-major within what `*` merged.
                index += self.before[p + 1..group.first + group.count].iter().fold(x, |x, size| x * size);
            }
            let (count, inner) = div_rem(index, group.tile);
            if count != 0 {
                after.push((self.prefix + number, count));
            }
            if inner != 0 {
                inside.push((self.prefix + self.groups.len() + number, inner));
            }
        }
        after.extend(inside);
        after
    }

    /// Writes the indices before the tile to the front of `before`; false where the tile made a cell that lies outside:
    /// padding. `merged` is told the index of each group, that which lies outside among them.
    pub(super) fn backward(&self, after: &[i64], before: &mut [i64], mut merged: impl FnMut(i64)) -> bool {
        for p in self.prepended..self.prefix {
            before[p - self.prepended] = after[p];
        }
        let (counts, tile) = after[self.prefix..].split_at(self.groups.len());
        let mut inside = true;
        for ((group, outer), inner) in self.groups.iter().zip(counts).zip(tile) {
            let mut index = outer * group.tile + inner;
            merged(index);
            if index >= group.merged {
                inside = false;
                continue;
            }
            // The major one of the group takes what is left: the index is below the product. What was put in front
            // has size 1, so index 0, and is dropped.
            for p in (group.first + 1..group.first + group.count).rev() {
                let rest;
                (index, rest) = div_rem(index, self.before[p]);
                if p >= self.prepended {
                    before[p - self.prepended] = rest;
                }
            }
            if group.first >= self.prepended {
                before[group.first - self.prepended] = index;
            }
        }
        inside
    }

    /// How many indices stand before the tile.
    pub(super) fn entering(&self) -> usize {
        self.before.len() - self.prepended
    }
}
