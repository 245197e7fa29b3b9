//! What the visitor prefers on this device: language, theme, colour map, single-letter keys. Kept in the browser's
//! local storage where there is one. An embed keeps nothing and is as the system has it; the whole app in a frame with
//! an opaque origin finds no storage and goes on without.

use gloo::storage::{LocalStorage, Storage};
use serde::{Deserialize, Serialize};
use web_sys::MediaQueryList;

use super::link;
use crate::i18n::Language;
use crate::view::colour_map::ColourMap;

const KEY: &str = "xla-playground.preferences";

/// Light, dark, or as the system has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ThemeChoice {
    /// As the system has it.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// The map for values without sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueMap {
    /// Perceptually even, the field's default.
    #[default]
    Viridis,
    /// Nearly the same to every kind of colour vision.
    Cividis,
}

impl ValueMap {
    /// The map itself.
    pub fn colours(self) -> ColourMap {
        match self {
            Self::Viridis => ColourMap::Viridis,
            Self::Cividis => ColourMap::Cividis,
        }
    }
}

/// What computes an op that is heavy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KernelChoice {
    /// Its definition, always.
    Off,
    /// Kernels that give the same bits on every machine.
    #[default]
    Strict,
    /// Kernels that may round otherwise.
    Fast,
}

/// What the visitor prefers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// BCP 47 tag; the browser's languages where nothing is chosen.
    pub language: Option<String>,
    /// Light or dark.
    pub theme: ThemeChoice,
    /// The map for values without sign.
    pub map: ValueMap,
    /// Whether single letters are commands.
    pub letter_keys: bool,
    /// What computes an op that is heavy.
    pub kernels: KernelChoice,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            language: None,
            theme: ThemeChoice::System,
            map: ValueMap::Viridis,
            letter_keys: true,
            kernels: KernelChoice::Strict,
        }
    }
}

impl Preferences {
    /// What was kept, or the defaults.
    pub fn load() -> Self {
        if link::is_embed() {
            // An embed has no help in which single letters could be turned off.
            return Self { letter_keys: false, ..Self::default() };
        }
        // Reading `localStorage` throws where the origin is opaque: ask in a way that answers instead.
        if storage_works() { LocalStorage::get(KEY).unwrap_or_default() } else { Self::default() }
    }

    /// Keeps them, where the browser lets us.
    pub fn save(&self) {
        if !link::is_embed() && storage_works() {
            // A full or forbidden storage costs the visitor nothing but having to choose again.
            let _ = LocalStorage::set(KEY, self);
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

fn storage_works() -> bool {
    gloo::utils::window().local_storage().is_ok_and(|s| s.is_some())
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
