//! The bit fields of an element, for display: sign, exponent and mantissa of floats, sign and other bits of integers, both
//! parts of complex numbers.
//!
//! Invariant: the fields of a type, most significant first, cover each of its bits once.

use super::super::float_format::FloatFormat;
use super::super::{Class, ElementType};
use super::Value;
use xla_messages::bug::OrBug as _;

/// The meaning of a bit field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// The sign of a float, or the top bit of a signed integer, whose weight is -2^(n-1).
    Sign,
    /// The biased exponent of a float.
    Exponent,
    /// The fraction of a float.
    Mantissa,
    /// The bits of an integer, except the sign bit.
    Integer,
    /// `pred`.
    Pred,
}

/// The index of an element that a field belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The element is one number.
    Whole,
    /// The real part.
    Real,
    /// The imaginary part.
    Imaginary,
}

/// A bit field of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// What the bits mean.
    pub kind: FieldKind,
    /// The number that it belongs to.
    pub part: Part,
    /// The position of its lowest bit; 0 is the least significant bit of the element.
    pub lowest: u8,
    /// The number of bits, at least one.
    pub width: u8,
    /// The bits as a number.
    pub bits: u64,
}

/// The fields of a value in a type, most significant first; an empty mantissa (`f8e8m0fnu`) is omitted.
pub fn fields(element_type: ElementType, value: Value) -> Vec<Field> {
    let pattern = value.to_bits(element_type);
    let mut found = Vec::new();
    match element_type.component() {
        Some(part) => {
            split(part, Part::Imaginary, part.bits(), pattern, &mut found);
            split(part, Part::Real, 0, pattern, &mut found);
        }
        None => split(element_type, Part::Whole, 0, pattern, &mut found),
    }
    found
}

fn split(element_type: ElementType, part: Part, base: u8, pattern: u128, found: &mut Vec<Field>) {
    let bits = element_type.bits();
    let widths = match (element_type.class(), FloatFormat::of(element_type)) {
        (_, Some(format)) => vec![
            (FieldKind::Sign, u8::from(format.is_signed())),
            (FieldKind::Exponent, format.exponent_bits),
            (FieldKind::Mantissa, format.mantissa_bits),
        ],
        (Class::Boolean, _) => vec![(FieldKind::Pred, 1)],
        (Class::Signed, _) => vec![(FieldKind::Sign, 1), (FieldKind::Integer, bits - 1)],
        _ => vec![(FieldKind::Integer, bits)],
    };
    let mut lowest = base + bits;
    for (kind, width) in widths.into_iter().filter(|(_, width)| *width > 0) {
        lowest -= width;
        let mask = u128::MAX >> (128 - u32::from(width));
        let bits = u64::try_from(pattern >> lowest & mask).or_bug(u64::MAX, "a field of more than 64 bits");
        found.push(Field { kind, part, lowest, width, bits });
    }
}

/// The bit pattern of a value in hexadecimal, at the type's full width: `0x3f800000`.
pub fn hex(element_type: ElementType, value: Value) -> String {
    let digits = usize::from(element_type.bits()).div_ceil(4);
    format!("0x{:0digits$x}", value.to_bits(element_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cover_the_bits_of_every_type_once() {
        for t in ElementType::ALL {
            let all = fields(*t, Value::Float(-1.5));
            let mut next = t.bits();
            let mut bits = 0_u128;
            for field in &all {
                next -= field.width;
                assert_eq!(field.lowest, next, "{t}");
                bits |= u128::from(field.bits) << field.lowest;
            }
            assert_eq!((next, bits), (0, Value::Float(-1.5).to_bits(*t)), "{t}");
        }
    }

    #[test]
    fn a_float_shows_sign_exponent_and_mantissa() {
        let bits: Vec<u64> =
            fields(ElementType::F32, Value::Float(-0.75)).iter().map(|field| field.bits).collect();
        assert_eq!(bits, [1, 126, 1 << 22]);
        assert_eq!(hex(ElementType::F32, Value::Float(1.0)), "0x3f800000");
        assert_eq!(hex(ElementType::S4, Value::Int(-1)), "0xf");
        assert_eq!(fields(ElementType::C64, Value::Complex(1.0, 2.0)).len(), 6);
    }
}
