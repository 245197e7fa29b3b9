//! The buffer of a literal as bytes, to transfer a large array between threads in parts without blocking either.
//!
//! Unlike [`ArrayLiteral::to_bytes`] nothing is packed: every element has the width of its native type.

use std::sync::Arc;

use super::super::{ArrayShape, Class, ElementType, Value};
use super::storage::match_buffer;
use super::{ArrayLiteral, Buffer, LiteralError};
use crate::value::ValueRange;
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// A native type as little-endian bytes.
trait Raw: Sized + Copy {
    const BYTES: usize;
    fn write(self, bytes: &mut [u8]);
    fn read(bytes: &[u8]) -> Option<Self>;
    /// The value on a colour scale; of a complex number, its magnitude.
    fn real(self) -> f64;
}

macro_rules! raw {
    ($($native:ty)*) => {$(
        impl Raw for $native {
            const BYTES: usize = size_of::<Self>();
            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
            fn read(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(Self::from_le_bytes)
            }
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless, reason = "only for a colour scale")]
            fn real(self) -> f64 {
                self as f64
            }
        }
    )*};
}

raw!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);

impl<T: Raw> Raw for [T; 2] {
    const BYTES: usize = 2 * T::BYTES;
    fn write(self, bytes: &mut [u8]) {
        let (first, second) = bytes.split_at_mut(T::BYTES);
        self[0].write(first);
        self[1].write(second);
    }
    fn read(bytes: &[u8]) -> Option<Self> {
        let (first, second) = bytes.split_at_checked(T::BYTES)?;
        Some([T::read(first)?, T::read(second)?])
    }
    fn real(self) -> f64 {
        self[0].real().hypot(self[1].real())
    }
}

fn to_bytes<T: Raw>(values: &[T]) -> Result<Vec<u8>, LiteralError> {
    let length = values.len().saturating_mul(T::BYTES);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| LiteralError::no_memory(values.len()))?;
    bytes.resize(length, 0);
    for (value, bytes) in values.iter().zip(bytes.chunks_exact_mut(T::BYTES)) {
        value.write(bytes);
    }
    Ok(bytes)
}

/// Overwrites values from `start` on; returns the number of values written.
fn from_bytes<T: Raw>(values: &mut [T], start: usize, bytes: &[u8]) -> usize {
    let Some(values) = values.get_mut(start..) else { return 0 };
    let mut written = 0;
    for (value, bytes) in values.iter_mut().zip(bytes.chunks_exact(T::BYTES)) {
        *value = T::read(bytes).or_bug(*value, "a chunk without the bytes of a value");
        written += 1;
    }
    written
}

fn width<T: Raw>(_: &[T]) -> usize {
    T::BYTES
}

/// Whether a buffer stores values, not the codes of narrow floats.
fn stores_values(buffer: &Buffer, element_type: ElementType) -> bool {
    element_type.class() != Class::Float || matches!(buffer, Buffer::F32(_) | Buffer::F64(_))
}

impl ArrayLiteral {
    /// The buffer, with padding, as little-endian bytes.
    ///
    /// # Errors
    ///
    /// `literal-memory` if the allocation fails.
    pub fn to_raw(&self) -> Result<Vec<u8>, LiteralError> {
        match_buffer!(self.buffer(), values => to_bytes(values))
    }

    /// The range of the elements, in one pass; padding does not count.
    pub fn value_range(&self) -> ValueRange {
        if self.memory_map().padding_slots() == 0 && stores_values(self.buffer(), self.element_type()) {
            return match_buffer!(self.buffer(), values => ValueRange::of(values.iter().map(|value| value.real())));
        }
        ValueRange::of(self.cells().flatten().map(Value::real))
    }
}

/// A literal being received in parts, which are the bytes of [`ArrayLiteral::to_raw`].
#[derive(Debug)]
pub struct LiteralReceiver {
    literal: ArrayLiteral,
    filled: usize,
}

impl LiteralReceiver {
    /// Allocates a literal of this shape.
    ///
    /// # Errors
    ///
    /// Those of [`ArrayLiteral::zeros`].
    pub fn new(shape: ArrayShape) -> Result<Self, LiteralError> {
        ArrayLiteral::zeros(shape).map(|literal| Self { literal, filled: 0 })
    }

    /// Bytes per slot; parts must be multiples of it.
    pub fn slot_bytes(&self) -> usize {
        match_buffer!(self.literal.buffer(), values => width(values))
    }

    /// Bytes of all slots.
    pub fn bytes(&self) -> usize {
        self.literal.buffer().len().saturating_mul(self.slot_bytes())
    }

    /// Writes the next part.
    pub fn push(&mut self, bytes: &[u8]) {
        let filled = self.filled;
        self.filled += match_buffer!(self.literal.buffer_mut(), values => from_bytes(values, filled, bytes));
    }

    /// Returns the complete literal.
    ///
    /// # Errors
    ///
    /// `literal-bytes` if bytes are missing.
    pub fn finish(self) -> Result<Arc<ArrayLiteral>, LiteralError> {
        let slots = self.literal.buffer().len();
        if self.filled == slots {
            return Ok(Arc::new(self.literal));
        }
        let width = self.slot_bytes();
        let message =
            Message::new("literal-bytes").with("expected", slots * width).with("found", self.filled * width);
        Err(LiteralError::new("literal-bytes", message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, text};

    fn shape(text: &str) -> ArrayShape {
        text::parse(text).valid().and_then(crate::Shape::as_array).unwrap().clone()
    }

    #[test]
    fn every_type_survives_in_parts() {
        for element_type in ElementType::ALL {
            let shape = ArrayShape::new(*element_type, [3, 5]).with_layout(Layout::descending(2));
            let literal =
                ArrayLiteral::from_fn(shape.clone(), |n, _| Value::Int(n % 2).convert(*element_type))
                    .unwrap();
            let bytes = literal.to_raw().unwrap();
            let mut receiver = LiteralReceiver::new(shape).unwrap();
            assert_eq!(receiver.bytes(), bytes.len(), "{element_type}");
            for part in bytes.chunks(4 * receiver.slot_bytes()) {
                receiver.push(part);
            }
            assert_eq!(*receiver.finish().unwrap(), literal, "{element_type}");
        }
    }

    #[test]
    fn layouts_and_padding_survive_and_missing_bytes_are_an_error() {
        let shape = shape("f32[2,3]{0,1:T(2,2)}");
        let literal = ArrayLiteral::from_fn(shape.clone(), |n, _| Value::Int(n)).unwrap();
        let bytes = literal.to_raw().unwrap();
        let mut receiver = LiteralReceiver::new(shape.clone()).unwrap();
        receiver.push(&bytes);
        assert_eq!(*receiver.finish().unwrap(), literal);
        let mut receiver = LiteralReceiver::new(shape).unwrap();
        receiver.push(&bytes[..bytes.len() - 4]);
        assert_eq!(receiver.finish().unwrap_err().rule, "literal-bytes");
    }

    #[test]
    fn the_range_is_that_of_finite_elements_and_not_of_padding() {
        let range = |text: &str, values: &[f64]| {
            let values = values.iter().map(|value| Value::Float(*value));
            ArrayLiteral::from_values(shape(text), values).unwrap().value_range()
        };
        let values = [1.0, -2.5, f64::INFINITY, f64::NAN];
        for of in ["f32[4]{0}", "f64[4]{0}", "bf16[4]{0}", "f32[4]{0:T(8)}"] {
            assert_eq!(
                range(of, &values),
                ValueRange { finite: Some((-2.5, 1.0)), non_finite: [true, true, false] },
                "{of}"
            );
        }
        assert_eq!(range("f32[1]{0}", &[f64::NAN]).finite, None);
        assert_eq!(range("f32[1]{0}", &[f64::NEG_INFINITY]).non_finite, [false, false, true]);
        assert_eq!(range("f32[2]{0} padded[4]=zero", &[3.0, 4.0]).finite, Some((3.0, 4.0)));
        let complex = ArrayLiteral::from_values(shape("c64[1]{0}"), [Value::Complex(3.0, -4.0)]).unwrap();
        assert_eq!(complex.value_range().finite, Some((5.0, 5.0)));
    }
}
