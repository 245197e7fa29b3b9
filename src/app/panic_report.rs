//! Reports a panic to the page (`static/trouble.js`), which covers the app, preserves the typed text and offers a reload.
//! A panic is a bug; none of the app's code may run after it.

use std::panic::PanicHookInfo;

use js_sys::{Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::cause;

/// Installs the hooks that report panics to the page, and violated invariants to the console.
pub fn install_hooks() {
    crate::bug::set_hook(|text| gloo::console::error!(text));
    // Yew's renderer replaces any hook that is not set through Yew.
    yew::set_custom_panic_hook(Box::new(|info| {
        // This logs the stack as well.
        console_error_panic_hook::hook(info);
        report(info);
    }));
}

/// Calls the page's handler. The app's state may be inconsistent, so none of it is used.
fn report(info: &PanicHookInfo) {
    let page = Reflect::get(&js_sys::global(), &JsValue::from_str("xlaPlayground"));
    let report_crash = page.and_then(|page| Reflect::get(&page, &JsValue::from_str("reportCrash")));
    if let Some(report_crash) = report_crash.ok().and_then(|function| function.dyn_into::<Function>().ok()) {
        // If the page cannot be notified, it still observes the trap that follows.
        let _ = report_crash.call1(&JsValue::UNDEFINED, &JsValue::from_str(&cause::panic_text(info)));
    }
}
