//! The user's preferences in the browser: stored in local storage if there is one.
//!
//! Storage is optional: accessing it throws in a frame of an opaque origin or if the browser blocks it, it may be
//! full, and other tabs write to it. An embed stores nothing and uses the system's settings.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{MediaQueryList, Storage, StorageEvent};

use super::link;
use crate::i18n::Language;
pub use crate::state::preferences::{ColourMapChoice, KernelChoice, Preferences, ThemeChoice};
use crate::view::colour_map::ColourMap;

/// The prefix of all entries; `static/trouble.js` uses it too.
const PREFIX: &str = "xla-playground.";

impl ColourMapChoice {
    /// The colour map.
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
    /// The stored preferences, or the defaults.
    pub fn load() -> Self {
        if link::is_embed() {
            // An embed has no help dialog in which single-letter shortcuts could be turned off.
            return Self { letter_keys: false, ..Self::default() };
        }
        let storage = storage();
        Self::read(|key| storage.as_ref()?.get_item(&format!("{PREFIX}{key}")).ok().flatten())
    }

    /// Stores the preferences that differ from `before`, if the browser allows it.
    pub fn save(&self, before: &Self) {
        if link::is_embed() {
            return;
        }
        if let Some(storage) = storage() {
            for (key, value) in self.changes(before) {
                // If storage is full or blocked, the choice lasts for this page only.
                let _ = storage.set_item(&format!("{PREFIX}{key}"), &value);
            }
        }
    }

    /// The language of the interface: the chosen one, or the browser's first language that has a catalogue.
    pub fn language(&self) -> Language {
        let chosen = self.language.as_deref().and_then(Language::for_tag);
        chosen.unwrap_or_else(|| {
            let tags: Vec<String> =
                gloo::utils::window().navigator().languages().iter().filter_map(|t| t.as_string()).collect();
            Language::negotiate(tags.iter().map(String::as_str))
        })
    }

    /// Whether the theme is dark.
    pub fn is_dark(&self) -> bool {
        match self.theme {
            ThemeChoice::Light => false,
            ThemeChoice::Dark => true,
            ThemeChoice::System => system_dark().is_some_and(|q| q.matches()),
        }
    }
}

/// Listens for preferences that another tab changes. Dropping it stops listening.
pub struct OtherTabs(Closure<dyn FnMut(StorageEvent)>);

impl OtherTabs {
    /// Calls `changed` with the new preferences.
    pub fn listen(changed: impl Fn(Preferences) + 'static) -> Self {
        let closure = Closure::<dyn FnMut(StorageEvent)>::new(move |event: StorageEvent| {
            // No key means that the storage was cleared.
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

/// The media query for the system's dark theme, which fires events on changes.
pub fn system_dark() -> Option<MediaQueryList> {
    gloo::utils::window().match_media("(prefers-color-scheme: dark)").ok().flatten()
}

/// Whether the user prefers reduced motion.
pub fn reduced_motion() -> bool {
    let query = gloo::utils::window().match_media("(prefers-reduced-motion: reduce)").ok().flatten();
    query.is_some_and(|q| q.matches())
}
