//! The cells of a literal as they are held, as bytes: to hand an array over from one thread to another, in parts, so
//! that neither has to stop for a large one.
//!
//! Unlike [`ArrayLiteral::to_bytes`] nothing is packed: every cell has the width of the machine's type that holds it.

use std::sync::Arc;

use super::super::{ArrayShape, Class, ElementType, Value};
use super::storage::each_buffer;
use super::{ArrayLiteral, Buffer, LiteralError};
use xla_messages::i18n::Message;

/// A type of the machine as little-endian bytes.
trait Raw: Sized + Copy {
    const BYTES: usize;
    fn put(self, bytes: &mut [u8]);
    fn take(bytes: &[u8]) -> Option<Self>;
    /// Its place on a scale: complex numbers by their magnitude.
    fn real(self) -> f64;
}

macro_rules! raw {
    ($($native:ty)*) => {$(
        impl Raw for $native {
            const BYTES: usize = size_of::<Self>();
            fn put(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
            fn take(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(Self::from_le_bytes)
            }
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless, reason = "only a place on a scale")]
            fn real(self) -> f64 {
                self as f64
            }
        }
    )*};
}

raw!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);

impl<T: Raw> Raw for [T; 2] {
    const BYTES: usize = 2 * T::BYTES;
    fn put(self, bytes: &mut [u8]) {
        let (first, second) = bytes.split_at_mut(T::BYTES);
        self[0].put(first);
        self[1].put(second);
    }
    fn take(bytes: &[u8]) -> Option<Self> {
        let (first, second) = bytes.split_at_checked(T::BYTES)?;
        Some([T::take(first)?, T::take(second)?])
    }
    fn real(self) -> f64 {
        self[0].real().hypot(self[1].real())
    }
}

fn put_all<T: Raw>(cells: &[T]) -> Result<Vec<u8>, LiteralError> {
    let length = cells.len().saturating_mul(T::BYTES);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| LiteralError::no_memory(cells.len()))?;
    bytes.resize(length, 0);
    for (cell, bytes) in cells.iter().zip(bytes.chunks_exact_mut(T::BYTES)) {
        cell.put(bytes);
    }
    Ok(bytes)
}

/// Fills cells from `at` on; gives how many.
fn take_all<T: Raw>(cells: &mut [T], at: usize, bytes: &[u8]) -> usize {
    let cells = cells.get_mut(at..).unwrap_or_default();
    let mut taken = 0;
    for (cell, bytes) in cells.iter_mut().zip(bytes.chunks_exact(T::BYTES)) {
        if let Some(value) = T::take(bytes) {
            *cell = value;
        }
        taken += 1;
    }
    taken
}

fn width<T: Raw>(_: &[T]) -> usize {
    T::BYTES
}

type Range = Option<(f64, f64)>;

fn widened(range: Range, value: f64) -> Range {
    if !value.is_finite() {
        return range;
    }
    Some(range.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
}

fn range_of<T: Raw>(cells: &[T]) -> Range {
    cells.iter().fold(None, |range, cell| widened(range, cell.real()))
}

/// Whether what is held is the number and not its code.
fn holds_numbers(buffer: &Buffer, element_type: ElementType) -> bool {
    element_type.class() != Class::Float || matches!(buffer, Buffer::F32(_) | Buffer::F64(_))
}

#[allow(clippy::cast_precision_loss, reason = "only a place on a scale")]
fn real(value: Value) -> f64 {
    match value {
        Value::Pred(value) => f64::from(u8::from(value)),
        Value::Int(value) => value as f64,
        Value::Uint(value) => value as f64,
        Value::Float(value) => value,
        Value::Complex(re, im) => re.hypot(im),
    }
}

impl ArrayLiteral {
    /// Its cells in memory order as they are held, little-endian, padding included. Errors: `literal-memory`.
    pub fn to_raw(&self) -> Result<Vec<u8>, LiteralError> {
        each_buffer!(self.buffer(), cells => put_all(cells))
    }

    /// The smallest and the largest finite element, complex ones by their magnitude; `None` where there is none.
    pub fn finite_range(&self) -> Option<(f64, f64)> {
        if self.map().padding_slots() == 0 && holds_numbers(self.buffer(), self.element_type()) {
            return each_buffer!(self.buffer(), cells => range_of(cells));
        }
        self.cells().flatten().fold(None, |range, value| widened(range, real(value)))
    }
}

/// A literal that is being filled with the bytes of another, as [`ArrayLiteral::to_raw`] gives them, part by part.
#[derive(Debug)]
pub struct LiteralReceiver {
    literal: ArrayLiteral,
    filled: usize,
}

impl LiteralReceiver {
    /// Begins one of this shape. Errors: as [`ArrayLiteral::zeros`].
    pub fn new(shape: ArrayShape) -> Result<Self, LiteralError> {
        ArrayLiteral::zeros(shape).map(|literal| Self { literal, filled: 0 })
    }

    /// The bytes of one cell: parts are multiples of it.
    pub fn cell_bytes(&self) -> usize {
        each_buffer!(self.literal.buffer(), cells => width(cells))
    }

    /// The bytes of all cells.
    pub fn bytes(&self) -> usize {
        self.literal.buffer().len().saturating_mul(self.cell_bytes())
    }

    /// Takes the next part.
    pub fn push(&mut self, bytes: &[u8]) {
        let filled = self.filled;
        self.filled += each_buffer!(self.literal.buffer_mut(), cells => take_all(cells, filled, bytes));
    }

    /// The literal. Errors: `literal-bytes` where bytes are missing.
    pub fn end(self) -> Result<Arc<ArrayLiteral>, LiteralError> {
        let cells = self.literal.buffer().len();
        if self.filled == cells {
            return Ok(Arc::new(self.literal));
        }
        let width = self.cell_bytes();
        let message =
            Message::new("literal-bytes").with("expected", cells * width).with("found", self.filled * width);
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
            let mut filling = LiteralReceiver::new(shape).unwrap();
            assert_eq!(filling.bytes(), bytes.len(), "{element_type}");
            for part in bytes.chunks(4 * filling.cell_bytes()) {
                filling.push(part);
            }
            assert_eq!(*filling.end().unwrap(), literal, "{element_type}");
        }
    }

    #[test]
    fn layouts_and_padding_survive_and_missing_bytes_are_told() {
        let shape = shape("f32[2,3]{0,1:T(2,2)}");
        let literal = ArrayLiteral::from_fn(shape.clone(), |n, _| Value::Int(n)).unwrap();
        let bytes = literal.to_raw().unwrap();
        let mut filling = LiteralReceiver::new(shape.clone()).unwrap();
        filling.push(&bytes);
        assert_eq!(*filling.end().unwrap(), literal);
        let mut filling = LiteralReceiver::new(shape).unwrap();
        filling.push(&bytes[..bytes.len() - 4]);
        assert_eq!(filling.end().unwrap_err().rule, "literal-bytes");
    }

    #[test]
    fn the_range_is_that_of_finite_elements_and_not_of_padding() {
        let range = |text: &str, values: &[f64]| {
            let values = values.iter().map(|value| Value::Float(*value));
            ArrayLiteral::from_values(shape(text), values).unwrap().finite_range()
        };
        let values = [1.0, -2.5, f64::INFINITY, f64::NAN];
        for of in ["f32[4]{0}", "f64[4]{0}", "bf16[4]{0}", "f32[4]{0:T(8)}"] {
            assert_eq!(range(of, &values), Some((-2.5, 1.0)), "{of}");
        }
        assert_eq!(range("f32[1]{0}", &[f64::NAN]), None);
        assert_eq!(range("f32[2]{0} padded[4]=zero", &[3.0, 4.0]), Some((3.0, 4.0)));
        let complex = ArrayLiteral::from_values(shape("c64[1]{0}"), [Value::Complex(3.0, -4.0)]).unwrap();
        assert_eq!(complex.finite_range(), Some((5.0, 5.0)));
    }
}
