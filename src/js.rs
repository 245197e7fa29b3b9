//! The library for JavaScript: what the terminal program answers, as plain objects.
//!
//! The site's own wasm exports these, so that a lesson or a notebook can ask the same core. Results are the types of
//! [`crate::wire`]; what goes wrong is thrown as an object `{error: {message, rule, hint, column}}`.

use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::array::text;
use crate::i18n::Language;
use crate::wire::{ErrorReport, LayoutReport};

fn object(value: &impl Serialize) -> JsValue {
    // Maps as objects and null for what is missing: what `JSON.parse` of the terminal's answer would give.
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).unwrap_or(JsValue::NULL)
}

/// How a value of this shape lies in memory: the object that `xla-playground layout --json` prints. Throws where the
/// text has an error.
#[wasm_bindgen(js_name = describeLayout)]
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
