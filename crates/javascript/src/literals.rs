//! Literals as text: in XLA's syntax, and as the JSON that the terminal prints.

use js_sys::Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use xla_array::literal::shaped::parse_shaped;
use xla_array::value::text::Exactness;
use xla_messages::diagnostic::{Diagnostic, Severity, Span};
use xla_messages::i18n::Message;
use xla_wire::diagnostic_record::{DiagnosticRecord, ErrorKind, HintRecord, TextPositions};
use xla_wire::literal::{AsJson, parse};

use crate::record::exception;
use crate::values::{literal, record};

/// The record of a literal in XLA's syntax after its shape, such as `f32[2] {1, 2}`.
#[wasm_bindgen(js_name = literalOfText)]
pub fn literal_of_text(text: &str) -> Result<JsValue, JsValue> {
    let parsed = parse_shaped(text);
    let is_error = |d: &&Diagnostic| d.severity == Severity::Error || d.rule == "literal-elided";
    let error = parsed.diagnostics.iter().find(is_error).cloned();
    match (error, parsed.value) {
        (None, Some(literal)) => record(&literal).map_err(|error| exception(&error)),
        (error, _) => {
            let error = error.unwrap_or_else(|| {
                let message = Message::new("literal-expected").with("expected", "f32[2,3]");
                Diagnostic::error(Span::default(), "literal-syntax", message)
            });
            Err(exception(&DiagnosticRecord::of_text(&error, &TextPositions::new(text), None)))
        }
    }
}

/// The shape and the values of a literal as text, which is parsed to the same bits.
#[wasm_bindgen(js_name = textOfLiteral)]
pub fn text_of_literal(shape: &str, arrays: &Array) -> Result<String, JsValue> {
    let literal = literal(shape, arrays).map_err(|error| exception(&error))?;
    Ok(literal.text_with_shape(Exactness::RoundTrip))
}

/// The record of a literal's JSON.
#[wasm_bindgen(js_name = literalOfJson)]
pub fn literal_of_json(json: &str) -> Result<JsValue, JsValue> {
    let parsed = parse(json).map_err(|error| {
        let hint = error.hint.map(|hint| HintRecord { message: hint.to_string(), edits: Vec::new() });
        let record = DiagnosticRecord::new(ErrorKind::Text, error.rule, &error.message);
        exception(&DiagnosticRecord { hints: hint.into_iter().collect(), ..record })
    })?;
    record(&parsed).map_err(|error| exception(&error))
}

/// The JSON of a literal.
#[wasm_bindgen(js_name = jsonOfLiteral)]
pub fn json_of_literal(shape: &str, arrays: &Array) -> Result<String, JsValue> {
    let literal = literal(shape, arrays).map_err(|error| exception(&error))?;
    // Writing into the text cannot fail.
    Ok(serde_json::to_string(&AsJson(&literal)).unwrap_or_default())
}
