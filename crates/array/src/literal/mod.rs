//! Literals: values of arrays in memory order, of tuples, and of tokens.
//!
//! Invariants: an [`ArrayLiteral`]'s shape keeps every rule and has a layout; its cells lie where the layout's
//! [`MemoryMap`] says, and padding cells hold what the layout's padding rule says (zero
//! where it says nothing). Text is always in logical row-major order, whatever the layout.
//!
//! Read [`storage`] for how cells are held, [`relayout`] for moving them, [`mod@print`] and [`parse`] for XLA's text
//! form, [`shaped`] for a literal behind its shape, [`typed`] for values as people type and paste them, [`raw`] for handing
//! arrays over to another thread.

pub mod array;
mod lexer;
pub mod parse;
pub mod print;
pub mod raw;
mod reader;
pub mod relayout;
pub mod shaped;
pub mod storage;
pub mod typed;

use std::fmt;

pub use array::{ArrayLiteral, LiteralTemplate};
use reader::Reader;
pub use storage::{Buffer, Native};

use super::{ArrayShape, MemoryMap, Shape, Value, Violation};
use xla_messages::i18n::Message;

/// The most cells, padding included, that one literal holds: 2^26, 256 MiB of `f32`. Those of a tuple count together.
pub const MAX_CELLS: i64 = 1 << 26;

/// Why a literal cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralError {
    /// The rule's label, as `literal-size`, or that of the shape's rule.
    pub rule: &'static str,
    /// What is wrong.
    pub message: Message,
}

impl LiteralError {
    fn new(rule: &'static str, message: Message) -> Self {
        Self { rule, message }
    }

    /// The error of values for which no memory is left.
    pub fn no_memory(cells: usize) -> Self {
        Self::new("literal-memory", Message::new("literal-no-memory").with("cells", cells))
    }
}

impl From<Violation> for LiteralError {
    fn from(violation: Violation) -> Self {
        Self { rule: violation.rule, message: violation.message }
    }
}

impl fmt::Display for LiteralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.message, self.rule)
    }
}

impl std::error::Error for LiteralError {}

/// When two elements count as equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equality {
    /// As the machine compares: NaN differs from NaN, -0 equals 0.
    Ieee,
    /// As a reader does: one NaN is like another, -0 differs from 0.
    Same,
    /// By code: NaN payloads count too.
    Bits,
}

impl Equality {
    /// Whether two elements of a type are equal in this sense.
    pub fn holds(self, element_type: super::ElementType, a: Value, b: Value) -> bool {
        match self {
            Self::Ieee => a == b,
            Self::Same => a.same(b),
            Self::Bits => a.to_bits(element_type) == b.to_bits(element_type),
        }
    }
}

/// A value: of an array, a tuple or a token.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// An array, a scalar included.
    Array(ArrayLiteral),
    /// A tuple; may be empty and nested.
    Tuple(Vec<Literal>),
    /// A token, which holds nothing.
    Token,
}

/// The memory slots that a value of this shape takes, padding included; `i64::MAX` if they do not fit.
pub fn cells_of(shape: &Shape) -> i64 {
    match shape {
        // What is wrong with the shape of an array is reported where one is made.
        Shape::Array(array) => MemoryMap::new(array).map_or(0, |map| map.cells()),
        Shape::Buffer(array) => MemoryMap::new(array).map_or(0, |map| map.cells()),
        Shape::Tuple(elements) => elements.iter().map(cells_of).fold(0, i64::saturating_add),
        Shape::Token | Shape::Opaque => 0,
    }
}

/// That the arrays of a tuple take no more than [`MAX_CELLS`] together. Errors: the limits of
/// [`extent`](super::validate::extent), `literal-size`.
pub fn check_size(shape: &Shape) -> Result<(), LiteralError> {
    super::validate::extent(shape)?;
    if shape.as_tuple().is_none() {
        return Ok(());
    }
    let cells = cells_of(shape);
    if cells <= MAX_CELLS {
        return Ok(());
    }
    let message = Message::new("literal-too-large").with("cells", cells).with("limit", MAX_CELLS);
    Err(LiteralError::new("literal-size", message))
}

impl Literal {
    /// A value of this shape whose elements are all zero. Errors: those of [`ArrayLiteral::zeros`], `literal-size`
    /// where the arrays of a tuple take more than [`MAX_CELLS`] together, and `literal-shape` for opaques and buffers,
    /// which have no literals.
    pub fn zeros(shape: &Shape) -> Result<Self, LiteralError> {
        check_size(shape)?;
        Self::zeros_within(shape)
    }

    fn zeros_within(shape: &Shape) -> Result<Self, LiteralError> {
        match shape {
            Shape::Array(array) => ArrayLiteral::zeros(array.clone()).map(Self::Array),
            Shape::Tuple(elements) => {
                elements.iter().map(Self::zeros_within).collect::<Result<_, _>>().map(Self::Tuple)
            }
            Shape::Token => Ok(Self::Token),
            Shape::Opaque => Err(Self::not_a_value("opaque[]")),
            Shape::Buffer(_) => Err(Self::not_a_value("b(…)")),
        }
    }

    fn not_a_value(shape: &str) -> LiteralError {
        LiteralError::new("literal-shape", Message::new("literal-not-a-value").with("shape", shape))
    }

    /// A scalar of this element type.
    pub fn scalar(element_type: super::ElementType, value: Value) -> Result<Self, LiteralError> {
        ArrayLiteral::filled(ArrayShape::new(element_type, []), value).map(Self::Array)
    }

    /// The shape, with the layout of every array in it.
    pub fn shape(&self) -> Shape {
        match self {
            Self::Array(array) => Shape::Array(array.shape().clone()),
            Self::Tuple(elements) => Shape::Tuple(elements.iter().map(Self::shape).collect()),
            Self::Token => Shape::Token,
        }
    }

    /// The array, if it is one.
    pub fn as_array(&self) -> Option<&ArrayLiteral> {
        if let Self::Array(array) = self { Some(array) } else { None }
    }

    /// The elements, if it is a tuple.
    pub fn as_tuple(&self) -> Option<&[Self]> {
        if let Self::Tuple(elements) = self { Some(elements) } else { None }
    }

    /// The same value with the layouts of `shape`. Errors: `literal-relayout` where the shapes differ in more than
    /// their layouts.
    pub fn relayout_to(&self, shape: &Shape) -> Result<Self, LiteralError> {
        match (self, shape) {
            (Self::Array(array), Shape::Array(to)) => array.relayout_to(to.clone()).map(Self::Array),
            (Self::Tuple(elements), Shape::Tuple(to)) if elements.len() == to.len() => elements
                .iter()
                .zip(to)
                .map(|(element, to)| element.relayout_to(to))
                .collect::<Result<_, _>>()
                .map(Self::Tuple),
            (Self::Token, Shape::Token) => Ok(Self::Token),
            _ => Err(LiteralError::new("literal-relayout", Message::new("literal-other-sizes"))),
        }
    }

    /// Whether both have the same structure, types, sizes and elements, whatever the layouts.
    pub fn equals(&self, other: &Self, equality: Equality) -> bool {
        match (self, other) {
            (Self::Array(a), Self::Array(b)) => a.equals(b, equality),
            (Self::Tuple(a), Self::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b, equality))
            }
            (Self::Token, Self::Token) => true,
            _ => false,
        }
    }
}

impl From<ArrayLiteral> for Literal {
    fn from(array: ArrayLiteral) -> Self {
        Self::Array(array)
    }
}
