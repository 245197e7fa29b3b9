//! One tile applied to a list of physical sizes: the step that index → memory takes forwards and memory → index
//! backwards.
//!
//! Invariant: every product of sizes, those of 0 left out, fits an `i64`; [`Step::new`] refuses the rest, so the
//! steps themselves need no checked arithmetic. Source: the document of tiled layouts; section 6 of the
//! specification. [`super`] strings the steps together.

use smallvec::SmallVec;

use crate::array::{Tile, TileDim};

/// Physical sizes or indices, major to minor; inline for a matrix under four tiles.
pub(super) type State = SmallVec<[i64; 16]>;

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

    /// The indices after the tile. `merged` is told the index of each group before it is divided.
    pub(super) fn forward(&self, indices: &[i64], mut merged: impl FnMut(i64)) -> State {
        // What was put in front has index 0.
        let before = |p: usize| if p < self.prepended { 0 } else { indices[p - self.prepended] };
        let mut out: State = (0..self.prefix).map(before).collect();
        let mut inner = SmallVec::<[i64; 4]>::new();
        for group in &self.groups {
            let positions = group.first..group.first + group.count;
            let index = positions.fold(0, |index, p| index * self.before[p] + before(p));
            merged(index);
            out.push(index / group.tile);
            inner.push(index % group.tile);
        }
        out.extend_from_slice(&inner);
        out
    }

    /// The indices before the tile, or `None` where the tile made a cell that lies outside: padding.
    /// `merged` is told the index of each group, the last of them the one that lies outside.
    pub(super) fn backward(&self, indices: &[i64], mut merged: impl FnMut(i64)) -> Option<State> {
        let (counts, tile) = indices[self.prefix..].split_at(self.groups.len());
        let mut out: State = indices[..self.prefix].iter().copied().collect();
        out.resize(self.before.len(), 0);
        let mut inside = true;
        for ((group, outer), inner) in self.groups.iter().zip(counts).zip(tile) {
            let mut index = outer * group.tile + inner;
            merged(index);
            if index >= group.merged {
                inside = false;
                continue;
            }
            // The major one of the group takes what is left: the index is below the product.
            for p in (group.first..group.first + group.count).rev() {
                out[p] = index % self.before[p];
                index /= self.before[p];
            }
        }
        out.drain(..self.prepended);
        inside.then_some(out)
    }
}
