//! The page that embeds a snapshot in a frame: it receives the selection, and may request another (`static/snapshot/port.js`).

use js_sys::{Function, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use yew::prelude::*;

use crate::snapshot::selection::{Selection, SelectionRequest};

/// Stores a property of the page's object `xlaPlayground`.
fn set(page: &JsValue, name: &str, value: &JsValue) {
    let _ = Reflect::set(page, &JsValue::from_str(name), value);
}

/// Publishes the selection as `xlaPlayground.selection`, and the function with which the embedding page requests another as
/// `xlaPlayground.select`, whose result is whether that exists.
#[hook]
pub fn use_embedding_page(selection: Selection, select: Callback<SelectionRequest, bool>) {
    use_effect_with(selection, move |selection| {
        let page = Reflect::get(&js_sys::global(), &JsValue::from_str("xlaPlayground")).unwrap_or_default();
        let closure = Closure::<dyn Fn(String) -> bool>::new(move |text: String| {
            serde_json::from_str(&text).is_ok_and(|request| select.emit(request))
        });
        set(&page, "select", closure.as_ref());
        // Names and numbers can always be serialized.
        let text = serde_json::to_string(selection).unwrap_or_default();
        set(&page, "selection", &JsValue::from_str(&text));
        let changed = Reflect::get(&page, &JsValue::from_str("onselection")).ok();
        if let Some(changed) = changed.and_then(|changed| changed.dyn_into::<Function>().ok()) {
            let _ = changed.call0(&page);
        }
        move || {
            set(&page, "select", &JsValue::UNDEFINED);
            drop(closure);
        }
    });
}
