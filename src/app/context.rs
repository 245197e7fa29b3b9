//! The context of every component: language, theme and preferences.

use yew::prelude::*;

use super::prefs::Preferences;
use crate::i18n::{Language, Message};
use crate::view::palette::Theme;

/// The context, which the shell provides to every component.
#[derive(Clone, PartialEq)]
pub struct Context {
    /// The user's preferences.
    pub preferences: Preferences,
    /// The language of the interface.
    pub language: Language,
    /// Whether the theme is dark.
    pub is_dark: bool,
    /// Sets and stores the preferences.
    pub set_preferences: Callback<Preferences>,
}

impl Context {
    /// The text of a message without arguments, by its key.
    pub fn text_of_key(&self, key: &'static str) -> AttrValue {
        self.text(&Message::new(key))
    }

    /// The text of a message.
    pub fn text(&self, message: &Message) -> AttrValue {
        message.localize(self.language).into()
    }

    /// The colours of the theme.
    pub fn theme(&self) -> Theme {
        if self.is_dark { Theme::dark() } else { Theme::light() }
    }
}

/// The context of the component; the shell always provides one.
#[hook]
pub fn use_app_context() -> Context {
    use_context::<Context>().unwrap_or_else(|| {
        let preferences = Preferences::default();
        let (language, is_dark) = (preferences.language(), false);
        Context { preferences, language, is_dark, set_preferences: Callback::noop() }
    })
}

/// The CSS classes of a dimension's text: its colour and, from the seventh on, a mark, because colours repeat.
pub fn dimension_class(d: usize) -> String {
    format!("d d{}{}", d % 6, if d < 6 { "" } else { " again" })
}

/// The number of digits from which numbers are grouped: one of four digits reads the same as in the text of a shape.
const MIN_GROUPED_DIGITS: usize = 5;

/// A number with narrow no-break spaces between groups of three digits: `1 048 576`, but `4096`.
pub fn grouped(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    if digits.len() < MIN_GROUPED_DIGITS {
        return n.to_string();
    }
    let mut out = String::from(if n < 0 { "-" } else { "" });
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}
