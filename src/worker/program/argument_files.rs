//! Reads arguments from files.

use std::io::{Read, Seek};

use super::wire::FileArgument;
use crate::array::{Literal, Shape, shape_util};
use crate::files::{ArgumentReader, FileError, Format};
use crate::i18n::Message;

/// A file that can be read from any position.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// An open file, and its length in bytes.
pub struct OpenFile {
    /// Its content.
    pub content: Box<dyn ReadSeek>,
    /// Its length in bytes.
    pub length: u64,
}

/// The files that were chosen for arguments.
pub trait ArgumentFiles {
    /// Opens a file by its index.
    fn open(&self, number: u32) -> Option<OpenFile>;
}

/// No files.
pub struct NoFiles;

impl ArgumentFiles for NoFiles {
    fn open(&self, _: u32) -> Option<OpenFile> {
        None
    }
}

/// Why an argument cannot be used: rule and message.
pub type Rejection = (&'static str, Message);

/// Converts an error of a file to a rejection.
pub fn rejection(error: FileError) -> Rejection {
    match error {
        FileError::Rejected { rule, message } => (rule, message),
        // The page ends this worker instead.
        FileError::Cancelled => ("array-file", Message::program("program-cancelled")),
    }
}

/// The format of a file by its content, else by its name.
pub(super) fn format(name: &str, file: &mut OpenFile) -> Option<Format> {
    let mut start = [0; 8];
    let found = match file.content.rewind().and_then(|()| file.content.read(&mut start)) {
        Ok(count) => Format::of_content(start.get(..count).unwrap_or_default()),
        Err(_) => None,
    };
    // A later read reports the error.
    let _ = file.content.rewind();
    found.or_else(|| Format::of_name(name))
}

/// Reads the array of an argument, which must have this shape.
pub(super) fn read(
    argument: &FileArgument,
    file: &mut OpenFile,
    shape: &Shape,
    reader: &mut ArgumentReader,
) -> Result<Literal, Rejection> {
    let name = argument.file.as_str();
    let unknown = || ("array-file", Message::files("file-format").with("file", name));
    let format = format(name, file).ok_or_else(unknown)?;
    let value = match (format, &argument.member) {
        (Format::Npz, member) => {
            let names = ArgumentReader::names(name, &mut file.content).map_err(rejection)?;
            let index = match member {
                Some(member) => names.iter().position(|name| name == member),
                None => (names.len() == 1).then_some(0),
            };
            let index = index.ok_or_else(|| {
                ("array-file", Message::files("npz-no-member").with("file", argument.name()))
            })?;
            let wanted = |each: usize| (each == index).then_some(shape);
            let found = reader.read_members(name, &mut file.content, &wanted).map_err(rejection)?;
            found.into_iter().next().map(|(_, value)| value)
        }
        (format, _) => {
            let length = Some(file.length);
            let found = reader.read(name, format, &mut file.content, length, &[shape]).map_err(rejection)?;
            found.into_iter().next()
        }
    };
    let value = value.ok_or_else(unknown)?;
    match mismatch(&argument.name(), &value, shape) {
        Some(rejection) => Err(rejection),
        None => Ok(value),
    }
}

/// The rejection of a value that does not have the shape of its parameter.
fn mismatch(name: &str, value: &Literal, shape: &Shape) -> Option<Rejection> {
    let found = value.shape();
    let wanted = match shape {
        Shape::Buffer(array) => Shape::Array((**array).clone()),
        other => other.clone(),
    };
    if shape_util::compatible(&found, &wanted) {
        return None;
    }
    let is_type_only = shape_util::same_dimensions(&found, &wanted) == Some(true);
    let key = if is_type_only { "array-other-type" } else { "array-other-shape" };
    let message = Message::files(key)
        .with("file", name)
        .with("shape", found.human_string())
        .with("parameter", wanted.human_string());
    Some(("array-file", message))
}
