//! The address bar: the link of the document is kept in the fragment, and a fragment that arrives is read.
//!
//! `#embed/` and a link is the same document in a frame of somebody's page: read alike, and never written.

use std::cell::Cell;

use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, HashChangeEvent};

use crate::state::session::LinkChange;

/// What the fragment of an embed's address starts with.
pub const EMBED: &str = "embed/";

/// The fragment of the page's address as it stands, without `#`.
fn written() -> String {
    gloo::utils::window().location().hash().unwrap_or_default().trim_start_matches('#').to_owned()
}

/// The link in the page's address, without `#`.
pub fn fragment() -> String {
    let written = written();
    written.strip_prefix(EMBED).map(str::to_owned).unwrap_or(written)
}

/// Whether the page is an embed: one panel in a frame, which keeps nothing and leaves its address alone.
pub fn is_embed() -> bool {
    written().starts_with(EMBED)
}

/// Whether the page has no origin of its own, as in a sandboxed frame: no storage and no workers.
pub fn is_isolated() -> bool {
    gloo::utils::window().origin() == "null"
}

/// Whether the page stands in a frame of another page, which may lay things over it.
pub fn is_framed() -> bool {
    let window = gloo::utils::window();
    window.parent().ok().flatten().as_ref() != Some(&window)
}

/// Whether the host lets a frame without origin load the app: it shares its files with every origin.
pub async fn is_shared_with_all() -> bool {
    let asked = wasm_bindgen_futures::JsFuture::from(gloo::utils::window().fetch_with_str(&page())).await;
    let answer = asked.ok().and_then(|answer| answer.dyn_into::<web_sys::Response>().ok());
    let header = answer.and_then(|a| a.headers().get("Access-Control-Allow-Origin").ok().flatten());
    header.is_some_and(|value| value.trim() == "*")
}

/// Puts `fragment` into the address bar, in place or as a new entry of the history.
pub fn show(fragment: &str, change: LinkChange) {
    if is_embed() {
        return;
    }
    let Ok(history) = gloo::utils::window().history() else { return };
    let address = format!("#{fragment}");
    // Browsers refuse more than so many changes a second; the next one makes up for it.
    let _ = match change {
        LinkChange::Keep => return,
        LinkChange::Replace => history.replace_state_with_url(&JsValue::NULL, "", Some(&address)),
        LinkChange::Push => history.push_state_with_url(&JsValue::NULL, "", Some(&address)),
    };
}

/// The page's address without its fragment.
fn page() -> String {
    let href = gloo::utils::window().location().href().unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned()
}

/// The whole address with this fragment, its brackets and braces encoded so that no chat or mail breaks it.
pub fn address(fragment: &str) -> String {
    let mut out = format!("{}#", page());
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
pub struct Arrivals(Option<Closure<dyn FnMut(Event)>>);

impl Arrivals {
    /// Calls `arrived` with each link of this screen's; one of another screen's loads that screen.
    pub fn listen(is_own_link: fn(&str) -> bool, arrived: impl Fn(String) + 'static) -> Self {
        let was_embed = is_embed();
        // One change of the address is two events. The second must not undo what was done after the first, and a second
        // reload would break off the first.
        let (leaves, heard) = (Cell::new(false), Cell::new(None::<String>));
        let closure = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            let before = heard.take();
            match event.dyn_ref::<HashChangeEvent>() {
                None => heard.set(gloo::utils::window().location().href().ok()),
                Some(change) if before == Some(change.new_url()) => return,
                Some(_) => {}
            }
            let fragment = fragment();
            if is_own_link(&fragment) && is_embed() == was_embed {
                arrived(fragment);
            } else if !leaves.replace(true) {
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
