//! Array literals: construction from logical values, elements by index and by memory slot, bytes in and out.

use std::iter;
use std::sync::Arc;

use super::super::index::Indices;
use super::super::memory::{MemoryMap, SlotKind};
use super::super::value::{read_packed, write_packed};
use super::super::{ArrayShape, Dims, ElementType, Layout, PaddingValue, Value};
use super::equality::Equality;
use super::error::LiteralError;
use super::size::MAX_CELLS;
use super::storage::{Buffer, Native};
use xla_messages::i18n::Message;

/// The value of an array: its elements in memory order, padding cells included.
#[derive(Clone, Debug)]
pub struct ArrayLiteral {
    /// Large, and the same in every copy.
    described: Arc<Described>,
    buffer: Buffer,
}

#[derive(Debug)]
struct Described {
    shape: ArrayShape,
    map: MemoryMap,
}

/// An array without its elements: what literals of one shape and layout share. Made once for what is made again and again.
#[derive(Clone, Debug)]
pub struct LiteralTemplate(Arc<Described>);

impl LiteralTemplate {
    /// Errors: the first rule the shape breaks; `literal-size` above [`MAX_CELLS`].
    pub fn new(mut shape: ArrayShape) -> Result<Self, LiteralError> {
        let rank = shape.rank();
        shape.layout.get_or_insert_with(|| Layout::descending(rank));
        let map = MemoryMap::new(&shape)?;
        if map.slot_count() > MAX_CELLS || usize::try_from(map.slot_count()).is_err() {
            let message =
                Message::new("literal-too-large").with("cells", map.slot_count()).with("limit", MAX_CELLS);
            return Err(LiteralError::new("literal-size", message));
        }
        Ok(Self(Arc::new(Described { shape, map })))
    }

    /// Its shape; the layout is always there.
    pub fn shape(&self) -> &ArrayShape {
        &self.0.shape
    }

    /// The bytes that an array of this shape takes in memory: its cells, padding included, and the tables of its
    /// layout.
    pub fn held_bytes(&self) -> u64 {
        let Described { shape, map } = &*self.0;
        let cells =
            map.slot_count().unsigned_abs().saturating_mul(Buffer::bytes_per_cell(shape.element_type));
        cells.saturating_add(map.table_bytes())
    }

    /// The steps that finding a slot takes, as [`MemoryMap::slot_cost`].
    pub fn slot_cost(&self) -> u64 {
        self.0.map.slot_cost()
    }

    /// Elements that are all `value`, converted to the element type. Errors: `literal-memory`.
    pub fn filled(&self, value: Value) -> Result<ArrayLiteral, LiteralError> {
        let Described { shape, map } = &*self.0;
        let element_type = shape.element_type;
        let padding = || {
            let rule = shape.layout.as_ref().and_then(|layout| layout.padding.as_ref());
            let rule = rule.map_or(PaddingValue::Invalid, |padding| padding.value);
            Value::of_padding(rule, element_type).unwrap_or(Value::from_bits(element_type, 0))
        };
        let is_uniform =
            map.padding_slots() == 0 || padding().to_bits(element_type) == value.to_bits(element_type);
        let cells = usize::try_from(map.slot_count()).unwrap_or(usize::MAX);
        let buffer = Buffer::filled(element_type, cells, if is_uniform { value } else { padding() })?;
        let mut literal = ArrayLiteral { described: self.0.clone(), buffer };
        if !is_uniform {
            literal.write_all(iter::repeat(value));
        }
        Ok(literal)
    }
}

impl ArrayLiteral {
    /// Elements that are all zero. A missing layout becomes the default one; bounded dimensions have their bound.
    /// Errors: the first rule the shape breaks; `literal-size` above [`MAX_CELLS`]; `literal-memory`.
    pub fn zeros(shape: ArrayShape) -> Result<Self, LiteralError> {
        let zero = Value::from_bits(shape.element_type, 0);
        Self::filled(shape, zero)
    }

    /// Elements that are all `value`, converted to the element type. Errors: as [`ArrayLiteral::zeros`].
    pub fn filled(shape: ArrayShape, value: Value) -> Result<Self, LiteralError> {
        LiteralTemplate::new(shape)?.filled(value)
    }

    /// From elements in logical row-major order, converted to the element type. Errors: as
    /// [`ArrayLiteral::zeros`], and `literal-count` unless there are as many values as elements.
    pub fn from_values(
        shape: ArrayShape,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<Self, LiteralError> {
        let mut literal = Self::zeros(shape)?;
        let mut values = values.into_iter();
        let written = literal.write_all(&mut values);
        let given = written.saturating_add(i64::try_from(values.count()).unwrap_or(i64::MAX));
        if given != literal.map().elements() {
            return Err(literal.wrong_count(given));
        }
        Ok(literal)
    }

    /// From elements in logical row-major order, of sizes `dimensions` and with the default layout; the element
    /// type is the one that holds `T` (`f32` for `f32`, `c64` for `[f32; 2]`). Errors: as
    /// [`ArrayLiteral::from_values`].
    pub fn from_slice<T: Native>(
        dimensions: impl IntoIterator<Item = i64>,
        elements: &[T],
    ) -> Result<Self, LiteralError> {
        let mut literal = Self::zeros(ArrayShape::new(T::ELEMENT_TYPE, dimensions))?;
        match literal.buffer.as_mut_slice::<T>() {
            // The default layout is the logical order and has no padding.
            Some(cells) if cells.len() == elements.len() => cells.copy_from_slice(elements),
            _ => return Err(literal.wrong_count(i64::try_from(elements.len()).unwrap_or(i64::MAX))),
        }
        Ok(literal)
    }

    /// From a function of the logical row-major number and the index. Errors: as [`ArrayLiteral::zeros`].
    pub fn from_fn(
        shape: ArrayShape,
        mut element: impl FnMut(i64, &[i64]) -> Value,
    ) -> Result<Self, LiteralError> {
        let mut literal = Self::zeros(shape)?;
        let (mut indices, mut number) = (literal.indices(), 0);
        while let Some(index) = indices.advance() {
            literal.set(index, element(number, index));
            number += 1;
        }
        Ok(literal)
    }

    fn wrong_count(&self, given: i64) -> LiteralError {
        let message =
            Message::new("literal-value-count").with("size", self.map().elements()).with("found", given);
        LiteralError::new("literal-count", message)
    }

    /// Its shape; the layout is always there.
    pub fn shape(&self) -> &ArrayShape {
        &self.described.shape
    }

    /// The type of its elements.
    pub fn element_type(&self) -> ElementType {
        self.described.shape.element_type
    }

    /// Where its elements lie.
    pub fn map(&self) -> &MemoryMap {
        &self.described.map
    }

    /// The bytes that it takes in memory: its cells and the tables of its layout.
    pub fn held_bytes(&self) -> u64 {
        self.buffer.bytes().saturating_add(self.map().table_bytes())
    }

    /// Its cells in memory order, padding included.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Its cells, to write; their number and type stay.
    pub fn buffer_mut(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// Its cells in memory order, padding included, if they are held as `T` (see [`Buffer`]).
    pub fn as_slice<T: Native>(&self) -> Option<&[T]> {
        self.buffer.as_slice()
    }

    /// Its cells in memory order, padding included, if they are held as `T`.
    pub fn as_mut_slice<T: Native>(&mut self) -> Option<&mut [T]> {
        self.buffer.as_mut_slice()
    }

    /// Its elements in logical row-major order, if they are held as `T`: what a kernel reads that does not look at
    /// layouts. Errors: as [`ArrayLiteral::relayout`]; `None` where they are held as another type.
    pub fn to_row_major<T: Native>(&self) -> Result<Option<Vec<T>>, LiteralError> {
        let plain = self.relayout(Layout::descending(self.shape().rank()))?;
        Ok(plain.as_slice::<T>().map(<[T]>::to_vec))
    }

    fn slot(&self, index: &[i64]) -> Option<usize> {
        let inside = index.iter().zip(self.map().sizes()).all(|(e, size)| e < size);
        // `slot` checks rank and signs, and takes indices of padding cells too.
        self.map().slot(index).filter(|_| inside).and_then(|slot| usize::try_from(slot).ok())
    }

    /// The element of an index; `None` outside or at the wrong rank.
    pub fn get(&self, index: &[i64]) -> Option<Value> {
        self.buffer.get(self.element_type(), self.slot(index)?)
    }

    /// Replaces an element, the value converted to the element type; `None` outside or at the wrong rank.
    pub fn set(&mut self, index: &[i64], value: Value) -> Option<()> {
        let slot = self.slot(index)?;
        let element_type = self.element_type();
        self.buffer.set(element_type, slot, value)
    }

    /// What a memory cell holds, an element or padding; `None` outside.
    pub fn at_slot(&self, slot: i64) -> Option<Value> {
        self.buffer.get(self.element_type(), usize::try_from(slot).ok()?)
    }

    /// The indices of its elements in logical row-major order, once slots are prepared for all of them.
    fn indices(&self) -> Indices {
        self.map().build_tables();
        Indices::row_major(self.map().sizes())
    }

    /// Its elements in logical row-major order: the last dimension is the fastest, whatever the layout.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        let mut indices = self.indices();
        iter::from_fn(move || self.get(indices.advance()?))
    }

    /// Its cells in memory order: elements, and `None` for padding.
    pub fn cells(&self) -> impl Iterator<Item = Option<Value>> + '_ {
        let has_padding = self.map().padding_slots() != 0;
        let mut index = Dims::from_elem(0, self.shape().rank());
        (0..self.map().slot_count()).map(move |slot| {
            let is_element = !has_padding || self.map().index_of(slot, &mut index) == SlotKind::Element;
            is_element.then(|| self.at_slot(slot)).flatten()
        })
    }

    /// Writes elements in logical row-major order until either ends; gives how many were written.
    fn write_all(&mut self, values: impl IntoIterator<Item = Value>) -> i64 {
        let mut values = values.into_iter();
        let (mut indices, mut written) = (self.indices(), 0);
        // The index first: a value that has no place is not taken.
        while let Some(index) = indices.advance() {
            let Some(value) = values.next() else { break };
            self.set(index, value);
            written += 1;
        }
        written
    }

    /// Whether both have the same element type, sizes and elements, whatever the layouts and what padding holds.
    pub fn equals(&self, other: &Self, equality: Equality) -> bool {
        self.element_type() == other.element_type()
            && self.shape().dimensions == other.shape().dimensions
            && self.values().zip(other.values()).all(|(a, b)| equality.holds(self.element_type(), a, b))
    }

    /// Its memory: cells in order, little-endian, padding included. `E(n)` cells are packed without gaps, the
    /// first in the lowest bits of the first byte. Errors: `literal-cell-width` where `n` is less than the type's.
    pub fn to_bytes(&self) -> Result<Vec<u8>, LiteralError> {
        let width = self.cell_width()?;
        let length = usize::try_from(self.map().bytes()).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).map_err(|_| LiteralError::no_memory(self.buffer.len()))?;
        bytes.resize(length, 0);
        for slot in 0..self.buffer.len() {
            if let Some(value) = self.buffer.get(self.element_type(), slot) {
                write_packed(self.element_type(), width, &mut bytes, slot, value);
            }
        }
        Ok(bytes)
    }

    /// From memory, as [`ArrayLiteral::to_bytes`] gives it; padding cells take what the bytes say. Errors: as
    /// [`ArrayLiteral::zeros`], `literal-bytes` unless there are as many bytes as the array takes, and
    /// `literal-cell-width`.
    pub fn from_bytes(shape: ArrayShape, bytes: &[u8]) -> Result<Self, LiteralError> {
        let mut literal = Self::zeros(shape)?;
        let width = literal.cell_width()?;
        let expected = literal.map().bytes();
        if usize::try_from(expected).ok() != Some(bytes.len()) {
            let message = Message::new("literal-bytes").with("expected", expected).with("found", bytes.len());
            return Err(LiteralError::new("literal-bytes", message));
        }
        let element_type = literal.element_type();
        for slot in 0..literal.buffer.len() {
            if let Some(value) = read_packed(element_type, width, bytes, slot) {
                literal.buffer.set(element_type, slot, value);
            }
        }
        Ok(literal)
    }

    fn cell_width(&self) -> Result<u32, LiteralError> {
        let bits = self.map().bits_per_slot();
        let width = u32::try_from(bits).ok().filter(|width| *width >= self.element_type().bits().into());
        width.ok_or_else(|| {
            let message = Message::new("literal-narrow-cells")
                .with("bits", bits)
                .with("type", self.element_type().name());
            LiteralError::new("literal-cell-width", message)
        })
    }
}

impl PartialEq for ArrayLiteral {
    /// The same shape with the same layout, and the same code in every cell: for "has anything changed".
    fn eq(&self, other: &Self) -> bool {
        let t = self.element_type();
        self.shape() == other.shape()
            && (0..self.buffer.len()).all(|slot| {
                let code = |of: &Self| of.buffer.get(t, slot).map(|value| value.to_bits(t));
                code(self) == code(other)
            })
    }
}
