//! The end of the app by a panic: the page is told (`static/trouble.js`), which covers the app, keeps what was typed and offers a
//! way on. A panic is a bug, and after it nothing of the app may run.

use std::panic::PanicHookInfo;

use js_sys::{Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::cause;

/// Tells the page of panics, and the console of broken invariants, from now on.
pub fn watch() {
    crate::bug::set_hook(|text| gloo::console::error!(text));
    // Yew's renderer puts its own hook in place of one it has not been told of.
    yew::set_custom_panic_hook(Box::new(|info| {
        // The console gets the stack too.
        console_error_panic_hook::hook(info);
        tell(info);
    }));
}

/// Runs while the app's state may be anything: it touches nothing of it.
fn tell(info: &PanicHookInfo) {
    let page = Reflect::get(&js_sys::global(), &JsValue::from_str("xlaPlayground"));
    let broke = page.and_then(|page| Reflect::get(&page, &JsValue::from_str("broke")));
    if let Some(broke) = broke.ok().and_then(|broke| broke.dyn_into::<Function>().ok()) {
        // A page that cannot be told still hears of the trap that follows.
        let _ = broke.call1(&JsValue::UNDEFINED, &JsValue::from_str(&cause::panic_text(info)));
    }
}
