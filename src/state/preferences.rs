//! What the visitor prefers on this device: language, theme, colour map, single-letter keys, kernels.
//!
//! Each preference is an entry of its own where it is kept, so that two tabs change two preferences without undoing each other, and
//! a value that cannot be read costs that one preference only.

/// Light, dark, or as the system has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueMap {
    /// Perceptually even, the field's default.
    #[default]
    Viridis,
    /// Nearly the same to every kind of colour vision.
    Cividis,
}

/// What computes an op that is heavy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KernelChoice {
    /// Its definition, always.
    Off,
    /// Kernels that give the same bits on every machine.
    #[default]
    Strict,
    /// Kernels that may round otherwise.
    Fast,
}

const THEMES: [(ThemeChoice, &str); 3] =
    [(ThemeChoice::System, "system"), (ThemeChoice::Light, "light"), (ThemeChoice::Dark, "dark")];
const MAPS: [(ValueMap, &str); 2] = [(ValueMap::Viridis, "viridis"), (ValueMap::Cividis, "cividis")];
const KERNELS: [(KernelChoice, &str); 3] =
    [(KernelChoice::Off, "off"), (KernelChoice::Strict, "strict"), (KernelChoice::Fast, "fast")];
const SWITCH: [(bool, &str); 2] = [(true, "on"), (false, "off")];

/// What the visitor prefers.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The preferences of kept entries. One that is missing or cannot be read is the default.
    pub fn read(entry: impl Fn(&str) -> Option<String>) -> Self {
        let default = Self::default();
        Self {
            language: entry("language").filter(|tag| !tag.is_empty()),
            theme: value(&THEMES, entry("theme")).unwrap_or(default.theme),
            map: value(&MAPS, entry("map")).unwrap_or(default.map),
            letter_keys: value(&SWITCH, entry("letter-keys")).unwrap_or(default.letter_keys),
            kernels: value(&KERNELS, entry("kernels")).unwrap_or(default.kernels),
        }
    }

    /// The entries in which these differ from `before`: the only ones to write.
    pub fn changes(&self, before: &Self) -> Vec<(&'static str, String)> {
        let (new, old) = (self.entries(), before.entries());
        new.into_iter().zip(old).filter(|(new, old)| new != old).map(|(new, _)| new).collect()
    }

    fn entries(&self) -> [(&'static str, String); 5] {
        [
            ("language", self.language.clone().unwrap_or_default()),
            ("theme", name(&THEMES, self.theme)),
            ("map", name(&MAPS, self.map)),
            ("letter-keys", name(&SWITCH, self.letter_keys)),
            ("kernels", name(&KERNELS, self.kernels)),
        ]
    }
}

fn name<T: Copy + PartialEq>(names: &[(T, &str)], of: T) -> String {
    names.iter().find(|(value, _)| *value == of).map_or_else(String::new, |(_, name)| (*name).to_owned())
}

fn value<T: Copy>(names: &[(T, &str)], called: Option<String>) -> Option<T> {
    let called = called?;
    names.iter().find(|(_, name)| *name == called).map(|(value, _)| *value)
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
    fn every_preference_comes_back() {
        for theme in THEMES {
            for (map, kernels) in MAPS.into_iter().zip(KERNELS) {
                for letter_keys in [true, false] {
                    let chosen = Preferences {
                        language: Some("zh-Hans".to_owned()),
                        theme: theme.0,
                        map: map.0,
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
        let (one, other) = (store.read(), store.read());
        store.write(&Preferences { theme: ThemeChoice::Dark, ..one.clone() }, &one);
        store.write(&Preferences { kernels: KernelChoice::Fast, ..other.clone() }, &other);
        let both = store.read();
        assert_eq!((both.theme, both.kernels), (ThemeChoice::Dark, KernelChoice::Fast));
    }

    #[test]
    fn a_choice_that_is_the_default_again_is_written_too() {
        let mut store = Store::default();
        let (first, dark) =
            (store.read(), Preferences { theme: ThemeChoice::Dark, ..Preferences::default() });
        store.write(&dark, &first);
        store.write(&first, &dark);
        assert_eq!(store.read(), first);
    }

    #[test]
    fn a_value_that_cannot_be_read_costs_that_preference_only() {
        let entries = [("theme", "dark"), ("map", "{\"x\":"), ("kernels", ""), ("letter-keys", "OFF")];
        let read = Preferences::read(|key| entries.iter().find(|e| e.0 == key).map(|e| e.1.to_owned()));
        assert_eq!(read, Preferences { theme: ThemeChoice::Dark, ..Preferences::default() });
    }
}
