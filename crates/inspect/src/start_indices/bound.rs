//! The bounds of an array of start indices, and random start indices within them.

use xla_array::literal::LiteralError;
use xla_array::values::random_below;
use xla_array::{ArrayLiteral, ArrayShape, Value};

/// The largest start indices in bounds of an array of them; the smallest is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// That of all elements.
    Same(i64),
    /// Those along a dimension of the array, whose elements are the coordinates of a start.
    Along(usize, Vec<i64>),
}

impl Bound {
    /// The largest start index at an index of the array.
    fn at(&self, index: &[i64]) -> i64 {
        match self {
            Self::Same(max) => *max,
            Self::Along(dimension, limits) => {
                let coordinate = index.get(*dimension).and_then(|at| usize::try_from(*at).ok());
                coordinate.and_then(|at| limits.get(at)).copied().unwrap_or(0)
            }
        }
    }

    /// The largest of all.
    pub fn max(&self) -> i64 {
        match self {
            Self::Same(max) => *max,
            Self::Along(_, limits) => limits.iter().copied().max().unwrap_or(0),
        }
    }

    /// The bound that does not depend on the position: the smallest of the coordinates that can start anywhere.
    pub(super) fn collapsed(&self) -> Self {
        match self {
            Self::Same(max) => Self::Same(*max),
            Self::Along(_, limits) => {
                Self::Same(limits.iter().copied().filter(|max| *max > 0).min().unwrap_or(0))
            }
        }
    }

    /// The start indices that are in bounds of both.
    pub(super) fn meet(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Along(dimension, limits), Self::Along(of_other, others))
                if dimension == of_other && limits.len() == others.len() =>
            {
                Self::Along(*dimension, limits.iter().zip(others).map(|(a, b)| *a.min(b)).collect())
            }
            (Self::Same(max), Self::Along(dimension, limits))
            | (Self::Along(dimension, limits), Self::Same(max)) => {
                Self::Along(*dimension, limits.iter().map(|limit| *limit.min(max)).collect())
            }
            _ => match (self.collapsed(), other.collapsed()) {
                (Self::Same(a), Self::Same(b)) => Self::Same(a.min(b)),
                (same, _) => same,
            },
        }
    }

    /// Random start indices in bounds, a function of the seed and the position.
    ///
    /// # Errors
    ///
    /// The shape is invalid or there is no memory for it.
    pub fn random(&self, shape: &ArrayShape, seed: u32) -> Result<ArrayLiteral, LiteralError> {
        let element_type = shape.element_type;
        ArrayLiteral::from_fn(shape.clone(), |number, index| {
            let max = match xla_array::value::integer_range(element_type) {
                Some((_, max)) => i64::try_from(max).map_or(self.at(index), |max| max.min(self.at(index))),
                None => 0,
            };
            Value::Int(random_below(seed, number, max.saturating_add(1))).convert(element_type)
        })
    }
}
