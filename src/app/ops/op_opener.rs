//! Opens ops from the catalogue in the state in which they were left. The session keeps these experiments, and the tab
//! stores them as links, so that they survive a visit to another screen.

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

/// Opens ops in the state in which they were left, and in the chosen edition. An op without a saved state opens by its short
/// link, if the edition is the current one.
#[derive(Clone, PartialEq)]
pub struct OpOpener {
    /// The names of the ops that were left, as in the catalogue.
    left_ops: Rc<Vec<String>>,
    edition: Edition,
    dispatch: Callback<Action>,
}

impl OpOpener {
    /// Opens an op; returns `false` if its link must be followed instead.
    pub fn open(&self, name: &str) -> bool {
        let has_own_state = self.edition != Edition::Current || self.left_ops.iter().any(|left| left == name);
        if has_own_state {
            self.dispatch.emit(Action::Open(name.to_owned()));
        }
        has_own_state
    }

    /// A click handler for lists of links: opens the op instead of its link, except for clicks that open a tab.
    pub fn on_link_click(&self) -> Callback<MouseEvent> {
        let opener = self.clone();
        Callback::from(move |event: MouseEvent| {
            let is_modified = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
            if !is_modified
                && event.button() == 0
                && clicked_op(&event).is_some_and(|name| opener.open(&name))
            {
                event.prevent_default();
            }
        })
    }
}

/// The name of the op whose link was clicked.
fn clicked_op(event: &MouseEvent) -> Option<String> {
    let link = event.target()?.dyn_into::<Element>().ok()?.closest("a").ok()??.get_attribute("href")?;
    link.strip_prefix("#ops1/@").map(str::to_owned)
}

/// The experiments that the tab has stored, by op.
pub fn stored_experiments() -> Vec<(String, Experiment)> {
    let read = |(name, fragment): (String, String)| (name, permalink::read(&fragment).experiment);
    link::stored_op_links().into_iter().map(read).collect()
}

/// Stores the experiments that the session keeps whenever they change, and returns the opener of ops.
#[hook]
pub fn use_op_opener(session: &Session, dispatch: &Callback<Action>) -> OpOpener {
    let stored = use_mut_ref(BTreeMap::<String, SavedExperiment>::new);
    use_effect_with(session.saved_experiments().clone(), move |kept| {
        let mut stored = stored.borrow_mut();
        for (name, entry) in kept.iter().filter(|(name, entry)| stored.get(*name) != Some(*entry)) {
            link::store_op_link(name, &permalink::write(&entry.experiment));
        }
        for name in stored.keys().filter(|name| !kept.contains_key(*name)) {
            link::remove_op_link(name);
        }
        stored.clone_from(kept);
    });
    let left_ops =
        use_memo(session.saved_experiments().clone(), |kept| kept.keys().cloned().collect::<Vec<_>>());
    OpOpener { left_ops, edition: session.chosen_edition(), dispatch: dispatch.clone() }
}
