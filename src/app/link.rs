//! The address bar: writes the document's link to the URL's fragment, and reads links that the user opens. Also the
//! entries in `sessionStorage`, where a browser tab keeps such links.
//!
//! `#embed/` followed by a link is the same document in a frame of another page; it is read in the same way, but never
//! written.

use std::cell::{Cell, RefCell};

use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, HashChangeEvent, Storage};

use crate::state::session::LinkChange;

/// The prefix of an embed's fragment.
pub const EMBED_PREFIX: &str = "embed/";

/// The fragment of the page's URL, without `#`.
fn url_fragment() -> String {
    gloo::utils::window().location().hash().unwrap_or_default().trim_start_matches('#').to_owned()
}

/// The link in the page's URL, without `#` and the embed prefix.
pub fn current_link() -> String {
    let fragment = url_fragment();
    fragment.strip_prefix(EMBED_PREFIX).map(str::to_owned).unwrap_or(fragment)
}

thread_local! {
    /// Whether the page is a snapshot, whatever its URL.
    static IS_SNAPSHOT: Cell<bool> = const { Cell::new(false) };
}

/// Marks the page as a snapshot: a file of its own, which behaves like an embed.
pub fn mark_as_snapshot() {
    IS_SNAPSHOT.set(true);
}

/// Whether the page is a snapshot.
pub fn is_snapshot() -> bool {
    IS_SNAPSHOT.get()
}

/// Whether the page is an embed: one panel in a frame, which stores nothing and leaves its URL unchanged.
pub fn is_embed() -> bool {
    is_snapshot() || url_fragment().starts_with(EMBED_PREFIX)
}

/// Whether the origin of the page is opaque, as in a sandboxed frame: it then has no storage and no workers.
pub fn has_opaque_origin() -> bool {
    gloo::utils::window().origin() == "null"
}

/// Whether the page is in a frame of another page, which could overlay it (clickjacking).
pub fn is_framed() -> bool {
    let window = gloo::utils::window();
    window.parent().ok().flatten().as_ref() != Some(&window)
}

/// Whether the web server allows every origin to load the app's files (CORS); a frame with an opaque origin needs it.
pub async fn allows_all_origins() -> bool {
    let fetch = gloo::utils::window().fetch_with_str(&url_without_fragment());
    let response = wasm_bindgen_futures::JsFuture::from(fetch).await;
    let response = response.ok().and_then(|response| response.dyn_into::<web_sys::Response>().ok());
    let header = response.and_then(|r| r.headers().get("Access-Control-Allow-Origin").ok().flatten());
    header.is_some_and(|value| value.trim() == "*")
}

/// The key prefix of the links of screens when they were last left in this browser tab.
const SCREEN_KEY_PREFIX: &str = "xla-playground.visited.";

/// The session storage of the browser tab. It may be missing, blocked or full; screens then start in their initial state. An embed
/// stores nothing.
fn tab_storage() -> Option<Storage> {
    gloo::utils::window().session_storage().ok().flatten().filter(|_| !is_embed())
}

/// Stores the link of a screen that is left, so that a click on the screen's tab returns to it.
pub fn store_screen_link(screen: &str, link: &str) {
    if let Some(storage) = tab_storage() {
        let _ = storage.set_item(&format!("{SCREEN_KEY_PREFIX}{screen}"), link);
    }
}

/// The link of a screen when it was last left in this browser tab.
pub fn stored_screen_link(screen: &str) -> Option<String> {
    tab_storage()?.get_item(&format!("{SCREEN_KEY_PREFIX}{screen}")).ok().flatten()
}

/// The key prefix of the undo histories of screens.
const HISTORY_KEY_PREFIX: &str = "xla-playground.history.";

/// Stores a screen's undo history. If it does not fit, the previous one remains, which belongs to another state.
pub fn store_history(screen: &str, history: &str) {
    if let Some(storage) = tab_storage() {
        let _ = storage.set_item(&format!("{HISTORY_KEY_PREFIX}{screen}"), history);
    }
}

/// The stored undo history of a screen.
pub fn stored_history(screen: &str) -> Option<String> {
    tab_storage()?.get_item(&format!("{HISTORY_KEY_PREFIX}{screen}")).ok().flatten()
}

/// The key prefix of the links of ops when they were last left in this browser tab, by their names.
const OP_KEY_PREFIX: &str = "xla-playground.kept.";

/// Stores the link of an op that is being left.
pub fn store_op_link(name: &str, fragment: &str) {
    if let Some(storage) = tab_storage() {
        let _ = storage.set_item(&format!("{OP_KEY_PREFIX}{name}"), fragment);
    }
}

/// Removes the stored link of an op.
pub fn remove_op_link(name: &str) {
    if let Some(storage) = tab_storage() {
        let _ = storage.remove_item(&format!("{OP_KEY_PREFIX}{name}"));
    }
}

/// The names and stored links of ops.
pub fn stored_op_links() -> Vec<(String, String)> {
    let Some(storage) = tab_storage() else { return Vec::new() };
    let keys = (0..storage.length().unwrap_or(0)).filter_map(|index| storage.key(index).ok().flatten());
    let entry =
        |key: String| Some((key.strip_prefix(OP_KEY_PREFIX)?.to_owned(), storage.get_item(&key).ok()??));
    keys.filter_map(entry).collect()
}

/// The key prefix of the texts of programs that are too long for a link.
const PROGRAM_KEY_PREFIX: &str = "xla-playground.program.";

/// The key prefix of the text of a program that another is compared with.
const COMPARED_KEY_PREFIX: &str = "xla-playground.compared.";

/// Stores text under a key and removes all other entries with the prefix: session storage is limited to a few megabytes.
fn store_newest(prefix: &str, key: &str, text: &str) {
    let Some(storage) = tab_storage() else { return };
    let stored = (0..storage.length().unwrap_or(0)).filter_map(|index| storage.key(index).ok().flatten());
    let others: Vec<String> = stored.filter(|name| name.starts_with(prefix)).collect();
    for name in others {
        let _ = storage.remove_item(&name);
    }
    let _ = storage.set_item(&format!("{prefix}{key}"), text);
}

/// Stores the text of a program that is too long for a link. Only the newest is kept.
pub fn store_program_text(key: &str, text: &str) {
    store_newest(PROGRAM_KEY_PREFIX, key, text);
}

/// Stores the text of a program that another is compared with. Only the newest is kept.
pub fn store_compared_text(key: &str, text: &str) {
    store_newest(COMPARED_KEY_PREFIX, key, text);
}

/// The stored text of a program.
pub fn stored_program_text(key: &str) -> Option<String> {
    let storage = tab_storage()?;
    let stored = |prefix: &str| storage.get_item(&format!("{prefix}{key}")).ok().flatten();
    stored(PROGRAM_KEY_PREFIX).or_else(|| stored(COMPARED_KEY_PREFIX))
}

/// The key of the chosen order of the catalogue of ops.
const CATALOGUE_ORDER_KEY: &str = "xla-playground.catalogue-order";

/// Stores the chosen order of the catalogue of ops.
pub fn store_catalogue_order(order: &str) {
    if let Some(storage) = tab_storage() {
        let _ = storage.set_item(CATALOGUE_ORDER_KEY, order);
    }
}

/// The stored order of the catalogue of ops.
pub fn stored_catalogue_order() -> Option<String> {
    tab_storage()?.get_item(CATALOGUE_ORDER_KEY).ok().flatten()
}

/// The key prefix of the entries for open sections.
const SECTION_KEY_PREFIX: &str = "xla-playground.open.";

/// Stores whether a section is open.
pub fn store_section_open(section: &str, is_open: bool) {
    if let Some(storage) = tab_storage() {
        let _ =
            storage.set_item(&format!("{SECTION_KEY_PREFIX}{section}"), if is_open { "yes" } else { "no" });
    }
}

/// Whether a section is stored as open.
pub fn is_section_stored_open(section: &str) -> bool {
    let key = format!("{SECTION_KEY_PREFIX}{section}");
    let stored = tab_storage().and_then(|storage| storage.get_item(&key).ok().flatten());
    stored.as_deref() == Some("yes")
}

thread_local! {
    /// The link of another screen that the page is being reloaded for: this screen must not overwrite it.
    static LEAVING_FOR: RefCell<Option<String>> = const { RefCell::new(None) };
}

thread_local! {
    /// The history entries that this page has added.
    static ADDED_ENTRIES: Cell<u32> = const { Cell::new(0) };
}

/// The number of history entries that this page has added.
pub fn added_entries() -> u32 {
    ADDED_ENTRIES.get()
}

/// Goes back one entry of the browser's history.
pub fn go_back() {
    if let Ok(history) = gloo::utils::window().history() {
        // This fails only in a document that is not shown.
        let _ = history.back();
    }
}

/// Writes `fragment` to the address bar: replaces the current history entry, or adds one. While another screen is being loaded, the address
/// stays that of the other screen.
pub fn update_url(fragment: &str, change: LinkChange) {
    if is_embed() || LEAVING_FOR.with_borrow(Option::is_some) {
        return;
    }
    let Ok(history) = gloo::utils::window().history() else { return };
    let address = format!("#{fragment}");
    // Browsers limit the rate of changes. A change that fails is superseded by the next.
    let _ = match change {
        LinkChange::Keep => return,
        LinkChange::Replace => history.replace_state_with_url(&JsValue::NULL, "", Some(&address)),
        LinkChange::Push => {
            ADDED_ENTRIES.set(ADDED_ENTRIES.get().wrapping_add(1));
            history.push_state_with_url(&JsValue::NULL, "", Some(&address))
        }
    };
}

/// The page's URL without its fragment.
fn url_without_fragment() -> String {
    let href = gloo::utils::window().location().href().unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned()
}

/// The full URL with this fragment; characters at which chat and mail programs cut URLs (brackets, braces, parentheses, `*`, spaces)
/// are percent-encoded.
pub fn full_url(fragment: &str) -> String {
    let mut out = format!("{}#", url_without_fragment());
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

/// Listens for links that the user opens in this page: a pasted one, back and forward. Dropping it stops listening.
pub struct NavigationListener(Option<Closure<dyn FnMut(Event)>>);

impl NavigationListener {
    /// Calls `on_link` with each link of this screen; a link of another screen reloads the page, which loads that
    /// screen.
    pub fn listen(is_own_link: fn(&str) -> bool, on_link: impl Fn(String) + 'static) -> Self {
        let was_embed = is_embed();
        // A change of the URL fires `popstate` and `hashchange`. Handling the second would undo actions after the first,
        // and a second reload would cancel the first.
        let popstate_url = Cell::new(None::<String>);
        let closure = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            let handled_url = popstate_url.take();
            match event.dyn_ref::<HashChangeEvent>() {
                None => popstate_url.set(gloo::utils::window().location().href().ok()),
                Some(change) if handled_url == Some(change.new_url()) => return,
                Some(_) => {}
            }
            let link = current_link();
            if is_own_link(&link) && is_embed() == was_embed {
                LEAVING_FOR.set(None);
                on_link(link);
            } else if LEAVING_FOR.replace(Some(link.clone())) != Some(link) {
                // A third screen that is chosen before the page is replaced has cancelled the first reload.
                // The browser would restore this screen's scroll position in the other one.
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

impl Drop for NavigationListener {
    fn drop(&mut self) {
        if let Some(closure) = self.0.take() {
            let window = gloo::utils::window();
            for event in ["popstate", "hashchange"] {
                let _ = window.remove_event_listener_with_callback(event, closure.as_ref().unchecked_ref());
            }
        }
    }
}
