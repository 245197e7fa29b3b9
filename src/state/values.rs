//! What the elements of an array hold, as a function of their number: nothing is stored that can be computed.

use std::sync::Arc;

use super::document::Values;
use crate::array::literal::typed::parse_values;
use crate::array::value::Value;
use crate::array::{ArrayLiteral, ArrayShape, Class, Dims, ElementType};
use crate::diagnostic::Diagnostic;

/// The elements of an array, ready to be asked for.
#[derive(Clone, Debug)]
pub struct ValueSource {
    element_type: ElementType,
    rule: Rule,
}

#[derive(Clone, Debug)]
enum Rule {
    Letters,
    Iota,
    Random(u32),
    /// Zeros, where what was typed could not be read.
    Zero,
    Literal(Arc<ArrayLiteral>),
}

impl ValueSource {
    /// The elements of an array of this shape, and what is wrong with typed ones; missing ones are zero.
    pub fn new(values: &Values, shape: &ArrayShape) -> (Self, Option<Diagnostic>) {
        let mut problem = None;
        let rule = match values {
            Values::Letters => Rule::Letters,
            Values::Iota => Rule::Iota,
            Values::Random(seed) => Rule::Random(*seed),
            Values::Typed(text) => {
                let read = parse_values(text, shape.element_type, &shape.dimensions);
                problem = read.diagnostics.into_iter().next();
                read.value.map_or(Rule::Zero, |literal| Rule::Literal(Arc::new(literal)))
            }
        };
        (Self { element_type: shape.element_type, rule }, problem)
    }

    /// The elements of a literal.
    pub fn of(literal: Arc<ArrayLiteral>) -> Self {
        Self { element_type: literal.element_type(), rule: Rule::Literal(literal) }
    }

    /// The value of element number `number` in logical row-major order; letters stand for their numbers.
    pub fn value(&self, number: i64) -> Value {
        let element_type = self.element_type;
        match &self.rule {
            Rule::Letters | Rule::Iota => Value::Int(number).convert(element_type),
            Rule::Random(seed) => random(*seed, number, element_type),
            Rule::Zero => Value::Int(0).convert(element_type),
            Rule::Literal(literal) => {
                let sizes = &literal.shape().dimensions;
                let (mut index, mut rest) = (Dims::from_elem(0, sizes.len()), number);
                for (e, size) in index.iter_mut().zip(sizes).rev() {
                    (*e, rest) = (rest % (*size).max(1), rest / (*size).max(1));
                }
                literal.get(&index).unwrap_or(Value::Int(0))
            }
        }
    }

    /// The value of the element of an index, whose number `number` gives where it is needed.
    pub fn value_at(&self, index: &[i64], number: impl FnOnce() -> i64) -> Value {
        match &self.rule {
            Rule::Literal(literal) => literal.get(index).unwrap_or(Value::Int(0)),
            _ => self.value(number()),
        }
    }

    /// The literal that holds the elements, if one does.
    pub fn literal(&self) -> Option<&ArrayLiteral> {
        if let Rule::Literal(literal) = &self.rule { Some(literal) } else { None }
    }

    /// Whether elements are shown as letters.
    pub fn is_lettered(&self) -> bool {
        matches!(self.rule, Rule::Letters)
    }

    /// Whether every element is its own, so that only looking at all tells their range.
    pub fn is_given(&self) -> bool {
        matches!(self.rule, Rule::Literal(_))
    }
}

/// Element `number` of the stream of `seed`: `SplitMix64` (Steele, Lea, Flood 2014), used as a hash. Floats are
/// hundredths in -1 … 1, integers two digits at most, so that they can be read in a cell.
fn random(seed: u32, number: i64, element_type: ElementType) -> Value {
    let draw = |salt: u64| {
        let mut z = (u64::from(seed) << 40 ^ number.unsigned_abs() << 1 ^ salt)
            .wrapping_add(1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let hundredths = |salt: u64| i32::try_from(draw(salt) % 201).map_or(0.0, |n| f64::from(n - 100) / 100.0);
    match element_type.class() {
        Class::Boolean => Value::Pred(draw(0) & 1 == 1),
        Class::Float if element_type == ElementType::F8E8M0FNU => {
            Value::Float(hundredths(0).exp2()).convert(element_type)
        }
        Class::Float => Value::Float(hundredths(0)).convert(element_type),
        Class::Complex => Value::Complex(hundredths(0), hundredths(1)).convert(element_type),
        Class::Signed | Class::Unsigned => {
            let (low, high) = crate::array::value::integer_range(element_type).unwrap_or((0, 1));
            let (low, high) = (low.max(-99), high.min(99));
            let n = low + i128::from(draw(0)) % (high - low + 1);
            i64::try_from(n).map_or(Value::Int(0), Value::Int).convert(element_type)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_found_by_number_and_by_index_and_what_is_missing_is_zero() {
        let shape = ArrayShape::new(ElementType::F32, [2, 2]);
        for (text, last) in [("", 0.0), ("1, 2", 0.0), ("{{1, 2}, {3, 4}}", 4.0), ("{{", 0.0)] {
            let (values, problem) = ValueSource::new(&Values::Typed(text.to_owned()), &shape);
            assert_eq!(problem.is_none(), last > 0.0, "{text:?}");
            assert!(values.value(3).same(Value::Float(last)), "{text:?}: {:?}", values.value(3));
            assert!(values.value_at(&[1, 1], || 3).same(Value::Float(last)), "{text:?}");
        }
    }

    #[test]
    fn random_values_are_the_same_everywhere_and_fit_their_type() {
        assert_eq!(random(1, 0, ElementType::S32), random(1, 0, ElementType::S32));
        assert_ne!(
            (0..8).map(|n| random(1, n, ElementType::S32)).collect::<Vec<_>>(),
            (0..8).map(|n| random(2, n, ElementType::S32)).collect::<Vec<_>>()
        );
        for element_type in ElementType::ALL {
            for n in 0..50 {
                let value = random(7, n, *element_type);
                assert!(value.same(value.convert(*element_type)), "{element_type}: {value:?}");
            }
        }
    }
}
