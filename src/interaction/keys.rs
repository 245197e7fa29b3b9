//! Keys that work anywhere on the page, except where text is typed.

/// A key that was pressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "the modifiers of a keyboard event")]
pub struct Key {
    /// Its name, as the browser gives it.
    pub name: String,
    /// With Control.
    pub ctrl: bool,
    /// With Meta.
    pub meta: bool,
    /// With Alt.
    pub alt: bool,
    /// With Shift.
    pub shift: bool,
}

/// What has the focus while a key is pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The key goes into a field, a list or a dialog.
    pub is_typing: bool,
    /// The key becomes text, or a dialog has the focus.
    pub takes_text: bool,
    /// Space already has a meaning: buttons press, boxes tick.
    pub is_control: bool,
}

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Steps so many memory slots or output cells.
    Step(i64),
    /// Steps so many memory slots, or steps within an output cell.
    Within(i64),
    /// Play or pause.
    Play,
    /// Ask where to go.
    GoTo,
    /// Clear what is highlighted.
    Clear,
    /// The spec bar's tiles field.
    Tiling,
    /// The padding of dimension 0.
    Padding,
    /// The formula.
    Formula,
    /// The field that finds an op.
    Find,
    /// Undo.
    Undo,
    /// Redo.
    Redo,
    /// The link and the exports.
    Share,
    /// All commands.
    Help,
}

/// What a key asks for; `letters` says whether single letters are commands.
pub fn command(key: &Key, target: Target, letters: bool) -> Option<Command> {
    if (key.ctrl || key.meta) && !key.alt {
        return match (key.name.to_ascii_lowercase().as_str(), key.shift) {
            // In a field the browser undoes the typing itself.
            _ if target.is_typing => None,
            ("z", false) => Some(Command::Undo),
            ("z", true) | ("y", false) => Some(Command::Redo),
            _ => None,
        };
    }
    if key.alt {
        return None;
    }
    // A list to choose from has no entry that begins so.
    if key.name == "/" && letters && !target.takes_text {
        return Some(Command::Find);
    }
    if target.is_typing {
        return None;
    }
    match key.name.as_str() {
        "Escape" => Some(Command::Clear),
        " " if !target.is_control => Some(Command::Play),
        "[" if letters => Some(Command::Step(-1)),
        "]" if letters => Some(Command::Step(1)),
        "," if letters => Some(Command::Within(-1)),
        "." if letters => Some(Command::Within(1)),
        "g" if letters => Some(Command::GoTo),
        "t" if letters => Some(Command::Tiling),
        "p" if letters => Some(Command::Padding),
        "f" if letters => Some(Command::Formula),
        "s" | "e" if letters => Some(Command::Share),
        "?" if letters => Some(Command::Help),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key { name: name.to_owned(), ..Key::default() }
    }

    const FIELD: Target = Target { is_typing: true, takes_text: true, is_control: true };
    const LIST: Target = Target { is_typing: true, takes_text: false, is_control: false };
    const BUTTON: Target = Target { is_typing: false, takes_text: false, is_control: true };

    #[test]
    fn letters_are_commands_only_where_they_are_wanted_and_not_typed() {
        let page = Target::default();
        for name in ["[", "]", ",", ".", "g", "t", "p", "f", "s", "e", "?", "/"] {
            assert!(command(&key(name), page, true).is_some(), "{name}");
            assert_eq!(command(&key(name), page, false), None, "{name}");
            assert_eq!(command(&key(name), FIELD, true), None, "{name}");
            assert_eq!(command(&Key { alt: true, ..key(name) }, page, true), None, "{name}");
        }
        assert_eq!(command(&key("Escape"), page, false), Some(Command::Clear));
        assert_eq!(command(&key("Escape"), FIELD, true), None);
        assert_eq!(command(&key("/"), LIST, true), Some(Command::Find));
    }

    #[test]
    fn space_plays_unless_it_presses_a_button() {
        assert_eq!(command(&key(" "), Target::default(), false), Some(Command::Play));
        assert_eq!(command(&key(" "), BUTTON, true), None);
    }

    #[test]
    fn undo_and_redo_are_left_to_fields() {
        let ctrl = |name, shift| Key { ctrl: true, shift, ..key(name) };
        let page = Target::default();
        assert_eq!(command(&ctrl("z", false), page, false), Some(Command::Undo));
        assert_eq!(command(&ctrl("Z", true), page, false), Some(Command::Redo));
        assert_eq!(command(&Key { meta: true, ..key("y") }, page, false), Some(Command::Redo));
        assert_eq!(command(&ctrl("y", true), page, false), None);
        assert_eq!(command(&ctrl("g", false), page, true), None);
        assert_eq!(command(&ctrl("z", false), FIELD, true), None);
        assert_eq!(command(&ctrl("z", false), LIST, true), None);
        assert_eq!(command(&Key { alt: true, ..ctrl("z", false) }, page, true), None);
    }
}
