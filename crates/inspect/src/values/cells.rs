//! Visits the elements of an array in memory order, without padding: the order that is fastest.

use xla_array::float_format::FloatFormat;
use xla_array::literal::Buffer;
use xla_array::{ArrayLiteral, Class, ElementType, Value};

/// Calls `visit` with every element of a float array, as doubles; `false` for arrays of another class.
pub(super) fn for_each_float(array: &ArrayLiteral, mut visit: impl FnMut(f64)) -> bool {
    let Some(format) = FloatFormat::of(array.element_type()) else { return false };
    if array.map().padding_slots() != 0 {
        for value in array.cells().flatten() {
            visit(value.as_float());
        }
        return true;
    }
    match array.buffer() {
        Buffer::F32(cells) => cells.iter().for_each(|x| visit(f64::from(*x))),
        Buffer::F64(cells) => cells.iter().for_each(|x| visit(*x)),
        Buffer::U8(codes) => {
            let table: Vec<f64> = (0..=u8::MAX).map(|code| format.decode(code.into())).collect();
            codes.iter().filter_map(|code| table.get(usize::from(*code))).for_each(|x| visit(*x));
        }
        Buffer::U16(codes) => codes.iter().for_each(|code| visit(format.decode((*code).into()))),
        // No float type is stored in another way; this is slow, not wrong.
        _ => array.cells().flatten().for_each(|value| visit(value.as_float())),
    }
    true
}

/// Calls `visit` with every element.
pub(super) fn for_each(array: &ArrayLiteral, mut visit: impl FnMut(Value)) {
    if for_each_float(array, |x| visit(Value::Float(x))) {
        return;
    }
    let element_type = array.element_type();
    if array.map().padding_slots() == 0 {
        let slots = 0..array.buffer().len();
        slots.filter_map(|slot| array.buffer().get(element_type, slot)).for_each(visit);
    } else {
        array.cells().flatten().for_each(visit);
    }
}

/// The size of an element: its absolute value, of a complex number its modulus.
#[allow(clippy::cast_precision_loss, reason = "sizes are compared, and 53 bits are enough for it")]
pub(super) fn magnitude(value: Value) -> f64 {
    match value {
        Value::Pred(truth) => f64::from(u8::from(truth)),
        Value::Int(value) => value.unsigned_abs() as f64,
        Value::Uint(value) => value as f64,
        Value::Float(value) => value.abs(),
        // The modulus of large finite parts may exceed the doubles.
        Value::Complex(re, im) if re.is_finite() && im.is_finite() => re.hypot(im).min(f64::MAX),
        Value::Complex(re, im) => re.hypot(im),
    }
}

/// Whether an element, or a part of it, is NaN or infinite.
pub(super) fn is_finite(value: Value) -> bool {
    match value {
        Value::Pred(_) | Value::Int(_) | Value::Uint(_) => true,
        Value::Float(value) => value.is_finite(),
        Value::Complex(re, im) => re.is_finite() && im.is_finite(),
    }
}

/// Whether a type has NaN, infinities or rounding: floats and complex numbers.
pub(super) fn is_inexact(element_type: ElementType) -> bool {
    matches!(element_type.class(), Class::Float | Class::Complex)
}
