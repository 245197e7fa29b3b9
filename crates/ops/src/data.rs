//! Values during evaluation: literals with shared parts, so that tuples, calls and loops do not copy arrays.

use std::sync::Arc;

use super::error::OpError;
use xla_array::literal::{Equality, LiteralError, LiteralTemplate};
use xla_array::{ArrayLiteral, Dynamic, Literal, Shape};
use xla_messages::i18n::Message;

/// The value of an instruction.
#[derive(Clone, Debug)]
pub enum Data {
    /// An array, a scalar included.
    Array(Arc<ArrayLiteral>),
    /// A tuple; may be empty and nested.
    Tuple(Arc<[Data]>),
    /// A token, which has no content.
    Token,
}

/// An operand of a checked instruction; `operand-count` if there is none.
pub(super) fn operand<'a>(op: &'static str, operands: &'a [Data], i: usize) -> Result<&'a Data, OpError> {
    operands.get(i).ok_or_else(|| {
        let message = Message::ops("op-operand-count")
            .with("op", op)
            .with("expected", i + 1)
            .with("names", "")
            .with("found", operands.len());
        OpError::new(op, "operand-count", message)
    })
}

/// An operand that must be an array; `operand-count`, `operand-array`.
pub(super) fn operand_array<'a>(
    op: &'static str,
    operands: &'a [Data],
    i: usize,
) -> Result<&'a ArrayLiteral, OpError> {
    let data = operand(op, operands, i)?;
    data.as_array().ok_or_else(|| {
        let shape = data.shape().human_string();
        let message = Message::ops("op-operand-array").with("operand", i).with("shape", shape);
        OpError::new(op, "operand-array", message)
    })
}

impl Data {
    /// The array, if it is one.
    pub fn as_array(&self) -> Option<&ArrayLiteral> {
        if let Self::Array(array) = self { Some(array) } else { None }
    }

    /// The elements, if it is a tuple.
    pub fn as_tuple(&self) -> Option<&[Self]> {
        if let Self::Tuple(elements) = self { Some(elements) } else { None }
    }

    /// The part at a path of tuple indices.
    pub fn part(&self, path: &[usize]) -> Option<&Self> {
        path.iter().try_fold(self, |data, i| data.as_tuple()?.get(*i))
    }

    /// The shape, with the layout of every array in it.
    pub fn shape(&self) -> Shape {
        match self {
            Self::Array(array) => Shape::Array(array.shape().clone()),
            Self::Tuple(elements) => Shape::Tuple(elements.iter().map(Self::shape).collect()),
            Self::Token => Shape::Token,
        }
    }

    /// Whether it has the structure, element types and static sizes of a shape, ignoring layouts.
    pub fn matches_shape(&self, shape: &Shape) -> bool {
        match (self, shape) {
            (Self::Array(array), Shape::Array(expected)) => {
                let array = array.shape();
                array.element_type == expected.element_type
                    && array.dimensions == expected.dimensions
                    && array.dynamic.is_empty()
                    && expected.dynamic.is_empty()
            }
            (Self::Tuple(elements), Shape::Tuple(expected)) => {
                elements.len() == expected.len()
                    && elements.iter().zip(expected).all(|(e, expected)| e.matches_shape(expected))
            }
            (Self::Token, Shape::Token) => true,
            _ => false,
        }
    }

    /// Whether it has the element types, sizes and layouts of a shape; a dynamic bound counts as a size.
    fn has_layouts_of(&self, shape: &Shape) -> bool {
        match (self, shape) {
            (Self::Array(array), Shape::Array(to)) => {
                let own = array.shape();
                (to.layout.is_none() || own.layout == to.layout)
                    && own.dimensions == to.dimensions
                    && own.element_type == to.element_type
            }
            (Self::Tuple(elements), Shape::Tuple(to)) => {
                elements.len() == to.len() && elements.iter().zip(to).all(|(e, to)| e.has_layouts_of(to))
            }
            (Self::Token, Shape::Token) => true,
            _ => false,
        }
    }

    /// The cost of [`Data::relayout_to`]: the slots it copies, and the bytes it allocates.
    pub fn relayout_cost(&self, shape: &Shape) -> (u64, u64) {
        if self.has_layouts_of(shape) {
            return (0, 0);
        }
        match (self, shape) {
            (Self::Array(array), Shape::Array(to)) => {
                let Shape::Array(mut to) = self.bounded_by(&Shape::Array(to.clone())) else { return (0, 0) };
                to.dynamic.clear();
                let Ok(template) = LiteralTemplate::new(to) else { return (0, 0) };
                let map = array.memory_map();
                let cost_per_slot = map.slot_cost().saturating_add(template.slot_cost());
                (map.slot_count().unsigned_abs().saturating_mul(cost_per_slot), template.held_bytes())
            }
            (Self::Tuple(elements), Shape::Tuple(to)) => {
                let costs = elements.iter().zip(to).map(|(element, to)| element.relayout_cost(to));
                costs.fold((0, 0), |(slots, bytes), cost| {
                    (slots.saturating_add(cost.0), bytes.saturating_add(cost.1))
                })
            }
            _ => (0, 0),
        }
    }

    /// The bytes of the arrays with other owners, which [`Data::into_literal`] copies.
    pub fn shared_bytes(&self) -> u64 {
        match self {
            Self::Array(array) if Arc::strong_count(array) > 1 => array.held_bytes(),
            Self::Tuple(elements) => elements.iter().map(Self::shared_bytes).fold(0, u64::saturating_add),
            _ => 0,
        }
    }

    /// Converts to a literal; arrays that are not shared are moved.
    pub fn into_literal(self) -> Literal {
        match self {
            Self::Array(array) => {
                Literal::Array(Arc::try_unwrap(array).unwrap_or_else(|array| (*array).clone()))
            }
            Self::Tuple(elements) => {
                // Elements cannot be moved out of a shared slice: clone the pointers and drop the slice, so that arrays
                // without other owners can be moved.
                let parts: Vec<Self> = elements.to_vec();
                drop(elements);
                Literal::Tuple(parts.into_iter().map(Self::into_literal).collect())
            }
            Self::Token => Literal::Token,
        }
    }

    /// Copies to a literal.
    pub fn to_literal(&self) -> Literal {
        match self {
            Self::Array(array) => Literal::Array((**array).clone()),
            Self::Tuple(elements) => Literal::Tuple(elements.iter().map(Self::to_literal).collect()),
            Self::Token => Literal::Token,
        }
    }

    /// The shape with dynamic bounds replaced by the actual sizes, where these are within the bounds.
    pub fn bounded_by(&self, shape: &Shape) -> Shape {
        match (self, shape) {
            (Self::Array(array), Shape::Array(bound)) => {
                let (sizes, mut shape) = (&array.shape().dimensions, bound.clone());
                let is_actual =
                    |d: usize| sizes[d] <= bound.dimensions[d] && bound.dynamic_of(d) == Dynamic::Bounded;
                if sizes.len() == bound.rank() {
                    for d in (0..sizes.len()).filter(|d| is_actual(*d)) {
                        shape.dimensions[d] = sizes[d];
                    }
                }
                Shape::Array(shape)
            }
            (Self::Tuple(elements), Shape::Tuple(bounds)) if elements.len() == bounds.len() => {
                Shape::Tuple(elements.iter().zip(bounds).map(|(e, bound)| e.bounded_by(bound)).collect())
            }
            _ => shape.clone(),
        }
    }

    /// The same value with the layouts of `shape`, whose dynamic bounds may exceed its sizes; arrays that already have
    /// the layout are shared. `literal-relayout` if the shapes differ in more than their layouts.
    pub fn relayout_to(&self, shape: &Shape) -> Result<Self, LiteralError> {
        if self.has_layouts_of(shape) {
            return Ok(self.clone());
        }
        match (self, shape) {
            (Self::Array(array), Shape::Array(bound))
                if !bound.dynamic.is_empty() && array.shape().dimensions != bound.dimensions =>
            {
                let Shape::Array(mut to) = self.bounded_by(shape) else { return Ok(self.clone()) };
                to.dynamic.clear();
                array.relayout_to(to).map(|array| Self::Array(Arc::new(array)))
            }
            (Self::Array(array), Shape::Array(to)) => {
                array.relayout_to(to.clone()).map(|array| Self::Array(Arc::new(array)))
            }
            (Self::Tuple(elements), Shape::Tuple(to)) if elements.len() == to.len() => elements
                .iter()
                .zip(to)
                .map(|(e, to)| e.relayout_to(to))
                .collect::<Result<_, _>>()
                .map(Self::Tuple),
            // Tokens, and values of another structure.
            _ => self.to_literal().relayout_to(shape).map(Self::from),
        }
    }

    /// Whether both have the same structure, types, sizes and elements, ignoring layouts.
    pub fn equals(&self, other: &Self, equality: Equality) -> bool {
        self.to_literal().equals(&other.to_literal(), equality)
    }
}

impl From<ArrayLiteral> for Data {
    fn from(array: ArrayLiteral) -> Self {
        Self::Array(Arc::new(array))
    }
}

impl From<Literal> for Data {
    fn from(literal: Literal) -> Self {
        match literal {
            Literal::Array(array) => array.into(),
            Literal::Tuple(elements) => Self::Tuple(elements.into_iter().map(Self::from).collect()),
            Literal::Token => Self::Token,
        }
    }
}
