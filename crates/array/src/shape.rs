//! Shapes and layouts: arrays, tuples, and the values that are neither (tokens, opaques, buffers).
//!
//! Both are what was written and may break rules: [`super::validate`] checks them, and
//! [`super::memory::MemoryMap`] is only made of a layout that keeps them. An array's shape has a layout, the layout of a
//! sparse array a physical shape, and a tuple shares the shapes of its elements, which is why all of them are here.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Dims, Dynamic, ElementType, Padding, PaddingValue, SplitConfig, Tile, TileDim};

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
    /// `token[]`: orders side effects, holds nothing.
    Token,
    /// `opaque[]`: something the compiler does not look into.
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

    /// The number of parts that are no tuples, where an empty tuple counts as one; 1 for what is no tuple. Takes
    /// constant time.
    pub fn leaves(&self) -> usize {
        if let Self::Tuple(elements) = self { elements.leaves() } else { 1 }
    }

    /// How many tuples are nested in each other; 0 for what is no tuple. Takes constant time.
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

/// Element type, dimensions and, where one is given, the layout of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayShape {
    /// The type of the elements.
    pub element_type: ElementType,
    /// The size (bound, where dynamic) of each dimension, in elements.
    pub dimensions: Dims,
    /// One entry a dimension, or empty where all dimensions are static.
    pub dynamic: SmallVec<[Dynamic; 6]>,
    /// The layout in memory; `None` where none is given.
    pub layout: Option<Layout>,
}

impl ArrayShape {
    /// The size that means `?`, as in XLA: no array has it.
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

    /// Whether the size of dimension `d` is known; static where nothing is said.
    pub fn dynamic_of(&self, d: usize) -> Dynamic {
        self.dynamic.get(d).copied().unwrap_or_default()
    }

    /// Whether every dimension is static.
    pub fn is_static(&self) -> bool {
        self.dynamic.iter().all(|d| *d == Dynamic::Static)
    }

    /// The number of elements, 1 for a scalar; `None` where it does not fit an `i64` or a dimension has no bound.
    pub fn elements(&self) -> Option<i64> {
        // A zero makes the product zero, but must not hide an overflow of the others: XLA refuses those.
        let mut product = 1_i64;
        for size in self.dimensions.iter().copied().filter(|size| *size != 0) {
            product = product.checked_mul(if size < 0 { return None } else { size })?;
        }
        Some(if self.dimensions.contains(&0) { 0 } else { product })
    }
}

/// How an array lies in memory: the order of its dimensions, padding, tiles and storage properties.
///
/// Both editions live in one type. The `Layout` of 2017 has `minor_to_major`, `padded_dimensions` and `padding_value`
/// (document "Shapes and layout"); today's has no padding of that kind but tiles and the other properties.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Dimension numbers, the most minor first.
    pub minor_to_major: Dims,
    /// The padding of 2017, if any.
    pub padding: Option<Padding>,
    /// `T(…)(…)`: tiles, the outermost first.
    pub tiles: SmallVec<[Tile; 2]>,
    /// `L(n)`: the number of cells is rounded up to a multiple of n; 1 by default.
    pub tail_padding_alignment: i64,
    /// `#(type)`: index type of a sparse array; invalid on dense ones.
    pub index_type: Option<ElementType>,
    /// `*(type)`: pointer type of a sparse array; invalid on dense ones.
    pub pointer_type: Option<ElementType>,
    /// `E(n)`: bits an element is stored in; 0 means the type's own whole bytes.
    pub element_size_in_bits: i64,
    /// `S(n)`: memory space; 0 is the default one.
    pub memory_space: i64,
    /// `SC(…)`: splits.
    pub split_configs: SmallVec<[SplitConfig; 1]>,
    /// `P(shape)`: physical shape of a sparse array; invalid on dense ones.
    pub physical_shape: Option<Box<Shape>>,
    /// `M(n)`: bytes of dynamic-shape metadata before the data.
    pub dynamic_shape_metadata_prefix_bytes: i64,
}

impl Layout {
    /// The layout of this order and nothing else (`MakeLayout`).
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

    /// "Dim 0 is major": N-1, …, 0, row-major at rank 2; the default layout.
    pub fn descending(rank: usize) -> Self {
        Self::new((0..i64::try_from(rank).unwrap_or(i64::MAX)).rev())
    }

    /// "Dim 0 is minor": 0, …, N-1, column-major at rank 2.
    pub fn ascending(rank: usize) -> Self {
        Self::new(0..i64::try_from(rank).unwrap_or(i64::MAX))
    }

    /// The same layout padded to these sizes.
    #[must_use]
    pub fn padded(mut self, dimensions: impl IntoIterator<Item = i64>, value: PaddingValue) -> Self {
        self.padding = Some(Padding { dimensions: dimensions.into_iter().collect(), value });
        self
    }

    /// The same layout with one more tile inside the others.
    #[must_use]
    pub fn tiled(mut self, sizes: impl IntoIterator<Item = i64>) -> Self {
        self.tiles.push(Tile(sizes.into_iter().map(TileDim::Size).collect()));
        self
    }

    /// Whether nothing but `minor_to_major` is set: the braces hold no colon.
    pub fn has_only_order(&self) -> bool {
        let plain = Self { padding: self.padding.clone(), ..Self::new(self.minor_to_major.iter().copied()) };
        *self == plain
    }
}

/// The shapes of the elements of a tuple, shared so that a tuple of tuples costs one reference each.
///
/// A chain of `x = tuple(y, y)` doubles the leaves with every instruction. The elements are therefore reference
/// counted, and every tuple stores how many leaves it has and how deep it is nested: both are known without visiting
/// the leaves, and [`super::validate::extent`] refuses a shape before anything walks it.
#[derive(Clone)]
pub struct Elements(Arc<Shared>);

struct Shared {
    shapes: Vec<Shape>,
    leaves: usize,
    depth: usize,
}

/// Up to this depth, elements are dropped by recursion.
const RECURSION_DEPTH: usize = 128;

impl Elements {
    /// The number of parts that are no tuples, where an empty tuple counts as one; `usize::MAX` if it does not fit.
    pub fn leaves(&self) -> usize {
        self.0.leaves
    }

    /// How many tuples are nested in each other, this one included.
    pub fn depth(&self) -> usize {
        self.0.depth
    }

    /// Whether both share one allocation, which makes them equal without a comparison.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Changes the elements in place; those shared with other tuples are copied first.
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
        let mut left = std::mem::take(&mut self.shapes);
        while let Some(shape) = left.pop() {
            if let Shape::Tuple(elements) = shape
                && let Some(mut shared) = Arc::into_inner(elements.0)
            {
                left.append(&mut shared.shapes);
            }
        }
    }
}

#[cfg(test)]
mod tests;
