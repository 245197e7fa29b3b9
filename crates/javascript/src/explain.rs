//! Explanations of the tokens of HLO text.

use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use xla_hlo::parse;
use xla_inspect::text::hover;
use xla_wire::diagnostic_record::{TextPositions, TextSpan};

use crate::record::to_object;

#[derive(Serialize)]
struct Explanation {
    span: TextSpan,
    /// The kind of the token.
    title: String,
    /// Its meaning at this position, one sentence each.
    sentences: Vec<String>,
}

/// The explanation of the token at a UTF-16 offset of HLO text, which may have errors; null if there is none.
#[wasm_bindgen(js_name = explainText)]
pub fn explain_text(text: &str, offset: usize) -> JsValue {
    let positions = TextPositions::new(text);
    let hover_text = hover(text, &parse(text).module, positions.byte(offset));
    to_object(&hover_text.map(|hover_text| Explanation {
        span: positions.span(hover_text.span),
        title: hover_text.title.to_string(),
        sentences: hover_text.sentences.iter().map(ToString::to_string).collect(),
    }))
}
