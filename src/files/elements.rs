//! Reads the elements of an array from a stream of bytes into a literal.

use std::io::{self, Read};
use std::sync::Arc;

use super::argument_reader::{ArgumentReader, FileError, malformed, unreadable};
use crate::array::literal::raw::LiteralReceiver;
use crate::array::literal::{Buffer, LiteralError};
use crate::array::{ArrayLiteral, ArrayShape, Class, ElementType, Literal, MemoryMap, Shape};
use crate::i18n::Message;

/// Bytes that are read at a time: a multiple of the bytes of every element type.
const CHUNK_BYTES: usize = 1 << 16;

/// A file or a member of an archive that is being read.
pub(super) struct Source<'s, 'r> {
    /// Its name in messages.
    pub name: &'s str,
    pub reader: &'s mut dyn Read,
    /// Its length in bytes; `None` if it is only known at the end.
    pub length: Option<u64>,
    /// The shape of the parameter that it is an argument for.
    pub parameter: Option<&'s Shape>,
    pub argument_reader: &'s mut ArgumentReader<'r>,
}

/// The bytes of a literal in memory; `None` for an invalid shape.
fn bytes_in_memory(shape: &ArrayShape) -> Option<u64> {
    let slots = u64::try_from(MemoryMap::new(shape).ok()?.slot_count()).ok()?;
    slots.checked_mul(Buffer::bytes_per_entry(shape.element_type))
}

/// Normalizes booleans to 0 or 1: in `NumPy`, every byte but 0 is true. For other elements of less than 8 bits, which take a byte
/// each in a file, returns the position and the value of the first byte that is out of range.
fn normalize(element_type: ElementType, bytes: &mut [u8]) -> Option<(usize, u8)> {
    let bits = u32::from(element_type.bits());
    let is_in_range = |byte: u8| {
        let unused_bits = 8 - bits;
        match element_type.class() {
            Class::Signed => ((byte << unused_bits).cast_signed() >> unused_bits).cast_unsigned() == byte,
            _ => byte >> bits == 0,
        }
    };
    if element_type.class() == Class::Boolean {
        for byte in bytes {
            *byte = u8::from(*byte != 0);
        }
    } else if bits < 8 {
        return bytes.iter().copied().enumerate().find(|(_, byte)| !is_in_range(*byte));
    }
    None
}

impl Source<'_, '_> {
    /// The error of a malformed file.
    pub fn malformed_error(&self, key: &'static str) -> FileError {
        malformed(self.name, key)
    }

    /// The error of an array that cannot be represented: an invalid shape, or one that is too large.
    fn invalid_array(&self, rule: &'static str, message: Message) -> FileError {
        let message = Message::files("array-impossible").with("name", self.name).with("error", message);
        FileError::Rejected { rule, message }
    }

    fn map_literal_error<T>(&self, result: Result<T, LiteralError>) -> Result<T, FileError> {
        result.map_err(|LiteralError { rule, message, .. }| self.invalid_array(rule, message))
    }

    /// Fills the buffer from the stream; returns the number of bytes read, fewer at its end.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, FileError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    return Err(self.malformed_error("npz-member"));
                }
                Err(error) => return Err(unreadable(self.name, &error)),
            }
        }
        Ok(filled)
    }

    /// The error of a file whose number of bytes is not that of the array.
    fn length_error(&self, shape: &ArrayShape, found: u64, expected: u64) -> FileError {
        let message = Message::files("array-length")
            .with("file", self.name)
            .with("found", found)
            .with("expected", expected)
            .with("shape", Shape::Array(shape.clone()).human_string());
        FileError::Rejected { rule: "array-file", message }
    }

    /// The error of a byte, at this position among the elements, that does not encode a value of the type.
    fn value_error(&self, element_type: ElementType, number: u64, byte: u8) -> FileError {
        let message = Message::files("array-value")
            .with("file", self.name)
            .with("number", number)
            .with("byte", usize::from(byte))
            .with("type", element_type.name());
        FileError::Rejected { rule: "array-file", message }
    }

    /// Reads the rest of the file as an array, in the order of its layout. `start` is the length of the header, which was read
    /// before.
    pub fn read_array(
        &mut self,
        shape: ArrayShape,
        start: u64,
        is_big_endian: bool,
    ) -> Result<Literal, FileError> {
        let map =
            MemoryMap::new(&shape).map_err(|invalid| self.invalid_array(invalid.rule, invalid.message))?;
        let expected = u64::try_from(map.bytes()).unwrap_or(u64::MAX);
        if let Some(length) = self.length.map(|length| length.saturating_sub(start))
            && length != expected
        {
            return Err(self.length_error(&shape, length, expected));
        }
        let in_memory = bytes_in_memory(&shape).unwrap_or(u64::MAX);
        let parameter = self.parameter.and_then(|parameter| match parameter {
            Shape::Buffer(array) => Some(&**array),
            parameter => parameter.as_array(),
        });
        if let Some((parameter, parameter_bytes)) =
            parameter.and_then(|array| Some((array, bytes_in_memory(array)?)))
            && in_memory > parameter_bytes
        {
            // The same sizes with wider elements: NumPy's default is f64.
            let is_type_only = shape.dimensions == parameter.dimensions;
            let key = if is_type_only { "array-other-type" } else { "array-parameter" };
            let message = Message::files(key)
                .with("file", self.name)
                .with("shape", Shape::Array(shape).human_string())
                .with("parameter", Shape::Array(parameter.clone()).human_string());
            return Err(FileError::Rejected { rule: "array-file", message });
        }
        self.argument_reader.reserve_bytes(self.name, in_memory)?;
        if map.bits_per_slot() != 8 * shape.element_type.bytes() {
            return self.read_packed(shape, expected);
        }
        let mut receiver = self.map_literal_error(LiteralReceiver::new(shape.clone()))?;
        self.read_elements(&mut receiver, &shape, expected, is_big_endian)?;
        Ok(Arc::unwrap_or_clone(self.map_literal_error(receiver.finish())?).into())
    }

    /// Reads elements that have the bytes of their type, a chunk at a time.
    fn read_elements(
        &mut self,
        receiver: &mut LiteralReceiver,
        shape: &ArrayShape,
        expected: u64,
        is_big_endian: bool,
    ) -> Result<(), FileError> {
        let element_type = shape.element_type;
        // The real and the imaginary part of a complex number are swapped separately.
        let word_bytes = receiver.slot_bytes() / if element_type.is_complex() { 2 } else { 1 };
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut read_bytes = 0;
        while read_bytes < expected {
            if (self.argument_reader.is_cancelled)() {
                return Err(FileError::Cancelled);
            }
            let wanted = usize::try_from(expected - read_bytes).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let bytes = &mut chunk[..wanted];
            let count = self.read(bytes)?;
            if count < wanted {
                return Err(self.length_error(shape, read_bytes + count as u64, expected));
            }
            if is_big_endian {
                bytes.chunks_exact_mut(word_bytes).for_each(<[u8]>::reverse);
            }
            if let Some((position, byte)) = normalize(element_type, bytes) {
                return Err(self.value_error(element_type, read_bytes + position as u64, byte));
            }
            receiver.push(bytes);
            read_bytes += wanted as u64;
        }
        self.check_end(shape)
    }

    /// Reads an array whose layout does not give each element the bytes of its type. All elements are read
    /// in one call.
    fn read_packed(&mut self, shape: ArrayShape, expected: u64) -> Result<Literal, FileError> {
        self.argument_reader.reserve_bytes(self.name, expected)?;
        let mut bytes = vec![0; usize::try_from(expected).unwrap_or(usize::MAX)];
        let count = self.read(&mut bytes)?;
        if count < bytes.len() {
            return Err(self.length_error(&shape, count as u64, expected));
        }
        self.check_end(&shape)?;
        let element_type = shape.element_type;
        let literal = self.map_literal_error(ArrayLiteral::from_bytes(shape, &bytes))?;
        if !matches!(element_type.class(), Class::Float | Class::Complex) {
            // A value that is out of range loses bits in the literal.
            let written = self.map_literal_error(literal.to_bytes())?;
            let position = written.iter().zip(&bytes).position(|(written, byte)| written != byte);
            if let Some(position) = position {
                return Err(self.value_error(element_type, position as u64, bytes[position]));
            }
        }
        Ok(literal.into())
    }

    /// Checks that nothing follows the elements.
    fn check_end(&mut self, shape: &ArrayShape) -> Result<(), FileError> {
        if self.read(&mut [0])? == 0 {
            return Ok(());
        }
        let message = Message::files("array-more")
            .with("file", self.name)
            .with("shape", Shape::Array(shape.clone()).human_string());
        Err(FileError::Rejected { rule: "array-file", message })
    }
}
