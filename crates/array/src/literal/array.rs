//! Array literals: construction from logical values, elements by index and by memory slot, bytes in and out.

use std::iter;
use std::sync::Arc;

use super::super::index::Indices;
use super::super::memory::{MemoryMap, SlotKind};
use super::super::value::{read_packed, write_packed};
use super::super::{ArrayShape, Dims, ElementType, Layout, PaddingValue, Value};
use super::equality::Equality;
use super::error::LiteralError;
use super::size::MAX_SLOTS;
use super::storage::{Buffer, Native, NativeElement};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// The value of an array: its elements in memory order, including padding.
#[derive(Clone, Debug)]
pub struct ArrayLiteral {
    /// Shared by clones: a memory map is large.
    template: Arc<ShapeAndMap>,
    buffer: Buffer,
}

#[derive(Debug)]
struct ShapeAndMap {
    shape: ArrayShape,
    map: MemoryMap,
}

/// Shape and memory map without elements, shared by many literals of the same shape and layout.
#[derive(Clone, Debug)]
pub struct LiteralTemplate(Arc<ShapeAndMap>);

impl LiteralTemplate {
    /// A template of this shape.
    ///
    /// # Errors
    ///
    /// The first rule that the shape violates; `literal-size` above [`MAX_SLOTS`].
    pub fn new(mut shape: ArrayShape) -> Result<Self, LiteralError> {
        let rank = shape.rank();
        shape.layout.get_or_insert_with(|| Layout::descending(rank));
        let map = MemoryMap::new(&shape)?;
        if map.slot_count() > MAX_SLOTS || usize::try_from(map.slot_count()).is_err() {
            let message =
                Message::new("literal-too-large").with("cells", map.slot_count()).with("limit", MAX_SLOTS);
            return Err(LiteralError::new("literal-size", message));
        }
        Ok(Self(Arc::new(ShapeAndMap { shape, map })))
    }

    /// The shape, always with a layout.
    pub fn shape(&self) -> &ArrayShape {
        &self.0.shape
    }

    /// Bytes of memory of an array of this shape: its elements and padding, and the tables of its layout.
    pub fn held_bytes(&self) -> u64 {
        let ShapeAndMap { shape, map } = &*self.0;
        let cells =
            map.slot_count().unsigned_abs().saturating_mul(Buffer::bytes_per_entry(shape.element_type));
        cells.saturating_add(map.table_bytes())
    }

    /// The cost of [`MemoryMap::slot`], as [`MemoryMap::slot_cost`].
    pub fn slot_cost(&self) -> u64 {
        self.0.map.slot_cost()
    }

    /// A literal with all elements set to `value`, converted to the element type.
    ///
    /// # Errors
    ///
    /// `literal-memory` if the allocation fails.
    pub fn filled(&self, value: Value) -> Result<ArrayLiteral, LiteralError> {
        let ShapeAndMap { shape, map } = &*self.0;
        let element_type = shape.element_type;
        let padding = || {
            let rule = shape.layout.as_ref().and_then(|layout| layout.padding.as_ref());
            let rule = rule.map_or(PaddingValue::Invalid, |padding| padding.value);
            // Padding without a defined value is zero.
            Value::of_padding(rule, element_type).unwrap_or(Value::from_bits(element_type, 0))
        };
        let is_uniform =
            map.padding_slots() == 0 || padding().to_bits(element_type) == value.to_bits(element_type);
        let slots =
            usize::try_from(map.slot_count()).or_bug(0, "a number of slots that `new` accepted is invalid");
        let buffer = Buffer::filled(element_type, slots, if is_uniform { value } else { padding() })?;
        let mut literal = ArrayLiteral { template: self.0.clone(), buffer };
        if !is_uniform {
            literal.write_all(iter::repeat(value));
        }
        Ok(literal)
    }
}

impl ArrayLiteral {
    /// A literal with all elements zero. A missing layout becomes the default one; a bounded dimension has its bound.
    ///
    /// # Errors
    ///
    /// The first rule that the shape violates; `literal-size` above [`MAX_SLOTS`]; `literal-memory` if the allocation
    /// fails.
    pub fn zeros(shape: ArrayShape) -> Result<Self, LiteralError> {
        let zero = Value::from_bits(shape.element_type, 0);
        Self::filled(shape, zero)
    }

    /// A literal with all elements set to `value`, converted to the element type.
    ///
    /// # Errors
    ///
    /// Those of [`ArrayLiteral::zeros`].
    pub fn filled(shape: ArrayShape, value: Value) -> Result<Self, LiteralError> {
        LiteralTemplate::new(shape)?.filled(value)
    }

    /// A literal of elements in logical row-major order, converted to the element type.
    ///
    /// # Errors
    ///
    /// Those of [`ArrayLiteral::zeros`], and `literal-count` unless the number of values is that of the elements.
    pub fn from_values(
        shape: ArrayShape,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<Self, LiteralError> {
        let mut literal = Self::zeros(shape)?;
        let mut values = values.into_iter();
        let written = literal.write_all(&mut values);
        // Saturates: the count is only displayed.
        let given = written.saturating_add(i64::try_from(values.count()).unwrap_or(i64::MAX));
        if given != literal.memory_map().elements() {
            return Err(literal.wrong_count(given));
        }
        Ok(literal)
    }

    /// A literal of elements in logical row-major order, of sizes `dimensions` and with the default layout. The element
    /// type is that of `T` (`f32` for `f32`, `pred` for `bool`, `c64` for `[f32; 2]`).
    ///
    /// # Errors
    ///
    /// Those of [`ArrayLiteral::from_values`].
    pub fn from_slice<T: NativeElement>(
        dimensions: impl IntoIterator<Item = i64>,
        elements: &[T],
    ) -> Result<Self, LiteralError> {
        let mut literal = Self::zeros(ArrayShape::new(T::ELEMENT_TYPE, dimensions))?;
        match literal.buffer.as_mut_slice::<T::Stored>() {
            // The default layout is the logical order and has no padding.
            Some(slots) if slots.len() == elements.len() => {
                slots.iter_mut().zip(elements).for_each(|(slot, element)| *slot = element.stored());
            }
            _ => {
                return Err(
                    literal.wrong_count(i64::try_from(elements.len()).or_bug(0, "a length exceeds i64"))
                );
            }
        }
        Ok(literal)
    }

    /// A literal of elements computed from their row-major index and their index.
    ///
    /// # Errors
    ///
    /// Those of [`ArrayLiteral::zeros`].
    pub fn from_fn(
        shape: ArrayShape,
        mut element: impl FnMut(i64, &[i64]) -> Value,
    ) -> Result<Self, LiteralError> {
        let mut literal = Self::zeros(shape)?;
        let (mut indices, mut linear) = (literal.indices(), 0);
        while let Some(index) = indices.advance() {
            literal.set(index, element(linear, index));
            linear += 1;
        }
        Ok(literal)
    }

    fn wrong_count(&self, given: i64) -> LiteralError {
        let message = Message::new("literal-value-count")
            .with("size", self.memory_map().elements())
            .with("found", given);
        LiteralError::new("literal-count", message)
    }

    /// The shape, always with a layout.
    pub fn shape(&self) -> &ArrayShape {
        &self.template.shape
    }

    /// The element type.
    pub fn element_type(&self) -> ElementType {
        self.template.shape.element_type
    }

    /// The memory map of its layout.
    pub fn memory_map(&self) -> &MemoryMap {
        &self.template.map
    }

    /// Bytes of memory: elements and padding, and the tables of its layout.
    pub fn held_bytes(&self) -> u64 {
        self.buffer.bytes().saturating_add(self.memory_map().table_bytes())
    }

    /// Elements and padding in memory order.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Elements and padding in memory order, mutable.
    pub fn buffer_mut(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// Elements and padding in memory order, if they are stored as `T` (see [`Buffer`]).
    pub fn as_slice<T: Native>(&self) -> Option<&[T]> {
        self.buffer.as_slice()
    }

    /// Like [`as_slice`](Self::as_slice), mutable.
    pub fn as_mut_slice<T: Native>(&mut self) -> Option<&mut [T]> {
        self.buffer.as_mut_slice()
    }

    /// A copy of the elements in logical row-major order, without padding; `None` if they are not stored as `T`.
    ///
    /// # Errors
    ///
    /// Those of [`ArrayLiteral::relayout`].
    pub fn to_row_major<T: Native>(&self) -> Result<Option<Vec<T>>, LiteralError> {
        let row_major = self.relayout(Layout::descending(self.shape().rank()))?;
        Ok(row_major.as_slice::<T>().map(<[T]>::to_vec))
    }

    fn slot(&self, index: &[i64]) -> Option<usize> {
        let inside = index.iter().zip(self.memory_map().sizes()).all(|(i, size)| i < size);
        // `slot` checks rank and signs, but also accepts indices of legacy padding.
        self.memory_map().slot(index).filter(|_| inside).and_then(|slot| usize::try_from(slot).ok())
    }

    /// The element at an index; `None` if it is out of bounds or of the wrong rank.
    pub fn get(&self, index: &[i64]) -> Option<Value> {
        self.buffer.get(self.element_type(), self.slot(index)?)
    }

    /// Sets the element at an index, converting the value to the element type; `None` if the index is out of bounds or
    /// of the wrong rank.
    pub fn set(&mut self, index: &[i64], value: Value) -> Option<()> {
        let slot = self.slot(index)?;
        let element_type = self.element_type();
        self.buffer.set(element_type, slot, value)
    }

    /// The value in a memory slot, of an element or padding; `None` outside the array.
    pub fn at_slot(&self, slot: i64) -> Option<Value> {
        self.buffer.get(self.element_type(), usize::try_from(slot).ok()?)
    }

    /// The indices in logical row-major order. Builds the tables of a tiled layout first, as every slot will be looked
    /// up.
    fn indices(&self) -> Indices {
        self.memory_map().build_tables();
        Indices::row_major(self.memory_map().sizes())
    }

    /// The elements in logical row-major order, the last dimension fastest, regardless of the layout.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        let mut indices = self.indices();
        iter::from_fn(move || self.get(indices.advance()?))
    }

    /// The contents of the memory slots in order: elements, and `None` for padding.
    pub fn cells(&self) -> impl Iterator<Item = Option<Value>> + '_ {
        let has_padding = self.memory_map().padding_slots() != 0;
        let mut index = Dims::from_elem(0, self.shape().rank());
        (0..self.memory_map().slot_count()).map(move |slot| {
            let is_element =
                !has_padding || self.memory_map().index_of(slot, &mut index) == SlotKind::Element;
            is_element.then(|| self.at_slot(slot)).flatten()
        })
    }

    /// Writes elements in logical row-major order until values or elements end; returns the number written.
    pub(super) fn write_all(&mut self, values: impl IntoIterator<Item = Value>) -> i64 {
        let mut values = values.into_iter();
        let (mut indices, mut written) = (self.indices(), 0);
        // Advances the index first, so as not to consume a value without an element.
        while let Some(index) = indices.advance() {
            let Some(value) = values.next() else { break };
            self.set(index, value);
            written += 1;
        }
        written
    }

    /// Whether both have the same element type, sizes and elements, regardless of layouts and padding.
    pub fn equals(&self, other: &Self, equality: Equality) -> bool {
        self.element_type() == other.element_type()
            && self.shape().dimensions == other.shape().dimensions
            && self.values().zip(other.values()).all(|(a, b)| equality.holds(self.element_type(), a, b))
    }

    /// The memory of the array, with padding, little-endian. `E(n)` packs elements without gaps, the first one in the
    /// lowest bits of the first byte.
    ///
    /// # Errors
    ///
    /// `literal-cell-width` if `n` is less than the bits of the type; `literal-memory` if the allocation fails.
    pub fn to_bytes(&self) -> Result<Vec<u8>, LiteralError> {
        let width = self.slot_bits()?;
        // Saturated, the allocation fails.
        let length = usize::try_from(self.memory_map().bytes()).unwrap_or(usize::MAX);
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

    /// A literal from its memory, with padding, as [`ArrayLiteral::to_bytes`] returns it.
    ///
    /// # Errors
    ///
    /// Those of [`ArrayLiteral::zeros`] and [`ArrayLiteral::to_bytes`]; `literal-bytes` if the length is not that of the
    /// array.
    pub fn from_bytes(shape: ArrayShape, bytes: &[u8]) -> Result<Self, LiteralError> {
        let mut literal = Self::zeros(shape)?;
        let width = literal.slot_bits()?;
        let expected = literal.memory_map().bytes();
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

    fn slot_bits(&self) -> Result<u32, LiteralError> {
        let bits = self.memory_map().bits_per_slot();
        let width = u32::try_from(bits).ok().filter(|width| *width >= self.element_type().bits().into());
        width.ok_or_else(|| {
            let message = Message::ops("literal-narrow-cells")
                .with("bits", bits)
                .with("type", self.element_type().name());
            LiteralError::new("literal-cell-width", message)
        })
    }
}

impl PartialEq for ArrayLiteral {
    /// Bitwise: the same shape and layout, and the same bits in every slot, including padding.
    fn eq(&self, other: &Self) -> bool {
        let t = self.element_type();
        self.shape() == other.shape()
            && (0..self.buffer.len()).all(|slot| {
                let bits = |literal: &Self| literal.buffer.get(t, slot).map(|value| value.to_bits(t));
                bits(self) == bits(other)
            })
    }
}
