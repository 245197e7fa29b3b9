//! The address bar: writes the document's link to the fragment and reads a fragment that arrives.
//!
//! `#embed/` followed by a link is the same document in a frame of another page: it is read alike, but never written.

use std::cell::Cell;

use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, HashChangeEvent, Storage};

use crate::state::session::LinkChange;

/// The prefix of an embed's fragment.
pub const EMBED: &str = "embed/";

/// The fragment of the page's URL, without `#`.
fn written() -> String {
    gloo::utils::window().location().hash().unwrap_or_default().trim_start_matches('#').to_owned()
}

/// The link in the page's URL, without `#` and the embed prefix.
pub fn fragment() -> String {
    let written = written();
    written.strip_prefix(EMBED).map(str::to_owned).unwrap_or(written)
}

/// Whether the page is an embed: one panel in a frame, which stores nothing and leaves its URL unchanged.
pub fn is_embed() -> bool {
    written().starts_with(EMBED)
}

/// Whether the page has an opaque origin, as in a sandboxed frame: it then has no storage and no workers.
pub fn is_isolated() -> bool {
    gloo::utils::window().origin() == "null"
}

/// Whether the page is in a frame of another page, which could cover parts of it.
pub fn is_framed() -> bool {
    let window = gloo::utils::window();
    window.parent().ok().flatten().as_ref() != Some(&window)
}

/// Whether the host allows a frame of an opaque origin to load the app, by sharing its files with every origin.
pub async fn is_shared_with_all() -> bool {
    let asked = wasm_bindgen_futures::JsFuture::from(gloo::utils::window().fetch_with_str(&page())).await;
    let answer = asked.ok().and_then(|answer| answer.dyn_into::<web_sys::Response>().ok());
    let header = answer.and_then(|a| a.headers().get("Access-Control-Allow-Origin").ok().flatten());
    header.is_some_and(|value| value.trim() == "*")
}

/// The prefix of the entries in which a tab keeps where it left a screen.
const VISITED: &str = "xla-playground.visited.";

/// The tab's storage, which ends with the tab. It may be missing, blocked or full: screens then start afresh.
fn visit() -> Option<Storage> {
    gloo::utils::window().session_storage().ok().flatten().filter(|_| !is_embed())
}

/// Keeps the link in the page's URL as that of the screen of a bundle, for the way back.
pub fn leave(bundle: &str) {
    if let Some(storage) = visit() {
        let _ = storage.set_item(&format!("{VISITED}{bundle}"), &fragment());
    }
}

/// The fragment at which this tab left the screen of a bundle.
pub fn left(bundle: &str) -> Option<String> {
    visit()?.get_item(&format!("{VISITED}{bundle}")).ok().flatten()
}

/// The prefix of the entries in which a tab keeps how ops were left, by their names.
const KEPT: &str = "xla-playground.kept.";

/// Keeps the link of an op that was left, or nothing.
pub fn keep(name: &str, fragment: Option<&str>) {
    let Some(storage) = visit() else { return };
    let name = format!("{KEPT}{name}");
    let _ = match fragment {
        Some(fragment) => storage.set_item(&name, fragment),
        None => storage.remove_item(&name),
    };
}

/// The names and links of the ops that were left.
pub fn kept() -> Vec<(String, String)> {
    let Some(storage) = visit() else { return Vec::new() };
    let names = (0..storage.length().unwrap_or(0)).filter_map(|number| storage.key(number).ok().flatten());
    let entry = |name: String| Some((name.strip_prefix(KEPT)?.to_owned(), storage.get_item(&name).ok()??));
    names.filter_map(entry).collect()
}

/// The prefix of the entries in which a tab keeps which sections are open.
const OPEN: &str = "xla-playground.open.";

/// Keeps whether a section is open, for the visit.
pub fn keep_open(section: &str, is_open: bool) {
    if let Some(storage) = visit() {
        let _ = storage.set_item(&format!("{OPEN}{section}"), if is_open { "yes" } else { "no" });
    }
}

/// Whether a section was left open.
pub fn is_kept_open(section: &str) -> bool {
    let kept = visit().and_then(|storage| storage.get_item(&format!("{OPEN}{section}")).ok().flatten());
    kept.as_deref() == Some("yes")
}

/// Writes `fragment` to the address bar, in place or as a new history entry.
pub fn show(fragment: &str, change: LinkChange) {
    if is_embed() {
        return;
    }
    let Ok(history) = gloo::utils::window().history() else { return };
    let address = format!("#{fragment}");
    // Browsers limit the rate of changes; the next change catches up.
    let _ = match change {
        LinkChange::Keep => return,
        LinkChange::Replace => history.replace_state_with_url(&JsValue::NULL, "", Some(&address)),
        LinkChange::Push => history.push_state_with_url(&JsValue::NULL, "", Some(&address)),
    };
}

/// The page's URL without its fragment.
fn page() -> String {
    let href = gloo::utils::window().location().href().unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned()
}

/// The full URL with this fragment; brackets and braces are encoded because chats and mail programs break URLs at
/// them.
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

/// Listens for fragments that arrive: a pasted link, back and forward. Dropping it stops listening.
pub struct Arrivals(Option<Closure<dyn FnMut(Event)>>);

impl Arrivals {
    /// Calls `arrived` with each link of this screen; a link of another screen reloads the page, which loads that
    /// screen.
    pub fn listen(is_own_link: fn(&str) -> bool, arrived: impl Fn(String) + 'static) -> Self {
        let was_embed = is_embed();
        // A change of the URL fires two events. The second must not undo what followed the first, and a second reload
        // would cancel the first.
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
                // Another screen opens at its top; the browser would restore how far this one was scrolled.
                gloo::utils::window().scroll_to_with_x_and_y(0.0, 0.0);
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
