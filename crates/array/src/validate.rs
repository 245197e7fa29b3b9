//! The rules a shape and its layout must keep, checked in XLA's order: the first one broken is reported.
//!
//! Source: `ShapeUtil::ValidateShape` and `LayoutUtil::ValidateLayoutForShape`, today's and 2017's. Rules are
//! labelled `layout-1` … `layout-13` and `shape-1` …; `limit-…` are limits of this implementation, which bound the
//! work that a short text can cause. A [`Violation`] names the place by field, and [`super::text`] turns it into a
//! diagnostic with a span and an edit.

use std::fmt;

use super::{ArrayShape, Dynamic, Layout, Shape, TileDim};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// The most dimensions of an array. XLA has no such limit, but much of the work per element is linear in the rank.
pub const MAX_DIMENSIONS: usize = 256;

/// The most tiles of a layout. XLA has no such limit, but every tile adds dimensions to each step of the index.
pub const MAX_TILES: usize = 16;

/// The most sizes of all tiles of a layout together.
pub const MAX_TILE_SIZES: usize = 64;

/// The most leaves of a tuple, at any depth; an empty tuple counts as one.
pub const MAX_LEAVES: usize = 1 << 16;

/// How deep tuples may be nested.
pub const MAX_DEPTH: usize = 64;

/// The part of an array shape that breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The tuple as a whole.
    Tuple,
    /// All dimensions together.
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
    /// One tile.
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

/// A rule that a shape breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule's label, as `layout-4`.
    pub rule: &'static str,
    /// The element of the tuple it is in, as indices from the outermost tuple inwards; empty outside tuples.
    pub path: Vec<usize>,
    /// Where in that array shape.
    pub place: Place,
    /// What is wrong.
    pub message: Message,
}

impl Violation {
    fn new(rule: &'static str, place: Place, message: Message) -> Self {
        Self { rule, path: Vec::new(), place, message }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.message, self.rule)
    }
}

impl std::error::Error for Violation {}

/// Checks a shape and every layout in it; a missing layout means the default one
/// (`ValidateShapeWithOptionalLayout`).
pub fn shape(shape: &Shape) -> Result<(), Violation> {
    extent(shape)?;
    parts(shape)
}

/// Checks [`MAX_LEAVES`] and [`MAX_DEPTH`], in constant time: rules `limit-leaves` and `limit-depth`.
pub fn extent(shape: &Shape) -> Result<(), Violation> {
    let (leaves, depth) = (shape.leaves(), shape.depth());
    if depth > MAX_DEPTH {
        let message = Message::new("limit-depth").with("depth", depth).with("limit", MAX_DEPTH);
        return Err(Violation::new("limit-depth", Place::Tuple, message));
    }
    if leaves > MAX_LEAVES {
        // A count that does not fit is shown as the largest one.
        let message = Message::new("limit-leaves").with("leaves", leaves).with("limit", MAX_LEAVES);
        return Err(Violation::new("limit-leaves", Place::Tuple, message));
    }
    Ok(())
}

fn parts(shape: &Shape) -> Result<(), Violation> {
    match shape {
        Shape::Array(of) => array(of),
        Shape::Buffer(of) => array(of),
        Shape::Token | Shape::Opaque => Ok(()),
        Shape::Tuple(elements) => elements.iter().enumerate().try_for_each(|(i, element)| {
            parts(element).map_err(|mut violation| {
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
    Err(Violation::new("limit-dimensions", Place::DimensionsFrom(MAX_DIMENSIONS), message))
}

/// Checks the dimensions alone: none negative, and the element and byte counts fit an `i64` even where a
/// dimension of size 0 would hide that they do not.
pub fn sizes(shape: &ArrayShape) -> Result<(), Violation> {
    let bound = |d: usize| {
        // An unbounded dimension takes part in no size computation.
        if shape.dynamic_of(d) == Dynamic::Unbounded { 1 } else { shape.dimensions[d] }
    };
    for d in 0..shape.rank() {
        if bound(d) < 0 {
            let message = Message::new("shape-negative-size").with("dimension", d).with("size", bound(d));
            return Err(Violation::new("shape-2", Place::Dimension(d), message));
        }
    }
    let bytes = (0..shape.rank())
        .map(bound)
        .filter(|size| *size != 0)
        .try_fold(1_i64, i64::checked_mul)
        .and_then(|elements| elements.checked_mul(shape.element_type.bytes()));
    match bytes {
        Some(_) => Ok(()),
        None => Err(Violation::new("shape-3", Place::Dimensions, Message::new("shape-too-large"))),
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
        return Err(Violation::new("layout-11", Place::ElementSize, message));
    }
    splits(layout, shape)?;
    cells(layout, shape)
}

/// Rules 2 to 4: `minor_to_major` is a permutation of the dimension numbers.
fn order(layout: &Layout, rank: usize) -> Result<(), Violation> {
    let given = layout.minor_to_major.len();
    if given != rank {
        let message = Message::new("layout-length").with("rank", rank).with("entries", given);
        return Err(Violation::new("layout-2", Place::MinorToMajor, message));
    }
    for (k, &d) in layout.minor_to_major.iter().enumerate() {
        if usize::try_from(d).map_or(true, |d| d >= rank) {
            let message = Message::new("layout-out-of-range").with("dimension", d).with("rank", rank);
            return Err(Violation::new("layout-3", Place::MinorToMajorEntry(k), message));
        }
    }
    let mut is_used = vec![false; rank];
    for (k, &d) in layout.minor_to_major.iter().enumerate() {
        let used = usize::try_from(d).ok().and_then(|d| is_used.get_mut(d));
        if used.is_none_or(|used| std::mem::replace(used, true)) {
            let message = Message::new("layout-repeated").with("dimension", d);
            return Err(Violation::new("layout-4", Place::MinorToMajorEntry(k), message));
        }
    }
    Ok(())
}

/// Rules 5 and 6: `padded_dimensions` of 2017. An empty list is no padding at all.
fn padding(layout: &Layout, shape: &ArrayShape) -> Result<(), Violation> {
    let Some(padding) = layout.padding.as_ref().filter(|p| !p.dimensions.is_empty()) else { return Ok(()) };
    let (rank, given) = (shape.rank(), padding.dimensions.len());
    if given != rank {
        let message = Message::new("layout-padded-length").with("rank", rank).with("entries", given);
        return Err(Violation::new("layout-5", Place::Padded, message));
    }
    for (d, (&padded, &size)) in padding.dimensions.iter().zip(&shape.dimensions).enumerate() {
        if padded < size {
            let message = Message::new("layout-padded-small")
                .with("dimension", d)
                .with("padded", padded)
                .with("size", size);
            return Err(Violation::new("layout-6", Place::PaddedEntry(d), message));
        }
    }
    if !layout.tiles.is_empty() {
        let message = Message::new("layout-padded-tiled");
        return Err(Violation::new("layout-padded-tiled", Place::Padded, message));
    }
    Ok(())
}

/// Rules 7 and 8: tail alignment, and nothing that only sparse arrays have.
fn properties(layout: &Layout) -> Result<(), Violation> {
    if layout.tail_padding_alignment <= 0 {
        let message = Message::new("layout-tail").with("alignment", layout.tail_padding_alignment);
        return Err(Violation::new("layout-7", Place::TailPaddingAlignment, message));
    }
    let sparse = [
        (layout.index_type.is_some(), Place::IndexType),
        (layout.pointer_type.is_some(), Place::PointerType),
        (layout.physical_shape.is_some(), Place::PhysicalShape),
    ];
    match sparse.into_iter().find(|(set, _)| *set) {
        Some((_, place)) => Err(Violation::new("layout-8", place, Message::new("layout-sparse"))),
        None => Ok(()),
    }
}

/// Rules 9 and 10: a tile has sizes, all positive or `*`; `*` has a more minor dimension to merge into.
fn tiles(layout: &Layout) -> Result<(), Violation> {
    if layout.tiles.len() > MAX_TILES {
        let message = Message::new("limit-tiles").with("tiles", layout.tiles.len()).with("limit", MAX_TILES);
        return Err(Violation::new("limit-tiles", Place::TilesFrom(MAX_TILES), message));
    }
    let mut sizes = 0;
    for (t, tile) in layout.tiles.iter().enumerate() {
        let left = MAX_TILE_SIZES - sizes;
        if tile.0.len() > left {
            let count: usize = layout.tiles.iter().map(|tile| tile.0.len()).sum();
            let message = Message::new("limit-tile-sizes").with("sizes", count).with("limit", MAX_TILE_SIZES);
            // A tile needs a size: one that keeps none is removed as a whole.
            let place = if left == 0 { Place::TilesFrom(t) } else { Place::TileSizesFrom(t, left) };
            return Err(Violation::new("limit-tile-sizes", place, message));
        }
        sizes += tile.0.len();
    }
    for (t, tile) in layout.tiles.iter().enumerate() {
        if tile.0.is_empty() {
            return Err(Violation::new("layout-9", Place::Tile(t), Message::new("layout-tile-empty")));
        }
        for (i, size) in tile.0.iter().enumerate() {
            if let TileDim::Size(size) = size
                && *size <= 0
            {
                let message = Message::new("layout-tile-size").with("size", *size);
                return Err(Violation::new("layout-10", Place::TileEntry(t, i), message));
            }
        }
        if tile.0.last() == Some(&TileDim::Combine) {
            let place = Place::TileEntry(t, tile.0.len() - 1);
            return Err(Violation::new("layout-10", place, Message::new("layout-tile-combine-last")));
        }
    }
    Ok(())
}

/// Rules 12 and 13: splits name physical dimensions once each, at increasing places inside them.
fn splits(layout: &Layout, shape: &ArrayShape) -> Result<(), Violation> {
    let rank = shape.rank();
    let mut is_split = vec![false; if layout.split_configs.is_empty() { 0 } else { rank }];
    for (i, split) in layout.split_configs.iter().enumerate() {
        let physical = usize::try_from(split.dimension).ok().filter(|d| {
            // Outside the rank, or for the second time.
            is_split.get_mut(*d).is_some_and(|split| !std::mem::replace(split, true))
        });
        let Some(physical) = physical else {
            let message =
                Message::new("layout-split-dimension").with("dimension", split.dimension).with("rank", rank);
            return Err(Violation::new("layout-12", Place::Split(i), message));
        };
        // Physical dimension 0 is the most major one: the last entry of minor_to_major.
        let logical =
            usize::try_from(layout.minor_to_major[rank - 1 - physical]).or_bug(0, "the order was checked");
        let size = shape.dimensions[logical];
        let increasing = split.indices.windows(2).all(|w| w[0] < w[1]);
        if !increasing || split.indices.iter().any(|index| *index <= 0 || *index >= size) {
            let message =
                Message::new("layout-split-indices").with("dimension", split.dimension).with("size", size);
            return Err(Violation::new("layout-13", Place::Split(i), message));
        }
    }
    Ok(())
}

/// The number of cells with padding, tiles and tail alignment, and their bits, fit an `i64` (XLA's overflow rule
/// applied to what the layout adds; a size 0 does not hide it).
fn cells(layout: &Layout, shape: &ArrayShape) -> Result<(), Violation> {
    let fits = || -> Option<()> {
        let padded = layout.padding.as_ref().filter(|p| !p.dimensions.is_empty()).map(|p| &p.dimensions);
        let sizes = padded.unwrap_or(&shape.dimensions);
        let mut cells = 1_i64;
        for size in sizes.iter().filter(|size| **size > 0) {
            cells = cells.checked_mul(*size)?;
        }
        for tile in &layout.tiles {
            for size in &tile.0 {
                // Rounding one dimension up to a multiple of t multiplies the count by less than t, and by less
                // than 2 where the dimension is at least t: a bound that no layout of use comes near.
                if let TileDim::Size(size) = size {
                    cells = cells.checked_mul(*size)?;
                }
            }
        }
        let bits = if layout.element_size_in_bits > 0 {
            layout.element_size_in_bits
        } else {
            shape.element_type.bytes().checked_mul(8)?
        };
        cells.checked_add(layout.tail_padding_alignment)?.checked_mul(bits)?;
        Some(())
    };
    fits().ok_or_else(|| Violation::new("layout-cells", Place::MinorToMajor, Message::new("layout-cells")))
}
