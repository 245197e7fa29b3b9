//! The user's preferences on this device: language, theme, colour map, single-letter keys, kernels.
//!
//! Each preference is stored as a separate entry, so that two tabs that change different ones both keep their change,
//! and a malformed entry affects only itself.

/// The colour theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    /// The system's setting.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// The sequential colour map, for non-negative values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourMapChoice {
    /// Viridis: perceptually uniform, the usual default.
    #[default]
    Viridis,
    /// Cividis: nearly the same for every type of colour vision.
    Cividis,
}

/// What computes large ops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KernelChoice {
    /// The reference evaluator, always.
    Off,
    /// Strict kernels: bit-identical on every machine.
    #[default]
    Strict,
    /// Fast kernels: rounding may differ.
    Fast,
}

const THEMES: [(ThemeChoice, &str); 3] =
    [(ThemeChoice::System, "system"), (ThemeChoice::Light, "light"), (ThemeChoice::Dark, "dark")];
const COLOUR_MAPS: [(ColourMapChoice, &str); 2] =
    [(ColourMapChoice::Viridis, "viridis"), (ColourMapChoice::Cividis, "cividis")];
const KERNELS: [(KernelChoice, &str); 3] =
    [(KernelChoice::Off, "off"), (KernelChoice::Strict, "strict"), (KernelChoice::Fast, "fast")];
const SWITCH: [(bool, &str); 2] = [(true, "on"), (false, "off")];

/// The user's preferences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preferences {
    /// BCP 47 tag; `None` for the browser's languages.
    pub language: Option<String>,
    /// The colour theme.
    pub theme: ThemeChoice,
    /// The sequential colour map, for non-negative values.
    pub colour_map: ColourMapChoice,
    /// Whether single letters are keyboard shortcuts.
    pub letter_keys: bool,
    /// What computes large ops.
    pub kernels: KernelChoice,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            language: None,
            theme: ThemeChoice::System,
            colour_map: ColourMapChoice::Viridis,
            letter_keys: true,
            kernels: KernelChoice::Strict,
        }
    }
}

impl Preferences {
    /// Reads stored entries; a missing or malformed one is the default.
    pub fn read(entry: impl Fn(&str) -> Option<String>) -> Self {
        let default = Self::default();
        Self {
            language: entry("language").filter(|tag| !tag.is_empty()),
            theme: parse_name(&THEMES, entry("theme")).unwrap_or(default.theme),
            colour_map: parse_name(&COLOUR_MAPS, entry("map")).unwrap_or(default.colour_map),
            letter_keys: parse_name(&SWITCH, entry("letter-keys")).unwrap_or(default.letter_keys),
            kernels: parse_name(&KERNELS, entry("kernels")).unwrap_or(default.kernels),
        }
    }

    /// The entries that differ from `before`: the only ones to write.
    pub fn changes(&self, before: &Self) -> Vec<(&'static str, String)> {
        let (new, old) = (self.entries(), before.entries());
        new.into_iter().zip(old).filter(|(new, old)| new != old).map(|(new, _)| new).collect()
    }

    /// The entries as stored; an empty language is that of the browser.
    fn entries(&self) -> [(&'static str, String); 5] {
        [
            ("language", self.language.clone().unwrap_or_default()),
            ("theme", name(&THEMES, self.theme)),
            ("map", name(&COLOUR_MAPS, self.colour_map)),
            ("letter-keys", name(&SWITCH, self.letter_keys)),
            ("kernels", name(&KERNELS, self.kernels)),
        ]
    }
}

fn name<T: Copy + PartialEq>(names: &[(T, &str)], wanted: T) -> String {
    names.iter().find(|(value, _)| *value == wanted).map_or_else(String::new, |(_, name)| (*name).to_owned())
}

fn parse_name<T: Copy>(names: &[(T, &str)], wanted: Option<String>) -> Option<T> {
    let wanted = wanted?;
    names.iter().find(|(_, name)| *name == wanted).map(|(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Default)]
    struct Store(BTreeMap<&'static str, String>);

    impl Store {
        fn read(&self) -> Preferences {
            Preferences::read(|key| self.0.get(key).cloned())
        }

        fn write(&mut self, new: &Preferences, before: &Preferences) {
            self.0.extend(new.changes(before));
        }
    }

    #[test]
    fn preferences_round_trip() {
        for theme in THEMES {
            for (index, kernels) in KERNELS.into_iter().enumerate() {
                let colour_map = COLOUR_MAPS[index % COLOUR_MAPS.len()];
                for letter_keys in [true, false] {
                    let chosen = Preferences {
                        language: Some("zh-Hans".to_owned()),
                        theme: theme.0,
                        colour_map: colour_map.0,
                        letter_keys,
                        kernels: kernels.0,
                    };
                    let mut store = Store::default();
                    store.write(&chosen, &Preferences::default());
                    assert_eq!(store.read(), chosen);
                }
            }
        }
    }

    #[test]
    fn two_tabs_that_change_different_preferences_keep_both() {
        let mut store = Store::default();
        let (first, second) = (store.read(), store.read());
        store.write(&Preferences { theme: ThemeChoice::Dark, ..first.clone() }, &first);
        store.write(&Preferences { kernels: KernelChoice::Fast, ..second.clone() }, &second);
        let both = store.read();
        assert_eq!((both.theme, both.kernels), (ThemeChoice::Dark, KernelChoice::Fast));
    }

    #[test]
    fn returning_to_the_default_is_written() {
        let mut store = Store::default();
        let (first, dark) =
            (store.read(), Preferences { theme: ThemeChoice::Dark, ..Preferences::default() });
        store.write(&dark, &first);
        store.write(&first, &dark);
        assert_eq!(store.read(), first);
    }

    #[test]
    fn a_malformed_entry_affects_only_itself() {
        let entries = [("theme", "dark"), ("map", "{\"x\":"), ("kernels", ""), ("letter-keys", "OFF")];
        let read = Preferences::read(|key| entries.iter().find(|e| e.0 == key).map(|e| e.1.to_owned()));
        assert_eq!(read, Preferences { theme: ThemeChoice::Dark, ..Preferences::default() });
    }
}
