//! The keys of the Ops screen: they step through the output cells and within one.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::KeyboardEvent;
use yew::prelude::*;

use super::catalogue;
use super::pictures::Within;
use super::stage::Pointed;
use crate::app::components::header::Dialog;
use crate::app::context::Context;
use crate::app::keys::{self, Command};
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
            let listener = Closure::<dyn FnMut(KeyboardEvent)>::new(move |event: KeyboardEvent| {
                match keys::command(&event, letters) {
                    Some(Command::Step(by)) => dispatch.emit(Action::Cursor((cursor + by).clamp(0, last))),
                    // Within the cell, where there is anything; past its end to the next cell.
                    Some(Command::Within(by)) => {
                        match within.checked_add(by).filter(|to| (0..=inner).contains(to)) {
                            Some(to) => go_within.emit(to),
                            None => dispatch.emit(Action::Cursor((cursor + by).clamp(0, last))),
                        }
                    }
                    Some(Command::Play) => playing.set(!on),
                    Some(Command::Undo) => dispatch.emit(Action::Undo),
                    Some(Command::Redo) => dispatch.emit(Action::Redo),
                    Some(Command::Share) => dialog.set(Some(Dialog::Share)),
                    Some(Command::Help) => dialog.set(Some(Dialog::Help)),
                    Some(Command::Find) => catalogue::find(),
                    Some(Command::Clear) => return pinned.set(None),
                    _ => return,
                }
                event.prevent_default();
            });
            let document = gloo::utils::document();
            let _ = document.add_event_listener_with_callback("keydown", listener.as_ref().unchecked_ref());
            move || {
                let _ = document
                    .remove_event_listener_with_callback("keydown", listener.as_ref().unchecked_ref());
                drop(listener);
            }
        },
    );
}
