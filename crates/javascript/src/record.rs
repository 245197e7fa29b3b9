//! Plain records for JavaScript, and faults as exceptions.

use js_sys::{Array, BigInt, JsString, Object, Reflect};
use serde::Serialize;
use serde_json::{Number, Value};
use wasm_bindgen::JsValue;

use xla_wire::fault::Fault;

/// A number; one that a double cannot represent is a bigint.
fn number(number: &Number) -> JsValue {
    let text = number.to_string();
    match number.as_f64() {
        Some(double) if number.is_f64() || double.abs() <= js_sys::Number::MAX_SAFE_INTEGER => double.into(),
        _ => BigInt::new(&text.as_str().into()).map_or_else(|_| JsString::from(text).into(), Into::into),
    }
}

fn exact(value: &Value) -> JsValue {
    match value {
        Value::Null => JsValue::NULL,
        Value::Bool(truth) => (*truth).into(),
        Value::Number(of) => number(of),
        Value::String(text) => text.into(),
        Value::Array(items) => items.iter().map(exact).collect::<Array>().into(),
        Value::Object(fields) => {
            let object = Object::new();
            for (name, value) in fields {
                // A new plain object has no setters that could fail.
                let _ = Reflect::set(&object, &name.into(), &exact(value));
            }
            object.into()
        }
    }
}

/// A record as a plain object: maps become objects, missing values null, as after `JSON.parse`. Integers beyond 2^53 become bigints.
pub fn to_object(value: &impl Serialize) -> JsValue {
    // It refuses integers that a double cannot represent.
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .unwrap_or_else(|_| serde_json::to_value(value).map_or(JsValue::NULL, |value| exact(&value)))
}

/// A fault as the exception that the package wraps in an `XlaError`.
pub fn thrown(fault: &Fault) -> JsValue {
    to_object(fault)
}
