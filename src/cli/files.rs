//! Arguments from files: `NumPy` arrays (`.npy`), archives of them (`.npz`), raw elements (`.raw`, `.bin`) and JSON (`.json`).
//!
//! A length or a type that a file states is checked against its content before anything is allocated for it.

use std::fs;
use std::path::Path;

use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::array::literal::LiteralError;
use crate::array::{ArrayLiteral, ArrayShape, ElementType, Layout, Literal, Shape};
use crate::i18n::Message;
use crate::wire::literal;

/// The largest file that is read.
const MAX_FILE_BYTES: u64 = 1 << 32;

/// Why a file is no argument: the rule and the sentence.
pub(super) type FileError = (&'static str, Message);

/// The forms of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Npy,
    Npz,
    Raw,
    Json,
}

impl Form {
    /// The form of a file by the end of its name; `None` for text that is a value itself.
    pub fn of(text: &str) -> Option<Self> {
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

fn broken(file: &str, key: &'static str) -> FileError {
    ("cli-array-file", Message::terminal(key).with("file", file))
}

/// The values of a file, for the parameters of these shapes: one, but for archives.
pub(super) fn read(file: &str, form: Form, parameters: &[Shape]) -> Result<Vec<Literal>, FileError> {
    let unreadable = |error: std::io::Error| {
        let message = Message::terminal("cli-file").with("file", file).with("error", error.to_string());
        ("cli-file", message)
    };
    if fs::metadata(file).map_err(unreadable)?.len() > MAX_FILE_BYTES {
        return Err(broken(file, "cli-array-large"));
    }
    let bytes = fs::read(file).map_err(unreadable)?;
    let first = parameters.first();
    match form {
        Form::Npy => Ok(vec![npy(file, &bytes, first)?]),
        Form::Npz => {
            let members = members(&bytes).ok_or_else(|| broken(file, "cli-npz"))?;
            let each = members.iter().enumerate();
            each.map(|(i, (name, bytes))| npy(&format!("{file}/{name}"), bytes, parameters.get(i))).collect()
        }
        Form::Raw => {
            let shape = first.and_then(Shape::as_array).ok_or_else(|| broken(file, "cli-raw-parameter"))?;
            Ok(vec![array(file, shape.clone(), &bytes)?])
        }
        Form::Json => {
            let text = String::from_utf8(bytes).map_err(|_| broken(file, "cli-array-json"))?;
            let value = literal::parse(&text).map_err(|error| (error.rule, error.message))?;
            Ok(vec![value])
        }
    }
}

/// An array of these bytes in the order of its layout.
fn array(file: &str, shape: ArrayShape, bytes: &[u8]) -> Result<Literal, FileError> {
    let expected = shape.elements().and_then(|n| n.checked_mul(shape.element_type.bytes()));
    if expected.and_then(|n| usize::try_from(n).ok()) != Some(bytes.len()) {
        let message = Message::terminal("cli-array-length")
            .with("file", file)
            .with("found", bytes.len())
            .with("expected", expected.unwrap_or(-1))
            .with("shape", Shape::Array(shape).human_string());
        return Err(("cli-array-file", message));
    }
    let made = ArrayLiteral::from_bytes(shape, bytes);
    made.map(Literal::from).map_err(|LiteralError { rule, message, .. }| (rule, message))
}

/// The value of a key in the header of a `NumPy` array, a Python dictionary.
fn field<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let (_, after) = header.split_once(&format!("'{key}'"))?;
    Some(after.trim_start().strip_prefix(':')?.trim_start())
}

/// The element type of a `NumPy` type without its byte order; `parameter` decides where `NumPy` has none.
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
        // What NumPy has no type for, JAX saves as bytes of its width.
        "V1" | "V2" => {
            let wanted = parameter?.as_array()?.element_type;
            (wanted.bytes().to_string() == code[1..]).then_some(wanted)?
        }
        _ => return None,
    })
}

/// The array of a `.npy` file.
fn npy(file: &str, bytes: &[u8], parameter: Option<&Shape>) -> Result<Literal, FileError> {
    let head = || {
        let rest = bytes.strip_prefix(b"\x93NUMPY")?;
        let (version, rest) = rest.split_at_checked(2)?;
        let width = if version[0] == 1 { 2 } else { 4 };
        let (length, rest) = rest.split_at_checked(width)?;
        let length = length.iter().rev().fold(0_usize, |all, byte| all << 8 | usize::from(*byte));
        let (header, data) = rest.split_at_checked(length)?;
        let header = std::str::from_utf8(header).ok()?;
        let (dimensions, _) = field(header, "shape")?.strip_prefix('(')?.split_once(')')?;
        let sizes = dimensions.split(',').map(str::trim).filter(|size| !size.is_empty());
        let sizes: Vec<i64> =
            sizes.map(|size| size.trim_end_matches('L').parse().ok()).collect::<Option<_>>()?;
        let is_fortran = field(header, "fortran_order")?.starts_with("True");
        Some((field(header, "descr")?, is_fortran, sizes, data))
    };
    let (described, is_fortran, sizes, data) = head().ok_or_else(|| broken(file, "cli-npy-header"))?;
    let code = described.strip_prefix('\'').and_then(|text| text.split_once('\'')).map(|(code, _)| code);
    let order = code.and_then(|code| code.chars().next()).unwrap_or(' ');
    let ty = code.and_then(|code| element_type(code.get(1..)?, parameter));
    let Some(ty) = ty.filter(|_| "<>|=".contains(order)) else {
        let shown = code.unwrap_or("?").chars().take(20).collect::<String>();
        let message = Message::terminal("cli-npy-type").with("file", file).with("type", shown);
        return Err(("cli-array-file", message));
    };
    let mut shape = ArrayShape::new(ty, sizes);
    if is_fortran {
        let rank = shape.rank();
        shape = shape.with_layout(Layout::ascending(rank));
    }
    if order == '>' {
        // The parts of a complex number are turned one by one.
        let parts = if ty.is_complex() { 2 } else { 1 };
        let width = usize::try_from(ty.bytes() / parts).unwrap_or(1).max(1);
        let turned: Vec<u8> = data.chunks(width).flat_map(|cell| cell.iter().rev().copied()).collect();
        return array(file, shape, &turned);
    }
    array(file, shape, data)
}

/// The files of a zip archive in its order: stored or deflated. `None` if it is none, or encrypted, or larger than stated.
fn members(zip: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let number = |at: usize, width: usize| {
        let bytes = zip.get(at..at.checked_add(width)?)?;
        usize::try_from(bytes.iter().rev().fold(0_u64, |all, byte| all << 8 | u64::from(*byte))).ok()
    };
    let end = (0..=zip.len().checked_sub(22)?)
        .rev()
        .take(1 << 16)
        .find(|at| zip[*at..].starts_with(b"PK\x05\x06"))?;
    let (count, mut at) = (number(end + 10, 2)?, number(end + 16, 4)?);
    let mut all = Vec::new();
    for _ in 0..count {
        zip.get(at..)?.starts_with(b"PK\x01\x02").then_some(())?;
        let (flags, method) = (number(at + 8, 2)?, number(at + 10, 2)?);
        let (mut packed, mut size) = (number(at + 20, 4)?, number(at + 24, 4)?);
        let (name, extra, comment) = (number(at + 28, 2)?, number(at + 30, 2)?, number(at + 32, 2)?);
        let mut start = number(at + 42, 4)?;
        let text = String::from_utf8_lossy(zip.get(at + 46..at + 46 + name)?).into_owned();
        // Sizes that need 64 bits are in an extra field, in this order.
        let mut extra_at = at + 46 + name;
        while extra_at + 4 <= at + 46 + name + extra {
            let (id, length) = (number(extra_at, 2)?, number(extra_at + 2, 2)?);
            if id == 1 {
                let mut wide = extra_at + 4;
                for field in [&mut size, &mut packed, &mut start] {
                    if *field == 0xffff_ffff {
                        *field = number(wide, 8)?;
                        wide += 8;
                    }
                }
            }
            extra_at += 4 + length;
        }
        let data_at = start.checked_add(30)?.checked_add(number(start + 26, 2)?)? + number(start + 28, 2)?;
        let data = zip.get(data_at..data_at.checked_add(packed)?)?;
        let content = match method {
            0 => data.to_vec(),
            8 => decompress_to_vec_with_limit(data, size).ok()?,
            _ => return None,
        };
        (flags & 1 == 0 && content.len() == size).then_some(())?;
        all.push((text, content));
        at += 46 + name + extra + comment;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(header.len()).unwrap_or(0).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
    }

    #[test]
    fn arrays_of_numpy_are_read() {
        let text = |header: &str, data: &[u8]| match npy("x.npy", &file(header, data), None) {
            Ok(value) => value.to_string(),
            Err((rule, _)) => rule.to_owned(),
        };
        let data: Vec<u8> = (1..=6_i16).flat_map(i16::to_le_bytes).collect();
        let header = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n";
        assert_eq!(text(header, &data), "{ { 1, 2, 3 }, { 4, 5, 6 } }");
        assert_eq!(text(&header.replace("False", "True"), &data), "{ { 1, 3, 5 }, { 2, 4, 6 } }");
        assert_eq!(text(&header.replace("(2, 3)", "(1,)"), &[1, 0]), "{1}");
        assert_eq!(text(&header.replace("<i2", ">i2").replace("(2, 3)", "()"), &[1, 2]), "258");
        for (from, to) in [("(2, 3)", "(2, 4)"), ("(2, 3)", "(-2, 3)"), ("<i2", "<U3"), ("shape", "form")] {
            assert_eq!(text(&header.replace(from, to), &data), "cli-array-file", "{to}");
        }
        assert!(npy("x.npy", b"\x93NUMPY\x01\x00\xff\xff{", None).is_err());
    }

    #[test]
    fn files_are_told_by_their_names() {
        assert_eq!(Form::of("weights/W.NPZ"), Some(Form::Npz));
        assert_eq!(Form::of("f32[2] {1, 2.5}"), None);
        assert_eq!(Form::of("1.5"), None);
        assert_eq!(members(b"PK"), None);
        assert_eq!(members(&[0; 64]), None);
    }
}
