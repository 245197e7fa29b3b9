//! Shapes: arrays, tuples, and the values that are neither (tokens, opaques, buffers).
//!
//! A shape is what was written: it may break rules, which [`super::validate`] checks.

use smallvec::SmallVec;

use super::{ElementType, Elements, Layout};

/// Sizes or dimension numbers, one entry a dimension; inline up to rank 6.
pub type Dims = SmallVec<[i64; 6]>;

/// Whether a dimension's size is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dynamic {
    /// Its size is the size.
    #[default]
    Static,
    /// `<=n`: the size is an upper bound.
    Bounded,
    /// `?`: no bound; the size is [`ArrayShape::UNBOUNDED`].
    Unbounded,
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
