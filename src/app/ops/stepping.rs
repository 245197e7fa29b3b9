//! The shortcuts of the Ops screen: they step through the output cells and within one.

use yew::prelude::*;

use super::catalogue;
use super::pictures::Within;
use super::stage::CellOnScreen;
use crate::app::components::header::Dialog;
use crate::app::context::Context;
use crate::app::keys::PageKeys;
use crate::interaction::keys::Command;
use crate::state::experiment::session::Action;

/// The state of the player and of the steps within the cell.
#[derive(Clone)]
pub struct Stepping {
    /// The current output cell.
    pub cursor: i64,
    /// The number of output cells.
    pub cells: i64,
    /// The number of steps within the cell.
    pub steps: i64,
    /// The current step.
    pub within: Within,
}

/// Performs the page's shortcuts.
#[hook]
pub fn use_keys(
    context: &Context,
    dispatch: &Callback<Action>,
    at: &Stepping,
    playing: &UseStateHandle<bool>,
    pinned: &UseStateHandle<Option<CellOnScreen>>,
    dialog: &UseStateHandle<Option<Dialog>>,
) {
    let letters = context.preferences.letter_keys;
    let (dispatch, playing, pinned, dialog) =
        (dispatch.clone(), playing.clone(), pinned.clone(), dialog.clone());
    let Stepping { cursor, cells, steps: inner, within: Within { at: within, go: go_within } } = at.clone();
    use_effect_with(
        (letters, cursor, cells, *playing, within, inner),
        move |(letters, cursor, cells, on, ..)| {
            let (letters, cursor, last, on) = (*letters, *cursor, (*cells - 1).max(0), *on);
            let keys = PageKeys::listen(letters, move |command| {
                match command {
                    Command::Step(by) => dispatch.emit(Action::MoveCursor((cursor + by).clamp(0, last))),
                    // Steps within the cell; past the last one to the next cell.
                    Command::Within(by) => {
                        match within.checked_add(by).filter(|to| (0..=inner).contains(to)) {
                            Some(to) => go_within.emit(to),
                            None => dispatch.emit(Action::MoveCursor((cursor + by).clamp(0, last))),
                        }
                    }
                    Command::Play => playing.set(!on),
                    Command::Undo => dispatch.emit(Action::Undo),
                    Command::Redo => dispatch.emit(Action::Redo),
                    Command::Share => dialog.set(Some(Dialog::Share)),
                    Command::Help => dialog.set(Some(Dialog::Help)),
                    Command::Find => catalogue::find(),
                    Command::Clear => pinned.set(None),
                    Command::GoTo | Command::Tiling | Command::Padding | Command::Formula => return false,
                }
                // Escape must still reach an open dialog.
                command != Command::Clear
            });
            move || drop(keys)
        },
    );
}
