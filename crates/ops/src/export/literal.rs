//! Literals in other languages.

use super::{Language, dtype, tuple};
use xla_array::value::text::Exactness;
use xla_array::{ArrayLiteral, ElementType, Literal, Value};
use xla_messages::bug::OrBug as _;
use xla_messages::escape::rust_string;

/// A literal as an expression; `None` if the language has no such element type.
pub fn literal(language: Language, value: &Literal) -> Option<String> {
    if language == Language::Rust {
        let text = format!("{} {}", value.shape(), single_line(&value.text(Exactness::RoundTrip)));
        return Some(format!("{}.parse()?", rust_string(&text)));
    }
    Some(match value {
        Literal::Array(array) => python_array(language, array)?,
        Literal::Tuple(elements) => {
            let elements: Option<Vec<String>> = elements.iter().map(|e| literal(language, e)).collect();
            tuple(elements?)
        }
        Literal::Token => "None".to_owned(),
    })
}

/// A literal on one line, without comments.
fn single_line(text: &str) -> String {
    let mut parts = text.split("/*");
    let mut out = parts.next().or_bug("", "a split without a first part").to_owned();
    for part in parts {
        out.push_str(part.split_once("*/").map_or("", |(_, rest)| rest));
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn python_array(language: Language, array: &ArrayLiteral) -> Option<String> {
    let element_type = array.element_type();
    let module = if language == Language::Jax { "jnp" } else { "np" };
    let name = dtype(language, element_type)?;
    let sizes = &array.shape().dimensions;
    if sizes.contains(&0) {
        return Some(format!("{module}.zeros({}, {name})", tuple(sizes)));
    }
    let mut values = array.values().map(|value| number(element_type, value));
    Some(format!("{module}.array({}, {name})", nested(sizes, &mut values)))
}

fn nested(sizes: &[i64], values: &mut dyn Iterator<Item = String>) -> String {
    let Some((size, rest)) = sizes.split_first() else {
        return values.next().or_bug(String::new(), "fewer values than elements");
    };
    let rows: Vec<String> = (0..*size).map(|_| nested(rest, values)).collect();
    format!("[{}]", rows.join(", "))
}

/// A number in Python.
fn number(element_type: ElementType, value: Value) -> String {
    let float = |element_type, x: f64| {
        let text = Value::Float(x).text(element_type, Exactness::RoundTrip);
        match text.trim_start_matches('-') {
            "inf" if x < 0.0 => "-np.inf".to_owned(),
            "inf" => "np.inf".to_owned(),
            other if other.starts_with("nan") => "np.nan".to_owned(),
            _ => text,
        }
    };
    match value {
        Value::Pred(true) => "True".to_owned(),
        Value::Pred(false) => "False".to_owned(),
        Value::Float(x) => float(element_type, x),
        Value::Complex(re, im) => {
            let part = element_type.component().or_bug(element_type, "a complex value of a real type");
            format!("complex({}, {})", float(part, re), float(part, im))
        }
        integer => integer.text(element_type, Exactness::RoundTrip),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_valid_python() {
        let numpy = |text: &str| literal(Language::NumPy, &text.parse().unwrap()).unwrap();
        assert_eq!(numpy("f32[] -0.0"), "np.array(-0.0, np.float32)");
        assert_eq!(
            numpy("f32[2,2] {{1, inf}, {-inf, nan}}"),
            "np.array([[1, np.inf], [-np.inf, np.nan]], np.float32)"
        );
        assert_eq!(numpy("pred[2] {1, 0}"), "np.array([True, False], np.bool_)");
        assert_eq!(numpy("c64[1] {(1, -inf)}"), "np.array([complex(1, -np.inf)], np.complex64)");
        assert_eq!(numpy("bf16[0,3] {}"), "np.zeros((0, 3), ml_dtypes.bfloat16)");
        assert_eq!(
            numpy("(s32[], (u8[1])) (7, ({255}))"),
            "(np.array(7, np.int32), (np.array([255], np.uint8),))"
        );
        let rust =
            literal(Language::Rust, &"f32[1,7]{0,1} {{1, 2, 3, 4, 5, 6, 7}}".parse().unwrap()).unwrap();
        assert_eq!(rust, "\"f32[1,7]{0,1} { { 1, 2, 3, 4, 5, 6, 7 } }\".parse()?");
    }
}
