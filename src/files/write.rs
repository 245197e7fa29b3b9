//! Writes `.npy` and `.npz`: version 1.0 of the format, in C order, little-endian; members of an archive are stored.
//!
//! Elements of types that `NumPy` lacks are written as raw bytes, as JAX does, and read back by the type of the parameter.

use super::zip_writer::{ZipWriter, truncated_name};
use crate::array::literal::LiteralError;
use crate::array::{ArrayLiteral, ArrayShape, ElementType, Value};

/// The elements of a `.npy` file start at a multiple of this many bytes.
const ALIGNMENT_BYTES: usize = 64;

/// The `NumPy` type of an element type.
fn descr(element_type: ElementType) -> String {
    let native = match element_type {
        ElementType::Pred => "|b1",
        ElementType::S8 => "|i1",
        ElementType::S16 => "<i2",
        ElementType::S32 => "<i4",
        ElementType::S64 => "<i8",
        ElementType::U8 => "|u1",
        ElementType::U16 => "<u2",
        ElementType::U32 => "<u4",
        ElementType::U64 => "<u8",
        ElementType::F16 => "<f2",
        ElementType::F32 => "<f4",
        ElementType::F64 => "<f8",
        ElementType::C64 => "<c8",
        ElementType::C128 => "<c16",
        other => return format!("|V{}", other.bytes()),
    };
    native.to_owned()
}

/// The name of an element type in `NumPy`, or in the package `ml_dtypes`.
pub fn dtype_name(element_type: ElementType) -> &'static str {
    match element_type {
        ElementType::Pred => "bool",
        ElementType::S2 => "int2",
        ElementType::S4 => "int4",
        ElementType::S8 => "int8",
        ElementType::S16 => "int16",
        ElementType::S32 => "int32",
        ElementType::S64 => "int64",
        ElementType::U2 => "uint2",
        ElementType::U4 => "uint4",
        ElementType::U8 => "uint8",
        ElementType::U16 => "uint16",
        ElementType::U32 => "uint32",
        ElementType::U64 => "uint64",
        ElementType::F4E2M1FN => "float4_e2m1fn",
        ElementType::F8E3M4 => "float8_e3m4",
        ElementType::F8E4M3 => "float8_e4m3",
        ElementType::F8E4M3B11FNUZ => "float8_e4m3b11fnuz",
        ElementType::F8E4M3FN => "float8_e4m3fn",
        ElementType::F8E4M3FNUZ => "float8_e4m3fnuz",
        ElementType::F8E5M2 => "float8_e5m2",
        ElementType::F8E5M2FNUZ => "float8_e5m2fnuz",
        ElementType::F8E8M0FNU => "float8_e8m0fnu",
        ElementType::BF16 => "bfloat16",
        ElementType::F16 => "float16",
        ElementType::F32 => "float32",
        ElementType::F64 => "float64",
        ElementType::C64 => "complex64",
        ElementType::C128 => "complex128",
        ElementType::S1 => "int1",
        ElementType::U1 => "uint1",
        ElementType::F6E2M3FN => "float6_e2m3fn",
        ElementType::F6E3M2FN => "float6_e3m2fn",
    }
}

/// The bytes of the elements in row-major order, without padding.
fn element_bytes(array: &ArrayLiteral) -> Result<Vec<u8>, LiteralError> {
    let element_type = array.element_type();
    let zero = Value::from_bits(element_type, 0);
    let shape = ArrayShape::new(element_type, array.shape().dimensions.clone());
    ArrayLiteral::from_fn(shape, |_, index| array.get(index).unwrap_or(zero))?.to_raw()
}

/// A `.npy` file.
///
/// # Errors
///
/// The rules of literals if the elements do not fit in memory.
pub fn npy(array: &ArrayLiteral) -> Result<Vec<u8>, LiteralError> {
    let sizes: Vec<String> = array.shape().dimensions.iter().map(|size| format!("{size},")).collect();
    let shape = sizes.join(" ");
    // A Python tuple of one item needs a trailing comma; NumPy writes none after several items.
    let shape = if sizes.len() > 1 { shape.trim_end_matches(',') } else { &shape };
    let descr = descr(array.element_type());
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    let prefix_bytes = 10;
    let unpadded = prefix_bytes + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(ALIGNMENT_BYTES) - unpadded));
    header.push('\n');
    // At most 256 dimensions of 21 characters.
    let length = u16::try_from(header.len()).unwrap_or(u16::MAX);
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(element_bytes(array)?);
    Ok(bytes)
}

/// An `.npz` archive of named arrays; `None` if it would have more than [`MAX_ARCHIVE_BYTES`](super::MAX_ARCHIVE_BYTES).
///
/// # Errors
///
/// As [`npy`].
pub fn npz<'a>(
    arrays: impl IntoIterator<Item = (String, &'a ArrayLiteral)>,
) -> Result<Option<Vec<u8>>, LiteralError> {
    let mut archive = ZipWriter::default();
    for (name, array) in arrays {
        if archive.add(&format!("{}.npy", truncated_name(&name)), &npy(array)?).is_none() {
            return Ok(None);
        }
    }
    Ok(archive.finish())
}
