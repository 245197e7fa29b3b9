//! Literals: values of arrays in memory order, of tuples, and of tokens.
//!
//! Invariants: the shape of an [`ArrayLiteral`] is valid and has a layout; its elements are stored in the slots of the
//! layout's [`MemoryMap`](super::MemoryMap), and padding has the layout's padding value (zero if it has none). Text is
//! always in logical row-major order, regardless of the layout.
//!
//! [`storage`] is the memory of a literal, [`relayout`] converts between layouts, [`mod@print`] and [`parse`] have
//! XLA's text form, [`shaped`] a literal after its shape, [`user_input`] values that users type or paste, [`raw`] the
//! transfer of arrays between threads.

pub mod array;
mod equality;
mod error;
mod lexer;
pub mod parse;
pub mod print;
pub mod raw;
mod reader;
pub mod relayout;
pub mod shaped;
mod size;
pub mod storage;
pub mod user_input;

pub use array::{ArrayLiteral, LiteralTemplate};
pub use equality::Equality;
pub use error::LiteralError;
pub use size::{MAX_SLOTS, check_size, slots_of};
pub use storage::{Buffer, Native, NativeElement};

use super::{ArrayShape, ElementType, PaddingValue, Shape, Value};
use xla_messages::i18n::Message;

/// The value of an array, a tuple or a token.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// An array, possibly a scalar.
    Array(ArrayLiteral),
    /// A tuple; may be empty and nested.
    Tuple(Vec<Literal>),
    /// A token, which has no data.
    Token,
}

impl Literal {
    /// A value of this shape with all elements zero.
    ///
    /// # Errors
    ///
    /// Those of [`ArrayLiteral::zeros`]; `literal-size` if the arrays of a tuple have more than [`MAX_SLOTS`] slots in total;
    /// `literal-shape` for opaques and buffers, which have no literals.
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
        LiteralError::new("literal-shape", Message::ops("literal-not-a-value").with("shape", shape))
    }

    /// A scalar of this element type.
    pub fn scalar(element_type: ElementType, value: Value) -> Result<Self, LiteralError> {
        ArrayLiteral::filled(ArrayShape::new(element_type, []), value).map(Self::Array)
    }

    /// The lowest value of a type as a scalar (2017's `LiteralUtil::MinValue`), which no value is below: the initial
    /// value of a maximum. It is -inf for floats that have it, and false for `pred`. `None` for complex types, which
    /// have no order.
    ///
    /// ```
    /// # use xla_array::{ElementType, Literal};
    /// assert_eq!(Literal::min_value(ElementType::F32).map(|l| l.to_string()), Some("-inf".to_owned()));
    /// assert_eq!(Literal::min_value(ElementType::S8).map(|l| l.to_string()), Some("-128".to_owned()));
    /// ```
    pub fn min_value(element_type: ElementType) -> Option<Self> {
        Self::scalar(element_type, Value::of_padding(PaddingValue::Lowest, element_type)?).ok()
    }

    /// The highest value of a type as a scalar (2017's `LiteralUtil::MaxValue`): the initial value of a minimum. Like
    /// [`Literal::min_value`].
    pub fn max_value(element_type: ElementType) -> Option<Self> {
        Self::scalar(element_type, Value::of_padding(PaddingValue::Highest, element_type)?).ok()
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

    /// The same value with the layouts of `shape`.
    ///
    /// # Errors
    ///
    /// `literal-relayout` if the shapes differ in more than their layouts; as [`ArrayLiteral::relayout`].
    pub fn relayout_to(&self, shape: &Shape) -> Result<Self, LiteralError> {
        match (self, shape) {
            (Self::Array(array), Shape::Array(target)) => array.relayout_to(target.clone()).map(Self::Array),
            (Self::Tuple(elements), Shape::Tuple(targets)) if elements.len() == targets.len() => elements
                .iter()
                .zip(targets)
                .map(|(element, target)| element.relayout_to(target))
                .collect::<Result<_, _>>()
                .map(Self::Tuple),
            (Self::Token, Shape::Token) => Ok(Self::Token),
            _ => Err(LiteralError::new("literal-relayout", Message::ops("literal-other-sizes"))),
        }
    }

    /// Whether both have the same structure, types, sizes and elements, regardless of layouts.
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
