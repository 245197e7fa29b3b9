//! The keys of the Ops screen: they step through the output cells and within one.

use yew::prelude::*;

use super::catalogue;
use super::pictures::Within;
use super::stage::Pointed;
use crate::app::components::header::Dialog;
use crate::app::context::Context;
use crate::app::keys::PageKeys;
use crate::interaction::keys::Command;
use crate::state::experiment::session::Action;

/// Where the player and the step within the cell are.
#[derive(Clone)]
pub struct Stepping {
    /// The output cell stepped to.
    pub cursor: i64,
    /// How many there are.
    pub cells: i64,
    /// How many steps there are within it.
    pub steps: i64,
    /// The step within it.
    pub within: Within,
}

/// Listens to the keys of the whole page.
#[hook]
pub fn use_keys(
    context: &Context,
    dispatch: &Callback<Action>,
    at: &Stepping,
    playing: &UseStateHandle<bool>,
    pinned: &UseStateHandle<Option<Pointed>>,
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
                    // Within the cell, where there is anything; past its end to the next cell.
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
                // The dialog of an open page would otherwise not get Escape.
                command != Command::Clear
            });
            move || drop(keys)
        },
    );
}
