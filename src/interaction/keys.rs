//! Keyboard shortcuts of a page.

/// A key press.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "the modifiers of a keyboard event")]
pub struct Key {
    /// The key's name, `KeyboardEvent.key`.
    pub name: String,
    /// Whether Control is pressed.
    pub ctrl: bool,
    /// Whether Meta is pressed.
    pub meta: bool,
    /// Whether Alt is pressed.
    pub alt: bool,
    /// Whether Shift is pressed.
    pub shift: bool,
}

/// The focused element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "what an element handles itself")]
pub struct Target {
    /// It handles letters and Escape itself: a text field (typing), a list (type-ahead), or an element in a dialog.
    pub captures_keys: bool,
    /// It undoes and redoes itself: a text field with typing that has not taken effect yet, a search field, or an element
    /// in a dialog.
    pub captures_undo: bool,
    /// It also handles `/` itself: a text field, or an element in a dialog.
    pub captures_slash: bool,
    /// It handles Space itself, like a button or a checkbox.
    pub captures_space: bool,
}

/// A command of a keyboard shortcut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Step by this many cells: memory slots on the Layout screen, output cells on the Ops screen.
    Step(i64),
    /// Step by this many source cells of the output cell (Ops screen); on the Layout screen, where cells have no source
    /// cells, like [`Command::Step`].
    StepSource(i64),
    /// Play or pause.
    TogglePlayback,
    /// Open the "Go to" dialog.
    GoTo,
    /// Clear the highlights.
    ClearHighlights,
    /// Show the input field of the tiles.
    ShowTiles,
    /// Show the input field of the padded size of dimension 0.
    ShowPadding,
    /// Show the formula.
    ShowFormula,
    /// Focus the search field for ops.
    FocusSearch,
    /// Undo.
    Undo,
    /// Redo.
    Redo,
    /// Open the share dialog.
    Share,
    /// Open the help dialog.
    Help,
}

/// The command of a key press, if any. `letter_keys_enabled` makes single letters shortcuts.
pub fn command(key: &Key, target: Target, letter_keys_enabled: bool) -> Option<Command> {
    if (key.ctrl || key.meta) && !key.alt {
        return match (key.name.to_ascii_lowercase().as_str(), key.shift) {
            // The browser undoes the typing.
            _ if target.captures_undo => None,
            ("z", false) => Some(Command::Undo),
            ("z", true) | ("y", false) => Some(Command::Redo),
            _ => None,
        };
    }
    if key.alt {
        return None;
    }
    // Lists handle letters by type-ahead, but none of their entries starts with a slash.
    if key.name == "/" && letter_keys_enabled && !target.captures_slash {
        return Some(Command::FocusSearch);
    }
    if target.captures_keys {
        return None;
    }
    match key.name.as_str() {
        "Escape" => Some(Command::ClearHighlights),
        " " if !target.captures_space => Some(Command::TogglePlayback),
        "[" if letter_keys_enabled => Some(Command::Step(-1)),
        "]" if letter_keys_enabled => Some(Command::Step(1)),
        "," if letter_keys_enabled => Some(Command::StepSource(-1)),
        "." if letter_keys_enabled => Some(Command::StepSource(1)),
        "g" if letter_keys_enabled => Some(Command::GoTo),
        "t" if letter_keys_enabled => Some(Command::ShowTiles),
        "p" if letter_keys_enabled => Some(Command::ShowPadding),
        "f" if letter_keys_enabled => Some(Command::ShowFormula),
        "s" | "e" if letter_keys_enabled => Some(Command::Share),
        "?" if letter_keys_enabled => Some(Command::Help),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key { name: name.to_owned(), ..Key::default() }
    }

    const PAGE: Target =
        Target { captures_keys: false, captures_undo: false, captures_slash: false, captures_space: false };
    const BUTTON: Target = Target { captures_space: true, ..PAGE };
    const LIST: Target = Target { captures_keys: true, ..PAGE };
    const SETTLED: Target = Target { captures_slash: true, captures_space: true, ..LIST };
    const FIELD: Target = Target { captures_undo: true, ..SETTLED };

    #[test]
    fn letters_are_shortcuts_if_enabled_and_outside_text_fields() {
        let page = Target::default();
        for name in ["[", "]", ",", ".", "g", "t", "p", "f", "s", "e", "?", "/"] {
            assert!(command(&key(name), page, true).is_some(), "{name}");
            assert_eq!(command(&key(name), page, false), None, "{name}");
            assert_eq!(command(&key(name), FIELD, true), None, "{name}");
            assert_eq!(command(&Key { alt: true, ..key(name) }, page, true), None, "{name}");
        }
        assert_eq!(command(&key("Escape"), page, false), Some(Command::ClearHighlights));
        assert_eq!(command(&key("Escape"), FIELD, true), None);
        assert_eq!(command(&key("/"), LIST, true), Some(Command::FocusSearch));
    }

    #[test]
    fn space_plays_unless_it_presses_a_button() {
        assert_eq!(command(&key(" "), Target::default(), false), Some(Command::TogglePlayback));
        assert_eq!(command(&key(" "), BUTTON, true), None);
    }

    #[test]
    fn fields_undo_typing_and_the_page_undoes_edits() {
        let ctrl = |name, shift| Key { ctrl: true, shift, ..key(name) };
        let page = Target::default();
        assert_eq!(command(&ctrl("z", false), page, false), Some(Command::Undo));
        assert_eq!(command(&ctrl("Z", true), page, false), Some(Command::Redo));
        assert_eq!(command(&Key { meta: true, ..key("y") }, page, false), Some(Command::Redo));
        assert_eq!(command(&ctrl("y", true), page, false), None);
        assert_eq!(command(&ctrl("g", false), page, true), None);
        assert_eq!(command(&ctrl("z", false), FIELD, true), None);
        for target in [LIST, SETTLED, BUTTON] {
            assert_eq!(command(&ctrl("z", false), target, true), Some(Command::Undo));
        }
        assert_eq!(command(&Key { alt: true, ..ctrl("z", false) }, page, true), None);
    }
}
