//! The visitor's preferences in the browser: kept in local storage where there is one.
//!
//! Storage is never relied on: its mere name throws in a frame of an opaque origin or where a browser blocks it, it may be full, and
//! other tabs write to it. An embed keeps nothing and is as the system has it.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{MediaQueryList, Storage, StorageEvent};

use super::link;
use crate::i18n::Language;
pub use crate::state::preferences::{KernelChoice, Preferences, ThemeChoice, ValueMap};
use crate::view::colour_map::ColourMap;

/// What the names of all entries start with; static/trouble.js knows it too.
const PREFIX: &str = "xla-playground.";

impl ValueMap {
    /// The map itself.
    pub fn colours(self) -> ColourMap {
        match self {
            Self::Viridis => ColourMap::Viridis,
            Self::Cividis => ColourMap::Cividis,
        }
    }
}

fn storage() -> Option<Storage> {
    gloo::utils::window().local_storage().ok().flatten()
}

impl Preferences {
    /// What was kept, or the defaults.
    pub fn load() -> Self {
        if link::is_embed() {
            // An embed has no help in which single letters could be turned off.
            return Self { letter_keys: false, ..Self::default() };
        }
        let storage = storage();
        Self::read(|key| storage.as_ref()?.get_item(&format!("{PREFIX}{key}")).ok().flatten())
    }

    /// Keeps what changed since `before`, where the browser lets us.
    pub fn save(&self, before: &Self) {
        if link::is_embed() {
            return;
        }
        if let Some(storage) = storage() {
            for (key, value) in self.changes(before) {
                // A full or forbidden storage costs the visitor nothing but having to choose again.
                let _ = storage.set_item(&format!("{PREFIX}{key}"), &value);
            }
        }
    }

    /// The language to speak: the chosen one, else the first of the browser's that has a catalogue.
    pub fn language(&self) -> Language {
        let chosen = self.language.as_deref().and_then(Language::for_tag);
        chosen.unwrap_or_else(|| {
            let tags: Vec<String> =
                gloo::utils::window().navigator().languages().iter().filter_map(|t| t.as_string()).collect();
            Language::negotiate(tags.iter().map(String::as_str))
        })
    }

    /// Whether the page is dark.
    pub fn is_dark(&self) -> bool {
        match self.theme {
            ThemeChoice::Light => false,
            ThemeChoice::Dark => true,
            ThemeChoice::System => system_dark().is_some_and(|q| q.matches()),
        }
    }
}

/// Listens for preferences that another tab changes. Ends when it is dropped.
pub struct OtherTabs(Closure<dyn FnMut(StorageEvent)>);

impl OtherTabs {
    /// Calls `changed` with the preferences as they are then.
    pub fn listen(changed: impl Fn(Preferences) + 'static) -> Self {
        let closure = Closure::<dyn FnMut(StorageEvent)>::new(move |event: StorageEvent| {
            // Without a key all were cleared.
            if !link::is_embed() && event.key().is_none_or(|key| key.starts_with(PREFIX)) {
                changed(Preferences::load());
            }
        });
        let window = gloo::utils::window();
        let _ = window.add_event_listener_with_callback("storage", closure.as_ref().unchecked_ref());
        Self(closure)
    }
}

impl Drop for OtherTabs {
    fn drop(&mut self) {
        let listener = self.0.as_ref().unchecked_ref();
        let _ = gloo::utils::window().remove_event_listener_with_callback("storage", listener);
    }
}

/// The system's wish for dark pages, as a query that tells when it changes.
pub fn system_dark() -> Option<MediaQueryList> {
    gloo::utils::window().match_media("(prefers-color-scheme: dark)").ok().flatten()
}

/// Whether the visitor asked for less motion.
pub fn reduced_motion() -> bool {
    let query = gloo::utils::window().match_media("(prefers-reduced-motion: reduce)").ok().flatten();
    query.is_some_and(|q| q.matches())
}
