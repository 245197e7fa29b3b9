//! `.npy`: a header that is a Python dictionary, followed by the elements. Source: the documentation of `numpy.lib.format`.

use super::argument_reader::FileError;
use super::elements::Source;
use crate::array::{ArrayShape, ElementType, Layout, Literal, Shape};
use crate::i18n::Message;

/// Maximum bytes of a header: the maximum of version 1 of the format.
const MAX_HEADER_BYTES: usize = 1 << 16;

/// The rest of the header, starting at the value of `key`.
fn field<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let (_, after) = header.split_once(&format!("'{key}'"))?;
    Some(after.trim_start().strip_prefix(':')?.trim_start())
}

/// The sizes of the dimensions in a header, and whether the first dimension is minor (Fortran order).
fn sizes(header: &str) -> Option<(Vec<i64>, bool)> {
    let (dimensions, _) = field(header, "shape")?.strip_prefix('(')?.split_once(')')?;
    let sizes = dimensions.split(',').map(str::trim).filter(|size| !size.is_empty());
    let sizes = sizes.map(|size| size.trim_end_matches('L').parse().ok()).collect::<Option<_>>()?;
    Some((sizes, field(header, "fortran_order")?.starts_with("True")))
}

/// The element type of a `NumPy` type without its byte order. For types that `NumPy` lacks, that of `parameter`.
fn element_type(code: &str, parameter: Option<&Shape>) -> Option<ElementType> {
    Some(match code {
        "b1" => ElementType::Pred,
        "i1" => ElementType::S8,
        "i2" => ElementType::S16,
        "i4" => ElementType::S32,
        "i8" => ElementType::S64,
        "u1" => ElementType::U8,
        "u2" => ElementType::U16,
        "u4" => ElementType::U32,
        "u8" => ElementType::U64,
        "f2" => ElementType::F16,
        "f4" => ElementType::F32,
        "f8" => ElementType::F64,
        "c8" => ElementType::C64,
        "c16" => ElementType::C128,
        // JAX saves elements of types that NumPy lacks as raw bytes.
        "V1" | "V2" => {
            let wanted = parameter?.as_array()?.element_type;
            (wanted.bytes().to_string() == code[1..]).then_some(wanted)?
        }
        _ => return None,
    })
}

/// Reads the header; returns its text and the number of bytes before the elements, `None` if it is invalid.
fn read_header(source: &mut Source) -> Result<Option<(String, u64)>, FileError> {
    let mut start = [0; 8];
    if source.read(&mut start)? < start.len() || !start.starts_with(b"\x93NUMPY") {
        return Ok(None);
    }
    let width = match start[6] {
        1 => 2,
        2 | 3 => 4,
        _ => return Ok(None),
    };
    let mut length = [0; 4];
    if source.read(&mut length[..width])? < width {
        return Ok(None);
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_HEADER_BYTES {
        return Ok(None);
    }
    let mut text = vec![0; length];
    if source.read(&mut text)? < length {
        return Ok(None);
    }
    Ok(String::from_utf8(text).ok().map(|text| (text, (start.len() + width + length) as u64)))
}

/// Reads a `.npy` file.
pub(super) fn read(source: &mut Source) -> Result<Literal, FileError> {
    let header = read_header(source)?;
    let parts = header.as_ref().and_then(|(text, start)| Some((field(text, "descr")?, sizes(text)?, *start)));
    let (descr, (sizes, is_fortran), start) = parts.ok_or_else(|| source.malformed_error("npy-header"))?;
    let code = descr.strip_prefix('\'').and_then(|text| text.split_once('\'')).map(|(code, _)| code);
    let byte_order = code.and_then(|code| code.chars().next()).unwrap_or(' ');
    let element_type = code.and_then(|code| element_type(code.get(1..)?, source.parameter));
    let Some(element_type) = element_type.filter(|_| "<>|=".contains(byte_order)) else {
        let shown = code.unwrap_or("?").chars().take(20).collect::<String>();
        let message = Message::files("npy-type").with("file", source.name).with("type", shown);
        return Err(FileError::Rejected { rule: "array-file", message });
    };
    let mut shape = ArrayShape::new(element_type, sizes);
    if is_fortran {
        let rank = shape.rank();
        shape = shape.with_layout(Layout::ascending(rank));
    }
    source.read_array(shape, start, byte_order == '>')
}
