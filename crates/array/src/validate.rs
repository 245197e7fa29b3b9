//! Validation of shapes and layouts by XLA's rules, in XLA's order: the first violation is reported.
//!
//! Source: `ShapeUtil::ValidateShape` and `LayoutUtil::ValidateLayoutForShape`, of current XLA and of 2017. Rules are
//! labelled `layout-1` … `layout-13` and `shape-1` …; `limit-…` are limits of this implementation, which bound the
//! work that a short text can cause. A [`Violation`] names the invalid field; [`super::text`] turns it into a
//! diagnostic with a span and a fix.

use std::fmt;

use super::{ArrayShape, Dynamic, Layout, Shape, TileDim};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// The maximum rank of an array. XLA has no such limit, but work per element is linear in the rank.
pub const MAX_DIMENSIONS: usize = 256;

/// The maximum number of tiles of a layout. XLA has no such limit, but every tile adds dimensions and work per index.
pub const MAX_TILES: usize = 16;

/// The maximum total number of sizes in the tiles of a layout. XLA has no such limit.
pub const MAX_TILE_SIZES: usize = 64;

/// The maximum number of leaves of a tuple, at any depth; an empty tuple counts as one. XLA has no such limit.
pub const MAX_LEAVES: usize = 1 << 16;

/// The maximum nesting depth of tuples: they are visited recursively. XLA has no such limit.
pub const MAX_DEPTH: usize = 64;

/// The part of an array shape that violates a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapePart {
    /// The whole tuple.
    Tuple,
    /// All dimension sizes.
    Dimensions,
    /// A dimension and all after it.
    DimensionsFrom(usize),
    /// The size of one dimension.
    Dimension(usize),
    /// The whole `minor_to_major`.
    MinorToMajor,
    /// One entry of `minor_to_major`.
    MinorToMajorEntry(usize),
    /// The whole `padded_dimensions`.
    Padded,
    /// The padded size of one dimension.
    PaddedEntry(usize),
    /// The tile with this index.
    Tile(usize),
    /// A tile and all after it.
    TilesFrom(usize),
    /// A size of a tile, and everything after it in that tile and the following ones.
    TileSizesFrom(usize, usize),
    /// One size of one tile.
    TileEntry(usize, usize),
    /// `L(n)`.
    TailPaddingAlignment,
    /// `#(type)`.
    IndexType,
    /// `*(type)`.
    PointerType,
    /// `P(shape)`.
    PhysicalShape,
    /// `E(n)`.
    ElementSize,
    /// One entry of `SC(…)`.
    Split(usize),
    /// `M(n)`.
    MetadataPrefix,
}

/// A violated rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The identifier of the rule, e.g. `layout-4`.
    pub rule: &'static str,
    /// The element of the tuple it is in, as indices from the outermost tuple inwards; empty outside tuples.
    pub path: Vec<usize>,
    /// The invalid part of that array shape.
    pub part: ShapePart,
    /// The message for the user.
    pub message: Message,
}

impl Violation {
    fn new(rule: &'static str, part: ShapePart, message: Message) -> Self {
        Self { rule, path: Vec::new(), part, message }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.message, self.rule)
    }
}

impl std::error::Error for Violation {}

/// Checks a shape and every layout in it (`ValidateShapeWithOptionalLayout`); a missing layout is the default one.
pub fn shape(shape: &Shape) -> Result<(), Violation> {
    extent(shape)?;
    arrays(shape)
}

/// Checks [`MAX_LEAVES`] and [`MAX_DEPTH`], in constant time: rules `limit-leaves` and `limit-depth`.
pub fn extent(shape: &Shape) -> Result<(), Violation> {
    let (leaves, depth) = (shape.leaves(), shape.depth());
    if depth > MAX_DEPTH {
        let message = Message::new("limit-depth").with("depth", depth).with("limit", MAX_DEPTH);
        return Err(Violation::new("limit-depth", ShapePart::Tuple, message));
    }
    if leaves > MAX_LEAVES {
        // `leaves` saturates at `usize::MAX`.
        let message = Message::new("limit-leaves").with("leaves", leaves).with("limit", MAX_LEAVES);
        return Err(Violation::new("limit-leaves", ShapePart::Tuple, message));
    }
    Ok(())
}

fn arrays(shape: &Shape) -> Result<(), Violation> {
    match shape {
        Shape::Array(shape) => array(shape),
        Shape::Buffer(shape) => array(shape),
        Shape::Token | Shape::Opaque => Ok(()),
        Shape::Tuple(elements) => elements.iter().enumerate().try_for_each(|(i, element)| {
            arrays(element).map_err(|mut violation| {
                violation.path.insert(0, i);
                violation
            })
        }),
    }
}

/// Checks an array shape and its layout, if it has one.
pub fn array(shape: &ArrayShape) -> Result<(), Violation> {
    rank(shape.rank())?;
    sizes(shape)?;
    shape.layout.as_ref().map_or(Ok(()), |l| layout(l, shape))
}

/// Checks [`MAX_DIMENSIONS`]: rule `limit-dimensions`.
pub fn rank(rank: usize) -> Result<(), Violation> {
    if rank <= MAX_DIMENSIONS {
        return Ok(());
    }
    let message = Message::new("limit-dimensions").with("rank", rank).with("limit", MAX_DIMENSIONS);
    Err(Violation::new("limit-dimensions", ShapePart::DimensionsFrom(MAX_DIMENSIONS), message))
}

/// Checks the dimensions only: none is negative, and the product of the non-zero sizes and the element's bytes fits an
/// `i64`, even if a size of 0 makes the array empty.
pub fn sizes(shape: &ArrayShape) -> Result<(), Violation> {
    let bound = |d: usize| {
        // An unbounded dimension does not count.
        if shape.dynamic_of(d) == Dynamic::Unbounded { 1 } else { shape.dimensions[d] }
    };
    for d in 0..shape.rank() {
        if bound(d) < 0 {
            let message = Message::new("shape-negative-size").with("dimension", d).with("size", bound(d));
            return Err(Violation::new("shape-2", ShapePart::Dimension(d), message));
        }
    }
    let bytes = (0..shape.rank())
        .map(bound)
        .filter(|size| *size != 0)
        .try_fold(1_i64, i64::checked_mul)
        .and_then(|elements| elements.checked_mul(shape.element_type.bytes()));
    match bytes {
        Some(_) => Ok(()),
        None => Err(Violation::new("shape-3", ShapePart::Dimensions, Message::new("shape-too-large"))),
    }
}

/// Checks `layout` against the array `shape` (whose own layout is ignored).
pub fn layout(layout: &Layout, shape: &ArrayShape) -> Result<(), Violation> {
    let rank = shape.rank();
    order(layout, rank)?;
    padding(layout, shape)?;
    properties(layout)?;
    tiles(layout)?;
    if layout.element_size_in_bits < 0 {
        let message = Message::new("layout-element-size").with("bits", layout.element_size_in_bits);
        return Err(Violation::new("layout-11", ShapePart::ElementSize, message));
    }
    splits(layout, shape)?;
    slots(layout, shape)
}

/// Rules 2 to 4: `minor_to_major` is a permutation of the dimension numbers.
fn order(layout: &Layout, rank: usize) -> Result<(), Violation> {
    let given = layout.minor_to_major.len();
    if given != rank {
        let message = Message::new("layout-length").with("rank", rank).with("entries", given);
        return Err(Violation::new("layout-2", ShapePart::MinorToMajor, message));
    }
    for (k, &d) in layout.minor_to_major.iter().enumerate() {
        if usize::try_from(d).map_or(true, |d| d >= rank) {
            let message = Message::new("layout-out-of-range").with("dimension", d).with("rank", rank);
            return Err(Violation::new("layout-3", ShapePart::MinorToMajorEntry(k), message));
        }
    }
    let mut seen = vec![false; rank];
    for (k, &d) in layout.minor_to_major.iter().enumerate() {
        let used = usize::try_from(d).ok().and_then(|d| seen.get_mut(d));
        if used.is_none_or(|used| std::mem::replace(used, true)) {
            let message = Message::new("layout-repeated").with("dimension", d);
            return Err(Violation::new("layout-4", ShapePart::MinorToMajorEntry(k), message));
        }
    }
    Ok(())
}

/// Rules 5 and 6: legacy `padded_dimensions`. An empty list means no padding.
fn padding(layout: &Layout, shape: &ArrayShape) -> Result<(), Violation> {
    let Some(padding) = layout.padding.as_ref().filter(|p| !p.dimensions.is_empty()) else { return Ok(()) };
    let (rank, given) = (shape.rank(), padding.dimensions.len());
    if given != rank {
        let message = Message::new("layout-padded-length").with("rank", rank).with("entries", given);
        return Err(Violation::new("layout-5", ShapePart::Padded, message));
    }
    for (d, (&padded, &size)) in padding.dimensions.iter().zip(&shape.dimensions).enumerate() {
        if padded < size {
            let message = Message::new("layout-padded-small")
                .with("dimension", d)
                .with("padded", padded)
                .with("size", size);
            return Err(Violation::new("layout-6", ShapePart::PaddedEntry(d), message));
        }
    }
    if !layout.tiles.is_empty() {
        let message = Message::new("layout-padded-tiled");
        return Err(Violation::new("layout-padded-tiled", ShapePart::Padded, message));
    }
    Ok(())
}

/// Rules 7 and 8: tail alignment, and no properties of sparse arrays.
fn properties(layout: &Layout) -> Result<(), Violation> {
    if layout.tail_padding_alignment <= 0 {
        let message = Message::new("layout-tail").with("alignment", layout.tail_padding_alignment);
        return Err(Violation::new("layout-7", ShapePart::TailPaddingAlignment, message));
    }
    let sparse = [
        (layout.index_type.is_some(), ShapePart::IndexType),
        (layout.pointer_type.is_some(), ShapePart::PointerType),
        (layout.physical_shape.is_some(), ShapePart::PhysicalShape),
    ];
    match sparse.into_iter().find(|(set, _)| *set) {
        Some((_, part)) => Err(Violation::new("layout-8", part, Message::new("layout-sparse"))),
        None => Ok(()),
    }
}

/// Rules 9 and 10: a tile has sizes, all positive or `*`; `*` has a more minor dimension to merge into.
fn tiles(layout: &Layout) -> Result<(), Violation> {
    if layout.tiles.len() > MAX_TILES {
        let message = Message::new("limit-tiles").with("tiles", layout.tiles.len()).with("limit", MAX_TILES);
        return Err(Violation::new("limit-tiles", ShapePart::TilesFrom(MAX_TILES), message));
    }
    let mut sizes = 0;
    for (t, tile) in layout.tiles.iter().enumerate() {
        let remaining = MAX_TILE_SIZES - sizes;
        if tile.0.len() > remaining {
            let count: usize = layout.tiles.iter().map(|tile| tile.0.len()).sum();
            let message = Message::new("limit-tile-sizes").with("sizes", count).with("limit", MAX_TILE_SIZES);
            // A tile needs a size, so the fix removes a tile that would lose all sizes.
            let part =
                if remaining == 0 { ShapePart::TilesFrom(t) } else { ShapePart::TileSizesFrom(t, remaining) };
            return Err(Violation::new("limit-tile-sizes", part, message));
        }
        sizes += tile.0.len();
    }
    for (t, tile) in layout.tiles.iter().enumerate() {
        if tile.0.is_empty() {
            return Err(Violation::new("layout-9", ShapePart::Tile(t), Message::new("layout-tile-empty")));
        }
        for (i, size) in tile.0.iter().enumerate() {
            if let TileDim::Size(size) = size
                && *size <= 0
            {
                let message = Message::new("layout-tile-size").with("size", *size);
                return Err(Violation::new("layout-10", ShapePart::TileEntry(t, i), message));
            }
        }
        if tile.0.last() == Some(&TileDim::Combine) {
            let part = ShapePart::TileEntry(t, tile.0.len() - 1);
            return Err(Violation::new("layout-10", part, Message::new("layout-tile-combine-last")));
        }
    }
    Ok(())
}

/// Rules 12 and 13: splits name each physical dimension at most once, at increasing indices within its size.
fn splits(layout: &Layout, shape: &ArrayShape) -> Result<(), Violation> {
    let rank = shape.rank();
    let mut is_split = vec![false; if layout.split_configs.is_empty() { 0 } else { rank }];
    for (i, split) in layout.split_configs.iter().enumerate() {
        let physical = usize::try_from(split.dimension).ok().filter(|d| {
            // False if out of range or repeated.
            is_split.get_mut(*d).is_some_and(|is_split| !std::mem::replace(is_split, true))
        });
        let Some(physical) = physical else {
            let message =
                Message::new("layout-split-dimension").with("dimension", split.dimension).with("rank", rank);
            return Err(Violation::new("layout-12", ShapePart::Split(i), message));
        };
        // Physical dimension 0 is the most major one: the last entry of minor_to_major.
        let logical = usize::try_from(layout.minor_to_major[rank - 1 - physical])
            .or_bug(0, "an invalid order was not rejected");
        let size = shape.dimensions[logical];
        let increasing = split.indices.windows(2).all(|w| w[0] < w[1]);
        if !increasing || split.indices.iter().any(|index| *index <= 0 || *index >= size) {
            let message =
                Message::new("layout-split-indices").with("dimension", split.dimension).with("size", size);
            return Err(Violation::new("layout-13", ShapePart::Split(i), message));
        }
    }
    Ok(())
}

/// The number of slots, with padding, tiles and tail alignment, and of their bits fits an `i64`: XLA's overflow rule
/// for shapes applied to layouts. Non-zero sizes must fit even if a size of 0 makes the array empty.
fn slots(layout: &Layout, shape: &ArrayShape) -> Result<(), Violation> {
    let fits = || -> Option<()> {
        let padded = layout.padding.as_ref().filter(|p| !p.dimensions.is_empty()).map(|p| &p.dimensions);
        let sizes = padded.unwrap_or(&shape.dimensions);
        let mut slots = 1_i64;
        for size in sizes.iter().filter(|size| **size > 0) {
            slots = slots.checked_mul(*size)?;
        }
        for tile in &layout.tiles {
            for size in &tile.0 {
                // An upper bound: rounding a dimension up to a multiple of n multiplies the count by less than n.
                if let TileDim::Size(size) = size {
                    slots = slots.checked_mul(*size)?;
                }
            }
        }
        let bits = if layout.element_size_in_bits > 0 {
            layout.element_size_in_bits
        } else {
            shape.element_type.bytes().checked_mul(8)?
        };
        slots.checked_add(layout.tail_padding_alignment)?.checked_mul(bits)?;
        Some(())
    };
    fits()
        .ok_or_else(|| Violation::new("layout-slots", ShapePart::MinorToMajor, Message::new("layout-slots")))
}
