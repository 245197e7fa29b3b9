//! The library's JavaScript interface: the terminal's answers as plain objects.
//!
//! The bundle `library` exports these functions, so that a lesson or a notebook can use the same core. Results are types
//! of [`crate::wire`]; errors are thrown as `{error: {message, rule, hint, column}}`.

use serde::Serialize;
use wasm_bindgen::JsValue;

use crate::array::text;
use crate::i18n::Language;
use crate::wire::{ErrorReport, LayoutReport};

fn object(value: &impl Serialize) -> JsValue {
    // Maps become objects and missing values null, as after `JSON.parse` of the terminal's output.
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).unwrap_or(JsValue::NULL)
}

/// The memory layout of a shape, as the object that `xla-playground layout --json` prints. Throws if the text has an
/// error.
pub fn describe_layout(shape: &str) -> Result<JsValue, JsValue> {
    let parsed = text::parse(shape);
    if let Some(problem) = parsed.error() {
        return Err(object(&ErrorReport::of(problem, shape, None, Language::ENGLISH)));
    }
    match &parsed.shape {
        Some(shape) => Ok(object(&LayoutReport::of(shape, false))),
        None => Ok(JsValue::NULL),
    }
}
