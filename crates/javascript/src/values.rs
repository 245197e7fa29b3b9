//! Typed arrays ↔ literals: the arrays of a value, depth first, each in logical row-major order.
//!
//! A typed array has the element type in which the literal stores it ([`Buffer`]), so that one copy is enough. The package has
//! already checked element types, lengths and values; this module checks only types and lengths again.

use js_sys::{
    Array, BigInt64Array, BigUint64Array, Float32Array, Float64Array, Int8Array, Int16Array, Int32Array,
    Object, Reflect, Uint8Array, Uint16Array, Uint32Array,
};
use wasm_bindgen::{JsCast, JsValue};

use xla_array::literal::{Buffer, LiteralError, check_size};
use xla_array::{ArrayLiteral, ArrayShape, Layout, Literal, Shape, text};
use xla_messages::i18n::Message;
use xla_wire::diagnostic_record::{DiagnosticRecord, ErrorKind};

fn literal_error(error: &LiteralError) -> DiagnosticRecord {
    DiagnosticRecord::of_value(error.rule, &error.message)
}

/// The error of arrays that do not match the shape.
fn mismatched_arrays(shape: &Shape) -> DiagnosticRecord {
    let message = Message::ops("literal-not-a-value").with("shape", shape.human_string());
    DiagnosticRecord::new(ErrorKind::Argument, "literal-shape", &message)
}

/// Copies a typed array into elements; `None` if it is of another type or length.
macro_rules! copy_into {
    ($source:expr, $array:ty, $elements:expr) => {{
        let source = $source.dyn_ref::<$array>()?;
        let elements = $elements;
        (source.length() as usize == elements.len()).then(|| source.copy_to(elements))
    }};
}

/// Copies a typed array into a buffer; `None` if it is of another type or length.
fn copy_typed_array(buffer: &mut Buffer, source: &JsValue) -> Option<()> {
    match buffer {
        Buffer::U8(elements) => copy_into!(source, Uint8Array, &mut elements[..]),
        Buffer::I8(elements) => copy_into!(source, Int8Array, &mut elements[..]),
        Buffer::U16(elements) => copy_into!(source, Uint16Array, &mut elements[..]),
        Buffer::I16(elements) => copy_into!(source, Int16Array, &mut elements[..]),
        Buffer::U32(elements) => copy_into!(source, Uint32Array, &mut elements[..]),
        Buffer::I32(elements) => copy_into!(source, Int32Array, &mut elements[..]),
        Buffer::U64(elements) => copy_into!(source, BigUint64Array, &mut elements[..]),
        Buffer::I64(elements) => copy_into!(source, BigInt64Array, &mut elements[..]),
        Buffer::F32(elements) => copy_into!(source, Float32Array, &mut elements[..]),
        Buffer::F64(elements) => copy_into!(source, Float64Array, &mut elements[..]),
        Buffer::C64(elements) => copy_into!(source, Float32Array, elements.as_flattened_mut()),
        Buffer::C128(elements) => copy_into!(source, Float64Array, elements.as_flattened_mut()),
    }
}

/// A typed array with a copy of a buffer.
fn typed_array(buffer: &Buffer) -> JsValue {
    match buffer {
        Buffer::U8(elements) => Uint8Array::from(&elements[..]).into(),
        Buffer::I8(elements) => Int8Array::from(&elements[..]).into(),
        Buffer::U16(elements) => Uint16Array::from(&elements[..]).into(),
        Buffer::I16(elements) => Int16Array::from(&elements[..]).into(),
        Buffer::U32(elements) => Uint32Array::from(&elements[..]).into(),
        Buffer::I32(elements) => Int32Array::from(&elements[..]).into(),
        Buffer::U64(elements) => BigUint64Array::from(&elements[..]).into(),
        Buffer::I64(elements) => BigInt64Array::from(&elements[..]).into(),
        Buffer::F32(elements) => Float32Array::from(&elements[..]).into(),
        Buffer::F64(elements) => Float64Array::from(&elements[..]).into(),
        Buffer::C64(elements) => Float32Array::from(elements.as_flattened()).into(),
        Buffer::C128(elements) => Float64Array::from(elements.as_flattened()).into(),
    }
}

/// Parses the text of a shape, which the package has already validated.
pub fn parse_shape(text: &str) -> Result<Shape, DiagnosticRecord> {
    let parsed = text::parse_printed(text);
    match (parsed.valid(), parsed.error()) {
        (Some(shape), _) => Ok(shape.clone()),
        (None, Some(error)) => Err(DiagnosticRecord::of_value(error.rule, &error.message)),
        (None, None) => {
            let message = Message::ops("literal-not-a-value").with("shape", text);
            Err(DiagnosticRecord::new(ErrorKind::Argument, "literal-shape", &message))
        }
    }
}

fn read_array(shape: &ArrayShape, source: &JsValue) -> Result<ArrayLiteral, DiagnosticRecord> {
    let row_major = ArrayShape { layout: Some(Layout::descending(shape.rank())), ..shape.clone() };
    let mut array = ArrayLiteral::zeros(row_major).map_err(|error| literal_error(&error))?;
    copy_typed_array(array.buffer_mut(), source)
        .ok_or_else(|| mismatched_arrays(&Shape::Array(shape.clone())))?;
    Ok(array)
}

fn read_value(
    shape: &Shape,
    arrays: &mut impl Iterator<Item = JsValue>,
) -> Result<Literal, DiagnosticRecord> {
    match shape {
        Shape::Array(array) => {
            let source = arrays.next().ok_or_else(|| mismatched_arrays(shape))?;
            read_array(array, &source).map(Literal::Array)
        }
        Shape::Tuple(elements) => elements
            .iter()
            .map(|element| read_value(element, arrays))
            .collect::<Result<_, _>>()
            .map(Literal::Tuple),
        Shape::Token => Ok(Literal::Token),
        Shape::Opaque | Shape::Buffer(_) => Err(mismatched_arrays(shape)),
    }
}

/// A literal from the text of its shape and its arrays, which are row-major.
///
/// # Errors
///
/// An invalid shape, one that is too large, or arrays of other types or lengths.
pub fn literal(shape: &str, arrays: &Array) -> Result<Literal, DiagnosticRecord> {
    let shape = parse_shape(shape)?;
    check_size(&shape).map_err(|error| literal_error(&error))?;
    let mut remaining = arrays.iter();
    let literal = read_value(&shape, &mut remaining)?;
    if remaining.next().is_some() { Err(mismatched_arrays(&shape)) } else { Ok(literal) }
}

/// Reads a literal from a record `{shape, arrays}`.
///
/// # Errors
///
/// Those of [`literal`].
pub fn read_literal(record: &JsValue) -> Result<Literal, DiagnosticRecord> {
    let field = |name: &str| Reflect::get(record, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let shape = field("shape").as_string().unwrap_or_default();
    let arrays = field("arrays").dyn_into::<Array>().unwrap_or_default();
    literal(&shape, &arrays)
}

/// Reads an array of records.
///
/// # Errors
///
/// Those of [`literal`], of the first record that is invalid.
pub fn read_literals(records: &Array) -> Result<Vec<Literal>, DiagnosticRecord> {
    records.iter().map(|record| read_literal(&record)).collect()
}

fn push_arrays(literal: &Literal, arrays: &Array) -> Result<(), DiagnosticRecord> {
    match literal {
        Literal::Array(array) => {
            let descending = Layout::descending(array.shape().rank());
            let is_row_major = array.shape().layout.as_ref() == Some(&descending);
            if is_row_major {
                arrays.push(&typed_array(array.buffer()));
            } else {
                arrays.push(&typed_array(
                    array.relayout(descending).map_err(|error| literal_error(&error))?.buffer(),
                ));
            }
            Ok(())
        }
        Literal::Tuple(elements) => elements.iter().try_for_each(|element| push_arrays(element, arrays)),
        Literal::Token => Ok(()),
    }
}

/// The record `{shape, arrays}` of a literal.
///
/// # Errors
///
/// `literal-memory` if there is not enough memory for a row-major copy.
pub fn record(literal: &Literal) -> Result<JsValue, DiagnosticRecord> {
    let (object, arrays) = (Object::new(), Array::new());
    push_arrays(literal, &arrays)?;
    // A new plain object has no setters that could fail.
    let _ = Reflect::set(&object, &"shape".into(), &literal.shape().to_string().into());
    let _ = Reflect::set(&object, &"arrays".into(), &arrays);
    Ok(object.into())
}
