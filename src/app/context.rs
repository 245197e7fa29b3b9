//! What every component may ask for: the reader's language, the theme, the preferences.

use yew::prelude::*;

use super::prefs::Preferences;
use crate::i18n::{Language, Message};
use crate::view::palette::Theme;

/// Handed down to every component.
#[derive(Clone, PartialEq)]
pub struct Context {
    /// What the visitor prefers.
    pub preferences: Preferences,
    /// The language to speak.
    pub language: Language,
    /// Whether the page is dark.
    pub dark: bool,
    /// Changes the preferences.
    pub prefer: Callback<Preferences>,
}

impl Context {
    /// The sentence of this key.
    pub fn say(&self, key: &'static str) -> AttrValue {
        self.tell(&Message::new(key))
    }

    /// The sentence of this message.
    pub fn tell(&self, message: &Message) -> AttrValue {
        message.say(self.language).into()
    }

    /// The colours of the theme.
    pub fn theme(&self) -> Theme {
        if self.dark { Theme::dark() } else { Theme::light() }
    }
}

/// The context of the component; the app always provides one.
#[hook]
pub fn use_say() -> Context {
    use_context::<Context>().unwrap_or_else(|| {
        let preferences = Preferences::default();
        let (language, dark) = (preferences.language(), false);
        Context { preferences, language, dark, prefer: Callback::noop() }
    })
}

/// A number with its digits grouped by threes, as `1 048 576` with narrow blanks.
pub fn grouped(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = String::from(if n < 0 { "-" } else { "" });
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}
