//! Shapes and layouts: of arrays, tuples, tokens, opaques and buffers.
//!
//! Both represent what was written and may be invalid: [`super::validate`] checks them, and a
//! [`super::memory::MemoryMap`] exists only for a valid layout. They are in one module because they contain each other:
//! an array shape has a layout, and the layout of a sparse array has a physical shape.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Dims, Dynamic, ElementType, Padding, PaddingValue, SplitConfig, Tile, TileDim};
use xla_messages::bug::OrBug as _;

/// The shape of a value.
#[allow(
    clippy::large_enum_variant,
    reason = "nearly every shape is an array; a box would cost it an allocation"
)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// An array; a scalar is an array of rank 0.
    Array(ArrayShape),
    /// A tuple of values; may be empty and nested.
    Tuple(Elements),
    /// `token[]`: orders side effects; has no data.
    Token,
    /// `opaque[]`: data that the compiler does not interpret.
    Opaque,
    /// `b(shape)`: a mutable buffer that holds an array.
    Buffer(Box<ArrayShape>),
}

impl Shape {
    /// The array's shape, if it is one.
    pub fn as_array(&self) -> Option<&ArrayShape> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The tuple of these elements.
    pub fn tuple(elements: impl IntoIterator<Item = Self>) -> Self {
        Self::Tuple(elements.into_iter().collect())
    }

    /// The number of leaves: parts that are not tuples, and empty tuples; 1 unless this is a tuple. Takes constant
    /// time.
    pub fn leaves(&self) -> usize {
        if let Self::Tuple(elements) = self { elements.leaves() } else { 1 }
    }

    /// The nesting depth of tuples; 0 unless this is a tuple. Takes constant time.
    pub fn depth(&self) -> usize {
        if let Self::Tuple(elements) = self { elements.depth() } else { 0 }
    }

    /// The elements' shapes, if it is a tuple.
    pub fn as_tuple(&self) -> Option<&[Self]> {
        match self {
            Self::Tuple(elements) => Some(elements),
            _ => None,
        }
    }
}

impl From<ArrayShape> for Shape {
    fn from(array: ArrayShape) -> Self {
        Self::Array(array)
    }
}

/// Element type, dimensions and optional layout of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayShape {
    /// The type of the elements.
    pub element_type: ElementType,
    /// The size of each dimension, in elements; of a bounded dynamic one its bound.
    pub dimensions: Dims,
    /// One entry per dimension, or empty if all dimensions are static.
    pub dynamic: SmallVec<[Dynamic; 6]>,
    /// The layout in memory; `None` if none is given.
    pub layout: Option<Layout>,
}

impl ArrayShape {
    /// The size that represents `?`, as in XLA. Not a valid size.
    pub const UNBOUNDED: i64 = i64::MIN;

    /// A static array of these sizes with the default layout (`MakeShape`).
    pub fn new(element_type: ElementType, dimensions: impl IntoIterator<Item = i64>) -> Self {
        let dimensions: Dims = dimensions.into_iter().collect();
        let layout = Some(Layout::descending(dimensions.len()));
        Self { element_type, dimensions, dynamic: SmallVec::new(), layout }
    }

    /// The same array with another layout (`MakeShapeWithLayout`).
    #[must_use]
    pub fn with_layout(mut self, layout: Layout) -> Self {
        self.layout = Some(layout);
        self
    }

    /// The number of dimensions; 0 for a scalar.
    pub fn rank(&self) -> usize {
        self.dimensions.len()
    }

    /// Whether the size of dimension `d` is static; it is if `dynamic` has no entry for it.
    pub fn dynamic_of(&self, d: usize) -> Dynamic {
        self.dynamic.get(d).copied().unwrap_or_default()
    }

    /// Whether every dimension is static.
    pub fn is_static(&self) -> bool {
        self.dynamic.iter().all(|d| *d == Dynamic::Static)
    }

    /// The number of elements, 1 for a scalar; `None` on overflow or if a dimension has no bound.
    pub fn elements(&self) -> Option<i64> {
        // An overflow of the non-zero sizes is an error in XLA even if the product is 0.
        let mut product = 1_i64;
        for size in self.dimensions.iter().copied().filter(|size| *size != 0) {
            product = product.checked_mul(if size < 0 { return None } else { size })?;
        }
        Some(if self.dimensions.contains(&0) { 0 } else { product })
    }
}

/// The memory layout of an array: the order of its dimensions, padding, tiles and storage properties.
///
/// Most layouts are an order only, and large modules have a layout per instruction: the other lists are allocated.
///
/// One type for both editions. The `Layout` of 2017 has `minor_to_major`, `padded_dimensions` and `padding_value`
/// (XLA's document "Shapes and layout"); the current one has tiles and the other properties instead of that padding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Dimension numbers, the most minor first.
    pub minor_to_major: Dims,
    /// Legacy padding (XLA 2017), if any.
    pub padding: Option<Box<Padding>>,
    /// `T(…)(…)`: tiles, the outermost first.
    pub tiles: SmallVec<[Tile; 0]>,
    /// `L(n)`: the number of slots is rounded up to a multiple of n; 1 by default.
    pub tail_padding_alignment: i64,
    /// `#(type)`: index type of a sparse array; invalid on dense ones.
    pub index_type: Option<ElementType>,
    /// `*(type)`: pointer type of a sparse array; invalid on dense ones.
    pub pointer_type: Option<ElementType>,
    /// `E(n)`: bits per element; 0 means the whole bytes of the type.
    pub element_size_in_bits: i64,
    /// `S(n)`: memory space; 0 is the default one.
    pub memory_space: i64,
    /// `SC(…)`: splits.
    pub split_configs: SmallVec<[SplitConfig; 0]>,
    /// `P(shape)`: physical shape of a sparse array; invalid on dense ones.
    pub physical_shape: Option<Box<Shape>>,
    /// `M(n)`: bytes of dynamic-shape metadata before the data.
    pub dynamic_shape_metadata_prefix_bytes: i64,
}

/// A rank as a dimension number.
fn dimension_count(rank: usize) -> i64 {
    i64::try_from(rank).or_bug(0, "a rank exceeds i64")
}

impl Layout {
    /// The layout with this order and no other property (`MakeLayout`).
    pub fn new(minor_to_major: impl IntoIterator<Item = i64>) -> Self {
        Self {
            minor_to_major: minor_to_major.into_iter().collect(),
            padding: None,
            tiles: SmallVec::new(),
            tail_padding_alignment: 1,
            index_type: None,
            pointer_type: None,
            element_size_in_bits: 0,
            memory_space: 0,
            split_configs: SmallVec::new(),
            physical_shape: None,
            dynamic_shape_metadata_prefix_bytes: 0,
        }
    }

    /// N-1, …, 0: dimension 0 is the most major. Row-major, the default layout.
    pub fn descending(rank: usize) -> Self {
        Self::new((0..dimension_count(rank)).rev())
    }

    /// 0, …, N-1: dimension 0 is the most minor. Column-major.
    pub fn ascending(rank: usize) -> Self {
        Self::new(0..dimension_count(rank))
    }

    /// The same layout padded to these sizes.
    #[must_use]
    pub fn padded(mut self, dimensions: impl IntoIterator<Item = i64>, value: PaddingValue) -> Self {
        self.padding = Some(Box::new(Padding { dimensions: dimensions.into_iter().collect(), value }));
        self
    }

    /// The same layout with one more tile inside the others.
    #[must_use]
    pub fn tiled(mut self, sizes: impl IntoIterator<Item = i64>) -> Self {
        self.tiles.push(Tile(sizes.into_iter().map(TileDim::Size).collect()));
        self
    }

    /// Whether only `minor_to_major` and `padding` are set: its text has no `:` properties.
    pub fn has_only_order(&self) -> bool {
        let plain = Self { padding: self.padding.clone(), ..Self::new(self.minor_to_major.iter().copied()) };
        *self == plain
    }
}

/// The shapes of the elements of a tuple, reference counted.
///
/// A chain of `x = tuple(y, y)` doubles the number of leaves with every instruction. Elements are therefore shared, and
/// every tuple stores its number of leaves and its depth, so that [`super::validate::extent`] can reject a shape
/// without walking it.
#[derive(Clone)]
pub struct Elements(Arc<Shared>);

struct Shared {
    shapes: Vec<Shape>,
    leaves: usize,
    depth: usize,
}

/// The depth up to which elements are dropped by recursion; beyond it a loop avoids a stack overflow.
const RECURSION_DEPTH: usize = 128;

impl Elements {
    /// The number of leaves: parts that are not tuples, and empty tuples. Saturates at `usize::MAX`.
    pub fn leaves(&self) -> usize {
        self.0.leaves
    }

    /// The nesting depth of tuples, including this one.
    pub fn depth(&self) -> usize {
        self.0.depth
    }

    /// Whether both share one allocation, so that they are equal without a comparison.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Changes the elements; those shared with other tuples are copied first.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut [Shape]) -> R) -> R {
        let mut shapes = match Arc::get_mut(&mut self.0) {
            Some(shared) => std::mem::take(&mut shared.shapes),
            None => self.to_vec(),
        };
        let result = change(&mut shapes);
        *self = shapes.into();
        result
    }
}

impl From<Vec<Shape>> for Elements {
    fn from(shapes: Vec<Shape>) -> Self {
        let leaves = shapes.iter().map(Shape::leaves).fold(0, usize::saturating_add).max(1);
        let depth = 1 + shapes.iter().map(Shape::depth).max().unwrap_or(0);
        Self(Arc::new(Shared { shapes, leaves, depth }))
    }
}

impl FromIterator<Shape> for Elements {
    fn from_iter<I: IntoIterator<Item = Shape>>(shapes: I) -> Self {
        shapes.into_iter().collect::<Vec<_>>().into()
    }
}

impl Default for Elements {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl Deref for Elements {
    type Target = [Shape];

    fn deref(&self) -> &[Shape] {
        &self.0.shapes
    }
}

impl<'a> IntoIterator for &'a Elements {
    type Item = &'a Shape;
    type IntoIter = std::slice::Iter<'a, Shape>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Elements {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
            || (self.leaves() == other.leaves() && self.depth() == other.depth() && **self == **other)
    }
}

impl Eq for Elements {}

impl Hash for Elements {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.depth <= RECURSION_DEPTH {
            return;
        }
        let mut remaining = std::mem::take(&mut self.shapes);
        while let Some(shape) = remaining.pop() {
            if let Shape::Tuple(elements) = shape
                && let Some(mut shared) = Arc::into_inner(elements.0)
            {
                remaining.append(&mut shared.shapes);
            }
        }
    }
}

#[cfg(test)]
mod tests;
