//! Values of Rust as plain objects of JavaScript.

use js_sys::{Array, BigInt, JsString, Object, Reflect};
use serde::Serialize;
use serde_json::{Number, Value};
use wasm_bindgen::JsValue;

use xla_wire::diagnostic_record::DiagnosticRecord;

/// A number; one that a double cannot represent is a bigint.
fn number(number: &Number) -> JsValue {
    let text = number.to_string();
    match number.as_f64() {
        Some(double) if number.is_f64() || double.abs() <= js_sys::Number::MAX_SAFE_INTEGER => double.into(),
        _ => BigInt::new(&text.as_str().into()).map_or_else(|_| JsString::from(text).into(), Into::into),
    }
}

/// Converts JSON; an integer that a double cannot represent becomes a bigint.
fn json(value: &Value) -> JsValue {
    match value {
        Value::Null => JsValue::NULL,
        Value::Bool(truth) => (*truth).into(),
        Value::Number(json_number) => number(json_number),
        Value::String(text) => text.into(),
        Value::Array(items) => items.iter().map(json).collect::<Array>().into(),
        Value::Object(fields) => {
            let object = Object::new();
            for (name, value) in fields {
                // A new plain object has no setters that could fail.
                let _ = Reflect::set(&object, &name.into(), &json(value));
            }
            object.into()
        }
    }
}

/// A record as a plain object: maps become objects, missing values null, as after `JSON.parse`. Integers beyond 2^53 become
/// bigints.
pub fn to_object(value: &impl Serialize) -> JsValue {
    // The serializer fails for an integer that a double cannot represent.
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .unwrap_or_else(|_| serde_json::to_value(value).map_or(JsValue::NULL, |value| json(&value)))
}

/// The object to throw for an error. The package wraps it in an `XlaError`.
pub fn exception(error: &DiagnosticRecord) -> JsValue {
    to_object(error)
}
