//! Index → memory slot and back, for every kind of layout, telling padding cells from elements.
//!
//! A slot is a place for one element, counted from 0 in memory order. [`MemoryMap`] is made of a shape that
//! keeps every rule of [`super::validate`]; after that nothing overflows and nothing panics: what is out of
//! bounds is `None`. Index → slot is a bijection onto the slots that are not padding.
//!
//! The arithmetic is that of section 6 of the specification: strides over padded sizes without tiles, one
//! `tiling` step a tile with them. `levels` gives the states in between, for the formula a reader sees.

mod levels;
mod tiling;

use std::sync::OnceLock;

use smallvec::SmallVec;

pub use levels::Level;
use tiling::{Sparse, State, Step};

use super::index::{div_rem, write_index_of};
use super::validate::{self, Place};
use super::{ArrayShape, Dims, Dynamic, ElementType, Layout, Violation};
use xla_messages::i18n::Message;

/// What lies in a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// The element of this index.
    Element(Dims),
    /// Padding. The 2017 layout pads the array itself, so its padding cells have an index within the padded
    /// sizes; padding that tiles and tail alignment make has none.
    Padding(Option<Dims>),
}

/// What lies in a slot, where the index is written elsewhere ([`MemoryMap::index_of`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// An element; its index was written.
    Element,
    /// A padding cell of the 2017 layout; its index within the padded sizes was written.
    Padding,
    /// Padding that no index names; what was written means nothing.
    TilePadding,
}

/// Where each element of an array lies in memory, and what lies in each slot.
#[derive(Clone, Debug)]
pub struct MemoryMap {
    element_type: ElementType,
    sizes: Dims,
    padded: Dims,
    minor_to_major: SmallVec<[usize; 6]>,
    /// The sizes before any tile, major to minor.
    physical: State,
    steps: SmallVec<[Step; 2]>,
    /// The longest list of sizes on the way.
    widest: usize,
    /// Elements from one index of a dimension to the next; only without tiles.
    strides: Option<Dims>,
    elements: i64,
    /// Slots before and after tail alignment.
    cells_before_tail: i64,
    cells: i64,
    bits_per_cell: i64,
    tables: OnceLock<Option<Vec<Vec<i64>>>>,
}

impl MemoryMap {
    /// The longest [`tables`](Self::tables) that are made: entries of all dimensions together (32 MB).
    pub const MAX_TABLE_ENTRIES: i64 = 1 << 22;

    /// The map of this array. A missing layout stands for the default one, a bounded dynamic dimension has the
    /// size of its bound. Errors: the first rule the shape breaks; `memory-unbounded` for a `?` dimension.
    pub fn new(shape: &ArrayShape) -> Result<Self, Violation> {
        validate::array(shape)?;
        if let Some(d) = (0..shape.rank()).find(|d| shape.dynamic_of(*d) == Dynamic::Unbounded) {
            return Err(Violation {
                rule: "memory-unbounded",
                path: Vec::new(),
                place: Place::Dimension(d),
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
        Self::checked(shape, layout).ok_or_else(|| Violation {
            rule: "layout-cells",
            path: Vec::new(),
            place: Place::MinorToMajor,
            message: Message::new("layout-cells"),
        })
    }

    fn checked(shape: &ArrayShape, layout: &Layout) -> Option<Self> {
        let sizes = shape.dimensions.clone();
        let padding = layout.padding.as_ref().filter(|p| !p.dimensions.is_empty());
        let padded = padding.map_or_else(|| sizes.clone(), |p| p.dimensions.clone());
        let minor_to_major: SmallVec<[usize; 6]> =
            layout.minor_to_major.iter().map(|d| usize::try_from(*d).ok()).collect::<Option<_>>()?;
        let physical: State = minor_to_major.iter().rev().map(|d| padded[*d]).collect();
        let mut steps: SmallVec<[Step; 2]> = SmallVec::new();
        for tile in &layout.tiles {
            let step = Step::new(tile, steps.last().map_or(&physical[..], |s| &s.after))?;
            steps.push(step);
        }
        let extent = steps.last().map_or(&physical[..], |s| &s.after);
        let cells_before_tail = product(extent)?;
        let alignment = layout.tail_padding_alignment;
        let cells = cells_before_tail.checked_add(alignment - 1)? / alignment * alignment;
        let bits_per_cell = match layout.element_size_in_bits {
            0 => shape.element_type.bytes() * 8,
            bits => bits,
        };
        cells.checked_mul(bits_per_cell)?.checked_add(7)?;
        let widest = steps.iter().map(|s| s.after.len()).fold(physical.len(), usize::max);
        let strides = steps.is_empty().then(|| {
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
            physical,
            steps,
            widest,
            strides,
            cells_before_tail,
            cells,
            bits_per_cell,
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

    /// The size each dimension has in memory: the padded one of the 2017 layout, else its size.
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

    /// The number of slots, those of padding included.
    pub fn cells(&self) -> i64 {
        self.cells
    }

    /// The number of slots that hold no element.
    pub fn padding_cells(&self) -> i64 {
        self.cells - self.elements
    }

    /// The slots that tail alignment added at the end.
    pub fn tail_cells(&self) -> i64 {
        self.cells - self.cells_before_tail
    }

    /// Bits from one slot to the next: `E(n)`, else the whole bytes of the type.
    pub fn bits_per_cell(&self) -> i64 {
        self.bits_per_cell
    }

    /// Bytes of all slots together, rounded up.
    pub fn bytes(&self) -> i64 {
        (self.cells * self.bits_per_cell + 7) / 8
    }

    /// Where a slot begins: the byte, and the bit within it; `None` outside the array.
    pub fn byte_address(&self, slot: i64) -> Option<(i64, i64)> {
        let bit = (0..self.cells).contains(&slot).then(|| slot * self.bits_per_cell)?;
        Some((bit / 8, bit % 8))
    }

    /// Whether the layout has tiles.
    pub fn is_tiled(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Slots from one index of a dimension to the next; `None` where tiled, as there is no one distance.
    pub fn strides(&self) -> Option<Dims> {
        self.strides.clone()
    }

    /// The strides in bytes; `None` where tiled, or where elements do not start at whole bytes.
    pub fn byte_strides(&self) -> Option<Dims> {
        let bytes = (self.bits_per_cell % 8 == 0).then_some(self.bits_per_cell / 8)?;
        self.strides()?.iter().map(|s| s.checked_mul(bytes)).collect()
    }

    /// The sizes of memory as one sees it walking through it, major to minor: those of the physical dimensions,
    /// or after the last tile the tile counts and the insides of the tiles.
    pub fn physical_extent(&self) -> &[i64] {
        self.steps.last().map_or(&self.physical, |s| &s.after)
    }

    /// The slot of an index within [`padded_sizes`](Self::padded_sizes); `None` outside or at the wrong rank.
    pub fn slot(&self, index: &[i64]) -> Option<i64> {
        let padded = &self.padded[..];
        if index.len() != padded.len() {
            return None;
        }
        for (e, size) in index.iter().zip(padded) {
            if *e < 0 || e >= size {
                return None;
            }
        }
        Some(self.slot_within(index))
    }

    /// Has tiled layouts find slots by table from now on, where they can.
    pub fn prepare(&self) {
        if self.is_tiled() {
            let _ = self.tables();
        }
    }

    /// The bytes that the tables of a tiled layout take where it has any, once [`MemoryMap::prepare`] was called.
    pub fn table_bytes(&self) -> u64 {
        let entries = self.padded.iter().fold(0_u64, |sum, size| sum.saturating_add(size.unsigned_abs()));
        let has_tables =
            self.is_tiled() && self.is_separable() && entries <= Self::MAX_TABLE_ENTRIES.unsigned_abs();
        if has_tables { entries * 8 } else { 0 }
    }

    /// How many steps finding a slot counts as: 1 for what takes as long as reading the cell, more for many dimensions
    /// and for tiles that have to be walked through.
    pub fn slot_cost(&self) -> u64 {
        let dimensions = 1 + self.rank() as u64 / 8;
        if self.strides.is_some() || matches!(self.tables.get(), Some(Some(_))) {
            return dimensions;
        }
        let levels: usize = self.steps.iter().map(|step| step.after.len()).sum();
        dimensions + levels as u64
    }

    /// The slot of an index that is known to lie within the padded sizes.
    fn slot_within(&self, index: &[i64]) -> i64 {
        // Plain loops: this is called once a cell, and is compiled for size in the browser.
        let mut slot = 0;
        if let Some(strides) = &self.strides {
            for (e, stride) in index.iter().zip(strides) {
                slot += e * stride;
            }
        } else if let Some(Some(tables)) = self.tables.get() {
            for (e, table) in index.iter().zip(tables) {
                slot += usize::try_from(*e).map_or(0, |e| table[e]);
            }
        } else {
            slot = self.slot_by_steps(index);
        }
        slot
    }

    /// The slots from one index to the next of each dimension of the [`physical_extent`](Self::physical_extent).
    fn extent_strides(&self) -> State {
        let extent = self.physical_extent();
        let mut strides = State::from_elem(1, extent.len());
        for d in (0..extent.len().saturating_sub(1)).rev() {
            // A size of 0 has no slots, whatever is beside it.
            strides[d] = strides[d + 1].saturating_mul(extent[d + 1]);
        }
        strides
    }

    /// The slot of index `e` of the physical dimension `place`, all others being 0.
    fn sparse_slot(&self, place: usize, e: i64, extent_strides: &[i64]) -> i64 {
        let mut state: Sparse = if e == 0 { Sparse::new() } else { [(place, e)].into_iter().collect() };
        for step in &self.steps {
            state = step.forward_sparse(&state);
        }
        state.iter().map(|(d, x)| x * extent_strides[*d]).sum()
    }

    fn slot_by_steps(&self, index: &[i64]) -> i64 {
        let (mut a, mut b) = (State::from_elem(0, self.widest), State::from_elem(0, self.widest));
        let (mut state, mut next) = (&mut a[..], &mut b[..]);
        for (x, d) in state.iter_mut().zip(self.minor_to_major.iter().rev()) {
            *x = index[*d];
        }
        for step in &self.steps {
            step.forward(state, next, |_| ());
            std::mem::swap(&mut state, &mut next);
        }
        let mut slot = 0;
        for (x, size) in state.iter().zip(self.physical_extent()) {
            slot = slot * size + x;
        }
        slot
    }

    /// What lies in a slot; `None` outside `0..cells`.
    pub fn cell(&self, slot: i64) -> Option<Cell> {
        if !(0..self.cells).contains(&slot) {
            return None;
        }
        let mut index = Dims::from_elem(0, self.rank());
        Some(match self.index_of(slot, &mut index) {
            CellKind::Element => Cell::Element(index),
            CellKind::Padding => Cell::Padding(Some(index)),
            CellKind::TilePadding => Cell::Padding(None),
        })
    }

    /// What lies in a slot, its index written to the first `rank` entries of `out`, without an allocation.
    /// A slot outside the array, and an `out` that is too short, are [`CellKind::TilePadding`].
    pub fn index_of(&self, slot: i64, out: &mut [i64]) -> CellKind {
        let Some(out) = out.get_mut(..self.rank()) else { return CellKind::TilePadding };
        if !(0..self.cells_before_tail).contains(&slot) {
            return CellKind::TilePadding;
        }
        let mut rest = slot;
        if self.steps.is_empty() {
            for &d in &self.minor_to_major {
                (rest, out[d]) = div_rem(rest, self.padded[d]);
            }
        } else {
            let (mut a, mut b) = (State::from_elem(0, self.widest), State::from_elem(0, self.widest));
            let (mut state, mut next) = (&mut a[..], &mut b[..]);
            write_index_of(slot, self.physical_extent(), state);
            for step in self.steps.iter().rev() {
                if !step.backward(state, next, |_| ()) {
                    return CellKind::TilePadding;
                }
                std::mem::swap(&mut state, &mut next);
            }
            for (x, &d) in state.iter().zip(self.minor_to_major.iter().rev()) {
                out[d] = *x;
            }
        }
        if out.iter().zip(&self.sizes).all(|(e, size)| e < size) {
            CellKind::Element
        } else {
            CellKind::Padding
        }
    }

    /// Whether slots are a sum of one term a dimension: every layout but those with a `*`, which merges dimensions.
    pub fn is_separable(&self) -> bool {
        !self.steps.iter().any(Step::merges)
    }

    /// What index `e` of dimension `d` adds to the slot, where the map [is separable](Self::is_separable); 0 for an
    /// index outside the padded sizes.
    pub fn term(&self, d: usize, e: i64) -> i64 {
        if self.padded.get(d).is_none_or(|size| !(0..*size).contains(&e)) {
            return 0;
        }
        if let Some(strides) = &self.strides {
            return e * strides[d];
        }
        if let Some(Some(tables)) = self.tables.get() {
            return usize::try_from(e).map_or(0, |e| tables[d][e]);
        }
        let Some(place) = self.minor_to_major.iter().rev().position(|other| *other == d) else { return 0 };
        self.sparse_slot(place, e, &self.extent_strides())
    }

    /// One table a dimension, of as many entries as its padded size, such that the slot of an index is the sum of
    /// `tables[d][index[d]]`. `None` where a `*` merges dimensions (there is no such sum) and where the tables
    /// would be longer than [`MAX_TABLE_ENTRIES`](Self::MAX_TABLE_ENTRIES). Made once, at the first call.
    pub fn tables(&self) -> Option<&[Vec<i64>]> {
        let make = || {
            let entries = self.padded.iter().try_fold(0_i64, |sum, size| sum.checked_add(*size))?;
            if entries > Self::MAX_TABLE_ENTRIES || !self.is_separable() {
                return None;
            }
            let strides = self.extent_strides();
            let mut tables = vec![Vec::new(); self.rank()];
            for (place, d) in self.minor_to_major.iter().rev().enumerate() {
                let term = |e: i64| match &self.strides {
                    Some(strides) => e * strides[*d],
                    None => self.sparse_slot(place, e, &strides),
                };
                tables[*d] = (0..self.padded[*d]).map(term).collect();
            }
            Some(tables)
        };
        self.tables.get_or_init(make).as_deref()
    }
}

/// The product of all sizes; `None` where that of the sizes other than 0 does not fit an `i64`.
fn product(sizes: &[i64]) -> Option<i64> {
    let product = sizes.iter().filter(|s| **s != 0).try_fold(1_i64, |a, b| a.checked_mul(*b))?;
    Some(if sizes.contains(&0) { 0 } else { product })
}

#[cfg(test)]
mod tests;
