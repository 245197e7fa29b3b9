//! Values as JavaScript's typed arrays, for user-supplied functions.
//!
//! Every value of an element type is exactly representable in its typed array. Results are rounded to the element type.

use xla_array::{ArrayLiteral, ArrayShape, Class, ElementType, Literal, Shape, Value};

/// A JavaScript typed array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedArray {
    /// The name of its class, e.g. `Float32Array`. A complex number is two elements, real and imaginary part.
    pub class: &'static str,
    /// The elements in row-major order, little-endian like WebAssembly.
    pub bytes: Vec<u8>,
}

/// The typed-array class for an element type, and the bytes per element.
pub fn typed_array_class(element_type: ElementType) -> (&'static str, usize) {
    match (element_type.class(), element_type.bits()) {
        (Class::Boolean, _) | (Class::Unsigned, ..=8) => ("Uint8Array", 1),
        (Class::Signed, ..=8) => ("Int8Array", 1),
        (Class::Signed, ..=16) => ("Int16Array", 2),
        (Class::Signed, ..=32) => ("Int32Array", 4),
        (Class::Signed, _) => ("BigInt64Array", 8),
        (Class::Unsigned, ..=16) => ("Uint16Array", 2),
        (Class::Unsigned, ..=32) => ("Uint32Array", 4),
        (Class::Unsigned, _) => ("BigUint64Array", 8),
        (Class::Float, ..=32) | (Class::Complex, ..=64) => ("Float32Array", 4),
        (Class::Float | Class::Complex, _) => ("Float64Array", 8),
    }
}

/// The number of elements of the typed array for a shape; `None` on overflow.
pub fn element_count(shape: &ArrayShape) -> Option<usize> {
    let components = if shape.element_type.class() == Class::Complex { 2 } else { 1 };
    usize::try_from(shape.elements()?).ok()?.checked_mul(components)
}

#[allow(clippy::cast_possible_truncation, reason = "values of types of 32 bits or less are exactly floats")]
fn put_float(out: &mut Vec<u8>, width: usize, x: f64) {
    if width == 4 {
        out.extend((x as f32).to_le_bytes());
    } else {
        out.extend(x.to_le_bytes());
    }
}

/// Converts an array to a typed array.
pub fn to_typed_array(array: &ArrayLiteral) -> TypedArray {
    let (class, width) = typed_array_class(array.element_type());
    let mut bytes = Vec::new();
    for value in array.values() {
        match value {
            Value::Pred(x) => bytes.push(u8::from(x)),
            Value::Int(x) => bytes.extend(&x.to_le_bytes()[..width]),
            Value::Uint(x) => bytes.extend(&x.to_le_bytes()[..width]),
            Value::Float(x) => put_float(&mut bytes, width, x),
            Value::Complex(re, im) => {
                put_float(&mut bytes, width, re);
                put_float(&mut bytes, width, im);
            }
        }
    }
    TypedArray { class, bytes }
}

/// Decodes the bytes of one element of a class that is not complex.
fn decode(class: Class, bytes: &[u8]) -> Value {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let shift = 64 - 8 * u32::try_from(bytes.len()).unwrap_or(8);
    match class {
        Class::Boolean => Value::Pred(wide != [0; 8]),
        Class::Signed => Value::Int(i64::from_le_bytes(wide) << shift >> shift),
        Class::Unsigned => Value::Uint(u64::from_le_bytes(wide)),
        Class::Float | Class::Complex => Value::Float(decode_float(bytes)),
    }
}

fn decode_float(bytes: &[u8]) -> f64 {
    match bytes {
        [a, b, c, d] => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
        _ => f64::from_le_bytes(bytes.try_into().unwrap_or_default()),
    }
}

/// Converts the bytes of a typed array to an array; `None` if their number does not match the shape.
pub fn from_bytes(shape: &ArrayShape, bytes: &[u8]) -> Option<ArrayLiteral> {
    let (class, (_, width)) = (shape.element_type.class(), typed_array_class(shape.element_type));
    if bytes.len() != element_count(shape)?.checked_mul(width)? {
        return None;
    }
    let value = |element: &[u8]| match class {
        Class::Complex => Value::Complex(decode_float(&element[..width]), decode_float(&element[width..])),
        _ => decode(class, element),
    };
    let element_bytes = if class == Class::Complex { 2 * width } else { width };
    let values = bytes.chunks_exact(element_bytes).map(|bytes| value(bytes).convert(shape.element_type));
    ArrayLiteral::from_values(shape.clone(), values).ok()
}

/// The arrays in a shape, in order.
pub fn arrays_in(shape: &Shape) -> Vec<&ArrayShape> {
    match shape {
        Shape::Tuple(elements) => elements.iter().flat_map(arrays_in).collect(),
        other => other.as_array().into_iter().collect(),
    }
}

/// Builds a value of this shape from the bytes of its arrays; `None` if they do not match the shape.
pub fn literal_from_arrays(shape: &Shape, arrays: &mut impl Iterator<Item = Vec<u8>>) -> Option<Literal> {
    Some(match shape {
        Shape::Array(array) => Literal::Array(from_bytes(array, &arrays.next()?)?),
        Shape::Buffer(array) => Literal::Array(from_bytes(array, &arrays.next()?)?),
        Shape::Tuple(elements) => {
            Literal::Tuple(elements.iter().map(|e| literal_from_arrays(e, arrays)).collect::<Option<_>>()?)
        }
        Shape::Token | Shape::Opaque => Literal::Token,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_type_round_trips() {
        let texts = [
            "pred[2] {1, 0}",
            "s4[3] {-8, 7, -1}",
            "u4[2] {15, 1}",
            "s8[2] {-128, 127}",
            "u16[2] {65535, 1}",
            "s32[2,2] { {-2147483648, 1}, {2, 3} }",
            "s64[2] {-9223372036854775808, 9}",
            "u64[1] {18446744073709551615}",
            "f16[2] {0.333, -65504}",
            "bf16[2] {1.5, inf}",
            "f8e5m2[2] {0.25, -3}",
            "f32[2]{0} {0.1, -0}",
            "f64[1] {0.1}",
            "c64[2] {(1, -2), (0.5, 0)}",
            "c128[1] {(1, 0.1)}",
            "f32[2,3]{0,1} { {1, 2, 3}, {4, 5, 6} }",
        ];
        for text in texts {
            let literal: Literal = text.parse().unwrap();
            let array = literal.as_array().unwrap();
            let typed = to_typed_array(array);
            assert_eq!(typed.bytes.len() % typed_array_class(array.element_type()).1, 0, "{text}");
            let back = from_bytes(array.shape(), &typed.bytes).unwrap();
            assert_eq!(back.to_bytes().unwrap(), array.to_bytes().unwrap(), "{text}");
            assert_eq!(from_bytes(array.shape(), &typed.bytes[1..]), None, "{text}");
            let mut arrays = std::iter::once(typed.bytes);
            assert!(literal_from_arrays(&literal.shape(), &mut arrays).is_some());
        }
    }
}
