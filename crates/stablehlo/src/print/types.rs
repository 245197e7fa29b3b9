//! Shapes as types, and literals as `dense` attributes.

use xla_array::value::text::Exactness;
use xla_array::{ArrayLiteral, Class, ElementType, Shape, Value};
use xla_messages::escape;

/// The name of an element type in MLIR.
fn element(element: ElementType) -> Option<String> {
    Some(match element {
        ElementType::Pred => "i1".to_owned(),
        ElementType::C64 => "complex<f32>".to_owned(),
        ElementType::C128 => "complex<f64>".to_owned(),
        _ => match element.class() {
            Class::Signed => format!("i{}", element.bits()),
            Class::Unsigned => format!("ui{}", element.bits()),
            Class::Float if element.name().starts_with("f8") || element.name().starts_with("f4") => {
                // f8e4m3fn → f8E4M3FN
                let name = element.name();
                let (head, tail) = name.split_at(2);
                format!("{head}{}", tail.to_ascii_uppercase())
            }
            Class::Float => element.name().to_owned(),
            Class::Boolean | Class::Complex => return None,
        },
    })
}

/// The MLIR type of an array or token; `None` for tuples, dynamic sizes and element types that `StableHLO` lacks.
pub(super) fn mlir_type(shape: &Shape) -> Option<String> {
    match shape {
        Shape::Token => Some("!stablehlo.token".to_owned()),
        Shape::Array(array) if array.is_static() => {
            let sizes: String = array.dimensions.iter().map(|size| format!("{size}x")).collect();
            Some(format!("tensor<{sizes}{}>", element(array.element_type)?))
        }
        _ => None,
    }
}

/// The names of values, separated by commas.
pub(super) fn operands(values: &[(String, Shape)]) -> String {
    values.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The types of values, separated by commas; `None` if one has no MLIR type.
pub(super) fn list(values: &[(String, Shape)]) -> Option<String> {
    Some(values.iter().map(|(_, shape)| mlir_type(shape)).collect::<Option<Vec<_>>>()?.join(", "))
}

/// A quoted string.
pub(super) fn string(text: &str) -> String {
    format!("\"{}\"", escape::c::escape(text.as_bytes()))
}

/// An element of a `dense` attribute.
fn number(value: Value, element: ElementType) -> String {
    match value {
        Value::Complex(re, im) => {
            let part = element.component().unwrap_or(element);
            format!("({}, {})", number(Value::Float(re), part), number(Value::Float(im), part))
        }
        Value::Float(x) if !x.is_finite() => {
            let digits = usize::from(element.bits()).div_ceil(4);
            format!("0x{:0digits$X}", value.to_bits(element))
        }
        Value::Float(_) => {
            let text = value.text(element, Exactness::RoundTrip);
            // Without a point or an exponent it would be an integer.
            match text.split_once('e') {
                Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
                None if !text.contains('.') => format!("{text}.0"),
                _ => text,
            }
        }
        _ => value.text(element, Exactness::RoundTrip),
    }
}

/// `dense<…> : tensor<…>`.
pub(super) fn dense(literal: &ArrayLiteral) -> Option<String> {
    let shape = literal.shape();
    let ty = mlir_type(&Shape::Array(shape.clone()))?;
    let element = shape.element_type;
    let values: Vec<Value> = literal.values().collect();
    let mut text = String::new();
    match values.split_first() {
        None => {}
        Some((first, rest)) if rest.iter().all(|value| value.to_bits(element) == first.to_bits(element)) => {
            text = number(*first, element);
        }
        Some(_) => nest(&mut text, &mut values.iter(), &shape.dimensions, element),
    }
    Some(format!("dense<{text}> : {ty}"))
}

fn nest<'v>(
    out: &mut String,
    values: &mut impl Iterator<Item = &'v Value>,
    sizes: &[i64],
    element: ElementType,
) {
    let Some((size, inner)) = sizes.split_first() else {
        out.push_str(&values.next().map_or_else(String::new, |value| number(*value, element)));
        return;
    };
    out.push('[');
    for at in 0..*size {
        if at > 0 {
            out.push_str(", ");
        }
        nest(out, values, inner, element);
    }
    out.push(']');
}
