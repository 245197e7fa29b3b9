//! The address bar: the link of the document is kept in the fragment, and a fragment that arrives is read.

use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};

use crate::state::session::LinkChange;

/// The fragment of the page's address, without `#`.
pub fn fragment() -> String {
    gloo::utils::window().location().hash().unwrap_or_default().trim_start_matches('#').to_owned()
}

/// Puts `fragment` into the address bar, in place or as a new entry of the history.
pub fn show(fragment: &str, change: LinkChange) {
    let Ok(history) = gloo::utils::window().history() else { return };
    let address = format!("#{fragment}");
    // Browsers refuse more than so many changes a second; the next one makes up for it.
    let _ = match change {
        LinkChange::Keep => return,
        LinkChange::Replace => history.replace_state_with_url(&JsValue::NULL, "", Some(&address)),
        LinkChange::Push => history.push_state_with_url(&JsValue::NULL, "", Some(&address)),
    };
}

/// The whole address with this fragment, its brackets and braces encoded so that no chat or mail breaks it.
pub fn address(fragment: &str) -> String {
    let location = gloo::utils::window().location();
    let href = location.href().unwrap_or_default();
    let page = href.split('#').next().unwrap_or_default();
    let mut out = format!("{page}#");
    for c in fragment.chars() {
        match c {
            '[' => out.push_str("%5B"),
            ']' => out.push_str("%5D"),
            '{' => out.push_str("%7B"),
            '}' => out.push_str("%7D"),
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '*' => out.push_str("%2A"),
            ' ' => out.push_str("%20"),
            other => out.push(other),
        }
    }
    out
}

/// Listens for fragments that arrive: a pasted link, back and forward. Ends when it is dropped.
pub struct Arrivals(Option<Closure<dyn FnMut()>>);

impl Arrivals {
    /// Calls `arrived` with each fragment of this screen's; one of another screen's loads that screen.
    pub fn listen(is_ours: fn(&str) -> bool, arrived: impl Fn(String) + 'static) -> Self {
        let closure = Closure::<dyn FnMut()>::new(move || {
            let fragment = fragment();
            if is_ours(&fragment) {
                arrived(fragment);
            } else {
                let _ = gloo::utils::window().location().reload();
            }
        });
        let window = gloo::utils::window();
        for event in ["popstate", "hashchange"] {
            let _ = window.add_event_listener_with_callback(event, closure.as_ref().unchecked_ref());
        }
        Self(Some(closure))
    }
}

impl Drop for Arrivals {
    fn drop(&mut self) {
        if let Some(closure) = self.0.take() {
            let window = gloo::utils::window();
            for event in ["popstate", "hashchange"] {
                let _ = window.remove_event_listener_with_callback(event, closure.as_ref().unchecked_ref());
            }
        }
    }
}
