//! Index → memory slot and back, for every kind of layout, distinguishing padding from elements.
//!
//! A slot is the memory of one element, numbered from 0 in memory order; it contains an element or padding.
//! [`MemoryMap`] is built from a shape that passes [`super::validate`], so its methods neither overflow nor panic;
//! out-of-bounds input yields `None`. Index → slot is a bijection onto the slots that are not padding.
//!
//! Without tiles, the number of a slot is the dot product of the index and the strides, which follow from the padded
//! sizes; with tiles, one `Tiling` is
//! applied per tile. `levels` returns the intermediate sizes and indices, for the address formula on the page.

mod levels;
mod tiling;

use std::sync::OnceLock;

use smallvec::SmallVec;

use self::tiling::{PhysicalSizes, SparseIndex, Tiling};
pub use levels::Level;

use super::index::{div_rem, write_multi_index};
use super::validate::{self, ShapePart};
use super::{ArrayShape, Dims, Dynamic, ElementType, Layout, Violation};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// The contents of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlotContents {
    /// The element of this index.
    Element(Dims),
    /// Padding. Legacy `padded_dimensions` (XLA 2017) pad the array itself, so their padding has an index within the
    /// padded sizes; padding by tiles and tail alignment has none.
    Padding(Option<Dims>),
}

/// Like [`SlotContents`], with the index written to an out parameter ([`MemoryMap::index_of`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// An element; its index was written.
    Element,
    /// Padding by legacy `padded_dimensions`; its index within the padded sizes was written.
    IndexedPadding,
    /// No index maps to this slot: padding by a tile or by tail alignment, or a slot outside the array. The out
    /// parameter is unspecified.
    UnindexedPadding,
}

/// Maps each index of an array to its memory slot, and each slot to its contents.
#[derive(Clone, Debug)]
pub struct MemoryMap {
    element_type: ElementType,
    sizes: Dims,
    padded: Dims,
    minor_to_major: SmallVec<[usize; 6]>,
    /// The padded sizes, major to minor, before any tile.
    physical_sizes_before_tiles: PhysicalSizes,
    /// One per tile, the outermost first.
    tilings: SmallVec<[Tiling; 2]>,
    /// The maximum rank before, between and after the tiles.
    max_physical_rank: usize,
    /// Slots from one index of a dimension to the next; `None` with tiles.
    strides: Option<Dims>,
    elements: i64,
    /// Without the slots added by tail alignment.
    slots_before_tail: i64,
    slot_count: i64,
    bits_per_slot: i64,
    /// `tables[d][i]`: the term of index `i` of dimension `d` in the slot. Built on demand.
    tables: OnceLock<Option<Vec<Vec<i64>>>>,
}

impl MemoryMap {
    /// The limit of [`tables`](Self::tables), in entries of all dimensions together (32 MB).
    pub const MAX_TABLE_ENTRIES: i64 = 1 << 22;

    /// The map of an array. A missing layout is the default one; a bounded dynamic dimension has the size of its bound.
    ///
    /// # Errors
    ///
    /// The first rule that the shape violates; `memory-unbounded` for a `?` dimension; `layout-slots` if the number of
    /// slots or bits overflows.
    pub fn new(shape: &ArrayShape) -> Result<Self, Violation> {
        validate::array(shape)?;
        if let Some(d) = (0..shape.rank()).find(|d| shape.dynamic_of(*d) == Dynamic::Unbounded) {
            return Err(Violation {
                rule: "memory-unbounded",
                path: Vec::new(),
                part: ShapePart::Dimension(d),
                message: Message::new("memory-unbounded").with("dimension", d),
            });
        }
        let descending;
        let layout = if let Some(layout) = &shape.layout {
            layout
        } else {
            descending = Layout::descending(shape.rank());
            &descending
        };
        Self::from_valid(shape, layout).ok_or_else(|| Violation {
            rule: "layout-slots",
            path: Vec::new(),
            part: ShapePart::MinorToMajor,
            message: Message::new("layout-slots"),
        })
    }

    /// `None` on overflow.
    fn from_valid(shape: &ArrayShape, layout: &Layout) -> Option<Self> {
        let sizes = shape.dimensions.clone();
        let padding = layout.padding.as_ref().filter(|p| !p.dimensions.is_empty());
        let padded = padding.map_or_else(|| sizes.clone(), |p| p.dimensions.clone());
        let minor_to_major: SmallVec<[usize; 6]> =
            layout.minor_to_major.iter().map(|d| usize::try_from(*d).ok()).collect::<Option<_>>()?;
        let physical: PhysicalSizes = minor_to_major.iter().rev().map(|d| padded[*d]).collect();
        let mut tilings: SmallVec<[Tiling; 2]> = SmallVec::new();
        for tile in &layout.tiles {
            let tiling = Tiling::new(tile, tilings.last().map_or(&physical[..], |s| &s.after))?;
            tilings.push(tiling);
        }
        let physical_sizes = tilings.last().map_or(&physical[..], |s| &s.after);
        let slots_before_tail = checked_product(physical_sizes)?;
        let alignment = layout.tail_padding_alignment;
        let slot_count = slots_before_tail.checked_add(alignment - 1)? / alignment * alignment;
        let bits_per_slot = match layout.element_size_in_bits {
            0 => shape.element_type.bytes() * 8,
            bits => bits,
        };
        slot_count.checked_mul(bits_per_slot)?.checked_add(7)?;
        let max_physical_rank = tilings.iter().map(|s| s.after.len()).fold(physical.len(), usize::max);
        let strides = tilings.is_empty().then(|| {
            let mut strides = Dims::from_elem(0, padded.len());
            let mut stride = 1;
            for &d in &minor_to_major {
                strides[d] = stride;
                stride *= padded[d];
            }
            strides
        });
        Some(Self {
            element_type: shape.element_type,
            elements: shape.elements()?,
            sizes,
            padded,
            minor_to_major,
            physical_sizes_before_tiles: physical,
            tilings,
            max_physical_rank,
            strides,
            slots_before_tail,
            slot_count,
            bits_per_slot,
            tables: OnceLock::new(),
        })
    }

    /// The type of the elements.
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// The size of each dimension, in elements.
    pub fn sizes(&self) -> &[i64] {
        &self.sizes
    }

    /// The size of each dimension in memory: its legacy padded size (XLA 2017) if it has one, else its size.
    pub fn padded_sizes(&self) -> &[i64] {
        &self.padded
    }

    /// Dimension numbers, the most minor first.
    pub fn minor_to_major(&self) -> &[usize] {
        &self.minor_to_major
    }

    /// The number of elements; 1 for a scalar.
    pub fn elements(&self) -> i64 {
        self.elements
    }

    /// The number of slots, including padding.
    pub fn slot_count(&self) -> i64 {
        self.slot_count
    }

    /// The number of slots that hold no element.
    pub fn padding_slots(&self) -> i64 {
        self.slot_count - self.elements
    }

    /// The number of slots that tail alignment adds at the end.
    pub fn tail_slots(&self) -> i64 {
        self.slot_count - self.slots_before_tail
    }

    /// Bits from one slot to the next: `element_size_in_bits` (`E(n)` in text), else the size of the type in whole
    /// bytes, in bits.
    pub fn bits_per_slot(&self) -> i64 {
        self.bits_per_slot
    }

    /// Bytes of all slots, rounded up.
    pub fn bytes(&self) -> i64 {
        (self.slot_count * self.bits_per_slot + 7) / 8
    }

    /// The address of a slot: its byte offset, and its first bit within that byte; `None` outside the array.
    pub fn byte_address(&self, slot: i64) -> Option<(i64, i64)> {
        let bit = (0..self.slot_count).contains(&slot).then(|| slot * self.bits_per_slot)?;
        Some((bit / 8, bit % 8))
    }

    /// Whether the layout has tiles.
    pub fn is_tiled(&self) -> bool {
        !self.tilings.is_empty()
    }

    /// Slots from one index of a dimension to the next; `None` with tiles, where the distance varies.
    pub fn strides(&self) -> Option<Dims> {
        self.strides.clone()
    }

    /// The strides in bytes; `None` with tiles, or if elements are not byte-aligned.
    pub fn byte_strides(&self) -> Option<Dims> {
        let bytes = (self.bits_per_slot % 8 == 0).then_some(self.bits_per_slot / 8)?;
        self.strides()?.iter().map(|s| s.checked_mul(bytes)).collect()
    }

    /// Physical sizes, major to minor; with tiles, after the last one: untiled dimensions, the tile grid, the
    /// tile.
    pub fn physical_sizes(&self) -> &[i64] {
        self.tilings.last().map_or(&self.physical_sizes_before_tiles, |s| &s.after)
    }

    /// The slot of an index within [`padded_sizes`](Self::padded_sizes); `None` outside or at the wrong rank.
    pub fn slot(&self, index: &[i64]) -> Option<i64> {
        let padded = &self.padded[..];
        if index.len() != padded.len() {
            return None;
        }
        for (i, size) in index.iter().zip(padded) {
            if *i < 0 || i >= size {
                return None;
            }
        }
        Some(self.slot_within(index))
    }

    /// Builds the lookup tables of a separable tiled layout, so that [`slot`](Self::slot) no longer visits its tiles.
    pub fn build_tables(&self) {
        if self.is_tiled() {
            let _ = self.tables();
        }
    }

    /// Bytes of the tables that [`build_tables`](Self::build_tables) allocates; 0 if it allocates none.
    pub fn table_bytes(&self) -> u64 {
        let entries = self.padded.iter().fold(0_u64, |sum, size| sum.saturating_add(size.unsigned_abs()));
        let has_tables =
            self.is_tiled() && self.is_separable() && entries <= Self::MAX_TABLE_ENTRIES.unsigned_abs();
        if has_tables { entries * 8 } else { 0 }
    }

    /// Cost of [`slot`](Self::slot) in evaluator steps, one of which is the time to read an element: 1 plus 1
    /// per 8 dimensions, plus the rank after each tile unless tables were built.
    pub fn slot_cost(&self) -> u64 {
        let untiled_cost = 1 + self.rank() as u64 / 8;
        if self.strides.is_some() || matches!(self.tables.get(), Some(Some(_))) {
            return untiled_cost;
        }
        let tiled_ranks: usize = self.tilings.iter().map(|tiling| tiling.after.len()).sum();
        untiled_cost + tiled_ranks as u64
    }

    /// The slot of an index that is known to be within the padded sizes.
    fn slot_within(&self, index: &[i64]) -> i64 {
        // Plain loops: this is called once per element, and is compiled for size in the browser.
        let mut slot = 0;
        if let Some(strides) = &self.strides {
            for (i, stride) in index.iter().zip(strides) {
                slot += i * stride;
            }
        } else if let Some(Some(tables)) = self.tables.get() {
            for (i, table) in index.iter().zip(tables) {
                slot += table[usize::try_from(*i).or_bug(0, "a negative index within the sizes")];
            }
        } else {
            slot = self.slot_by_tilings(index);
        }
        slot
    }

    /// Slots from one index to the next, per dimension of the [`physical_sizes`](Self::physical_sizes).
    fn physical_strides(&self) -> PhysicalSizes {
        let sizes = self.physical_sizes();
        let mut strides = PhysicalSizes::from_elem(1, sizes.len());
        for d in (0..sizes.len().saturating_sub(1)).rev() {
            // With a size of 0 the strides are 0, but there are no slots to compute.
            strides[d] = strides[d + 1].saturating_mul(sizes[d + 1]);
        }
        strides
    }

    /// The slot of the index that is `i` in physical dimension `physical_dim` and 0 in all others.
    fn slot_along(&self, physical_dim: usize, i: i64, physical_strides: &[i64]) -> i64 {
        let mut index: SparseIndex =
            if i == 0 { SparseIndex::new() } else { [(physical_dim, i)].into_iter().collect() };
        for tiling in &self.tilings {
            index = tiling.forward_sparse(&index);
        }
        index.iter().map(|(d, i)| i * physical_strides[*d]).sum()
    }

    fn slot_by_tilings(&self, index: &[i64]) -> i64 {
        let (mut a, mut b) = (
            PhysicalSizes::from_elem(0, self.max_physical_rank),
            PhysicalSizes::from_elem(0, self.max_physical_rank),
        );
        let (mut current, mut next) = (&mut a[..], &mut b[..]);
        for (i, d) in current.iter_mut().zip(self.minor_to_major.iter().rev()) {
            *i = index[*d];
        }
        for tiling in &self.tilings {
            tiling.forward(current, next, |_| ());
            std::mem::swap(&mut current, &mut next);
        }
        let mut slot = 0;
        for (i, size) in current.iter().zip(self.physical_sizes()) {
            slot = slot * size + i;
        }
        slot
    }

    /// The contents of a slot; `None` outside `0..slot_count`.
    pub fn contents(&self, slot: i64) -> Option<SlotContents> {
        if !(0..self.slot_count).contains(&slot) {
            return None;
        }
        let mut index = Dims::from_elem(0, self.rank());
        Some(match self.index_of(slot, &mut index) {
            SlotKind::Element => SlotContents::Element(index),
            SlotKind::IndexedPadding => SlotContents::Padding(Some(index)),
            SlotKind::UnindexedPadding => SlotContents::Padding(None),
        })
    }

    /// The kind of a slot; writes its index to the first `rank` entries of `out`. Does not allocate.
    /// A slot outside the array, and an `out` that is too short, yield [`SlotKind::UnindexedPadding`].
    pub fn index_of(&self, slot: i64, out: &mut [i64]) -> SlotKind {
        let Some(out) = out.get_mut(..self.rank()) else { return SlotKind::UnindexedPadding };
        if !(0..self.slots_before_tail).contains(&slot) {
            return SlotKind::UnindexedPadding;
        }
        let mut rest = slot;
        if self.tilings.is_empty() {
            for &d in &self.minor_to_major {
                (rest, out[d]) = div_rem(rest, self.padded[d]);
            }
        } else {
            let (mut a, mut b) = (
                PhysicalSizes::from_elem(0, self.max_physical_rank),
                PhysicalSizes::from_elem(0, self.max_physical_rank),
            );
            let (mut current, mut next) = (&mut a[..], &mut b[..]);
            write_multi_index(slot, self.physical_sizes(), current);
            for tiling in self.tilings.iter().rev() {
                if !tiling.backward(current, next, |_| ()) {
                    return SlotKind::UnindexedPadding;
                }
                std::mem::swap(&mut current, &mut next);
            }
            for (i, &d) in current.iter().zip(self.minor_to_major.iter().rev()) {
                out[d] = *i;
            }
        }
        if out.iter().zip(&self.sizes).all(|(i, size)| i < size) {
            SlotKind::Element
        } else {
            SlotKind::IndexedPadding
        }
    }

    /// Whether the slot is a sum of one offset per dimension: true unless a tile merges dimensions by `*`.
    pub fn is_separable(&self) -> bool {
        !self.tilings.iter().any(Tiling::merges_dimensions)
    }

    /// The offset that index `i` of dimension `d` adds to the slot of a [separable](Self::is_separable) map; 0 for an
    /// index outside the padded sizes, which has no slot.
    pub fn slot_offset(&self, d: usize, i: i64) -> i64 {
        let is_inside = self.padded.get(d).is_some_and(|size| (0..*size).contains(&i));
        let Some(position) = usize::try_from(i).ok().filter(|_| is_inside) else { return 0 };
        if let Some(strides) = &self.strides {
            return i * strides[d];
        }
        if let Some(Some(tables)) = self.tables.get() {
            return tables[d][position];
        }
        let physical_dim = self.minor_to_major.iter().rev().position(|other| *other == d);
        self.slot_along(
            physical_dim.or_bug(0, "a dimension is missing in the layout"),
            i,
            &self.physical_strides(),
        )
    }

    /// One table per dimension, with an entry per index of its padded size, so that the slot of an index is the sum
    /// of `tables[d][index[d]]`. `None` if the map is not [separable](Self::is_separable) or the tables would exceed
    /// [`MAX_TABLE_ENTRIES`](Self::MAX_TABLE_ENTRIES). Built at the first call.
    pub fn tables(&self) -> Option<&[Vec<i64>]> {
        let build = || {
            let entries = self.padded.iter().try_fold(0_i64, |sum, size| sum.checked_add(*size))?;
            if entries > Self::MAX_TABLE_ENTRIES || !self.is_separable() {
                return None;
            }
            let strides = self.physical_strides();
            let mut tables = vec![Vec::new(); self.rank()];
            for (physical_dim, d) in self.minor_to_major.iter().rev().enumerate() {
                let offset = |i: i64| match &self.strides {
                    Some(strides) => i * strides[*d],
                    None => self.slot_along(physical_dim, i, &strides),
                };
                tables[*d] = (0..self.padded[*d]).map(offset).collect();
            }
            Some(tables)
        };
        self.tables.get_or_init(build).as_deref()
    }
}

/// The product of all sizes; `None` if the product of the non-zero sizes overflows.
fn checked_product(sizes: &[i64]) -> Option<i64> {
    let product = sizes.iter().filter(|s| **s != 0).try_fold(1_i64, |a, b| a.checked_mul(*b))?;
    Some(if sizes.contains(&0) { 0 } else { product })
}

#[cfg(test)]
mod tests;
