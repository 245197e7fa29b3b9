//! The Yew app: each screen ([`crate::state::screens`]) shows a session ([`crate::state`]) and dispatches its
//! actions. The Layout screen is [`layout`], the Ops screen [`ops`], the Program screen [`program`], the Speed
//! screen [`speed`]; each is a bundle of its own, so that no screen waits for another's code.
//!
//! Components contain no logic about arrays: [`crate::view`] provides the pictures, [`crate::state`] the changes, and
//! [`crate::interaction`] interprets pointer and keys. Read [`layout::page`] first.

pub mod canvas;
pub mod components;
pub mod context;
pub mod keys;
pub mod layout;
pub mod link;
pub mod linked;
pub mod ops;
mod panic_report;
pub mod prefs;
pub mod program;
pub mod shell;
pub mod snapshot;
pub mod speed;
mod translation;

use js_sys::Reflect;
use wasm_bindgen::JsValue;

use crate::i18n::Domain;
use shell::{Shell, ShellProps};

/// Mounts a screen, which uses messages of these domains, on the page's `#app`.
pub fn mount(domains: &'static [Domain], screen: yew::Html) {
    panic_report::install_hooks();
    render(domains, screen);
}

/// Like [`mount`], but waits for `ready`; until then the page shows its loading indicator.
pub fn mount_after(ready: impl Future<Output = ()> + 'static, domains: &'static [Domain], screen: yew::Html) {
    panic_report::install_hooks();
    let mounting = wasm_bindgen_futures::future_to_promise(async move {
        ready.await;
        render(domains, screen);
        Ok(JsValue::UNDEFINED)
    });
    // `static/boot.js` waits for this promise.
    if let Ok(page) = Reflect::get(&js_sys::global(), &JsValue::from_str("xlaPlayground")) {
        let _ = Reflect::set(&page, &JsValue::from_str("mounting"), &mounting);
    }
}

fn render(domains: &'static [Domain], screen: yew::Html) {
    if let Some(root) = root() {
        yew::Renderer::<Shell>::with_root_and_props(root, ShellProps { domains, children: screen }).render();
    }
}

/// The element to mount on, without the loading indicator.
fn root() -> Option<web_sys::Element> {
    let root = gloo::utils::document().get_element_by_id("app");
    match &root {
        Some(root) => root.set_inner_html(""),
        None => gloo::console::error!("the page has no #app to mount on"),
    }
    root
}
