//! A snapshot as a property, the notice about a damaged one, and the shortcuts of its player.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::components::latest::use_latest;
use crate::app::keys::PageKeys;
use crate::i18n::Message;
use crate::interaction::keys::Command;
use crate::snapshot::Snapshot;
use crate::snapshot::data::SnapshotError;

/// A snapshot, compared by identity.
#[derive(Clone, Debug)]
pub struct SharedSnapshot(pub Rc<Snapshot>);

impl PartialEq for SharedSnapshot {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// A notice about values that cannot be shown.
pub fn problem_notice(text: &str) -> Html {
    html! { <p class="notice" role="alert" id="snapshot-damaged">{text.to_owned()}</p> }
}

/// The message of an error of a snapshot.
pub fn message(error: SnapshotError) -> Message {
    match error {
        SnapshotError::Version => Message::ops("snapshot-version"),
        SnapshotError::Header => Message::ops("snapshot-header"),
        SnapshotError::Entry(number) => Message::ops("snapshot-entry").with("number", number + 1),
    }
}

/// Performs the shortcuts of the player: steps through `cells` cells, of which `at` is the current one; Escape clears.
#[hook]
pub fn use_player_keys(
    at: i64,
    cells: i64,
    move_to: &Callback<i64>,
    playing: &UseStateHandle<bool>,
    clear: &Callback<()>,
) {
    let (move_to, playing, clear) = (move_to.clone(), playing.clone(), clear.clone());
    let at = use_latest(at);
    use_effect_with((cells, *playing), move |(cells, on)| {
        let (last, on) = ((*cells - 1).max(0), *on);
        let keys = PageKeys::listen(false, move |command| {
            match command {
                Command::Step(by) | Command::StepSource(by) => move_to.emit(at.step(by, last)),
                Command::TogglePlayback => playing.set(!on),
                Command::ClearHighlights => clear.emit(()),
                _ => return false,
            }
            true
        });
        move || drop(keys)
    });
}
