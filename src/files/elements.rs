//! The elements of an array, copied from a stream of bytes into a literal.

use std::io::{self, Read};
use std::sync::Arc;

use super::argument_reader::{ArgumentReader, FileError, broken, unreadable};
use crate::array::literal::raw::LiteralReceiver;
use crate::array::literal::{Buffer, LiteralError};
use crate::array::{ArrayLiteral, ArrayShape, Class, ElementType, Literal, MemoryMap, Shape};
use crate::i18n::Message;

/// The bytes that are read at a time: a multiple of the width of every type.
const CHUNK_BYTES: usize = 1 << 16;

/// A file or a member of an archive that is being read.
pub(super) struct Source<'s, 'r> {
    /// Its name in messages.
    pub name: &'s str,
    pub reader: &'s mut dyn Read,
    /// Its length; `None` if that is unknown until its end.
    pub length: Option<u64>,
    /// The parameter that it is the argument of.
    pub parameter: Option<&'s Shape>,
    pub limits: &'s mut ArgumentReader<'r>,
}

/// The bytes of a literal in memory; `None` for an invalid shape.
fn bytes_in_memory(shape: &ArrayShape) -> Option<u64> {
    let slots = u64::try_from(MemoryMap::new(shape).ok()?.slot_count()).ok()?;
    slots.checked_mul(Buffer::bytes_per_entry(shape.element_type))
}

/// Normalizes the bytes of elements that are narrower than their bytes: a boolean that is not 0 is true, as in `NumPy`.
/// Returns the first byte that is not a value of the type.
fn normalize(element_type: ElementType, bytes: &mut [u8]) -> Option<(usize, u8)> {
    let bits = u32::from(element_type.bits());
    let is_value = |byte: u8| {
        let high = 8 - bits;
        match element_type.class() {
            Class::Signed => ((byte << high).cast_signed() >> high).cast_unsigned() == byte,
            _ => byte >> bits == 0,
        }
    };
    if element_type.class() == Class::Boolean {
        for byte in bytes {
            *byte = u8::from(*byte != 0);
        }
    } else if bits < 8 {
        return bytes.iter().copied().enumerate().find(|(_, byte)| !is_value(*byte));
    }
    None
}

impl Source<'_, '_> {
    /// The error of a file that is broken.
    pub fn broken(&self, key: &'static str) -> FileError {
        broken(self.name, key)
    }

    /// The error of an array that cannot exist.
    fn impossible(&self, rule: &'static str, message: Message) -> FileError {
        let message = Message::files("array-impossible").with("name", self.name).with("error", message);
        FileError::Refused { rule, message }
    }

    fn map_literal_error<T>(&self, result: Result<T, LiteralError>) -> Result<T, FileError> {
        result.map_err(|LiteralError { rule, message, .. }| self.impossible(rule, message))
    }

    /// Fills the buffer, or as much of it as there is; returns the number of bytes.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, FileError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    return Err(self.broken("npz-member"));
                }
                Err(error) => return Err(unreadable(self.name, &error)),
            }
        }
        Ok(filled)
    }

    fn wrong_length(&self, shape: &ArrayShape, found: u64, expected: u64) -> FileError {
        let message = Message::files("array-length")
            .with("file", self.name)
            .with("found", found)
            .with("expected", expected)
            .with("shape", Shape::Array(shape.clone()).human_string());
        FileError::Refused { rule: "array-file", message }
    }

    fn no_value(&self, element_type: ElementType, number: u64, byte: u8) -> FileError {
        let message = Message::files("array-value")
            .with("file", self.name)
            .with("number", number)
            .with("byte", usize::from(byte))
            .with("type", element_type.name());
        FileError::Refused { rule: "array-file", message }
    }

    /// The array of the rest of the file, in the order of its layout; `start` bytes were read before.
    pub fn array(
        &mut self,
        shape: ArrayShape,
        start: u64,
        is_big_endian: bool,
    ) -> Result<Literal, FileError> {
        let map = MemoryMap::new(&shape).map_err(|invalid| self.impossible(invalid.rule, invalid.message))?;
        let expected = u64::try_from(map.bytes()).unwrap_or(u64::MAX);
        if let Some(found) = self.length.map(|length| length.saturating_sub(start))
            && found != expected
        {
            return Err(self.wrong_length(&shape, found, expected));
        }
        let in_memory = bytes_in_memory(&shape).unwrap_or(u64::MAX);
        let parameter = self.parameter.and_then(|parameter| match parameter {
            Shape::Buffer(array) => Some(&**array),
            parameter => parameter.as_array(),
        });
        if let Some((parameter, most)) = parameter.and_then(|array| Some((array, bytes_in_memory(array)?)))
            && in_memory > most
        {
            let message = Message::files("array-parameter")
                .with("file", self.name)
                .with("shape", Shape::Array(shape).human_string())
                .with("parameter", Shape::Array(parameter.clone()).human_string());
            return Err(FileError::Refused { rule: "array-file", message });
        }
        self.limits.reserve_bytes(self.name, in_memory)?;
        if map.bits_per_slot() != 8 * shape.element_type.bytes() {
            return self.packed(shape, expected);
        }
        let mut receiver = self.map_literal_error(LiteralReceiver::new(shape.clone()))?;
        self.receive(&mut receiver, &shape, expected, is_big_endian)?;
        Ok(Arc::unwrap_or_clone(self.map_literal_error(receiver.finish())?).into())
    }

    /// Copies the elements, each of which has the bytes of its type.
    fn receive(
        &mut self,
        receiver: &mut LiteralReceiver,
        shape: &ArrayShape,
        expected: u64,
        is_big_endian: bool,
    ) -> Result<(), FileError> {
        let element_type = shape.element_type;
        // Each part of a complex number has its own byte order.
        let part = receiver.slot_bytes() / if element_type.is_complex() { 2 } else { 1 };
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut done = 0;
        while done < expected {
            if (self.limits.is_stopped)() {
                return Err(FileError::Interrupted);
            }
            let wanted = usize::try_from(expected - done).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let bytes = &mut chunk[..wanted];
            let found = self.read(bytes)?;
            if found < wanted {
                return Err(self.wrong_length(shape, done + found as u64, expected));
            }
            if is_big_endian {
                bytes.chunks_exact_mut(part).for_each(<[u8]>::reverse);
            }
            if let Some((at, byte)) = normalize(element_type, bytes) {
                return Err(self.no_value(element_type, done + at as u64, byte));
            }
            receiver.push(bytes);
            done += wanted as u64;
        }
        self.end(shape)
    }

    /// The array of elements that a layout packs or spaces, which are read at once.
    fn packed(&mut self, shape: ArrayShape, expected: u64) -> Result<Literal, FileError> {
        self.limits.reserve_bytes(self.name, expected)?;
        let mut bytes = vec![0; usize::try_from(expected).unwrap_or(usize::MAX)];
        let found = self.read(&mut bytes)?;
        if found < bytes.len() {
            return Err(self.wrong_length(&shape, found as u64, expected));
        }
        self.end(&shape)?;
        let element_type = shape.element_type;
        let literal = self.map_literal_error(ArrayLiteral::from_bytes(shape, &bytes))?;
        if !matches!(element_type.class(), Class::Float | Class::Complex) {
            // Bits that no value of the type has are not written back.
            let written = self.map_literal_error(literal.to_bytes())?;
            if let Some(at) = written.iter().zip(&bytes).position(|(written, byte)| written != byte) {
                return Err(self.no_value(element_type, at as u64, bytes[at]));
            }
        }
        Ok(literal.into())
    }

    /// Checks that nothing follows the elements.
    fn end(&mut self, shape: &ArrayShape) -> Result<(), FileError> {
        if self.read(&mut [0])? == 0 {
            return Ok(());
        }
        let message = Message::files("array-more")
            .with("file", self.name)
            .with("shape", Shape::Array(shape.clone()).human_string());
        Err(FileError::Refused { rule: "array-file", message })
    }
}
