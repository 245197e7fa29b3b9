//! The JavaScript interface as a bundle of its own: an export of the crate itself would be linked into every screen.

#[cfg(target_os = "unknown")]
mod exports {
    use wasm_bindgen::JsValue;
    use wasm_bindgen::prelude::wasm_bindgen;

    /// Like [`xla_playground::js::describe_layout`].
    #[wasm_bindgen(js_name = describeLayout)]
    pub fn describe_layout(shape: &str) -> Result<JsValue, JsValue> {
        xla_playground::js::describe_layout(shape)
    }
}

fn main() {}
