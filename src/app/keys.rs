//! Keys that work anywhere on the page, except where text is typed.

use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// So many memory slots or output cells on.
    Step(i64),
    /// So many memory slots on, or steps within an output cell.
    Within(i64),
    /// Play or pause.
    Play,
    /// Ask where to go.
    GoTo,
    /// Nothing stays lit.
    Clear,
    /// The spec bar's tiles field.
    Tiling,
    /// The padding of dimension 0.
    Padding,
    /// The formula.
    Formula,
    /// The field that finds an op.
    Find,
    /// Take back.
    Undo,
    /// Do again.
    Redo,
    /// The link and the exports.
    Share,
    /// All commands.
    Help,
}

/// What this event asks for; `letters` says whether single letters are commands.
pub fn command(event: &KeyboardEvent, letters: bool) -> Option<Command> {
    let key = event.key();
    let ctrl = event.ctrl_key() || event.meta_key();
    let typing = is_typing(event);
    if ctrl && !event.alt_key() {
        return match (key.to_ascii_lowercase().as_str(), event.shift_key()) {
            // In a field the browser undoes the typing itself.
            _ if typing => None,
            ("z", false) => Some(Command::Undo),
            ("z", true) | ("y", false) => Some(Command::Redo),
            _ => None,
        };
    }
    if event.alt_key() {
        return None;
    }
    // A list to choose from has no entry that begins so.
    if key == "/" && letters && !target(event).is_some_and(|field| takes_text(&field)) {
        return Some(Command::Find);
    }
    if typing {
        return None;
    }
    match key.as_str() {
        "Escape" => Some(Command::Clear),
        " " if !is_control(event) => Some(Command::Play),
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

fn target(event: &KeyboardEvent) -> Option<Element> {
    event.target().and_then(|t| t.dyn_into::<Element>().ok())
}

/// Whether the key goes into a field or a dialog.
fn is_typing(event: &KeyboardEvent) -> bool {
    target(event).is_some_and(|element| {
        let field = element.closest("input:not([type=range]):not([type=checkbox]), textarea, select, dialog");
        field.is_ok_and(|f| f.is_some())
    })
}

/// Whether what is typed stands in the element, or a dialog holds the focus.
fn takes_text(element: &Element) -> bool {
    let field = element.closest("input:not([type=range]):not([type=checkbox]), textarea, dialog");
    field.is_ok_and(|f| f.is_some())
}

/// Whether Space already means something to the element: buttons press, boxes tick.
fn is_control(event: &KeyboardEvent) -> bool {
    target(event)
        .is_some_and(|element| element.closest("button, input, summary, a").is_ok_and(|e| e.is_some()))
}
