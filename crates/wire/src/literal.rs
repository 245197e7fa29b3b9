//! Literals as JSON: `{"shape": "f32[2]{0}", "values": [1, "-0"]}` and `{"tuple": [literal, …]}`.
//!
//! Values are flat and in logical row-major order, regardless of the layout. Floats are numbers or one of the strings
//! `"NaN"`, `"Infinity"`, `"-Infinity"` and `"-0"`; predicates are `true` and `false`; a complex number is `[re,
//! im]`. A token has only its shape.
//!
//! Invariant: the round trip is exact. Integers are parsed from their text, never through a double. An `f32` is
//! written as its shortest decimal, a narrower float as the equal double.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, Error as _, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use xla_array::index::Indices;
use xla_array::literal::MAX_SLOTS;
use xla_array::value::parse::{Syntax, number};
use xla_array::{ArrayLiteral, ArrayShape, Class, ElementType, Literal, MemoryMap, Shape, Value, text};
use xla_messages::bug::OrBug as _;
use xla_messages::diagnostic::{Severity, Span};
use xla_messages::i18n::Message;

/// A literal object whose fields are not validated yet.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiteralJson<'a> {
    #[serde(borrow, default)]
    shape: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    values: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tuple: Option<Vec<LiteralJson<'a>>>,
}

/// Why JSON is not a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralJsonError {
    /// The identifier of the rule: `json-literal` for wrong fields or JSON types, otherwise that of the shape or the value.
    pub rule: &'static str,
    /// The text for the user, with the position in the JSON.
    pub message: Message,
    /// A suggestion, if there is one.
    pub hint: Option<Message>,
}

impl LiteralJsonError {
    fn new(rule: &'static str, json_path: &str, message: Message) -> Self {
        let message = Message::ops("json-at").with("path", json_path).with("message", message);
        Self { rule, message, hint: None }
    }

    fn malformed(json_path: &str, message: Message) -> Self {
        let hint = Message::ops("json-hint-form");
        Self { hint: Some(hint), ..Self::new("json-literal", json_path, message) }
    }
}

impl fmt::Display for LiteralJsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.message, self.rule)
    }
}

impl std::error::Error for LiteralJsonError {}

/// Parses a literal object.
///
/// ```
/// use xla_wire::literal;
/// let read = literal::parse(r#"{"shape": "s64[1]", "values": [9007199254740993]}"#)?;
/// assert_eq!(read.to_string(), "{9007199254740993}");
/// # Ok::<(), literal::LiteralJsonError>(())
/// ```
pub fn parse(json: &str) -> Result<Literal, LiteralJsonError> {
    match serde_json::from_str::<LiteralJson>(json) {
        Ok(object) => object.read("literal"),
        Err(error) => Err(LiteralJsonError::malformed(
            "literal",
            Message::ops("json-error").with("error", error.to_string()),
        )),
    }
}

impl LiteralJson<'_> {
    /// The literal; `json_path` is its path in messages.
    ///
    /// # Errors
    /// `json-literal` for wrong fields or JSON types, `literal-count`, `literal-range`, and the errors of
    /// shapes and of [`ArrayLiteral::zeros`].
    pub fn read(&self, json_path: &str) -> Result<Literal, LiteralJsonError> {
        self.read_within(json_path, &mut 0)
    }

    /// `slots`: the memory slots of all arrays so far, limited to [`MAX_SLOTS`].
    fn read_within(&self, json_path: &str, slots: &mut i64) -> Result<Literal, LiteralJsonError> {
        match (&self.shape, &self.values, &self.tuple) {
            (None, None, Some(elements)) => elements
                .iter()
                .enumerate()
                .map(|(i, element)| element.read_within(&format!("{json_path}.tuple[{i}]"), slots))
                .collect::<Result<_, _>>()
                .map(Literal::Tuple),
            (Some(shape), values, None) => match (parse_shape(shape, json_path)?, values) {
                (Shape::Array(shape), Some(values)) => array(&shape, values, json_path, slots),
                (Shape::Token, None) => Ok(Literal::Token),
                (Shape::Token, Some(values)) if count_items(values, json_path)? == 0 => Ok(Literal::Token),
                (Shape::Array(_), None) => {
                    Err(LiteralJsonError::malformed(json_path, Message::ops("json-no-values")))
                }
                (shape, _) => {
                    let message = Message::ops("json-not-an-array").with("shape", shape.human_string());
                    Err(LiteralJsonError::malformed(json_path, message))
                }
            },
            _ => Err(LiteralJsonError::malformed(json_path, Message::ops("json-shape-or-tuple"))),
        }
    }
}

fn parse_shape(source: &str, json_path: &str) -> Result<Shape, LiteralJsonError> {
    let parsed = text::parse(source);
    if let Some(shape) = parsed.valid() {
        return Ok(shape.clone());
    }
    let json_path = format!("{json_path}.shape");
    Err(match parsed.error() {
        Some(error) => LiteralJsonError {
            hint: error.hints.first().map(|hint| hint.message.clone()),
            ..LiteralJsonError::new(error.rule, &json_path, error.message.clone())
        },
        None => LiteralJsonError::malformed(&json_path, Message::ops("json-no-values")),
    })
}

/// Calls `visit` with every item of a JSON array, unparsed, until it returns false. The items are not collected: they would take
/// several times the memory of the text.
fn for_each_item(
    values: &RawValue,
    json_path: &str,
    visit: &mut dyn FnMut(&str) -> bool,
) -> Result<(), LiteralJsonError> {
    let mut is_stopped = false;
    let items = Items { visit, is_stopped: &mut is_stopped };
    let read = serde_json::Deserializer::from_str(values.get()).deserialize_seq(items);
    if read.is_ok() || is_stopped {
        return Ok(());
    }
    Err(LiteralJsonError::malformed(&format!("{json_path}.values"), Message::ops("json-values-list")))
}

struct Items<'v> {
    visit: &'v mut dyn FnMut(&str) -> bool,
    is_stopped: &'v mut bool,
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element::<&RawValue>()? {
            if !(self.visit)(item.get()) {
                *self.is_stopped = true;
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// The number of items of a JSON array.
fn count_items(values: &RawValue, json_path: &str) -> Result<usize, LiteralJsonError> {
    let mut count = 0;
    for_each_item(values, json_path, &mut |_| {
        count += 1;
        true
    })?;
    Ok(count)
}

fn array(
    shape: &ArrayShape,
    values: &RawValue,
    json_path: &str,
    slots: &mut i64,
) -> Result<Literal, LiteralJsonError> {
    let value_count = count_items(values, json_path)?;
    let count = shape.elements();
    if count != i64::try_from(value_count).ok() {
        let message = Message::new("literal-value-count")
            .with("size", count.unwrap_or(i64::MAX))
            .with("found", value_count);
        return Err(LiteralJsonError::new("literal-count", &format!("{json_path}.values"), message));
    }
    *slots = slots.saturating_add(MemoryMap::new(shape).map_or(0, |map| map.slot_count()));
    if *slots > MAX_SLOTS {
        let message = Message::new("literal-too-large").with("cells", *slots).with("limit", MAX_SLOTS);
        return Err(LiteralJsonError::new("literal-size", json_path, message));
    }
    let element_type = shape.element_type;
    let mut literal = ArrayLiteral::zeros(shape.clone())
        .map_err(|error| LiteralJsonError::new(error.rule, json_path, error.message))?;
    let (mut indices, mut i, mut failed) = (Indices::row_major(&shape.dimensions), 0_usize, None);
    for_each_item(values, json_path, &mut |item| {
        match element(element_type, item, &|| format!("{json_path}.values[{i}]")) {
            Ok(value) => {
                let written = indices.advance().and_then(|index| literal.set(index, value));
                written.or_bug((), "more items than were counted");
                i += 1;
            }
            Err(error) => failed = Some(error),
        }
        failed.is_none()
    })?;
    failed.map_or(Ok(Literal::Array(literal)), Err)
}

/// Maximum number of characters of an invalid element that a message quotes.
const MAX_EXCERPT_CHARS: usize = 40;

/// Parses one element.
fn element(t: ElementType, json: &str, json_path: &dyn Fn() -> String) -> Result<Value, LiteralJsonError> {
    let type_error = |key| {
        let excerpt: String = json.chars().take(MAX_EXCERPT_CHARS).collect();
        let message = Message::ops(key).with("found", excerpt).with("type", t.name());
        LiteralJsonError::malformed(&json_path(), message)
    };
    match t.class() {
        Class::Boolean => match json {
            "true" => Ok(Value::Pred(true)),
            "false" => Ok(Value::Pred(false)),
            _ => Err(type_error("json-boolean")),
        },
        Class::Signed | Class::Unsigned => {
            let digits = json.strip_prefix('-').unwrap_or(json);
            if !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(type_error("json-integer"));
            }
            read_number(t, json, json_path)
        }
        Class::Float => float(t, json, json_path, &type_error),
        Class::Complex => {
            let component = t.component().unwrap_or(ElementType::F64);
            let [re, im] =
                serde_json::from_str::<[&RawValue; 2]>(json).map_err(|_| type_error("json-complex"))?;
            match (
                float(component, re.get(), json_path, &type_error)?,
                float(component, im.get(), json_path, &type_error)?,
            ) {
                (Value::Float(re), Value::Float(im)) => Ok(Value::Complex(re, im)),
                _ => Err(type_error("json-complex")),
            }
        }
    }
}

fn float(
    t: ElementType,
    json: &str,
    json_path: &dyn Fn() -> String,
    type_error: &dyn Fn(&'static str) -> LiteralJsonError,
) -> Result<Value, LiteralJsonError> {
    let word = match json {
        "\"NaN\"" => "nan",
        "\"Infinity\"" => "inf",
        "\"-Infinity\"" => "-inf",
        "\"-0\"" => "-0.0",
        _ if json.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => json,
        _ => return Err(type_error("json-float")),
    };
    read_number(t, word, json_path)
}

fn read_number(
    t: ElementType,
    word: &str,
    json_path: &dyn Fn() -> String,
) -> Result<Value, LiteralJsonError> {
    let (value, diagnostic) = number(t, word, Span::new(0, word.len()), Syntax::UserInput);
    match diagnostic.filter(|diagnostic| diagnostic.severity == Severity::Error) {
        None => Ok(value),
        Some(error) => Err(LiteralJsonError {
            hint: error.hints.into_iter().next().map(|hint| hint.message),
            ..LiteralJsonError::new(error.rule, &json_path(), error.message)
        }),
    }
}

/// Serializes a literal as JSON.
///
/// ```
/// use xla_array::Literal;
/// use xla_wire::literal::AsJson;
/// let literal: Literal = "(f32[2]{0}, pred[]) ( {0.1, -inf}, true )".parse()?;
/// let json = serde_json::to_string(&AsJson(&literal))?;
/// let array = r#"{"shape":"f32[2]{0}","values":[0.1,"-Infinity"]}"#;
/// assert_eq!(json, format!(r#"{{"tuple":[{array},{{"shape":"pred[]","values":[true]}}]}}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AsJson<'l>(pub &'l Literal);

impl Serialize for AsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.0 {
            Literal::Array(array) => {
                map.serialize_entry("shape", &array.shape().to_string())?;
                map.serialize_entry("values", &Elements(array))?;
            }
            Literal::Tuple(elements) => {
                let elements: Vec<AsJson> = elements.iter().map(AsJson).collect();
                map.serialize_entry("tuple", &elements)?;
            }
            Literal::Token => map.serialize_entry("shape", "token[]")?,
        }
        map.end()
    }
}

/// Serializes the elements of an array without copying them.
struct Elements<'l>(&'l ArrayLiteral);

impl Serialize for Elements<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let t = self.0.element_type();
        let component = t.component().unwrap_or(t);
        let mut list = serializer.serialize_seq(usize::try_from(self.0.memory_map().elements()).ok())?;
        for value in self.0.values() {
            match value {
                Value::Pred(value) => list.serialize_element(&value)?,
                Value::Int(value) => list.serialize_element(&value)?,
                Value::Uint(value) => list.serialize_element(&value)?,
                Value::Float(value) => list.serialize_element(&Number(value, component))?,
                Value::Complex(re, im) => {
                    list.serialize_element(&[Number(re, component), Number(im, component)])?;
                }
            }
        }
        list.end()
    }
}

/// A float of an element type.
struct Number(f64, ElementType);

/// The bound below which an `f32` represents every integer.
const F32_EXACT_INTEGER_BOUND: f64 = 16_777_216.0;

impl Number {
    /// For `f32`, the double with the fewest digits that rounds to the value; for other types, the value itself.
    fn shortest(&self) -> f64 {
        if self.1 != ElementType::F32 || self.is_small_integer() {
            return self.0;
        }
        #[allow(clippy::cast_possible_truncation, reason = "the value is one of an f32")]
        let narrow = self.0 as f32;
        narrow.to_string().parse().unwrap_or(self.0)
    }

    /// Whether it is an integer that an `f32` represents, whose decimal is exact.
    fn is_small_integer(&self) -> bool {
        self.0.fract() == 0.0 && self.0.abs() < F32_EXACT_INTEGER_BOUND
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.shortest() {
            x if x.is_nan() => serializer.serialize_str("NaN"),
            x if x.is_infinite() => serializer.serialize_str(if x > 0.0 { "Infinity" } else { "-Infinity" }),
            x if x == 0.0 && x.is_sign_negative() => serializer.serialize_str("-0"),
            // Integers are written without a fraction, as in the golden files: 1, not 1.0.
            #[allow(clippy::cast_possible_truncation, reason = "the value is an integer of at most 50 bits")]
            x if x.fract() == 0.0 && x.abs() < 1e15 => serializer.serialize_i64(x as i64),
            x => serializer.serialize_f64(x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_round_trip_exactly() {
        for t in ElementType::ALL {
            let width = u32::from(t.bits());
            let encodings: Vec<u128> = (0..400_u128)
                .map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835) >> (128 - width))
                .collect();
            let values: Vec<Value> = encodings.iter().map(|bits| Value::from_bits(*t, *bits)).collect();
            let literal: Literal =
                ArrayLiteral::from_values(ArrayShape::new(*t, [400]), values).unwrap().into();
            let json = serde_json::to_string(&AsJson(&literal)).unwrap();
            let reread = parse(&json).unwrap_or_else(|error| panic!("{error} in {json}"));
            assert!(reread.equals(&literal, xla_array::literal::Equality::Same), "{t}: {json}");
            assert_eq!(serde_json::to_string(&AsJson(&reread)).unwrap(), json);
        }
    }

    #[test]
    fn numbers_round_trip_in_the_notation_of_their_type() {
        for json in [
            r#"{"shape":"s64[2]{0}","values":[9007199254740993,-9223372036854775808]}"#,
            r#"{"shape":"u64[]","values":[18446744073709551615]}"#,
            r#"{"shape":"f64[3]{0}","values":[0.1,5e-324,1.7976931348623157e+308]}"#,
            r#"{"shape":"f32[2]{0}","values":[0.1,1e-45]}"#,
            r#"{"shape":"f16[]","values":[0.0999755859375]}"#,
            r#"{"shape":"c64[2]{0}","values":[["-0",1.5],["NaN","Infinity"]]}"#,
            r#"{"shape":"f32[0,3]{1,0}","values":[]}"#,
            r#"{"shape":"s8[2,2]{0,1}","values":[1,2,3,4]}"#,
            r#"{"tuple":[{"tuple":[]},{"shape":"token[]"},{"shape":"pred[2]{0}","values":[true,false]}]}"#,
        ] {
            assert_eq!(serde_json::to_string(&AsJson(&parse(json).unwrap())).unwrap(), json);
        }
    }

    #[test]
    fn errors_name_their_rule_and_path() {
        for (json, rule, json_path) in [
            (r#"{"shape":"f32[2]","values":[1]}"#, "literal-count", "literal.values:"),
            (r#"{"shape":"s32[1]","values":[2147483648]}"#, "literal-range", "literal.values[0]:"),
            (r#"{"shape":"u64[1]","values":[18446744073709551616]}"#, "literal-range", "values[0]"),
            (r#"{"shape":"f32[1]","values":[1e39]}"#, "literal-range", "values[0]"),
            (r#"{"shape":"s32[1]","values":["NaN"]}"#, "json-literal", "values[0]"),
            (r#"{"shape":"s32[1]","values":[1.0]}"#, "json-literal", "values[0]"),
            (r#"{"shape":"f32[1]","values":["nan"]}"#, "json-literal", "values[0]"),
            (r#"{"shape":"f32[1]","values":[true]}"#, "json-literal", "values[0]"),
            (r#"{"shape":"pred[1]","values":[1]}"#, "json-literal", "values[0]"),
            (r#"{"shape":"c64[1]","values":[1]}"#, "json-literal", "values[0]"),
            (r#"{"shape":"f32[1]","values":7}"#, "json-literal", "values"),
            (r#"{"shape":"f32[1]"}"#, "json-literal", "literal:"),
            (r#"{"values":[1]}"#, "json-literal", "literal:"),
            (r#"{"tuple":[],"shape":"f32[]"}"#, "json-literal", "literal:"),
            (r#"{"shape":"f32[]","values":[1],"more":1}"#, "json-literal", "literal:"),
            (r#"{"tuple":[{"shape":"f32[x]","values":[]}]}"#, "text-", "literal.tuple[0].shape:"),
            (r#"{"shape":"f32[?]","values":[]}"#, "literal-count", "values"),
            (r#"{"shape":"opaque[]","values":[]}"#, "json-literal", "literal:"),
            (r#"{"shape":"f32[9999999999999999]","values":[1]}"#, "literal-count", "values"),
            (r#"{"shape":"f32[9223372036854775807,9]","values":[1]}"#, "shape-", "shape"),
            (
                r#"{"tuple":[{"shape":"f32[1]{0:T(67108864)}","values":[1]},{"shape":"f32[]","values":[1]}]}"#,
                "literal-size",
                "literal.tuple[1]:",
            ),
            ("[", "json-literal", "literal:"),
        ] {
            let error = parse(json).unwrap_err();
            assert!(error.rule.starts_with(rule), "{json}: {error}");
            assert!(error.message.to_string().contains(json_path), "{json}: {error}");
        }
        let deep = format!("{}{}", r#"{"tuple":["#.repeat(10_000), "]}".repeat(10_000));
        assert_eq!(parse(&deep).unwrap_err().rule, "json-literal");
    }
}
