//! Values as a function of the visitor sees them: row-major bytes of the nearest of JavaScript's typed arrays.
//!
//! Every value of every element type is exactly one of its typed array, so nothing is lost on the way there; on the
//! way back numbers are rounded to the element type as any other value is.

use xla_array::{ArrayLiteral, ArrayShape, Class, ElementType, Literal, Shape, Value};

/// An array of JavaScript: the name of its class and the bytes of its elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// `Float32Array` and the like. A complex number is two elements, real and imaginary part.
    pub class: &'static str,
    /// The elements, row-major, little-endian as all that runs WebAssembly.
    pub bytes: Vec<u8>,
}

/// The class for an element type, and the bytes of one of its elements.
pub fn class_of(element_type: ElementType) -> (&'static str, usize) {
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

/// How many elements of JavaScript's an array has; `None` beyond what is counted.
pub fn length(shape: &ArrayShape) -> Option<usize> {
    let parts = if shape.element_type.class() == Class::Complex { 2 } else { 1 };
    usize::try_from(shape.elements()?).ok()?.checked_mul(parts)
}

#[allow(clippy::cast_possible_truncation, reason = "values of types of 32 bits or less are exactly floats")]
fn put_float(out: &mut Vec<u8>, width: usize, x: f64) {
    if width == 4 {
        out.extend((x as f32).to_le_bytes());
    } else {
        out.extend(x.to_le_bytes());
    }
}

/// An array for JavaScript.
pub fn typed(array: &ArrayLiteral) -> Typed {
    let (class, width) = class_of(array.element_type());
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
    Typed { class, bytes }
}

/// The number in some bytes, as many as an element has.
fn number(class: Class, bytes: &[u8]) -> Value {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let shift = 64 - 8 * u32::try_from(bytes.len()).unwrap_or(8);
    match class {
        Class::Boolean => Value::Pred(wide != [0; 8]),
        Class::Signed => Value::Int(i64::from_le_bytes(wide) << shift >> shift),
        Class::Unsigned => Value::Uint(u64::from_le_bytes(wide)),
        Class::Float | Class::Complex => Value::Float(real(bytes)),
    }
}

fn real(bytes: &[u8]) -> f64 {
    match bytes {
        [a, b, c, d] => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
        _ => f64::from_le_bytes(bytes.try_into().unwrap_or_default()),
    }
}

/// An array from JavaScript's bytes; `None` where there are more or fewer than the shape wants.
pub fn untyped(shape: &ArrayShape, bytes: &[u8]) -> Option<ArrayLiteral> {
    let (class, (_, width)) = (shape.element_type.class(), class_of(shape.element_type));
    if bytes.len() != length(shape)?.checked_mul(width)? {
        return None;
    }
    let of = |element: &[u8]| match class {
        Class::Complex => Value::Complex(real(&element[..width]), real(&element[width..])),
        _ => number(class, element),
    };
    let element = if class == Class::Complex { 2 * width } else { width };
    let values = bytes.chunks_exact(element).map(|bytes| of(bytes).convert(shape.element_type));
    ArrayLiteral::from_values(shape.clone(), values).ok()
}

/// The arrays in a shape, in order.
pub fn arrays_of(shape: &Shape) -> Vec<&ArrayShape> {
    match shape {
        Shape::Tuple(elements) => elements.iter().flat_map(arrays_of).collect(),
        other => other.as_array().into_iter().collect(),
    }
}

/// A value of this shape from the bytes of the arrays in it; `None` where these do not fit.
pub fn assembled(shape: &Shape, bytes: &mut impl Iterator<Item = Vec<u8>>) -> Option<Literal> {
    Some(match shape {
        Shape::Array(array) => Literal::Array(untyped(array, &bytes.next()?)?),
        Shape::Buffer(array) => Literal::Array(untyped(array, &bytes.next()?)?),
        Shape::Tuple(elements) => {
            Literal::Tuple(elements.iter().map(|e| assembled(e, bytes)).collect::<Option<_>>()?)
        }
        Shape::Token | Shape::Opaque => Literal::Token,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_goes_there_and_back() {
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
            let typed = typed(array);
            assert_eq!(typed.bytes.len() % class_of(array.element_type()).1, 0, "{text}");
            let back = untyped(array.shape(), &typed.bytes).unwrap();
            assert_eq!(back.to_bytes().unwrap(), array.to_bytes().unwrap(), "{text}");
            assert_eq!(untyped(array.shape(), &typed.bytes[1..]), None, "{text}");
            let mut one = std::iter::once(typed.bytes);
            assert!(assembled(&literal.shape(), &mut one).is_some());
        }
    }
}
