//! The experiments in which ops were left, for the visit: the tab keeps them as links, so that they outlast the way to
//! another screen.

use std::collections::BTreeMap;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use crate::app::link;
use crate::array::Edition;
use crate::state::experiment::Experiment;
use crate::state::experiment::link as permalink;
use crate::state::experiment::session::{Action, SavedExperiment, Session};

/// Opens ops as they were left, and in the chosen edition. Others open by their links, which are short.
#[derive(Clone, PartialEq)]
pub struct OpenOp {
    /// The names by which the catalogue knows the ops that were left.
    kept: Rc<Vec<String>>,
    edition: Edition,
    dispatch: Callback<Action>,
}

impl OpenOp {
    /// Opens an op; `false` if its link does.
    pub fn open(&self, name: &str) -> bool {
        let opens = self.edition != Edition::Current || self.kept.iter().any(|kept| kept == name);
        if opens {
            self.dispatch.emit(Action::Open(name.to_owned()));
        }
        opens
    }

    /// Opens an op in place of its link, unless that is to open in another tab.
    pub fn of_links(&self) -> Callback<MouseEvent> {
        let open = self.clone();
        Callback::from(move |event: MouseEvent| {
            let is_modified = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
            if !is_modified && event.button() == 0 && named(&event).is_some_and(|name| open.open(&name)) {
                event.prevent_default();
            }
        })
    }
}

/// The name of the op whose link was clicked.
fn named(event: &MouseEvent) -> Option<String> {
    let link = event.target()?.dyn_into::<Element>().ok()?.closest("a").ok()??.get_attribute("href")?;
    link.strip_prefix("#ops1/@").map(str::to_owned)
}

/// What the tab has kept.
pub fn stored() -> Vec<(String, Experiment)> {
    let read = |(name, fragment): (String, String)| (name, permalink::read(&fragment).experiment);
    link::kept().into_iter().map(read).collect()
}

/// Keeps what the session keeps, where it changed, and opens it again.
#[hook]
pub fn use_open_op(session: &Session, dispatch: &Callback<Action>) -> OpenOp {
    let stored = use_mut_ref(BTreeMap::<String, SavedExperiment>::new);
    use_effect_with(session.saved_experiments().clone(), move |kept| {
        let mut stored = stored.borrow_mut();
        for (name, one) in kept.iter().filter(|(name, one)| stored.get(*name) != Some(*one)) {
            link::keep(name, Some(&permalink::write(&one.experiment)));
        }
        for name in stored.keys().filter(|name| !kept.contains_key(*name)) {
            link::keep(name, None);
        }
        stored.clone_from(kept);
    });
    let kept = use_memo(session.saved_experiments().clone(), |kept| kept.keys().cloned().collect::<Vec<_>>());
    OpenOp { kept, edition: session.chosen_edition(), dispatch: dispatch.clone() }
}
