//! Arrays in files, for the terminal, the library and the page: `NumPy` arrays (`.npy`), archives of them (`.npz`), raw elements
//! (`.raw`, `.bin`) and JSON (`.json`).
//!
//! Files are untrusted. Elements are copied into their literal a chunk at a time (`elements`), so that neither a file nor
//! a member of an archive (`zip`) is held in memory. A literal is allocated only after its length has been checked against
//! the length of the file, the size of the parameter, and the memory limit.

mod argument_reader;
mod elements;
mod npy;
pub mod write;
mod zip;
pub mod zip_writer;

use std::io::{self, Read, Seek};
use std::path::Path;

use self::argument_reader::malformed;
pub use self::argument_reader::{ArgumentReader, FileError, unreadable};
use self::elements::Source;
use crate::array::{Literal, Shape};
use crate::i18n::Message;
use crate::wire::literal;

/// Maximum bytes of an archive that is written.
pub const MAX_ARCHIVE_BYTES: u64 = 1 << 30;

/// The rule of values that exceed the memory limit.
pub const MEMORY_RULE: &str = "array-memory";

/// The formats of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An array, as `numpy.save` writes it.
    Npy,
    /// An archive of arrays, as `numpy.savez` writes it.
    Npz,
    /// The elements of an array, in the order of its layout.
    Raw,
    /// A literal in the form of `eval --json`.
    Json,
}

impl Format {
    /// The format of a file by its first bytes: an array or an archive. `None` for other formats, which have no signature.
    pub fn of_content(start: &[u8]) -> Option<Self> {
        match start {
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Some(Self::Npy),
            [b'P', b'K', 3 | 5, 4 | 6, ..] => Some(Self::Npz),
            _ => None,
        }
    }

    /// The format of a file by the extension of its name; `None` for other texts, e.g. a value itself.
    pub fn of_name(text: &str) -> Option<Self> {
        let end = Path::new(text).extension()?.to_str()?.to_ascii_lowercase();
        Some(match end.as_str() {
            "npy" => Self::Npy,
            "npz" => Self::Npz,
            "raw" | "bin" => Self::Raw,
            "json" => Self::Json,
            _ => return None,
        })
    }
}

impl ArgumentReader<'_> {
    /// Reads the values of a file: one, or those of an archive. `parameters` are the shapes of the parameters that have no
    /// argument yet, in order. `length` is `None` if it is only known at the end, e.g. for a pipe.
    ///
    /// # Errors
    ///
    /// `file` if the file cannot be read, `array-file` if it is invalid or exceeds a limit, the rules of shapes and
    /// of literals in JSON; `array-memory` if they exceed the limit of memory; [`FileError::Cancelled`] if reading was cancelled.
    pub fn read(
        &mut self,
        file: &str,
        format: Format,
        reader: &mut (impl Read + Seek),
        length: Option<u64>,
        parameters: &[&Shape],
    ) -> Result<Vec<Literal>, FileError> {
        match format {
            Format::Npy => {
                let mut source = Source {
                    name: file,
                    reader,
                    length,
                    parameter: parameters.first().copied(),
                    argument_reader: self,
                };
                npy::read(&mut source).map(|value| vec![value])
            }
            Format::Npz => self.read_archive(file, reader, parameters),
            Format::Raw => {
                let parameter = parameters.first().copied();
                let shape = parameter.and_then(Shape::as_array);
                let shape = shape.ok_or_else(|| malformed(file, "raw-parameter"))?.clone();
                let mut source = Source { name: file, reader, length, parameter, argument_reader: self };
                source.read_array(shape, 0, false).map(|value| vec![value])
            }
            Format::Json => self.read_json(file, reader).map(|value| vec![value]),
        }
    }

    /// Reads the arrays of an archive, one for each of the first parameters.
    fn read_archive(
        &mut self,
        file: &str,
        reader: &mut (impl Read + Seek),
        parameters: &[&Shape],
    ) -> Result<Vec<Literal>, FileError> {
        let count = Self::names(file, reader)?.len();
        if count > parameters.len() {
            let message = Message::files("npz-count")
                .with("file", file)
                .with("found", count)
                .with("left", parameters.len());
            return Err(FileError::Rejected { rule: "array-file", message });
        }
        let values = self.read_members(file, reader, &|index| parameters.get(index).copied())?;
        Ok(values.into_iter().map(|(_, value)| value).collect())
    }

    /// The names of the arrays of an archive, in its order.
    ///
    /// # Errors
    ///
    /// `array-file` if it is not an archive, or empty; `file` if it cannot be read.
    pub fn names(file: &str, reader: &mut (impl Read + Seek)) -> Result<Vec<String>, FileError> {
        Ok(Self::directory(file, reader)?.into_iter().map(|entry| entry.name).collect())
    }

    fn directory(file: &str, reader: &mut (impl Read + Seek)) -> Result<Vec<zip::Entry>, FileError> {
        let entries = zip::directory(reader).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => malformed(file, "npz-archive"),
            _ => unreadable(file, &error),
        })?;
        if entries.is_empty() { Err(malformed(file, "npz-empty")) } else { Ok(entries) }
    }

    /// Reads the arrays of an archive for which `shape` returns the expected shape, each with its position.
    ///
    /// # Errors
    ///
    /// As [`ArgumentReader::read`].
    pub fn read_members<'s>(
        &mut self,
        file: &str,
        reader: &mut (impl Read + Seek),
        shape: &dyn Fn(usize) -> Option<&'s Shape>,
    ) -> Result<Vec<(usize, Literal)>, FileError> {
        let entries = Self::directory(file, reader)?;
        let mut values = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let Some(parameter) = shape(index) else { continue };
            let name = format!("{file}/{}", entry.name);
            if !entry.is_supported() {
                return Err(malformed(&name, "npz-method"));
            }
            let mut member = entry.open(reader).map_err(|error| match error.kind() {
                io::ErrorKind::InvalidData => malformed(&name, "npz-member"),
                _ => unreadable(&name, &error),
            })?;
            let length = Some(entry.size);
            let (reader, parameter) = (&mut member, Some(parameter));
            let mut source = Source { name: &name, reader, length, parameter, argument_reader: self };
            values.push((index, npy::read(&mut source)?));
        }
        Ok(values)
    }

    /// Reads a literal in JSON.
    fn read_json(&mut self, file: &str, reader: &mut impl Read) -> Result<Literal, FileError> {
        let mut bytes = Vec::new();
        let read = reader.take(self.remaining_bytes.saturating_add(1)).read_to_end(&mut bytes);
        let length = read.map_err(|error| unreadable(file, &error))? as u64;
        if length > self.remaining_bytes {
            return Err(self.memory_error(file));
        }
        let text = String::from_utf8(bytes).map_err(|_| malformed(file, "array-json"))?;
        let value = literal::parse(&text);
        value.map_err(|error| FileError::Rejected { rule: error.rule, message: error.message })
    }

    /// Charges the bytes of a value to the memory limit.
    fn reserve_bytes(&mut self, file: &str, bytes: u64) -> Result<(), FileError> {
        self.remaining_bytes =
            self.remaining_bytes.checked_sub(bytes).ok_or_else(|| self.memory_error(file))?;
        Ok(())
    }

    fn memory_error(&self, file: &str) -> FileError {
        let message = Message::files("array-memory").with("file", file).with("limit", self.max_bytes >> 20);
        FileError::Rejected { rule: MEMORY_RULE, message }
    }
}

#[cfg(test)]
mod tests;
