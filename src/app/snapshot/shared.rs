//! A snapshot as a property, and what is said where it is damaged.

use std::rc::Rc;

use yew::prelude::*;

use crate::i18n::Message;
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
pub fn damaged(text: &str) -> Html {
    html! { <p class="notice" role="alert" id="snapshot-damaged">{text.to_owned()}</p> }
}

/// What is wrong with a snapshot.
pub fn message(error: SnapshotError) -> Message {
    match error {
        SnapshotError::Version => Message::ops("snapshot-version"),
        SnapshotError::Header => Message::ops("snapshot-header"),
        SnapshotError::Entry(number) => Message::ops("snapshot-entry").with("number", number + 1),
    }
}
