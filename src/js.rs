//! The JavaScript API of the library: the JSON reports of the command line as plain objects.
//!
//! The bundle `library` exports these functions, for example for lessons and notebooks. Results are types of
//! [`crate::wire`]; errors are thrown as `{error: {message, rule, hint, column}}`.

use serde::Serialize;
use wasm_bindgen::JsValue;

use crate::array::text;
use crate::i18n::Language;
use crate::wire::{ErrorReport, LayoutReport};

fn to_object(value: &impl Serialize) -> JsValue {
    // Maps become objects and missing values null, as after `JSON.parse` of the terminal's output.
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).unwrap_or(JsValue::NULL)
}

/// The memory layout of a shape, as the object that `xla-playground layout --json` prints. Throws if the text has an
/// error.
pub fn describe_layout(shape: &str) -> Result<JsValue, JsValue> {
    let parsed = text::parse(shape);
    if let Some(error) = parsed.error() {
        return Err(to_object(&ErrorReport::of(error, shape, None, Language::ENGLISH)));
    }
    match &parsed.shape {
        Some(shape) => Ok(to_object(&LayoutReport::of(shape, false))),
        None => Ok(JsValue::NULL),
    }
}
